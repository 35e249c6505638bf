package notification

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify"
)

// What is said of a student is for those who may see it. The right is looked at
// when an entry of the log is read and, again, when a message leaves: it may have
// ended since it was written. Entries come back when the right does.

// seers selects the pairs (user_id, student_id) of the accounts :users and the
// students whom they may see. Drivers see none in their log.
const seers = people.SeenByParents + ` UNION ALL ` + academics.SeenByTeachers

// visible holds for the entries n, of the accounts :users, that their owners may
// see: about no student, or about one whom they may see. Administrators see all.
const visible = `(n.student_id IS NULL OR (n.user_id, n.student_id) IN (` + seers + `)
	OR n.user_id IN (SELECT u.id FROM users u WHERE u.school_id = :school AND u.id IN (:users) AND u.role = 'SCHOOL_ADMIN'))`

// Lapsed names the messages that may not be sent any more: to a device that is
// signed out or another's by now, to an account that is closed, about a student
// whom nobody of those it is for may see, or of a school that is suspended.
func (s *Service) Lapsed(ctx context.Context, at id.ID, some []notify.Message) (map[id.ID]bool, error) {
	q, lapsed := s.DB.School(at), map[id.ID]bool{}
	sch, err := school.Get(ctx, q)
	if err != nil {
		return nil, err
	}
	r, err := s.readRights(ctx, q, some)
	if err != nil {
		return nil, err
	}
	for _, m := range some {
		if sch.Status != school.Active || !r.hold(m) {
			lapsed[m.ID] = true
		}
	}
	return lapsed, nil
}

// holder is whom a message is for: an account, a phone, an e-mail or a device, and
// the student or account that goes with it.
type holder struct {
	who string
	of  id.ID
}

// rights are those of whom a few messages are for.
type rights struct {
	active  map[id.ID]actor.Role // accounts
	devices map[holder]bool      // tokens, and whose they are
	sees    map[holder]bool      // accounts, phones and e-mails, and the students whom they may see
	seen    map[id.ID]bool       // students whom anyone's app may show
	closed  map[id.ID]bool       // students whose topics are used no more
}

// right is a row of what rights are read from.
type right struct {
	UserID, StudentID   id.ID
	Role                actor.Role
	Phone, Email, Token string
}

func (s *Service) readRights(ctx context.Context, q db.Q, some []notify.Message) (rights, error) {
	r := rights{map[id.ID]actor.Role{}, map[holder]bool{}, map[holder]bool{}, map[id.ID]bool{}, nil}
	users, students, tokens := named(some)
	for _, part := range []struct {
		asked int
		sql   string
		args  db.Args
		keep  func(right)
	}{
		{len(users), `SELECT id AS user_id, role FROM users WHERE school_id = :school AND id IN (:users) AND status = 'ACTIVE'`,
			db.Args{"users": users}, func(f right) { r.active[f.UserID] = f.Role }},
		{len(tokens), `SELECT d.user_id, d.token FROM ` + liveDevices + ` WHERE d.school_id = :school AND d.token IN (:tokens)`,
			db.Args{"tokens": tokens, "now": s.Now()}, func(f right) { r.devices[holder{f.Token, f.UserID}] = true }},
		{min(len(users), len(students)), `SELECT p.user_id, p.student_id FROM (` + seers + `) p WHERE p.student_id IN (:students)`,
			db.Args{"users": users, "students": students}, func(f right) { r.sees[holder{f.UserID.String(), f.StudentID}] = true }},
		{len(students), kin, db.Args{"students": students}, func(f right) {
			r.sees[holder{f.Phone, f.StudentID}] = true
			r.sees[holder{strings.ToLower(f.Email), f.StudentID}] = true
			r.seen[f.StudentID] = r.seen[f.StudentID] || f.UserID != ""
		}},
	} {
		if part.asked == 0 {
			continue
		}
		if err := db.Each(ctx, q, part.sql, part.args, func(f right) error { part.keep(f); return nil }); err != nil {
			return r, fmt.Errorf("read who may still be told: %w", err)
		}
	}
	var err error
	r.closed, err = closedTopics(ctx, q, students)
	return r, err
}

// named are the accounts, students and devices of messages.
func named(some []notify.Message) (users, students []id.ID, tokens []string) {
	for _, m := range some {
		if u := addressee(m); u != "" {
			users = append(users, u)
		}
		if st := studentOf(m); st != "" {
			students = append(students, st)
		}
		if m.Device {
			tokens = append(tokens, m.To)
		}
	}
	return users, students, tokens
}

// kin selects how those are reached who may see the :students, and their accounts
// if they can be used.
const kin = `
	SELECT l.student_id, g.phone, g.email, u.id AS user_id FROM student_guardians l
	JOIN guardians g ON g.school_id = l.school_id AND g.id = l.guardian_id
	JOIN students s ON s.school_id = l.school_id AND s.id = l.student_id AND s.archived_at IS NULL
	LEFT JOIN users u ON u.school_id = g.school_id AND u.id = g.user_id AND u.status = 'ACTIVE'
	WHERE l.school_id = :school AND l.student_id IN (:students) AND l.can_view_data`

// hold reports whether the message may be sent.
func (r rights) hold(m notify.Message) bool {
	user, student := addressee(m), studentOf(m)
	switch {
	case user != "" && r.active[user] == "":
		return false
	case m.Device && !r.devices[holder{m.To, user}]:
		return false
	case student == "":
		return true
	case m.Channel != notify.Push: // a guardian need not have an account
		return r.sees[holder{strings.ToLower(m.To), student}]
	case user != "":
		return r.active[user] == actor.SchoolAdmin || r.sees[holder{user.String(), student}]
	}
	return r.seen[student] && !r.closed[student]
}

func studentOf(m notify.Message) id.ID { return id.ID(m.Data["studentId"]) }

// addressee is the account that a message is for, if it is for one.
func addressee(m notify.Message) id.ID {
	if m.User != "" || m.Channel != notify.Push || m.Device {
		return m.User
	}
	for _, topic := range []string{"teacher_", "driver_"} {
		if user, ok := strings.CutPrefix(m.To, topic); ok {
			return id.ID(user)
		}
	}
	return ""
}

// closedTopics are those of the students whose topics are used no more.
func closedTopics(ctx context.Context, q db.Q, students []id.ID) (map[id.ID]bool, error) {
	students = slices.DeleteFunc(students, func(st id.ID) bool { return st == "" })
	closed := map[id.ID]bool{}
	if len(students) == 0 {
		return closed, nil
	}
	err := db.Each(ctx, q, `SELECT student_id FROM closed_topics WHERE school_id = :school AND student_id IN (:students)`,
		db.Args{"students": students}, func(st id.ID) error {
			closed[st] = true
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("read which topics are closed: %w", err)
	}
	return closed, nil
}
