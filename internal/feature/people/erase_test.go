package people_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"homeroom/internal/feature/people"
	"homeroom/internal/feature/people/peopletest"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
)

// dump is every row of every table, as text.
func dump(w *peopletest.World) string {
	w.Helper()
	all := w.DB.Across(unscoped.Permit{})
	tables, row := `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'`, ""
	if w.DB.Engine() == "postgres" {
		tables = `SELECT tablename FROM pg_tables WHERE schemaname = current_schema()`
		row = `CAST(t AS TEXT)`
	}
	names, err := db.All[string](w.Context(), all, tables, nil)
	if err != nil {
		w.Fatal(err)
	}
	var b strings.Builder
	for _, table := range names {
		if table == "schema_migrations" {
			continue
		}
		as := row
		if as == "" {
			columns, err := db.All[string](w.Context(), all, `SELECT name FROM pragma_table_info(:t)`, db.Args{"t": table})
			if err != nil {
				w.Fatal(err)
			}
			as = `'' || COALESCE(` + strings.Join(columns, `, '') || ' ' || COALESCE(`) + `, '')`
		}
		rows, err := db.All[string](w.Context(), all, `SELECT `+as+` FROM `+table+` t`, nil)
		if err != nil {
			w.Fatal(err)
		}
		fmt.Fprintln(&b, table, rows)
	}
	return strings.ToLower(b.String())
}

