package identity_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
)

// TestSecretsStayHidden signs in by every way and then searches every table and the log
// for secrets.
func TestSecretsStayHidden(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.school("GREEN")
		w.account(at, actor.Parent, phone)
		w.admin(at, email)
		code := w.code("/auth", phone)
		other := w.code("/auth", phone) // replaced, and still in the tables
		a := w.post("/auth/verify-otp", m{"phone": phone, "otp": other}).is(200)
		w.call(a.access(), "POST", "/auth/set-pin", m{"pin": "987654"}, "Idempotency-Key", "a").is(200)
		p := w.call(a.access(), "POST", "/auth/verify-pin", m{"phone": phone, "pin": "987654"}, "Idempotency-Key", "b").is(200)
		r := w.call(p.access(), "POST", "/auth/refresh", m{"refreshToken": p.refresh()}, "Idempotency-Key", "c").is(200)
		l := w.login(email)
		w.post("/auth/forgot-password", m{"email": email}).is(200)
		link := w.link(email)
		w.call(l.access(), "POST", "/auth/change-password", m{"currentPassword": password, "newPassword": "another password"}).is(200)
		w.post("/auth/login", m{"email": email, "password": "a wrong password"}).is(401)
		w.post("/auth/verify-otp", m{"phone": phone, "otp": wrong(code)}).is(400)

		secrets := map[string]string{"code": code, "last code": other, "PIN": "987654", "password": password,
			"new password": "another password", "wrong password": "a wrong password", "link": link,
			"access token": a.access(), "refresh token": a.refresh(), "refreshed token": r.refresh(), "login's token": l.access()}
		places := map[string]string{"log": w.log.String()}
		for _, table := range w.tables() {
			places[table] = w.dump(table)
		}
		if !strings.Contains(places["users"], phone) || !strings.Contains(places["sessions"], w.ip) ||
			!strings.Contains(places["log"], "/auth/login") {
			t.Fatal("the search looks in the wrong places")
		}
		if !found("Your code is "+code+". It is", code) || found("a"+code, code) {
			t.Fatal("the search does not find what it should")
		}
		for place, text := range places {
			for name, secret := range secrets {
				if found(text, secret) {
					t.Errorf("the %s stands in clear in %s", name, place)
				}
			}
		}
	})
}

// found looks for the secret as a word of its own: six digits may well be part
// of a hash or a time.
func found(text, secret string) bool {
	for rest := text; ; {
		i := strings.Index(rest, secret)
		if i < 0 {
			return false
		}
		before, after := rest[:i], rest[i+len(secret):]
		if !endsInWord(before) && (after == "" || !isWord(after[0])) {
			return true
		}
		rest = after
	}
}

func endsInWord(s string) bool { return s != "" && isWord(s[len(s)-1]) }

func isWord(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '-'
}

func (w *world) tables() []string {
	w.Helper()
	sql := `SELECT name FROM sqlite_master WHERE type = 'table'`
	if w.db.Engine() == "postgres" {
		sql = `SELECT CAST(table_name AS text) FROM information_schema.tables WHERE table_schema = 'public' AND table_name NOT LIKE '%migration%'`
	}
	names, err := db.All[string](w.Context(), w.across(), sql, nil)
	check(w, err)
	if len(names) < 10 {
		w.Fatalf("tables: %v", names)
	}
	return names
}

// dump is everything that a table holds, as text.
func (w *world) dump(table string) string {
	w.Helper()
	sql := `SELECT CAST(t AS text) FROM ` + table + ` t`
	if w.db.Engine() == "sqlite" {
		columns, err := db.All[string](w.Context(), w.across(), `SELECT name FROM pragma_table_info(:table)`, db.Args{"table": table})
		check(w, err)
		sql = `SELECT '' || `
		for _, c := range columns {
			sql += fmt.Sprintf(`COALESCE(CAST(%s AS TEXT), '') || ' ' || `, c)
		}
		sql += `'' FROM ` + table
	}
	rows, err := db.All[string](w.Context(), w.across(), sql, nil)
	check(w, err)
	return strings.Join(rows, "\n")
}

// An Idempotency-Key must not undo the counting of wrong tries, with whosever
// token it comes.
func TestKeysDoNotHideGuessing(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.school("GREEN")
		w.account(at, actor.Parent, phone)
		w.account(at, actor.Parent, "+15550100002")
		attacker := w.signIn("/auth", "+15550100002").access()
		code := w.code("/auth", phone)
		for i := range 6 {
			w.call(attacker, "POST", "/auth/verify-otp", m{"phone": phone, "otp": wrong(code)}, "Idempotency-Key",
				fmt.Sprint(i)).is(http.StatusBadRequest, "OTP_INVALID")
		}
		w.post("/auth/verify-otp", m{"phone": phone, "otp": code}).is(400, "OTP_INVALID")
	})
}
