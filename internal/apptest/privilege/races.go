package privilege

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/web"
)

// way is a way to sign in.
type way struct {
	name  string
	ready func(*subject)       // requests codes and links that it needs
	sign  func(*subject) reply // returns tokens
}

// verdict says what must become of a session that was opened during a change.
type verdict int

const (
	either verdict = iota // it may work or not
	never                 // it must not work, in either order
	ifOld                 // it must not work if the sign-in read the account before the change
)

// change is a change of an account, with the verdict for each way.
type change struct {
	name  string
	route string // optional route that it needs; "": none
	do    func(*subject) reply
	means map[string]verdict
}

var ways = []way{
	{"otp", func(s *subject) { s.askCode() }, func(s *subject) reply {
		return s.post("/auth/verify-otp", object{"phone": s.phone, "otp": s.code, "schoolId": s.at.id})
	}},
	{"pin", nil, func(s *subject) reply {
		return s.post("/auth/verify-pin", object{"phone": s.phone, "pin": stolenPIN, "schoolId": s.at.id})
	}},
	{"password", nil, func(s *subject) reply { return s.post("/auth/login", object{"email": s.email, "password": password}) }},
	{"reset", func(s *subject) { s.askLink() }, func(s *subject) reply {
		if r := s.post("/auth/reset-password", object{"token": s.link, "password": newSecret}); !r.ok() {
			return r
		}
		return s.post("/auth/login", object{"email": s.email, "password": newSecret})
	}},
	{"refresh", func(s *subject) { s.second = s.login() }, func(s *subject) reply {
		return s.post("/auth/refresh", object{"refreshToken": s.second.refresh})
	}},
	{"switch", func(s *subject) { s.elsewhere() }, func(s *subject) reply {
		return s.w.call(s.ctx, s.second.access, "POST", "/auth/switch", object{"accountId": s.user})
	}},
}

var changes = []change{
	{"phone", "", func(s *subject) reply { return s.put(object{"phone": s.nextPhone}) },
		map[string]verdict{"otp": never, "pin": never, "password": ifOld, "reset": ifOld, "refresh": never, "switch": never}},
	{"email", "", func(s *subject) reply { return s.put(object{"email": "x" + s.email}) },
		map[string]verdict{"otp": ifOld, "pin": ifOld, "password": never, "reset": never, "refresh": never, "switch": ifOld}},
	{"password", "", func(s *subject) reply {
		return s.own("POST", "/auth/change-password", object{"currentPassword": password, "newPassword": "a third long secret"})
	}, map[string]verdict{"otp": either, "pin": either, "password": never, "reset": never, "refresh": never, "switch": either}},
	{"role record", "", func(s *subject) reply { return s.put(object{"roleId": s.ids["role:A.office"]}) },
		map[string]verdict{"otp": either, "pin": either, "password": either, "reset": either, "refresh": never, "switch": either}},
	{"role type", "", func(s *subject) reply { return s.put(object{"roleId": s.ids["role:A.teacher"]}) },
		map[string]verdict{"otp": ifOld, "pin": ifOld, "password": never, "reset": never, "refresh": never, "switch": ifOld}},
	{"disabled", "", func(s *subject) reply { return s.put(object{"status": "RESIGNED"}) }, always(never)},
	{"deleted", "", func(s *subject) reply {
		return s.w.call(s.ctx, s.head, "DELETE", "/school-admin/employee/"+s.employee, nil)
	}, always(never)},
	{"all sessions ended", "DELETE /auth/sessions", func(s *subject) reply { return s.own("DELETE", "/auth/sessions", nil) },
		map[string]verdict{"otp": either, "pin": never, "password": either, "reset": either, "refresh": never, "switch": either}},
	{"PIN", "", func(s *subject) reply {
		return s.own("POST", "/auth/set-pin", object{"pin": "590312", "currentPin": stolenPIN})
	}, always(either)},
}

func always(v verdict) map[string]verdict {
	out := map[string]verdict{}
	for _, w := range ways {
		out[w.name] = v
	}
	return out
}

// Race is the result of all rounds of one way and one change.
type Race struct {
	Way, Change string
	Skipped     string // the reason, if it was not run
	Rounds      int
	Both        int // rounds in which both succeeded
	Survived    int // working sessions that the change should have ended
	Broken      int // internal errors
	Example     string
}

// Races runs every way to sign in at the same time as every change of the same account.
func (w *World) Races(ctx context.Context, rounds int) (out []Race, err error) {
	for _, c := range changes {
		for _, way := range ways {
			if _, ok := c.means[way.name]; !ok {
				return nil, fmt.Errorf("the change %q has no verdict for sign-in by %s", c.name, way.name)
			}
			out = append(out, Race{Way: way.name, Change: c.name})
		}
	}
	const atOnce = 3
	var wg sync.WaitGroup
	var failed [atOnce]error
	for n := range atOnce {
		wg.Go(func() {
			for i := n; i < len(out) && failed[n] == nil; i += atOnce {
				failed[n] = w.race(ctx, &out[i], changes[i/len(ways)], ways[i%len(ways)], rounds)
			}
		})
	}
	wg.Wait()
	return out, errors.Join(failed[:]...)
}

