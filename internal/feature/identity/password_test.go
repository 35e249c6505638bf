package identity_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/fault"
)

const email = "admin@green.test"

// easy passwords are long enough, and the first that anyone would try.
var easy = []string{"password123", "P4$$w0rd2024!", "qwertyuiop", "aaaaaaaaaaaa", "Ada-Min-2024", "Green-2024!!"}

func TestLogin(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.school("GREEN")
		user := w.admin(at, email)
		a := w.post("/auth/login", m{"email": " Admin@Green.test", "password": password, "device": "Office"}).is(200)
		want := m{"id": string(user), "email": email, "phone": nil, "name": "Ada Min", "role": "SCHOOL_ADMIN", "schoolId": string(at)}
		if diff := cmp.Diff(want, a.all["user"]); diff != "" {
			t.Errorf("user: %s", diff)
		}
		if w.me(a.access()) != 200 {
			t.Error("the token does not work")
		}
		no := w.post("/auth/login", m{"email": email, "password": "not the password"}).is(401, "Unauthorized")
		for _, nobody := range []string{"nobody@green.test", "parent@green.test"} {
			if b := w.post("/auth/login", m{"email": nobody, "password": password}).is(401, "Unauthorized"); b.text != no.text {
				t.Errorf("%s tells itself apart: %s", nobody, b.text)
			}
		}
		w.post("/auth/login", m{}).is(422, "Unprocessable Entity", "email").is(422, "Unprocessable Entity", "password")
		w.post("/auth/login", m{"email": "x", "password": "y"}).is(422, "Unprocessable Entity", "email")
		entry := w.call(a.access(), "GET", "/school-admin/audit/list?action=session.start", nil).items()
		if len(entry) != 1 || entry[0]["userId"] != string(user) || entry[0]["ip"] != w.ip {
			t.Errorf("audit log: %v", entry)
		}
	})
}

func TestWrongPasswordsWait(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.admin(w.school("GREEN"), email)
		for _, to := range []string{email, "nobody@green.test"} {
			w.guess(to, 5)
			a := w.post("/auth/login", m{"email": to, "password": password}).is(429, "Too Many Requests")
			if got := a.header.Get("Retry-After"); got != "30" {
				t.Errorf("Retry-After %s, want 30", got)
			}
		}
		w.pass(30 * time.Second)
		w.login(email)
	})
}

func TestChangePassword(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.school("GREEN")
		w.admin(at, email)
		w.account(at, actor.Parent, phone)
		here, there := w.login(email), w.login(email)
		change := func(bearer, current, next string) answer {
			t.Helper()
			return w.call(bearer, "POST", "/auth/change-password", m{"currentPassword": current, "newPassword": next})
		}
		change("", password, "another password").is(401, "Unauthorized")
		change(w.signIn("/auth", phone).access(), password, "another password").is(403, "PERMISSION_DENIED")
		change(here.access(), "not the password", "another password").is(401, "Unauthorized")
		change(here.access(), password, "too short").is(422, "Unprocessable Entity", "newPassword")
		for _, guessed := range easy {
			change(here.access(), password, guessed).is(422, "Unprocessable Entity", "newPassword")
		}
		change(here.access(), password, "another password").is(200)
		if got := w.me(here.access()); got != 200 {
			t.Errorf("this sign-in ended: %d", got)
		}
		if got := w.me(there.access()); got != 401 {
			t.Errorf("the other sign-in goes on: %d", got)
		}
		w.post("/auth/refresh", m{"refreshToken": there.refresh()}).is(401, "Unauthorized")
		w.post("/auth/refresh", m{"refreshToken": here.refresh()}).is(200)
		w.post("/auth/login", m{"email": email, "password": password}).is(401)
		w.post("/auth/login", m{"email": email, "password": "another password"}).is(200)
		w.guess(email, 4) // it is no easier from inside
		change(here.access(), "not the password", "a third password").is(401)
		change(here.access(), "another password", "a third password").is(429)
	})
}

