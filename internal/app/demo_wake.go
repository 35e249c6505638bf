package app

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"homeroom/internal/feature/attendance"
	"homeroom/internal/feature/leave"
	"homeroom/internal/feature/school"
	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// demoSite is an existing demo school.
type demoSite struct {
	demoPlan
	who actor.Actor // its school and time zone, without a user
}

// wake begins a school day: school is open, the demo driver has trips, half of the
// divisions are marked, and a teacher is away. It changes nothing the second time.
func (s demoServices) wake(ctx context.Context, tx *db.Tx, at demoSite) error {
	ctx, day := tx.Share(ctx), clock.DateIn(s.Now(), at.who.Zone)
	for _, step := range []func(context.Context, *db.Tx, demoSite, clock.Date) error{s.open, s.planTrips, s.markHalf, s.keepTeacherAway} {
		if err := step(ctx, tx, at, day); err != nil {
			return fmt.Errorf("begin the day of %s: %w", at.code, err)
		}
	}
	return nil
}

// open deletes the holidays of the day: visitors come on any day.
func (s demoServices) open(ctx context.Context, tx *db.Tx, at demoSite, day clock.Date) error {
	holidays, err := school.Holidays(ctx, tx, day, day)
	for _, h := range holidays {
		err = errors.Join(err, s.School.DeleteHoliday(ctx, at.who, h.ID))
	}
	return err
}

// planTrips schedules the demo driver's trips at the times of earlier days.
func (s demoServices) planTrips(ctx context.Context, tx *db.Tx, at demoSite, day clock.Date) error {
	type plan struct {
		BusID     id.ID
		Type      transport.Type
		StartTime clock.TimeOfDay
	}
	missing, err := db.All[plan](ctx, tx, `
		SELECT b.id AS bus_id, t.type, MAX(t.start_time) AS start_time
		FROM buses b JOIN trips t ON t.school_id = b.school_id AND t.bus_id = b.id AND t.date < :day
		WHERE b.school_id = :school AND b.registration_no = :plate AND b.archived_at IS NULL AND NOT EXISTS (
			SELECT 1 FROM trips o WHERE o.school_id = b.school_id AND o.bus_id = b.id AND o.date = :day AND o.type = t.type)
		GROUP BY b.id, t.type ORDER BY t.type`, db.Args{"day": day, "plate": at.plate(0)})
	if err != nil {
		return fmt.Errorf("find trips to plan: %w", err)
	}
	for _, p := range missing {
		trips := transport.NewTrips{BusID: p.BusID, Type: p.Type, StartTime: p.StartTime, Date: &day}
		if _, err := s.Transport.Schedule(ctx, at.who, trips); err != nil {
			return fmt.Errorf("schedule a trip: %w", err)
		}
	}
	return nil
}

// markHalf marks the divisions of which isPrompt is true, unless they are marked.
func (s demoServices) markHalf(ctx context.Context, tx *db.Tx, at demoSite, day clock.Date) error {
	type seat struct {
		ID, ClassID, DivisionID id.ID
		Marked                  bool
	}
	seats, err := db.All[seat](ctx, tx, `
		SELECT s.id, s.class_id, s.division_id, EXISTS (SELECT 1 FROM attendance a WHERE a.school_id = s.school_id AND a.date = :day
			AND a.class_id = s.class_id AND a.division_id = s.division_id AND a.period_no = 0 AND a.status <> 'LEAVE') AS marked
		FROM students s
		JOIN classes c ON c.school_id = s.school_id AND c.id = s.class_id
		JOIN divisions d ON d.school_id = s.school_id AND d.id = s.division_id
		WHERE s.school_id = :school AND s.archived_at IS NULL AND s.status = 'ACTIVE'
		ORDER BY c.display_order, c.id, d.name, d.id, s.id`, db.Args{"day": day})
	if err != nil {
		return fmt.Errorf("list students: %w", err)
	}
	random := rand.New(rand.NewPCG(at.seed, uint64(day.Time().Unix())))
	for n := 0; len(seats) > 0; n++ {
		first := seats[0]
		end := slices.IndexFunc(seats, func(s seat) bool { return s.DivisionID != first.DivisionID })
		if end < 0 {
			end = len(seats)
		}
		students := seats[:end]
		seats = seats[end:]
		if !isPrompt(n) || first.Marked {
			continue
		}
		marks := attendance.NewMarks{ClassID: first.ClassID, DivisionID: &first.DivisionID, Date: day}
		for _, student := range students {
			marks.Records = append(marks.Records, attendance.NewMark{StudentID: student.ID, Status: randomStatus(random)})
		}
		if _, err := s.Attendance.Mark(ctx, at.who, marks); err != nil {
			return fmt.Errorf("mark attendance: %w", err)
		}
	}
	return nil
}

// isPrompt reports whether the n-th division is marked early: every other one, but
// not all of one name. The demo teacher's is not.
func isPrompt(n int) bool { return n*7%20 < 10 }

// keepTeacherAway gives a teacher sick leave, so that lessons need cover. It is
// another one every day, and never the demo teacher.
func (s demoServices) keepTeacherAway(ctx context.Context, tx *db.Tx, at demoSite, day clock.Date) error {
	away, err := db.One[int](ctx, tx, `SELECT COUNT(*) FROM leaves WHERE school_id = :school AND employee_id IS NOT NULL
		AND status = 'APPROVED' AND from_date <= :day AND to_date >= :day`, db.Args{"day": day})
	if err != nil || away > 0 {
		return err
	}
	admins, err := db.All[id.ID](ctx, tx, `SELECT id FROM users WHERE school_id = :school AND role = 'SCHOOL_ADMIN' AND status = 'ACTIVE'
		ORDER BY id LIMIT 1`, nil)
	if err != nil || len(admins) == 0 {
		return err
	}
	teachers, err := db.All[id.ID](ctx, tx, `
		SELECT e.id FROM employees e WHERE e.school_id = :school AND e.archived_at IS NULL AND e.status = 'ACTIVE' AND e.phone <> :demo
			AND EXISTS (SELECT 1 FROM timetable_periods p WHERE p.school_id = e.school_id AND p.employee_id = e.id AND p.day_of_week = :weekday)
		ORDER BY e.employee_code`, db.Args{"demo": at.teacher(), "weekday": day.Weekday()})
	if err != nil || len(teachers) == 0 {
		return err
	}
	office := at.who
	office.User, office.Role = admins[0], actor.SchoolAdmin
	sick := teachers[int(day.Time().Unix()/int64(24*time.Hour/time.Second))%len(teachers)]
	_, err = s.Leaves.Enter(ctx, office, leave.NewOfOffice{EmployeeID: &sick,
		New: leave.New{Type: "SICK", FromDate: day, Reason: "Called in sick this morning."}})
	return err
}
