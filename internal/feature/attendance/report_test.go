package attendance_test

import (
	"context"
	"encoding/csv"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/academics"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// tally is a tally as a short string.
func tally(o any) string {
	t, _ := o.(m)
	return fmt.Sprintf("%v/%v/%v/%v/%v %v of %v = %v", t["present"], t["absent"], t["late"], t["leave"], t["holiday"], t["presentDays"],
		t["schoolDays"], t["percentage"])
}

func TestReport(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.holiday(w.day(-2), "Harvest") // Monday
		w.mark(sheet(w.a, w.day(-5), rec(w.mia, "ABSENT"), rec(w.noa, "PRESENT"), rec(w.oli, "LATE 10")))
		w.mark(sheet(w.a, w.day(-2), rec(w.mia, "HOLIDAY"), rec(w.noa, "HOLIDAY")))
		w.mark(sheet(w.a, w.day(-1), rec(w.mia, "LEAVE"), rec(w.noa, "ABSENT SECOND"), rec(w.oli, "LATE 5")))
		w.mark(sheet(w.a, w.today, rec(w.mia, "PRESENT"), rec(w.noa, "PRESENT"), rec(w.oli, "ABSENT")))
		w.mark(apptest.With(sheet(w.a, w.today, rec(w.mia, "ABSENT")), "periodNo", 1))
		w.mark(sheet(w.b, w.today, rec(w.pia, "PRESENT")))
		w.mark(sheet(w.a, w.day(-28), rec(w.mia, "ABSENT"))) // last month
		w.Admin("PUT", "/school-admin/student/"+string(w.oli), m{"divisionId": w.b.ID}).OK()
		lines := func(who *apptest.Account, path string) string {
			var out []string
			for _, l := range w.As(who, "GET", path, nil).OK()["students"].([]any) {
				l := l.(m)
				out = append(out, fmt.Sprintf("%v %d days %s", l["firstName"], len(l["days"].([]any)), tally(l["totals"])))
			}
			return strings.Join(out, "; ")
		}
		const mia, noa, oli, pia = "Mia 4 days 1/1/0/1/1 1 of 2 = 50", "Noa 4 days 2/1/0/0/1 2.5 of 3 = 83.33",
			"Oli 3 days 0/1/2/0/0 2 of 3 = 66.67", "Pia 1 days 1/0/0/0/0 1 of 1 = 100"
		class, division := "report?classId="+string(w.one.ID), "&divisionId="+string(w.a.ID)
		last := "&month=" + string(w.day(-28)[:7])
		for _, tt := range []struct {
			who        *apptest.Account
			path, want string
		}{
			{w.North.Admin, admin + class + division, strings.Join([]string{mia, noa, oli}, "; ")}, // Oli was of 1 A
			{w.North.Admin, admin + class, strings.Join([]string{mia, noa, oli, pia}, "; ")},
			{w.North.Admin, admin + class + division + last, "Mia 1 days 0/1/0/0/0 0 of 1 = 0; Noa 0 days 0/0/0/0/0 0 of 0 = <nil>"},
			{w.North.Teacher, teacher + class + division, strings.Join([]string{mia, noa, oli}, "; ")},
			{w.North.Teacher, teacher + class, strings.Join([]string{mia, noa, oli}, "; ")},
			{w.North.Admin, admin + "report?classId=" + string(w.two.ID), "Quin 0 days 0/0/0/0/0 0 of 0 = <nil>"},
		} {
			if got := lines(tt.who, tt.path); got != tt.want {
				t.Errorf("%s:\n%s, want\n%s", tt.path, got, tt.want)
			}
		}
		o := w.call("GET", admin+class+division, nil).OK()
		apptest.Eq(t, "totals", tally(o["totals"]), "3/3/2/1/2 5.5 of 8 = 68.75")
		days := o["days"].([]any)
		at := days[w.day(-2).Time().Day()-1].(m)
		if at["holiday"] != "Harvest" || at["isSchoolDay"] != false || len(days) < 28 {
			t.Errorf("day of the holiday: got %v", at)
		}
		w.call("GET", admin+class+"&month=2026-13", nil).Want(422, "Unprocessable Entity")
		w.call("GET", admin+"report", nil).Want(422, "Unprocessable Entity")
		w.call("GET", admin+class+"&divisionId="+string(id.New()), nil).Want(404, "Not Found")
		w.As(w.North.Teacher, "GET", teacher+class+"&divisionId="+string(w.b.ID), nil).Want(403, "PERMISSION_DENIED")
		w.As(w.North.Teacher, "GET", teacher+"report?classId="+string(w.two.ID), nil).Want(403, "PERMISSION_DENIED")
	})
}

