package identity_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"homeroom/internal/feature/identity"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// An account may have a phone or e-mail of somebody else: its school's office decides. So whoever signs in to it is still a
// stranger at the phone and at the other's account, and has no more tries there.

// has gives an account a phone and an e-mail, as the office of its school does.
func (w *world) has(at, user id.ID, phone, email *string) {
	w.Helper()
	w.in(at, func(ctx context.Context, tx *db.Tx) error {
		_, err := w.people.Update(ctx, tx, actor.Actor{}, user, identity.Change{Phone: phone, Email: email})
		return err
	})
}

// uses signs in to an account of its own in every way that it has, from a device and network of its own.
var uses = map[string]func(w *world, at id.ID) (refresh string){
	"an administrator's password": func(w *world, at id.ID) string {
		user, own := w.admin(at, "blue@blue.test"), phone
		w.has(at, user, &own, nil)
		return w.post("/auth/login", m{"email": "blue@blue.test", "password": password, "deviceId": "blue"}).is(200).refresh()
	},
	"an administrator's PIN": func(w *world, at id.ID) string {
		user, own := w.admin(at, "blue@blue.test"), phone
		w.has(at, user, &own, nil)
		w.call(w.login("blue@blue.test").access(), "POST", "/auth/set-pin", m{"pin": "2580"}).is(200)
		return w.post("/auth/verify-pin", m{"phone": phone, "pin": "2580", "schoolId": at, "deviceId": "blue"}).is(200).refresh()
	},
	"a code to the phone before": func(w *world, at id.ID) string {
		const before = "+15550100077"
		user, own := w.account(at, actor.Teacher, before), phone
		a := w.post("/auth/verify-otp", m{"phone": before, "otp": w.code("/auth", before), "deviceId": "blue"}).is(200)
		w.has(at, user, &own, nil)
		return a.refresh()
	},
}

func TestPhoneOfSomebodyElse(t *testing.T) {
	for name, signIn := range uses {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, w *world) {
				w.account(w.school("GREEN"), actor.Parent, phone)
				home := w.ip
				w.signIn("/auth", phone)
				w.forgetSent()
				w.ip = "198.51.100.7"
				refresh := signIn(w, w.school("BLUE"))
				w.ip = "198.51.100.8" // the same network
				for range 5 {
					w.post("/auth/send-otp", m{"phone": phone}).is(200)
				}
				for _, more := range []m{{}, {"deviceId": "blue"}, {"refreshToken": refresh}} {
					more["phone"] = phone
					w.post("/auth/send-otp", more).is(429)
				}
				w.ip = home
				w.post("/auth/send-otp", m{"phone": phone}).is(200) // five are left for its owner
			})
		})
	}
}

func TestEmailOfSomebodyElse(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.admin(w.school("GREEN"), email)
		blue, own := w.school("BLUE"), email
		w.has(blue, w.account(blue, actor.Teacher, phone), nil, &own)
		w.ip = "198.51.100.7"
		w.post("/auth/verify-otp", m{"phone": phone, "otp": w.code("/auth", phone), "deviceId": "blue"}).is(200)
		for i := range 20 {
			w.ip = fmt.Sprintf("203.0.%d.7", i)
			w.guess(email, 5)
		}
		for _, ip := range []string{"198.51.100.7", "203.0.113.9"} {
			w.ip = ip
			w.post("/auth/login", m{"email": email, "password": "not the password", "deviceId": "blue"}).is(429)
		}
	})
}

// TestPINBesideAPuppet: an account of another school that was given the phone and has a PIN does not take the place of the one
// that was used here.
func TestPINBesideAPuppet(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user := w.account(w.school("GREEN"), actor.Parent, phone)
		w.call(w.signIn("/auth", phone).access(), "POST", "/auth/set-pin", m{"pin": "2580"}).is(200)
		home, blue, own := w.ip, w.school("BLUE"), phone
		w.ip = "198.51.100.7"
		w.has(blue, w.admin(blue, "blue@blue.test"), &own, nil)
		w.call(w.login("blue@blue.test").access(), "POST", "/auth/set-pin", m{"pin": "1379"}).is(200)
		w.pass(time.Second)
		w.post("/auth/verify-pin", m{"phone": phone, "pin": "1379", "schoolId": blue}).is(200) // the last used one
		w.ip = home
		a := w.post("/auth/verify-pin", m{"phone": phone, "pin": "2580"}).is(200)
		if a.str("user", "id") != string(user) {
			t.Errorf("signed in to %s", a.text)
		}
	})
}

// TestCodeBesideAPuppet: a code to the phone opens the account that it has opened before, and not one of another school that was
// given the phone and was used since.
func TestCodeBesideAPuppet(t *testing.T) {
	for name, signIn := range uses {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, w *world) {
				user := w.account(w.school("GREEN"), actor.Parent, phone)
				w.signIn("/auth", phone)
				w.pass(7 * time.Minute)
				w.ip = "198.51.100.7"
				signIn(w, w.school("BLUE"))
				w.ip = "203.0.113.9" // not known either
				if a := w.signIn("/auth", phone); a.str("user", "id") != string(user) {
					t.Errorf("signed in to %s", a.text)
				}
			})
		})
	}
}

// TestFirstCodeBesideAPuppet: nor does an administrator of another school, whose account was given the phone, keep a person out
// by a second factor who has never signed in. That school is not told of the code.
func TestFirstCodeBesideAPuppet(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		user, blue, own := w.account(w.school("GREEN"), actor.Parent, phone), w.school("BLUE"), phone
		w.has(blue, w.admin(blue, email), &own, nil)
		w.enrol(w.login(email).access())
		a := w.signIn("/auth", phone)
		if a.all["secondFactor"] != nil || a.str("user", "id") != string(user) {
			t.Errorf("signed in to %s", a.text)
		}
		sent, err := db.One[int](t.Context(), w.db.School(blue), `SELECT COUNT(*) FROM deliveries
			WHERE school_id = :school AND channel = 'sms'`, nil)
		if err != nil || sent != 0 {
			t.Errorf("the other school has %d codes in its log, %v", sent, err)
		}
		b := w.post("/auth/verify-otp", m{"phone": phone, "otp": w.code("/auth", phone), "schoolId": blue}).is(200)
		if b.all["secondFactor"] == nil {
			t.Errorf("the school was not chosen: %s", b.text)
		}
	})
}