func TestErase(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		class, division := seat(w, w.North, "Grade 1")
		st := create(w, w.North, m{"admissionNo": "ERASE-1", "firstName": "Aurelia", "lastName": "Quixote", "dateOfBirth": "2011-11-11",
			"gender":     "FEMALE",
			"bloodGroup": "AB-", "classId": class, "divisionId": division, "address": "77 Zebra Street", "phone": "+15557770001",
			"email":        "aurelia@example.org",
			"medicalNotes": "Gluten", "emergencyContacts": []m{{"name": "Zorro", "phone": "+15557770002", "relation": "UNCLE"}},
			"customFields": m{"nickname": "Aury"},
			"guardians": []m{{"name": "Bartholomew", "phone": "+15557770003", "email": "bart@example.org"},
				{"name": "Cordelia", "phone": "+15557770004"}, {"name": "Dulcinea"}}})
		sibling := create(w, w.North, m{"firstName": "Sister", "guardians": []m{{"name": "Cordelia", "phone": "+15557770004"}}})
		w.Call(w.North.Admin, "PUT", students+st, m{"lastName": "Quijano", "status": "LEFT", "leavingReason": "Windmills"}).Is(200)
		bart := w.UserOf(w.North, "guardians", "phone", "+15557770003")
		w.Exec(w.North, `INSERT INTO deliveries (school_id, id, channel, to_addr, subject, body, html, data, sealed, user_id, status, created_at)
			VALUES (:school, :id, 'sms', '+15557770003', '', 'Aurelia is absent', '', :data, FALSE, :user, 'QUEUED', :now)`,
			db.Args{"id": id.New(), "user": bart, "data": db.JSON[m]{V: m{"studentId": st}}, "now": w.People.Now()})
		w.Exec(w.North, `INSERT INTO idempotency_keys (school_id, id, user_id, key, hash, status, body, created_at)
			VALUES (:school, :id, :user, 'k', 'h', 200, :body, :now)`,
			db.Args{"id": id.New(), "user": bart, "body": `{"id":"` + st + `","firstName":"Aurelia"}`, "now": w.People.Now()})
		for _, path := range []string{studentExport, employeeExport} {
			w.Fetch(w.North.Admin, path+"?search=Aurelia").Is(200)
		}
		var told people.Erased
		w.People.Erasers = append(w.People.Erasers, func(_ context.Context, _ *db.Tx, e people.Erased) error { told = e; return nil })

		export := w.Call(w.North.Admin, "GET", students+st+"/data-export", nil).Is(200)
		for _, held := range []string{"Aurelia", "Quixote", "Quijano", "Zorro", "Aury", "Bartholomew", "Grade 1", "student.create",
			"student.update", "Aurelia is absent"} {
			if !strings.Contains(export.Text, held) {
				t.Errorf("the export has no %s", held)
			}
		}
		if strings.Contains(export.Text, "Sister") {
			t.Error("the export has another student in it")
		}

		erase := func(confirm string) peopletest.Answer {
			return w.Call(w.North.Admin, "POST", students+st+"/erase", m{"confirm": confirm})
		}
		erase("").Is(422, "Unprocessable Entity")
		erase("erase-1").Is(422, "Unprocessable Entity")
		w.Call(w.South.Admin, "POST", students+st+"/erase", m{"confirm": "ERASE-1"}).Is(404, "STUDENT_NOT_FOUND")
		personal := []string{"aurelia", "quixote", "quijano", "2011-11-11", "zebra", "+1555777000", "gluten", "zorro",
			"aury", "windmills", "bartholomew", "bart@example.org", "dulcinea"}
		before := dump(w)
		for _, p := range personal {
			if !strings.Contains(before, p) {
				t.Errorf("%s is nowhere, so that it proves nothing", p)
			}
		}
		erase("ERASE-1").Is(200)
		after := strings.ReplaceAll(dump(w), "+15557770004", "") // the guardian of the other child
		for _, p := range personal {
			if i := strings.Index(after, p); i >= 0 {
				t.Errorf("%s is still there: %s", p, after[max(0, i-200):min(len(after), i+100)])
			}
		}
		for _, kept := range []string{"erase-1", "cordelia", "student.erase"} {
			if !strings.Contains(after, kept) {
				t.Errorf("%s is gone", kept)
			}
		}
		erase("ERASE-1").Is(404, "STUDENT_NOT_FOUND")
		w.Call(w.North.Admin, "GET", students+st, nil).Is(404, "STUDENT_NOT_FOUND")
		w.Call(w.North.Admin, "POST", students+"create", m{"firstName": "X", "admissionNo": "ERASE-1"}).Is(409, "DUPLICATE_ENTRY")
		if got := w.Call(w.North.Admin, "GET", students+sibling, nil).All("guardians", "name"); !slices.Equal(got, []string{"Cordelia"}) {
			t.Errorf("the other child's guardians: %v", got)
		}
		if string(told.Student) != st || len(told.Guardians) != 2 || !slices.Equal(told.Users, []id.ID{bart}) {
			t.Errorf("other modules were told %+v", told)
		}
		if n := w.Count(`enrolments WHERE school_id = :school AND student_id = :st
			AND outcome = 'LEFT'`, db.Args{"st": st}); n != 1 {
			t.Errorf("%d years kept, want 1", n)
		}
		w.Call(w.North.Admin, "DELETE", students+sibling, nil).Is(204)
		number := w.Call(w.North.Admin, "GET", students+"list", nil).Is(200).Data["total"]
		if number != 0.0 {
			t.Errorf("%v students are listed, want none", number)
		}
	})
}

// TestLogIsKept: audit entries can be blanked, but not changed or deleted.
func TestLogIsKept(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		create(w, w.North, m{"firstName": "Ana"})
		for _, sql := range []string{
			`UPDATE audit_log SET action = 'x' WHERE school_id = :school`,
			`UPDATE audit_log SET before = NULL, after = NULL, action = 'x' WHERE school_id = :school`,
			`UPDATE audit_log SET after = '{"a":1}' WHERE school_id = :school`,
			`DELETE FROM audit_log WHERE school_id = :school`,
		} {
			if _, err := db.Exec(t.Context(), w.DB.School(w.North.ID), sql, nil); err == nil {
				t.Errorf("the log let itself be changed: %s", sql)
			}
		}
		w.Exec(w.North, `UPDATE audit_log SET before = NULL, after = NULL WHERE school_id = :school`, nil)
	})
}
