package message

import (
	"context"
	"fmt"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

var (
	errNoRecipient  = fault.Missing("recipient")
	errParentWrites = fault.Denied("Parents write to the teachers of their children and to the school office. See message/recipients.")
	errTeachWrites  = fault.Denied("Teachers write to the parents of their students and to the school office. See message/recipients.")
	errDriverWrites = fault.Denied("Drivers write to the school office. Its id is the school's.")
	errOfficeWrites = fault.Denied("The office writes to parents, teachers and drivers.")
	errClosed       = fault.Denied("This account is closed, so that nobody would read the message. What was written before can still be read.")
	errLeft         = fault.Denied("This student has left the school. What was written can still be read; write to the school office about anything else.")
	errUnlinked     = fault.Denied("This parent is not linked to this student, or may not see it any more. What was written can still be read.")
	errNotTaught    = fault.Denied("This teacher does not teach this student in the current academic year. What was written can still be read; write to the school office or to the teachers of now.")
	errNoneShared   = fault.Denied("This teacher teaches none of this parent's children in the current academic year.")
)

// pair is the two sides of a conversation and whom it is about, as message_threads
// has them.
type pair struct {
	UserID    id.ID
	PeerID    id.ID
	StudentID *id.ID
}

// key names the pair for a lock.
func (p pair) key() string {
	about := id.ID("-")
	if p.StudentID != nil {
		about = *p.StudentID
	}
	return fmt.Sprintf("message/%s/%s/%s", p.UserID, p.PeerID, about)
}

// other is the side that is not this one.
func (p pair) other(side id.ID) id.ID {
	if side == p.UserID {
		return p.PeerID
	}
	return p.UserID
}

// standing is how the two sides of a pair and its student stand now.
type standing struct {
	SchoolName   string
	UserName     string
	UserRole     actor.Role
	UserActive   bool
	PeerName     string // of a teacher
	PeerRole     actor.Role
	PeerActive   bool
	StudentName  string
	StudentKnown bool // there is such a student, or none is asked for
	StudentHere  bool
	Linked       bool // the user is a parent who may see the student
	Taught       bool // the teacher of the two teaches the student this year
}

// seat joins to the student s where it sits in the current academic year, and to
// that the employees e who teach there.
const seat = `
	JOIN academic_years y ON y.school_id = s.school_id AND y.is_current
	JOIN enrolments n ON n.school_id = s.school_id AND n.student_id = s.id AND n.academic_year_id = y.id
	JOIN teacher_assignments a ON a.school_id = n.school_id AND a.class_id = n.class_id
		AND (a.division_id IS NULL OR a.division_id = n.division_id)
	JOIN employees e ON e.school_id = a.school_id AND e.id = a.employee_id AND e.archived_at IS NULL AND e.status <> 'RESIGNED'`

// children joins to the guardian g the students s whom it may see.
const children = `
	JOIN student_guardians l ON l.school_id = g.school_id AND l.guardian_id = g.id AND l.can_view_data
	JOIN students s ON s.school_id = l.school_id AND s.id = l.student_id AND s.archived_at IS NULL AND s.status = 'ACTIVE'`

const standingSQL = `
	SELECT c.name AS school_name, u.name AS user_name, u.role AS user_role, u.status = 'ACTIVE' AS user_active,
		COALESCE(p.name, '') AS peer_name, COALESCE(p.role, '') AS peer_role, COALESCE(p.status, '') = 'ACTIVE' AS peer_active,
		COALESCE(TRIM(s.first_name || ' ' || s.last_name), '') AS student_name,
		s.id IS NOT NULL AND s.archived_at IS NULL AS student_known,
		COALESCE(s.status, '') = 'ACTIVE' AND s.archived_at IS NULL AS student_here,
		EXISTS (SELECT 1 FROM guardians g
			JOIN student_guardians l ON l.school_id = g.school_id AND l.guardian_id = g.id AND l.can_view_data
			WHERE g.school_id = :school AND g.user_id = :user AND l.student_id = :student) AS linked,
		EXISTS (SELECT 1 FROM students s ` + seat + `
			WHERE s.school_id = :school AND s.id = :student AND e.user_id = :teacher) AS taught
	FROM users u JOIN schools c ON c.id = u.school_id
	LEFT JOIN users p ON p.school_id = u.school_id AND p.id = :peer
	LEFT JOIN students s ON s.school_id = u.school_id AND s.id = :student
	WHERE u.school_id = :school AND u.id = :user`

// stand reads how a pair stands.
func stand(ctx context.Context, q db.Q, school id.ID, p pair) (standing, error) {
	teacher := p.PeerID
	if teacher == school {
		teacher = p.UserID
	}
	st, err := db.One[standing](ctx, q, standingSQL,
		db.Args{"user": p.UserID, "peer": p.PeerID, "student": p.StudentID, "teacher": teacher})
	if err != nil {
		return st, fmt.Errorf("read how two sides stand: %w", err)
	}
	if p.StudentID == nil {
		st.StudentKnown = true
	}
	return st, nil
}

// mayWrite is nil where who, of one side, may write to the other now, and else
// the fault that says why not.
func (st standing) mayWrite(who actor.Actor, p pair) error {
	office := p.PeerID == who.School
	switch {
	case !st.UserActive, !office && !st.PeerActive, !office && st.PeerRole != actor.Teacher, !office && st.UserRole != actor.Parent:
		return errClosed
	case office && st.UserRole != actor.Parent && st.UserRole != actor.Teacher && st.UserRole != actor.Driver:
		return errClosed
	case p.StudentID == nil:
		return nil
	case !st.StudentHere:
		return errLeft
	case st.UserRole == actor.Parent && !st.Linked:
		return either(who.Role == actor.Parent, people.ErrNotLinked, errUnlinked)
	case (!office || st.UserRole == actor.Teacher) && !st.Taught:
		return either(who.Role == actor.Teacher, academics.ErrNotAssigned, errNotTaught)
	}
	return nil
}

func either(first bool, a, b *fault.Fault) *fault.Fault {
	if first {
		return a
	}
	return b
}

// pairOf finds the sides of a first message to a recipient, and whom it is about
// where only one student comes into question.
func pairOf(ctx context.Context, q db.Q, who actor.Actor, recipient id.ID, student *id.ID) (pair, error) {
	p, role, err := sidesOf(ctx, q, who, recipient)
	if err != nil {
		return p, err
	}
	p.StudentID = student
	switch {
	case student != nil && role == actor.Driver:
		return p, fault.OnField("studentId", "does not go with a driver: leave it out")
	case student != nil || role == actor.Driver:
		return p, nil
	case p.PeerID != who.School:
		return p, p.findStudent(ctx, q)
	case role == actor.Parent:
		return p, p.findChild(ctx, q)
	}
	return p, nil
}

// sidesOf finds the sides, and the role of the one that is a person.
func sidesOf(ctx context.Context, q db.Q, who actor.Actor, recipient id.ID) (pair, actor.Role, error) {
	if recipient == who.School {
		if who.Role == actor.SchoolAdmin {
			return pair{}, "", errOfficeWrites
		}
		return pair{UserID: who.User, PeerID: who.School}, who.Role, nil
	}
	role, err := db.One[actor.Role](ctx, q, `
		SELECT role FROM users WHERE school_id = :school AND id = :id AND status <> 'DELETED'`, db.Args{"id": recipient})
	if err != nil {
		return pair{}, "", db.Found("read recipient", err, errNoRecipient)
	}
	switch {
	case who.Role == actor.Parent && role == actor.Teacher:
		return pair{UserID: who.User, PeerID: recipient}, actor.Parent, nil
	case who.Role == actor.Parent:
		return pair{}, "", errParentWrites
	case who.Role == actor.Teacher && role == actor.Parent:
		return pair{UserID: recipient, PeerID: who.User}, actor.Parent, nil
	case who.Role == actor.Teacher:
		return pair{}, "", errTeachWrites
	case who.Role == actor.SchoolAdmin && (role == actor.Parent || role == actor.Teacher || role == actor.Driver):
		return pair{UserID: recipient, PeerID: who.School}, role, nil
	case who.Role == actor.SchoolAdmin:
		return pair{}, "", errOfficeWrites
	}
	return pair{}, "", errDriverWrites
}

// findStudent fills in the one student whom a parent has and a teacher teaches.
func (p *pair) findStudent(ctx context.Context, q db.Q) error {
	students, err := db.All[id.ID](ctx, q, `
		SELECT DISTINCT s.id FROM guardians g `+children+seat+`
		WHERE g.school_id = :school AND g.user_id = :user AND e.user_id = :teacher ORDER BY s.id LIMIT 2`,
		db.Args{"user": p.UserID, "teacher": p.PeerID})
	switch {
	case err != nil:
		return fmt.Errorf("find whom a message is about: %w", err)
	case len(students) == 0:
		return errNoneShared
	case len(students) > 1:
		return fault.OnField("studentId", "is required: this parent has more than one child whom this teacher teaches")
	}
	p.StudentID = &students[0]
	return nil
}

// findChild fills in a parent's only child. With several, a message to or from
// the office that names none is about none in particular.
func (p *pair) findChild(ctx context.Context, q db.Q) error {
	students, err := db.All[id.ID](ctx, q, `
		SELECT s.id FROM guardians g `+children+`
		WHERE g.school_id = :school AND g.user_id = :user ORDER BY s.id LIMIT 2`, db.Args{"user": p.UserID})
	if err != nil {
		return fmt.Errorf("find whom a message is about: %w", err)
	}
	if len(students) == 1 {
		p.StudentID = &students[0]
	}
	return nil
}
