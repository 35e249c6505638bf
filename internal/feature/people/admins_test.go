package people_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/identity"
	"homeroom/internal/feature/people/peopletest"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// superToken makes a super-administrator.
func (w office) superToken() string {
	w.Helper()
	var user id.ID
	err := w.DB.InSchool(w.Context(), school.PlatformID, func(ctx context.Context, tx *db.Tx) (err error) {
		user, err = w.People.Accounts.CreateAccount(ctx, tx, actor.Actor{}, identity.NewAccount{
			Role: actor.SuperAdmin, Name: "Su", Email: "super@example.org", PasswordHash: "of no password"})
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return peopletest.School{ID: school.PlatformID}.Token(user)
}

func (w office) userOf(email string) id.ID {
	w.Helper()
	user, err := db.One[id.ID](w.Context(), w.DB.School(w.North.ID), `SELECT id FROM users WHERE school_id = :school
		AND email = :email`, db.Args{"email": email})
	if err != nil {
		w.Fatal(err)
	}
	return user
}

// full counts the active administrators of the system role, which has all permissions.
func (w office) full() int {
	w.Helper()
	return w.Count(`users WHERE school_id = :school AND role_id = :role
		AND status = 'ACTIVE'`, db.Args{"role": w.role(actor.SchoolAdmin)})
}

// TestSchoolKeepsOneFullAdministrator whoever asks.
func TestSchoolKeepsOneFullAdministrator(t *testing.T) {
	eachOffice(t, func(t *testing.T, w office) {
		super, sole := w.superToken(), string(w.userOf("north@example.org"))
		role := w.role(actor.SchoolAdmin)
		w.admin(w.newRole(actor.SchoolAdmin, targetGrants)) // lacks permissions
		own := w.hire(obj{"firstName": "First", "employeeCode": "A1", "email": "north@example.org", "roleId": role})
		other := w.colleague(role)
		w.call("PUT", other.employee, obj{"status": "RESIGNED"}).Is(200) // is not active
		deputy := w.newRole(actor.SchoolAdmin, "fee:r")
		asSuper := func(method, path string, data any) ask {
			return func(string) peopletest.Answer { return w.Call(super, method, path, data) }
		}
		losses := map[string]ask{
			"own role":              w.asks("PUT", employeePath+own, obj{"roleId": deputy}),
			"own status":            w.asks("PUT", employeePath+own, obj{"status": "RESIGNED"}),
			"own record":            w.asks("DELETE", employeePath+own, nil),
			"a permission":          w.asks("PUT", "/school-admin/role/"+string(role)+"/permissions", obj{"permissions": w.table("fee:rw")}),
			"disabled by platform":  asSuper("PUT", "/super-admin/admin/"+sole, obj{"status": "DISABLED"}),
			"other role, platform":  asSuper("PUT", "/super-admin/admin/"+sole, obj{"roleId": deputy}),
			"deleted by platform":   asSuper("DELETE", "/super-admin/admin/"+sole, nil),
			"the service's own way": func(string) peopletest.Answer { return w.setRole(sole, deputy) },
		}
		before := w.state()
		for name, do := range losses {
			if a := do(w.North.Admin); a.Status != 409 || a.Error != "Conflict" {
				t.Errorf("%s: got %d %s, want a refusal", name, a.Status, a.Text)
			}
		}
		if got := w.Send(w.North.Admin, employeeImport+"?mode=upsert", "text/csv",
			"employeeCode,status\nA1,RESIGNED\n").Is(200); !strings.Contains(got.Text, "your own access") {
			t.Errorf("imported: %s", got.Text)
		}
		if w.state() != before {
			t.Error("something was changed")
		}
		w.call("PUT", other.employee, obj{"status": "ACTIVE"}).Is(200)
		w.Call(super, "PUT", "/super-admin/admin/"+sole, obj{"status": "DISABLED"}).Is(200) // another administrator exists now
		if w.full() != 1 {
			t.Errorf("%d administrators with all permissions", w.full())
		}
		if _, err := w.Schools.Suspend(w.Context(), actor.Actor{}, w.North.ID); err != nil {
			t.Fatal(err)
		}
		w.Call(super, "DELETE", "/super-admin/admin/"+string(other.user), nil).Is(204) // of a suspended school
	})
}

// setRole gives a role without a caller, and answers as a route would.
func (w office) setRole(user string, role id.ID) (a peopletest.Answer) {
	err := w.DB.InSchool(w.Context(), w.North.ID, func(ctx context.Context, tx *db.Tx) error {
		return w.People.Accounts.SetRole(ctx, tx, actor.Actor{}, id.ID(user), role)
	})
	if err != nil && strings.Contains(err.Error(), identity.ErrLastAdmin.Message) {
		a.Status, a.Error = 409, "Conflict"
	}
	return a
}

// restore makes someone an active administrator of the role again.
func (w office) restore(m member, role id.ID) {
	w.Helper()
	w.In(w.North, func(ctx context.Context, tx *db.Tx) error {
		_, err := w.People.Accounts.Update(ctx, tx, actor.Actor{}, m.user, identity.Change{RoleID: &role, Status: new(identity.Active)})
		return err
	})
	w.Exec(w.North, `UPDATE employees SET role_id = :role, status = 'ACTIVE' WHERE school_id = :school
		AND id = :id`, db.Args{"role": role, "id": m.employee})
}

// TestTwoAdministratorsDemoteEachOther at the same moment: one stays.
func TestTwoAdministratorsDemoteEachOther(t *testing.T) {
	eachOffice(t, func(t *testing.T, w office) {
		role, teacher := w.role(actor.SchoolAdmin), w.role(actor.Teacher)
		pair := [2]member{w.colleague(role), w.colleague(role)}
		w.In(w.North, func(ctx context.Context, tx *db.Tx) error {
			return w.People.Accounts.SetStatus(ctx, tx, actor.Actor{}, w.userOf("north@example.org"), identity.Disabled)
		})
		for round := range 50 {
			var wg sync.WaitGroup
			var got [2]peopletest.Answer
			for i := range pair {
				data := obj{"status": "RESIGNED"}
				if round%2 == 0 {
					data = obj{"roleId": teacher, "phone": w.phone()}
				}
				wg.Go(func() { got[i] = w.Call(pair[i].token, "PUT", employeePath+pair[1-i].employee, data) })
			}
			wg.Wait()
			if (got[0].Status == 200) == (got[1].Status == 200) || w.full() != 1 {
				t.Fatalf("round %d: %d with everything: %s and %s", round, w.full(), got[0].Text, got[1].Text)
			}
			loser := pair[0]
			if got[0].Status == 200 {
				loser = pair[1]
			}
			w.restore(loser, role)
		}
	})
}

// TestRoleRaisedWhileItIsGiven gives a role while its permissions grow, or while the
// caller loses permissions: the role must not be given after either has committed.
func TestRoleRaisedWhileItIsGiven(t *testing.T) {
	eachOffice(t, func(t *testing.T, w office) {
		callers := w.newRole(actor.SchoolAdmin, "employee:rw fee:r")
		clerk := w.admin(callers)
		fee, event, noFee := w.table("fee:r"), w.table("event:r"), w.table("fee:")
		for round := range 25 {
			role := w.newRole(actor.SchoolAdmin, "fee:r")
			at, _ := w.teacher()
			edited, change := role, event // the role is raised
			if round%2 == 1 {
				edited, change = callers, noFee // or the caller lowered
			}
			var wg sync.WaitGroup
			var given peopletest.Answer
			wg.Go(func() { given = w.Call(clerk.token, "PUT", employeePath+at, obj{"roleId": role}) })
			wg.Go(func() {
				w.Call(w.North.Admin, "PUT", "/school-admin/role/"+string(edited)+"/permissions", obj{"permissions": change}).Is(200)
			})
			wg.Wait()
			if given.Status != 200 && given.Status != 403 {
				t.Fatalf("give the role: got %d %s, want 200 or 403", given.Status, given.Text)
			}
			// Both write the audit log under the lock, so its order is theirs.
			late := w.Count(`audit_log g JOIN audit_log e ON e.school_id = g.school_id AND e.id < g.id
				WHERE g.school_id = :school AND g.action = 'user.update' AND g.entity_id = :user AND e.action = 'role.permissions'
				AND e.entity_id = :role AND e.id >= :first`,
				db.Args{"user": w.account(at).ID, "role": edited, "first": w.newest(edited)})
			if given.Status == 200 && late > 0 {
				t.Fatalf("round %d: given after it was too much: %s", round, given.Text)
			}
			w.Call(w.North.Admin, "PUT", "/school-admin/role/"+string(callers)+"/permissions", obj{"permissions": fee}).Is(200)
		}
	})
}

// newest is the id of the newest audit entry of a role's permissions.
func (w office) newest(role id.ID) id.ID {
	w.Helper()
	e, err := db.One[id.ID](w.Context(), w.DB.School(w.North.ID), `
		SELECT id FROM audit_log WHERE school_id = :school AND action = 'role.permissions' AND entity_id = :role ORDER BY id DESC
		LIMIT 1`, db.Args{"role": role})
	if err != nil {
		w.Fatal(err)
	}
	return e
}

var anyID = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f-]{27}|\d{4}-\d\d-\d\dT[0-9:.]+Z|E\d{4}|X\d`)

// TestEmailOfAnotherSchool: a school can't tell another school's e-mail from an unused one.
func TestEmailOfAnotherSchool(t *testing.T) {
	eachOffice(t, func(t *testing.T, w office) {
		role := w.role(actor.SchoolAdmin)
		// far is an administrator's of South, near nobody's: same length, so that answers compare.
		const far, near = "south@example.org", "north.e@exam.org"
		shown := func(email string, a peopletest.Answer) string {
			return fmt.Sprint(a.Status, " ", anyID.ReplaceAllString(strings.ReplaceAll(a.Text, email, "EMAIL"), "-"))
		}
		same := func(name string, do func(email string) peopletest.Answer) {
			t.Helper()
			a, b := shown(far, do(far)), shown(near, do(near))
			if a != b {
				t.Errorf("%s: another school's e-mail is told from nobody's:\n%s\n%s", name, a, b)
			}
		}
		create := func(email string) peopletest.Answer {
			return w.call("POST", "create", obj{"firstName": "Far", "email": email, "roleId": role})
		}
		same("create", create)
		same("create again", create)
		same("import", func(email string) peopletest.Answer {
			return w.imports("", "firstName,role,email\nFar,SCHOOL_ADMIN,%s\n", email)(w.North.Admin)
		})
		same("deliveries", func(email string) peopletest.Answer {
			return peopletest.Answer{Text: strings.Join(w.sent(email), "\n")}
		})
		for _, email := range []string{far, near} { // and free them again
			w.call("DELETE", w.employeeOf(email), nil).Is(204)
		}
		same("import alone", func(email string) peopletest.Answer {
			return w.imports("", "firstName,role,email\nFar,SCHOOL_ADMIN,%s\n", email)(w.North.Admin)
		})
		for _, email := range []string{far, near} {
			w.call("DELETE", w.employeeOf(email), nil).Is(204)
		}
		one := map[string]member{far: w.colleague(role), near: w.colleague(role)}
		same("update", func(email string) peopletest.Answer {
			a := w.call("PUT", one[email].employee, obj{"email": email})
			a.Text = strings.ReplaceAll(a.Text, one[email].code, "CODE")
			return a
		})
		for email, m := range one {
			if u := w.account(m.employee); u.HasPassword || *u.Email != email {
				t.Errorf("%s: a password that could be tried: %+v", email, u)
			}
		}
		if n := w.Count(`email_logins WHERE school_id = :school AND email = :email`, db.Args{"email": far}); n != 0 {
			t.Error("the e-mail has become another account's")
		}
		w.call("PUT", one[far].employee, obj{"email": "own@example.org"}).Is(200) // another address works
		if n := w.Count(`email_logins WHERE school_id = :school AND email = 'own@example.org'`, nil); n != 1 {
			t.Error("no login")
		}
		w.Call(w.superToken(), "POST", "/super-admin/admin/create",
			obj{"schoolId": w.North.ID, "name": "X", "email": far}).Is(409, "DUPLICATE_ENTRY")
	})
}

func (w office) employeeOf(email string) string {
	w.Helper()
	e, err := db.One[string](w.Context(), w.DB.School(w.North.ID), `SELECT CAST(id AS TEXT) FROM employees
		WHERE school_id = :school AND email = :email AND archived_at IS NULL`, db.Args{"email": email})
	if err != nil {
		w.Fatal(err)
	}
	return e
}

// TestWriteOnEmployeeIsNotTheWholeSchool: write on employee must not lead to more permissions.
func TestWriteOnEmployeeIsNotTheWholeSchool(t *testing.T) {
	t.Parallel()
	apptest.Each(t, func(t *testing.T, s *apptest.Service) {
		role := func(name string) string {
			for _, r := range s.Call(t, s.North.Admin, "GET", "/school-admin/role/list?search="+name, nil).OK().Items() {
				return r.Text("id")
			}
			return ""
		}
		admin := role("administrator")
		clerks := s.Call(t, s.North.Admin, "POST", "/school-admin/role/create", obj{"name": "Clerk", "type": "SCHOOL_ADMIN"}).OK().Text("id")
		for _, m := range s.Call(t, s.North.Admin, "GET", "/school-admin/module/list?search=employee", nil).OK().Items() {
			s.Call(t, s.North.Admin, "PUT", "/school-admin/role/"+clerks+"/permissions",
				obj{"permissions": []obj{{"moduleId": m.Text("id"), "canRead": true, "canWrite": true}}}).OK()
		}
		appoint := func(email, role string) *apptest.Account {
			made := s.Call(t, s.Super, "POST", "/super-admin/admin/create", obj{"schoolId": s.North.ID, "name": "Ad", "email": email,
				"roleId": role}).OK()
			a := &apptest.Account{ID: id.ID(made.Text("id")), School: s.North.ID, Role: actor.SchoolAdmin, Email: email}
			s.SignIn(t, a)
			return a
		}
		clerk, principal := appoint("clerk@example.org", clerks), appoint("principal@example.org", admin)

		s.Call(t, clerk, "POST", "/school-admin/employee/create",
			obj{"firstName": "Me", "roleId": admin, "email": "me@example.org"}).Want(403, "PERMISSION_DENIED")
		s.Call(t, clerk, "POST", "/school-admin/employee/create",
			obj{"firstName": "Me", "roleId": clerks, "email": principal.Email}).Want(403, "PERMISSION_DENIED")
		head := s.Call(t, s.North.Admin, "POST", "/school-admin/employee/create",
			obj{"firstName": "Head", "roleId": admin, "email": principal.Email}).OK().Text("id")
		s.Call(t, clerk, "PUT", "/school-admin/employee/"+head, obj{"email": "me@example.org"}).Want(403, "PERMISSION_DENIED")
		s.Call(t, clerk, "PUT", "/school-admin/employee/"+head, obj{"roleId": clerks}).Want(403, "PERMISSION_DENIED")
		s.Call(t, clerk, "POST", "/school-admin/employee/create", obj{"firstName": "Tea", "phone": "+15550177777"}).OK() // what the role is for
		s.Call(t, principal, "GET", "/school-admin/setting", nil).OK()
	})
}
