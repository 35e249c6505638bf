package identity_test

import (
	"context"
	"testing"
	"time"

	"homeroom/internal/feature/access"
	"homeroom/internal/feature/identity"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/token"
	"homeroom/internal/schema"
)

// forge signs whatever it is told, with the service's own key.
func (w *world) forge(a token.Access) string {
	w.Helper()
	raw, err := (&token.Signer{Ring: w.keys, Now: w.Now, Rand: zeros{}}).SignAccess(a)
	check(w, err)
	return raw
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestGateErrors(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.school("GREEN")
		user := w.account(at, actor.Teacher, phone)
		a := w.signIn("/auth", phone)
		me := w.call(a.access(), "GET", "/auth/me", nil).is(200)
		good := token.Access{User: user, School: at, Session: id.ID(me.str("sessionId")), Role: actor.Teacher}
		with := func(change func(*token.Access)) string { c := good; change(&c); return w.forge(c) }
		foreign, err := token.ParseRing("test:HwECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
		check(t, err)
		stranger, err := (&token.Signer{Ring: foreign, Now: w.Now, Rand: zeros{}}).SignAccess(good)
		check(t, err)
		for name, tt := range map[string]struct {
			token  string
			status int
			error  string
		}{
			"good":            {w.forge(good), 200, ""},
			"none":            {"", 401, "Unauthorized"},
			"nonsense":        {"x.y.z", 401, "Unauthorized"},
			"other key":       {stranger, 401, "Unauthorized"},
			"no such session": {with(func(a *token.Access) { a.Session = id.New() }), 401, "Unauthorized"},
			"no such user":    {with(func(a *token.Access) { a.User = id.New() }), 401, "Unauthorized"},
			"other role":      {with(func(a *token.Access) { a.Role = actor.SchoolAdmin }), 401, "Unauthorized"},
			"other school":    {with(func(a *token.Access) { a.School = w.school("RED") }), 401, "Unauthorized"},
			"no such school":  {with(func(a *token.Access) { a.School = id.New() }), 404, "SCHOOL_NOT_FOUND"},
		} {
			for range 2 { // the second time from memory
				got := w.call(tt.token, "GET", "/auth/me", nil)
				if got.status != tt.status || tt.error != "" && got.all["error"] != tt.error {
					t.Errorf("%s: %d %s", name, got.status, got.text)
				}
			}
		}
		w.call(a.access(), "GET", "/school-admin/role/list", nil).is(403, "PERMISSION_DENIED")
		w.call("", "GET", "/school-admin/role/list", nil).is(401, "Unauthorized")
		w.call("", "GET", "/school-admin/role/list", nil, "Authorization", "Basic x").is(401, "Unauthorized")
	})
}

// changes are what must hold for the user's next call, and what that answers.
var changes = map[string]struct {
	change func(w *world, at, user id.ID) error
	me     int
	error  string
	login  int
}{
	"disabled": {changed(func(w *world, ctx context.Context, tx *db.Tx, user id.ID) error {
		return w.people.SetStatus(ctx, tx, w.super(), user, identity.Disabled)
	}), 401, "Unauthorized", 401},
	"deleted": {changed(func(w *world, ctx context.Context, tx *db.Tx, user id.ID) error {
		return w.people.Delete(ctx, tx, w.super(), user)
	}), 401, "Unauthorized", 401},
	"other phone": {changed(func(w *world, ctx context.Context, tx *db.Tx, user id.ID) error {
		return w.people.SetPhone(ctx, tx, w.super(), user, "+15550100077")
	}), 401, "Unauthorized", 401},
	"other type of role": {changed(func(w *world, ctx context.Context, tx *db.Tx, user id.ID) error {
		role, err := access.System(ctx, tx, actor.Driver)
		if err != nil {
			return err
		}
		return w.people.SetRole(ctx, tx, w.super(), user, role.ID)
	}), 401, "Unauthorized", 401},
	"school suspended": {func(w *world, at, _ id.ID) error {
		_, err := w.schools.Suspend(w.Context(), w.super(), at)
		return err
	}, 403, "PERMISSION_DENIED", 403},
}

// changed runs f in a transaction of the user's school.
func changed(f func(w *world, ctx context.Context, tx *db.Tx, user id.ID) error) func(w *world, at, user id.ID) error {
	return func(w *world, at, user id.ID) error {
		return w.db.InSchool(w.Context(), at, func(ctx context.Context, tx *db.Tx) error { return f(w, ctx, tx, user) })
	}
}

func TestChangesHoldAtOnce(t *testing.T) {
	for name, tt := range changes {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, w *world) {
				at := w.school("GREEN")
				user := w.account(at, actor.Teacher, phone)
				a := w.signIn("/auth", phone)
				w.call(a.access(), "POST", "/auth/set-pin", m{"pin": "2580"}).is(200)
				check(t, tt.change(w, at, user))
				w.call(a.access(), "GET", "/auth/me", nil).is(tt.me, tt.error)
				w.refresh(a.refresh()).is(tt.login)
				w.post("/auth/verify-pin", m{"phone": phone, "pin": "2580"}).is(tt.login)
				if name == "other type of role" { // may sign in again, to the new role
					if again := w.signIn("/auth", phone); again.str("user", "role") != "DRIVER" {
						t.Errorf("signed in: %s", again.text)
					}
					return
				}
				w.drain()
				sent := len(w.outbox.to(phone))
				w.post("/auth/send-otp", m{"phone": phone}).is(200)
				w.drain()
				if got := len(w.outbox.to(phone)) - sent; (got != 0) != (name == "school suspended") {
					t.Errorf("%d codes were sent", got) // a suspended school is reported only after a right code
				}
			})
		})
	}
}

