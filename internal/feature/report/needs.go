package report

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/web"
)

// expiresWithin is how many days ahead expiring papers of buses are listed.
const expiresWithin = 30

type needsOut struct {
	Date  clock.Date `json:"date"`
	Items []Need     `json:"items" doc:"The most urgent first. What the caller may not read is left out."`
}

// Need is a kind of thing that waits for the office.
type Need struct {
	Kind    string `json:"kind" enum:"INCIDENT,TRIP_WITHOUT_DRIVER,BUS_PAPERS,LESSON_WITHOUT_TEACHER,CLASS_NOT_MARKED,LEAVE,MESSAGE,CONTACT_CHANGE,DELIVERY_FAILED,TRIP_NOT_ENDED,ACADEMIC_YEAR,RESULTS,BOOK_OVERDUE"`
	Count   int    `json:"count"`
	Urgency string `json:"urgency" enum:"HIGH,NORMAL,LOW"`
}

// need says who sees a kind: administrators with read permission on the module.
type need struct {
	kind, module, urgency string
	// sql counts. It may use :day, today; :soon, the last day of expiresWithin; and :since, 7 days ago.
	sql string
}

// awayToday selects the employees who are on leave today for the whole day or have left.
const awayToday = `SELECT e.id FROM employees e WHERE e.school_id = :school AND (e.archived_at IS NOT NULL OR e.status = 'RESIGNED'
	OR EXISTS (SELECT 1 FROM leaves l WHERE l.school_id = e.school_id AND l.employee_id = e.id AND l.status = 'APPROVED'
		AND l.from_date <= :day AND l.to_date >= :day AND l.half IS NULL))`

// needs are the kinds that one statement counts. Two of the same kind differ in urgency.
var needs = []need{
	{"INCIDENT", "transport", "HIGH", `SELECT COUNT(*) FROM incidents WHERE school_id = :school AND acknowledged_at IS NULL
		AND severity = 'HIGH'`},
	{"TRIP_WITHOUT_DRIVER", "transport", "HIGH", `SELECT COUNT(*) FROM trips WHERE school_id = :school AND date = :day
		AND status = 'scheduled' AND driver_id IN (` + awayToday + `)`},
	{"BUS_PAPERS", "transport", "HIGH", `SELECT COUNT(*) FROM buses WHERE school_id = :school AND archived_at IS NULL AND status = 'ACTIVE'
		AND (insurance_expiry < :day OR fitness_expiry < :day)`},
	{"CLASS_NOT_MARKED", "attendance", "NORMAL", `SELECT COUNT(*) FROM (
			SELECT s.class_id, s.division_id FROM students s
			JOIN classes c ON c.school_id = s.school_id AND c.id = s.class_id
			JOIN academic_years y ON y.school_id = c.school_id AND y.id = c.academic_year_id AND y.is_current
				AND y.start_date <= :day AND y.end_date >= :day
			WHERE s.school_id = :school AND s.archived_at IS NULL AND s.status = 'ACTIVE' GROUP BY s.class_id, s.division_id) p
		WHERE NOT EXISTS (SELECT 1 FROM attendance a WHERE a.school_id = :school AND a.date = :day AND a.period_no = 0
			AND a.class_id = p.class_id AND (a.division_id = p.division_id OR a.division_id IS NULL AND p.division_id IS NULL))`},
	{"LEAVE", "leave", "NORMAL", `SELECT COUNT(*) FROM leaves WHERE school_id = :school AND status = 'PENDING'`},
	{"MESSAGE", "message", "NORMAL", `SELECT COUNT(*) FROM message_sides WHERE school_id = :school AND side_id = :school AND unread > 0`},
	{"CONTACT_CHANGE", "student", "NORMAL", `SELECT COUNT(*) FROM contact_changes WHERE school_id = :school AND status = 'PENDING'`},
	{"INCIDENT", "transport", "NORMAL", `SELECT COUNT(*) FROM incidents WHERE school_id = :school AND acknowledged_at IS NULL
		AND severity <> 'HIGH'`},
	{"TRIP_NOT_ENDED", "transport", "NORMAL", `SELECT COUNT(*) FROM trips WHERE school_id = :school AND status IN ('in_progress', 'paused')
		AND date < :day`},
	{"DELIVERY_FAILED", "notification", "NORMAL", `SELECT COUNT(*) FROM deliveries WHERE school_id = :school AND status = 'FAILED'
		AND created_at >= :since`},
	{"ACADEMIC_YEAR", "setting", "NORMAL", `SELECT CASE WHEN EXISTS (SELECT 1 FROM academic_years WHERE school_id = :school
		AND end_date >= :soon) THEN 0 ELSE 1 END`},
	{"BUS_PAPERS", "transport", "LOW", `SELECT COUNT(*) FROM buses WHERE school_id = :school AND archived_at IS NULL AND status = 'ACTIVE'
		AND COALESCE(insurance_expiry, :day) >= :day AND COALESCE(fitness_expiry, :day) >= :day
		AND (insurance_expiry <= :soon OR fitness_expiry <= :soon)`},
	{"RESULTS", "exam", "LOW", `SELECT COUNT(*) FROM exams WHERE school_id = :school
		AND (state = 'COMPLETED' OR state = 'SCHEDULED' AND last_day < :day)`},
	{"BOOK_OVERDUE", "library", "LOW", `SELECT COUNT(*) FROM library_loans WHERE school_id = :school
		AND status = 'ISSUED' AND due_date < :day`},
}

