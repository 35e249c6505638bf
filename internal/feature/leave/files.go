package leave

import (
	"context"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/id"
)

// Sees checks that a parent or teacher may read a leave, and so its files: the parents
// of the student, the class teacher, and the employee on leave.
func (s *Service) Sees(ctx context.Context, who actor.Actor, leave id.ID) error {
	q := s.DB.School(who.School)
	l, err := getLeave(ctx, q, leave)
	switch {
	case err != nil:
		return err
	case !who.Can("leave", actor.Read):
		return errNotDecider
	case l.StudentID == nil && l.UserID == who.User:
		return nil
	case l.StudentID == nil:
		return errAdminDecides
	case who.Role == actor.Parent:
		return people.MustBeLinked(ctx, q, who.User, *l.StudentID)
	}
	return mustBeClassTeacher(ctx, q, who.User, *l.StudentID)
}
