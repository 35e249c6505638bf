package identity_test

import (
	"maps"
	"strings"
	"testing"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/schema"
)

const (
	firstPassword  = "three unrelated words"
	officePassword = "four other plain words"
)

// open opens the set-up and returns the secret of its link.
func (w *world) open() string {
	w.Helper()
	secret, err := w.people.OpenSetup(w.Context())
	check(w, err)
	return secret
}

// first is the body of a set-up, changed by more.
func first(secret string, more m) m {
	body := m{"token": secret, "name": "Ada Byron", "email": "Ada@example.org", "password": firstPassword, "schoolName": "St. Mary's (Nord)",
		"timezone": "Europe/Berlin", "currency": "EUR", "officeEmail": "office@example.org", "officePassword": officePassword,
		"academicYear": m{"name": "2026/27", "startDate": "2026-08-01", "endDate": "2027-07-31"}}
	maps.Copy(body, more)
	maps.DeleteFunc(body, func(_ string, v any) bool { return v == nil })
	return body
}

func (w *world) needed(want bool) {
	w.Helper()
	a := w.call("", "GET", "/auth/setup", nil).is(200)
	if a.all["needed"] != want {
		w.Errorf("set-up is needed: %v, want %v", a.all["needed"], want)
	}
}

// empty checks that a refused set-up has left nothing behind.
func (w *world) empty() {
	w.Helper()
	for _, table := range []string{"users", "email_logins", "schools WHERE NOT is_platform", "sessions"} {
		n, err := db.One[int](w.Context(), w.across(), `SELECT COUNT(*) FROM `+table, nil)
		check(w, err)
		if n != 0 {
			w.Errorf("%d rows in %s, want none", n, table)
		}
	}
}

func TestSetup(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.needed(false) // not opened: as in demo mode
		w.post("/auth/setup", first("anything at all", nil)).is(409, "Conflict")
		w.empty()
		secret := w.open()
		w.needed(true)
		if other := w.open(); len(secret) < 40 || secret != other {
			t.Errorf("secret %q, on another node %q: a balancer may send either to either", secret, other)
		}
		for _, wrong := range []string{secret[1:], w.people.Keys.MAC("another purpose"), "x"} {
			w.post("/auth/setup", first(wrong, nil)).is(401, "Unauthorized")
		}
		w.post("/auth/setup", first("", nil)).is(422, "Unprocessable Entity", "token")
		w.empty()

		got := w.post("/auth/setup", first(secret, nil)).is(200)
		if got.str("user", "role") != "SUPER_ADMIN" || got.str("user", "email") != "ada@example.org" ||
			got.str("data", "accessToken") != got.access() {
			t.Errorf("reply %s", got.text)
		}
		at := w.call(got.access(), "GET", "/super-admin/school/"+got.str("schoolId"), nil).is(200).all["data"].(m)
		if at["code"] != "ST-MARY-S-NORD" || at["timezone"] != "Europe/Berlin" || at["currency"] != "EUR" {
			t.Errorf("school %v", at)
		}
		office := w.post("/auth/login", m{"email": "office@example.org", "password": officePassword}).is(200)
		if office.str("user", "role") != "SCHOOL_ADMIN" || office.str("user", "schoolId") != got.str("schoolId") ||
			office.str("user", "name") != "Ada Byron" {
			t.Errorf("office %s", office.text)
		}
		years := w.call(office.access(), "GET", "/school-admin/academic-year/list", nil).items()
		if len(years) != 1 || years[0]["isCurrent"] != true {
			t.Errorf("academic years %v", years)
		}
		w.post("/auth/login", m{"email": "ada@example.org", "password": firstPassword}).is(200)

		// Never again, with or without the link.
		w.needed(false)
		w.post("/auth/setup", first(secret, m{"email": "eve@example.org", "schoolName": nil, "officeEmail": nil, "officePassword": nil,
			"academicYear": nil})).is(409, "Conflict")
		if again := w.open(); again != "" {
			t.Errorf("a second link %q", again)
		}
		_, err := db.Exec(t.Context(), w.db.School(school.PlatformID), `UPDATE users SET status = 'DELETED' WHERE school_id = :school`, nil)
		check(t, err)
		if again := w.open(); again != "" {
			t.Errorf("a link after the account was deleted: %q", again)
		}
		if log := w.log.String(); strings.Contains(log, secret) || strings.Contains(log, firstPassword) {
			t.Error("the log has a secret")
		}
	})
}

