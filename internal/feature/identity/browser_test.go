package identity_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/token"
)

const cookieName = "homeroom_refresh"

// browse calls as the web app does: with its header and the cookie, if any.
func (w *world) browse(bearer, path string, body m, cookie string, headers ...string) answer {
	w.Helper()
	headers = append(headers, "X-Homeroom-Web", "1")
	if cookie != "" {
		headers = append(headers, "Cookie", cookieName+"="+cookie)
	}
	return w.call(bearer, "POST", path, body, headers...)
}

// cookie is the cookie that the response sets; nil if none.
func (a answer) cookie() *http.Cookie {
	a.t.Helper()
	list := (&http.Response{Header: a.header}).Cookies()
	if len(list) > 1 {
		a.t.Fatalf("%s: cookies %v", a.call, list)
	}
	for _, c := range list {
		return c
	}
	return nil
}

// kept asserts that the refresh token is in the cookie alone, and returns it.
func (a answer) kept() string {
	a.t.Helper()
	c := a.is(200).cookie()
	if c == nil || c.Name != cookieName || c.Value == "" || c.Path != "/auth" || c.Domain != "" || !c.HttpOnly ||
		c.SameSite != http.SameSiteStrictMode || c.MaxAge != 7*24*60*60 {
		a.t.Fatalf("%s: cookie %+v", a.call, c)
	}
	if strings.Contains(a.text, c.Value) || strings.Contains(a.text, "refreshToken") || a.access() == "" {
		a.t.Fatalf("%s: %s", a.call, a.text)
	}
	return c.Value
}

// deleted asserts that the response deletes the cookie.
func (a answer) deleted() {
	a.t.Helper()
	if c := a.cookie(); c == nil || c.Name != cookieName || c.Path != "/auth" || c.Value != "" || c.MaxAge >= 0 {
		a.t.Fatalf("%s: cookie %+v", a.call, c)
	}
}

// untouched asserts that the response leaves the browser's cookie as it is.
func (a answer) untouched() {
	a.t.Helper()
	if c := a.cookie(); c != nil {
		a.t.Fatalf("%s: cookie %+v", a.call, c)
	}
}

// TestBrowserSignIn signs in in every way: the refresh token is in a cookie alone.
func TestBrowserSignIn(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.school("GREEN")
		w.account(at, actor.Parent, phone)
		teacher := w.account(at, actor.Teacher, phone)
		w.admin(at, email)
		first := w.browse("", "/auth/verify-otp", m{"phone": phone, "otp": w.code("/auth", phone), "role": "PARENT"}, "")
		first.kept()
		w.browse("", "/teacher/user-auth/verify-otp", m{"phone": phone, "otp": w.code("/auth", phone)}, "").kept()
		w.call(first.access(), "POST", "/auth/set-pin", m{"pin": "2580"}).is(200).untouched()
		w.browse("", "/auth/verify-pin", m{"phone": phone, "pin": "2580", "role": "PARENT"}, "").kept()
		w.browse(first.access(), "/auth/switch", m{"accountId": teacher}, "").kept()
		w.browse("", "/auth/login", m{"email": email, "password": password}, "").kept()
		w.browse("", "/auth/login", m{"email": email, "password": "not the password"}, "").is(401).untouched()

		native := w.login(email)
		native.untouched()
		if native.refresh() == "" {
			t.Error("a native app has no refresh token:", native.text)
		}
		w.call("", "POST", "/auth/login", m{"email": email, "password": password}, "X-Homeroom-Web", "0").is(200).untouched()
	})
}

// TestBrowserSecondFactor has no cookie before the second step.
func TestBrowserSecondFactor(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.admin(school.PlatformID, email)
		w.people.RequireSecondFactor = true
		step := w.browse("", "/auth/login", m{"email": email, "password": password}, "").is(200)
		step.untouched()
		pending := step.str("secondFactor", "token")
		secret := w.post("/auth/second-factor/setup", m{"token": pending}).is(200).str("secret")
		w.browse("", "/auth/second-factor", m{"token": pending, "code": "000000"}, "").is(401).untouched()
		w.browse("", "/auth/second-factor", m{"token": pending, "code": token.TOTP(secret, w.Now())}, "").kept()
	})
}