// urgencies in the order of the list.
var urgencies = []string{"HIGH", "NORMAL", "LOW"}

// needs lists what waits for the caller. Classes that are not marked and lessons
// without a teacher are listed on school days only.
func (s *Service) needs(ctx context.Context, who actor.Actor, _ web.None) (needsOut, error) {
	q, now := s.DB.School(who.School), s.Now()
	out := needsOut{Date: clock.DateIn(now, who.Zone), Items: []Need{}}
	cal, err := school.CalendarOf(ctx, q, out.Date, out.Date)
	if err != nil {
		return out, err
	}
	counted, err := countNeeds(ctx, q, db.Args{"day": out.Date, "soon": out.Date.AddDays(expiresWithin), "since": now.AddDate(0, 0, -7)})
	if err != nil {
		return out, fmt.Errorf("count what needs the office: %w", err)
	}
	if cal.IsSchoolDay(out.Date) && who.Can("timetable", actor.Read) {
		lessons, err := s.NeedCover(ctx, who)
		if err != nil {
			return out, err
		}
		out.add(Need{"LESSON_WITHOUT_TEACHER", lessons, "HIGH"})
	}
	for i, n := range needs {
		if who.Can(n.module, actor.Read) && (n.kind != "CLASS_NOT_MARKED" || cal.IsSchoolDay(out.Date)) {
			out.add(Need{n.kind, counted[i], n.urgency})
		}
	}
	slices.SortStableFunc(out.Items, func(a, b Need) int {
		return cmp.Compare(slices.Index(urgencies, a.Urgency), slices.Index(urgencies, b.Urgency))
	})
	return out, nil
}

func (o *needsOut) add(n Need) {
	if n.Count > 0 {
		o.Items = append(o.Items, n)
	}
}

// countNeeds returns the counts in the order of needs.
func countNeeds(ctx context.Context, q db.Q, args db.Args) ([]int, error) {
	parts := make([]string, len(needs))
	for i, n := range needs {
		parts[i] = fmt.Sprintf("SELECT %d AS place, (%s) AS count", i, n.sql)
	}
	type row struct{ Place, Count int }
	out := make([]int, len(needs))
	err := db.Each(ctx, q, strings.Join(parts, " UNION ALL "), args, func(r row) error {
		out[r.Place] = r.Count
		return nil
	})
	return out, err
}
