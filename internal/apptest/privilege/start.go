package privilege

import (
	"fmt"

	"homeroom/internal/platform/actor"
)

// signIn signs accounts in and decides which ones the attacker holds: those of the
// attacker's own people, and sometimes one whose PIN or password was stolen. It
// records what they can do and see at the start.
func (q *Sequence) signIn() {
	for _, a := range q.accounts {
		switch {
		case a.held && a.role == actor.SchoolAdmin:
			q.byPassword(a)
		case a.held, q.shared(a.person) && q.chance(0.85):
			q.byCode(a)
		}
	}
	if q.chance(0.4) {
		q.steal()
	}
	for _, a := range q.accounts {
		if !a.held || a.role != actor.SchoolAdmin {
			continue
		}
		if q.base[a.school.id] == nil {
			q.base[a.school.id] = power{}
		}
		for module, verbs := range a.grants {
			q.base[a.school.id][module] |= verbs
		}
	}
	for _, a := range q.accounts {
		switch {
		case a.held:
			a.reach = q.reach(q.sessions["of "+a.label])
		case a.role == actor.SchoolAdmin && !within(a.grants, q.base[a.school.id]):
			a.state = q.states(a.school)[a.id]
		}
	}
}

// shared reports whether a person has several accounts.
func (q *Sequence) shared(p *person) bool {
	n := 0
	for _, a := range q.accounts {
		if a.person == p {
			n++
		}
	}
	return n > 1
}

// steal gives the attacker the PIN or the password of a random account, but not
// the messages sent to that person.
func (q *Sequence) steal() {
	a := pick(q.rng, q.accounts)
	if a.held || a == a.school.principal {
		return
	}
	a.held = true
	if a.role == actor.SchoolAdmin && q.chance(0.5) {
		q.secrets["password:"+a.person.label] = password
		q.byPassword(a)
		return
	}
	q.secrets["pin:"+a.label] = stolenPIN
	q.open(a, "/auth/verify-pin", object{"phone": a.person.phone, "pin": stolenPIN, "schoolId": a.school.id, "role": a.role})
}

func (q *Sequence) byPassword(a *account) {
	if a.held {
		q.secrets["password:"+a.person.label] = password
	}
	q.open(a, "/auth/login", object{"email": a.person.email, "password": password})
}

func (q *Sequence) byCode(a *account) {
	if r := q.w.sendCode(q.ctx, "/auth", a.person.phone); !r.ok() {
		panic(setupError{fmt.Errorf("send a code: %d %v", r.status, r.all)})
	}
	q.open(a, "/auth/verify-otp", object{"phone": a.person.phone, "otp": q.w.code(q.ctx, a.person.phone),
		"schoolId": a.school.id, "role": a.role})
}

// open signs an account in and keeps the session.
func (q *Sequence) open(a *account, path string, body object) {
	r := q.w.call(q.ctx, "", "POST", path, body)
	if !r.ok() {
		panic(setupError{fmt.Errorf("sign %s in: %d %v", a.label, r.status, r.all)})
	}
	s := newSession(r, a.held)
	q.keep("of "+a.label, &s)
}

func (q *Sequence) keep(label string, s *session) {
	s.label = label
	if q.sessions[label] == nil {
		q.order = append(q.order, label)
	}
	q.sessions[label] = s
}
