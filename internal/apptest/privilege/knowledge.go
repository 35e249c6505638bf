package privilege

import (
	"slices"
	"strings"

	"homeroom/internal/platform/actor"
)

// The moves with which the attacker signs in: with links, passwords, codes and
// PINs that were sent to, set by or stolen by the attacker, and with sessions.

// useLink sets a password with a link sent to the attacker.
func (q *Sequence) useLink() (m Move, ok bool) {
	for _, label := range sortedKeys(q.pendingLink) {
		if p := q.person(label); p != nil && p.mine {
			delete(q.pendingLink, label)
			return Move{Route: "POST /auth/reset-password", Mine: true, Body: object{"token": ref("link:" + label), "password": newSecret}}, true
		}
	}
	return m, false
}

// logIn tries a password that the attacker knows.
func (q *Sequence) logIn() (m Move, ok bool) {
	var known []string
	for _, key := range sortedKeys(q.secrets) {
		if label, is := strings.CutPrefix(key, "password:"); is {
			known = append(known, label)
		}
	}
	if len(known) == 0 {
		return m, false
	}
	label := pick(q.rng, known)
	if q.justReset != "" {
		label, q.justReset = q.justReset, ""
	}
	return Move{Route: "POST /auth/login", Mine: true,
		Body: object{"email": ref("email:" + label), "password": q.secrets["password:"+label]}}, true
}

// accountOf returns a random account of a person, or nil.
func (q *Sequence) accountOf(p *person) *account {
	all := slices.DeleteFunc(slices.Clone(q.accounts), func(a *account) bool { return a.person != p })
	if len(all) == 0 {
		return nil
	}
	return pick(q.rng, all)
}

// prefixFor returns a sign-in path prefix for a person's accounts.
func (q *Sequence) prefixFor(p *person) string {
	for _, a := range q.accounts {
		if a.person == p && a.role != actor.SchoolAdmin && q.chance(0.4) {
			return "/" + a.role.Prefix() + "/user-auth"
		}
	}
	return "/auth"
}

func (q *Sequence) askCode(whose func(*person) bool) (Move, bool) {
	people := slices.DeleteFunc(slices.Clone(q.people), func(p *person) bool { return !whose(p) })
	p := pick(q.rng, people)
	if puppets := sortedKeys(q.puppets()); p.mine && len(puppets) > 0 && q.chance(0.7) {
		p = q.person(pick(q.rng, puppets))
	}
	return Move{Route: "POST " + q.prefixFor(p) + "/send-otp", Mine: p.mine, Body: object{"phone": ref("phone:" + p.label)}}, true
}

// useCode signs in with a code sent to a person for whom whose is true.
func (q *Sequence) useCode(whose func(*person) bool) (m Move, ok bool) {
	for _, label := range sortedKeys(q.pendingCode) {
		p := q.person(label)
		if p == nil || !whose(p) {
			continue
		}
		delete(q.pendingCode, label)
		body := object{"phone": ref("phone:" + label), "otp": ref("code:" + label)}
		prefix := "/auth"
		if a := q.accountOf(p); a != nil && q.chance(0.6) {
			body["schoolId"], body["role"] = ref("school:"+a.school.label), string(a.role)
			if a.role != actor.SchoolAdmin && q.chance(0.6) {
				prefix = "/" + a.role.Prefix() + "/user-auth"
			}
		}
		return Move{Route: "POST " + prefix + "/verify-otp", Mine: p.mine, Body: body}, true
	}
	return m, false
}

// usePIN signs in with a PIN that the attacker has stolen or set, and sometimes
// tries one on a random account.
func (q *Sequence) usePIN() (m Move, ok bool) {
	a, pin := pick(q.rng, q.accounts), newPIN
	var known []string
	for _, key := range sortedKeys(q.secrets) {
		if label, is := strings.CutPrefix(key, "pin:"); is {
			known = append(known, label)
		}
	}
	switch {
	case len(known) > 0:
		a = q.atStart(pick(q.rng, known))
		pin = q.secrets["pin:"+a.label]
	case q.chance(0.9):
		return m, false
	}
	return Move{Route: "POST " + q.prefixFor(a.person) + "/verify-pin", Mine: true, Body: object{
		"phone": ref("phone:" + a.person.label), "pin": pin,
		"schoolId": ref("school:" + a.school.label), "role": string(a.role)}}, true
}

// askLink requests a password link, mostly for an e-mail address of the attacker.
func (q *Sequence) askLink() (Move, bool) {
	return Move{Route: "POST /auth/forgot-password", Mine: true, Body: object{"email": ref("email:" + q.someone(q.chance(0.8)).label)}}, true
}

// refresh tries to refresh an ended session of the attacker.
func (q *Sequence) refresh() (m Move, ok bool) {
	dead := slices.DeleteFunc(slices.Clone(q.order), func(l string) bool { return !q.sessions[l].mine || !q.sessions[l].dead })
	if len(dead) == 0 {
		return m, false
	}
	return Move{Route: "POST /auth/refresh", Mine: true, Body: object{"refreshToken": ref("refresh:" + pick(q.rng, dead))}}, true
}

// switchOver switches from a session to an account that it lists, or to a random one.
func (q *Sequence) switchOver() (m Move, ok bool) {
	live := q.live("")
	if len(live) == 0 {
		return m, false
	}
	s, to := pick(q.rng, live), ""
	for _, other := range live {
		if a := q.borrowed(other); a != nil && q.chance(0.8) {
			s, to = other, a.label
		}
		for _, listed := range other.listed {
			if a := q.byID(listed); a != nil && !a.held && q.chance(0.8) {
				s, to = other, a.label
			}
		}
	}
	if to == "" && q.chance(0.8) {
		return m, false
	}
	if to == "" {
		to = pick(q.rng, q.accounts).label
	}
	return Move{Route: "POST /auth/switch", Mine: true, By: s.label, Body: object{"accountId": ref("account:" + to)}}, true
}

// borrowed returns another account of the person whose phone the session's employee
// now has; nil if the phone is the attacker's own.
func (q *Sequence) borrowed(s *session) *account {
	own := q.byID(s.user)
	if own == nil {
		return nil
	}
	owner := q.person(q.phoneOf[own.label])
	if owner == nil || owner.mine {
		return nil
	}
	for _, a := range q.accounts {
		if a.person == owner && a != own && !a.held {
			return a
		}
	}
	return nil
}