// missing is the list of unmarked divisions, as "class division (teacher): days".
func missing(o apptest.Object) string {
	var out []string
	for _, u := range o["notMarked"].([]any) {
		u := u.(m)
		out = append(out, strings.TrimSpace(fmt.Sprintf("%v %v (%v): %v %d", u["className"], u["divisionName"], u["classTeacherName"],
			u["students"], len(u["dates"].([]any)))))
	}
	return strings.Join(out, "; ")
}

func TestSummary(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.holiday(w.day(-2), "Harvest") // Monday
		ask := func(path string) apptest.Object {
			t.Helper()
			return w.call("GET", path, nil).OK()
		}
		const none = "Grade 1 A (Ann Lee): 3 1; Grade 1 B (<nil>): 1 1; Grade 2 <nil> (<nil>): 1 1"
		apptest.Eq(t, "not marked yet", missing(ask(admin+"summary")), none)
		leave := w.grant(w.today, w.today, "")
		apptest.Eq(t, "a leave marks nobody's class", missing(ask(admin+"summary")), none)
		w.takeBack(leave)
		w.mark(sheet(w.a, w.today, rec(w.mia, "PRESENT"), rec(w.noa, "ABSENT"), rec(w.oli, "LATE 10")))
		o := ask(admin + "summary?date=" + string(w.today))
		apptest.Eq(t, "not marked yet", missing(o), "Grade 1 B (<nil>): 1 1; Grade 2 <nil> (<nil>): 1 1")
		one := o["classes"].([]any)[0].(m)
		a := one["divisions"].([]any)[0].(m)
		if tally(o["totals"]) != "1/1/1/0/0 2 of 3 = 66.67" || tally(one["totals"]) != tally(o["totals"]) ||
			tally(a["totals"]) != tally(o["totals"]) ||
			one["students"] != 4.0 || a["students"] != 3.0 || a["marks"] != 3.0 || a["divisionName"] != "A" {
			t.Errorf("summary: got %v", o)
		}
		// From Thursday to Thursday, with a weekend, a holiday and tomorrow.
		span := "summary?from=" + string(w.day(-6)) + "&to=" + string(w.day(1))
		apptest.Eq(t, "not marked yet", missing(ask(admin+span)), "Grade 1 A (Ann Lee): 3 3; Grade 1 B (<nil>): 1 4; Grade 2 <nil> (<nil>): 1 4")
		apptest.Eq(t, "not marked yet", missing(ask(admin+span+"&classId="+string(w.two.ID))), "Grade 2 <nil> (<nil>): 1 4")
		for _, free := range []clock.Date{w.day(-2), w.day(-3), w.day(1)} {
			apptest.Eq(t, free, missing(ask(admin+"summary?date="+string(free))), "")
		}
		w.who = w.North.Teacher
		if o := ask(teacher + span); missing(o) != "Grade 1 A (Ann Lee): 3 3" || len(o["classes"].([]any)) != 1 ||
			tally(o["totals"]) != "1/1/1/0/0 2 of 3 = 66.67" {
			t.Errorf("summary: got %v", o)
		}
		w.call("GET", teacher+"summary?classId="+string(w.two.ID), nil).Want(403, "PERMISSION_DENIED")
		w.who = w.North.Admin
		for _, bad := range []string{"?from=2026-01-01", "?to=2026-01-01", "?from=2026-02-01&to=2026-01-01", "?from=2020-01-01&to=2026-01-01",
			"?date=2026-01-01&from=2026-01-01&to=2026-01-02"} {
			w.call("GET", admin+"summary"+bad, nil).Want(422, "Unprocessable Entity")
		}
		w.call("GET", admin+"summary?classId="+string(id.New()), nil).Want(404, "Not Found")
	})
}

