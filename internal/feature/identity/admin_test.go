package identity_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"homeroom/internal/feature/access"
	"homeroom/internal/feature/identity"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

const superMail = "super@homeroom.test"

// asSuper signs a super-administrator in.
func (w *world) asSuper() string {
	w.Helper()
	w.admin(school.PlatformID, superMail)
	return w.login(superMail).access()
}

func TestAdministrators(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		super, at := w.asSuper(), w.school("GREEN")
		create := func(body m) answer { t.Helper(); return w.call(super, "POST", "/super-admin/admin/create", body) }
		create(m{}).is(422, "Unprocessable Entity", "schoolId").is(422, "Unprocessable Entity", "name").is(422, "Unprocessable Entity", "email")
		for _, nowhere := range []id.ID{id.New(), school.PlatformID} {
			create(m{"schoolId": nowhere, "name": "Ann", "email": "ann@green.test"}).is(404, "Not Found")
		}
		a := create(m{"schoolId": at, "name": "Ann", "email": "Ann@Green.test", "phone": "+1 555 010 0005"}).is(201)
		ann := "/super-admin/admin/" + a.str("data", "id")
		if a.str("data", "email") != "ann@green.test" || a.str("data", "schoolName") != "School GREEN" ||
			a.str("data", "status") != "ACTIVE" || strings.Contains(a.text, "argon") {
			t.Errorf("created: %s", a.text)
		}
		create(m{"schoolId": w.school("RED"), "name": "Ann", "email": "ann@green.test"}).is(409, "DUPLICATE_ENTRY")
		create(m{"schoolId": at, "name": "Bob", "email": "bob@green.test", "phone": "+15550100005"}).is(409, "DUPLICATE_ENTRY")

		mail := w.link("ann@green.test")
		w.pass(7*24*time.Hour - time.Second)
		w.post("/auth/reset-password", m{"token": mail, "password": password}).is(200)
		in := w.login("ann@green.test")
		super = w.login(superMail).access()
		for _, path := range []string{"/super-admin/admin/list", ann} {
			w.call(in.access(), "GET", path, nil).is(403, "PERMISSION_DENIED")
			w.call("", "GET", path, nil).is(401, "Unauthorized")
		}
		w.call(super, "PUT", ann, m{"name": "Anna", "email": "anna@green.test", "version": 1}).is(409, "Conflict")
		w.call(super, "PUT", ann, m{"name": " "}).is(422, "Unprocessable Entity", "name")
		w.call(super, "PUT", ann, m{"email": ""}).is(422, "Unprocessable Entity", "email")
		b := w.call(super, "PUT", ann, m{"name": "Anna", "email": "anna@green.test"}).is(200)
		if b.str("data", "name") != "Anna" || b.str("data", "phone") != "+15550100005" {
			t.Errorf("changed: %s", b.text)
		}
		w.post("/auth/login", m{"email": "ann@green.test", "password": password}).is(401)
		if got := w.me(in.access()); got != 401 {
			t.Errorf("signed in after a new e-mail: %d", got)
		}
		in = w.login("anna@green.test")
		w.drain()
		if sent := w.outbox.to("ann@green.test"); len(sent) != 2 || !strings.Contains(sent[1].Body, "School GREEN") ||
			strings.Contains(sent[1].Body, "anna@") {
			t.Errorf("told at the old address: %+v", sent)
		}
		w.call(super, "PUT", ann, m{"status": "DISABLED"}).is(409, "Conflict") // the last one
		w.admin(at, "second@green.test")
		w.call(super, "PUT", ann, m{"status": "DISABLED"}).is(200)
		if got := w.me(in.access()); got != 401 {
			t.Errorf("disabled and signed in: %d", got)
		}
		w.post("/auth/login", m{"email": "anna@green.test", "password": password}).is(401)
		w.call(super, "PUT", ann, m{"status": "ACTIVE"}).is(200)
		in = w.login("anna@green.test")
		w.call(super, "DELETE", ann, nil).is(204)
		if got := w.me(in.access()); got != 401 {
			t.Errorf("deleted and signed in: %d", got)
		}
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			w.call(super, method, ann, m{}).is(404, "Not Found")
		}
		w.post("/auth/login", m{"email": "anna@green.test", "password": password}).is(401)
		create(m{"schoolId": at, "name": "Anna", "email": "anna@green.test", "phone": "+15550100005"}).is(201) // all free again

		seen := map[any]int{}
		for _, e := range w.call(super, "GET", "/super-admin/audit/list?limit=100&schoolId="+string(at), nil).items() {
			seen[e["action"]]++
			if strings.Contains(e["action"].(string), "user.") && e["entityId"] == nil {
				t.Errorf("audit: %v", e)
			}
		}
		if seen["user.create"] != 3 || seen["user.update"] != 3 || seen["user.delete"] != 1 || seen["user.password"] != 1 ||
			seen["session.start"] != 3 {
			t.Errorf("audit: %v", seen)
		}
	})
}

