package attendance_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/notification"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// heard returns a parent's notifications about a student, in order. It checks that
// each was queued once for the student's topic.
func (w *world) heard(at id.ID, student id.ID) []string {
	w.Helper()
	type note struct {
		Title, Body string
		RecordID    id.ID
	}
	q := w.DB.School(at)
	notes, err := db.All[note](w.Context(), q, `SELECT title, body, record_id FROM notifications
		WHERE school_id = :school AND student_id = :student AND type = 'ATTENDANCE' ORDER BY id`, db.Args{"student": student})
	if err != nil {
		w.Fatal(err)
	}
	pushed, err := db.One[int](w.Context(), q, `SELECT COUNT(*) FROM deliveries d
		JOIN jobs j ON j.school_id = d.school_id AND CAST(j.payload AS TEXT) LIKE '%' || CAST(d.id AS TEXT) || '%'
		WHERE d.school_id = :school AND d.channel = 'push' AND d.to_addr = :topic`,
		db.Args{"topic": notification.StudentAttendanceTopic(student)})
	if err != nil || pushed != len(notes) {
		w.Errorf("%d pushes for %d entries in the log: %v", pushed, len(notes), err)
	}
	out := []string{}
	for _, n := range notes {
		marks, err := db.One[int](w.Context(), q, `SELECT COUNT(*) FROM attendance WHERE school_id = :school AND id = :id
			AND student_id = :student`,
			db.Args{"id": n.RecordID, "student": student})
		if err != nil || marks != 1 {
			w.Errorf("%s names no mark of the student: %v", n.Title, err)
		}
		out = append(out, n.Title)
		if !strings.Contains(n.Body, " Ray ") {
			w.Errorf("whom is it about: %s", n.Body)
		}
	}
	return out
}

func TestAlerts(t *testing.T) {
	const (
		gone      = "Absent from school"
		tardy     = "Late for school"
		corrected = "Attendance corrected"
	)
	each(t, func(t *testing.T, w *world) {
		for _, tt := range []struct {
			name  string
			marks []string // "status [half] [@days] [#period]"
			want  []string
		}{
			{"there", []string{"PRESENT"}, nil},
			{"on leave", []string{"LEAVE"}, nil},
			{"absent", []string{"ABSENT"}, []string{gone}},
			{"late", []string{"LATE 5"}, []string{tardy}},
			{"the same again", []string{"ABSENT", "ABSENT"}, []string{gone}},
			{"later by more", []string{"LATE 5", "LATE 15"}, []string{tardy}},
			{"corrected", []string{"ABSENT", "PRESENT"}, []string{gone, corrected}},
			{"corrected once", []string{"ABSENT", "PRESENT", "LEAVE"}, []string{gone, corrected}},
			{"came late after all", []string{"ABSENT", "LATE 20"}, []string{gone, corrected}},
			{"only half of it", []string{"ABSENT", "ABSENT FIRST"}, []string{gone, corrected}},
			{"and gone again", []string{"ABSENT", "PRESENT", "ABSENT"}, []string{gone, corrected, gone}},
			{"there at first", []string{"PRESENT", "ABSENT"}, []string{gone}},
			{"yesterday", []string{"ABSENT @-1"}, []string{gone}},
			{"two days ago is no news", []string{"ABSENT @-2"}, nil},
			{"nor is its correction", []string{"ABSENT @-2", "PRESENT @-2"}, nil},
			{"a period", []string{"ABSENT #2"}, []string{gone}},
			{"every period", []string{"ABSENT #1", "ABSENT #2", "LATE 5 #3", "ABSENT"}, []string{gone}},
			{"the day, then periods", []string{"ABSENT", "ABSENT #1", "PRESENT #2"}, []string{gone}},
			{"the period corrected", []string{"ABSENT #2", "PRESENT #1", "PRESENT #2"}, []string{gone, corrected}},
			{"the day says more than the period", []string{"ABSENT #2", "PRESENT"}, []string{gone}},
			{"the day after a corrected period", []string{"ABSENT #1", "PRESENT #1", "ABSENT"}, []string{gone, corrected, gone}},
			{"a corrected period of an absent day", []string{"ABSENT #1", "ABSENT", "PRESENT #1"}, []string{gone}},
			{"a late one, too", []string{"ABSENT #1", "ABSENT", "LATE 5 #1"}, []string{gone}},
			{"then the day", []string{"ABSENT #1", "ABSENT", "PRESENT #1", "PRESENT"}, []string{gone, corrected}},
			{"there, but not in a period", []string{"ABSENT", "ABSENT #3", "PRESENT"}, []string{gone, corrected}},
			{"period after period", []string{"ABSENT #2", "ABSENT #4", "PRESENT #2", "PRESENT #4"}, []string{gone, corrected, corrected}},
			{"a period that nobody was told of", []string{"ABSENT #2", "ABSENT #4", "PRESENT #4"}, []string{gone}},
			{"each day has its own", []string{"ABSENT @-1", "ABSENT"}, []string{gone, gone}},
		} {
			w.mia = w.enrol(tt.name)
			for _, say := range tt.marks {
				say, period, _ := strings.Cut(say, " #")
				say, back, _ := strings.Cut(say, " @")
				days, no := 0, 0
				_, _ = fmt.Sscan(back, &days) // stays 0 where there is none
				body := sheet(w.a, "", rec(w.mia, say), rec(w.noa, "PRESENT"))
				if _, err := fmt.Sscan(period, &no); err == nil {
					body["periodNo"] = no
				}
				w.mark(apptest.With(body, "date", w.day(days)))
			}
			if got := w.heard(w.North.ID, w.mia); strings.Join(got, ", ") != strings.Join(tt.want, ", ") {
				t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
			}
		}
		if got := w.heard(w.North.ID, w.noa); len(got) > 0 {
			t.Errorf("the parents of another child heard %q", got)
		}
	})
}

