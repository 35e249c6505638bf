package school_test

import (
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/schema"
)

const years = "/school-admin/academic-year/"

func year(name, start, end string) m { return m{"name": name, "startDate": start, "endDate": end} }

func TestYears(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at, admin := w.newSchool("ONE")
		_, other := w.newSchool("TWO")
		if _, err := school.CurrentYear(t.Context(), w.db.School(at)); !errors.Is(err, school.ErrNoCurrentYear) {
			t.Errorf("current year of a new school: got %v, want ErrNoCurrentYear", err)
		}
		first := w.call(admin, "POST", years+"create", year("2025/26", "2025-09-01", "2026-07-31")).is(201)
		if first.Data["isCurrent"] != true {
			t.Error("the first year is not current:", first.text)
		}
		next := year("2026/27", "2026-09-01", "2027-07-31")
		second := w.call(admin, "POST", years+"create", next).is(201)
		if second.Data["isCurrent"] != false {
			t.Error("a second year is current:", second.text)
		}
		w.call(other, "POST", years+"create", next).is(201) // the same in another school

		a := w.call(admin, "POST", years+second.id()+"/activate", nil).is(200)
		if a.Data["isCurrent"] != true || a.Data["version"] != 2.0 {
			t.Errorf("activated year: got %s", a.text)
		}
		e := w.lastAudit(at)
		if e["action"] != "academic-year.activate" || e["before"].(m)["isCurrent"] != false || e["after"].(m)["name"] != nil {
			t.Errorf("audit entry of the activation: got %v", e)
		}
		retired := w.call(admin, "GET", "/school-admin/audit/list?action=academic-year.retire", nil).names("entityId")
		if d := cmp.Diff([]string{first.id()}, retired); d != "" {
			t.Errorf("retired years in the audit log (-want +got):\n%s", d)
		}
		w.call(admin, "POST", years+second.id()+"/activate", nil).is(200) // again
		w.current(admin, "2026/27")
		third := year("2027/28", "2027-09-01", "2028-07-31")
		third["isCurrent"] = true
		w.call(admin, "POST", years+"create", third).is(201)
		w.current(admin, "2027/28")
		w.call(admin, "PUT", years+first.id(), m{"isCurrent": true, "name": "Old"}).is(200)
		w.current(admin, "Old")
		y, err := school.CurrentYear(t.Context(), w.db.School(at))
		if err != nil || y.Name != "Old" || string(y.ID) != first.id() {
			t.Errorf("current year: got %v, %v, want Old", y, err)
		}

		w.call(admin, "DELETE", years+first.id(), nil).is(409, "Conflict")
		w.call(admin, "DELETE", years+second.id(), nil).is(204)
		if e := w.lastAudit(at); e["action"] != "academic-year.delete" || e["before"].(m)["name"] != "2026/27" || e["after"] != nil {
			t.Errorf("audit entry of the deletion: got %v", e)
		}
		w.call(admin, "GET", years+second.id(), nil).is(404, "Not Found")
		w.call(admin, "POST", years+"create", next).is(201) // its days and its name are free
		w.current(other, "2026/27")
	})
}

// current checks that exactly one year, with this name, is current.
func (w *world) current(admin, name string) {
	w.Helper()
	if d := cmp.Diff([]string{name}, w.call(admin, "GET", years+"list?isCurrent=true", nil).names("name")); d != "" {
		w.Error(d)
	}
}

