package message

import (
	"context"
	"fmt"
	"strings"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

// Recipient is someone the caller may write to.
type Recipient struct {
	Party
	Students []About `json:"students" db:"-" doc:"Students that a message may be about. If there are several, set studentId (optional for the office)."`
}

// About is a student.
type About struct {
	ID   id.ID  `json:"id"`
	Name string `json:"name"`
}

// recipientFilter filters a list of recipients.
type recipientFilter struct {
	student *id.ID
	search  string // a LIKE pattern
	role    Role
}

const studentName = `TRIM(s.first_name || ' ' || s.last_name)`

const onlyOffice = `SELECT c.id, c.name, 'OFFICE' AS role, 0 AS place FROM schools c WHERE c.id = :school`

// withOffice lists the office first, then the accounts selected by %s.
const withOffice = `(` + onlyOffice + ` UNION ALL SELECT u.id, u.name, u.role, 1 FROM users u
		WHERE u.school_id = :school AND u.status = 'ACTIVE' AND u.id IN (%s)) AS r WHERE 0 = 0`

// personSorts are the sort keys of such a list; the office stays first.
var personSorts = map[string]string{"name": "r.place, r.name", "id": "r.id"}

// Recipients of a parent (employees e) and of a teacher (guardians g), with the
// students s that they share.
const (
	ofParent  = `FROM guardians g ` + children + seat + ` WHERE g.school_id = :school AND g.user_id = :user`
	ofTeacher = `FROM employees me
		JOIN teacher_assignments a ON a.school_id = me.school_id AND a.employee_id = me.id
		JOIN students s ON s.school_id = a.school_id AND s.class_id = a.class_id AND (a.division_id IS NULL OR a.division_id = s.division_id)
			AND s.archived_at IS NULL AND s.status = 'ACTIVE'
		JOIN student_guardians l ON l.school_id = s.school_id AND l.student_id = s.id AND l.can_view_data
		JOIN guardians g ON g.school_id = l.school_id AND g.id = l.guardian_id AND g.user_id IS NOT NULL
		WHERE me.school_id = :school AND me.user_id = :user AND me.archived_at IS NULL AND me.status <> 'RESIGNED'`
)

// childrenOfAccounts uses CROSS JOIN to make SQLite start with the accounts, whose
// number it overestimates.
const childrenOfAccounts = `SELECT g.user_id AS recipient, s.id, ` + studentName + ` AS name
	FROM guardians g CROSS JOIN student_guardians l CROSS JOIN students s
	WHERE g.school_id = :school AND g.user_id IN (:ids)
		AND l.school_id = g.school_id AND l.guardian_id = g.id AND l.can_view_data
		AND s.school_id = l.school_id AND s.id = l.student_id AND s.archived_at IS NULL AND s.status = 'ACTIVE'`

// accountPattern is a LIKE pattern for accounts, whose search column is lower-case
// but not folded like that of students.
func accountPattern(part string) string {
	return db.Contains(strings.ToLower(strings.TrimSpace(part)))
}

// searched is what a search for accounts u looks in. Whoever may not read students finds nobody by a phone or an e-mail
// address.
func searched(who actor.Actor) string {
	if who.Can("student", actor.Read) {
		return `u.search`
	}
	return `REPLACE(REPLACE(u.search, COALESCE(u.phone, ''), ''), LOWER(COALESCE(u.email, '')), '')`
}

// Recipients lists whom the caller may write to, by name.
func (s *Service) Recipients(ctx context.Context, who actor.Actor, f recipientFilter, r page.Request) (page.Of[Recipient], error) {
	q := s.DB.School(who.School)
	if f.student != nil {
		if err := mustKnow(ctx, q, who, *f.student); err != nil {
			return page.Of[Recipient]{}, err
		}
	}
	out, err := listRecipients(ctx, q, who, f, r)
	if err != nil {
		return out, err
	}
	return out, addStudents(ctx, q, who, out.Items)
}

func listRecipients(ctx context.Context, q db.Q, who actor.Actor, f recipientFilter, r page.Request) (page.Of[Recipient], error) {
	about := db.When(f.student != nil, ` AND s.id = :student`)
	l := db.List{Columns: `r.id, r.name, r.role`, Sorts: personSorts, Default: "name"}
	a := db.Args{"student": f.student, "search": f.search, "role": f.role}
	switch who.Role {
	case actor.Parent:
		a["user"] = who.User
		l.From = fmt.Sprintf(withOffice, `SELECT e.user_id `+ofParent+about)
	case actor.Teacher:
		a["user"] = who.User
		l.From = fmt.Sprintf(withOffice, `SELECT g.user_id `+ofTeacher+about) +
			db.When(f.search != "", ` AND r.id IN (
				SELECT u.id FROM users u WHERE u.school_id = :school AND `+searched(who)+` LIKE :search ESCAPE '\')`)
	case actor.Driver:
		l.From = `(` + onlyOffice + `) AS r WHERE 0 = 0`
	default:
		l.Columns, l.Sorts = `u.id, u.name, u.role`, map[string]string{"name": "u.name", "id": "u.id"}
		l.From = `users u WHERE u.school_id = :school AND u.status = 'ACTIVE'` +
			db.When(f.role == "", ` AND u.role IN ('PARENT', 'TEACHER', 'DRIVER')`) +
			db.When(f.role != "", ` AND u.role = :role`) +
			db.When(f.search != "", ` AND `+searched(who)+` LIKE :search ESCAPE '\'`) +
			db.When(f.student != nil, ` AND (u.id IN (SELECT g.user_id FROM guardians g `+children+` WHERE g.school_id = :school AND s.id = :student)
				OR u.id IN (SELECT e.user_id FROM students s `+seat+` WHERE s.school_id = :school AND s.id = :student))`)
	}
	return db.Page[Recipient](ctx, q, l, r, a)
}

// addStudents fills in the students that messages to the recipients may be about.
func addStudents(ctx context.Context, q db.Q, who actor.Actor, all []Recipient) error {
	by, ids := map[id.ID]*Recipient{}, make([]id.ID, len(all))
	for i := range all {
		all[i].Students = []About{}
		by[all[i].ID], ids[i] = &all[i], all[i].ID
	}
	a := db.Args{"ids": ids}
	sql := childrenOfAccounts
	switch who.Role {
	case actor.Parent:
		a["user"] = who.User
		sql = `SELECT DISTINCT e.user_id AS recipient, s.id, ` + studentName + ` AS name ` + ofParent + ` AND e.user_id IN (:ids)`
	case actor.Teacher:
		a["user"] = who.User
		sql = `SELECT DISTINCT g.user_id AS recipient, s.id, ` + studentName + ` AS name ` + ofTeacher + ` AND g.user_id IN (:ids)`
	case actor.Driver:
		return nil
	}
	type link struct {
		Recipient id.ID
		About
	}
	err := db.Each(ctx, q, sql+` ORDER BY name, s.id`, a, func(l link) error {
		r := by[l.Recipient]
		r.Students = append(r.Students, l.About)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the students of recipients: %w", err)
	}
	return nil
}
