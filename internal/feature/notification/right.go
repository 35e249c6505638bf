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
	"homeroom/internal/platform/notify/webpush"
)

// Only users who may see a student get notifications about it. The permission is
// checked when the log is read, and again just before a message is sent: it may have
// ended since. Log entries reappear when the permission returns.

// seers selects (user_id, student_id) for the accounts :users and the students they
// may see. Drivers see none in their log.
const seers = people.SeenByParents + ` UNION ALL ` + academics.SeenByTeachers

// visible is the condition of the entries n that their owners (:users) may see: not
// withdrawn, and about no student, or about one they may see. Administrators see all students.
const visible = `NOT n.withdrawn AND (n.student_id IS NULL OR (n.user_id, n.student_id) IN (` + seers + `)
	OR n.user_id IN (SELECT u.id FROM users u WHERE u.school_id = :school AND u.id IN (:users) AND u.role = 'SCHOOL_ADMIN'))`

// Lapsed returns the messages that may not be sent any more: the device is signed out
// or another account's, the account is disabled, the recipient may no longer see the
// student, has lost the permission of a notice to the office, is no longer an emergency
// contact or of the announcement's audience, the news was recalled, or the school is suspended. It changes a digest to
// the news that is left.
func (s *Service) Lapsed(ctx context.Context, at id.ID, some []notify.Message) (map[id.ID]bool, error) {
	var alone []notify.Message
	for _, m := range some {
		alone = append(alone, split(m)...)
	}
	over, err := s.lapsed(ctx, at, alone)
	if err != nil {
		return nil, err
	}
	lapsed := map[id.ID]bool{}
	for i, m := range some {
		switch left := slices.DeleteFunc(split(m), func(one notify.Message) bool { return over[one.ID] }); {
		case len(left) == 0:
			lapsed[m.ID] = true
		case m.Data[tallied] != "":
			some[i] = sum(m, left)
		}
	}
	return lapsed, nil
}

func (s *Service) lapsed(ctx context.Context, at id.ID, some []notify.Message) (map[id.ID]bool, error) {
	q, lapsed := s.DB.School(at), map[id.ID]bool{}
	sch, err := school.Get(ctx, q)
	if err != nil {
		return nil, err
	}
	r, err := s.readRights(ctx, q, some)
	if err != nil {
		return nil, err
	}
	gone, err := s.recalled(ctx, q, some)
	if err != nil {
		return nil, err
	}
	for _, c := range sch.EmergencyContacts {
		r.contacts[c.Phone], r.contacts[strings.ToLower(string(c.Email))] = true, true
	}
	for _, m := range some {
		if sch.Status != school.Active || gone[m.ID] || !r.allow(m) {
			lapsed[m.ID] = true
		}
	}
	return lapsed, nil
}

// holder is a map key: an account, phone, e-mail or device, with a student or account.
type holder struct {
	who string
	of  id.ID
}

// rights are the permissions of the recipients of some messages.
type rights struct {
	active  map[id.ID]actor.Role // active accounts
	devices map[holder]bool      // token and account
	sees    map[holder]bool      // account, phone or e-mail, and a student it may see
	seen    map[id.ID]bool       // students that at least one account may see
	closed  map[id.ID]bool       // students whose topics are closed

	addresses map[holder]bool           // phone or e-mail, and account
	contacts  map[string]bool           // phones and e-mails of emergency contacts
	office    map[string]map[id.ID]bool // administrators by permission
}

// right is a row of the queries of readRights.
type right struct {
	UserID, StudentID   id.ID
	Role                actor.Role
	Phone, Email, Token string

	GuardianPhone, GuardianEmail string
}