// TestClassTeacherOfTheClass names the teacher of the whole class if a division has
// none.
func TestClassTeacherOfTheClass(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.In(func(ctx context.Context, tx *db.Tx) error {
			return w.Academics().Assign(ctx, tx, []academics.Assignment{{EmployeeID: w.ann, ClassID: w.two.ID, IsClassTeacher: true}})
		})
		apptest.Eq(t, "GET summary", missing(w.call("GET", admin+"summary?classId="+string(w.two.ID), nil).OK()), "Grade 2 <nil> (Ann Lee): 1 1")
	})
}

func TestAbsentees(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.holiday(w.day(-2), "Harvest") // Monday
		for _, day := range []struct {
			back          int
			mia, noa, oli string
		}{
			{-6, "ABSENT", "ABSENT", "ABSENT"},      // Thursday
			{-5, "ABSENT", "ABSENT FIRST", "LEAVE"}, // Friday
			{-2, "HOLIDAY", "HOLIDAY", "HOLIDAY"},   // Monday
			{-1, "ABSENT", "ABSENT", "ABSENT"},      // Tuesday
			{0, "ABSENT", "ABSENT", "PRESENT"},
		} {
			w.mark(sheet(w.a, w.day(day.back), rec(w.mia, day.mia), rec(w.noa, day.noa), rec(w.oli, day.oli)))
		}
		w.mark(sheet(w.b, w.day(-1), rec(w.pia, "ABSENT"))) // nobody has marked today
		list := func(query string) string {
			t.Helper()
			var out []string
			for _, o := range w.call("GET", admin+"absentees"+query, nil).OK().Items() {
				out = append(out, fmt.Sprintf("%v %v", o["firstName"], o["consecutiveDays"]))
			}
			return strings.Join(out, ", ")
		}
		for query, want := range map[string]string{
			"":                              "Mia 4, Noa 2",
			"?consecutiveDays=2":            "Mia 4, Noa 2",
			"?consecutiveDays=3":            "Mia 4",
			"?consecutiveDays=5":            "",
			"?date=" + string(w.day(-1)):    "Mia 3, Noa 1, Oli 1, Pia 1",
			"?date=" + string(w.day(-2)):    "Mia 2", // a holiday: up to Friday
			"?date=" + string(w.day(-4)):    "Mia 2", // a Saturday
			"?date=" + string(w.day(-6)):    "Mia 1, Noa 1, Oli 1",
			"?sort=consecutiveDays":         "Noa 2, Mia 4",
			"?sort=firstName&order=desc":    "Noa 2, Mia 4",
			"?limit=1&page=2":               "Noa 2",
			"?limit=1&page=3":               "",
			"?divisionId=" + string(w.b.ID): "",
			"?classId=" + string(w.one.ID):  "Mia 4, Noa 2",
			"?classId=" + string(w.two.ID):  "",
		} {
			apptest.Eq(t, query, list(query), want)
		}
		first := w.call("GET", admin+"absentees", nil).OK().Items()[0]
		if first.Text("since") != string(w.day(-6)) || first.Text("guardianPhone") != w.North.Parent.Phone ||
			first.Text("className") != "Grade 1" || first.Text("divisionName") != "A" {
			t.Errorf("GET absentees: got %v", first)
		}
		w.call("GET", admin+"absentees?consecutiveDays=0", nil).Want(422, "Unprocessable Entity")
	})
}

