package privilege

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"homeroom/internal/platform/actor"
)

// power is the union of the permissions of the attacker's administrators in one school.
type power = actor.Grants

// modules are the modules of a new school.
var modules = strings.Fields(`student employee class division subject timetable attendance exam result fee announcement leave
	transport library event message notification report role setting`)

// everything is the permissions of the system role of administrators.
var everything = func() actor.Grants {
	g := actor.Grants{}
	for _, m := range modules {
		g[m] = actor.Read | actor.Write | actor.Delete
	}
	return g
}()

// grantsIn parses a permission table.
func grantsIn(list any) actor.Grants {
	g := actor.Grants{}
	rows, _ := list.([]any)
	for _, r := range rows {
		p, _ := r.(map[string]any)
		for key, verb := range map[string]actor.Verb{"canRead": actor.Read, "canWrite": actor.Write, "canDelete": actor.Delete} {
			if p[key] == true {
				g[str(p, "module")] |= verb
			}
		}
	}
	return g
}

// within reports whether limit includes all permissions of g.
func within(g, limit actor.Grants) bool {
	for module, verbs := range g {
		if limit[module]&verbs != verbs {
			return false
		}
	}
	return true
}

// beyond returns the modules in which g allows more than limit.
func beyond(g, limit actor.Grants) (out []string) {
	for _, module := range sortedKeys(g) {
		if limit[module]&g[module] != g[module] {
			out = append(out, module)
		}
	}
	return out
}

// mayWrite reports whether at the start the attacker had write permission for one
// of the modules in a school.
func (q *Sequence) mayWrite(school string, modules ...string) bool {
	return slices.ContainsFunc(modules, func(m string) bool { return q.base[school][m]&actor.Write != 0 })
}

// Violation is an escalation of the attacker's power, or a broken invariant.
type Violation struct {
	Kind string // one of the constants below
	What string // details
}

// The kinds of violation.
const (
	ForeignSchool = "a session in a school where the attacker administers nothing"
	ForeignUser   = "a session of an account that the attacker has no permission over"
	Higher        = "a session of an administrator with more permissions than the attacker"
	Grown         = "an account of the attacker with more permissions than at the start"
	Platform      = "a session of a super-administrator"
	Farther       = "an account of the attacker that sees more records than at the start"
	Changed       = "a change of an administrator with more permissions than the attacker"
	Raised        = "an administrator with more permissions than the attacker could grant"
	Orphaned      = "a school without an administrator who can manage roles"
	Broken        = "an internal error"
)

// check compares the attacker's sessions with the power at the start, and looks
// for changes of accounts that the attacker has no power over.
func (q *Sequence) check() *Violation {
	for _, label := range q.order {
		s := q.sessions[label]
		if !s.mine || s.dead {
			continue
		}
		me := q.w.call(q.ctx, s.access, "GET", "/auth/me", nil)
		switch me.status {
		case http.StatusOK:
		case http.StatusUnauthorized:
			s.dead = true
			continue
		default:
			continue
		}
		s.learn(me)
		if v := q.exceeds(s, grantsIn(me.data()["permissions"])); v != nil {
			return v
		}
	}
	return q.checkOthers()
}

// learn updates the session's account and the accounts it can switch to.
func (s *session) learn(me reply) {
	data := me.data()
	user, _ := data["user"].(map[string]any)
	s.id, s.role, s.user, s.school = str(data, "sessionId"), actor.Role(str(user, "role")), str(user, "id"), str(user, "schoolId")
	s.listed = nil
	list, _ := data["accounts"].([]any)
	for _, v := range list {
		a, _ := v.(map[string]any)
		s.listed = append(s.listed, str(a, "id"))
	}
}

// exceeds compares a live session of the attacker with the power at the start.
func (q *Sequence) exceeds(s *session, grants actor.Grants) *Violation {
	base, administers := q.base[s.school]
	a := q.byID(s.user)
	say := func(kind string) *Violation {
		return &Violation{kind, fmt.Sprintf("%s in %s, session %q, role %s, more permissions in %v",
			q.name(s.user), q.name(s.school), s.label, s.role, beyond(grants, base))}
	}
	held := a != nil && a.held
	switch {
	case s.role == actor.SuperAdmin:
		return say(Platform)
	case !held && !administers:
		return say(ForeignSchool)
	case s.role == actor.SchoolAdmin && !within(grants, base):
		return say(Grown)
	case held:
		return q.seesMore(a, s)
	case a != nil && a.role == actor.SchoolAdmin && !within(a.grants, base):
		return say(Higher)
	case s.role == actor.Parent && !q.mayWrite(s.school, "student"),
		s.role != actor.Parent && !q.mayWrite(s.school, "employee"):
		return say(ForeignUser)
	}
	return nil
}

// reaches are the modules whose write permission decides what a role can see.
var reaches = map[actor.Role][]string{
	actor.Parent:  {"student"},
	actor.Teacher: {"employee", "class", "division", "timetable"},
	actor.Driver:  {"employee", "transport"},
}