func TestYearRefuses(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		_, admin := w.newSchool("ONE")
		_, other := w.newSchool("TWO")
		here := w.call(admin, "POST", years+"create", year("2025/26", "2025-09-01", "2026-07-31")).is(201).id()
		next := w.call(admin, "POST", years+"create", year("2026/27", "2026-09-01", "2027-07-31")).is(201).id()
		there := w.call(other, "POST", years+"create", year("2025/26", "2025-09-01", "2026-07-31")).is(201).id()
		for _, tt := range []struct {
			name, method, path string
			data               m
			status             int
			error, field       string
		}{
			{"nothing", "POST", "create", m{}, 422, "Unprocessable Entity", "startDate"},
			{"ends before it starts", "POST", "create", year("X", "2030-09-01", "2030-08-31"), 422, "Unprocessable Entity", "endDate"},
			{"ends as it starts", "POST", "create", year("X", "2030-09-01", "2030-09-01"), 422, "Unprocessable Entity", "endDate"},
			{"no such day", "POST", "create", year("X", "2030-02-30", "2030-09-01"), 422, "Unprocessable Entity", "startDate"},
			{"overlaps by a day", "POST", "create", year("X", "2024-09-01", "2025-09-01"), 409, "Conflict", ""},
			{"overlaps at the end", "POST", "create", year("X", "2027-07-31", "2028-07-31"), 409, "Conflict", ""},
			{"inside another", "POST", "create", year("X", "2026-10-01", "2026-11-01"), 409, "Conflict", ""},
			{"around others", "POST", "create", year("X", "2020-01-01", "2030-01-01"), 409, "Conflict", ""},
			{"name in use", "POST", "create", year(" 2025/26 ", "2030-09-01", "2031-08-31"), 409, "DUPLICATE_ENTRY", ""},
			{"moves into another", "PUT", next, m{"startDate": "2026-07-31"}, 409, "Conflict", ""},
			{"takes another's name", "PUT", next, m{"name": "2025/26"}, 409, "DUPLICATE_ENTRY", ""},
			{"ends before its own start", "PUT", next, m{"endDate": "2026-08-01"}, 422, "Unprocessable Entity", "endDate"},
			{"blank name", "PUT", next, m{"name": "\t"}, 422, "Unprocessable Entity", "name"},
			{"older version", "PUT", next, m{"name": "N", "version": 0}, 409, "Conflict", ""},
			{"leaves no year current", "PUT", here, m{"isCurrent": false}, 409, "Conflict", ""},
		} {
			a := w.call(admin, tt.method, years+tt.path, tt.data)
			if a.status != tt.status || a.Error != tt.error || tt.field != "" && !a.about(tt.field) {
				t.Errorf("%s: %s", tt.name, a.text)
			}
		}
		w.strangers(admin, years, there, []try{{"GET", "", nil}, {"PUT", "", m{"name": "N"}}, {"DELETE", "", nil}, {"POST", "/activate", nil}})
		if d := cmp.Diff([]string{"2026/27", "2025/26"}, w.call(admin, "GET", years+"list", nil).names("name")); d != "" {
			t.Error("something was changed:", d)
		}
		if a := w.call(other, "GET", years+there, nil).is(200); a.Data["name"] != "2025/26" || a.Data["version"] != 1.0 {
			t.Error("another school's year was changed:", a.text)
		}
	})
}

type try struct {
	method, path string
	data         m
}

// strangers checks that a record of another school gets the same response as an
// unknown one.
func (w *world) strangers(as, base, there string, tries []try) {
	w.Helper()
	for _, x := range tries {
		foreign := w.call(as, x.method, base+there+x.path, x.data).is(404, "Not Found")
		none := w.call(as, x.method, base+nobody+x.path, x.data).is(404, "Not Found")
		w.call(as, x.method, base+"no-id"+x.path, x.data).is(404, "Not Found")
		if foreign.text != none.text {
			w.Errorf("%s: a record of another school: got %s, want the same as an unknown one: %s", foreign.call, foreign.text, none.text)
		}
	}
}

// TestYearsAtOnce creates overlapping years, and activates years, concurrently.
func TestYearsAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at, admin := w.newSchool("ONE")
		who := actor.Actor{User: userID, School: at, Role: actor.SchoolAdmin}
		w.call(admin, "POST", years+"create", year("Current", "2020-01-01", "2020-12-31")).is(201)
		errs := make(chan error)
		for i := range 8 {
			go func() {
				_, err := w.schools.CreateYear(t.Context(), who, school.NewYear{Name: string(rune('A' + i)),
					StartDate: clock.Date("2026-09-01").AddDays(i), EndDate: "2027-07-31"})
				errs <- err
			}()
		}
		made := 0
		for range 8 {
			switch err := <-errs; {
			case err == nil:
				made++
			case fault.From(err).Kind != fault.Conflict:
				t.Error(err)
			}
		}
		ids := w.call(admin, "GET", years+"list", nil).names("id")
		if made != 1 || len(ids) != 2 {
			t.Fatalf("%d of 8 overlapping years were created, and %d years exist, want 1", made, len(ids))
		}
		for i := range 8 {
			go func() {
				_, err := w.schools.ActivateYear(t.Context(), who, id.ID(ids[i%2]))
				errs <- err
			}()
		}
		for range 8 {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		if n := len(w.call(admin, "GET", years+"list?isCurrent=true", nil).names("id")); n != 1 {
			t.Errorf("%d years are current, want 1", n)
		}
	})
}

