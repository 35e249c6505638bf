package identity_test

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"homeroom/internal/feature/access"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/token"
)

func (w *world) refresh(raw string) answer {
	w.Helper()
	return w.post("/auth/refresh", m{"refreshToken": raw})
}

func TestRefresh(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.account(w.school("GREEN"), actor.Parent, phone)
		first := w.signIn("/auth", phone)
		second := w.refresh(first.refresh()).is(200) // in the same second
		if second.refresh() == first.refresh() || second.access() == first.access() {
			t.Error("the tokens are the old ones")
		}
		if data := second.all["data"].(m); data["refreshToken"] != second.refresh() {
			t.Errorf("not the same under data: %s", second.text)
		}
		if w.me(second.access()) != 200 || w.me(first.access()) != 200 {
			t.Error("an access token does not work")
		}
		w.refresh(first.refresh()).is(401, "Unauthorized")
		third := w.refresh(second.refresh()).is(200) // a lost response does no harm
		w.pass(15 * time.Minute)
		if got := w.me(third.access()); got != 401 {
			t.Errorf("an access token of 15 minutes: %d", got)
		}
		fourth := w.refresh(third.refresh()).is(200)
		for _, bad := range []string{"x", fourth.access(), fourth.refresh() + "x", fourth.refresh()[:len(fourth.refresh())-2]} {
			w.refresh(bad).is(401, "Unauthorized")
		}
		w.post("/auth/refresh", m{}).is(422, "Unprocessable Entity", "refreshToken")
		if got := w.me(fourth.refresh()); got != 401 {
			t.Errorf("a refresh token as a bearer: %d", got)
		}
		w.pass(7*24*time.Hour - time.Second)
		fifth := w.refresh(fourth.refresh()).is(200)
		w.pass(7 * 24 * time.Hour)
		w.refresh(fifth.refresh()).is(401, "REFRESH_TOKEN_EXPIRED")
	})
}

// TestLostRefresh: a refresh whose answer got lost is repeated with its key, at any time, and ends no session. Whoever has
// the old token without the key has nothing.
func TestLostRefresh(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.account(w.school("GREEN"), actor.Parent, phone)
		refresh := func(raw, key string) answer {
			return w.call("", "POST", "/auth/refresh", m{"refreshToken": raw}, "Idempotency-Key", key)
		}
		first := w.signIn("/auth", phone).refresh()
		lost := refresh(first, "tunnel 1").is(200)
		w.pass(time.Hour)
		again := refresh(first, "tunnel 1").is(200)
		if again.refresh() != lost.refresh() || w.me(again.access()) != 200 {
			t.Error("the repeated call has another refresh token, or its access token does not work")
		}
		next := refresh(again.refresh(), "tunnel 1").is(200) // the old key with the next token is another call
		if next.refresh() == again.refresh() {
			t.Error("a refresh token was not exchanged")
		}
		refresh(first, "tunnel 1").is(401) // used since: stolen
		if w.me(next.access()) != 401 {
			t.Error("the session goes on after a theft")
		}

		stolen := w.signIn("/auth", phone).refresh()
		owner := refresh(stolen, "of the owner").is(200)
		w.pass(time.Minute)
		refresh(stolen, "of the thief").is(401)
		if w.me(owner.access()) != 401 {
			t.Error("the session goes on after a theft with another key")
		}

		before := w.signIn("/auth", phone).refresh() // the keys are rotated before the call is repeated
		lost = refresh(before, "tunnel 2").is(200)
		secret, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secretKey, "test:"))
		check(t, err)
		check(t, w.keys.Set(token.Key{ID: "new", Secret: []byte(strings.Repeat("n", 32))}, token.Key{ID: "test", Secret: secret}))
		again = refresh(before, "tunnel 2").is(200)
		if again.refresh() != lost.refresh() || w.me(lost.access()) != 200 {
			t.Error("the call repeated after a rotation has another refresh token, or the session has ended")
		}
		refresh(w.signIn("/auth", phone).refresh(), "ä").is(422, "Unprocessable Entity", "Idempotency-Key")
	})
}