// TestChallenge: only a refused token is answered so that clients get another and send the call again. A wrong password, PIN
// or code would count twice.
func TestChallenge(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.school("GREEN")
		w.admin(at, email)
		w.account(at, actor.Parent, phone)
		office, parent := w.login(email).access(), w.signIn("/auth", phone).access()
		w.enrol(office)
		w.call(parent, "POST", "/auth/set-pin", m{"pin": "2580"}).is(200)
		w.pass(11 * time.Minute) // a new PIN needs the current one
		says := func(want string, a answer) {
			t.Helper()
			if got := a.is(401, "Unauthorized").header.Get("WWW-Authenticate"); got != want {
				t.Errorf("%s: WWW-Authenticate %q, want %q", a.call, got, want)
			}
		}
		says("Bearer", w.call(office, "POST", "/auth/change-password", m{"currentPassword": "not it", "newPassword": "another password"}))
		says("Bearer", w.call(office, "POST", "/auth/second-factor/remove", m{"code": "000000"}))
		says("Bearer", w.call(office, "POST", "/auth/login", m{"email": email, "password": "not it"}))
		says("Bearer", w.call(parent, "POST", "/auth/set-pin", m{"pin": "4821", "currentPin": "1111"}))
		says("Bearer", w.call(parent, "POST", "/auth/verify-pin", m{"phone": phone, "pin": "1111"}))
		says("Bearer", w.call("", "GET", "/auth/me", nil))
		const renew = `Bearer error="invalid_token"`
		says(renew, w.call("nonsense", "GET", "/auth/me", nil))
		w.pass(5 * time.Minute)
		says(renew, w.call(office, "POST", "/auth/change-password", m{"currentPassword": password, "newPassword": "another password"}))
	})
}

func TestResetPassword(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.admin(w.school("GREEN"), email)
		before := w.login(email)
		forgot := func(to string) answer { t.Helper(); return w.post("/auth/forgot-password", m{"email": to}).is(200) }
		reset := func(link, pass string) answer {
			t.Helper()
			return w.post("/auth/reset-password", m{"token": link, "password": pass})
		}
		if a, b := forgot(email), forgot("nobody@green.test"); a.text != b.text {
			t.Errorf("a known e-mail tells itself apart: %s %s", a.text, b.text)
		}
		link := w.link(email)
		if got := len(w.outbox.sent); got != 1 {
			t.Errorf("%d messages", got)
		}
		reset(link, "too short").is(422, "Unprocessable Entity", "password")
		reset(strings.Repeat("x", 43), "another password").is(400, "Bad Request")
		for _, guessed := range easy {
			reset(link, guessed).is(422, "Unprocessable Entity", "password") // and the link stays good
		}
		reset(link, "another password").is(200)
		reset(link, "a third password").is(400, "Bad Request") // used
		if got := w.me(before.access()); got != 401 {
			t.Errorf("a sign-in of the old password goes on: %d", got)
		}
		w.post("/auth/login", m{"email": email, "password": password}).is(401)
		w.post("/auth/login", m{"email": email, "password": "another password"}).is(200)

		forgot(email)
		link = w.link(email)
		w.pass(time.Hour)
		reset(link, "a third password").is(400, "Bad Request") // too old

		forgot(email)
		old := w.link(email)
		forgot(email)
		reset(w.link(email), "a third password").is(200)
		reset(old, "a fourth password").is(400, "Bad Request") // gone with the other

		w.guess(email, 5)
		w.post("/auth/login", m{"email": email, "password": "a third password"}).is(429)
		w.pass(time.Second)
		forgot(email)
		reset(w.link(email), "a fourth password").is(200)
		w.post("/auth/login", m{"email": email, "password": "a fourth password"}).is(200) // and is let in again
	})
}

func TestResetMailsHaveALimit(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.admin(w.school("GREEN"), email)
		for range 15 {
			w.post("/auth/forgot-password", m{"email": email}).is(200)
		}
		w.drain()
		if got := len(w.outbox.to(email)); got != 10 {
			t.Errorf("%d mails, want 10", got)
		}
	})
}

func TestSuperAdmin(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user, err := w.people.CreateSuperAdmin(w.Context(), "Sue", "Super@Homeroom.test", password)
		check(t, err)
		a := w.login("super@homeroom.test")
		if a.str("user", "id") != string(user) || a.str("user", "role") != "SUPER_ADMIN" ||
			a.str("user", "schoolId") != string(school.PlatformID) {
			t.Errorf("user: %s", a.text)
		}
		w.call(a.access(), "GET", "/super-admin/school/list", nil).is(200)
		_, err = w.people.CreateSuperAdmin(w.Context(), "Sue", "super@homeroom.test", password)
		if k, code := kind(err); k != fault.Conflict || code != "DUPLICATE_ENTRY" {
			t.Errorf("twice: %v", err)
		}
		for name, in := range map[string][3]string{"name": {" ", "x@y.test", password}, "email": {"Sue", "nothing", password},
			"password":        {"Sue", "x@y.test", "too short"},
			"common password": {"Sue", "x@y.test", "Password123!"}, "own password": {"Sue Marten", "x@y.test", "suemarten-1"}} {
			if _, err := w.people.CreateSuperAdmin(w.Context(), in[0], in[1], in[2]); fault.From(err).Kind != fault.Invalid {
				t.Errorf("bad %s: %v", name, err)
			}
		}
	})
}
