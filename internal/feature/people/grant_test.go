package people_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"homeroom/internal/feature/identity"
	"homeroom/internal/feature/people/peopletest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

// office is a world in which administrators of several roles meet.
type office struct {
	staff
	n *int // counter for unique names
}

func eachOffice(t *testing.T, test func(t *testing.T, w office)) {
	t.Helper()
	peopletest.Each(t, func(w *peopletest.World) []web.Route {
		return slices.Concat(w.People.Routes(), w.Roles.Routes(), w.People.Accounts.Routes())
	}, func(t *testing.T, w *peopletest.World) { test(t, office{staff{w}, new(int)}) })
}

func (w office) next() int { *w.n++; return *w.n }

type obj = map[string]any

// newRole makes a role with grants such as "employee:rw fee:r".
func (w office) newRole(typ actor.Role, grants string) id.ID {
	w.Helper()
	a := w.Call(w.North.Admin, "POST", "/school-admin/role/create", obj{"name": fmt.Sprint("Role ", w.next()), "type": typ}).Is(201)
	role := a.Data["id"].(string)
	w.Call(w.North.Admin, "PUT", "/school-admin/role/"+role+"/permissions", obj{"permissions": w.table(grants)}).Is(200)
	return id.ID(role)
}

// table is grants as a request body.
func (w office) table(grants string) (out []obj) {
	w.Helper()
	modules := w.Call(w.North.Admin, "GET", "/school-admin/module/list?limit=100", nil).Is(200)
	ids := map[string]string{}
	for i, name := range modules.All("items", "name") {
		ids[name] = modules.All("items", "id")[i]
	}
	for _, g := range strings.Fields(grants) {
		module, verbs, _ := strings.Cut(g, ":")
		out = append(out, obj{"moduleId": ids[module], "canRead": strings.Contains(verbs, "r"), "canWrite": strings.Contains(verbs, "w"),
			"canDelete": strings.Contains(verbs, "d")})
	}
	return out
}

// member is an administrator, with or without an employee's record.
type member struct {
	user     id.ID
	token    string
	email    string
	employee string
	code     string
}

// admin makes an administrator of the role who has a password and is no employee.
func (w office) admin(role id.ID) (m member) {
	w.Helper()
	m.email = fmt.Sprintf("admin%d@example.org", w.next())
	w.In(w.North, func(ctx context.Context, tx *db.Tx) (err error) {
		m.user, err = w.People.Accounts.CreateAccount(ctx, tx, actor.Actor{}, identity.NewAccount{
			Role: actor.SchoolAdmin, RoleID: role, Name: "Ad Min", Email: m.email, PasswordHash: "of no password"})
		return err
	})
	m.token = w.North.Token(m.user)
	return m
}

// colleague makes an administrator who is an employee, too.
func (w office) colleague(role id.ID) member {
	w.Helper()
	m := w.admin(role)
	m.code = fmt.Sprint("C-", w.next())
	m.employee = w.hire(obj{"firstName": "Ad", "lastName": "Min", "employeeCode": m.code, "email": m.email, "roleId": role})
	return m
}

func (w office) teacher() (employee, code string) {
	w.Helper()
	code = fmt.Sprint("T-", w.next())
	return w.hire(obj{"firstName": "Tea", "employeeCode": code, "phone": w.phone(), "email": fmt.Sprintf("tea%d@example.org", w.next())}), code
}

func (w office) phone() string { return fmt.Sprintf("+1555020%04d", w.next()) }

