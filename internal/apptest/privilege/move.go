package privilege

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Move is one call. It names records by refs, which are resolved when it is
// played, so that it can be replayed with other accounts of the same seed.
type Move struct {
	Step   string            // its number, with b for the second of a pair
	Route  string            // method and pattern
	By     string            // label of the session; "" for none
	Mine   bool              // made by the attacker
	Path   map[string]string // parameters, as refs
	Body   object
	CSV    []object // rows of an import, instead of the body
	Wait   time.Duration
	Beside *Move // played at the same time
}

// ref names a value that is resolved later: "employee:A.teacher.bob",
// "phone:mallory", "code:mallory", "link:mallory2", "refresh:3".
type ref string

// String formats a move on one line.
func (m Move) String() string {
	var b strings.Builder
	by := m.By
	if by == "" {
		by = "nobody"
	}
	fmt.Fprintf(&b, "%s. [%s] %s", m.Step, by, m.Route)
	for _, key := range slices.Sorted(maps.Keys(m.Path)) {
		fmt.Fprintf(&b, " %s=%s", key, m.Path[key])
	}
	if len(m.Body) > 0 {
		fmt.Fprintf(&b, " %v", brief(m.Body))
	}
	if m.CSV != nil {
		fmt.Fprintf(&b, " file %v", m.CSV)
	}
	if m.Wait > 0 {
		fmt.Fprintf(&b, " after %s", m.Wait)
	}
	if m.Beside != nil {
		fmt.Fprintf(&b, "\n   at the same time %s", m.Beside)
	}
	return b.String()
}

// brief abbreviates a permission table: "role:rw".
func brief(body object) object {
	table, ok := body["permissions"].([]any)
	if !ok {
		return body
	}
	var words []string
	for _, v := range table {
		p, _ := v.(object)
		word := strings.TrimPrefix(fmt.Sprint(p["moduleId"]), "module:") + ":"
		for key, letter := range map[string]string{"canRead": "r", "canWrite": "w", "canDelete": "d"} {
			if p[key] == true {
				word += letter
			}
		}
		words = append(words, word)
	}
	out := maps.Clone(body)
	out["permissions"] = strings.Join(words, " ")
	return out
}

// play makes the calls of a move, concurrently if there are two, and checks the result.
func (q *Sequence) play(m Move) *Violation {
	q.w.clock.pass(m.Wait)
	moves := []Move{m}
	if m.Beside != nil {
		moves = append(moves, *m.Beside)
	}
	calls := make([]call, 0, 2)
	for _, one := range moves {
		if c, ok := q.prepare(one); ok {
			calls = append(calls, c)
		}
	}
	replies := make([]reply, len(calls))
	start := make(chan struct{})
	var done sync.WaitGroup
	for i, c := range calls {
		done.Go(func() {
			<-start
			replies[i] = q.w.call(q.ctx, c.bearer, c.method, c.path, c.body)
		})
	}
	close(start)
	done.Wait()
	for i, c := range calls {
		q.w.count(c.Route, replies[i].ok())
		if v := q.learn(c.Move, replies[i]); v != nil {
			return v
		}
	}
	return q.check()
}

// call is a move with its refs resolved.
type call struct {
	Move
	bearer, method, path string
	body                 any
}

// prepare resolves the refs of a move; false if one does not exist.
func (q *Sequence) prepare(m Move) (call, bool) {
	c := call{Move: m}
	if m.By != "" {
		s := q.sessions[m.By]
		if s == nil {
			return c, false
		}
		c.bearer = s.access
	}
	var pattern string
	c.method, pattern, _ = strings.Cut(m.Route, " ")
	c.path = pattern
	for key, label := range m.Path {
		v, ok := q.lookUp(ref(label))
		if !ok {
			return c, false
		}
		c.path = strings.ReplaceAll(c.path, "{"+key+"}", v)
	}
	if m.CSV != nil {
		file, ok := q.file(m.CSV)
		c.path, c.body = c.path+"?mode=upsert", file
		return c, ok
	}
	if c.method == http.MethodGet || c.method == http.MethodDelete {
		return c, true
	}
	body, ok := q.resolve(m.Body)
	c.body = body
	return c, ok
}

