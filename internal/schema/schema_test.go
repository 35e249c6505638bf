package schema_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/schema"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// ofNoSchool are the tables without school_id, with the reason.
var ofNoSchool = map[string]string{
	"schema_migrations": "belongs to the migrations",
	"schools":           "the schools themselves; its own policies",
	"modules":           "the same for all schools",
	"rate_counts":       "counted before a school is known",
	"job_periods":       "one row per periodic job of the service",
	"nodes":             "the processes of the service",
	"node_minutes":      "the load of the processes",
	"backups":           "of all schools together",
	"otps":              "used before a school is known",
	"tries":             "used before a school is known",
	"known_places":      "used before a school is known",
}

// overAllSchools are the unique indexes that do not start with school_id, with the reason.
var overAllSchools = map[string]string{
	"email_logins_email": "administrators sign in with an e-mail before a school is known",
	"devices_token":      "a push token belongs to one account of all schools",
	"users_phone":        "unique per school, but sign-in searches all schools by phone",
}

// TestTenantTables checks that every table has school_id and forced row-level
// security on PostgreSQL.
func TestTenantTables(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, "postgres", schema.FS)
	tables, err := db.All[struct {
		Name         string
		HasSchool    bool
		Secure       bool
		Forced       bool
		AppReadsFree bool
	}](t.Context(), d.Across(unscoped.Permit{}), `
		SELECT c.relname AS name, c.relrowsecurity AS secure, c.relforcerowsecurity AS forced,
			EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'school_id' AND NOT a.attisdropped) AS has_school,
			(SELECT rolbypassrls OR rolsuper FROM pg_roles WHERE rolname = 'homeroom_app') AS app_reads_free
		FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
		WHERE c.relkind = 'r' AND n.nspname = 'public'`, nil)
	if err != nil || len(tables) < 20 {
		t.Fatalf("tables: got %d, %v, want at least 20", len(tables), err)
	}
	for _, tab := range tables {
		if tab.AppReadsFree {
			t.Fatal("the role homeroom_app can bypass row-level security")
		}
		switch _, free := ofNoSchool[tab.Name]; {
		case !tab.HasSchool && !free:
			t.Errorf("%s has no school_id: if that is intended, add it to ofNoSchool with the reason", tab.Name)
		case tab.HasSchool && tab.Name != "email_logins" && (!tab.Secure || !tab.Forced):
			t.Errorf("%s: row-level security enabled %v, forced %v", tab.Name, tab.Secure, tab.Forced)
		}
	}
}

// TestKeysStartWithTheSchool checks that unique and foreign keys start with school_id.
func TestKeysStartWithTheSchool(t *testing.T) {
	t.Parallel()
	d := dbtest.Open(t, "postgres", schema.FS)
	keys, err := db.All[struct {
		Name   string
		Tab    string
		Kind   string
		First  string
		Target string
	}](t.Context(), d.Across(unscoped.Permit{}), `
		SELECT i.relname AS name, c.relname AS tab, 'unique' AS kind, a.attname AS first, '' AS target
		FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class c ON c.oid = x.indrelid
			JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'public'
			LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = x.indkey[0]
		WHERE x.indisunique AND EXISTS (SELECT 1 FROM pg_attribute s WHERE s.attrelid = c.oid AND s.attname = 'school_id')
		UNION ALL
		SELECT k.conname, c.relname, 'foreign', a.attname, t.relname
		FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class t ON t.oid = k.confrelid
			JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'public'
			JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1]
		WHERE k.contype = 'f' AND EXISTS (SELECT 1 FROM pg_attribute s WHERE s.attrelid = c.oid AND s.attname = 'school_id')`, nil)
	if err != nil || len(keys) < 40 {
		t.Fatalf("keys: got %d, %v, want at least 40", len(keys), err)
	}
	for _, k := range keys {
		if _, ok := overAllSchools[k.Name]; ok || k.Target == "modules" {
			continue
		}
		if k.First != "school_id" {
			t.Errorf("%s key %s of %s starts with %q, not with school_id", k.Kind, k.Name, k.Tab, k.First)
		}
	}
}

