package school_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
)

func TestDelete(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		gone, admin := w.newSchool("GONE")
		stays, other := w.newSchool("STAYS")
		for _, as := range []string{admin, other} {
			w.Call(as, "POST", "/school-admin/academic-year/create", m{"name": "Y", "startDate": "2026-09-01", "endDate": "2027-07-31"}).Is(201)
			w.Call(as, "POST", "/school-admin/holiday/create", m{"name": "H", "date": "2026-12-24"}).Is(201)
		}
		kept := w.rows(stays)
		path := "/super-admin/school/" + string(gone)
		w.Call(super, "DELETE", path, nil).Is(422, "Unprocessable Entity", "confirm")
		w.Call(super, "DELETE", path+"?confirm=STAYS", nil).Is(422, "Unprocessable Entity", "confirm")
		w.Call(super, "DELETE", path+"?confirm=GONE", nil).Is(409, "Conflict")
		w.Call(super, "POST", path+"/suspend", nil).Is(200)
		w.Call(super, "DELETE", path+"?confirm=gone", nil).Is(422, "Unprocessable Entity", "confirm")
		if n := w.rows(gone); n == 0 {
			t.Fatal("the school has no rows to delete")
		}
		if a := w.Call(super, "DELETE", path+"?confirm=GONE", nil).Is(204); a.Text != "" {
			t.Errorf("body of a 204: %s", a.Text)
		}
		if n := w.rows(gone); n != 0 {
			t.Errorf("%d rows are left", n)
		}
		if n := w.rows(stays); n != kept {
			t.Errorf("the other school has %d rows, want %d", n, kept)
		}
		w.Announced("school:" + string(gone))
		w.Call(super, "GET", path, nil).Is(404, "Not Found")
		w.Call(super, "DELETE", path+"?confirm=GONE", nil).Is(404, "Not Found")
		e := w.LastAudit(super, school.PlatformID)
		if e["action"] != "school.delete" || e["entityId"] != string(gone) || e["after"] != nil || e["before"].(m)["code"] != "GONE" {
			t.Errorf("audit entry of the deletion: got %v", e)
		}
		w.newSchool("GONE") // the code is free again
	})
}

// TestAuditStays tries to change the audit log of a school that is not being deleted.
func TestAuditStays(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at, _ := w.newSchool("ONE")
		for _, sql := range []string{`DELETE FROM audit_log WHERE school_id = :id`,
			`UPDATE audit_log SET action = 'nothing' WHERE school_id = :id`} {
			err := w.DB.InAll(t.Context(), unscoped.Permit{}, func(ctx context.Context, tx *db.Tx) error {
				_, err := db.Exec(ctx, tx, sql, db.Args{"id": at})
				return err
			})
			if err == nil || !strings.Contains(err.Error(), "audit_log") {
				t.Errorf("%s: %v", sql, err)
			}
		}
		if e := w.LastAudit(super, at); e["action"] != "school.create" {
			t.Errorf("last audit entry: got %v, want school.create", e)
		}
	})
}

// TestEveryTableGoesWithItsSchool checks that every table with a school_id is deleted
// with its school.
func TestEveryTableGoesWithItsSchool(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		tables := w.tables()
		if len(tables) < 5 {
			t.Fatalf("tables with a school_id: got %v", tables)
		}
		all := w.DB.Across(unscoped.Permit{})
		for _, table := range tables {
			cascades := `SELECT count(*) FROM pragma_foreign_key_list('` + table + `') WHERE "table" = 'schools' AND on_delete = 'CASCADE'`
			restricts := `SELECT count(*) FROM pragma_foreign_key_list('` + table + `') WHERE on_delete = 'RESTRICT'`
			if w.DB.Engine() == "postgres" {
				of := `SELECT count(*) FROM pg_constraint c JOIN pg_class t ON t.oid = c.conrelid WHERE c.contype = 'f' AND t.relname = '` + table + `'`
				cascades = of + ` AND c.confdeltype = 'c' AND c.confrelid = (SELECT oid FROM pg_class WHERE relname = 'schools')`
				restricts = of + ` AND c.confdeltype = 'r'`
			}
			for sql, want := range map[string]int{cascades: 1, restricts: 0} {
				if n, err := db.One[int](t.Context(), all, sql, nil); err != nil || n != want {
					t.Errorf("%s: school_id must refer to schools ON DELETE CASCADE, and no key may RESTRICT: %d, %v", table, n, err)
				}
			}
		}
	})
}

// tables lists the tables with a school_id.
func (w *world) tables() []string {
	w.Helper()
	sql := `SELECT t.name FROM sqlite_master t, pragma_table_info(t.name) c WHERE t.type = 'table' AND c.name = 'school_id'`
	if w.DB.Engine() == "postgres" {
		sql = `SELECT CAST(t.relname AS text) FROM pg_class t JOIN pg_attribute c ON c.attrelid = t.oid
			WHERE t.relkind = 'r' AND c.attname = 'school_id'`
	}
	tables, err := db.All[string](w.Context(), w.DB.Across(unscoped.Permit{}), sql, nil)
	if err != nil {
		w.Fatal(err)
	}
	return tables
}

// rows counts the rows of a school in all tables.
func (w *world) rows(at id.ID) int {
	w.Helper()
	sum := 0
	for _, table := range w.tables() {
		n, err := db.One[int](w.Context(), w.DB.Across(unscoped.Permit{}),
			fmt.Sprintf(`SELECT count(*) FROM %s WHERE school_id = :id`, table), db.Args{"id": at})
		if err != nil {
			w.Fatal(err)
		}
		sum += n
	}
	return sum
}

// TestResumeAfterAnImport refuses a school that has not all its rows yet.
func TestResumeAfterAnImport(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at, _ := w.newSchool("HALF")
		path := "/super-admin/school/" + string(at)
		w.Call(super, "POST", path+"/suspend", nil).Is(200)
		q := w.DB.School(at)
		if _, err := db.Exec(t.Context(), q, `INSERT INTO school_imports (school_id, file, entry, count, updated_at)
			VALUES (:school, 'f', 'students', 7, :now)`, db.Args{"now": time.Now()}); err != nil {
			t.Fatal(err)
		}
		w.Call(super, "POST", path+"/resume", nil).Is(409, "Conflict")
		if _, err := db.Exec(t.Context(), q, `DELETE FROM school_imports WHERE school_id = :school`, nil); err != nil {
			t.Fatal(err)
		}
		w.Call(super, "POST", path+"/resume", nil).Is(200)
	})
}
