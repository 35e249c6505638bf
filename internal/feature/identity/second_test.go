package identity_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/token"
)

// enrol sets up a second factor and returns its secret and recovery codes.
func (w *world) enrol(bearer string) (secret string, recovery []string) {
	w.Helper()
	secret = w.call(bearer, "POST", "/auth/second-factor/setup", m{}).is(200).str("secret")
	a := w.call(bearer, "POST", "/auth/second-factor/confirm", m{"code": token.TOTP(secret, w.Now())}).is(200)
	for _, code := range a.all["recoveryCodes"].([]any) {
		recovery = append(recovery, code.(string))
	}
	w.pass(30 * time.Second) // for the next code
	return secret, recovery
}

// half signs in with the password and returns the token of the second step.
func (w *world) half(email string) string {
	w.Helper()
	a := w.login(email)
	for _, must := range []string{"accessToken", "refreshToken", "user", "accounts"} {
		if _, there := a.all[must]; there {
			w.Fatalf("%s before the second factor: %s", must, a.text)
		}
	}
	return a.str("secondFactor", "token")
}

func (w *world) second(step, code string) answer {
	w.Helper()
	return w.post("/auth/second-factor", m{"token": step, "code": code})
}

func TestSecondFactor(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.admin(w.school("GREEN"), email)
		first := w.login(email)
		secret, recovery := w.enrol(first.access())
		if len(recovery) != 10 {
			t.Fatalf("recovery codes: %v", recovery)
		}
		step, code := w.half(email), token.TOTP(secret, w.Now())
		w.second(step, wrong(code)).is(401, "Unauthorized")
		w.second("x"+step, code).is(401, "Unauthorized")
		w.second(first.access(), code).is(401, "Unauthorized")
		a := w.second(step, code).is(200)
		if a.str("user", "id") != string(user) || w.me(a.access()) != 200 {
			t.Errorf("signed in: %s", a.text)
		}
		w.second(step, code).is(401, "Unauthorized") // a code works once
		w.second(w.half(email), recovery[0]).is(200)
		w.second(w.half(email), recovery[0]).is(401, "Unauthorized")
		old := w.half(email)
		w.pass(5*time.Minute + time.Second)
		w.second(old, token.TOTP(secret, w.Now())).is(401, "Unauthorized")

		me := w.call(a.access(), "GET", "/auth/me", nil).is(200)
		if me.all["user"].(m)["hasSecondFactor"] != true {
			t.Errorf("me: %s", me.text)
		}
		w.call(a.access(), "POST", "/auth/second-factor/setup", m{}).is(409, "Conflict")
		w.call(a.access(), "POST", "/auth/second-factor/remove", m{"code": "000000"}).is(401)
		w.call(a.access(), "POST", "/auth/second-factor/remove", m{"code": recovery[1]}).is(200)
		w.call(w.login(email).access(), "POST", "/auth/second-factor/remove", m{"code": recovery[2]}).is(409)
	})
}

// TestSecondFactorOfALostKey: codes of the app can't be checked if the key that encrypts secrets was lost. Recovery codes and
// a super-administrator still help.
func TestSecondFactorOfALostKey(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.admin(w.school("GREEN"), email)
		const super = "super@platform.test"
		w.admin(school.PlatformID, super)
		start := w.login(email).access()
		lose := func() {
			t.Helper()
			other, err := token.ParseRing("other:" + strings.Repeat("A", 43))
			check(t, err)
			sealed, err := other.Seal("second-factor", []byte("JBSWY3DPEHPK3PXP"))
			check(t, err)
			_, err = db.Exec(w.Context(), w.across(), `UPDATE second_factors SET secret = :secret`, db.Args{"secret": sealed})
			check(t, err)
		}
		w.call(start, "POST", "/auth/second-factor/setup", m{}).is(200)
		lose()
		w.call(start, "POST", "/auth/second-factor/confirm", m{"code": "123456"}).is(409, "Conflict") // set it up again
		secret, recovery := w.enrol(start)
		lose()
		w.call(start, "POST", "/auth/second-factor/remove", m{"code": token.TOTP(secret, w.Now())}).is(409, "Conflict")
		step := w.half(email)
		for range 6 { // no wrong tries
			w.second(step, token.TOTP(secret, w.Now())).is(409, "Conflict")
		}
		a := w.second(step, recovery[0]).is(200)
		w.call(a.access(), "POST", "/auth/second-factor/remove", m{"code": recovery[1]}).is(200)
		w.enrol(a.access())
		lose()
		w.call(w.login(super).access(), "DELETE", "/super-admin/admin/"+string(user)+"/second-factor", nil).is(204)
		w.login(email).access()
	})
}

// A step is of the account as it was: a new password ends it.
func TestSecondFactorAfterAChange(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.admin(w.school("GREEN"), email)
		a := w.login(email)
		secret, _ := w.enrol(a.access())
		step := w.half(email)
		w.call(a.access(), "POST", "/auth/change-password", m{"currentPassword": password, "newPassword": "another password"}).is(200)
		w.second(step, token.TOTP(secret, w.Now())).is(401, "Unauthorized")
	})
}