// TestSwitchedSessionEnds: switching between accounts makes no session last longer than the sign-in; a new code does.
func TestSwitchedSessionEnds(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		green := w.school("GREEN")
		w.account(green, actor.Parent, phone)
		teacher := w.account(green, actor.Teacher, phone)
		ends := func(a answer) string {
			for _, s := range w.call(a.access(), "GET", "/auth/sessions", nil).is(200).items() {
				if s["current"] == true {
					return s["endsAt"].(string)
				}
			}
			return ""
		}
		first := w.post("/auth/verify-otp", m{"phone": phone, "otp": w.code("/auth", phone), "role": "PARENT"}).is(200)
		w.pass(6 * 24 * time.Hour)
		later := w.refresh(first.refresh()).is(200)
		switched := w.call(later.access(), "POST", "/auth/switch", m{"accountId": teacher}).is(200)
		if ends(later) == "" || ends(switched) != ends(later) {
			t.Errorf("the session ends %s, and what it was switched to %s", ends(later), ends(switched))
		}
		proven := w.call(later.access(), "POST", "/auth/switch", m{"accountId": teacher, "otp": w.code("/auth", phone)}).is(200)
		if ends(proven) <= ends(later) {
			t.Errorf("with a new code the session ends %s", ends(proven))
		}
	})
}

// TestRefreshLimit: all phones of a school may renew and end their sessions from one address in the same minute. One session
// may not do so more often than anyone may sign in, and bad tokens count for their address.
func TestRefreshLimit(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const rateAuth = 10
		w.server.Rates.Auth = rateAuth
		green := w.school("GREEN")
		var all []string
		for i := range rateAuth + 1 {
			w.ip = fmt.Sprintf("192.0.2.%d", i+1)
			number := fmt.Sprintf("+1555020%04d", i)
			w.account(green, actor.Teacher, number)
			all = append(all, w.signIn("/auth", number).refresh())
		}
		w.ip = "198.51.100.1"
		for _, raw := range all {
			w.refresh(raw).is(200)
		}
		last := w.refresh(all[0])
		for range rateAuth - 1 { // dead tokens count for their session
			last = w.refresh(all[0])
		}
		last.is(429)
		for range rateAuth {
			w.refresh("x").is(401)
		}
		w.refresh("x").is(429)
		w.post("/auth/refresh", m{}).is(429)
		w.call("", "POST", "/auth/refresh", m{}, "Content-Encoding", "gzip").is(429) // refused before its body is read
		w.post("/auth/logout", m{"refreshToken": "x"}).is(429)
		w.post("/auth/logout", m{"refreshToken": all[1]}).is(200) // whoever used up the address keeps nobody signed in
		w.refresh(all[1]).is(401)
		w.ip = "198.51.100.2"
		w.refresh("x").is(401)
	})
}

func TestTheft(t *testing.T) {
	for name, tt := range map[string]struct {
		after     time.Duration // until the old token is used again
		ancestors int           // how many more tokens died since
		revoked   bool
	}{
		"at once":                {0, 0, false},
		"10 s later":             {10 * time.Second, 0, false},
		"more than 10 s later":   {10*time.Second + time.Millisecond, 0, true},
		"predecessor at once":    {0, 1, true},
		"predecessor much later": {time.Hour, 1, true},
		"an older one":           {0, 3, true},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, w *world) {
				w.account(w.school("GREEN"), actor.Parent, phone)
				stolen := w.signIn("/auth", phone)
				other := w.signIn("/auth", phone)
				last := w.refresh(stolen.refresh()).is(200)
				for range tt.ancestors {
					last = w.refresh(last.refresh()).is(200)
				}
				w.pass(tt.after)
				w.refresh(stolen.refresh()).is(401, "Unauthorized")
				want := map[bool]int{true: 401, false: 200}[tt.revoked]
				if tt.after < 15*time.Minute {
					if got := w.me(last.access()); got != want {
						t.Errorf("access token: %d, want %d", got, want)
					}
				}
				w.refresh(last.refresh()).is(want)
				w.refresh(other.refresh()).is(200) // another sign-in is another matter
				noted, err := db.One[int](w.Context(), w.across(), `SELECT count(*) FROM audit_log WHERE action = 'session.theft'
					AND ip = :ip`, db.Args{"ip": w.ip})
				check(t, err)
				if (noted == 1) != tt.revoked {
					t.Errorf("%d entries in the audit log", noted)
				}
			})
		})
	}
}