func TestListOfAdministrators(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		super, green, red := w.asSuper(), w.school("GREEN"), w.school("RED")
		for _, n := range []struct {
			at   id.ID
			name string
		}{{green, "Zoë"}, {green, "Ann"}, {red, "Bob"}} {
			w.call(super, "POST", "/super-admin/admin/create", m{"schoolId": n.at, "name": n.name, "email": strings.ToLower(n.name[:2]) + "@x.test"})
		}
		w.account(green, actor.Teacher, phone)
		bob := w.call(super, "GET", "/super-admin/admin/list?search=bo", nil).items()[0]["id"].(string)
		w.call(super, "PUT", "/super-admin/admin/"+bob, m{"status": "DISABLED"}).is(409, "Conflict") // the last one
		_, err := w.schools.Suspend(w.Context(), w.super(), red)
		check(t, err)
		w.call(super, "PUT", "/super-admin/admin/"+bob, m{"status": "DISABLED"}).is(200)
		for query, want := range map[string]string{
			"":                                    "Ann Bob Zoë",
			"?schoolId=" + string(green):          "Ann Zoë",
			"?search=ZOË":                         "Zoë",
			"?search=X.TEST&limit=2&page=2":       "Zoë",
			"?status=DISABLED":                    "Bob",
			"?status=ACTIVE&sort=name&order=desc": "Zoë Ann",
			"?sort=createdAt":                     "Zoë Ann Bob",
			"?sort=schoolName&order=desc":         "Bob",
		} {
			var names []string
			for _, a := range w.call(super, "GET", "/super-admin/admin/list"+query, nil).items() {
				names = append(names, a["name"].(string))
			}
			if got := strings.Join(names, " "); got != want && !strings.HasPrefix(got, want+" ") {
				t.Errorf("%q: %s, want %s", query, got, want)
			}
		}
		w.call(super, "GET", "/super-admin/admin/list?sort=passwordHash", nil).is(422)
		w.call(super, "GET", "/super-admin/admin/list?role=PARENT", nil).is(422)
	})
}

func TestSchoolInvitesItsFirstAdministrator(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		super := w.asSuper()
		body := m{"name": "Green", "code": "GREEN", "admin": m{"name": "Ann", "email": "ann@green.test", "phone": phone}}
		w.call(super, "POST", "/super-admin/school/create", body).is(201)
		body["code"] = "RED"
		w.call(super, "POST", "/super-admin/school/create", body).is(409, "DUPLICATE_ENTRY")
		link := w.link("ann@green.test")
		if sent := w.outbox.to("ann@green.test"); len(sent) != 1 || !strings.Contains(sent[0].Body, "Green") {
			t.Errorf("sent: %+v", sent)
		}
		w.post("/auth/login", m{"email": "ann@green.test", "password": password}).is(401)
		w.post("/auth/reset-password", m{"token": link, "password": password}).is(200)
		if a := w.login("ann@green.test"); a.str("user", "role") != "SCHOOL_ADMIN" || a.str("user", "phone") != phone {
			t.Errorf("user: %s", a.text)
		}
		if a := w.signIn("/auth", phone); a.str("user", "email") != "ann@green.test" {
			t.Errorf("by phone: %s", a.text)
		}
	})
}