func TestBrowserRefresh(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.account(w.school("GREEN"), actor.Parent, phone)
		one := w.browse("", "/auth/verify-otp", m{"phone": phone, "otp": w.code("/auth", phone)}, "").kept()
		a := w.browse("", "/auth/refresh", nil, one)
		two := a.kept()
		if two == one || w.me(a.access()) != 200 {
			t.Fatal("the cookie is the old one, or the access token does not work")
		}
		// Nobody but the web app can use the cookie, and a failed attempt leaves it alone.
		w.call("", "POST", "/auth/refresh", nil, "Cookie", cookieName+"="+two).is(401, "Unauthorized").untouched()
		w.call("", "POST", "/auth/refresh", m{}, "Cookie", cookieName+"="+two, "X-Homeroom-Web", "yes").is(401, "Unauthorized").untouched()
		for _, foreign := range [][]string{
			{"Origin", "https://evil.test"}, {"Origin", "null"}, {"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"},
			{"Origin", "http://example.com", "Sec-Fetch-Site", "cross-site"},
		} {
			w.browse("", "/auth/refresh", nil, two, foreign...).is(403, "PERMISSION_DENIED").untouched()
			w.browse("", "/auth/logout", nil, two, foreign...).is(403, "PERMISSION_DENIED").untouched()
			w.browse("", "/auth/login", m{"email": email, "password": password}, "", foreign...).is(403, "PERMISSION_DENIED").untouched()
		}
		if got := w.call("", "GET", "/auth/refresh", nil, "Cookie", cookieName+"="+two, "X-Homeroom-Web", "1"); got.status != 405 {
			t.Errorf("GET: %d", got.status)
		}
		three := w.browse("", "/auth/refresh", m{}, two, "Origin", "http://example.com", "Sec-Fetch-Site", "same-origin").kept()
		w.browse("", "/auth/refresh", nil, "").is(401, "Unauthorized").untouched() // a browser that was never signed in
		w.browse("", "/auth/refresh", nil, "x").is(401, "Unauthorized").deleted()
		// The body wins: a native client that sends cookies is not confused.
		moved := w.call("", "POST", "/auth/refresh", m{"refreshToken": three}, "Cookie", cookieName+"=x").is(200)
		moved.untouched()
		four := w.browse("", "/auth/refresh", m{"refreshToken": moved.refresh()}, "x").kept()
		w.pass(7 * 24 * time.Hour)
		w.browse("", "/auth/refresh", nil, four).is(401, "REFRESH_TOKEN_EXPIRED").deleted()
	})
}

// TestBrowserTabs refreshes in two tabs at once: the slower one must not delete the cookie
// of the faster one. An old cookie later on is a stolen one.
func TestBrowserTabs(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.account(w.school("GREEN"), actor.Parent, phone)
		one := w.browse("", "/auth/verify-otp", m{"phone": phone, "otp": w.code("/auth", phone)}, "").kept()
		got := race(8, func() answer { return w.browse("", "/auth/refresh", nil, one) })
		if len(got[200]) != 1 || len(got[401]) != 7 {
			t.Fatalf("%d won, %d lost", len(got[200]), len(got[401]))
		}
		for _, lost := range got[401] {
			lost.untouched()
		}
		two := w.browse("", "/auth/refresh", nil, got[200][0].kept())
		three := two.kept()
		w.pass(refreshGrace + time.Millisecond)
		w.browse("", "/auth/refresh", nil, got[200][0].kept()).is(401, "Unauthorized").deleted()
		w.browse("", "/auth/refresh", nil, three).is(401, "Unauthorized").deleted()
		if got := w.me(two.access()); got != 401 {
			t.Errorf("the stolen session's access token: %d", got)
		}
	})
}

// refreshGrace is how long a used refresh token may come again.
const refreshGrace = 10 * time.Second

func TestBrowserLogout(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.account(w.school("GREEN"), actor.Parent, phone)
		a := w.browse("", "/auth/verify-otp", m{"phone": phone, "otp": w.code("/auth", phone)}, "")
		cookie := a.kept()
		w.call("", "POST", "/auth/logout", nil, "Cookie", cookieName+"="+cookie).is(200).untouched() // another site's form
		if got := w.me(a.access()); got != 200 {
			t.Fatalf("signed out without the header: %d", got)
		}
		w.browse("", "/auth/logout", nil, cookie).is(200).deleted()
		if got := w.me(a.access()); got != 401 {
			t.Errorf("the access token after signing out: %d", got)
		}
		w.browse("", "/auth/refresh", nil, cookie).is(401, "Unauthorized").deleted()
		w.browse("", "/auth/logout", nil, cookie).is(200).deleted()
		w.browse("", "/auth/logout", nil, "").is(200).deleted()

		b := w.browse("", "/auth/verify-otp", m{"phone": phone, "otp": w.code("/auth", phone)}, "")
		other := w.browse("", "/auth/verify-otp", m{"phone": phone, "otp": w.code("/auth", phone)}, "").kept()
		w.browse(b.access(), "/auth/logout", nil, b.kept()).is(200).deleted()
		w.browse("", "/auth/refresh", nil, other).kept() // another browser stays signed in
	})
}

// TestBrowserSuspended keeps the cookie of a school that is suspended for a while.
func TestBrowserSuspended(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.school("GREEN")
		w.account(at, actor.Parent, phone)
		cookie := w.browse("", "/auth/verify-otp", m{"phone": phone, "otp": w.code("/auth", phone)}, "").kept()
		_, err := w.schools.Suspend(w.Context(), w.super(), at)
		check(t, err)
		w.browse("", "/auth/refresh", nil, cookie).is(403, "PERMISSION_DENIED").untouched()
		_, err = w.schools.Resume(w.Context(), w.super(), at)
		check(t, err)
		w.browse("", "/auth/refresh", nil, cookie).kept()
	})
}
