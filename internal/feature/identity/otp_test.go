package identity_test

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
)

const phone = "+15550100001"

// part decodes one of a token's three parts.
func part(t *testing.T, token string, i int) m {
	t.Helper()
	raw, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[i])
	check(t, err)
	var v m
	check(t, json.Unmarshal(raw, &v))
	return v
}

func TestSignInByCode(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.school("GREEN")
		user := w.account(at, actor.Parent, phone)
		for _, prefix := range []string{"/auth", "/parent/user-auth"} {
			code := w.code(prefix, phone)
			a := w.post(prefix+"/verify-otp", m{"phone": "+1 (555) 010-0001", "otp": code, "extra": true}).is(200)
			want := m{"id": string(user), "phone": phone, "role": "PARENT", "schoolId": string(at)}
			if diff := gocmp.Diff(want, a.all["user"]); diff != "" {
				t.Errorf("%s: user: %s", prefix, diff)
			}
			data := a.all["data"].(m)
			if data["accessToken"] != a.access() || data["refreshToken"] != a.refresh() || a.all["message"] == "" {
				t.Errorf("%s: not the same under data: %s", prefix, a.text)
			}
			if _, there := a.all["accounts"]; there {
				t.Errorf("%s: accounts for someone who has one: %s", prefix, a.text)
			}
			now := float64(w.Now().Unix())
			claims := m{"sub": string(user), "role": "PARENT", "schoolId": string(at), "iat": now, "exp": now + 15*60}
			if diff := gocmp.Diff(claims, part(t, a.access(), 1)); diff != "" {
				t.Errorf("%s: access claims: %s", prefix, diff)
			}
			claims = m{"sub": string(user), "type": "refresh", "iat": now, "exp": now + 7*24*60*60}
			if diff := gocmp.Diff(claims, part(t, a.refresh(), 1)); diff != "" {
				t.Errorf("%s: refresh claims: %s", prefix, diff)
			}
			if head := part(t, a.access(), 0); head["alg"] != "HS256" || head["kid"] != "test" || head["jti"] == "" {
				t.Errorf("%s: header %v", prefix, head)
			}
			if got := w.me(a.access()); got != 200 {
				t.Errorf("%s: the token is answered with %d", prefix, got)
			}
		}
	})
}

func TestMessageAndReplyOfSendOTP(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.school("GREEN")
		w.account(at, actor.Parent, phone)
		w.account(at, actor.Parent, "+15550100002")
		off := w.school("OFF")
		w.account(off, actor.Parent, "+15550100009")
		_, err := w.schools.Suspend(w.Context(), w.super(), off)
		check(t, err)
		traces := func() (n [4]int) {
			for i, table := range []string{"otps", "tries", "jobs", "deliveries"} {
				var err error
				n[i], err = db.One[int](w.Context(), w.across(), `SELECT count(*) FROM `+table, nil)
				check(t, err)
			}
			return n
		}
		var first string
		for i, tt := range []struct{ prefix, phone string }{
			{"/parent/user-auth", phone},
			{"/auth", "+15550199999"},              // nobody's
			{"/teacher/user-auth", "+15550100002"}, // a parent's
			{"/parent/user-auth", "+15550100009"},  // of a suspended school: told so once the code is right
		} {
			a := w.post(tt.prefix+"/send-otp", m{"phone": tt.phone}).is(200)
			if first = cmp.Or(first, a.text); a.text != first {
				t.Errorf("%v tells itself apart: %s", tt, a.text)
			}
			// Whether the phone is known is not even asked yet: the work is the same.
			if got, want := traces(), [4]int{i + 1, 2*i + 2, i + 1, 0}; got != want {
				t.Errorf("%v left traces %v, want %v", tt, got, want)
			}
		}
		w.drain()
		sent := w.outbox.to(phone)
		if len(sent) != 1 || !strings.HasPrefix(sent[0].Body, "Your Homeroom code is ") ||
			!strings.Contains(sent[0].Body, "valid for 5 minutes") {
			t.Errorf("sent: %+v", sent)
		}
		if len(w.outbox.sent) != 2 || len(w.outbox.to("+15550100009")) != 1 {
			t.Errorf("others were sent something too: %+v", w.outbox.sent)
		}
		for _, bad := range []string{"", "5550100001", "+12", "+1555010000x", "+1234567890123456"} {
			w.post("/auth/send-otp", m{"phone": bad}).is(422, "Unprocessable Entity", "phone")
		}
	})
}