func TestLogout(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.account(w.school("GREEN"), actor.Parent, phone)
		for name, out := range map[string]func(answer) answer{
			"bearer":        func(a answer) answer { return w.call(a.access(), "POST", "/auth/logout", nil) },
			"refresh token": func(a answer) answer { return w.post("/auth/logout", m{"refreshToken": a.refresh()}) },
			"both": func(a answer) answer {
				return w.call(a.access(), "POST", "/auth/logout", m{"refreshToken": a.refresh()})
			},
		} {
			a, other := w.signIn("/auth", phone), w.signIn("/auth", phone)
			if w.me(a.access()) != 200 { // fills the node's cache
				t.Fatal("not signed in")
			}
			out(a).is(200)
			if got := w.me(a.access()); got != 401 {
				t.Errorf("%s: the access token still works: %d", name, got)
			}
			w.refresh(a.refresh()).is(401, "Unauthorized")
			if got := w.me(other.access()); got != 200 {
				t.Errorf("%s: another device was signed out: %d", name, got)
			}
			w.refresh(other.refresh()).is(200)
			out(a).is(200) // again
		}
		w.post("/auth/logout", nil).is(200)
		w.post("/auth/logout", m{"refreshToken": "x"}).is(200)
		w.call("x", "POST", "/auth/logout", m{}).is(200)
	})
}

func TestSessions(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.school("GREEN")
		w.account(at, actor.Parent, phone)
		w.account(at, actor.Parent, "+15550100002")
		code := w.code("/auth", phone)
		first := w.post("/auth/verify-otp", m{"phone": phone, "otp": code, "device": "Pixel 9"}).is(200)
		w.pass(time.Minute)
		second := w.signIn("/auth", phone)
		stranger := w.signIn("/auth", "+15550100002")
		list := w.call(second.access(), "GET", "/auth/sessions", nil).items()
		if len(list) != 2 || list[0]["current"] != true || list[1]["current"] != false || list[1]["device"] != "Pixel 9" ||
			list[1]["ip"] != w.ip {
			t.Fatalf("sessions: %v", list)
		}
		mine, theirs := list[1]["id"].(string), w.call(stranger.access(), "GET", "/auth/sessions", nil).items()[0]["id"].(string)
		for _, foreign := range []string{theirs, string(id.New()), "x"} {
			w.call(second.access(), "DELETE", "/auth/sessions/"+foreign, nil).is(404, "Not Found")
		}
		w.call("", "DELETE", "/auth/sessions/"+mine, nil).is(401, "Unauthorized")
		if w.me(first.access()) != 200 {
			t.Fatal("not signed in")
		}
		w.call(second.access(), "DELETE", "/auth/sessions/"+mine, nil).is(204)
		if w.me(first.access()) != 401 || w.me(second.access()) != 200 || w.me(stranger.access()) != 200 {
			t.Error("the wrong session has ended")
		}
		w.call(second.access(), "DELETE", "/auth/sessions/"+mine, nil).is(404, "Not Found")
		if got := len(w.call(second.access(), "GET", "/auth/sessions?sort=createdAt", nil).items()); got != 1 {
			t.Errorf("%d sessions are left", got)
		}
	})
}