// state is everything that a refused call must leave as it was.
func (w office) state() string {
	w.Helper()
	var out []any
	for _, sql := range []string{
		`SELECT CAST(id AS TEXT) || CAST(role_id AS TEXT) || name || COALESCE(phone, '') || COALESCE(email, '') || status || password_hash
			FROM users WHERE school_id = :school ORDER BY id`,
		`SELECT CAST(id AS TEXT) || CAST(role_id AS TEXT) || first_name || email || phone || status FROM employees WHERE school_id = :school
			AND archived_at IS NULL ORDER BY id`,
		`SELECT CAST(id AS TEXT) || name || type FROM roles WHERE school_id = :school ORDER BY id`,
		`SELECT email FROM email_logins WHERE school_id = :school ORDER BY email`,
	} {
		rows, err := db.All[string](w.Context(), w.DB.School(w.North.ID), sql, nil)
		if err != nil {
			w.Fatal(err)
		}
		out = append(out, rows)
	}
	out = append(out, w.Count(`role_permissions WHERE school_id = :school AND can_read`, nil))
	raw, err := json.Marshal(out)
	if err != nil {
		w.Fatal(err)
	}
	return string(raw)
}

const (
	targetGrants = "employee:rwd role:rwd fee:r"
	lesserGrants = "employee:rwd role:rwd"
)

// ask sends one prepared request.
type ask func(token string) peopletest.Answer

// ways are all requests that change an administrator of a role. Each creates what it needs.
var ways = map[string]func(w office, role id.ID) ask{
	"create with an account": func(w office, role id.ID) ask {
		return w.asks("POST", employeePath+"create", obj{"firstName": "New", "roleId": role, "email": fmt.Sprintf("new%d@example.org", w.next())})
	},
	"create without an account": func(w office, role id.ID) ask {
		return w.asks("POST", employeePath+"create", obj{"firstName": "New", "roleId": role})
	},
	"adopt": func(w office, role id.ID) ask {
		return w.asks("POST", employeePath+"create", obj{"firstName": "Mine", "roleId": role, "email": w.admin(role).email})
	},
	"adopt and demote": func(w office, role id.ID) ask {
		return w.asks("POST", employeePath+"create", obj{"firstName": "Mine", "roleId": w.newRole(actor.SchoolAdmin, "fee:r"),
			"email": w.admin(role).email})
	},
	"give the record an e-mail": func(w office, role id.ID) ask {
		at := w.hire(obj{"firstName": "New", "roleId": role})
		return w.asks("PUT", employeePath+at, obj{"email": fmt.Sprintf("new%d@example.org", w.next())})
	},
	"promote": func(w office, role id.ID) ask {
		at, _ := w.teacher()
		return w.asks("PUT", employeePath+at, obj{"roleId": role})
	},
	"demote to teacher": func(w office, role id.ID) ask {
		return w.asks("PUT", employeePath+w.colleague(role).employee, obj{"roleId": w.role(actor.Teacher), "phone": w.phone()})
	},
	"demote to a lesser role": func(w office, role id.ID) ask {
		return w.asks("PUT", employeePath+w.colleague(role).employee, obj{"roleId": w.newRole(actor.SchoolAdmin, "fee:r")})
	},
	"rename": func(w office, role id.ID) ask {
		return w.asks("PUT", employeePath+w.colleague(role).employee, obj{"firstName": "Other"})
	},
	"e-mail": func(w office, role id.ID) ask {
		return w.asks("PUT", employeePath+w.colleague(role).employee, obj{"email": fmt.Sprintf("mine%d@example.org", w.next())})
	},
	"phone": func(w office, role id.ID) ask {
		return w.asks("PUT", employeePath+w.colleague(role).employee, obj{"phone": w.phone()})
	},
	"resign": func(w office, role id.ID) ask {
		return w.asks("PUT", employeePath+w.colleague(role).employee, obj{"status": "RESIGNED"})
	},
	"bring back": func(w office, role id.ID) ask {
		at := w.colleague(role).employee
		w.call("PUT", at, obj{"status": "RESIGNED"}).Is(200)
		return w.asks("PUT", employeePath+at, obj{"status": "ACTIVE"})
	},
	"delete": func(w office, role id.ID) ask {
		return w.asks("DELETE", employeePath+w.colleague(role).employee, nil)
	},
	"import": func(w office, role id.ID) ask {
		return w.imports("", "firstName,role,email\nNew,%s,new%d@example.org\n", w.nameOf(role), w.next())
	},
	"import, tried": func(w office, role id.ID) ask {
		return w.imports("?dryRun=true", "firstName,role\nNew,%s\n", w.nameOf(role))
	},
	"import a promotion": func(w office, role id.ID) ask {
		_, code := w.teacher()
		return w.imports("?mode=upsert", "employeeCode,role\n%s,%s\n", code, w.nameOf(role))
	},
	"import a demotion": func(w office, role id.ID) ask {
		return w.imports("?mode=upsert", "employeeCode,role,phone\n%s,TEACHER,%s\n", w.colleague(role).code, w.phone())
	},
	"import an e-mail": func(w office, role id.ID) ask {
		return w.imports("?mode=upsert", "employeeCode,email\n%s,mine%d@example.org\n", w.colleague(role).code, w.next())
	},
	"import, tried, a name": func(w office, role id.ID) ask {
		return w.imports("?mode=upsert&dryRun=true", "employeeCode,firstName\n%s,Other\n", w.colleague(role).code)
	},
	"rename the role": func(w office, role id.ID) ask {
		return w.asks("PUT", "/school-admin/role/"+string(role), obj{"name": fmt.Sprint("Renamed ", w.next())})
	},
	"take from the role": func(w office, role id.ID) ask {
		return w.asks("PUT", "/school-admin/role/"+string(w.newRole(actor.SchoolAdmin, targetGrants))+"/permissions",
			obj{"permissions": w.table("fee:")})
	},
	"give to a role": func(w office, role id.ID) ask {
		return w.asks("PUT", "/school-admin/role/"+string(w.newRole(actor.SchoolAdmin, "role:r"))+"/permissions",
			obj{"permissions": w.table("fee:r")})
	},
	"delete a role": func(w office, role id.ID) ask {
		return w.asks("DELETE", "/school-admin/role/"+string(w.newRole(actor.SchoolAdmin, targetGrants)), nil)
	},
	"make a role administrative": func(w office, role id.ID) ask {
		return w.asks("PUT", "/school-admin/role/"+string(w.newRole(actor.Teacher, targetGrants)), obj{"type": "SCHOOL_ADMIN"})
	},
	"make a role harmless": func(w office, role id.ID) ask {
		return w.asks("PUT", "/school-admin/role/"+string(w.newRole(actor.SchoolAdmin, targetGrants)), obj{"type": "TEACHER"})
	},
}

