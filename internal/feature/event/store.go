package event

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

// moment is the current date and time in the school's time zone.
type moment struct {
	today clock.Date
	time  clock.TimeOfDay
}

func (s *Service) moment(who actor.Actor) moment {
	now := s.Now().In(clock.Zone(who.Zone))
	return moment{clock.Date(now.Format(time.DateOnly)), clock.TimeOfDay(now.Format("15:04"))}
}

// eventsSQL selects the school's events with their status at :today and :time. This is
// the only definition of the status.
const eventsSQL = `(SELECT e.*, CASE WHEN e.cancelled_at IS NOT NULL THEN 'CANCELLED'
	WHEN e.event_date > :today OR e.event_date = :today AND e.start_time > :time THEN 'UPCOMING'
	WHEN e.event_date < :today OR e.end_time <= :time THEN 'COMPLETED'
	ELSE 'ONGOING' END AS status
	FROM events e WHERE e.school_id = :school) AS e`

const columns = `e.id, e.title, e.description, e.event_date, e.start_time, e.end_time, e.venue, e.status,
	e.target_audience, e.version, e.created_at, e.updated_at`

// span is a condition on the date for each status, so that the index is used.
var span = map[Status]string{
	Upcoming:  ` AND e.event_date >= :today`,
	Ongoing:   ` AND e.event_date = :today`,
	Completed: ` AND e.event_date <= :today`,
}

// filter filters events; zero fields are ignored.
type filter struct {
	status   Status
	from, to clock.Date
	audience Audience
	search   string
	parent   id.ID // only events for this user
	student  id.ID // only events for this student and the parents
	teacher  id.ID // only events for this user
	held     bool  // without cancelled ones
}

// forParent selects events for parents, or for a class of a child of :parent.
const forParent = ` AND (e.target_audience IN ('ALL', 'PARENTS', 'STUDENTS') OR e.id IN (
	SELECT c.event_id FROM event_classes c
	JOIN students s ON s.school_id = c.school_id AND s.class_id = c.class_id AND s.archived_at IS NULL AND s.status = 'ACTIVE'
	JOIN student_guardians l ON l.school_id = s.school_id AND l.student_id = s.id AND l.can_view_data
	JOIN guardians g ON g.school_id = l.school_id AND g.id = l.guardian_id AND g.user_id = :parent
	WHERE c.school_id = :school))`

// forStudent selects events for the parents of :student.
const forStudent = ` AND (e.target_audience IN ('ALL', 'PARENTS', 'STUDENTS') OR e.id IN (
	SELECT c.event_id FROM event_classes c JOIN students s ON s.school_id = c.school_id AND s.class_id = c.class_id AND s.id = :student
		AND s.archived_at IS NULL AND s.status = 'ACTIVE'
	WHERE c.school_id = :school))`

// forTeacher selects events for teachers, or for a class that :teacher is assigned to.
const forTeacher = ` AND (e.target_audience IN ('ALL', 'TEACHERS') OR e.id IN (
	SELECT c.event_id FROM event_classes c
	JOIN teacher_assignments a ON a.school_id = c.school_id AND a.class_id = c.class_id
	JOIN employees t ON t.school_id = a.school_id AND t.id = a.employee_id AND t.user_id = :teacher AND t.archived_at IS NULL
		AND t.status <> 'RESIGNED'
	WHERE c.school_id = :school))`

func (f filter) sql() string {
	return eventsSQL + ` WHERE TRUE` +
		db.When(f.from != "", ` AND e.event_date >= :from`) +
		db.When(f.to != "", ` AND e.event_date <= :to`) +
		db.When(f.status != "", span[f.status]+` AND e.status = :status`) +
		db.When(f.audience != "", ` AND e.target_audience = :audience`) +
		db.When(f.search != "", ` AND e.search LIKE :search ESCAPE '\'`) +
		db.When(f.held, ` AND e.status <> 'CANCELLED'`) +
		db.When(f.parent != "", forParent) + db.When(f.student != "", forStudent) + db.When(f.teacher != "", forTeacher)
}

func (f filter) args(now moment) db.Args {
	return db.Args{"today": now.today, "time": now.time, "from": f.from, "to": f.to, "status": f.status,
		"audience": f.audience, "search": f.search, "parent": f.parent, "student": f.student, "teacher": f.teacher}
}

// list is a page of events: upcoming ones by date, others the latest first.
func list(ctx context.Context, q db.Q, now moment, f filter, r page.Request) (page.Of[Event], error) {
	f.search = people.Pattern(f.search)
	first := "-eventDate"
	if f.status == Upcoming || f.status == Ongoing {
		first = "eventDate"
	}
	p, err := db.Page[Event](ctx, q, db.List{
		Columns: columns,
		From:    f.sql(),
		Sorts:   map[string]string{"eventDate": "e.event_date, e.start_time", "title": "e.search", "id": "e.id"},
		Default: first,
	}, r, f.args(now))
	if err != nil {
		return p, err
	}
	return p, complete(ctx, q, p.Items)
}

