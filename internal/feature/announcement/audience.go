package announcement

import (
	"context"
	"fmt"
	"slices"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// target is a class or division that an announcement is for.
type target struct {
	ID         id.ID
	ClassID    id.ID
	DivisionID *id.ID
}

// part is a class or division, and whether the caller teaches all of it.
type part struct {
	ID      id.ID
	ClassID id.ID
	Taught  bool
}

// assigned is the FROM of the assignments a of the current academic year with their teachers e,
// while they are employed.
const assigned = `FROM teacher_assignments a
	JOIN academic_years y ON y.school_id = a.school_id AND y.id = a.academic_year_id AND y.is_current
	JOIN employees e ON e.school_id = a.school_id AND e.id = a.employee_id AND e.archived_at IS NULL AND e.status <> 'RESIGNED'`

// taughtBy is the FROM of the assignments a of the user :user.
const taughtBy = assigned + ` AND e.user_id = :user`

// teachersIn selects the accounts of the teachers of the announcement :id.
const teachersIn = `SELECT e.user_id ` + assigned + `
	JOIN announcement_targets t ON t.school_id = a.school_id AND t.announcement_id = :id AND t.class_id = a.class_id
		AND (t.division_id IS NULL OR a.division_id IS NULL OR a.division_id = t.division_id)
	WHERE a.school_id = :school`

// A teacher of every division of a class teaches the class.
const classParts = `
	SELECT c.id, c.id AS class_id,
		EXISTS (SELECT 1 ` + taughtBy + `
			WHERE a.school_id = :school AND a.class_id = c.id)
		AND NOT EXISTS (SELECT 1 FROM divisions d
			WHERE d.school_id = :school AND d.class_id = c.id AND NOT EXISTS (SELECT 1 ` + taughtBy + `
				WHERE a.school_id = :school AND a.class_id = c.id AND (a.division_id IS NULL OR a.division_id = d.id))) AS taught
	FROM classes c WHERE c.school_id = :school AND c.id IN (:ids)`

const divisionParts = `
	SELECT d.id, d.class_id,
		EXISTS (SELECT 1 ` + taughtBy + `
			WHERE a.school_id = :school AND a.class_id = d.class_id AND (a.division_id IS NULL OR a.division_id = d.id)) AS taught
	FROM divisions d WHERE d.school_id = :school AND d.id IN (:ids)`

// targets returns the classes or divisions of an announcement. Each must exist, and a
// teacher must teach all of it.
func (s *Service) targets(ctx context.Context, q db.Q, who actor.Actor, a Announcement) ([]target, error) {
	ids, sql, missing := a.ClassIDs, classParts, academics.ErrNoClass
	if a.Audience == Divisions {
		ids, sql, missing = a.DivisionIDs, divisionParts, academics.ErrNoDivision
	}
	if len(ids) == 0 {
		return []target{}, nil
	}
	parts, err := db.All[part](ctx, q, sql, db.Args{"user": who.User, "ids": ids})
	switch {
	case err != nil:
		return nil, fmt.Errorf("read classes and divisions: %w", err)
	case len(parts) < len(ids):
		return nil, missing
	case who.Role == actor.Teacher && slices.ContainsFunc(parts, func(p part) bool { return !p.Taught }):
		return nil, academics.ErrNotAssigned
	}
	out := make([]target, len(parts))
	for i, p := range parts {
		out[i] = target{ID: s.NewID(), ClassID: p.ClassID}
		if a.Audience == Divisions {
			out[i].DivisionID = &parts[i].ID
		}
	}
	return out, nil
}

// recipients are the users of an audience and the push topics that reach them.
type recipients struct {
	users  []id.ID
	topics []topic
	others map[id.ID][]id.ID // guardians without an account, by student: SMS and e-mail only
}

type topic struct {
	name    string
	student id.ID   // for the topic of a student
	users   []id.ID // subscribers; nil for the topics of the school
}

// recipientsOf returns the recipients of an announcement, without its author.
func recipientsOf(ctx context.Context, q db.Q, school id.ID, a Announcement) (recipients, error) {
	switch a.Audience {
	case All:
		users, err := usersOf(ctx, q, actor.Parent, actor.Teacher, actor.Driver)
		if err != nil {
			return recipients{}, err
		}
		families, err := familiesOf(ctx, q, a)
		return recipients{users, []topic{{name: notification.SchoolTopic(school)}}, families.others}, err
	case Parents:
		users, err := usersOf(ctx, q, actor.Parent)
		if err != nil {
			return recipients{}, err
		}
		families, err := familiesOf(ctx, q, a)
		return recipients{users, families.topics, families.others}, err
	case Teachers:
		users, err := usersOf(ctx, q, actor.Teacher)
		return recipients{users: users, topics: eachOne(users, notification.TeacherTopic)}, err
	case Drivers:
		users, err := usersOf(ctx, q, actor.Driver)
		return recipients{users: users, topics: eachOne(users, notification.DriverTopic)}, err
	}
	families, err := familiesOf(ctx, q, a)
	if err != nil {
		return recipients{}, err
	}
	teachers, err := teachersOf(ctx, q, a)
	return recipients{append(families.users, teachers...), append(families.topics, eachOne(teachers, notification.TeacherTopic)...),
		families.others}, err
}

func eachOne(users []id.ID, name func(id.ID) string) []topic {
	out := make([]topic, len(users))
	for i, u := range users {
		out[i].name, out[i].users = name(u), []id.ID{u}
	}
	return out
}

func usersOf(ctx context.Context, q db.Q, roles ...actor.Role) ([]id.ID, error) {
	users, err := db.All[id.ID](ctx, q, `
		SELECT id FROM users WHERE school_id = :school AND status = 'ACTIVE' AND role IN (:roles) ORDER BY id`, db.Args{"roles": roles})
	if err != nil {
		return nil, fmt.Errorf("read recipients: %w", err)
	}
	return users, nil
}

// familiesOf returns the parents of all students, or of those in the announcement's
// classes and divisions. The topic of a student reaches all of the student's parents,
// so siblings with the same parents need only one.
func familiesOf(ctx context.Context, q db.Q, a Announcement) (recipients, error) {
	type link struct{ StudentID, GuardianID, UserID id.ID }
	c := recipients{others: map[id.ID][]id.ID{}}
	told := map[id.ID]bool{}
	err := db.Each(ctx, q, `
		SELECT l.student_id, l.guardian_id, g.user_id FROM students s
		JOIN student_guardians l ON l.school_id = s.school_id AND l.student_id = s.id AND l.can_view_data
		JOIN guardians g ON g.school_id = l.school_id AND g.id = l.guardian_id
		LEFT JOIN users u ON u.school_id = g.school_id AND u.id = g.user_id
		WHERE s.school_id = :school AND s.archived_at IS NULL AND s.status = 'ACTIVE' AND (g.user_id IS NULL OR u.status = 'ACTIVE')`+
		db.When(a.Audience == Classes, ` AND s.class_id IN (:classes)`)+
		db.When(a.Audience == Divisions, ` AND s.division_id IN (:divisions)`)+`
		ORDER BY l.student_id, g.user_id`, db.Args{"classes": a.ClassIDs, "divisions": a.DivisionIDs}, func(l link) error {
		if told[l.GuardianID] {
			return nil
		}
		told[l.GuardianID] = true
		if l.UserID == "" {
			c.others[l.StudentID] = append(c.others[l.StudentID], l.GuardianID)
			return nil
		}
		c.users = append(c.users, l.UserID)
		if n := len(c.topics); n == 0 || c.topics[n-1].student != l.StudentID {
			c.topics = append(c.topics, topic{name: notification.StudentTopic(l.StudentID), student: l.StudentID})
		}
		last := &c.topics[len(c.topics)-1]
		last.users = append(last.users, l.UserID)
		return nil
	})
	if err != nil {
		return c, fmt.Errorf("read recipient parents: %w", err)
	}
	return c, nil
}

// teachersOf returns the teachers of the announcement's classes or divisions.
func teachersOf(ctx context.Context, q db.Q, a Announcement) ([]id.ID, error) {
	where := `a.class_id IN (:classes)`
	if a.Audience == Divisions {
		where = `EXISTS (SELECT 1 FROM divisions d WHERE d.school_id = a.school_id AND d.id IN (:divisions) AND d.class_id = a.class_id
			AND (a.division_id IS NULL OR a.division_id = d.id))`
	}
	users, err := db.All[id.ID](ctx, q, `
		SELECT u.id FROM users u
		WHERE u.school_id = :school AND u.status = 'ACTIVE' AND u.role = 'TEACHER' AND u.id <> :author AND u.id IN (
			SELECT e.user_id `+assigned+` WHERE a.school_id = :school AND `+where+`)
		ORDER BY u.id`, db.Args{"classes": a.ClassIDs, "divisions": a.DivisionIDs, "author": a.CreatedBy})
	if err != nil {
		return nil, fmt.Errorf("read recipient teachers: %w", err)
	}
	return users, nil
}

// reader is a user with the audiences, classes and divisions to read for.
type reader struct {
	user      id.ID
	audiences []Audience
	classes   []id.ID
	divisions []id.ID
}

var errNoReader = fault.Denied("Only parents, teachers and drivers can read announcements here.")

// readerOf returns the caller's audiences, classes and divisions.
func readerOf(ctx context.Context, q db.Q, who actor.Actor) (reader, error) {
	r := reader{user: who.User, classes: []id.ID{}, divisions: []id.ID{}}
	sql := ""
	switch who.Role {
	case actor.Parent:
		r.audiences, sql = []Audience{All, Parents}, `
			SELECT DISTINCT s.class_id, s.division_id FROM guardians g
			JOIN student_guardians l ON l.school_id = g.school_id AND l.guardian_id = g.id AND l.can_view_data
			JOIN students s ON s.school_id = l.school_id AND s.id = l.student_id AND s.archived_at IS NULL AND s.status = 'ACTIVE'
			WHERE g.school_id = :school AND g.user_id = :user AND s.class_id IS NOT NULL`
	case actor.Teacher:
		r.audiences, sql = []Audience{All, Teachers}, `
			SELECT DISTINCT a.class_id, d.id AS division_id `+taughtBy+`
			LEFT JOIN divisions d ON d.school_id = a.school_id AND d.class_id = a.class_id AND (a.division_id IS NULL OR d.id = a.division_id)
			WHERE a.school_id = :school`
	case actor.Driver:
		r.audiences = []Audience{All, Drivers}
		return r, nil
	default:
		return r, errNoReader
	}
	type seat struct{ ClassID, DivisionID id.ID }
	err := db.Each(ctx, q, sql, db.Args{"user": who.User}, func(at seat) error {
		r.classes = append(r.classes, at.ClassID)
		if at.DivisionID != "" {
			r.divisions = append(r.divisions, at.DivisionID)
		}
		return nil
	})
	if err != nil {
		return r, fmt.Errorf("read classes of reader: %w", err)
	}
	return r, nil
}