// seesMore compares what an account sees with what it saw at the start, unless the
// attacker may decide that.
func (q *Sequence) seesMore(a *account, s *session) *Violation {
	if s.role == actor.SchoolAdmin || s.role != a.role || q.mayWrite(s.school, reaches[s.role]...) {
		return nil
	}
	for _, record := range q.reach(s) {
		if !slices.Contains(a.reach, record) {
			return &Violation{Farther, fmt.Sprintf("%s sees %s", a.label, q.name(record))}
		}
	}
	return nil
}

// reach returns the ids of the students, classes or bus that a session sees.
func (q *Sequence) reach(s *session) (ids []string) {
	var found []any
	switch s.role {
	case actor.Parent:
		d := q.w.call(q.ctx, s.access, "POST", "/parent/student/list", object{}).data()
		found, _ = d["students"].([]any)
	case actor.Teacher:
		d := q.w.call(q.ctx, s.access, "GET", "/teacher/class/list", nil).data()
		found, _ = d["items"].([]any)
	case actor.Driver:
		found = []any{q.w.call(q.ctx, s.access, "GET", "/driver/bus/get", nil).data()}
	}
	for _, v := range found {
		if o, _ := v.(map[string]any); str(o, "id") != "" {
			ids = append(ids, str(o, "id"))
		}
	}
	return ids
}

const selectUsers = `SELECT id, role_id AS a, status AS b, COALESCE(phone, '') AS c, COALESCE(email, '') AS d
	FROM users WHERE school_id = :school`

const selectManagers = `SELECT u.id, '' AS a, '' AS b, '' AS c, '' AS d FROM users u
	JOIN role_permissions p ON p.school_id = u.school_id AND p.role_id = u.role_id
	JOIN modules m ON m.id = p.module_id AND m.name = 'role'
	WHERE u.school_id = :school AND u.role = 'SCHOOL_ADMIN' AND u.status = 'ACTIVE' AND p.can_write`

// checkOthers looks for changes of administrators with more permissions than the
// attacker, and for schools without an administrator.
func (q *Sequence) checkOthers() *Violation {
	for _, s := range q.schools {
		now := q.states(s)
		for _, a := range q.accounts {
			if a.school == s && a.state != "" && now[a.id] != a.state {
				return &Violation{Changed, fmt.Sprintf("%s was %s, is %s", a.label, a.state, now[a.id])}
			}
		}
		if len(q.rows(s, selectManagers)) == 0 {
			return &Violation{Orphaned, "school " + s.label}
		}
		if v := q.raised(s); v != nil {
			return v
		}
	}
	return nil
}

const selectGrants = `SELECT u.id, m.name AS a, CASE WHEN p.can_read THEN 'r' ELSE '' END AS b,
	CASE WHEN p.can_write THEN 'w' ELSE '' END AS c, CASE WHEN p.can_delete THEN 'd' ELSE '' END AS d FROM users u
	JOIN role_permissions p ON p.school_id = u.school_id AND p.role_id = u.role_id
	JOIN modules m ON m.id = p.module_id
	WHERE u.school_id = :school AND u.role = 'SCHOOL_ADMIN' AND u.status = 'ACTIVE'`

// raised looks for an administrator with more permissions than both the attacker's
// and their own at the start.
func (q *Sequence) raised(s *school) *Violation {
	now := map[string]actor.Grants{}
	for _, r := range q.rows(s, selectGrants) {
		g := now[string(r.ID)]
		if g == nil {
			g = actor.Grants{}
			now[string(r.ID)] = g
		}
		for letter, verb := range map[string]actor.Verb{r.B: actor.Read, r.C: actor.Write, r.D: actor.Delete} {
			if letter != "" {
				g[r.A] |= verb
			}
		}
	}
	for _, user := range sortedKeys(now) {
		a := q.byID(user)
		if within(now[user], q.base[s.id]) || a != nil && within(now[user], a.grants) {
			continue
		}
		return &Violation{Raised, fmt.Sprintf("%s in school %s, by %v", q.name(user), s.label, beyond(now[user], q.base[s.id]))}
	}
	return nil
}

func (q *Sequence) states(s *school) map[string]string {
	out := map[string]string{}
	for _, r := range q.rows(s, selectUsers) {
		out[string(r.ID)] = fmt.Sprintf("role %s, %s, %s, %s", q.name(r.A), r.B, r.C, r.D)
	}
	return out
}

func (q *Sequence) byID(user string) *account {
	for _, a := range q.accounts {
		if a.id == user {
			return a
		}
	}
	return nil
}

// name returns the label of an id, or the id.
func (q *Sequence) name(id string) string {
	found := id
	for label, v := range q.ids {
		if v == id && (found == id || label < found) {
			found = label
		}
	}
	return found
}
