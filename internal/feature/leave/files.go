package leave

import (
	"context"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

// showEach adds where the files of leaves can be had, with one statement for all of them.
func (s *Service) showEach(ctx context.Context, who actor.Actor, all ...*Leave) error {
	ids := make([][]id.ID, len(all))
	for i, l := range all {
		ids[i] = l.Attachments.V
	}
	views, err := s.Files.List(ctx, s.DB.School(who.School), who.School, ids...)
	for i, l := range all {
		l.AttachmentFiles = views[i]
	}
	return err
}

func (s *Service) show(ctx context.Context, who actor.Actor, l *Leave) error {
	return s.showEach(ctx, who, l)
}

func (s *Service) showAll(ctx context.Context, who actor.Actor, p *page.Of[Leave]) error {
	all := make([]*Leave, len(p.Items))
	for i := range p.Items {
		all[i] = &p.Items[i]
	}
	return s.showEach(ctx, who, all...)
}

// Sees is nil where a parent or teacher may read a leave, and so its files: the
// parents of the student, its class teacher, and who is on leave.
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