// TestAlertWords checks the texts of alerts.
func TestAlertWords(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.markMia(w.today, "LATE 5")
		w.markMia(w.today, "ABSENT SECOND")
		bodies, err := db.All[string](t.Context(), w.DB.School(w.North.ID), `SELECT body FROM notifications
			WHERE school_id = :school AND user_id = :user ORDER BY id`, db.Args{"user": w.North.Parent.ID})
		day := w.today.Time().Format("2 January 2006")
		want := []string{
			"Mia Ray was marked late by 5 min on " + day + ".",
			"Mia Ray is now marked absent for the second half of the day on " + day + ". The earlier message said late."}
		if err != nil || strings.Join(bodies, "\n") != strings.Join(want, "\n") {
			t.Errorf("texts of the alerts: got %q %v", bodies, err)
		}
	})
}

// TestCorrectedPeriods corrects or takes back the mark that parents were told of while another says that the child is
// absent: they hear of that one, unless it is what they know.
func TestCorrectedPeriods(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		mark := func(period int, students ...m) {
			body := sheet(w.a, w.today, students...)
			if period > 0 {
				body["periodNo"] = period
			}
			w.mark(body)
		}
		day := " on " + w.today.Time().Format("2 January 2006") + "."
		hears := func(student id.ID, name string, want ...string) {
			t.Helper()
			said := w.All(`SELECT body FROM notifications WHERE school_id = :school AND student_id = :id ORDER BY id`, db.Args{"id": student})
			for i, body := range want {
				want[i] = name + " Ray " + body
			}
			apptest.Eq(t, name, said, want)
		}
		mark(1, rec(w.mia, "ABSENT"), rec(w.noa, "ABSENT"), rec(w.oli, "ABSENT"))
		mark(0, rec(w.mia, "ABSENT"), rec(w.noa, "LATE 5"), rec(w.oli, "PRESENT"))
		mark(3, rec(w.oli, "LATE 10"))
		mark(1, rec(w.mia, "PRESENT"), none(w.noa), none(w.oli))
		was := "was marked absent in period 1" + day
		hears(w.mia, "Mia", was)
		hears(w.noa, "Noa", was, "is now marked late by 5 min"+day+" The earlier message said absent.")
		hears(w.oli, "Oli", was, "is now marked late by 10 min in period 3"+day+" The earlier message said absent.")

		mark(0, none(w.mia), rec(w.noa, "PRESENT"))
		mark(3, rec(w.oli, "PRESENT"))
		hears(w.mia, "Mia", was, "is not marked"+strings.TrimSuffix(day, ".")+" any more. The earlier message said absent.")
		hears(w.noa, "Noa", was, "is now marked late by 5 min"+day+" The earlier message said absent.",
			"is now marked present"+day+" The earlier message said late.")
		hears(w.oli, "Oli", was, "is now marked late by 10 min in period 3"+day+" The earlier message said absent.",
			"is now marked present in period 3"+day+" The earlier message said late.")
	})
}

// TestMarkRace marks one division concurrently: each change is recorded once, and the
// last alert is true.
func TestMarkRace(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const calls = 16
		var wg sync.WaitGroup
		for i := range calls {
			wg.Go(func() {
				say := []string{"ABSENT", "PRESENT"}[i%2]
				if r := w.call("POST", admin+"mark", sheet(w.a, w.today, rec(w.mia, say), rec(w.noa, "ABSENT"), rec(w.oli, say))); r.Status != 200 {
					t.Errorf("POST mark: got %d %s", r.Status, r.Body)
				}
			})
		}
		wg.Wait()
		for _, student := range []id.ID{w.mia, w.oli} {
			revisions := w.Count(`attendance_revisions WHERE school_id = :school AND student_id = :student`, db.Args{"student": student})
			first, err := db.All[string](t.Context(), w.DB.School(w.North.ID), `SELECT status FROM attendance_revisions
				WHERE school_id = :school AND student_id = :student ORDER BY ended_at, id`, db.Args{"student": student})
			if err != nil {
				t.Fatal(err)
			}
			chain := append(first, w.said(student, w.today))
			for i := 1; i < len(chain); i++ {
				if chain[i] == chain[i-1] {
					t.Errorf("%q: a change from a thing to itself", chain)
				}
			}
			absences := revisions + 1
			if chain[0] == "PRESENT" {
				absences--
			}
			apptest.Eq(t, fmt.Sprint("alerts for ", chain), len(w.heard(w.North.ID, student)), absences)
		}
		apptest.Eq(t, fmt.Sprint("alerts of ", calls, " calls that say the same"), len(w.heard(w.North.ID, w.noa)), 1)
	})
}

