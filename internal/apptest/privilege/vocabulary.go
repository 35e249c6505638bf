package privilege

import (
	"maps"
	"slices"
	"strings"

	"homeroom/internal/platform/web"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// vocabulary generates a value for each field of the sensitive routes.
var vocabulary = map[string]func(q *Sequence, s *session) any{
	"phone":     func(q *Sequence, _ *session) any { return q.address("phone") },
	"email":     func(q *Sequence, _ *session) any { return q.address("email") },
	"roleId":    func(q *Sequence, s *session) any { return q.roleIn(q.schoolLabel(s.school)) },
	"schoolId":  func(q *Sequence, _ *session) any { return ref("school:" + pick(q.rng, q.schools).label) },
	"accountId": func(q *Sequence, _ *session) any { return ref("account:" + pick(q.rng, q.accounts).label) },
	"userId":    func(q *Sequence, _ *session) any { return ref("account:" + pick(q.rng, q.accounts).label) },
	"status": func(q *Sequence, _ *session) any {
		return pick(q.rng, []string{"ACTIVE", "ACTIVE", "RESIGNED", "DISABLED"})
	},
	"type": func(q *Sequence, _ *session) any {
		return pick(q.rng, []string{"SCHOOL_ADMIN", "TEACHER", "PARENT", "DRIVER"})
	},
	"permissions": func(q *Sequence, _ *session) any { return q.unresolvedPermissions(0.7) },
	"guardians": func(q *Sequence, _ *session) any {
		return []any{object{"name": "Guardian", "phone": q.address("phone")}}
	},
	"assignments": func(q *Sequence, s *session) any {
		return []any{object{"classId": ref("class:" + q.schoolLabel(s.school))}}
	},
	"guardianId": func(q *Sequence, s *session) any {
		return ref(q.record(s, "/school-admin/guardian/{id}/merge", "guardianId"))
	},
	"canViewData": func(q *Sequence, _ *session) any { return q.chance(0.7) },
	"firstName":   func(q *Sequence, _ *session) any { return "Some" },
	"name": func(q *Sequence, _ *session) any {
		return pick(q.rng, []string{"Red", "Green", "Blue", "Grey", "Pink"})
	},
	"otp":        func(q *Sequence, _ *session) any { return ref("code:" + q.someone(true).label) },
	"pin":        func(q *Sequence, _ *session) any { return newPIN },
	"currentPin": func(q *Sequence, _ *session) any { return pick(q.rng, []string{newPIN, stolenPIN}) },
	"password":   func(q *Sequence, _ *session) any { return newSecret },
	"currentPassword": func(q *Sequence, s *session) any {
		if a := q.byID(s.user); a != nil && q.secrets["password:"+a.person.label] != "" {
			return q.secrets["password:"+a.person.label]
		}
		return pick(q.rng, []string{newSecret, password})
	},
	"newPassword": func(q *Sequence, _ *session) any { return newSecret },
	"token":       func(q *Sequence, _ *session) any { return ref("link:" + q.someone(true).label) },
	"code":        func(q *Sequence, _ *session) any { return "000000" },
	"fcmToken":    func(q *Sequence, _ *session) any { return pick(q.rng, []string{"token-1", "token-2", "token-9"}) },
	"refreshToken": func(q *Sequence, _ *session) any {
		mine := slices.DeleteFunc(slices.Clone(q.order), func(l string) bool { return !q.sessions[l].mine })
		return ref("refresh:" + pick(q.rng, mine))
	},
}

// optional is the probability with which an optional field is sent. Fields that are
// not listed are never sent.
var optional = map[string]float64{"phone": 0.25, "email": 0.6, "roleId": 0.6, "status": 0.3, "type": 0.5, "schoolId": 0.4, "role": 0.2,
	"guardians": 0.7, "canViewData": 0.4, "refreshToken": 0.5, "otp": 0.5, "currentPin": 0.5, "permissions": 0.5,
	"fcmToken": 1}

// by generates a call of a route with a session, with a value for each field.
func (q *Sequence) by(s *session, rt web.Route) Move {
	m := Move{Route: rt.Pattern(), By: s.label, Mine: true, Path: map[string]string{}, Body: object{}}
	for _, name := range params(rt.Path) {
		m.Path[name] = q.record(s, rt.Path, name)
		if of, ok := strings.CutPrefix(m.Path["id"], "student:"); ok && name == "guardianId" {
			m.Path[name] = "guardian:" + of
		}
	}
	if rt.Path == "/school-admin/employee/import" {
		m.CSV = []object{{"employeeCode": pick(q.rng, []string{"E0001", "E0002", "X1"}), "firstName": "Some",
			"role":  pick(q.rng, []string{"School administrator", "Teacher", "office", "desk"}),
			"phone": q.address("phone"), "email": q.address("email")}}
		return m
	}
	for _, f := range fields(rt.In) {
		if word, known := vocabulary[f.name]; known && (f.required || q.chance(optional[f.name])) {
			m.Body[f.name] = word(q, s)
		}
	}
	if role, ok := m.Body["roleId"].(ref); ok && strings.HasSuffix(string(role), ".admin") && q.chance(0.8) {
		m.Body["email"] = ref("email:" + pick(q.rng, []string{"mallory2", "mallory3"})) // an administrator's e-mail must be unique
	}
	if strings.HasSuffix(rt.Path, "/set-pin") {
		m.Body["currentPin"] = stolenPIN
	}
	return m
}

// params returns the parameter names of a pattern.
func params(path string) (out []string) {
	for part := range strings.SplitSeq(path, "/") {
		if name, ok := strings.CutPrefix(part, "{"); ok {
			out = append(out, strings.TrimSuffix(name, "}"))
		}
	}
	return out
}

// record picks a record for a path parameter, mostly of the session's own school.
func (q *Sequence) record(s *session, path, param string) string {
	kind := "account"
	switch {
	case param == "guardianId":
		kind = "guardian"
	case strings.HasPrefix(path, "/school-admin/user/"):
	case strings.HasPrefix(path, "/school-admin/"):
		kind = strings.Split(path, "/")[2]
	case strings.HasPrefix(path, "/super-admin/school/"):
		kind = "school"
	case strings.Contains(path, "/sessions/"):
		own := slices.DeleteFunc(slices.Clone(q.order), func(l string) bool { return q.sessions[l].user != s.user && q.chance(0.9) })
		return "session:" + pick(q.rng, append(own, s.label))
	}
	school := q.schoolLabel(s.school)
	var own, all []string
	for _, label := range sortedKeys(q.ids) {
		if !strings.HasPrefix(label, kind+":") {
			continue
		}
		all = append(all, label)
		name := strings.TrimPrefix(label, kind+":")
		if strings.HasPrefix(name, school+".") || q.employer[name] == s.school && s.school != "" {
			own = append(own, label)
			if a := q.atStart(name); kind == "employee" && a != nil && !a.person.mine && q.shared(a.person) {
				own = append(own, label, label) // prefer people with several accounts
			}
		}
	}
	switch {
	case len(own) > 0 && q.chance(0.9):
		return pick(q.rng, own)
	case len(all) > 0:
		return pick(q.rng, all)
	}
	return kind + ":none"
}

// address picks a phone or an e-mail of the attacker or of someone else.
func (q *Sequence) address(kind string) ref { return ref(kind + ":" + q.someone(q.chance(0.6)).label) }

func (q *Sequence) someone(mine bool) *person {
	return pick(q.rng, slices.DeleteFunc(slices.Clone(q.people), func(p *person) bool { return p.mine != mine }))
}

func (q *Sequence) roleIn(school string) ref {
	return ref("role:" + school + "." + pick(q.rng, []string{"admin", "admin", "admin", "teacher", "driver", "office", "desk"}))
}

func (q *Sequence) schoolLabel(id string) string {
	for _, s := range q.schools {
		if s.id == id {
			return s.label
		}
	}
	return pick(q.rng, q.schools).label
}

// atStart returns the initial account with a label, or nil.
func (q *Sequence) atStart(label string) *account {
	for _, a := range q.accounts {
		if a.label == label {
			return a
		}
	}
	return nil
}

// decisive are the modules that give power over other accounts.
var decisive = []string{"employee", "student", "role"}

// unresolvedPermissions generates a permission table: decisive modules with
// probability p, others with 0.25. The module ids are refs.
func (q *Sequence) unresolvedPermissions(p float64) []any {
	var out []any
	for _, module := range modules {
		chance := 0.25
		if slices.Contains(decisive, module) {
			chance = p
		}
		read := q.chance(chance)
		out = append(out, object{"moduleId": ref("module:" + module),
			"canRead": read, "canWrite": read && q.chance(0.8), "canDelete": read && q.chance(0.3)})
	}
	return out
}

// permissions generates a permission table with the ids of the modules.
func (q *Sequence) permissions(p float64) any {
	table, _ := q.resolve(q.unresolvedPermissions(p))
	return table
}

// noteChange records, for later moves, to whom codes and links were sent and which
// phone an employee has now.
func (q *Sequence) noteChange(m Move) {
	for _, body := range append([]object{m.Body}, m.CSV...) {
		phone, _ := body["phone"].(ref)
		email, _ := body["email"].(ref)
		to := strings.TrimPrefix(string(phone), "phone:")
		switch {
		case strings.HasSuffix(m.Route, "/send-otp"):
			q.pendingCode[to] = true
		case strings.Contains(m.Route, "/school-admin/employee/"):
			employee := m.Step
			if m.Path["id"] != "" {
				employee = strings.TrimPrefix(m.Path["id"], "employee:")
			} else if s := q.sessions[m.By]; s != nil {
				q.employer[employee] = s.school
			}
			if phone != "" {
				q.phoneOf[employee] = to
			}
			fallthrough
		case strings.HasSuffix(m.Route, "/forgot-password"):
			if email != "" {
				q.pendingLink[strings.TrimPrefix(string(email), "email:")] = true
			}
		case strings.HasSuffix(m.Route, "/reset-password"):
			link, _ := m.Body["token"].(ref)
			q.justReset = strings.TrimPrefix(string(link), "link:")
		}
	}
}