func TestParent(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.markMia(w.day(-1), "ABSENT")
		w.markMia(w.today, "LATE 5")
		w.markMia(w.day(-30), "PRESENT")
		w.mark(apptest.With(sheet(w.a, w.today, rec(w.mia, "ABSENT")), "periodNo", 3))
		w.mark(sheet(w.a, w.today, rec(w.noa, "ABSENT")))
		w.who = w.North.Parent
		list := func(query string) string {
			t.Helper()
			var out []string
			for _, o := range w.call("GET", parent+"list?studentId="+string(w.mia)+query, nil).OK().Items() {
				out = append(out, fmt.Sprintf("%v %v %v", o["date"], o["status"], o["periodNo"]))
			}
			return strings.Join(out, ", ")
		}
		yesterday, today := string(w.day(-1))+" ABSENT <nil>", string(w.today)+" LATE <nil>"
		for query, want := range map[string]string{
			"":                                 yesterday + ", " + today,
			"&sort=date&order=desc":            today + ", " + yesterday,
			"&limit=1&page=2":                  today,
			"&periodNo=3":                      string(w.today) + " ABSENT 3",
			"&month=2019-02":                   "",
			"&month=" + string(w.day(-30)[:7]): string(w.day(-30)) + " PRESENT <nil>",
		} {
			apptest.Eq(t, query, list(query), want)
		}
		apptest.Eq(t, "POST list", w.call("POST", parent+"list", m{"studentId": w.mia, "month": w.today[:7]}).OK()["total"], 2.0)
		sum := func(query string) string {
			t.Helper()
			return tally(w.call("GET", parent+"summary?studentId="+string(w.mia)+query, nil).OK()["totals"])
		}
		for query, want := range map[string]string{
			"":                              "1/1/1/0/0 2 of 3 = 66.67",
			"&month=" + string(w.today[:7]): "0/1/1/0/0 1 of 2 = 50",
			"&date=" + string(w.today):      "0/0/1/0/0 1 of 1 = 100",
			"&from=" + string(w.day(-1)) + "&to=" + string(w.day(-1)): "0/1/0/0/0 0 of 1 = 0",
			"&month=2019-02": "0/0/0/0/0 0 of 0 = <nil>",
		} {
			apptest.Eq(t, query, sum(query), want)
		}
		for _, path := range []string{"list", "summary"} {
			w.call("GET", parent+path+"?studentId="+string(w.noa), nil).Want(403, "PERMISSION_DENIED")
			w.call("GET", parent+path+"?studentId="+string(id.New()), nil).Want(404, "STUDENT_NOT_FOUND")
			w.call("GET", parent+path, nil).Want(422, "Unprocessable Entity")
		}
	})
}

func TestExport(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.mark(sheet(w.a, w.today, apptest.With(rec(w.mia, "LATE 5"), "remark", "=1+1"), rec(w.noa, "ABSENT FIRST")))
		w.mark(apptest.With(sheet(w.a, w.today, rec(w.mia, "ABSENT")), "periodNo", 2))
		w.mark(sheet(w.b, w.day(-1), rec(w.pia, "PRESENT")))
		rows := func(query string) []string {
			t.Helper()
			r := w.call("GET", admin+"export"+query, nil)
			if r.Status != http.StatusOK || !strings.HasPrefix(r.Header.Get("Content-Type"), "text/csv") {
				t.Fatalf("GET export: got %d %s", r.Status, r.Body)
			}
			all, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(string(r.Body), "\ufeff"))).ReadAll()
			if err != nil || all[0][0] != "date" || all[0][8] != "status" {
				t.Fatalf("CSV file: got %v, %v", all, err)
			}
			out := []string{}
			for _, row := range all[1:] {
				out = append(out, strings.Join(row[:12], ","))
			}
			return out
		}
		pia := string(w.day(-1)) + ",Grade 1,B,4,S4,Pia,Ray,,PRESENT,,,"
		mia := string(w.today) + ",Grade 1,A,1,S1,Mia,Ray,,LATE,,5,'=1+1"
		period := string(w.today) + ",Grade 1,A,1,S1,Mia,Ray,2,ABSENT,,,"
		noa := string(w.today) + ",Grade 1,A,2,S2,Noa,Ray,,ABSENT,FIRST,,"
		for query, want := range map[string][]string{
			"":                               {pia, mia, period, noa},
			"?month=" + string(w.today[:7]):  {pia, mia, period, noa},
			"?date=" + string(w.day(-1)):     {pia},
			"?classId=" + string(w.two.ID):   {},
			"?divisionId=" + string(w.b.ID):  {pia},
			"?from=2019-01-01&to=2019-12-31": {},
			"?classId=" + string(w.one.ID) + "&divisionId=" + string(w.a.ID): {mia, period, noa},
		} {
			if got := rows(query); strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("%s: %q, want %q", query, got, want)
			}
		}
		w.Audited("attendance.export", 7)
		w.call("GET", admin+"export?month=2026-01&date=2026-01-01", nil).Want(422, "Unprocessable Entity")
		w.call("GET", admin+"export?divisionId="+string(id.New()), nil).Want(404, "Not Found")
	})
}