func TestWrongSecondFactorsWait(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.admin(w.school("GREEN"), email)
		secret, _ := w.enrol(w.login(email).access())
		step := w.half(email)
		for range 5 {
			w.second(step, wrong(token.TOTP(secret, w.Now()))).is(401)
		}
		w.second(step, token.TOTP(secret, w.Now())).is(429, "Too Many Requests")
		w.pass(30 * time.Second)
		w.second(step, token.TOTP(secret, w.Now())).is(200)
	})
}

// TestGuessedSecondFactor: the owner is told of somebody who has the password and guesses the second factor.
func TestGuessedSecondFactor(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.admin(w.school("GREEN"), email)
		secret, _ := w.enrol(w.login(email).access())
		step := w.half(email)
		for i := range 20 {
			w.ip = fmt.Sprintf("203.0.%d.7", i)
			for range 5 {
				w.second(step, wrong(token.TOTP(secret, w.Now()))).is(401)
			}
		}
		w.ip = "203.0.113.9"
		w.second(step, wrong(token.TOTP(secret, w.Now()))).is(429)
		w.drain()
		told := 0
		for _, mail := range w.outbox.to(email) {
			if strings.Contains(mail.Body, "tried many wrong codes of your second factor") {
				told++
			}
		}
		if told != 1 {
			t.Errorf("the owner was told %d times: %v", told, w.outbox.to(email))
		}
	})
}

// TestSetUpTwice: a set-up begins anew while the first one is confirmed, as in two tabs.
// Whoever is shown recovery codes has a second factor.
func TestSetUpTwice(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		green := w.school("GREEN")
		for i := range 10 {
			email := fmt.Sprintf("head%d@example.org", i)
			w.admin(green, email)
			bearer := w.login(email).access()
			secret := w.call(bearer, "POST", "/auth/second-factor/setup", m{}).is(200).str("secret")
			var again atomic.Bool
			got := race(2, func() answer {
				if again.CompareAndSwap(false, true) {
					return w.call(bearer, "POST", "/auth/second-factor/setup", m{})
				}
				return w.call(bearer, "POST", "/auth/second-factor/confirm", m{"code": token.TOTP(secret, w.Now())})
			})
			for _, a := range got[200] {
				if a.all["recoveryCodes"] != nil {
					w.second(w.half(email), a.all["recoveryCodes"].([]any)[0].(string)).is(200)
				}
			}
		}
	})
}

// Neither a stale session nor one without a code may set up a second factor, nor an account that never asks for it.
func TestSetupNeedsAProof(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		green := w.school("GREEN")
		w.admin(green, email)
		a := w.login(email)
		w.pass(11 * time.Minute)
		w.call(a.access(), "POST", "/auth/second-factor/setup", m{}).is(403, "PERMISSION_DENIED")
		w.post("/auth/second-factor/setup", m{}).is(401)
		w.post("/auth/second-factor/setup", m{"token": "x"}).is(401)
		w.account(green, actor.Parent, phone)
		w.call(w.signIn("/parent/user-auth", phone).access(), "POST", "/auth/second-factor/setup", m{}).is(403)
	})
}

func TestRequiredSecondFactor(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.admin(w.school("GREEN"), email)
		a := w.login(email)
		w.call(a.access(), "PUT", "/school-admin/setting", m{"requireSecondFactor": true}).is(200)
		b := w.login(email)
		step := b.str("secondFactor", "token")
		if got := b.all["secondFactor"].(m)["methods"].([]any); len(got) != 1 || got[0] != "setup" {
			t.Errorf("methods: %v", got)
		}
		w.second(step, "123456").is(401)
		secret := w.post("/auth/second-factor/setup", m{"token": step}).is(200).str("secret")
		done := w.second(step, token.TOTP(secret, w.Now())).is(200)
		if codes := done.all["recoveryCodes"].([]any); len(codes) != 10 || w.me(done.access()) != 200 {
			t.Errorf("signed in: %s", done.text)
		}
		w.pass(30 * time.Second)
		w.call(done.access(), "POST", "/auth/second-factor/remove", m{"code": token.TOTP(secret, w.Now())}).is(409, "Conflict")

		const super = "super@platform.test"
		admin := w.admin(school.PlatformID, super)
		s := w.login(super)
		if _, there := s.all["secondFactor"]; there {
			t.Error("required of super-administrators too")
		}
		school := done.str("user", "id")
		w.call(s.access(), "DELETE", "/super-admin/admin/"+school+"/second-factor", nil).is(204)
		if w.me(done.access()) != 401 {
			t.Error("the session of the removed factor goes on")
		}
		w.people.RequireSecondFactor = true
		required := w.login(super)
		step = required.str("secondFactor", "token")
		for _, a := range []answer{b, required} { // not only of a school
			if a.str("message") != "One step is left: set up a code from an authenticator app, which administrators need here." {
				t.Errorf("the message of a required second factor: %s", a.text)
			}
		}
		w.post("/auth/second-factor/setup", m{"token": step}).is(200)
		check(t, w.people.RemoveSecondFactor(w.Context(), super))
		stored, err := db.One[int](w.Context(), w.across(), `SELECT count(*) FROM second_factors WHERE user_id = :id`, db.Args{"id": admin})
		check(t, err)
		if stored != 0 {
			t.Error("the super-administrator's second factor is still there")
		}
	})
}