// resolve replaces every ref in a value.
func (q *Sequence) resolve(v any) (out any, ok bool) {
	switch v := v.(type) {
	case ref:
		return q.lookUp(v)
	case object:
		made := object{}
		for key, inner := range v {
			if made[key], ok = q.resolve(inner); !ok {
				return nil, false
			}
		}
		return made, true
	case []any:
		made := make([]any, len(v))
		for i, inner := range v {
			if made[i], ok = q.resolve(inner); !ok {
				return nil, false
			}
		}
		return made, true
	}
	return v, true
}

// lookUp returns the current value of a ref.
func (q *Sequence) lookUp(r ref) (string, bool) {
	kind, name, _ := strings.Cut(string(r), ":")
	p := q.person(name)
	found := q.ids[string(r)]
	switch {
	case kind == "phone" && p != nil:
		found = p.phone
	case kind == "email" && p != nil:
		found = p.email
	case kind == "code" && p != nil:
		found = q.w.code(q.ctx, p.phone)
	case kind == "link" && p != nil:
		found = q.w.link(q.ctx, p.email)
	case kind == "refresh" && q.sessions[name] != nil:
		found = q.sessions[name].refresh
	case kind == "session" && q.sessions[name] != nil:
		found = q.sessions[name].id
	}
	return found, found != ""
}

func (q *Sequence) person(label string) *person {
	for _, p := range q.people {
		if p.label == label {
			return p
		}
	}
	return nil
}

// file formats rows as CSV.
func (q *Sequence) file(rows []object) (string, bool) {
	columns := slices.Sorted(maps.Keys(rows[0]))
	text := strings.Join(columns, ",") + "\n"
	for _, r := range rows {
		cells := make([]string, len(columns))
		for i, c := range columns {
			v, ok := q.resolve(r[c])
			if !ok {
				return "", false
			}
			cells[i] = fmt.Sprint(v)
		}
		text += strings.Join(cells, ",") + "\n"
	}
	return text, true
}

// learn stores the tokens, secrets and new ids of a response.
func (q *Sequence) learn(m Move, r reply) *Violation {
	if r.status == http.StatusInternalServerError {
		return &Violation{Broken, fmt.Sprintf("%s: %v", m, r.all)}
	}
	if !r.ok() {
		return nil
	}
	q.noteChange(m)
	if str(r.all, "accessToken") != "" {
		s := newSession(r, m.Mine)
		if old := q.sessions[strings.TrimPrefix(fmt.Sprint(m.Body["refreshToken"]), "refresh:")]; old != nil {
			s.user, s.school, s.role = old.user, old.school, old.role
		}
		q.keep(m.Step, &s)
	}
	if word, ok := m.Body["newPassword"].(string); ok && m.Mine {
		if a := q.byID(q.sessions[m.By].user); a != nil {
			q.secrets["password:"+a.person.label] = word
		}
	}
	if pin, ok := m.Body["pin"].(string); ok && m.Mine && strings.HasSuffix(m.Route, "/set-pin") {
		if a := q.byID(q.sessions[m.By].user); a != nil {
			q.secrets["pin:"+a.label] = pin
		}
	}
	if link, ok := m.Body["token"].(ref); ok && m.Mine {
		q.secrets["password:"+strings.TrimPrefix(string(link), "link:")] = str(m.Body, "password")
	}
	if kind := madeBy[m.Route]; kind != "" {
		q.ids[kind+":"+m.Step], q.employer[m.Step] = str(r.data(), "id"), q.sessions[m.By].school
		if user := str(r.data(), "userId"); user != "" {
			q.ids["account:"+m.Step] = user
		}
	}
	return nil
}

// madeBy is the kind of record that a route creates.
var madeBy = map[string]string{
	"POST /school-admin/employee/create": "employee",
	"POST /school-admin/student/create":  "student",
	"POST /school-admin/role/create":     "role",
}