func TestDeletedSchool(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.school("GREEN")
		w.admin(at, email)
		a := w.login(email)
		if w.me(a.access()) != 200 {
			t.Fatal("not signed in")
		}
		_, err := w.schools.Suspend(w.Context(), w.super(), at)
		check(t, err)
		check(t, w.schools.Delete(w.Context(), w.super(), at, "GREEN"))
		w.call(a.access(), "GET", "/auth/me", nil).is(404, "SCHOOL_NOT_FOUND")
		w.refresh(a.refresh()).is(401, "Unauthorized")
		w.post("/auth/login", m{"email": email, "password": password}).is(401)
		w.admin(w.school("BLUE"), email) // the e-mail is free again
	})
}

// TestTwoNodes: changes on one node apply on the other.
func TestTwoNodes(t *testing.T) {
	t.Parallel()
	for name, tt := range changes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, c := dbtest.URL(t, "postgres", schema.FS), newClock()
			here := start(t, dbtest.Dial(t, url, schema.FS), c)
			there := start(t, dbtest.Dial(t, url, schema.FS), c)
			at := here.school("GREEN")
			user := here.account(at, actor.Teacher, phone)
			a := here.signIn("/auth", phone)
			await.Until(t, "the other node to know", func() bool { return there.me(a.access()) == 200 })
			check(t, tt.change(here, at, user))
			await.Until(t, "the other node to know", func() bool { return there.me(a.access()) == tt.me })
		})
	}
	t.Run("permission", func(t *testing.T) {
		t.Parallel()
		url, c := dbtest.URL(t, "postgres", schema.FS), newClock()
		here := start(t, dbtest.Dial(t, url, schema.FS), c)
		there := start(t, dbtest.Dial(t, url, schema.FS), c)
		at := here.school("GREEN")
		here.admin(at, email)
		here.head(at)
		a := here.login(email)
		there.call(a.access(), "GET", "/school-admin/audit/list", nil).is(200)
		role := here.call(a.access(), "GET", "/auth/me", nil).str("user", "roleId")
		var module any
		for _, row := range here.call(a.access(), "GET", "/school-admin/module/list?search=report", nil).items() {
			module = row["id"]
		}
		here.call(a.access(), "PUT", "/school-admin/role/"+role+"/permissions",
			m{"permissions": []m{{"moduleId": module, "canWrite": true}}}).is(200)
		here.call(a.access(), "GET", "/school-admin/audit/list", nil).is(403, "PERMISSION_DENIED")
		await.Until(t, "the other node to know", func() bool {
			return there.call(a.access(), "GET", "/school-admin/audit/list",
				nil).status == 403
		})
	})
	t.Run("logout", func(t *testing.T) {
		t.Parallel()
		url, c := dbtest.URL(t, "postgres", schema.FS), newClock()
		here := start(t, dbtest.Dial(t, url, schema.FS), c)
		there := start(t, dbtest.Dial(t, url, schema.FS), c)
		here.account(here.school("GREEN"), actor.Teacher, phone)
		a := here.signIn("/auth", phone)
		await.Until(t, "the other node to know", func() bool { return there.me(a.access()) == 200 })
		here.call(a.access(), "POST", "/auth/logout", nil).is(200)
		await.Until(t, "the other node to know", func() bool { return there.me(a.access()) == 401 })
	})
}

// revokeSilently ends all sessions behind the service's back.
func (w *world) revokeSilently() {
	w.Helper()
	_, err := db.Exec(w.Context(), w.across(), `UPDATE sessions SET revoked_at = :now`, db.Args{"now": w.Now()})
	check(w, err)
}

// Changing the database directly shows what is served from the cache.
func TestMemory(t *testing.T) {
	for name, tt := range map[string]struct {
		then func(w *world, at id.ID)
		want int
	}{
		"nothing happened": {func(*world, id.ID) {}, 200},
		"a minute passed":  {func(w *world, _ id.ID) { w.pass(61 * time.Second) }, 401},
		"its school changed": {func(w *world, at id.ID) {
			w.in(at, func(ctx context.Context, tx *db.Tx) error { return access.Changed(ctx, tx, at) })
		}, 401},
		"another school changed": {func(w *world, _ id.ID) {
			at := w.school("RED")
			w.in(at, func(ctx context.Context, tx *db.Tx) error { return access.Changed(ctx, tx, at) })
		}, 200},
		"all schools changed": {func(w *world, at id.ID) {
			w.in(at, func(ctx context.Context, tx *db.Tx) error { return access.ChangedAll(ctx, tx) })
		}, 401},
		"another user changed": {func(w *world, at id.ID) {
			user := w.account(at, actor.Parent, phone)
			w.in(at, func(ctx context.Context, tx *db.Tx) error {
				return w.people.SetStatus(ctx, tx, w.super(), user, identity.Disabled)
			})
		}, 200},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, w *world) {
				at := w.school("GREEN")
				w.account(at, actor.Teacher, phone)
				a := w.signIn("/auth", phone)
				got := race(atOnce, func() answer { return w.call(a.access(), "GET", "/auth/me", nil) })
				if len(got[200]) != atOnce {
					t.Fatalf("%d of %d let in", len(got[200]), atOnce)
				}
				w.revokeSilently()
				tt.then(w, at)
				if got := w.me(a.access()); got != tt.want {
					t.Errorf("status of /me: got %d, want %d", got, tt.want)
				}
			})
		})
	}
}

func BenchmarkAuthenticate(b *testing.B) {
	w := start(b, dbtest.Open(b, "sqlite", schema.FS), newClock())
	w.account(w.school("GREEN"), actor.Teacher, phone)
	raw := w.signIn("/auth", phone).access()
	ctx := b.Context()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.people.Authenticate(ctx, raw); err != nil {
			b.Fatal(err)
		}
	}
}