// Accounts as the features above make and change them.
func TestAccounts(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.school("GREEN")
		user := w.account(at, actor.Parent, phone)
		w.account(at, actor.Teacher, phone)             // another role
		w.account(w.school("RED"), actor.Parent, phone) // another school
		fails := func(want fault.Kind, code string, fn func(ctx context.Context, tx *db.Tx) error) {
			t.Helper()
			err := w.db.InSchool(w.Context(), at, fn)
			if k, c := kind(err); err == nil || k != want || c != code {
				t.Errorf("got %v, want kind %d %s", err, want, code)
			}
		}
		create := func(n identity.NewAccount) func(context.Context, *db.Tx) error {
			return func(ctx context.Context, tx *db.Tx) error {
				_, err := w.people.CreateAccount(ctx, tx, w.super(), n)
				return err
			}
		}
		fails(fault.Conflict, "DUPLICATE_ENTRY", create(identity.NewAccount{Role: actor.Parent, Name: "X", Phone: phone}))
		fails(fault.Invalid, "", create(identity.NewAccount{Role: actor.Parent, Name: "X", Email: "x@green.test"}))
		fails(fault.Invalid, "", create(identity.NewAccount{Role: actor.SchoolAdmin, Name: "X", Phone: phone}))
		var driver access.Role
		w.in(at, func(ctx context.Context, tx *db.Tx) (err error) {
			driver, err = access.System(ctx, tx, actor.Driver)
			return err
		})
		fails(fault.Invalid, "", create(identity.NewAccount{Role: actor.Parent, RoleID: driver.ID, Name: "X", Phone: "+15550100003"}))
		// Parents may share an e-mail: they don't sign in with it.
		for _, n := range []string{"+15550100003", "+15550100004"} {
			w.in(at, create(identity.NewAccount{Role: actor.Parent, Name: "X", Phone: n, Email: "family@green.test"}))
		}
		found, err := w.people.FindByPhone(w.Context(), w.db.School(at), actor.Parent, phone)
		if err != nil || found != user {
			t.Errorf("found %s, %v", found, err)
		}
		if _, err := w.people.FindByPhone(w.Context(), w.db.School(at), actor.Driver, phone); fault.From(err).Kind != fault.NotFound {
			t.Errorf("found a driver: %v", err)
		}
		fails(fault.Conflict, "DUPLICATE_ENTRY", func(ctx context.Context, tx *db.Tx) error {
			return w.people.SetPhone(ctx, tx, w.super(), user, "+15550100003")
		})
		fails(fault.NotFound, "", func(ctx context.Context, tx *db.Tx) error {
			return w.people.SetStatus(ctx, tx, w.super(), id.New(), identity.Disabled)
		})
		n, err := w.people.CountByRole(w.Context(), w.db.School(at), driver.ID)
		if err != nil || n != 0 {
			t.Errorf("drivers: got %d, %v, want 0", n, err)
		}
		w.in(at, func(ctx context.Context, tx *db.Tx) error {
			return w.people.SetRole(ctx, tx, w.super(), user, driver.ID)
		})
		if n, err := w.people.CountByRole(w.Context(), w.db.School(at), driver.ID); err != nil || n != 1 {
			t.Errorf("drivers after SetRole: got %d, %v, want 1", n, err)
		}
		w.in(at, func(ctx context.Context, tx *db.Tx) error { return w.people.Delete(ctx, tx, w.super(), user) })
		if n, err := w.people.CountByRole(w.Context(), w.db.School(at), driver.ID); err != nil || n != 0 {
			t.Errorf("%d drivers after the deletion, %v", n, err)
		}
		left, err := db.One[struct{ Name, Search, PasswordHash, PinHash string }](w.Context(), w.db.School(at),
			`SELECT name, search, password_hash, pin_hash FROM users WHERE school_id = :school AND id = :id AND phone IS NULL
			AND email IS NULL`, db.Args{"id": user})
		if err != nil || left.Name+left.Search+left.PasswordHash+left.PinHash != "" {
			t.Errorf("left of a deleted account: %+v, %v", left, err)
		}
	})
}

// A teacher who becomes an administrator signs in by e-mail, and back again.
func TestRoleChangeMovesTheLogin(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.school("GREEN")
		w.admin(at, "head@green.test") // who stays
		var user id.ID
		role := map[actor.Role]id.ID{}
		w.in(at, func(ctx context.Context, tx *db.Tx) (err error) {
			for _, typ := range []actor.Role{actor.Teacher, actor.SchoolAdmin} {
				r, err := access.System(ctx, tx, typ)
				if err != nil {
					return err
				}
				role[typ] = r.ID
			}
			user, err = w.people.CreateAccount(ctx, tx, w.super(), identity.NewAccount{Role: actor.Teacher, Name: "Tea", Phone: phone, Email: email})
			return err
		})
		to := func(typ actor.Role) {
			w.in(at, func(ctx context.Context, tx *db.Tx) error {
				return w.people.SetRole(ctx, tx, w.super(), user, role[typ])
			})
		}
		w.post("/auth/forgot-password", m{"email": email}).is(200)
		w.drain()
		if len(w.outbox.to(email)) != 0 {
			t.Error("a teacher was sent a link")
		}
		to(actor.SchoolAdmin)
		w.post("/auth/reset-password", m{"token": w.link(email), "password": password}).is(200)
		if a := w.login(email); a.str("user", "role") != "SCHOOL_ADMIN" {
			t.Errorf("user: %s", a.text)
		}
		to(actor.Teacher)
		w.post("/auth/login", m{"email": email, "password": password}).is(401)
		w.admin(w.school("RED"), email) // free for another
	})
}
