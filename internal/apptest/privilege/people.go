package privilege

import (
	"context"
	"crypto/rand"
	"fmt"
	mrand "math/rand/v2"
	"slices"
	"strings"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/token"
	"homeroom/internal/platform/web"
)

// Sequence is a few schools with accounts, and the state of the attack on them.
type Sequence struct {
	w   *World
	ctx context.Context
	rng *mrand.Rand

	schools  []*school
	people   []*person
	accounts []*account
	ids      map[string]string   // of records, by label: "employee:A.teacher.bob"
	sessions map[string]*session // by label
	order    []string            // labels of sessions, oldest first
	secrets  map[string]string   // known to the attacker: "password:mallory"
	base     map[string]power    // of the attacker at the start, by school

	// For generating moves.
	pendingCode map[string]bool   // people with an unused code
	pendingLink map[string]bool   // people who may have an unused link
	phoneOf     map[string]string // the person whose phone an employee has
	employer    map[string]string // the school of an employee or of a created record
	focus       web.Route         // route that this sequence calls most often
	justReset   string            // person whose password was just reset
}

type school struct {
	label, id string
	principal *account
}

// person has a phone and an e-mail address. The attacker reads the messages to a
// person who is mine.
type person struct {
	label, phone, email string
	mine                bool
}

// account is an initial account.
type account struct {
	label  string // school, role and person: "A.teacher.bob"
	id     string
	school *school
	role   actor.Role
	record string // label of its role record: "A.office"
	person *person
	grants actor.Grants // an administrator's
	held   bool         // by the attacker
	reach  []string     // records that it sees at the start, if held by the attacker
	state  string       // its row at the start, if it has more permissions than the attacker
}

// session is a pair of tokens; mine is the attacker's.
type session struct {
	label, id       string
	access, refresh string
	user, school    string
	role            actor.Role
	mine            bool
	dead            bool
	listed          []string // ids of the accounts to switch to
}

func newSession(r reply, mine bool) session {
	user, _ := r.all["user"].(map[string]any)
	return session{access: str(r.all, "accessToken"), refresh: str(r.all, "refreshToken"), mine: mine,
		user: str(user, "id"), school: str(user, "schoolId"), role: actor.Role(str(user, "role"))}
}

// limited are the roles of administrators with some permissions, besides the system roles.
var limited = []string{"office", "desk"}

// newSequence creates the schools and accounts of a seed.
func newSequence(ctx context.Context, w *World, seed uint64) (q *Sequence, err error) {
	defer recoverSetup(&err)
	q = &Sequence{w: w, ctx: ctx, rng: mrand.New(mrand.NewPCG(seed, 1)), ids: map[string]string{}, sessions: map[string]*session{},
		secrets: map[string]string{}, base: map[string]power{},
		pendingCode: map[string]bool{}, pendingLink: map[string]bool{}, phoneOf: map[string]string{}, employer: map[string]string{}}
	for name, module := range w.moduleIDs(ctx) {
		q.ids["module:"+name] = module
	}
	routes := w.sensitiveRoutes()
	q.focus = routes[seed%uint64(len(routes))]
	for _, label := range []string{"A", "B", "C"} {
		q.addSchool(label)
	}
	q.addPeople()
	q.signIn()
	return q, nil
}

func (q *Sequence) addPerson(label string, mine bool) *person {
	n := q.w.nextNumber()
	p := &person{label: label, phone: fmt.Sprintf("+1555%07d", n), email: fmt.Sprintf("%s%d@example.test", label, n), mine: mine}
	q.people = append(q.people, p)
	return p
}

