package attendance

import (
	"context"
	"fmt"
	"slices"
	"time"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

type historyIn struct {
	StudentID id.ID      `json:"studentId" required:"true"`
	Date      clock.Date `json:"date" required:"true"`
	PeriodNo  *int       `json:"periodNo" minimum:"1" maximum:"50" doc:"The mark of a period. Default: the mark of the day."`
}

// History has all versions of one student's mark.
type History struct {
	StudentID id.ID      `json:"studentId"`
	Date      clock.Date `json:"date"`
	PeriodNo  *int       `json:"periodNo"`
	Changes   []change   `json:"changes" doc:"The oldest first."`
}

type change struct {
	At     time.Time `json:"at" doc:"When it was marked, by the device's clock."`
	UserID *id.ID    `json:"userId" doc:"The user who made the change."`
	Name   opt.Text  `json:"name"`
	From   *saying   `json:"from" doc:"Null if there was no mark."`
	To     *saying   `json:"to" doc:"Null if the mark was removed."`
}

// saying is the content of a mark in a history.
type saying struct {
	Status      string   `json:"status" enum:"PRESENT,ABSENT,LATE,LEAVE,HOLIDAY"`
	HalfDay     *string  `json:"halfDay" enum:"FIRST,SECOND"`
	MinutesLate *int     `json:"minutesLate"`
	Remark      opt.Text `json:"remark"`
	LeaveID     *id.ID   `json:"leaveId" doc:"The leave that made it."`
}

func (s state) saying() *saying {
	return &saying{s.Status, opt.Ptr(s.HalfDay), opt.Ptr(s.MinutesLate), opt.Text(s.Remark), opt.Ptr(s.LeaveID)}
}

// history lists the changes of a mark.
func (s *Service) history(ctx context.Context, who actor.Actor, in historyIn) (History, error) {
	q := s.DB.School(who.School)
	out := History{StudentID: in.StudentID, Date: in.Date, PeriodNo: in.PeriodNo, Changes: []change{}}
	_, err := db.One[id.ID](ctx, q, `SELECT id FROM students WHERE school_id = :school AND id = :id AND archived_at IS NULL`,
		db.Args{"id": in.StudentID})
	if err != nil {
		return out, db.Found("read student", err, people.ErrNoStudent)
	}
	before, err := listRevisions(ctx, q, in.StudentID, opt.Value(in.PeriodNo), []clock.Date{in.Date})
	if err != nil {
		return out, err
	}
	now, err := db.All[state](ctx, q, `SELECT `+stateColumns+` FROM attendance
		WHERE school_id = :school AND student_id = :student AND date = :date AND period_no = :period`,
		db.Args{"student": in.StudentID, "date": in.Date, "period": opt.Value(in.PeriodNo)})
	if err != nil {
		return out, fmt.Errorf("read mark: %w", err)
	}
	slices.Reverse(before)
	out.Changes = chain(before, now)
	return out, nameChanges(ctx, q, out.Changes)
}

// chain converts versions of a mark, in order of time, to changes. If a leave was
// taken back, the change has the time of that, not of the restored mark.
func chain(before []revision, now []state) []change {
	out := []change{}
	var was *saying
	var ended *revision
	step := func(to state) {
		c := change{At: *to.MarkedAt, UserID: opt.Ptr(to.MarkedBy), From: was, To: to.saying()}
		if ended != nil && ended.IsVoid {
			c.At, c.UserID = ended.EndedAt, opt.Ptr(ended.EndedBy)
		}
		out, was = append(out, c), c.To
	}
	for i, r := range before {
		step(r.state)
		ended = &before[i]
		if r.IsRemoved {
			out, was, ended = append(out, change{At: r.EndedAt, UserID: opt.Ptr(r.EndedBy), From: was}), nil, nil
		}
	}
	for _, s := range now {
		step(s)
	}
	return out
}

// nameChanges sets the names of the users who made the changes.
func nameChanges(ctx context.Context, q db.Q, changes []change) error {
	ids := []id.ID{}
	for _, c := range changes {
		if c.UserID != nil {
			ids = append(ids, *c.UserID)
		}
	}
	type user struct {
		ID   id.ID
		Name string
	}
	names := map[id.ID]string{}
	err := db.Each(ctx, q, `SELECT id, name FROM users WHERE school_id = :school AND id IN (:ids)`, db.Args{"ids": ids}, func(u user) error {
		names[u.ID] = u.Name
		return nil
	})
	for i, c := range changes {
		changes[i].Name = opt.Text(names[opt.Value(c.UserID)])
	}
	return fault.Wrap("read names of users", err)
}