// TestSetupRefuses sends bodies that break a rule. The link stays valid.
func TestSetupRefuses(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		secret := w.open()
		for field, more := range map[string]m{
			"name":                 {"name": "  "},
			"email":                {"email": "ada"},
			"password":             {"password": "1234567890"},
			"officePassword":       {"officePassword": "short"},
			"officeEmail":          {"officeEmail": "ada@example.org"},
			"schoolName":           {"schoolName": nil},
			"schoolCode":           {"schoolCode": "!"},
			"timezone":             {"timezone": "Mars"},
			"currency":             {"currency": "EURO"},
			"academicYear.endDate": {"academicYear": m{"name": "Y", "startDate": "2026-08-01", "endDate": "2026-08-01"}},
		} {
			w.post("/auth/setup", first(secret, more)).is(422, "Unprocessable Entity", field)
		}
		w.post("/auth/setup", first(secret, m{"officeEmail": nil})).is(422, "Unprocessable Entity", "officeEmail")
		w.post("/auth/setup", first(secret, m{"schoolCode": "PLATFORM"})).is(409, "DUPLICATE_ENTRY") // rolls back the account, too
		w.empty()
		w.needed(true)
		alone := w.post("/auth/setup", m{"token": secret, "name": "Ada", "email": "ada@example.org", "password": firstPassword}).is(200)
		if alone.all["schoolId"] != nil || alone.str("user", "role") != "SUPER_ADMIN" {
			t.Errorf("without a school: %s", alone.text)
		}
	})
}

// TestSetupInvites leaves the office's password to its owner.
func TestSetupInvites(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.post("/auth/setup", first(w.open(), m{"officePassword": nil, "officeName": "Grace"})).is(200)
		w.drain()
		if sent := w.outbox.to("office@example.org"); len(sent) != 1 || !strings.Contains(sent[0].Body, "/reset?token=") {
			t.Errorf("invitations: %v", sent)
		}
		w.post("/auth/login", m{"email": "office@example.org", "password": firstPassword}).is(401, "Unauthorized")
	})
}

// TestSetupAtOnce sets up many times at once with one link.
func TestSetupAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		body := first(w.open(), nil)
		got := race(5, func() answer { return w.post("/auth/setup", body) })
		if len(got[200]) != 1 || len(got[409]) != 4 {
			t.Errorf("%d winners, %d too late", len(got[200]), len(got[409]))
		}
		if n, err := db.One[int](t.Context(), w.across(), `SELECT COUNT(*) FROM users WHERE role = 'SUPER_ADMIN'`, nil); err != nil || n != 1 {
			t.Errorf("%d super-administrators, %v", n, err)
		}
	})
}

// TestSetupEndsWithTheCommand creates the account on the command line, which is
// another process.
func TestSetupEndsWithTheCommand(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		secret := w.open()
		_, err := w.people.CreateSuperAdmin(t.Context(), "Ada", "root@example.org", firstPassword)
		check(t, err)
		w.post("/auth/setup", first(secret, nil)).is(409, "Conflict")
		w.needed(false)
	})
}

// TestSetupOfTwoNodes: the link of one node works on the other, and the first account ends both.
func TestSetupOfTwoNodes(t *testing.T) {
	t.Parallel()
	url, c := dbtest.URL(t, "postgres", schema.FS), newClock()
	one, two := start(t, dbtest.Dial(t, url, schema.FS), c), start(t, dbtest.Dial(t, url, schema.FS), c)
	mine, other := one.open(), two.open()
	one.post("/auth/setup", first(other, nil)).is(200)
	two.post("/auth/setup", first(mine, nil)).is(409, "Conflict")
	two.needed(false)
}