func (q *Sequence) addSchool(label string) {
	head := q.addPerson("head"+label, false)
	now := q.w.clock.Now()
	made := q.w.must(q.ctx, q.w.asSuper(q.ctx), "POST", "/super-admin/school/create", object{
		"name": "School " + label, "code": fmt.Sprintf("S%d", q.w.nextNumber()),
		"academicYear": object{"name": "This year",
			"startDate": now.AddDate(0, -6, 0).Format(time.DateOnly), "endDate": now.AddDate(0, 6, 0).Format(time.DateOnly)}})
	s := &school{label: label, id: str(made, "id")}
	q.schools, q.ids["school:"+label] = append(q.schools, s), s.id
	for _, r := range q.rows(s, `SELECT id, type AS a, '' AS b, '' AS c, '' AS d FROM roles WHERE school_id = :school AND is_system`) {
		q.ids["role:"+label+"."+system[actor.Role(r.A)]] = string(r.ID)
	}
	admin := q.w.must(q.ctx, q.w.asSuper(q.ctx), "POST", "/super-admin/admin/create",
		object{"schoolId": s.id, "name": "Head", "email": head.email, "phone": head.phone})
	s.principal = q.register(s, actor.SchoolAdmin, "admin", head, str(admin, "id"))
	s.principal.grants = everything
	q.setSecrets(s.principal)
	q.open(s.principal, "/auth/login", object{"email": head.email, "password": password})
	q.ids["class:"+label] = str(q.asHead(s, "POST", "/school-admin/class/create", object{"name": "Grade 1"}), "id")
	q.ids["bus:"+label] = str(q.asHead(s, "POST", "/school-admin/transport/bus/create", object{"registrationNo": "B1"}), "id")
	for _, name := range limited {
		role := q.asHead(s, "POST", "/school-admin/role/create", object{"name": name, "type": "SCHOOL_ADMIN"})
		q.ids["role:"+label+"."+name] = str(role, "id")
	}
}

// system names the system roles.
var system = map[actor.Role]string{actor.SchoolAdmin: "admin", actor.Teacher: "teacher", actor.Parent: "parent", actor.Driver: "driver"}

func (q *Sequence) asHead(s *school, method, path string, body object) object {
	return q.w.must(q.ctx, q.sessions["of "+s.principal.label].access, method, path, body)
}

// row is the result of the checks' queries.
type row struct {
	ID         id.ID
	A, B, C, D string
}

func (q *Sequence) rows(s *school, sql string) []row {
	rows, err := db.All[row](q.ctx, q.w.app.DB.School(id.ID(s.id)), sql, nil)
	if err != nil {
		panic(setupError{err})
	}
	return rows
}

// register adds an initial account.
func (q *Sequence) register(s *school, role actor.Role, record string, p *person, user string) *account {
	a := &account{label: s.label + "." + record + "." + p.label, id: user, school: s, role: role,
		record: s.label + "." + record, person: p, held: p.mine}
	q.accounts, q.ids["account:"+a.label] = append(q.accounts, a), user
	return a
}

// addPeople creates random accounts of victims and of the attacker.
func (q *Sequence) addPeople() {
	q.permitLimited()
	for _, s := range q.schools {
		if q.chance(0.5) { // the head may also be an employee, and a parent or teacher elsewhere
			q.hire(s, "admin", s.principal.person)
		}
		if q.chance(0.5) {
			q.give(pick(q.rng, q.schools), pick(q.rng, []string{"teacher", "parent"}), s.principal.person)
		}
	}
	kinds := []string{"teacher", "parent", "driver", "office", "admin"}
	for _, label := range []string{"bob", "carol"} {
		p := q.addPerson(label, false)
		for range 1 + q.rng.IntN(3) {
			q.give(pick(q.rng, q.schools), pick(q.rng, kinds), p)
		}
	}
	mallory := q.addPerson("mallory", true)
	q.addPerson("mallory2", true)
	q.addPerson("mallory3", true)
	for i := range 1 + q.rng.IntN(2) {
		kind := pick(q.rng, []string{"office", "office", "desk", "admin", "admin", "admin", "teacher", "parent", "driver"})
		switch fits := system[q.only()]; {
		case i == 1:
			kind = pick(q.rng, []string{"teacher", "parent", "driver", "desk"})
		case fits != "" && q.chance(0.6):
			kind = fits
		}
		q.give(pick(q.rng, q.schools), kind, mallory)
	}
}

// only returns the role that may call the focus, or "" if there are several.
func (q *Sequence) only() actor.Role {
	if _, prefix, _ := strings.Cut(q.focus.Path, "/"); q.focus.Public != "" {
		role, _ := actor.OfPrefix(strings.Split(prefix, "/")[0])
		return role
	}
	if len(q.focus.Roles) == 1 {
		return q.focus.Roles[0]
	}
	return ""
}

