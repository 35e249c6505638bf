package identity_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
)

func TestPIN(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.school("GREEN")
		user := w.account(at, actor.Teacher, phone)
		first := w.signIn("/teacher/user-auth", phone)
		set := func(bearer, path, pin string) answer {
			t.Helper()
			return w.call(bearer, "POST", path+"/set-pin", m{"pin": pin})
		}
		verify := func(pin string) answer {
			t.Helper()
			return w.post("/teacher/user-auth/verify-pin", m{"phone": phone, "pin": pin})
		}
		verify("2580").is(401, "Unauthorized") // none set
		for _, bad := range []string{"", "123", "1234567", "12a4", "１２３４"} {
			set(first.access(), "/auth", bad).is(422, "Unprocessable Entity", "pin")
		}
		set("", "/auth", "2580").is(401, "Unauthorized")
		set("", "/teacher/user-auth", "2580").is(401, "Unauthorized")
		set(first.access(), "/parent/user-auth", "2580").is(403, "PERMISSION_DENIED")
		set(first.access(), "/driver/user-auth", "2580").is(403, "PERMISSION_DENIED")
		set(first.access(), "/teacher/user-auth", "2580").is(200)
		a := verify("2580").is(200)
		if a.str("user", "id") != string(user) || a.access() == first.access() || w.me(a.access()) != 200 {
			t.Errorf("signed in as %s", a.text)
		}
		if len(w.outbox.to(phone)) != 1 {
			t.Error("a PIN must not cost a message")
		}
		w.post("/auth/verify-pin", m{"phone": phone, "pin": "2580"}).is(200)
		w.post("/parent/user-auth/verify-pin", m{"phone": phone, "pin": "2580"}).is(401, "Unauthorized")
		set(first.access(), "/auth", "135790").is(200) // changed
		verify("2580").is(401, "Unauthorized")
		verify("135790").is(200)
	})
}

func TestPINLocks(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.account(w.school("GREEN"), actor.Driver, phone)
		first := w.signIn("/driver/user-auth", phone)
		w.call(first.access(), "POST", "/auth/set-pin", m{"pin": "2580"}).is(200)
		verify := func(to, pin string) answer {
			t.Helper()
			return w.post("/driver/user-auth/verify-pin", m{"phone": to, "pin": pin})
		}
		for range 4 {
			verify(phone, "0000").is(401, "Unauthorized")
		}
		verify(phone, "2580").is(200) // ends the row
		for _, to := range []string{phone, "+15550199999"} {
			for range 5 {
				verify(to, "0000").is(401, "Unauthorized")
				w.pass(time.Second)
			}
			a := verify(to, "2580").is(429, "Too Many Requests")
			if got := a.header.Get("Retry-After"); got != "29" {
				t.Errorf("Retry-After %s, want 29", got)
			}
		}
		w.pass(30 * time.Second)
		verify(phone, "2580").is(200)

		for range 5 {
			verify(phone, "0000").is(401)
		}
		verify(phone, "2580").is(429)
		w.signIn("/driver/user-auth", phone) // unlocks
		verify(phone, "2580").is(200)
	})
}

// The lock must not tell which phones have an account, and none of the ways to
// name an account may be a way around it.
func TestPINLockIsThePhones(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		green, red := w.school("GREEN"), w.school("RED")
		w.account(green, actor.Teacher, phone)
		first := w.signIn("/auth", phone)
		w.call(first.access(), "POST", "/auth/set-pin", m{"pin": "2580"}).is(200)
		for _, to := range []string{phone, "+15550199999"} {
			for _, try := range []struct {
				prefix string
				more   m
			}{{"/parent/user-auth", m{}}, {"/auth", m{"schoolId": green}}, {"/auth", m{"schoolId": red}}, {"/teacher/user-auth", m{}},
				{"/auth", m{"role": "TEACHER"}}} {
				try.more["phone"], try.more["pin"] = to, "0000"
				w.post(try.prefix+"/verify-pin", try.more).is(401, "Unauthorized")
			}
			for _, prefix := range []string{"/auth", "/parent/user-auth", "/teacher/user-auth"} {
				w.post(prefix+"/verify-pin", m{"phone": to, "pin": "2580"}).is(429)
			}
		}
	})
}