// TestFilesAreInOrder checks that every file has a unique number.
func TestFilesAreInOrder(t *testing.T) {
	t.Parallel()
	files, err := schema.FS.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var numbers []string
	for _, f := range files {
		number, _, ok := strings.Cut(f.Name(), "_")
		if !ok || len(number) != 4 || slices.Contains(numbers, number) {
			t.Errorf("%s: want a number of four digits that no other file has", f.Name())
		}
		numbers = append(numbers, number)
	}
}

// TestSQLitePlans checks that SQLite, with the statistics of a school of 2,000
// students, uses the expected indexes.
func TestSQLitePlans(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t, "sqlite", schema.FS)
	fill(t, strings.TrimPrefix(url, "sqlite:"))
	d := dbtest.Dial(t, url, schema.FS)
	if err := d.Optimize(t.Context()); err != nil {
		t.Fatal(err)
	}
	const (
		byStudent = "PRIMARY KEY (school_id=? AND student_id=?)"
		userKey   = "sqlite_autoindex_users_1 (school_id=? AND id=?)"
	)
	for sql, index := range map[string]string{
		`SELECT relation FROM student_guardians WHERE school_id = :school AND guardian_id = 'g'`:                 "student_guardians_guardian",
		`SELECT id FROM guardians WHERE school_id = :school AND phone <> '' AND phone IN ('1', '2')`:             "guardians_phone",
		`SELECT relation FROM student_guardians WHERE school_id = :school AND student_id = 's'`:                  byStudent,
		`SELECT outcome FROM enrolments WHERE school_id = :school AND academic_year_id = 'y' AND class_id = 'c'`: "enrolments_class",
		`SELECT outcome FROM enrolments WHERE school_id = :school AND student_id = 's'`:                          byStudent,
		`SELECT id, name FROM users WHERE school_id = :school AND id IN (SELECT value FROM json_each('[]'))`:     userKey,
		`SELECT s.id FROM students s JOIN student_guardians l ON l.school_id = s.school_id AND l.student_id = s.id
			WHERE s.school_id = :school AND s.division_id = 'd'`: byStudent,
	} {
		plan, err := db.All[struct {
			ID, Parent, Notused int
			Detail              string
		}](t.Context(), d.School(school), `EXPLAIN QUERY PLAN `+sql, nil)
		if err != nil || !strings.Contains(fmt.Sprint(plan), index) {
			t.Errorf("plan of %s: got %v, %v, want %s", sql, plan, err, index)
		}
	}
}

// fill inserts the rows of a school, without classes and with foreign keys off.
func fill(t *testing.T, path string) {
	t.Helper()
	raw, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	const numbers = `WITH RECURSIVE numbers (school, n) AS (SELECT ?, 1 UNION ALL SELECT school, n + 1 FROM numbers LIMIT 2000) `
	for _, insert := range []string{
		`users (school_id, id, role_id, role, name, status, search, created_at, updated_at)
			SELECT school, 'u' || n, 'r', 'PARENT', 'a' || n, 'ACTIVE', '', '', ''`,
		`guardians (school_id, id, user_id, name, phone, created_at, updated_at) SELECT school, 'g' || n, 'u' || n, 'a', n, '', ''`,
		`students (school_id, id, admission_no, first_name, class_id, division_id, status, search, created_at, updated_at)
			SELECT school, 's' || n, n, 'a', 'c' || (n % 40), 'd' || (n % 80), 'ACTIVE', '', '', ''`,
		`student_guardians (school_id, student_id, guardian_id, relation, is_primary, can_view_data, can_pick_up, created_at)
			SELECT school, 's' || n, 'g' || (n / 2), 'MOTHER', TRUE, TRUE, TRUE, ''`,
		`enrolments (school_id, student_id, academic_year_id, class_id, division_id, outcome, created_at, updated_at)
			SELECT school, 's' || (n / 2), 'y' || (n % 2), 'c' || (n % 40), 'd' || (n % 80), 'ENROLLED', '', ''`,
	} {
		if _, err := raw.ExecContext(t.Context(), numbers+`INSERT INTO `+insert+` FROM numbers`, school); err != nil {
			t.Fatal(err)
		}
	}
}

const school = "01990000-0000-7000-8000-000000000000"