func TestSeveralAccounts(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		green, red := w.school("GREEN"), w.school("RED")
		mother := w.account(green, actor.Parent, phone)
		teacher := w.account(green, actor.Teacher, phone)
		other := w.account(red, actor.Parent, phone)
		stranger := w.account(red, actor.Parent, "+15550100002")
		verify := func(prefix string, more m) answer {
			t.Helper()
			body := m{"phone": phone, "otp": w.code(prefix, phone)}
			for k, v := range more {
				body[k] = v
			}
			w.pass(time.Second)
			return w.post(prefix+"/verify-otp", body).is(200)
		}
		listed := func(a answer) []string {
			var out []string
			for _, v := range a.all["accounts"].([]any) {
				out = append(out, v.(m)["id"].(string))
				if v.(m)["schoolName"] == "" || v.(m)["role"] == "" || v.(m)["schoolId"] == "" {
					t.Errorf("account %v", v)
				}
			}
			slices.Sort(out)
			return out
		}
		sorted := func(ids ...id.ID) []string {
			var out []string
			for _, v := range ids {
				out = append(out, string(v))
			}
			slices.Sort(out)
			return out
		}
		a := verify("/auth", m{"schoolId": red})
		if a.str("user", "id") != string(other) || !slices.Equal(listed(a), sorted(mother, teacher)) {
			t.Errorf("by school: %s", a.text)
		}
		if a = verify("/auth", m{}); a.str("user", "id") != string(other) {
			t.Errorf("not the last used: %s", a.text)
		}
		a = verify("/auth", m{"role": "TEACHER"})
		if a.str("user", "id") != string(teacher) {
			t.Errorf("by role: %s", a.text)
		}
		a = verify("/parent/user-auth", m{})
		if a.str("user", "id") != string(other) || !slices.Equal(listed(a), sorted(mother)) {
			t.Errorf("in the parents app: %s", a.text)
		}
		w.post("/auth/verify-otp", m{"phone": phone, "otp": w.code("/auth", phone), "schoolId": id.New()}).is(400, "OTP_INVALID")

		b := w.call(a.access(), "POST", "/auth/switch", m{"accountId": teacher}).is(200)
		if b.str("user", "id") != string(teacher) || b.str("user", "role") != "TEACHER" || !slices.Equal(listed(b), sorted(mother, other)) {
			t.Errorf("switched: %s", b.text)
		}
		if w.me(a.access()) != 200 || w.me(b.access()) != 200 {
			t.Error("switching ended a sign-in")
		}
		w.call(a.access(), "POST", "/auth/switch", m{"accountId": stranger}).is(404, "Not Found")
		w.call(a.access(), "POST", "/auth/switch", m{"accountId": id.New()}).is(404, "Not Found")
		w.call("", "POST", "/auth/switch", m{"accountId": teacher}).is(401, "Unauthorized")
		if me := w.call(b.access(), "GET", "/auth/me", nil).is(200); !slices.Equal(listed(me), sorted(mother, other)) {
			t.Errorf("me: %s", me.text)
		}

		w.call(b.access(), "POST", "/auth/set-pin", m{"pin": "2580"}).is(200)
		if p := w.post("/auth/verify-pin", m{"phone": phone, "pin": "2580"}).is(200); p.str("user", "id") != string(teacher) {
			t.Errorf("the PIN is another account's: %s", p.text)
		}
		w.post("/auth/verify-pin", m{"phone": phone, "pin": "2580", "schoolId": red}).is(401, "Unauthorized")
	})
}

// Only the phone whose code opened the session opens other accounts: whoever
// enters someone else's phone in an account of his own gets nowhere from there.
func TestSwitchNeedsACode(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		green, red := w.school("GREEN"), w.school("RED")
		victim := w.account(red, actor.Parent, phone)
		attacker := w.admin(green, email)
		setPhone := func(to string) {
			w.in(green, func(ctx context.Context, tx *db.Tx) error { return w.people.SetPhone(ctx, tx, w.super(), attacker, to) })
		}
		setPhone(phone)
		a := w.login(email)
		if _, there := a.all["accounts"]; there {
			t.Errorf("shows the victim's account: %s", a.text)
		}
		w.call(a.access(), "POST", "/auth/set-pin", m{"pin": "2580"}).is(200)
		pin := w.post("/auth/verify-pin", m{"phone": phone, "pin": "2580"}).is(200)
		if pin.all["accounts"] != nil {
			t.Errorf("a PIN shows the victim's account: %s", pin.text)
		}
		for _, bearer := range []string{a.access(), pin.access()} {
			w.call(bearer, "POST", "/auth/switch", m{"accountId": victim}).is(403, "PERMISSION_DENIED")
			if me := w.call(bearer, "GET", "/auth/me", nil).is(200); me.all["accounts"] != nil {
				t.Errorf("me shows the victim's account: %s", me.text)
			}
		}
		proven := w.post("/auth/verify-otp", m{"phone": phone, "otp": w.code("/auth", phone), "schoolId": green}).is(200)
		w.call(proven.access(), "POST", "/auth/switch", m{"accountId": victim}).is(200)
		own := "+15550100007"
		setPhone(own)
		mine := w.signIn("/auth", own)
		setPhone(phone) // ends the session of the other phone
		w.call(mine.access(), "POST", "/auth/switch", m{"accountId": victim}).is(401)
	})
}