// TestMorning marks every division of several schools concurrently, each twice: all
// rows are right, and each absence sends one alert.
func TestMorning(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const schools, divisions, students = 4, 5, 8
		var rooms []room
		for i := range schools {
			rooms = append(rooms, w.open(fmt.Sprintf("MORNING-%d", i), divisions, students)...)
		}
		var wg sync.WaitGroup
		for _, r := range append(rooms, rooms...) {
			wg.Go(func() {
				if r := w.As(r.admin, "POST", admin+"mark", r.sheet); r.Status != 200 {
					t.Errorf("POST mark: got %d %s", r.Status, r.Body)
				}
			})
		}
		wg.Wait()
		for _, r := range rooms {
			type count struct{ Rows, Absent int }
			got, err := db.One[count](t.Context(), w.DB.School(r.admin.School), `
				SELECT COUNT(*) AS "rows", COUNT(CASE WHEN status = 'ABSENT' THEN 1 END) AS absent FROM attendance
				WHERE school_id = :school AND division_id = :division AND date = :date`, db.Args{"division": r.sheet["divisionId"], "date": w.today})
			if err != nil || got.Rows != students || got.Absent != 1 {
				t.Errorf("rows and absences: got %+v %v", got, err)
			}
			apptest.Eq(t, "alerts", len(w.heard(r.admin.School, r.absent)), 1)
		}
		for _, r := range rooms[:1] {
			n, err := db.One[int](t.Context(), w.DB.School(r.admin.School), `SELECT COUNT(*) FROM notifications WHERE school_id = :school`, nil)
			if err != nil || n != divisions {
				t.Errorf("%d entries in the log of a school with %d absent: %v", n, divisions, err)
			}
		}
	})
}

// room is a division to mark, with an administrator of its school.
type room struct {
	admin  *apptest.Account
	sheet  m
	absent id.ID
}

// open creates a school with divisions of n students, one of whom is absent.
func (w *world) open(code string, divisions, students int) (out []room) {
	w.Helper()
	a := w.As(w.Super, "POST", "/super-admin/school/create", m{"name": code, "code": code, "timezone": "UTC",
		"academicYear": m{"name": "Y", "startDate": w.day(-100), "endDate": w.day(100)}}).OK()
	at := id.ID(a.Text("id"))
	office := &apptest.Account{School: at, Role: actor.SchoolAdmin}
	made := w.As(w.Super, "POST", "/super-admin/admin/create",
		m{"schoolId": at, "name": "Admin", "email": strings.ToLower(code) + "@test.test"}).OK()
	office.ID = id.ID(made.Text("id"))
	w.SignIn(w.TB, office)
	err := w.DB.InSchool(w.Context(), at, func(ctx context.Context, tx *db.Tx) error {
		year, err := school.CurrentYear(ctx, tx)
		if err != nil {
			return err
		}
		classes, err := w.Academics().AddClasses(ctx, tx, []academics.Class{{Name: "One", AcademicYearID: year.ID}})
		if err != nil {
			return err
		}
		for i := range divisions {
			d, err := w.Academics().AddDivisions(ctx, tx, []academics.Division{{ClassID: classes[0].ID, Name: fmt.Sprint(i)}})
			if err != nil {
				return err
			}
			in := make([]people.NewStudent, students)
			for j := range in {
				in[j] = people.NewStudent{FirstName: fmt.Sprint("S", j), LastName: "Ray", ClassID: &classes[0].ID, DivisionID: &d[0].ID}
			}
			in[0].Guardians = []people.NewGuardian{{Name: "P", Relation: "FATHER", Phone: fmt.Sprintf("+1555020%04d", i), CanViewData: true}}
			ids, err := w.People().AddStudents(ctx, tx, actor.Actor{School: at}, in)
			if err != nil {
				return err
			}
			r := room{admin: office, absent: ids[0]}
			records := []m{rec(ids[0], "ABSENT")}
			for _, student := range ids[1:] {
				records = append(records, rec(student, "PRESENT"))
			}
			r.sheet = sheet(d[0], w.today, records...)
			out = append(out, r)
		}
		return nil
	})
	if err != nil {
		w.Fatal(err)
	}
	return out
}
