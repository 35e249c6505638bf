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
	errParentWrites = fault.Denied("Parents can write to the teachers of their children and to the school office.")
	errTeachWrites  = fault.Denied("Teachers can write to the parents of their students and to the school office.")
	errDriverWrites = fault.Denied("Drivers can write to the school office.")
	errOfficeWrites = fault.Denied("The office can write to parents, teachers and drivers.")
	errClosed       = fault.Denied("This account is closed, so nobody would read the message. You can still read earlier messages.")
	errLeft         = fault.Denied("This student has left the school. You can still read earlier messages, and write to the school office.")
	errUnlinked     = fault.Denied("This parent has no access to this student. You can still read earlier messages.")
	errNotTaught    = fault.Denied("This teacher does not teach this student this year. You can still read earlier messages. " +
		"Write to a current teacher or to the school office.")
	errNoneShared = fault.Denied("This teacher teaches none of this parent's children this year.")
)

// pair is the two sides of a conversation and its student, as in message_threads.
type pair struct {
	UserID    id.ID
	PeerID    id.ID
	StudentID *id.ID
}

// lock locks the conversations of an account until tx ends: concurrent first messages share one conversation, and
// accounts that are merged get no further message meanwhile.
func lock(ctx context.Context, tx *db.Tx, user id.ID) error {
	return fault.Wrap("lock conversations", tx.Lock(ctx, "message/"+user.String()))
}

// lock locks the conversations of the account, and keeps the student from being erased until tx ends: what erases the
// texts would not see the new one.
func (p pair) lock(ctx context.Context, tx *db.Tx) error {
	if err := lock(ctx, tx, p.UserID); err != nil || p.StudentID == nil {
		return err
	}
	_, err := db.All[id.ID](ctx, tx, `SELECT id FROM students WHERE school_id = :school AND id = :student`+db.ForShare(tx),
		db.Args{"student": p.StudentID})
	return fault.Wrap("lock the student of a message", err)
}

// other returns the other side.
func (p pair) other(side id.ID) id.ID {
	if side == p.UserID {
		return p.PeerID
	}
	return p.UserID
}

// relation is the current state of both sides and the student of a pair.
type relation struct {
	SchoolName   string
	UserName     string
	UserRole     actor.Role
	UserActive   bool
	PeerName     string // of the teacher
	PeerRole     actor.Role
	PeerActive   bool
	StudentName  string
	StudentKnown bool // the student exists, or none is set
	StudentHere  bool
	Linked       bool // the user is a parent who may see the student
	Taught       bool // the teacher teaches the student this year
}

// seat joins to students s the employees e who teach their class.
const seat = `
	JOIN teacher_assignments a ON a.school_id = s.school_id AND a.class_id = s.class_id
		AND (a.division_id IS NULL OR a.division_id = s.division_id)
	JOIN employees e ON e.school_id = a.school_id AND e.id = a.employee_id AND e.archived_at IS NULL AND e.status <> 'RESIGNED'`

// children joins to guardians g the students s whom they may see.
const children = `
	JOIN student_guardians l ON l.school_id = g.school_id AND l.guardian_id = g.id AND l.can_view_data
	JOIN students s ON s.school_id = l.school_id AND s.id = l.student_id AND s.archived_at IS NULL AND s.status = 'ACTIVE'`

const relationSQL = `
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

// readRelation reads the relation of a pair.
func readRelation(ctx context.Context, q db.Q, school id.ID, p pair) (relation, error) {
	teacher := p.PeerID
	if teacher == school {
		teacher = p.UserID
	}
	st, err := db.One[relation](ctx, q, relationSQL,
		db.Args{"user": p.UserID, "peer": p.PeerID, "student": p.StudentID, "teacher": teacher})
	if err != nil {
		return st, fmt.Errorf("read the relation of two sides: %w", err)
	}
	if p.StudentID == nil {
		st.StudentKnown = true
	}
	return st, nil
}

// mayWrite returns nil if who may write to the other side now, or an error that says
// why not.
func (st relation) mayWrite(who actor.Actor, p pair) error {
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

// pairOf returns the pair of a first message. It fills in the student if only one is
// possible.
func pairOf(ctx context.Context, q db.Q, who actor.Actor, recipient id.ID, student *id.ID) (pair, error) {
	p, role, err := sidesOf(ctx, q, who, recipient)
	if err != nil {
		return p, err
	}
	p.StudentID = student
	switch {
	case student != nil && role == actor.Driver:
		return p, fault.OnField("studentId", "can't be combined with a driver")
	case student != nil || role == actor.Driver:
		return p, nil
	case p.PeerID != who.School:
		return p, p.findStudent(ctx, q)
	case role == actor.Parent:
		return p, p.findChild(ctx, q)
	}
	return p, nil
}

// sidesOf returns the sides, and the role of the account.
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

// findStudent fills in the only student that the parent and the teacher share.
func (p *pair) findStudent(ctx context.Context, q db.Q) error {
	students, err := db.All[id.ID](ctx, q, `
		SELECT DISTINCT s.id FROM guardians g `+children+seat+`
		WHERE g.school_id = :school AND g.user_id = :user AND e.user_id = :teacher ORDER BY s.id LIMIT 2`,
		db.Args{"user": p.UserID, "teacher": p.PeerID})
	switch {
	case err != nil:
		return fmt.Errorf("find the student of a message: %w", err)
	case len(students) == 0:
		return errNoneShared
	case len(students) > 1:
		return fault.OnField("studentId", "is required: this parent has several children with this teacher")
	}
	p.StudentID = &students[0]
	return nil
}

// findChild fills in a parent's only child. With several, a message with the office
// may be about none.
func (p *pair) findChild(ctx context.Context, q db.Q) error {
	students, err := db.All[id.ID](ctx, q, `
		SELECT s.id FROM guardians g `+children+`
		WHERE g.school_id = :school AND g.user_id = :user ORDER BY s.id LIMIT 2`, db.Args{"user": p.UserID})
	if err != nil {
		return fmt.Errorf("find the student of a message: %w", err)
	}
	if len(students) == 1 {
		p.StudentID = &students[0]
	}
	return nil
}
