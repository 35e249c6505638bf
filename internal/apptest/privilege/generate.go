package privilege

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/web"
)

// option is a kind of move. make returns false if it is not possible now.
type option struct {
	weight int
	make   func() (Move, bool)
}

// next generates a move: mostly one of the attacker, sometimes one of an honest
// person, and half of the time two at once.
func (q *Sequence) next(step int) Move {
	label := strconv.Itoa(step)
	m := q.choose(q.all())
	m.Step, m.Wait = label, q.pause()
	if !q.chance(0.5) {
		return m
	}
	first, second, ok := q.pair()
	if !ok {
		first, second = m, q.choose(q.all())
	}
	first.Step, first.Wait, second.Step = label, 0, label+"b"
	first.Beside = &second
	return first
}

func (q *Sequence) pause() time.Duration {
	switch n := q.rng.IntN(40); n {
	case 0:
		return 11 * time.Minute
	case 1:
		return 61 * time.Second
	default:
		return time.Duration(n%3) * time.Second
	}
}

func (q *Sequence) all() []option {
	mine := func(yes bool) func(p *person) bool { return func(p *person) bool { return p.mine == yes } }
	return []option{
		{7, q.useLink},
		{5, q.logIn},
		{6, func() (Move, bool) { return q.askCode(mine(true)) }},
		{4, func() (Move, bool) { return q.useCode(mine(true)) }},
		{4, q.usePIN},
		{3, q.askLink},
		{8, q.switchOver},
		{5, q.refresh},
		{28, q.administer},
		{8, q.anything},
		{1, func() (Move, bool) { return q.askCode(mine(false)) }},
		{2, func() (Move, bool) { return q.useCode(mine(false)) }},
		{2, q.someoneElse},
	}
}

// choose picks one of the possible options by weight.
func (q *Sequence) choose(from []option) Move {
	for {
		sum := 0
		for _, o := range from {
			sum += o.weight
		}
		n := q.rng.IntN(sum)
		for _, o := range from {
			if n -= o.weight; n >= 0 {
				continue
			}
			if m, ok := o.make(); ok {
				return m
			}
			break
		}
	}
}

// pair generates a sign-in of an employee's account and a change of that employee,
// to be made at the same time.
func (q *Sequence) pair() (in, change Move, ok bool) {
	puppets := q.puppets()
	phones := slices.DeleteFunc(sortedKeys(puppets), func(phone string) bool { return !q.pendingCode[phone] })
	if len(phones) == 0 {
		return in, change, false
	}
	phone := pick(q.rng, phones)
	puppet := puppets[phone]
	school := q.schoolLabel(q.employer[puppet])
	in = Move{Route: "POST /auth/verify-otp", Mine: true,
		Body: object{"phone": ref("phone:" + phone), "otp": ref("code:" + phone), "schoolId": ref("school:" + school)}}
	body := object{}
	switch q.rng.IntN(6) {
	case 0:
		body["roleId"] = q.roleIn(school)
	case 1:
		body["email"] = q.address("email")
	case 2:
		body["status"] = "RESIGNED"
	default:
		body["phone"] = ref("phone:" + q.someone(false).label)
	}
	change = Move{Route: "PUT /school-admin/employee/{id}", Mine: true, By: q.adminOf(puppet).label,
		Path: map[string]string{"id": "employee:" + puppet}, Body: body}
	return in, change, true
}

// puppets returns the employees who have a phone of the attacker and whom the
// attacker may change, by the label of the phone's owner.
func (q *Sequence) puppets() map[string]string {
	out := map[string]string{}
	for _, label := range sortedKeys(q.phoneOf) {
		if p := q.person(q.phoneOf[label]); p != nil && p.mine && q.adminOf(label) != nil {
			out[p.label] = label
		}
	}
	return out
}

// adminOf returns a live session of the attacker that may change the employee, or nil.
func (q *Sequence) adminOf(employee string) *session {
	for _, s := range q.live(actor.SchoolAdmin) {
		if q.employer[employee] == s.school && q.mayWrite(s.school, "employee") {
			return s
		}
	}
	return nil
}

