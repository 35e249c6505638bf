package attendance

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// A leave marks its school days with its leave_id. A user's change to such a mark
// clears the leave_id. The mark that a leave replaced is the latest revision of the
// day; TakeBack restores it.

// MarkLeave marks a student as on leave on the school days of a range, for half of
// the day ("FIRST", "SECOND") or, with "", the whole day. Days marked HOLIDAY or
// before or after the enrolment are skipped. Parents get no alert: they requested the leave.
func (s *Service) MarkLeave(ctx context.Context, tx *db.Tx, who actor.Actor, leaveID, student id.ID, from, to clock.Date,
	half string) error {
	return s.markLeave(ctx, tx, who, away{leaveID, student, from, to, half}, false)
}

// FillLeave is MarkLeave without the days on which somebody has marked the student or taken a mark back: it can be
// called again.
func (s *Service) FillLeave(ctx context.Context, tx *db.Tx, who actor.Actor, leaveID, student id.ID, from, to clock.Date,
	half string) error {
	return s.markLeave(ctx, tx, who, away{leaveID, student, from, to, half}, true)
}

// away is a leave of a student.
type away struct {
	leave, student id.ID
	from, to       clock.Date
	half           string
}

func (s *Service) markLeave(ctx context.Context, tx *db.Tx, who actor.Actor, a away, fill bool) error {
	at, err := lockedSeats(ctx, tx, a.student)
	if err != nil {
		return err
	}
	cal, err := school.CalendarOf(ctx, tx, a.from, a.to)
	if err != nil {
		return err
	}
	there, err := marksOf(ctx, tx, a.student, a.from, a.to)
	if err != nil {
		return err
	}
	days := slices.DeleteFunc(cal.SchoolDays(a.from, a.to), func(d clock.Date) bool { return at.on(d).ClassID == "" })
	if fill {
		if days, err = unsaid(ctx, tx, a.student, days, there); err != nil {
			return err
		}
	}
	now := s.Now()
	say := state{said: said{Status: leave, HalfDay: a.half}, LeaveID: a.leave, MarkedBy: who.User, MarkedAt: &now}
	var rows []mark
	var before []revision
	for _, day := range days {
		in := at.on(day)
		row := mark{ID: s.NewID(), StudentID: a.student, Date: day, ClassID: in.ClassID, DivisionID: in.DivisionID, state: say}
		if was, ok := there[day]; ok {
			switch {
			case was.Status == holiday, was.Status == leave && (was.HalfDay == "" || was.HalfDay == a.half):
				continue
			case was.Status == leave: // one half and the other
				row.HalfDay = ""
			}
			before = append(before, s.ended(was, who.User, now))
			row.ID, row.ClassID, row.DivisionID = was.ID, was.ClassID, was.DivisionID
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil
	}
	if err := putMarks(ctx, tx, rows); err != nil {
		return err
	}
	if err := putRevisions(ctx, tx, before); err != nil {
		return err
	}
	return s.Audit.Record(ctx, tx, who, "attendance.leave", "attendance", a.leave, nil,
		map[string]any{"studentId": a.student, "from": a.from, "to": a.to, "halfDay": a.half, "days": len(rows)})
}

// unsaid are the days that have no mark but that of a leave, and never had another. Marks of leave that
// were taken back with the leave, or with the enrolment, don't count.
func unsaid(ctx context.Context, q db.Q, student id.ID, days []clock.Date, there map[clock.Date]mark) ([]clock.Date, error) {
	before, err := listRevisions(ctx, q, student, wholeDay, days)
	return slices.DeleteFunc(days, func(d clock.Date) bool {
		was, marked := there[d]
		return marked && was.LeaveID == "" || slices.ContainsFunc(before, func(r revision) bool { return r.Date == d && !r.IsVoid })
	}), err
}

// TakeBack undoes a leave's marks after a day ("": all) that nobody has changed since:
// it restores the replaced marks and deletes the others.
func (s *Service) TakeBack(ctx context.Context, tx *db.Tx, who actor.Actor, leaveID id.ID, after clock.Date) error {
	a := db.Args{"leave": leaveID, "after": after}
	student, err := db.One[id.ID](ctx, tx, `SELECT student_id FROM attendance WHERE school_id = :school AND leave_id = :leave LIMIT 1`,
		db.Args{"leave": leaveID})
	if err == nil {
		_, err = lockedSeats(ctx, tx, student)
	}
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return fmt.Errorf("read student of leave: %w", err)
	}
	if _, err := db.Exec(ctx, tx, `UPDATE attendance_revisions SET is_void = TRUE
		WHERE school_id = :school AND leave_id = :leave AND date > :after`, a); err != nil {
		return fmt.Errorf("void revisions of leave: %w", err)
	}
	made, err := db.All[mark](ctx, tx, `
		SELECT id, student_id, date, period_no, class_id, division_id, `+stateColumns+` FROM attendance
		WHERE school_id = :school AND leave_id = :leave AND date > :after ORDER BY date`, a)
	if err != nil {
		return fmt.Errorf("read marks of leave: %w", err)
	}
	if len(made) == 0 {
		return nil
	}
	return s.takeBack(ctx, tx, who, leaveID, student, made)
}

// takeBackYear undoes the marks that leaves have made of students in a year in which they are no longer
// enrolled. FillLeave can make them again.
func (s *Service) takeBackYear(ctx context.Context, tx *db.Tx, who actor.Actor, y school.Year, students []id.ID) error {
	made, err := db.All[mark](ctx, tx, `
		SELECT id, student_id, date, period_no, class_id, division_id, `+stateColumns+` FROM attendance
		WHERE school_id = :school AND student_id IN (:students) AND date BETWEEN :start AND :end AND leave_id IS NOT NULL
		ORDER BY leave_id, date`, db.Args{"students": students, "start": y.StartDate, "end": y.EndDate})
	if err != nil {
		return fmt.Errorf("read marks of leave in a year: %w", err)
	}
	for len(made) > 0 {
		first, n := made[0], 1
		for n < len(made) && made[n].LeaveID == first.LeaveID {
			n++
		}
		if err := s.takeBack(ctx, tx, who, first.LeaveID, first.StudentID, made[:n]); err != nil {
			return err
		}
		made = made[n:]
	}
	return nil
}