// Into an administrator's account one switches only with a code of the last ten minutes.
func TestSwitchToAnAdministrator(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		green, red := w.school("GREEN"), w.school("RED")
		w.account(green, actor.Parent, phone)
		admin := w.admin(red, email)
		w.in(red, func(ctx context.Context, tx *db.Tx) error { return w.people.SetPhone(ctx, tx, w.super(), admin, phone) })
		body := m{"accountId": admin}
		a := w.signIn("/parent/user-auth", phone)
		w.call(a.access(), "POST", "/auth/switch", body).is(200)
		w.pass(11 * time.Minute)
		w.call(a.access(), "POST", "/auth/switch", body).is(403, "PERMISSION_DENIED")
		code := w.code("/auth", phone)
		body["otp"] = wrong(code)
		w.call(a.access(), "POST", "/auth/switch", body).is(400, "OTP_INVALID")
		body["otp"] = code
		b := w.call(a.access(), "POST", "/auth/switch", body).is(200)
		if b.str("user", "id") != string(admin) {
			t.Errorf("switched to %s", b.text)
		}
		w.call(b.access(), "POST", "/auth/set-pin", m{"pin": "2580"}).is(200) // the code was fresh
		w.call(a.access(), "POST", "/auth/switch", body).is(400, "OTP_INVALID")
	})
}

// An administrator can sign out users of the school, but nobody with more permissions.
func TestEndSessionsOfAUser(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		green, red := w.school("GREEN"), w.school("RED")
		parent := w.account(green, actor.Parent, phone)
		head := w.admin(green, email)
		other := w.account(red, actor.Parent, "+15550100002")
		a, boss, stranger := w.signIn("/auth", phone), w.login(email), w.signIn("/auth", "+15550100002")
		w.call(a.access(), "POST", "/auth/set-pin", m{"pin": "2580"}).is(200)
		lesser := w.lesser(green, "clerk@green.test", "employee")
		path := func(user id.ID) string { return "/school-admin/user/" + string(user) + "/sessions" }
		w.call(lesser, "DELETE", path(head), nil).is(403, "PERMISSION_DENIED")
		w.call(lesser, "DELETE", path(other), nil).is(404, "Not Found")
		w.call(a.access(), "DELETE", path(parent), nil).is(403, "PERMISSION_DENIED")
		w.call(lesser, "DELETE", path(parent), nil).is(204)
		if w.me(a.access()) != 401 || w.me(boss.access()) != 200 || w.me(stranger.access()) != 200 {
			t.Error("the wrong sign-ins have ended")
		}
		w.post("/auth/verify-pin", m{"phone": phone, "pin": "2580"}).is(401)
	})
}

// lesser makes an administrator who may do everything in one module, and nothing
// else, and signs in.
func (w *world) lesser(at id.ID, email, module string) string {
	w.Helper()
	user := w.admin(at, email)
	boss := actor.Actor{School: at}
	role, err := w.roles.Create(w.Context(), boss, access.NewRole{Name: "Only " + module, Type: actor.SchoolAdmin})
	check(w, err)
	table, err := w.roles.Permissions(w.Context(), w.db.School(at), role.ID)
	check(w, err)
	for _, p := range table.Permissions {
		if p.Module == module {
			_, err := w.roles.Permit(w.Context(), boss, role.ID,
				[]access.Grant{{ModuleID: p.ModuleID, CanRead: true, CanWrite: true, CanDelete: true}}, nil)
			check(w, err)
		}
	}
	w.in(at, func(ctx context.Context, tx *db.Tx) error { return w.people.SetRole(ctx, tx, w.super(), user, role.ID) })
	return w.login(email).access()
}

// A session ends 90 days after it began, however often it is refreshed.
func TestSessionsEnd(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.account(w.school("GREEN"), actor.Parent, phone)
		a := w.signIn("/auth", phone)
		for range 15 {
			w.pass(6 * 24 * time.Hour)
			if a = w.refresh(a.refresh()); a.status != 200 {
				break
			}
		}
		a.is(401)
		if n := w.pastOf(phone); n < 89*24*time.Hour || n > 91*24*time.Hour {
			t.Errorf("the session ended after %v", n)
		}
	})
}

// pastOf is how long ago the phone's session began.
func (w *world) pastOf(phone string) time.Duration {
	w.Helper()
	began, err := db.One[time.Time](w.Context(), w.across(), `SELECT MIN(created_at) FROM sessions
		WHERE phone = :phone`, db.Args{"phone": phone})
	check(w, err)
	return w.Now().Sub(began)
}