// live returns the attacker's sessions in a role ("": any) that worked at the last check.
func (q *Sequence) live(role actor.Role) (out []*session) {
	for _, label := range q.order {
		if s := q.sessions[label]; s.mine && !s.dead && (role == "" || s.role == role) {
			out = append(out, s)
		}
	}
	return out
}

// favourites are the routes that change permissions, in proportion to how often
// they are called.
var favourites = []string{
	"PUT /school-admin/employee/{id}", "PUT /school-admin/employee/{id}", "PUT /school-admin/employee/{id}", "PUT /school-admin/employee/{id}",
	"POST /school-admin/employee/create", "POST /school-admin/employee/create", "POST /school-admin/employee/create",
	"POST /school-admin/employee/import",
	"PUT /school-admin/role/{id}/permissions", "PUT /school-admin/role/{id}/permissions", "PUT /school-admin/role/{id}",
	"POST /school-admin/student/{id}/guardians", "POST /school-admin/student/create",
}

// administer calls a school-admin route as an administrator of the attacker.
func (q *Sequence) administer() (m Move, ok bool) {
	live := q.live(actor.SchoolAdmin)
	if len(live) == 0 {
		return m, false
	}
	wanted, favoured := pick(q.rng, favourites), q.chance(0.8)
	routes := slices.DeleteFunc(q.w.sensitiveRoutes(), func(rt web.Route) bool {
		return !strings.HasPrefix(rt.Path, "/school-admin/") || favoured && rt.Pattern() != wanted
	})
	return q.by(pick(q.rng, live), pick(q.rng, routes)), true
}

// anything calls any sensitive route with any session of the attacker, or none:
// mostly the sequence's focus, or a route of the session's role.
func (q *Sequence) anything() (Move, bool) {
	s := &session{mine: true}
	if live := q.live(""); len(live) > 0 {
		s = pick(q.rng, live)
	}
	platform := q.only() == actor.SuperAdmin // refuses every session of the attacker
	fitting := slices.DeleteFunc(q.live(""), func(s *session) bool {
		return !platform && q.focus.Public == "" && !slices.Contains(q.focus.Roles, s.role)
	})
	if len(fitting) > 0 && q.chance(0.6) {
		return q.by(pick(q.rng, fitting), q.focus), true
	}
	routes := q.w.sensitiveRoutes()
	if q.chance(0.8) {
		routes = slices.DeleteFunc(routes, func(rt web.Route) bool { return rt.Public == "" && !slices.Contains(rt.Roles, s.role) })
	}
	return q.by(s, pick(q.rng, routes)), true
}

// someoneElse generates a move of an honest person with their own account.
func (q *Sequence) someoneElse() (m Move, ok bool) {
	var honest []*session
	for _, label := range q.order {
		if s := q.sessions[label]; !s.mine {
			honest = append(honest, s)
		}
	}
	s := pick(q.rng, honest)
	switch q.rng.IntN(6) {
	case 0:
		return Move{Route: "POST /auth/set-pin", By: s.label, Body: object{"pin": stolenPIN, "currentPin": stolenPIN}}, true
	case 1:
		return Move{Route: "POST /auth/refresh", Body: object{"refreshToken": ref("refresh:" + s.label)}}, true
	case 2:
		return Move{Route: "POST /auth/logout", By: s.label}, true
	case 3:
		p := q.someone(false)
		return Move{Route: "POST /auth/login", Body: object{"email": ref("email:" + p.label), "password": password}}, true
	case 4:
		return Move{Route: "POST /auth/switch", By: s.label, Body: object{"accountId": ref("account:" + pick(q.rng, q.accounts).label)}}, true
	default:
		return Move{Route: "POST " + "/" + s.role.Prefix() + "/notification/token", By: s.label,
			Body: object{"fcmToken": fmt.Sprintf("token-%d", q.rng.IntN(5))}}, true
	}
}