func (s *Service) takeBack(ctx context.Context, tx *db.Tx, who actor.Actor, leaveID, student id.ID, made []mark) error {
	earlier, err := earlierStates(ctx, tx, student, made)
	if err != nil {
		return err
	}
	now := s.Now()
	var back []mark
	var gone []mark
	before := make([]revision, len(made))
	for i, m := range made {
		before[i] = s.ended(m, who.User, now)
		before[i].IsVoid = true
		if was, ok := earlier[m.Date]; ok {
			m.state = was
			back = append(back, m)
			continue
		}
		before[i].IsRemoved = true
		gone = append(gone, m)
	}
	if err := putMarks(ctx, tx, back); err != nil {
		return err
	}
	if err := deleteMarks(ctx, tx, gone); err != nil {
		return err
	}
	if err := putRevisions(ctx, tx, before); err != nil {
		return err
	}
	return s.Audit.Record(ctx, tx, who, "attendance.leave-back", "attendance", leaveID, nil,
		map[string]any{"studentId": student, "removed": len(gone), "restored": len(back)})
}

// earlierStates returns the states that a leave's marks replaced, by day. It skips
// states of other leaves that were taken back since.
func earlierStates(ctx context.Context, q db.Q, student id.ID, made []mark) (map[clock.Date]state, error) {
	dates := make([]clock.Date, len(made))
	for i, m := range made {
		dates[i] = m.Date
	}
	revisions, err := listRevisions(ctx, q, student, wholeDay, dates)
	if err != nil {
		return nil, err
	}
	out, settled := map[clock.Date]state{}, map[clock.Date]bool{}
	for _, r := range revisions { // the latest first
		if settled[r.Date] || r.IsVoid && !r.IsRemoved {
			continue
		}
		settled[r.Date] = true
		if !r.IsRemoved {
			out[r.Date] = r.state
		}
	}
	return out, nil
}

type seat struct{ ClassID, DivisionID id.ID }

// taken is the seat of a student and the time there.
type taken struct {
	seat
	enrolled
	IsNow bool
}

// seats are those of one student: the present one first, then those of earlier academic years.
type seats []taken

// on is the seat on a day; empty for none.
func (at seats) on(d clock.Date) seat {
	for _, t := range at {
		if t.covers(d) {
			return t.seat
		}
	}
	return seat{}
}

// lockedSeats returns a student's seats, with the marks of the present class locked, as addMoved does.
// For a student without a class, the marks of the earlier ones are.
func lockedSeats(ctx context.Context, tx *db.Tx, student id.ID) (seats, error) {
	at, err := db.All[taken](ctx, tx, `
		SELECT s.class_id, s.division_id, `+enrolledColumns+`, TRUE AS is_now
		FROM students s `+classYear+` WHERE s.school_id = :school AND s.id = :student
		UNION ALL
		SELECT e.class_id, e.division_id, `+enrolledColumns+`, FALSE
		FROM enrolments e JOIN students s ON s.school_id = e.school_id AND s.id = e.student_id
		JOIN academic_years y ON y.school_id = e.school_id AND y.id = e.academic_year_id
		JOIN academic_years n ON n.school_id = y.school_id AND n.is_current AND n.start_date > y.start_date
		WHERE e.school_id = :school AND e.student_id = :student AND e.outcome <> 'LEFT'
		ORDER BY is_now DESC, class_id`, db.Args{"student": student})
	if err != nil {
		return nil, fmt.Errorf("read classes of student: %w", err)
	}
	for _, t := range at {
		if err := lock(ctx, tx, t.ClassID); err != nil || t.IsNow {
			return at, err
		}
	}
	return at, nil
}

// marksOf reads a student's marks of whole days, by day.
func marksOf(ctx context.Context, q db.Q, student id.ID, from, to clock.Date) (map[clock.Date]mark, error) {
	out := map[clock.Date]mark{}
	err := db.Each(ctx, q, `
		SELECT id, student_id, date, period_no, class_id, division_id, `+stateColumns+` FROM attendance
		WHERE school_id = :school AND student_id = :student AND date >= :from AND date <= :to AND period_no = 0`,
		db.Args{"student": student, "from": from, "to": to}, func(m mark) error {
			out[m.Date] = m
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("read marks of student: %w", err)
	}
	return out, nil
}

// Totals counts the school days and present days of students in a range. Students
// without marks are not in the result.
func (s *Service) Totals(ctx context.Context, q db.Q, students []id.ID, from, to clock.Date) (map[id.ID]Totals, error) {
	type group struct {
		StudentID id.ID
		said
		Count int
	}
	out := map[id.ID]Totals{}
	err := db.Each(ctx, q, `
		SELECT student_id, status, half_day, COUNT(*) AS count FROM attendance
		WHERE school_id = :school AND student_id IN (:students) AND date >= :from AND date <= :to AND period_no = 0
		GROUP BY student_id, status, half_day`, db.Args{"students": id.Unique(students), "from": from, "to": to},
		func(g group) error {
			t, h := out[g.StudentID], g.halves()
			out[g.StudentID] = Totals{t.SchoolHalfDays + h.SchoolHalfDays*g.Count, t.PresentHalfDays + h.PresentHalfDays*g.Count}
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("count days of students: %w", err)
	}
	return out, nil
}
