package timetable

import (
	"context"
	"errors"
	"fmt"

	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/text"
)

// notifySubstitutes tells a substitute of the lesson, and the one before that it is
// taken back. Either override may be empty. Past days send nothing.
func (s *Service) notifySubstitutes(ctx context.Context, tx *db.Tx, who actor.Actor, before, after Override) error {
	was, is := opt.Value(before.TeacherID), opt.Value(after.TeacherID)
	day := today(s.Now, who.Zone)
	if was != "" && was != is && before.Date >= day {
		if err := s.notifyTeacher(ctx, tx, who, was, "substitute-ended", before); err != nil {
			return err
		}
	}
	if is != "" && is != was && after.Date >= day {
		return s.notifyTeacher(ctx, tx, who, is, "substitute", after)
	}
	return nil
}

// notifyTeacher sends a text about a lesson. Teachers without an account get none.
func (s *Service) notifyTeacher(ctx context.Context, tx *db.Tx, who actor.Actor, teacher id.ID, words string, o Override) error {
	user, err := db.One[id.ID](ctx, tx, `SELECT user_id FROM employees
		WHERE school_id = :school AND id = :teacher AND user_id IS NOT NULL`, db.Args{"teacher": teacher})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return nil
	case err != nil:
		return fmt.Errorf("read account of teacher: %w", err)
	}
	return s.Notify.Send(ctx, tx, who.School, []notification.Notice{{
		Topic: notification.TeacherTopic(user), Users: []id.ID{user}, Type: notification.Timetable, Record: o.ID,
		Title: text.T("timetable." + words + ".title"),
		Body:  text.T("timetable."+words+".body", "class", o.ClassName+" "+o.DivisionName, "period", o.PeriodNo, "date", o.Date),
	}})
}