func (w *World) race(ctx context.Context, r *Race, c change, way way, rounds int) (err error) {
	defer recoverSetup(&err)
	if c.route != "" && !w.has(c.route) {
		r.Skipped = "there is no " + c.route
		return nil
	}
	q := newEmptySequence(ctx, w)
	q.addSchool("A")
	if way.name == "switch" {
		q.addSchool("B")
	}
	if c.means[way.name] == either {
		rounds = (rounds + 7) / 8 // fewer: only internal errors can be found
	}
	for i := range rounds {
		s := q.newSubject()
		if way.ready != nil {
			way.ready(s)
		}
		signed, changed := atOnce(i, func() reply { return way.sign(s) }, func() reply { return c.do(s) })
		r.judge(i, s, c.means[way.name], signed, changed)
	}
	return nil
}

// judge checks whether the session works although it must not.
func (r *Race) judge(round int, s *subject, v verdict, signed, changed reply) {
	r.Rounds++
	if signed.status >= http.StatusInternalServerError || changed.status >= http.StatusInternalServerError {
		r.Broken++
		r.Example = fmt.Sprintf("round %d: sign-in %d, change %d", round, signed.status, changed.status)
	}
	if !signed.ok() || !changed.ok() {
		return
	}
	r.Both++
	got := newSession(signed, true)
	if v == either || v == ifOld && !s.isOld(signed) || !s.alive(got) {
		return
	}
	r.Survived++
	r.Example = fmt.Sprintf("round %d: the session works after the change", round)
}

// atOnce runs two calls concurrently. By round, they start together or one of them
// starts up to 3 ms late.
func atOnce(round int, one, other func() reply) (a, b reply) {
	lead := time.Duration(rand.IntN(3000)) * time.Microsecond
	both := make(chan struct{})
	var wg sync.WaitGroup
	start := func(out *reply, late bool, call func() reply) {
		wg.Go(func() {
			<-both
			if late {
				time.Sleep(lead)
			}
			*out = call()
		})
	}
	start(&a, round%3 == 1, one)
	start(&b, round%3 == 2, other)
	close(both)
	wg.Wait()
	return a, b
}

func (w *World) has(route string) bool {
	return slices.ContainsFunc(w.routes, func(rt web.Route) bool { return rt.Pattern() == route })
}

// newEmptySequence returns a sequence without schools and accounts.
func newEmptySequence(ctx context.Context, w *World) *Sequence {
	return &Sequence{w: w, ctx: ctx, ids: map[string]string{}, sessions: map[string]*session{},
		employer: map[string]string{}, phoneOf: map[string]string{}}
}

// subject is an administrator with phone, e-mail, password and PIN.
type subject struct {
	*Sequence
	at                    *school
	head                  string // token of the head, who makes the changes
	user, employee        string
	phone, email          string
	nextPhone, code, link string
	first, second         session
}

func (q *Sequence) newSubject() *subject {
	p := q.addPerson("subject", false)
	s := &subject{Sequence: q, at: q.schools[0], phone: p.phone, email: p.email, nextPhone: q.addPerson("next", false).phone}
	s.head = q.sessions["of "+s.at.principal.label].access
	made := q.asHead(s.at, "POST", "/school-admin/employee/create",
		object{"firstName": "Sam", "roleId": q.ids["role:A.admin"], "phone": p.phone, "email": p.email})
	s.user, s.employee = str(made, "userId"), str(made, "id")
	q.setSecrets(&account{id: s.user, school: s.at, role: actor.SchoolAdmin})
	s.first = s.login()
	return s
}

func (s *subject) login() session {
	r := s.post("/auth/login", object{"email": s.email, "password": password})
	if !r.ok() {
		panic(setupError{fmt.Errorf("sign in: %d %v", r.status, r.all)})
	}
	return newSession(r, true)
}

func (s *subject) post(path string, body object) reply {
	return s.w.call(s.ctx, "", "POST", path, body)
}

func (s *subject) put(body object) reply {
	return s.w.call(s.ctx, s.head, "PUT", "/school-admin/employee/"+s.employee, body)
}

func (s *subject) own(method, path string, body object) reply {
	return s.w.call(s.ctx, s.first.access, method, path, body)
}

func (s *subject) askCode() {
	s.w.sendCode(s.ctx, "/auth", s.phone)
	s.code = s.w.code(s.ctx, s.phone)
}

func (s *subject) askLink() {
	s.post("/auth/forgot-password", object{"email": s.email})
	s.link = s.w.link(s.ctx, s.email)
}

// elsewhere creates an account of the person at another school and signs it in.
func (s *subject) elsewhere() {
	other := s.schools[1]
	s.asHead(other, "POST", "/school-admin/student/create",
		object{"firstName": "Child", "guardians": []any{object{"name": "Sam", "phone": s.phone}}})
	s.askCode()
	r := s.post("/parent/user-auth/verify-otp", object{"phone": s.phone, "otp": s.code})
	if !r.ok() {
		panic(setupError{fmt.Errorf("sign in elsewhere: %d %v", r.status, r.all)})
	}
	s.second = newSession(r, true)
}

// isOld reports whether a sign-in read the account before the change.
func (s *subject) isOld(signed reply) bool {
	user, _ := signed.all["user"].(map[string]any)
	return str(user, "phone") == s.phone && str(user, "email") == s.email && str(user, "role") == string(actor.SchoolAdmin)
}

// alive reports whether a session works or can be refreshed.
func (s *subject) alive(got session) bool {
	return s.w.call(s.ctx, got.access, "GET", "/auth/me", nil).ok() ||
		s.post("/auth/refresh", object{"refreshToken": got.refresh}).ok()
}