func (s *Service) readRights(ctx context.Context, q db.Q, some []notify.Message) (rights, error) {
	r := rights{active: map[id.ID]actor.Role{}, devices: map[holder]bool{}, sees: map[holder]bool{}, seen: map[id.ID]bool{},
		addresses: map[holder]bool{}, contacts: map[string]bool{}, office: map[string]map[id.ID]bool{}}
	users, students, tokens := named(some)
	for _, part := range []struct {
		asked int
		sql   string
		args  db.Args
		keep  func(right)
	}{
		{len(users), accounts, db.Args{"users": users}, func(f right) {
			r.active[f.UserID] = f.Role
			for _, address := range []string{f.Phone, f.Email, f.GuardianPhone, f.GuardianEmail} {
				r.addresses[holder{strings.ToLower(address), f.UserID}] = true
			}
		}},
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
			return r, fmt.Errorf("read recipients' permissions: %w", err)
		}
	}
	if err := r.readOffice(ctx, q, some); err != nil {
		return r, err
	}
	var err error
	r.closed, err = closedTopics(ctx, q, students)
	return r, err
}

// readOffice reads who has the permissions that messages to the office need.
func (r rights) readOffice(ctx context.Context, q db.Q, some []notify.Message) error {
	for _, m := range some {
		p := m.Data["permission"]
		if p == "" || r.office[p] != nil {
			continue
		}
		users, err := OfficeUsers(ctx, q, p)
		if err != nil {
			return err
		}
		r.office[p] = map[id.ID]bool{}
		for _, u := range users {
			r.office[p][u] = true
		}
	}
	return nil
}

// named lists the accounts, students and device tokens of messages.
func named(some []notify.Message) (users, students []id.ID, tokens []string) {
	for _, m := range some {
		if u := addressee(m); u != "" {
			users = append(users, u)
		}
		if st := studentOf(m); st != "" {
			students = append(students, st)
		}
		if m.Device {
			tokens = append(tokens, webpush.Endpoint(m.To))
		}
	}
	return users, students, tokens
}

// accounts selects the active accounts :users with their phones and e-mails.
const accounts = `
	SELECT u.id AS user_id, u.role, COALESCE(u.phone, '') AS phone, COALESCE(u.email, '') AS email,
		COALESCE(g.phone, '') AS guardian_phone, COALESCE(g.email, '') AS guardian_email
	FROM users u LEFT JOIN guardians g ON g.school_id = u.school_id AND g.user_id = u.id
	WHERE u.school_id = :school AND u.id IN (:users) AND u.status = 'ACTIVE'`

// kin selects the phone, e-mail and active account of guardians who may see :students.
const kin = `
	SELECT l.student_id, g.phone, g.email, u.id AS user_id FROM student_guardians l
	JOIN guardians g ON g.school_id = l.school_id AND g.id = l.guardian_id
	JOIN students s ON s.school_id = l.school_id AND s.id = l.student_id AND s.archived_at IS NULL
	LEFT JOIN users u ON u.school_id = g.school_id AND u.id = g.user_id AND u.status = 'ACTIVE'
	WHERE l.school_id = :school AND l.student_id IN (:students) AND l.can_view_data`

// allow reports whether the message may still be sent.
func (r rights) allow(m notify.Message) bool {
	user, student, to := addressee(m), studentOf(m), strings.ToLower(m.To)
	switch {
	case user != "" && r.active[user] == "":
		return false
	case m.Device && !r.devices[holder{webpush.Endpoint(m.To), user}]:
		return false
	case m.Channel != notify.Push && user != "" && !r.addresses[holder{to, user}]:
		return false
	case m.Data["permission"] != "": // someone without an account is an emergency contact
		return r.office[m.Data["permission"]][user] || user == "" && r.contacts[to]
	case m.Channel == notify.Push && student == "":
		return true
	case m.Channel == notify.Push && user == "":
		return r.seen[student] && !r.closed[student]
	case student == "":
		return true
	case user == "": // a guardian without an account
		return r.sees[holder{to, student}]
	}
	return r.active[user] == actor.SchoolAdmin || r.sees[holder{user.String(), student}]
}

func studentOf(m notify.Message) id.ID { return id.ID(m.Data["studentId"]) }

// addressee is the account that a message is for; "" if none.
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

// closedTopics returns the students whose topics are closed: a former subscriber may still listen.
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
		return nil, fmt.Errorf("read closed topics: %w", err)
	}
	return closed, nil
}
