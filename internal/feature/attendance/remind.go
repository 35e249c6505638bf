package attendance

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/notification"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/text"
)

// remindPause is how long a teacher is not reminded again of the same division.
const remindPause = 15 * time.Minute

type remindIn struct {
	DivisionIDs []id.ID `json:"divisionIds" maxItems:"500" doc:"Only these, if they are not marked. Default: everything that is not marked today."`
}

// The outcomes of a reminder.
const (
	told        = "TOLD"
	alreadyTold = "ALREADY_TOLD"
	noDevice    = "NO_DEVICE"
	onLeave     = "ON_LEAVE"
	noAccount   = "NO_ACCOUNT"
	noTeacher   = "NO_TEACHER"
)

type remindOut struct {
	Date        clock.Date `json:"date"`
	Told        int        `json:"told" doc:"Number of teachers who get a message now."`
	Unreachable int        `json:"unreachable" doc:"Number of divisions whose teacher gets no message: NO_DEVICE, ON_LEAVE, NO_ACCOUNT, NO_TEACHER."`
	Divisions   []reminded `json:"divisions" doc:"Every division that is not marked."`
}

// reminded is a division that is not marked, and who was told.
type reminded struct {
	ClassID      id.ID    `json:"classId"`
	ClassName    string   `json:"className"`
	DivisionID   *id.ID   `json:"divisionId" doc:"Null for students without a division."`
	DivisionName opt.Text `json:"divisionName"`
	TeacherID    *id.ID   `json:"teacherId" doc:"The class teacher or, if that one can't be told, who has the lesson now."`
	TeacherName  opt.Text `json:"teacherName"`
	Outcome      string   `json:"outcome" enum:"TOLD,ALREADY_TOLD,NO_DEVICE,ON_LEAVE,NO_ACCOUNT,NO_TEACHER" doc:"ALREADY_TOLD: within the last 15 minutes. NO_DEVICE: only in the app's log, because there is neither app nor e-mail. The last three: nobody was told."`

	marker marker
}

// place is the division, or the class without one; reminders are about it.
func (r reminded) place() id.ID {
	if r.DivisionID != nil {
		return *r.DivisionID
	}
	return r.ClassID
}

// remind tells the teachers of divisions that are not marked today.
func (s *Service) remind(ctx context.Context, who actor.Actor, in remindIn) (out remindOut, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.Lock(ctx, "attendance/remind"); err != nil {
			return fmt.Errorf("lock reminders: %w", err)
		}
		out = remindOut{Date: s.today(who.Zone), Divisions: []reminded{}}
		if out.Divisions, err = s.unmarkedToday(ctx, tx, id.Unique(in.DivisionIDs), out.Date); err != nil || len(out.Divisions) == 0 {
			return err
		}
		if err := s.findMarkers(ctx, tx, who, out.Date, out.Divisions); err != nil {
			return err
		}
		return s.sendReminders(ctx, tx, who, &out)
	})
	return out, err
}

// unmarkedToday lists the divisions without marks, of those wanted, on a school day.
func (s *Service) unmarkedToday(ctx context.Context, q db.Q, wanted []id.ID, today clock.Date) ([]reminded, error) {
	out := []reminded{}
	known, err := db.One[int](ctx, q, `SELECT COUNT(*) FROM divisions WHERE school_id = :school AND id IN (:ids)`, db.Args{"ids": wanted})
	switch {
	case err != nil:
		return out, fmt.Errorf("count divisions: %w", err)
	case known < len(wanted):
		return out, academics.ErrNoDivision
	}
	cal, err := school.CalendarOf(ctx, q, today, today)
	if err != nil || !cal.IsSchoolDay(today) {
		return out, err
	}
	places, err := listPlaces(ctx, q, today, today, nil, func(at seat) bool {
		return len(wanted) == 0 || slices.Contains(wanted, at.DivisionID)
	})
	for _, p := range places {
		if p.students > 0 && !p.marked[today] {
			out = append(out, reminded{ClassID: p.ClassID, ClassName: p.ClassName, DivisionID: opt.Ptr(p.DivisionID),
				DivisionName: opt.Text(p.DivisionName), Outcome: noTeacher})
		}
	}
	return out, err
}

// sendReminders notifies the teachers who were found, except those told lately.
func (s *Service) sendReminders(ctx context.Context, tx *db.Tx, who actor.Actor, out *remindOut) error {
	users := []id.ID{}
	for _, r := range out.Divisions {
		if r.Outcome == told {
			users = append(users, r.marker.UserID)
		}
	}
	lately, err := notification.SentSince(ctx, tx, notification.Attendance, id.Unique(users), s.Now().Add(-remindPause))
	if err != nil {
		return err
	}
	var notices []notification.Notice
	for i := range out.Divisions {
		r := &out.Divisions[i]
		switch user := r.marker.UserID; {
		case r.Outcome != told:
		case lately[notification.Sent{UserID: user, RecordID: r.place()}]:
			r.Outcome = alreadyTold
		default:
			name := strings.TrimSpace(r.ClassName + " " + string(r.DivisionName))
			notices = append(notices, notification.Notice{Type: notification.Attendance, Topic: notification.TeacherTopic(user),
				Record: r.place(), Users: []id.ID{user},
				Title: text.T("attendance.remind.title"), Body: text.T("attendance.remind.body", "place", name)})
		}
	}
	if err := s.Notify.Send(ctx, tx, who.School, notices); err != nil {
		return fmt.Errorf("remind teachers: %w", err)
	}
	return s.countReminders(ctx, tx, who, out, notices)
}

// countReminders finds out whom the reminders reach, and writes the audit log.
func (s *Service) countReminders(ctx context.Context, tx *db.Tx, who actor.Actor, out *remindOut, notices []notification.Notice) error {
	silent, err := s.Notify.Unreached(ctx, tx, notices)
	if err != nil {
		return err
	}
	teachers, places := map[id.ID]bool{}, []id.ID{}
	for i := range out.Divisions {
		r := &out.Divisions[i]
		if r.Outcome == told && silent[r.marker.UserID] {
			r.Outcome = noDevice
		}
		switch r.Outcome {
		case told:
			teachers[r.marker.UserID] = true
			places = append(places, r.place())
		case noDevice:
			places = append(places, r.place())
			out.Unreachable++
		case alreadyTold:
		default:
			out.Unreachable++
		}
	}
	out.Told = len(teachers)
	if len(notices) == 0 {
		return nil
	}
	return fault.Wrap("record reminders", s.Audit.Record(ctx, tx, who, "attendance.remind", "attendance", "", nil,
		map[string]any{"date": out.Date, "divisions": places, "told": out.Told}))
}
