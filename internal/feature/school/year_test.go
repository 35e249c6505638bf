package school_test

import (
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"homeroom/internal/feature/access/accesstest"
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
		if _, err := school.CurrentYear(t.Context(), w.DB.School(at)); !errors.Is(err, school.ErrNoCurrentYear) {
			t.Errorf("current year of a new school: got %v, want ErrNoCurrentYear", err)
		}
		first := w.Call(admin, "POST", years+"create", year("2025/26", "2025-09-01", "2026-07-31")).Is(201)
		if first.Data["isCurrent"] != true {
			t.Error("the first year is not current:", first.Text)
		}
		next := year("2026/27", "2026-09-01", "2027-07-31")
		second := w.Call(admin, "POST", years+"create", next).Is(201)
		if second.Data["isCurrent"] != false {
			t.Error("a second year is current:", second.Text)
		}
		w.Call(other, "POST", years+"create", next).Is(201) // the same in another school

		a := w.Call(admin, "POST", years+second.ID()+"/activate", nil).Is(200)
		if a.Data["isCurrent"] != true || a.Data["version"] != 2.0 {
			t.Errorf("activated year: got %s", a.Text)
		}
		e := w.LastAudit(super, at)
		if e["action"] != "academic-year.activate" || e["before"].(m)["isCurrent"] != false || e["after"].(m)["name"] != nil {
			t.Errorf("audit entry of the activation: got %v", e)
		}
		retired := w.Call(admin, "GET", "/school-admin/audit/list?action=academic-year.retire", nil).All("items", "entityId")
		if d := cmp.Diff([]string{first.ID()}, retired); d != "" {
			t.Errorf("retired years in the audit log (-want +got):\n%s", d)
		}
		w.Call(admin, "POST", years+second.ID()+"/activate", nil).Is(200) // again
		w.current(admin, "2026/27")
		third := year("2027/28", "2027-09-01", "2028-07-31")
		third["isCurrent"] = true
		w.Call(admin, "POST", years+"create", third).Is(201)
		w.current(admin, "2027/28")
		w.Call(admin, "PUT", years+first.ID(), m{"isCurrent": true, "name": "Old"}).Is(200)
		w.current(admin, "Old")
		y, err := school.CurrentYear(t.Context(), w.DB.School(at))
		if err != nil || y.Name != "Old" || string(y.ID) != first.ID() {
			t.Errorf("current year: got %v, %v, want Old", y, err)
		}

		w.Call(admin, "DELETE", years+first.ID(), nil).Is(409, "Conflict")
		w.Call(admin, "DELETE", years+second.ID(), nil).Is(204)
		if e := w.LastAudit(super, at); e["action"] != "academic-year.delete" || e["before"].(m)["name"] != "2026/27" || e["after"] != nil {
			t.Errorf("audit entry of the deletion: got %v", e)
		}
		w.Call(admin, "GET", years+second.ID(), nil).Is(404, "Not Found")
		w.Call(admin, "POST", years+"create", next).Is(201) // its days and its name are free
		w.current(other, "2026/27")
	})
}

// current checks that exactly one year, with this name, is current.
func (w *world) current(admin, name string) {
	w.Helper()
	if d := cmp.Diff([]string{name}, w.Call(admin, "GET", years+"list?isCurrent=true", nil).All("items", "name")); d != "" {
		w.Error(d)
	}
}

func TestYearRefuses(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		_, admin := w.newSchool("ONE")
		_, other := w.newSchool("TWO")
		here := w.Call(admin, "POST", years+"create", year("2025/26", "2025-09-01", "2026-07-31")).Is(201).ID()
		next := w.Call(admin, "POST", years+"create", year("2026/27", "2026-09-01", "2027-07-31")).Is(201).ID()
		there := w.Call(other, "POST", years+"create", year("2025/26", "2025-09-01", "2026-07-31")).Is(201).ID()
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
			a := w.Call(admin, tt.method, years+tt.path, tt.data)
			if a.Status != tt.status || a.Error != tt.error || tt.field != "" && !a.About(tt.field) {
				t.Errorf("%s: %s", tt.name, a.Text)
			}
		}
		w.strangers(admin, years, there, []try{{"GET", "", nil}, {"PUT", "", m{"name": "N"}}, {"DELETE", "", nil}, {"POST", "/activate", nil}})
		if d := cmp.Diff([]string{"2026/27", "2025/26"}, w.Call(admin, "GET", years+"list", nil).All("items", "name")); d != "" {
			t.Error("something was changed:", d)
		}
		if a := w.Call(other, "GET", years+there, nil).Is(200); a.Data["name"] != "2025/26" || a.Data["version"] != 1.0 {
			t.Error("another school's year was changed:", a.Text)
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
		foreign := w.Call(as, x.method, base+there+x.path, x.data).Is(404, "Not Found")
		none := w.Call(as, x.method, base+accesstest.Nobody+x.path, x.data).Is(404, "Not Found")
		w.Call(as, x.method, base+"no-id"+x.path, x.data).Is(404, "Not Found")
		if foreign.Text != none.Text {
			w.Errorf("%s: a record of another school: got %s, want the same as an unknown one: %s", foreign.Request, foreign.Text, none.Text)
		}
	}
}

// TestYearsAtOnce creates overlapping years, and activates years, concurrently.
func TestYearsAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at, admin := w.newSchool("ONE")
		who := actor.Actor{User: accesstest.User, School: at, Role: actor.SchoolAdmin}
		w.Call(admin, "POST", years+"create", year("Current", "2020-01-01", "2020-12-31")).Is(201)
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
		ids := w.Call(admin, "GET", years+"list", nil).All("items", "id")
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
		if n := len(w.Call(admin, "GET", years+"list?isCurrent=true", nil).All("items", "id")); n != 1 {
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
		w.Call(admin, "POST", years+"create", year("A", "2025-09-01", "2026-07-31")).Is(201)
		used := w.Call(admin, "POST", years+"create", year("B", "2026-09-01", "2027-07-31")).Is(201).ID()
		_, err := db.Exec(t.Context(), d.School(at), `INSERT INTO uses (school_id, id) VALUES (:school, :id)`, db.Args{"id": used})
		if err != nil {
			t.Fatal(err)
		}
		w.Call(admin, "DELETE", years+used, nil).Is(409, "Conflict")
		w.Call(admin, "GET", years+used, nil).Is(200)
		if e := w.LastAudit(super, at); e["action"] == "academic-year.delete" {
			t.Error("a deletion that did not happen is in the log")
		}
		w.Call(super, "POST", "/super-admin/school/"+string(at)+"/suspend", nil).Is(200)
		w.Call(super, "DELETE", "/super-admin/school/"+string(at)+"?confirm=ONE", nil).Is(204) // the school can still be deleted
	})
}

func TestListYears(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		_, admin := w.newSchool("ONE")
		for _, y := range []m{year("Año 25", "2025-01-01", "2025-12-31"), year("b 50%", "2026-01-01", "2026-12-31"),
			year("C", "2024-01-01", "2024-12-31")} {
			w.Call(admin, "POST", years+"create", y).Is(201)
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
			if d := cmp.Diff(tt.want, w.Call(admin, "GET", years+"list"+tt.query, nil).All("items", "name")); d != "" {
				t.Errorf("%s: %s", tt.query, d)
			}
		}
		w.Call(admin, "GET", years+"list?year=1", nil).Is(422, "Unprocessable Entity", "year")
		w.Call(admin, "POST", years+"list", m{"filters": m{"isCurrent": "maybe"}}).Is(422, "Unprocessable Entity", "filters.isCurrent")
	})
}
