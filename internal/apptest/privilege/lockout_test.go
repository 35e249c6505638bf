package privilege

import (
	"fmt"
	"testing"
	"time"

	"homeroom/internal/app"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db/dbtest"
)

const (
	known    = "198.51.100.7" // IP address of earlier sign-ins
	stranger = "203.0.113.9"

	pauseOfCodes = 61 * time.Second
)

// TestLockout tries wrong codes, PINs and passwords and requests codes from 1,000 IP
// addresses. The account's owner must still be able to sign in from a known address,
// and from any address with a code. Strangers with the right password get a 429.
func TestLockout(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			w := open(t, engine, func(c *app.Config) { c.RateOTP = 10 })
			q := newEmptySequence(t.Context(), w)
			q.addSchool("A")
			s := q.newSubject()
			s.askCode()
			s.from(known, "/auth/verify-otp", object{"phone": s.phone, "otp": s.code}).want(t, "a code at home", 200)
			s.from(known, "/auth/login", object{"email": s.email, "password": password}).want(t, "the password at home", 200)

			for i := range 1000 {
				ip := fmt.Sprintf("10.%d.%d.1", i/250, i%250)
				s.from(ip, "/auth/login", object{"email": s.email, "password": "a wrong password"})
				s.from(ip, "/auth/verify-pin", object{"phone": s.phone, "pin": "0000"})
				s.from(ip, "/auth/verify-otp", object{"phone": s.phone, "otp": "000000"})
				if i%10 == 0 {
					s.from(ip, "/auth/send-otp", object{"phone": s.phone})
				}
			}
			s.from(stranger, "/auth/login", object{"email": s.email, "password": password}).
				want(t, "the right password from a stranger's network", 429)

			s.from(known, "/auth/login", object{"email": s.email, "password": password}).want(t, "the password at home, after the attack", 200)
			s.post("/auth/refresh", object{"refreshToken": s.first.refresh}).want(t, "the session that was there, after the attack", 200)
			for _, ip := range []string{known, stranger} {
				w.clock.pass(pauseOfCodes)
				s.from(known, "/auth/send-otp", object{"phone": s.phone}).want(t, "a code sent, after the attack", 200)
				body := object{"phone": s.phone, "otp": w.code(t.Context(), s.phone), "role": string(actor.SchoolAdmin)}
				s.from(ip, "/auth/verify-otp", body).want(t, "a code from "+ip+", after the attack", 200)
			}
		})
	}
}

// from posts from an IP address.
func (s *subject) from(ip, path string, body object) reply {
	return s.w.callFrom(s.ctx, ip, "", "POST", path, body)
}

func (r reply) want(t *testing.T, what string, status int) {
	t.Helper()
	if r.status != status {
		t.Errorf("%s: %d %v, want %d", what, r.status, r.all, status)
	}
}
