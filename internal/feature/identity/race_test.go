package identity_test

import (
	"context"
	"crypto/rand"
	"sync"
	"testing"
	"time"

	"homeroom/internal/feature/identity"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/schema"
)

const (
	atOnce = 50
	rounds = 5 // the benchmark has 100
)

// race runs call many times at once and returns the answers by status.
func race(n int, call func() answer) map[int][]answer {
	var mu sync.Mutex
	got := map[int][]answer{}
	var ready, done sync.WaitGroup
	gun := make(chan struct{})
	ready.Add(n)
	for range n {
		done.Go(func() {
			ready.Done()
			<-gun
			a := call()
			mu.Lock()
			defer mu.Unlock()
			got[a.status] = append(got[a.status], a)
		})
	}
	ready.Wait()
	close(gun)
	done.Wait()
	return got
}

// oneCode has one code verified by many at once.
func (w *world) oneCode() answer {
	w.Helper()
	code := w.code("/auth", phone)
	got := race(atOnce, func() answer { return w.post("/auth/verify-otp", m{"phone": phone, "otp": code}) })
	if len(got[200]) != 1 || len(got[400])+len(got[429]) != atOnce-1 {
		w.Fatalf("%d winners, %d too late, %d too many", len(got[200]), len(got[400]), len(got[429]))
	}
	return got[200][0]
}

// oneToken has one refresh token exchanged by many at once.
func (w *world) oneToken(raw string) answer {
	w.Helper()
	got := race(atOnce, func() answer { return w.refresh(raw) })
	if len(got[200]) != 1 || len(got[401]) != atOnce-1 {
		w.Fatalf("%d winners, %d too late", len(got[200]), len(got[401]))
	}
	won := got[200][0]
	if w.me(won.access()) != 200 {
		w.Fatal("the winner's access token does not live")
	}
	return w.refresh(won.refresh()).is(200)
}

// forgetTries lets the next round begin afresh.
func (w *world) forgetTries() {
	w.Helper()
	_, err := db.Exec(w.Context(), w.across(), `DELETE FROM tries`, nil)
	check(w, err)
}

func TestRaces(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.account(w.school("GREEN"), actor.Parent, phone)
		w.people.OTPPerHour = 0
		for range rounds { // those who come second have guessed at nothing, and close nobody's phone
			w.oneToken(w.oneCode().refresh())
		}
	})
}

// BenchmarkRaces runs 100 rounds of both races on both engines, whatever b.N.
func BenchmarkRaces(b *testing.B) {
	for _, engine := range dbtest.Engines {
		b.Run(engine, func(b *testing.B) {
			w := start(b, dbtest.Open(b, engine, schema.FS), newClock())
			w.account(w.school("GREEN"), actor.Parent, phone)
			w.people.OTPPerHour = 0
			for b.Loop() {
				for range 100 {
					w.oneToken(w.oneCode().refresh())
				}
			}
		})
	}
}

// Concurrent wrong tries can't exceed the limits.
func TestGuessingAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.account(w.school("GREEN"), actor.Parent, phone)
		w.people.OTPPerHour = 0
		for range 2 {
			code := wrong(w.code("/auth", phone))
			race(5, func() answer { return w.post("/auth/verify-otp", m{"phone": phone, "otp": code}) })
		}
		code := w.code("/auth", phone)
		got := race(10, func() answer { return w.post("/auth/verify-otp", m{"phone": phone, "otp": code}) })
		if len(got[429]) != 10 {
			t.Errorf("codes: %d let in after 10 wrong ones", 10-len(got[429]))
		}
		w.forgetTries()
		a := w.signIn("/auth", phone)
		w.call(a.access(), "POST", "/auth/set-pin", m{"pin": "2580"}).is(200)
		got = race(12, func() answer { return w.post("/auth/verify-pin", m{"phone": phone, "pin": "0000"}) })
		if len(got[401]) != 5 || len(got[429]) != 7 {
			t.Errorf("PINs: %d looked at, %d turned away", len(got[401]), len(got[429]))
		}
		w.people.OTPPerHour = 10
		got = race(30, func() answer { return w.post("/auth/send-otp", m{"phone": "+15550100002"}) })
		if len(got[200]) != 5 || len(got[429]) != 25 {
			t.Errorf("messages: %d sent, %d refused", len(got[200]), len(got[429]))
		}
	})
}

func TestOneLinkSetsOnePassword(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.admin(w.school("GREEN"), email)
		w.post("/auth/forgot-password", m{"email": email}).is(200)
		link := w.link(email)
		got := race(6, func() answer {
			return w.post("/auth/reset-password", m{"token": link, "password": "another password"})
		})
		if len(got[200]) != 1 || len(got[400]) != 5 {
			t.Errorf("%d winners, %d too late", len(got[200]), len(got[400]))
		}
	})
}

// chance is randomness before which something happens once.
type chance struct{ first func() }

func (c *chance) Read(p []byte) (int, error) {
	if first := c.first; first != nil {
		c.first = nil
		first()
	}
	return rand.Read(p)
}

// TestResetOfAnOldAddress: a link is not sent to an address that the account has just lost.
func TestResetOfAnOldAddress(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.school("GREEN")
		user := w.admin(at, email)
		w.post("/auth/forgot-password", m{"email": email}).is(200)
		fresh := "new@green.test"
		changed := make(chan error, 1)
		w.people.Rand = &chance{func() {
			go func() {
				changed <- w.db.InSchool(t.Context(), at, func(ctx context.Context, tx *db.Tx) error {
					_, err := w.people.Update(ctx, tx, w.super(), user, identity.Change{Email: &fresh})
					return err
				})
			}()
			select { // it may have to wait for the link
			case err := <-changed:
				changed <- err
			case <-time.After(time.Second):
			}
		}}
		w.drain()
		check(t, <-changed)
		for _, mail := range w.outbox.to(email) {
			if link := linkToken.FindStringSubmatch(mail.Body); link != nil {
				w.post("/auth/reset-password", m{"token": link[1], "password": "another password"}).is(400, "Bad Request")
			}
		}
		w.login(fresh)
	})
}
