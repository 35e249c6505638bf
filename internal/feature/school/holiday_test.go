package school_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeroom/internal/feature/access/accesstest"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

const holidays = "/school-admin/holiday/"

func TestHolidays(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at, admin := w.newSchool("ONE")
		a := w.Call(admin, "POST", holidays+"create", m{"name": " Founders' day ", "date": "2026-05-04"}).Is(201)
		want := m{"name": "Founders' day", "date": "2026-05-04", "endDate": "2026-05-04", "version": 1.0,
			"id": a.Data["id"], "createdAt": a.Data["createdAt"], "updatedAt": a.Data["updatedAt"]}
		if d := cmp.Diff(want, w.Call(admin, "GET", holidays+a.ID(), nil).Is(200).Data); d != "" {
			t.Errorf("holiday (-want +got):\n%s", d)
		}
		for _, tt := range []struct {
			name       string
			data       m
			start, end string
		}{
			{"a single day that moves stays single", m{"date": "2026-05-05", "version": 1}, "2026-05-05", "2026-05-05"},
			{"becomes longer", m{"endDate": "2026-05-07"}, "2026-05-05", "2026-05-07"},
			{"begins earlier", m{"date": "2026-05-01"}, "2026-05-01", "2026-05-07"},
			{"another name", m{"name": "Spring"}, "2026-05-01", "2026-05-07"},
			{"a single day again", m{"endDate": nil}, "2026-05-01", "2026-05-01"},
		} {
			a := w.Call(admin, "PUT", holidays+a.ID(), tt.data).Is(200)
			if a.Data["date"] != tt.start || a.Data["endDate"] != tt.end {
				t.Errorf("%s: %s", tt.name, a.Text)
			}
		}
		e := w.LastAudit(super, at)
		if e["action"] != "holiday.update" || e["entity"] != "holiday" || e["entityId"] != a.ID() {
			t.Errorf("audit entry of the update: got %v", e)
		}
		if d := cmp.Diff(m{"endDate": "2026-05-07", "version": 5.0}, without(e["before"], "updatedAt")); d != "" {
			t.Errorf("before in the audit entry (-want +got):\n%s", d)
		}
		w.Call(admin, "DELETE", holidays+a.ID(), nil).Is(204)
		w.Call(admin, "GET", holidays+a.ID(), nil).Is(404, "Not Found")
		if e := w.LastAudit(super, at); e["action"] != "holiday.delete" || e["before"].(m)["name"] != "Spring" {
			t.Errorf("audit entry of the deletion: got %v", e)
		}
	})
}

func TestHolidayRefuses(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		_, admin := w.newSchool("ONE")
		_, other := w.newSchool("TWO")
		here := w.Call(admin, "POST", holidays+"create", m{"name": "Break", "date": "2026-12-24", "endDate": "2026-12-31"}).Is(201).ID()
		there := w.Call(other, "POST", holidays+"create", m{"name": "Break", "date": "2026-12-24"}).Is(201).ID()
		for _, tt := range []struct {
			name, method, path string
			data               m
			status             int
			error, field       string
		}{
			{"nothing", "POST", "create", m{}, 422, "Unprocessable Entity", "date"},
			{"no name", "POST", "create", m{"date": "2026-12-24"}, 422, "Unprocessable Entity", "name"},
			{"ends before it begins", "POST", "create", m{"name": "X", "date": "2026-12-24", "endDate": "2026-12-23"}, 422,
				"Unprocessable Entity", "endDate"},
			{"367 days", "POST", "create", m{"name": "X", "date": "2026-01-01", "endDate": "2027-01-02"}, 422, "Unprocessable Entity", "endDate"},
			{"the same again", "POST", "create", m{"name": "BREAK", "date": "2026-12-24"}, 409, "DUPLICATE_ENTRY", ""},
			{"begins after its end", "PUT", here, m{"date": "2027-01-01"}, 422, "Unprocessable Entity", "endDate"},
			{"older version", "PUT", here, m{"name": "X", "version": 0}, 409, "Conflict", ""},
		} {
			a := w.Call(admin, tt.method, holidays+tt.path, tt.data)
			if a.Status != tt.status || a.Error != tt.error || tt.field != "" && !a.About(tt.field) {
				t.Errorf("%s: %s", tt.name, a.Text)
			}
		}
		w.Call(admin, "POST", holidays+"create", m{"name": "366 days", "date": "2028-01-01", "endDate": "2028-12-31"}).Is(201)
		w.strangers(admin, holidays, there, []try{{"GET", "", nil}, {"PUT", "", m{"name": "N"}}, {"DELETE", "", nil}})
		w.Call(other, "GET", holidays+there, nil).Is(200)
	})
}

func TestListHolidays(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at, admin := w.newSchool("ONE")
		_, other := w.newSchool("TWO")
		w.Call(other, "POST", holidays+"create", m{"name": "Elsewhere", "date": "2026-12-24"}).Is(201)
		for _, h := range []m{
			{"name": "Winter break", "date": "2026-12-20", "endDate": "2027-01-03"},
			{"name": "Ēoster", "date": "2027-03-28"},
			{"name": "autumn", "date": "2026-10-12", "endDate": "2026-10-16"},
		} {
			w.Call(admin, "POST", holidays+"create", h).Is(201)
		}
		for _, tt := range []struct {
			query string
			want  []string
		}{
			{"", []string{"autumn", "Winter break", "Ēoster"}},
			{"?from=2026-12-31&to=2026-12-31", []string{"Winter break"}},
			{"?from=2027-01-03", []string{"Winter break", "Ēoster"}},
			{"?from=2027-01-04", []string{"Ēoster"}},
			{"?to=2026-12-20", []string{"autumn", "Winter break"}},
			{"?to=2026-10-11", []string{}},
			{"?search=%C4%92OST", []string{"Ēoster"}},
			{"?sort=date&order=desc&limit=2&page=2", []string{"autumn"}},
			{"?sort=name&limit=1", []string{"autumn"}},
		} {
			if d := cmp.Diff(tt.want, w.Call(admin, "GET", holidays+"list"+tt.query, nil).All("items", "name")); d != "" {
				t.Errorf("%s: %s", tt.query, d)
			}
		}
		w.Call(admin, "GET", holidays+"list?from=yesterday", nil).Is(422, "Unprocessable Entity", "from")
		w.Call(admin, "GET", holidays+"list?date=2026-12-24", nil).Is(422, "Unprocessable Entity", "date")
		days, err := school.Holidays(t.Context(), w.DB.School(at), "2026-10-16", "2026-12-20")
		if err != nil || len(days) != 2 || days[0].Name != "autumn" {
			t.Errorf("holidays in the range: got %v, %v, want 2 with autumn first", days, err)
		}
	})
}

// TestHolidayDeletedTwice: of two calls that delete a holiday, one is refused.
func TestHolidayDeletedTwice(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at, admin := w.newSchool("ONE")
		who := actor.Actor{User: accesstest.User, School: at, Role: actor.SchoolAdmin}
		for range 20 {
			holiday := id.ID(w.Call(admin, "POST", holidays+"create", m{"name": "Fair", "date": "2026-05-04"}).Is(201).ID())
			errs, refused := make(chan error), 0
			for range 2 {
				go func() { errs <- w.schools.DeleteHoliday(t.Context(), who, holiday) }()
			}
			for range 2 {
				if err := <-errs; err != nil {
					refused++
					if fault.From(err).Kind != fault.NotFound {
						t.Error(err)
					}
				}
			}
			if refused != 1 {
				t.Errorf("%d of two calls were refused", refused)
			}
		}
	})
}