func (w office) asks(method, path string, data any) ask {
	return func(token string) peopletest.Answer { return w.Call(token, method, path, data) }
}

func (w office) imports(query, format string, a ...any) ask {
	return func(token string) peopletest.Answer {
		return w.Send(token, employeeImport+query, "text/csv", fmt.Sprintf(format, a...))
	}
}

func (w office) nameOf(role id.ID) string {
	w.Helper()
	return w.Call(w.North.Admin, "GET", "/school-admin/role/"+string(role), nil).Is(200).Data["name"].(string)
}

// TestNobodyGivesWhatTheyDontHave tries every way as someone with fewer
// permissions than the role, with the same, and with all.
func TestNobodyGivesWhatTheyDontHave(t *testing.T) {
	eachOffice(t, func(t *testing.T, w office) {
		target := w.newRole(actor.SchoolAdmin, targetGrants)
		lesser := w.admin(w.newRole(actor.SchoolAdmin, lesserGrants))
		equal := w.admin(w.newRole(actor.SchoolAdmin, targetGrants))
		for name, way := range ways {
			do := way(w, target)
			before := w.state()
			if a := do(lesser.token); a.Status != 403 || a.Error != "PERMISSION_DENIED" {
				t.Errorf("%s, with too little: %d %s", name, a.Status, a.Text)
			}
			if w.state() != before {
				t.Errorf("%s was refused and changed something", name)
			}
			for with, token := range map[string]string{"the same": equal.token, "everything": w.North.Admin} {
				if a := way(w, target)(token); a.Status >= 300 || strings.Contains(a.Text, `"failed":1`) {
					t.Errorf("%s, with %s: %d %s", name, with, a.Status, a.Text)
				}
			}
		}
	})
}