// The sign-in log has every attempt: those of a school's accounts in the school, those of
// unknown names at the platform, as a keyed hash.
func TestTrail(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.school("GREEN")
		user := w.admin(at, email)
		w.admin(school.PlatformID, "super@platform.test")
		w.guess(email, 1)
		w.guess("nobody@green.test", 1)
		a := w.post("/auth/login", m{"email": email, "password": password, "device": "Office"}).is(200)
		list := w.call(a.access(), "GET", "/school-admin/audit/sign-ins", nil).items()
		if len(list) != 2 || list[0]["outcome"] != "SUCCESS" || list[0]["device"] != "Office" || list[0]["way"] != "password" ||
			list[1]["outcome"] != "WRONG" || list[1]["userId"] != string(user) || list[1]["ip"] != w.ip || list[1]["nameHash"] != nil {
			t.Errorf("the school's trail: %v", list)
		}
		s := w.login("super@platform.test")
		list = w.call(s.access(), "GET", "/super-admin/audit/sign-ins?outcome=WRONG", nil).items()
		if len(list) != 1 || list[0]["userId"] != nil || list[0]["nameHash"] == nil {
			t.Errorf("the platform's trail: %v", list)
		}
		if strings.Contains(w.dump("sign_ins"), "nobody@green.test") || strings.Contains(w.dump("tries"), email) {
			t.Error("names stand in clear")
		}
	})
}

func TestMe(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.school("GREEN")
		user := w.account(at, actor.Driver, phone)
		a := w.signIn("/driver/user-auth", phone)
		me := w.call(a.access(), "GET", "/auth/me", nil).is(200)
		if me.str("user", "id") != string(user) || me.str("school", "name") != "School GREEN" || me.str("school", "timezone") != "Europe/Berlin" {
			t.Errorf("me: %s", me.text)
		}
		can := map[string]m{}
		for _, p := range me.all["permissions"].([]any) {
			can[p.(m)["module"].(string)] = p.(m)
		}
		if can["transport"]["canWrite"] != true || can["transport"]["canDelete"] != false || can["fee"] != nil {
			t.Errorf("permissions: %v", can)
		}
		w.call("", "GET", "/auth/me", nil).is(401, "Unauthorized")
		w.admin(school.PlatformID, email)
		if s := w.call(w.login(email).access(), "GET", "/auth/me", nil).is(200); s.str("user", "email") != email {
			t.Errorf("super-administrator: %s", s.text)
		}
	})
}

func TestSweep(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.account(w.school("GREEN"), actor.Parent, phone)
		old := w.signIn("/auth", phone)
		w.pass(6 * 24 * time.Hour)
		fresh := w.signIn("/auth", phone)
		w.pass(2 * 24 * time.Hour)
		for _, p := range w.people.Periodics() {
			check(t, p.Run(w.Context()))
		}
		w.refresh(old.refresh()).is(401, "REFRESH_TOKEN_EXPIRED")
		next := w.refresh(fresh.refresh()).is(200)
		if list := w.call(next.access(), "GET", "/auth/sessions", nil).items(); len(list) != 1 {
			t.Errorf("sessions: %v", list)
		}
		for _, tt := range []struct{ days, kept int }{{0, 2}, {31, 1}} { // an expired session is kept for 30 days
			w.pass(time.Duration(tt.days) * 24 * time.Hour)
			for _, p := range w.people.Periodics() {
				check(t, p.Run(w.Context()))
			}
			left, err := db.One[int](w.Context(), w.across(), `SELECT count(*) FROM sessions`, nil)
			check(t, err)
			if left != tt.kept {
				t.Errorf("%d days later %d sessions are kept, want %d", tt.days, left, tt.kept)
			}
		}
	})
}

// TestNewCodeIsNotSwept sends a new code to a phone in the moment in which the old one would be
// deleted: it stays.
func TestNewCodeIsNotSwept(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.account(w.school("GREEN"), actor.Parent, phone)
		w.post("/auth/send-otp", m{"phone": phone}).is(200)
		w.pass(2 * 24 * time.Hour)
		swept := make(chan error, 1)
		check(t, w.db.InAll(t.Context(), unscoped.Permit{}, func(ctx context.Context, tx *db.Tx) error {
			_, err := db.Exec(ctx, tx, `UPDATE otps SET expires_at = :later`, db.Args{"later": w.people.Now().Add(time.Minute)})
			go func() {
				var failed error
				for _, p := range w.people.Periodics() {
					failed = errors.Join(failed, p.Run(t.Context()))
				}
				swept <- failed
			}()
			time.Sleep(100 * time.Millisecond) // the sweep finds the code expired, and waits for its row
			return err
		}))
		check(t, <-swept)
		left, err := db.One[int](t.Context(), w.across(), `SELECT count(*) FROM otps`, nil)
		check(t, err)
		if left != 1 {
			t.Errorf("%d codes are left, want the new one", left)
		}
	})
}
