package attendance

import (
	"context"
	"fmt"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// marker is a teacher who can mark a division now: its class teacher, the class
// teacher of the whole class, or who has the lesson.
type marker struct {
	seat
	EmployeeID id.ID
	Name       string
	UserID     id.ID // "": no active account
	IsAway     bool  // approved leave, the whole day
}

// outcome is the outcome of a reminder to this teacher.
func (m marker) outcome() string {
	switch {
	case m.UserID == "":
		return noAccount
	case m.IsAway:
		return onLeave
	}
	return told
}

// findMarkers sets who is to be told: the first of the teachers who can be, else the
// first of them with the reason.
func (s *Service) findMarkers(ctx context.Context, q db.Q, who actor.Actor, today clock.Date, open []reminded) error {
	at := map[seat]*reminded{}
	classes := []id.ID{}
	for i := range open {
		r := &open[i]
		at[seat{r.ClassID, opt.Value(r.DivisionID)}] = r
		classes = append(classes, r.ClassID)
	}
	now := clock.TimeOfDay(s.Now().In(clock.Zone(who.Zone)).Format("15:04"))
	err := db.Each(ctx, q, markersSQL, db.Args{"classes": id.Unique(classes), "date": today, "weekday": today.Weekday(), "now": now},
		func(m marker) error {
			r := at[m.seat]
			if r == nil || r.Outcome == told || r.TeacherID != nil && m.outcome() != told {
				return nil
			}
			r.marker, r.Outcome = m, m.outcome()
			r.TeacherID, r.TeacherName = &m.EmployeeID, opt.Text(m.Name)
			return nil
		})
	if err != nil {
		return fmt.Errorf("find teachers to remind: %w", err)
	}
	return nil
}

// markersSQL lists the teachers who can mark the divisions of :classes at :now on
// :date, best first. A lesson counts if its teacher may mark: by an assignment or as a
// substitute.
const markersSQL = `
	SELECT f.class_id, f.division_id, e.id AS employee_id, TRIM(e.first_name || ' ' || e.last_name) AS name, u.id AS user_id,
		EXISTS (SELECT 1 FROM leaves l WHERE l.school_id = :school AND l.employee_id = e.id AND l.status = 'APPROVED' AND l.half IS NULL
			AND l.from_date <= :date AND l.to_date >= :date) AS is_away
	FROM (
		SELECT a.class_id, d.id AS division_id, a.employee_id, CASE WHEN a.division_id IS NULL THEN 2 ELSE 1 END AS place
		FROM teacher_assignments a
		JOIN divisions d ON d.school_id = a.school_id AND d.class_id = a.class_id AND (a.division_id IS NULL OR a.division_id = d.id)
		WHERE a.school_id = :school AND a.class_id IN (:classes) AND a.is_class_teacher
		UNION ALL
		SELECT a.class_id, NULL, a.employee_id, 2 FROM teacher_assignments a
		WHERE a.school_id = :school AND a.class_id IN (:classes) AND a.is_class_teacher AND a.division_id IS NULL
		UNION ALL
		SELECT p.class_id, p.division_id, COALESCE(o.employee_id, p.employee_id), 3
		FROM timetable_periods p
		LEFT JOIN timetable_overrides o ON o.school_id = p.school_id AND o.division_id = p.division_id AND o.date = :date
			AND o.period_no = p.period_no
		WHERE p.school_id = :school AND p.class_id IN (:classes) AND p.day_of_week = :weekday AND p.start_time <= :now AND p.end_time > :now
			AND NOT COALESCE(o.is_cancelled, FALSE) AND (o.employee_id IS NOT NULL OR EXISTS (
				SELECT 1 FROM teacher_assignments t WHERE t.school_id = p.school_id AND t.employee_id = p.employee_id AND t.class_id = p.class_id
					AND (t.division_id IS NULL OR t.division_id = p.division_id)))
	) f
	JOIN employees e ON e.school_id = :school AND e.id = f.employee_id AND e.archived_at IS NULL AND e.status <> 'RESIGNED'
	LEFT JOIN users u ON u.school_id = :school AND u.id = e.user_id AND u.status = 'ACTIVE'
	ORDER BY f.place, e.id`