// Whoever enters someone else's phone in an account of his own must not be able
// to guess that person's PIN for ever.
func TestOwnPINDoesNotUnlockAnother(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		green, red := w.school("GREEN"), w.school("RED")
		w.account(green, actor.Parent, phone)
		w.call(w.signIn("/auth", phone).access(), "POST", "/auth/set-pin", m{"pin": "2580"}).is(200)
		attacker := w.admin(red, email)
		w.in(red, func(ctx context.Context, tx *db.Tx) error {
			return w.people.SetPhone(ctx, tx, w.super(), attacker, phone)
		})
		w.call(w.login(email).access(), "POST", "/auth/set-pin", m{"pin": "1111"}).is(200)
		for range 4 {
			w.post("/auth/verify-pin", m{"phone": phone, "pin": "0000", "schoolId": green}).is(401)
		}
		w.post("/auth/verify-pin", m{"phone": phone, "pin": "1111", "schoolId": red}).is(200)
		w.post("/auth/verify-pin", m{"phone": phone, "pin": "0000", "schoolId": green}).is(401)
		w.post("/auth/verify-pin", m{"phone": phone, "pin": "2580", "schoolId": green}).is(429)
	})
}

// A PIN needs a code or password of the last ten minutes, or the PIN before.
func TestSetPINNeedsAProof(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.account(w.school("GREEN"), actor.Parent, phone)
		a := w.signIn("/auth", phone)
		set := func(bearer string, body m) answer { t.Helper(); return w.call(bearer, "POST", "/auth/set-pin", body) }
		w.pass(10*time.Minute + time.Second)
		a = w.refresh(a.refresh()).is(200) // refreshing proves nothing
		set(a.access(), m{"pin": "2580"}).is(403, "PERMISSION_DENIED")
		set(a.access(), m{"pin": "2580", "currentPin": "0000"}).is(401)
		a = w.signIn("/auth", phone)
		set(a.access(), m{"pin": "2580"}).is(200)
		p := w.post("/auth/verify-pin", m{"phone": phone, "pin": "2580"}).is(200)
		set(p.access(), m{"pin": "1357"}).is(403, "PERMISSION_DENIED")
		set(p.access(), m{"pin": "1357", "currentPin": "0000"}).is(401)
		set(p.access(), m{"pin": "1357", "currentPin": "2580"}).is(200)
		w.post("/auth/verify-pin", m{"phone": phone, "pin": "1357"}).is(200)
		w.post("/auth/verify-pin", m{"phone": phone, "pin": "2580"}).is(401)
	})
}

// Ten wrong PINs in a row, from wherever, take the PIN away.
func TestTenWrongPINs(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.account(w.school("GREEN"), actor.Parent, phone)
		w.call(w.signIn("/auth", phone).access(), "POST", "/auth/set-pin", m{"pin": "2580"}).is(200)
		for i := range 10 {
			w.ip = fmt.Sprintf("198.51.%d.7", i)
			w.post("/auth/verify-pin", m{"phone": phone, "pin": "0000"}).is(401)
		}
		w.post("/auth/verify-pin", m{"phone": phone, "pin": "2580"}).is(401)
		if a := w.signIn("/auth", phone); a.str("user", "id") != string(user) {
			t.Errorf("a code does not open the account: %s", a.text)
		}
		w.post("/auth/verify-pin", m{"phone": phone, "pin": "2580"}).is(401)
	})
}

func TestStrongPINs(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.school("GREEN")
		w.account(at, actor.Parent, phone)
		a := w.signIn("/auth", phone)
		set := func(pin string) answer { t.Helper(); return w.call(a.access(), "POST", "/auth/set-pin", m{"pin": pin}) }
		set("1111").is(200)
		w.admin(at, email)
		w.call(w.login(email).access(), "PUT", "/school-admin/setting", m{"strongPins": true}).is(200)
		for _, weak := range []string{"1111", "1234", "4321", "567890", "098765"} {
			set(weak).is(422, "Unprocessable Entity", "pin")
		}
		set("1357").is(200)
	})
}

// Ending all sign-ins takes the PIN away with them.
func TestEndingAllTakesThePIN(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.account(w.school("GREEN"), actor.Parent, phone)
		here, there := w.signIn("/auth", phone), w.signIn("/auth", phone)
		w.call(here.access(), "POST", "/auth/set-pin", m{"pin": "2580"}).is(200)
		w.call(here.access(), "DELETE", "/auth/sessions", nil).is(204)
		if w.me(here.access()) != 200 || w.me(there.access()) != 401 {
			t.Error("the wrong sign-ins have ended")
		}
		w.post("/auth/verify-pin", m{"phone": phone, "pin": "2580"}).is(401)
	})
}