func TestCodeErrors(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.school("GREEN")
		w.account(at, actor.Parent, phone)
		verify := func(code string) answer {
			t.Helper()
			return w.post("/parent/user-auth/verify-otp", m{"phone": phone, "otp": code})
		}
		verify("123456").is(400, "OTP_INVALID") // none pending
		verify("12345").is(422, "Unprocessable Entity", "otp")

		code := w.code("/parent/user-auth", phone)
		verify(wrong(code)).is(400, "OTP_INVALID")
		verify(code).is(200)
		verify(code).is(400, "OTP_INVALID") // used

		old := w.code("/parent/user-auth", phone)
		code = w.code("/parent/user-auth", phone)
		if old != code {
			verify(old).is(400, "OTP_INVALID") // replaced
		}
		w.pass(5 * time.Minute)
		verify(code).is(200)

		code = w.code("/parent/user-auth", phone)
		w.pass(5*time.Minute + time.Millisecond)
		verify(code).is(400, "OTP_EXPIRED")
		verify(wrong(code)).is(400, "OTP_EXPIRED")

		code = w.code("/parent/user-auth", phone)
		for range 5 {
			verify(wrong(code)).is(400, "OTP_INVALID")
		}
		verify(code).is(400, "OTP_INVALID") // used up by wrong tries
		w.pass(6 * time.Minute)
		verify(code).is(400, "OTP_INVALID")
	})
}

func TestCodeOfAnotherRole(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.account(w.school("GREEN"), actor.Teacher, phone)
		code := w.code("/teacher/user-auth", phone)
		for _, prefix := range []string{"/parent/user-auth", "/driver/user-auth"} {
			w.post(prefix+"/verify-otp", m{"phone": phone, "otp": code}).is(400, "OTP_INVALID")
		}
		a := w.post("/teacher/user-auth/verify-otp", m{"phone": phone, "otp": code}).is(200)
		if a.str("user", "role") != "TEACHER" {
			t.Errorf("signed in as %s", a.text)
		}
	})
}

// Of the ten codes an hour strangers get five; the others are for those who have
// signed in with the phone before.
func TestMessagesAnHour(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.account(w.school("GREEN"), actor.Parent, phone)
		for _, to := range []string{phone, "+15550199999"} { // known or not
			for range 5 {
				w.post("/auth/send-otp", m{"phone": to}).is(200)
				w.pass(time.Minute)
			}
			a := w.post("/parent/user-auth/send-otp", m{"phone": to}).is(429, "Too Many Requests")
			if got := a.header.Get("Retry-After"); got != "3300" {
				t.Errorf("Retry-After %s, want 3300", got)
			}
			w.pass(55*time.Minute - time.Millisecond)
			w.post("/auth/send-otp", m{"phone": to}).is(429)
			w.pass(time.Millisecond)
			w.post("/auth/send-otp", m{"phone": to}).is(200)
			w.post("/auth/send-otp", m{"phone": to}).is(429) // the hour slides
		}
		w.pass(time.Hour)
		device := w.post("/auth/verify-otp", m{"phone": phone, "otp": w.code("/auth", phone), "deviceId": "mine"}).is(200)
		home := w.ip
		w.ip = "198.51.100.7"
		for range 4 {
			w.post("/auth/send-otp", m{"phone": phone}).is(200)
		}
		w.post("/auth/send-otp", m{"phone": phone}).is(429) // the code of the sign-in was a stranger's too
		w.post("/auth/send-otp", m{"phone": phone, "deviceId": "another"}).is(429)
		w.post("/auth/send-otp", m{"phone": phone, "deviceId": "mine"}).is(200)
		w.post("/auth/send-otp", m{"phone": phone, "refreshToken": device.refresh()}).is(200)
		w.post("/auth/send-otp", m{"phone": phone, "refreshToken": device.access()}).is(429)
		w.ip = home
		for range 3 {
			w.post("/auth/send-otp", m{"phone": phone}).is(200)
		}
		w.post("/auth/send-otp", m{"phone": phone, "deviceId": "mine"}).is(429) // ten in all
		w.people.OTPPerHour = 0
		for range 15 {
			w.post("/auth/send-otp", m{"phone": "+15550100002"}).is(200)
		}
	})
}

func TestPauseBetweenCodes(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.people.OTPPause = time.Minute
		for _, to := range []string{phone, "+15550199999"} {
			w.post("/auth/send-otp", m{"phone": to}).is(200)
			w.pass(time.Second)
			if a := w.post("/auth/send-otp", m{"phone": to}).is(429, "Too Many Requests"); a.header.Get("Retry-After") != "59" {
				t.Errorf("Retry-After %s, want 59", a.header.Get("Retry-After"))
			}
		}
		w.pass(time.Minute)
		w.post("/auth/send-otp", m{"phone": phone}).is(200)
	})
}

// After ten wrong codes from one network it waits, twice as long each time;
// other networks don't.
func TestWrongCodesWait(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.account(w.school("GREEN"), actor.Parent, phone)
		for range 2 {
			code := w.code("/auth", phone)
			for range 5 {
				w.post("/auth/verify-otp", m{"phone": phone, "otp": wrong(code)}).is(400, "OTP_INVALID")
			}
		}
		wait := 30 * time.Second
		for _, want := range []string{"30", "60", "120", "240", "480", "900", "900"} {
			code := w.code("/auth", phone)
			a := w.post("/parent/user-auth/verify-otp", m{"phone": phone, "otp": code}).is(429, "Too Many Requests")
			if got := a.header.Get("Retry-After"); got != want {
				t.Errorf("Retry-After %s, want %s", got, want)
			}
			w.pass(wait)
			wait = min(2*wait, 15*time.Minute)
			w.forgetSent()
			w.post("/auth/verify-otp", m{"phone": phone, "otp": wrong(w.code("/auth", phone))}).is(400, "OTP_INVALID")
		}
		code := w.code("/auth", phone)
		w.post("/auth/verify-otp", m{"phone": phone, "otp": code}).is(429)
		w.ip = "198.51.100.7"
		w.post("/auth/verify-otp", m{"phone": phone, "otp": code}).is(200)
	})
}

