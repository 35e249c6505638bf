package report_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/identity"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/people/peopletest"
	"homeroom/internal/feature/report"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/web"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

var now = time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)

func each(t *testing.T, test func(t *testing.T, w *peopletest.World)) {
	t.Helper()
	peopletest.Each(t, func(w *peopletest.World) []web.Route {
		clock := func() time.Time { return now }
		queue, err := jobs.New(jobs.Options{DB: w.DB, Now: clock, NewID: id.New,
			Chance: func() float64 { return 0 }, Log: slog.New(slog.DiscardHandler)})
		if err != nil {
			w.Fatal(err)
		}
		s := &report.Service{DB: w.DB, Now: clock, Requests: func() int64 { return 42 }, Queue: func() *jobs.Queue { return queue }}
		return s.Routes()
	}, test)
}

func TestSchoolDashboard(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		empty := w.Call(w.South.Admin, "GET", "/school-admin/dashboard/stats", nil).Is(200)
		if got := fmt.Sprint(empty.Data["students"], empty.Data["employees"], empty.Data["upcomingHolidays"]); got !=
			"map[byClass:[] byStatus:map[ACTIVE:0 GRADUATED:0 LEFT:0 TRANSFERRED:0] total:0] map[byRole:[] total:0] []" {
			t.Errorf("statistics of an empty school: %s", empty.Text)
		}

		class := id.New()
		w.In(w.North, func(ctx context.Context, tx *db.Tx) error {
			s := &academics.Service{DB: w.DB, Audit: w.Schools.Audit, Now: clock.System, NewID: id.New}
			made, err := s.AddClasses(ctx, tx, []academics.Class{{Name: "Grade 1", AcademicYearID: w.North.Year}})
			if err != nil {
				return err
			}
			class = made[0].ID
			_, err = s.AddDivisions(ctx, tx, []academics.Division{{ClassID: class, Name: "A"}, {ClassID: class, Name: "B"}})
			return err
		})
		ids := w.Enrol(w.North, people.NewStudent{AdmissionNo: "1", FirstName: "Ana", ClassID: &class},
			people.NewStudent{AdmissionNo: "2", FirstName: "Ben", ClassID: &class}, people.NewStudent{AdmissionNo: "3", FirstName: "Cem"},
			people.NewStudent{AdmissionNo: "4", FirstName: "Dora", ClassID: &class})
		w.Exec(w.North, `UPDATE students SET status = 'LEFT' WHERE school_id = :school AND id = :id`, db.Args{"id": ids[1]})
		w.Exec(w.North, `UPDATE students SET archived_at = :now WHERE school_id = :school AND id = :id`, db.Args{"id": ids[3], "now": now})
		w.Employ(w.North, actor.Teacher, people.NewEmployee{EmployeeCode: "T1", FirstName: "Zoë"})
		w.Employ(w.North, actor.Driver, people.NewEmployee{EmployeeCode: "D1", FirstName: "Bo"})
		holiday(w, w.North, "Past", "2026-11-01")
		holiday(w, w.North, "Soon", "2026-12-01")
		holiday(w, w.North, "Far", "2027-04-01")

		stats := w.Call(w.North.Admin, "GET", "/school-admin/dashboard/stats", nil).Is(200).Data
		st, em := stats["students"].(map[string]any), stats["employees"].(map[string]any)
		got := fmt.Sprint(stats["academicYear"].(map[string]any)["name"], " ", st["total"], " ", st["byStatus"], " ",
			st["byClass"].([]any)[0].(map[string]any)["count"], " ", em["total"], " ", len(em["byRole"].([]any)), " ",
			stats["classes"], " ", stats["divisions"], " ", stats["buses"])
		if want := "2026/27 3 map[ACTIVE:2 GRADUATED:0 LEFT:1 TRANSFERRED:0] 1 2 2 1 2 0"; got != want {
			t.Errorf("statistics of the school:\ngot  %s\nwant %s", got, want)
		}
		days := stats["upcomingHolidays"].([]any)
		if len(days) != 1 || days[0].(map[string]any)["name"] != "Soon" {
			t.Errorf("upcoming holidays: %v", days)
		}
	})
}

func holiday(w *peopletest.World, s peopletest.School, name string, date clock.Date) {
	w.Helper()
	if _, err := w.Schools.CreateHoliday(w.Context(), actor.Actor{School: s.ID}, school.NewHoliday{Name: name, Date: date}); err != nil {
		w.Fatal(err)
	}
}

func TestPlatformDashboard(t *testing.T) {
	each(t, func(t *testing.T, w *peopletest.World) {
		home := peopletest.School{ID: school.PlatformID}
		w.In(home, func(ctx context.Context, tx *db.Tx) error {
			user, err := w.People.Accounts.CreateAccount(ctx, tx, actor.Actor{}, identity.NewAccount{
				Role: actor.SuperAdmin, Name: "Super", Email: "super@example.org", PasswordHash: "of no password"})
			home.Admin = home.Token(user)
			return err
		})
		w.Enrol(w.North, people.NewStudent{AdmissionNo: "1", FirstName: "Ana"})
		w.Enrol(w.South, people.NewStudent{AdmissionNo: "1", FirstName: "Ben"})
		seen := func(s peopletest.School, at time.Time) {
			w.Exec(s, `UPDATE users SET last_seen_at = :at WHERE school_id = :school`, db.Args{"at": at})
		}
		seen(w.North, now.AddDate(0, 0, -29))
		seen(w.South, now.AddDate(0, 0, -31))
		if _, err := w.Schools.Suspend(t.Context(), actor.Actor{}, w.South.ID); err != nil {
			t.Fatal(err)
		}
		dead := id.New()
		for i, state := range []string{"waiting", "waiting", "waiting", "running", "dead", "dead"} {
			job := id.New()
			if i == 5 {
				job = dead
			}
			w.Exec(w.North, `INSERT INTO jobs (school_id, id, kind, payload, state, run_at, attempts, last_error, created_at)
				VALUES (:school, :id, 'notify.send', '{"secret": 1}', :state, :now, 8, 'no route', :now)`,
				db.Args{"id": job, "state": state, "now": now})
		}
		got := fmt.Sprint(w.Call(home.Admin, "GET", "/super-admin/dashboard/stats", nil).Is(200).Data)
		want := "map[activeUsers:1 jobs:map[failed:2 waiting:3] requests:42 schools:map[active:1 suspended:1 total:2] students:2]"
		if got != want {
			t.Errorf("statistics of the platform:\ngot  %s\nwant %s", got, want)
		}
		w.Call(w.North.Admin, "GET", "/super-admin/dashboard/stats", nil).Is(403, "PERMISSION_DENIED")

		list := w.Call(home.Admin, "GET", "/super-admin/job/list", nil).Is(200)
		if list.Data["total"] != float64(2) || !strings.Contains(list.Text, "no route") || strings.Contains(list.Text, "secret") {
			t.Errorf("dead jobs: %s", list.Text)
		}
		again := map[string]any{"schoolId": w.North.ID, "jobId": dead}
		w.Call(home.Admin, "POST", "/super-admin/job/retry", again).Is(200)
		w.Call(home.Admin, "POST", "/super-admin/job/retry", again).Is(404, "Not Found")
		list = w.Call(home.Admin, "GET", "/super-admin/job/list?state=waiting&schoolId="+string(w.North.ID), nil).Is(200)
		if list.Data["total"] != float64(4) {
			t.Errorf("waiting jobs: %s", list.Text)
		}
	})
}
