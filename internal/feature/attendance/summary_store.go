package attendance

import (
	"context"
	"fmt"
	"slices"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// listPlaces lists the places with current students or with marks in the range, by
// class.
func listPlaces(ctx context.Context, q db.Q, from, to clock.Date, class *id.ID, visible func(seat) bool) ([]*place, error) {
	at := map[seat]*place{}
	find := func(s seat) *place {
		if at[s] == nil {
			at[s] = &place{seat: s, marked: map[clock.Date]bool{}}
		}
		return at[s]
	}
	if err := countMarks(ctx, q, from, to, class, visible, find); err != nil {
		return nil, fmt.Errorf("count marks: %w", err)
	}
	if err := countSeats(ctx, q, class, visible, find); err != nil {
		return nil, fmt.Errorf("count students: %w", err)
	}
	out := make([]*place, 0, len(at))
	for _, p := range at {
		out = append(out, p)
	}
	type name struct {
		seat
		ClassName, DivisionName string
		DisplayOrder            int
	}
	names := map[seat]name{}
	err := db.Each(ctx, q, `
		SELECT c.id AS class_id, c.name AS class_name, c.display_order, d.id AS division_id, COALESCE(d.name, '') AS division_name
		FROM classes c LEFT JOIN divisions d ON d.school_id = c.school_id AND d.class_id = c.id
		WHERE c.school_id = :school AND c.id IN (:classes)`, db.Args{"classes": classesOf(out)}, func(n name) error {
		names[n.seat] = n
		n.DivisionID, n.DivisionName = "", ""
		names[n.seat] = n
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read names of classes: %w", err)
	}
	for _, p := range out {
		n := names[p.seat]
		p.ClassName, p.DivisionName, p.DisplayOrder = n.ClassName, n.DivisionName, n.DisplayOrder
	}
	slices.SortFunc(out, comparePlaces)
	return out, nil
}

// countMarks adds the marks to their places.
func countMarks(ctx context.Context, q db.Q, from, to clock.Date, class *id.ID, visible func(seat) bool, find func(seat) *place) error {
	type group struct {
		seat
		Date                   clock.Date
		Status, HalfDay        string
		Count, ByLeave, Minute int
	}
	return db.Each(ctx, q, `
		SELECT class_id, division_id, date, status, half_day, COUNT(*) AS count, COUNT(leave_id) AS by_leave,
			CAST(SUM(minutes_late) AS BIGINT) AS minute
		FROM attendance WHERE school_id = :school AND date >= :from AND date <= :to AND period_no = 0`+
		db.When(class != nil, ` AND class_id = :class`)+`
		GROUP BY class_id, division_id, date, status, half_day`, db.Args{"from": from, "to": to, "class": class}, func(g group) error {
		if !visible(g.seat) {
			return nil
		}
		p := find(g.seat)
		p.marks += g.Count
		p.tally.add(said{Status: g.Status, HalfDay: g.HalfDay}, g.Count)
		p.tally.MinutesLate += g.Minute
		p.marked[g.Date] = p.marked[g.Date] || g.Count > g.ByLeave
		return nil
	})
}

// countSeats adds the current number of students.
func countSeats(ctx context.Context, q db.Q, class *id.ID, visible func(seat) bool, find func(seat) *place) error {
	type count struct {
		Class, Division id.ID
		N               int
	}
	return db.Each(ctx, q, `
		SELECT class_id AS class, division_id AS division, count(*) AS n FROM students
		WHERE school_id = :school AND archived_at IS NULL AND status = 'ACTIVE' AND class_id IS NOT NULL`+
		db.When(class != nil, ` AND class_id = :class`)+` GROUP BY class_id, division_id`, db.Args{"class": class}, func(c count) error {
		if at := (seat{c.Class, c.Division}); visible(at) {
			find(at).students = c.N
		}
		return nil
	})
}

func classesOf(places []*place) []id.ID {
	ids := []id.ID{}
	for _, p := range places {
		ids = append(ids, p.ClassID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// classTeacher is the class teacher of a division or of a whole class.
type classTeacher struct {
	seat
	EmployeeID id.ID
	Name       string
}

func classTeachers(ctx context.Context, q db.Q, places []*place) (map[seat]classTeacher, error) {
	out := map[seat]classTeacher{}
	err := db.Each(ctx, q, `
		SELECT a.class_id, a.division_id, e.id AS employee_id, TRIM(e.first_name || ' ' || e.last_name) AS name
		FROM teacher_assignments a JOIN employees e ON e.school_id = a.school_id AND e.id = a.employee_id
			AND e.archived_at IS NULL AND e.status <> 'RESIGNED'
		WHERE a.school_id = :school AND a.class_id IN (:classes) AND a.is_class_teacher`, db.Args{"classes": classesOf(places)},
		func(t classTeacher) error {
			out[t.seat] = t
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("read class teachers: %w", err)
	}
	return out, nil
}