// TestYearInUse deletes a year that a table of a later feature references.
func TestYearInUse(t *testing.T) {
	t.Parallel()
	later := fstest.MapFS{"9999_later.sql": {Data: []byte(`
		CREATE TABLE uses (
			school_id {{uuid}} NOT NULL REFERENCES schools (id) ON DELETE CASCADE,
			id {{uuid}} NOT NULL,
			PRIMARY KEY (school_id, id),
			FOREIGN KEY (school_id, id) REFERENCES academic_years (school_id, id)
		) {{strict}};
		{{tenant "uses"}}`)}}
	names, err := fs.Glob(schema.FS, "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		b, err := fs.ReadFile(schema.FS, name)
		if err != nil {
			t.Fatal(err)
		}
		later[name] = &fstest.MapFile{Data: b}
	}
	dbtest.Each(t, later, func(t *testing.T, d *db.DB) {
		w := start(t, d)
		at, admin := w.newSchool("ONE")
		w.call(admin, "POST", years+"create", year("A", "2025-09-01", "2026-07-31")).is(201)
		used := w.call(admin, "POST", years+"create", year("B", "2026-09-01", "2027-07-31")).is(201).id()
		_, err := db.Exec(t.Context(), d.School(at), `INSERT INTO uses (school_id, id) VALUES (:school, :id)`, db.Args{"id": used})
		if err != nil {
			t.Fatal(err)
		}
		w.call(admin, "DELETE", years+used, nil).is(409, "Conflict")
		w.call(admin, "GET", years+used, nil).is(200)
		if e := w.lastAudit(at); e["action"] == "academic-year.delete" {
			t.Error("a deletion that did not happen is in the log")
		}
		w.call(super, "POST", "/super-admin/school/"+string(at)+"/suspend", nil).is(200)
		w.call(super, "DELETE", "/super-admin/school/"+string(at)+"?confirm=ONE", nil).is(204) // the school can still be deleted
	})
}

func TestListYears(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		_, admin := w.newSchool("ONE")
		for _, y := range []m{year("Año 25", "2025-01-01", "2025-12-31"), year("b 50%", "2026-01-01", "2026-12-31"),
			year("C", "2024-01-01", "2024-12-31")} {
			w.call(admin, "POST", years+"create", y).is(201)
		}
		for _, tt := range []struct {
			query string
			want  []string
		}{
			{"", []string{"b 50%", "Año 25", "C"}},
			{"?search=A%C3%91O", []string{"Año 25"}},
			{"?search=%25", []string{"b 50%"}},
			{"?search=5", []string{"b 50%", "Año 25"}},
			{"?sort=name", []string{"Año 25", "b 50%", "C"}},
			{"?sort=endDate&order=asc&limit=2", []string{"C", "Año 25"}},
			{"?isCurrent=false", []string{"b 50%", "C"}},
			{"?filters[isCurrent]=true", []string{"Año 25"}},
		} {
			if d := cmp.Diff(tt.want, w.call(admin, "GET", years+"list"+tt.query, nil).names("name")); d != "" {
				t.Errorf("%s: %s", tt.query, d)
			}
		}
		w.call(admin, "GET", years+"list?year=1", nil).is(422, "Unprocessable Entity", "year")
		w.call(admin, "POST", years+"list", m{"filters": m{"isCurrent": "maybe"}}).is(422, "Unprocessable Entity", "filters.isCurrent")
	})
}
