package report

import (
	"cmp"
	"slices"
	"strings"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

const (
	expiresWithin = 30 // days ahead that expiring papers of buses are listed
	lateAfter     = 10 // minutes
)

// Need is a kind of thing that waits for the office.
type Need struct {
	Kind    string  `json:"kind" enum:"INCIDENT,TRIP_WITHOUT_DRIVER,TRIP_LATE,BUS_PAPERS,LESSON_WITHOUT_TEACHER,CLASS_NOT_MARKED,LEAVE,MESSAGE,CONTACT_CHANGE,DELIVERY_FAILED,TRIP_NOT_ENDED,ACADEMIC_YEAR,RESULTS,BOOK_OVERDUE,FEE_OVERDUE"`
	Count   int     `json:"count"`
	Urgency string  `json:"urgency" enum:"HIGH,NORMAL,LOW"`
	First   []Thing `json:"first" doc:"The first three."`
}

// Thing is one of the things of a Need.
type Thing struct {
	ID   id.ID            `json:"id" doc:"Of the incident, trip, bus, lesson, division (or class), leave, conversation, change, delivery, exam, loan or student."`
	Name opt.Text         `json:"name" doc:"Of the bus, division, person, exam or book; the channel of a delivery."`
	Note opt.Text         `json:"note" doc:"The type of the incident or leave, the status of the trip, the subject of the lesson."`
	Date *clock.Date      `json:"date" doc:"The first day of leave, the due date, the day a paper expires."`
	Time *clock.TimeOfDay `json:"time" doc:"The start of the lesson or trip; of the first lesson of a division."`
}

// need is a kind that one statement lists, for administrators with read permission on
// the module. Its SQL may use :day, today; :weekday; :time, now; :lately, lateAfter
// minutes ago; :soon, the last day of expiresWithin; and :since, 7 days ago.
type need struct {
	kind, module, urgency string
	id, name              string // columns of a Thing; "" is NULL
	note, date, time      string
	from, order           string // with the keyword FROM, so that the table map finds it
}

// awayToday selects the employees who are on leave today for the whole day or have left.
const awayToday = `SELECT e.id FROM employees e WHERE e.school_id = :school AND (e.archived_at IS NOT NULL OR e.status = 'RESIGNED'
	OR EXISTS (SELECT 1 FROM leaves l WHERE l.school_id = e.school_id AND l.employee_id = e.id AND l.status = 'APPROVED'
		AND l.from_date <= :day AND l.to_date >= :day AND l.half IS NULL))`

const (
	busName    = `COALESCE(NULLIF(b.name, ''), b.registration_no)`
	withBus    = ` JOIN buses b ON b.school_id = t.school_id AND b.id = t.bus_id `
	personName = `TRIM(s.first_name || ' ' || s.last_name)`
)

// openLeaves are the leaves to decide on, without those of people who were removed.
const openLeaves = `leaves t
	LEFT JOIN students s ON s.school_id = t.school_id AND s.id = t.student_id
	LEFT JOIN employees e ON e.school_id = t.school_id AND e.id = t.employee_id
	WHERE t.school_id = :school AND t.status = 'PENDING' AND COALESCE(s.archived_at, e.archived_at) IS NULL`

// needs are the kinds that one statement lists. Two of the same kind differ in urgency.
var needs = []need{
	incidents("HIGH", `t.severity = 'HIGH'`),
	{kind: "TRIP_WITHOUT_DRIVER", module: "transport", urgency: "HIGH", id: "t.id", name: busName, note: "t.status", time: "t.start_time",
		from: `FROM trips t` + withBus + `WHERE t.school_id = :school AND t.date = :day AND t.status = 'scheduled'
			AND t.driver_id IN (` + awayToday + `)`,
		order: "t.start_time"},
	{kind: "TRIP_LATE", module: "transport", urgency: "HIGH", id: "t.id", name: busName, note: "t.status", time: "t.start_time",
		from: `FROM trips t` + withBus + `LEFT JOIN bus_positions p ON p.school_id = t.school_id AND p.trip_id = t.id
			WHERE t.school_id = :school AND t.date = :day AND (t.status = 'scheduled' AND t.start_time <= :lately
				OR t.status IN ('in_progress', 'paused') AND p.delay_seconds >= 600)`, order: "t.start_time"},
	papers("HIGH", `t.insurance_expiry < :day OR t.fitness_expiry < :day`),
	{kind: "CLASS_NOT_MARKED", module: "attendance", urgency: "NORMAL", id: "COALESCE(p.division_id, p.class_id)",
		name: "TRIM(c.name || ' ' || COALESCE(d.name, ''))", time: "p.first_lesson", from: unmarked, order: "c.display_order, c.name, d.name"},
	{kind: "LEAVE", module: "leave", urgency: "NORMAL", id: "t.id", note: "t.type", date: "t.from_date",
		name: "COALESCE(" + personName + ", TRIM(e.first_name || ' ' || e.last_name))", from: `FROM ` + openLeaves,
		order: "t.from_date"},
	{kind: "MESSAGE", module: "message", urgency: "NORMAL", id: "t.thread_id", name: "u.name", from: `FROM message_sides t
		LEFT JOIN users u ON u.school_id = t.school_id AND u.id = CASE WHEN t.user_id = t.side_id THEN t.peer_id ELSE t.user_id END
		WHERE t.school_id = :school AND t.side_id = :school AND t.unread > 0`, order: "t.last_message_id"},
	{kind: "CONTACT_CHANGE", module: "student", urgency: "NORMAL", id: "t.id", name: "g.name", from: `FROM contact_changes t
		JOIN guardians g ON g.school_id = t.school_id AND g.id = t.guardian_id
		WHERE t.school_id = :school AND t.status = 'PENDING'`, order: "t.created_at"},
	incidents("NORMAL", `t.severity <> 'HIGH'`),
	{kind: "TRIP_NOT_ENDED", module: "transport", urgency: "NORMAL", id: "t.id", name: busName, note: "t.status", date: "t.date",
		time: "t.start_time", from: `FROM trips t` + withBus + `WHERE t.school_id = :school AND t.status IN ('in_progress', 'paused')
			AND t.date < :day`, order: "t.date"},
	{kind: "DELIVERY_FAILED", module: "notification", urgency: "NORMAL", id: "t.id", name: "t.channel", from: `FROM deliveries t
		WHERE t.school_id = :school AND t.status = 'FAILED' AND t.created_at >= :since`, order: "t.created_at DESC"},
	{kind: "ACADEMIC_YEAR", module: "setting", urgency: "NORMAL", id: "t.id", from: `FROM schools t
		WHERE t.id = :school AND NOT EXISTS (SELECT 1 FROM academic_years y WHERE y.school_id = t.id AND y.end_date >= :soon)`, order: "t.id"},
	papers("LOW", `COALESCE(t.insurance_expiry, :day) >= :day AND COALESCE(t.fitness_expiry, :day) >= :day
		AND (t.insurance_expiry <= :soon OR t.fitness_expiry <= :soon)`),
	{kind: "RESULTS", module: "exam", urgency: "LOW", id: "t.id", name: "t.name", date: "t.last_day", from: `FROM exams t
		WHERE t.school_id = :school AND (t.state = 'COMPLETED' OR t.state = 'SCHEDULED' AND t.last_day < :day)`, order: "t.last_day"},
	{kind: "BOOK_OVERDUE", module: "library", urgency: "LOW", id: "t.id", name: "b.title", date: "t.due_date", from: `FROM library_loans t
		JOIN library_books b ON b.school_id = t.school_id AND b.id = t.book_id
		WHERE t.school_id = :school AND t.status = 'ISSUED' AND t.due_date < :day`, order: "t.due_date"},
	{kind: "FEE_OVERDUE", module: "fee", urgency: "LOW", id: "s.id", name: personName, date: "t.due_date", from: `FROM (
			SELECT student_id, MIN(due_date) AS due_date FROM fee_charges
			WHERE school_id = :school AND status IN ('OPEN', 'PARTIAL') AND due_date < :day GROUP BY student_id) t
		JOIN students s ON s.school_id = :school AND s.id = t.student_id AND s.archived_at IS NULL`, order: "t.due_date"},
}

func incidents(urgency, where string) need {
	return need{kind: "INCIDENT", module: "transport", urgency: urgency, id: "t.id", name: busName, note: "t.type",
		from: `FROM incidents t` + withBus + `WHERE t.school_id = :school AND t.acknowledged_at IS NULL
			AND t.withdrawn_at IS NULL AND ` + where, order: "t.created_at"}
}

func papers(urgency, where string) need {
	const expiry = `CASE WHEN COALESCE(t.insurance_expiry, '9') < COALESCE(t.fitness_expiry, '9') THEN t.insurance_expiry
		ELSE t.fitness_expiry END`
	return need{kind: "BUS_PAPERS", module: "transport", urgency: urgency, id: "t.id", name: strings.ReplaceAll(busName, "b.", "t."),
		date: expiry, from: `FROM buses t WHERE t.school_id = :school AND t.archived_at IS NULL AND t.status = 'ACTIVE' AND (` + where + `)`,
		order: expiry}
}

// unmarked are the divisions, and classes without one, whose first lesson has begun and
// in which nobody was marked, except by leave. Without lessons today the day has begun.
const unmarked = `FROM (
		SELECT s.class_id, s.division_id, (SELECT MIN(l.start_time) FROM timetable_periods l WHERE l.school_id = :school
			AND l.division_id = s.division_id AND l.academic_year_id = y.id AND l.day_of_week = :weekday) AS first_lesson
		FROM students s
		JOIN classes c ON c.school_id = s.school_id AND c.id = s.class_id
		JOIN academic_years y ON y.school_id = c.school_id AND y.id = c.academic_year_id AND y.is_current
			AND y.start_date <= :day AND y.end_date >= :day
		WHERE s.school_id = :school AND s.archived_at IS NULL AND s.status = 'ACTIVE' GROUP BY s.class_id, s.division_id, y.id) p
	JOIN classes c ON c.school_id = :school AND c.id = p.class_id
	LEFT JOIN divisions d ON d.school_id = :school AND d.id = p.division_id
	WHERE COALESCE(p.first_lesson, '') <= :time AND NOT EXISTS (SELECT 1 FROM attendance a WHERE a.school_id = :school AND a.date = :day
		AND a.period_no = 0 AND a.leave_id IS NULL AND a.class_id = p.class_id
		AND (a.division_id = p.division_id OR a.division_id IS NULL AND p.division_id IS NULL))`

// urgencies in the order of the list.
var urgencies = []string{"HIGH", "NORMAL", "LOW"}

// found is a row of a need: a Thing and how many there are.
type found struct {
	ID     id.ID
	Name   opt.Text
	Note   opt.Text
	OnDate *clock.Date
	AtTime *clock.TimeOfDay
	Total  int
}

// ask asks for the first things of a need.
func (n need) ask(out *[]found, args db.Args) db.Ask {
	text := func(column string) string { return "COALESCE(" + cmp.Or(column, "NULL") + ", '')" }
	sql := `SELECT ` + n.id + ` AS id, ` + text(n.name) + ` AS name, ` + text(n.note) + ` AS note, ` +
		cmp.Or(n.date, "NULL") + ` AS on_date, ` + cmp.Or(n.time, "NULL") + ` AS at_time,
		COUNT(*) OVER () AS total ` + n.from + ` ORDER BY ` + n.order + `, 1 LIMIT 3`
	used := db.Args{}
	for name, v := range args {
		if strings.Contains(sql, ":"+name) {
			used[name] = v
		}
	}
	return db.Into(out, sql, used)
}

// sees reports whether the caller sees a need. Classes are marked on school days only.
func (n need) sees(who actor.Actor, schoolDay bool) bool {
	return who.Can(n.module, actor.Read) && (n.kind != "CLASS_NOT_MARKED" || schoolDay)
}

// listNeeds returns the needs that have things, the most urgent first.
func listNeeds(cover []Thing, rows [][]found, who actor.Actor, schoolDay bool) []Need {
	out := []Need{}
	if len(cover) > 0 {
		out = append(out, Need{"LESSON_WITHOUT_TEACHER", len(cover), "HIGH", cover[:min(len(cover), 3)]})
	}
	for i, n := range needs {
		if len(rows[i]) == 0 || !n.sees(who, schoolDay) {
			continue
		}
		one := Need{Kind: n.kind, Count: rows[i][0].Total, Urgency: n.urgency, First: []Thing{}}
		for _, f := range rows[i] {
			one.First = append(one.First, Thing{f.ID, f.Name, f.Note, f.OnDate, f.AtTime})
		}
		out = append(out, one)
	}
	slices.SortStableFunc(out, func(a, b Need) int {
		return cmp.Compare(slices.Index(urgencies, a.Urgency), slices.Index(urgencies, b.Urgency))
	})
	return out
}