// Strangers can't use up the code that a known device waits for.
func TestStrangersDontUseUpACode(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.account(w.school("GREEN"), actor.Parent, phone)
		w.signIn("/auth", phone)
		code, home := w.code("/auth", phone), w.ip
		for i := range 20 {
			w.ip = fmt.Sprintf("198.51.%d.7", i)
			w.post("/auth/verify-otp", m{"phone": phone, "otp": wrong(code)}).is(400, "OTP_INVALID")
		}
		w.post("/auth/verify-otp", m{"phone": phone, "otp": code}).is(400, "OTP_INVALID") // not even with the right one
		w.ip = home
		w.post("/auth/verify-otp", m{"phone": phone, "otp": code}).is(200)
	})
}

// Who proves an account of a suspended school is told that it is; nobody else is.
func TestSuspendedSchoolSaysSo(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		off := w.school("OFF")
		w.account(off, actor.Parent, phone)
		w.admin(off, email)
		_, err := w.schools.Suspend(w.Context(), w.super(), off)
		check(t, err)
		code := w.code("/auth", phone)
		w.post("/auth/verify-otp", m{"phone": phone, "otp": wrong(code)}).is(400, "OTP_INVALID")
		w.post("/auth/verify-otp", m{"phone": phone, "otp": code}).is(403, "PERMISSION_DENIED")
		w.post("/auth/login", m{"email": email, "password": "not the password"}).is(401)
		w.post("/auth/login", m{"email": email, "password": password}).is(403, "PERMISSION_DENIED")
		on := w.account(w.school("ON"), actor.Parent, phone)
		a := w.signIn("/auth", phone)
		if a.str("user", "id") != string(on) || a.all["accounts"] != nil {
			t.Errorf("not the account of the school that is open: %s", a.text)
		}
	})
}

// TestLanguages sends each account what it is sent in its own language, or in its
// school's.
func TestLanguages(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.school("GREEN")
		w.admin(at, email)
		w.account(at, actor.Parent, phone)
		for _, tt := range []struct{ school, own, code, reset, button string }{
			{"en", "", "Your Homeroom code is 123456. It is valid for 5 minutes. Nobody from the school will ask you for it.",
				"Reset your Homeroom password", "Choose a new password"},
			{"es", "", "Su código de Homeroom es 123456. Vale durante 5 minutos. Nadie de la escuela se lo pedirá.",
				"Restablezca su contraseña de Homeroom", "Elegir una contraseña nueva"},
			{"en", "es-MX", "Su código de Homeroom es 123456. Vale durante 5 minutos. Nadie de la escuela se lo pedirá.",
				"Restablezca su contraseña de Homeroom", "Elegir una contraseña nueva"},
			{"es", "en", "Your Homeroom code is 123456. It is valid for 5 minutes. Nobody from the school will ask you for it.",
				"Reset your Homeroom password", "Choose a new password"},
			{"fr", "", "Your Homeroom code is 123456. It is valid for 5 minutes. Nobody from the school will ask you for it.",
				"Reset your Homeroom password", "Choose a new password"},
		} {
			set := func(sql string, a db.Args) {
				_, err := db.Exec(t.Context(), w.db.School(at), sql, a)
				check(t, err)
			}
			set(`UPDATE schools SET locale = :locale WHERE id = :school`, db.Args{"locale": tt.school})
			set(`UPDATE users SET locale = NULL WHERE school_id = :school`, nil)
			if tt.own != "" {
				set(`UPDATE users SET locale = :locale WHERE school_id = :school`, db.Args{"locale": tt.own})
			}
			w.pass(time.Hour) // past the limit of mails in an hour
			w.post("/auth/send-otp", m{"phone": phone}).is(200)
			w.post("/auth/forgot-password", m{"email": email}).is(200)
			w.drain()
			sms, mail := w.outbox.to(phone), w.outbox.to(email)
			last, letter := sms[len(sms)-1], mail[len(mail)-1]
			if got := regexp.MustCompile(`[0-9]{6}`).ReplaceAllString(last.Body, "123456"); got != tt.code+"\n\n@homeroom.test #123456" {
				t.Errorf("%s, %s: %q", tt.school, tt.own, got)
			}
			if letter.Subject != tt.reset || !strings.Contains(letter.HTML, tt.button) || strings.Contains(letter.Body, "<") ||
				linkToken.FindString(letter.Body) == "" || linkToken.FindString(letter.HTML) != linkToken.FindString(letter.Body) {
				t.Errorf("%s, %s: %+v", tt.school, tt.own, letter)
			}
		}
	})
}