// TestNeighbours tests the profile section, the history and the uses of classes.
func TestNeighbours(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.mark(sheet(w.a, w.today, apptest.With(rec(w.mia, "ABSENT"), "remark", "Was ill")))
		w.mark(sheet(w.a, w.today, apptest.With(rec(w.mia, "LATE"), "remark", "Was ill, says the father")))
		profile := w.call("GET", "/school-admin/student/"+string(w.mia)+"/profile", nil).OK()
		section := profile["sections"].(m)["attendance"].(m)
		if tally(section["totals"]) != "0/0/1/0/0 1 of 1 = 100" || len(section["marks"].([]any)) != 1 {
			t.Errorf("section of the profile: got %v", section)
		}
		w.mark(sheet(w.b, w.today, rec(w.pia, "PRESENT")))
		w.Admin("PUT", "/school-admin/student/"+string(w.pia), m{"divisionId": w.a.ID}).OK()
		if e := w.call("DELETE", "/school-admin/division/"+string(w.b.ID), nil).Want(409, "Conflict"); !strings.Contains(e.Message,
			"1 day of attendance") {
			t.Errorf("DELETE /school-admin/division: got %v", e.Message)
		}
		w.call("POST", "/school-admin/student/"+string(w.mia)+"/erase", m{"confirm": "S1"}).OK()
		for _, table := range []string{"attendance", "attendance_revisions"} {
			apptest.Eq(t, fmt.Sprint("remarks in ", table, " outlive the student"),
				w.Count(table+` WHERE school_id = :school AND remark <> ''`, nil), 0)
		}
		apptest.Eq(t, "marks", w.Count(`attendance WHERE school_id = :school`, nil), 2)
	})
}

// TestFarMonth: the last month that can be written has 31 days, too.
func TestFarMonth(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		far := w.Admin("GET", admin+"report?month=9999-12&classId="+w.one.ID.String(), nil).OK()
		apptest.Eq(t, "days", len(far["days"].([]any)), 31)
		file := w.Admin("GET", admin+"export?month=9999-12", nil)
		apptest.Eq(t, "lines", strings.Count(string(file.Body), "\n"), 1)
	})
}

// TestAbsenteesNeedStudents: whoever may not read students gets no guardian's name or phone with the absent.
func TestAbsenteesNeedStudents(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.markMia(w.today, "ABSENT")
		w.Admin("GET", admin+"absentees", nil).Has(w.North.Parent.Phone)
		role := w.Make("role/create", m{"name": "Marks", "type": "SCHOOL_ADMIN"})
		module := w.One(`SELECT id FROM modules WHERE name = 'attendance' AND :school <> ''`, nil)
		w.Admin("PUT", "/school-admin/role/"+role+"/permissions",
			m{"permissions": apptest.List{m{"moduleId": module, "canRead": true}}}).OK()
		w.Make("employee/create", m{"firstName": "Lea", "roleId": role, "email": "lea@example.org"})
		for _, o := range w.As(w.Account(actor.SchoolAdmin, "lea@example.org"), "GET", admin+"absentees", nil).OK().Items() {
			apptest.Eq(t, "absentee", o.Text("firstName"), "Mia")
			apptest.Eq(t, "guardian", o["guardianName"], nil)
			apptest.Eq(t, "phone", o["guardianPhone"], nil)
		}
	})
}