// TestLoginOfAnAdministrator: changing a login needs write on role, ends sessions and notifies the owner.
func TestLoginOfAnAdministrator(t *testing.T) {
	eachOffice(t, func(t *testing.T, w office) {
		role := w.newRole(actor.SchoolAdmin, "employee:rw fee:r")
		manager := w.admin(w.newRole(actor.SchoolAdmin, "employee:rw fee:rw role:r"))
		one := w.colleague(role)
		own := w.colleague(role)
		for _, x := range []struct {
			token, employee string
			data            obj
		}{
			{manager.token, one.employee, obj{"email": "other@example.org"}}, {manager.token, one.employee, obj{"phone": w.phone()}},
			{own.token, own.employee, obj{"email": "other@example.org"}}, {own.token, own.employee, obj{"phone": w.phone()}},
		} {
			if a := w.Call(x.token, "PUT", employeePath+x.employee, x.data).Is(403, "PERMISSION_DENIED"); !strings.Contains(a.Text, "roles") {
				t.Errorf("refused for another reason: %s", a.Text)
			}
		}
		w.Call(manager.token, "PUT", employeePath+one.employee, obj{"firstName": "Other", "designation": "Head"}).Is(200)
		w.Call(own.token, "PUT", employeePath+own.employee, obj{"lastName": "Other"}).Is(200)

		for _, c := range []obj{{"phone": w.phone()}, {"email": "other@example.org"}} {
			told := w.sent(one.email)
			w.signIn(one.user)
			w.call("PUT", one.employee, c).Is(200)
			if w.sessions(one.user) != 0 {
				t.Errorf("%v: still signed in", c)
			}
			if got := w.sent(one.email); len(got) != len(told)+1 || !strings.Contains(got[len(got)-1], "NORTH was changed") ||
				strings.Contains(got[len(got)-1], "other@") {
				t.Errorf("%v: told %q", c, got)
			}
		}
		if got := w.sent("other@example.org"); len(got) != 1 || got[0] != "Your Homeroom account: " {
			t.Errorf("the new address was sent %q, want a link to a password", got)
		}
		if u := w.account(one.employee); u.HasPassword || *u.Email != "other@example.org" {
			t.Errorf("the old password opens the new address: %+v", u)
		}
		// Without an e-mail the notice goes by SMS.
		phone := w.phone()
		tea := w.hire(obj{"firstName": "Tea", "phone": phone})
		w.call("PUT", tea, obj{"roleId": role, "email": "tea@example.org", "phone": w.phone()}).Is(200)
		if got := w.sent(phone); len(got) != 1 {
			t.Errorf("told by SMS: %q", got)
		}
		// A new role ends sessions; new permissions of the role don't.
		two := w.colleague(role)
		w.signIn(two.user)
		w.Call(w.North.Admin, "PUT", "/school-admin/role/"+string(role)+"/permissions", obj{"permissions": w.table("event:r")}).Is(200)
		if w.sessions(two.user) != 1 {
			t.Error("signed out by a permission")
		}
		w.call("PUT", two.employee, obj{"roleId": w.newRole(actor.SchoolAdmin, "fee:r")}).Is(200)
		if w.sessions(two.user) != 0 {
			t.Error("still signed in with another role")
		}
	})
}

// sent is the messages to an address: subject, and body unless sealed.
func (w staff) sent(to string) []string {
	w.Helper()
	out, err := db.All[string](w.Context(), w.DB.School(w.North.ID), `
		SELECT subject || ': ' || CASE WHEN sealed THEN '' ELSE body END FROM deliveries WHERE school_id = :school AND to_addr = :to
		ORDER BY id`, db.Args{"to": to})
	if err != nil {
		w.Fatal(err)
	}
	return out
}