// permitLimited gives the limited roles of each school random permissions.
func (q *Sequence) permitLimited() {
	for _, s := range q.schools {
		for _, name := range limited {
			label := s.label + "." + name
			q.asHead(s, "PUT", "/school-admin/role/"+q.ids["role:"+label]+"/permissions", object{"permissions": q.permissions(0.6)})
		}
	}
}

// give creates an account of the kind, unless the person has one there already.
func (q *Sequence) give(s *school, kind string, p *person) {
	label := s.label + "." + kind + "." + p.label
	administers := func(a *account) bool { return a.person == p && a.role == actor.SchoolAdmin }
	administrator := kind == "admin" || slices.Contains(limited, kind)
	switch {
	case q.ids["account:"+label] != "", administrator && slices.ContainsFunc(q.accounts, administers): // e-mails are unique
	case kind == "parent":
		q.enrol(s, p)
	default:
		q.hire(s, kind, p)
	}
}

func (q *Sequence) hire(s *school, kind string, p *person) {
	made := q.asHead(s, "POST", "/school-admin/employee/create",
		object{"firstName": kind, "roleId": q.ids["role:"+s.label+"."+kind], "phone": p.phone, "email": p.email})
	label := s.label + "." + kind + "." + p.label
	q.ids["employee:"+label], q.employer[label], q.phoneOf[label] = str(made, "id"), s.id, p.label
	if q.ids["account:"+label] != "" {
		return // the head's existing account
	}
	a := q.register(s, actor.Role(str(made, "type")), kind, p, str(made, "userId"))
	switch a.role {
	case actor.Teacher:
		q.asHead(s, "POST", "/school-admin/employee/"+str(made, "id")+"/assignments",
			object{"assignments": []any{object{"classId": q.ids["class:"+s.label]}}})
	case actor.Driver:
		q.asHead(s, "PUT", "/school-admin/transport/bus/"+q.ids["bus:"+s.label], object{"driverId": str(made, "id")})
	case actor.SchoolAdmin:
		a.grants = everything
		if kind != "admin" {
			a.grants = q.grantsOf(s, kind)
		}
	}
	q.setSecrets(a)
}

func (q *Sequence) enrol(s *school, p *person) {
	made := q.asHead(s, "POST", "/school-admin/student/create", object{"firstName": "Child", "classId": q.ids["class:"+s.label],
		"guardians": []any{object{"name": "Parent", "phone": p.phone}}})
	label := s.label + ".parent." + p.label
	q.ids["student:"+label] = str(made, "id")
	guardians, _ := made["guardians"].([]any)
	first, _ := guardians[0].(map[string]any)
	q.ids["guardian:"+label] = str(first, "id")
	for _, r := range q.rows(s, `SELECT id, COALESCE(phone, '') AS a, '' AS b, '' AS c, '' AS d FROM users
		WHERE school_id = :school AND role = 'PARENT'`) {
		if r.A == p.phone {
			q.setSecrets(q.register(s, actor.Parent, "parent", p, string(r.ID)))
		}
	}
}

// grantsOf returns the permissions of a limited role.
func (q *Sequence) grantsOf(s *school, name string) actor.Grants {
	table := q.asHead(s, "GET", "/school-admin/role/"+q.ids["role:"+s.label+"."+name]+"/permissions", nil)
	return grantsIn(table["permissions"])
}

const (
	newPIN    = "4938" // PIN that the attacker sets
	stolenPIN = "7261" // initial PIN of every account
)

// setSecrets gives an account a password and a PIN.
func (q *Sequence) setSecrets(a *account) {
	cheap := &token.Hasher{Rand: rand.Reader, Cheap: true}
	pin, err := cheap.Hash(q.ctx, stolenPIN)
	word := ""
	if err == nil && a.role == actor.SchoolAdmin {
		word, err = cheap.Hash(q.ctx, password)
	}
	if err == nil {
		_, err = db.Exec(q.ctx, q.w.app.DB.School(id.ID(a.school.id)), `UPDATE users SET pin_hash = :pin, password_hash = :word
			WHERE school_id = :school AND id = :id`, db.Args{"pin": pin, "word": word, "id": a.id})
	}
	if err != nil {
		panic(setupError{err})
	}
}

func (q *Sequence) chance(p float64) bool { return q.rng.Float64() < p }

func pick[T any](rng *mrand.Rand, from []T) T { return from[rng.IntN(len(from))] }
