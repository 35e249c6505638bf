package identity_test

import (
	"context"
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
			if got := a.header.Get("Retry-After"); got != "899" {
				t.Errorf("Retry-After %s, want 899", got)
			}
		}
		w.pass(15 * time.Minute)
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
			}{{"/parent/user-auth", m{}}, {"/auth", m{"schoolId": green}}, {"/auth", m{"schoolId": red}}, {"/teacher/user-auth", m{}}, {"/auth", m{"role": "TEACHER"}}} {
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