// latest lists events by date; if there are more than most, the latest ones.
func latest(ctx context.Context, q db.Q, now moment, f filter, most int) ([]Event, error) {
	a := f.args(now)
	a["most"] = most
	all, err := db.All[Event](ctx, q, `
		SELECT * FROM (SELECT `+columns+` FROM `+f.sql()+` ORDER BY e.event_date DESC, e.start_time DESC, e.id DESC LIMIT :most) AS newest
		ORDER BY event_date, start_time, id`, a)
	if err != nil {
		return nil, fmt.Errorf("list events: %w", err)
	}
	return all, complete(ctx, q, all)
}

func get(ctx context.Context, q db.Q, now moment, event id.ID) (Event, error) {
	e, err := db.One[Event](ctx, q, `SELECT `+columns+` FROM `+eventsSQL+` WHERE e.id = :id`,
		db.Args{"id": event, "today": now.today, "time": now.time})
	if err != nil {
		return e, db.Found("read event", err, errNone)
	}
	one := []Event{e}
	err = complete(ctx, q, one)
	return one[0], err
}

// complete sets the classes of events.
func complete(ctx context.Context, q db.Q, all []Event) error {
	at := map[id.ID]*Event{}
	ids := []id.ID{}
	for i := range all {
		all[i].ClassIDs = []id.ID{}
		if all[i].TargetAudience == Classes {
			at[all[i].ID] = &all[i]
			ids = append(ids, all[i].ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	type row struct{ EventID, ClassID id.ID }
	err := db.Each(ctx, q, `
		SELECT event_id, class_id FROM event_classes WHERE school_id = :school AND event_id IN (:ids) ORDER BY class_id`,
		db.Args{"ids": ids}, func(r row) error {
			at[r.EventID].ClassIDs = append(at[r.EventID].ClassIDs, r.ClassID)
			return nil
		})
	if err != nil {
		return fmt.Errorf("read classes of events: %w", err)
	}
	return nil
}

// listTaught returns, for each class that exists, whether the user teaches in it.
func listTaught(ctx context.Context, q db.Q, user id.ID, classes []id.ID) ([]bool, error) {
	taught, err := db.All[bool](ctx, q, `
		SELECT EXISTS (SELECT 1 FROM teacher_assignments a
			JOIN employees e ON e.school_id = a.school_id AND e.id = a.employee_id
				AND e.user_id = :user AND e.archived_at IS NULL AND e.status <> 'RESIGNED'
			WHERE a.school_id = :school AND a.class_id = c.id) AS taught
		FROM classes c WHERE c.school_id = :school AND c.id IN (:classes)`, db.Args{"user": user, "classes": classes})
	if err != nil {
		return nil, fmt.Errorf("read classes: %w", err)
	}
	return taught, nil
}

func args(e Event) db.Args {
	return db.Args{"id": e.ID, "title": e.Title, "description": e.Description, "date": e.EventDate, "start": e.StartTime, "end": e.EndTime,
		"venue": e.Venue, "audience": e.TargetAudience, "search": people.SearchText(e.Title, string(e.Venue)), "version": e.Version,
		"updated": e.UpdatedAt}
}

func putNew(ctx context.Context, tx *db.Tx, e Event) error {
	a := args(e)
	a["created"] = e.CreatedAt
	_, err := db.Exec(ctx, tx, `
		INSERT INTO events (school_id, id, title, description, event_date, start_time, end_time, venue, target_audience, search,
			version, created_at, updated_at)
		VALUES (:school, :id, :title, :description, :date, :start, :end, :venue, :audience, :search, :version, :created, :updated)`, a)
	if err != nil {
		return err
	}
	return putClasses(ctx, tx, e)
}

func putClasses(ctx context.Context, tx *db.Tx, e Event) error {
	type row struct{ EventID, ClassID id.ID }
	rows := make([]row, len(e.ClassIDs))
	for i, c := range e.ClassIDs {
		rows[i] = row{e.ID, c}
	}
	_, err := db.Insert(ctx, tx, `INSERT INTO event_classes (school_id, event_id, class_id) VALUES (:school, :event_id, :class_id)`, rows)
	return err
}

// putChange writes the next version of e.
func putChange(ctx context.Context, tx *db.Tx, e Event) error {
	err := db.Update(ctx, tx, `
		UPDATE events SET title = :title, description = :description, event_date = :date, start_time = :start, end_time = :end,
			venue = :venue, target_audience = :audience, search = :search, version = version + 1, updated_at = :updated
		WHERE school_id = :school AND id = :id AND version = :version AND cancelled_at IS NULL`, args(e))
	if err == nil {
		_, err = db.Exec(ctx, tx, `DELETE FROM event_classes WHERE school_id = :school AND event_id = :id`, db.Args{"id": e.ID})
	}
	if err == nil {
		err = putClasses(ctx, tx, e)
	}
	return fault.Wrap("update event", err)
}

// putCancelled writes the next version of e as cancelled.
func putCancelled(ctx context.Context, tx *db.Tx, e Event, now time.Time) error {
	err := db.Update(ctx, tx, `
		UPDATE events SET cancelled_at = :now, version = version + 1, updated_at = :now
		WHERE school_id = :school AND id = :id AND version = :version AND cancelled_at IS NULL`,
		db.Args{"id": e.ID, "version": e.Version, "now": now})
	return fault.Wrap("cancel event", err)
}
