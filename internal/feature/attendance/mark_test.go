package attendance_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

func TestMark(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		all := sheet(w.a, w.today, rec(w.mia, "PRESENT"), rec(w.noa, "LATE 10"), rec(w.oli, "ABSENT FIRST"))
		if got := w.mark(all); got != "3/0/0" {
			t.Errorf("counts of the marks: got %v", got)
		}
		audited := w.count("audit_log", "", nil)
		if got := w.mark(all); got != "0/0/3" {
			t.Errorf("counts of the marks: got %v", got)
		}
		if n := w.count("audit_log", "", nil); n != audited {
			t.Errorf("a call that changed nothing left %d entries in the log", n-audited)
		}
		if got := w.mark(sheet(w.a, w.today, rec(w.mia, "PRESENT"), with(rec(w.noa, "LATE 10"), "remark", " Bus "),
			rec(w.oli, "PRESENT"))); got != "0/2/1" {
			t.Errorf("counts of the marks: got %v", got)
		}
		if got := w.mark(with(sheet(w.a, w.today, rec(w.mia, "ABSENT")), "periodNo", 2)); got != "1/0/0" {
			t.Errorf("a period is not the day: %s", got)
		}
		if got := w.mark(m{"classId": w.two.ID, "date": w.today, "records": []m{rec(w.quin, "PRESENT")}}); got != "1/0/0" {
			t.Errorf("a class without divisions: %s", got)
		}
		if got := w.mark(m{"classId": w.one.ID, "date": w.today, "records": []m{rec(w.mia, "PRESENT"), rec(w.pia, "PRESENT")}}); got != "1/0/1" {
			t.Errorf("a class over its divisions: %s", got)
		}
		for student, want := range map[id.ID]string{w.mia: "PRESENT", w.noa: "LATE 10", w.oli: "PRESENT", w.pia: "PRESENT", w.quin: "PRESENT"} {
			if got := w.said(student, w.today); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
		if n := w.count("attendance_revisions", "", nil); n != 2 {
			t.Errorf("%d revisions, want the two that changed", n)
		}
		if n := w.count("audit_log", " AND action = 'attendance.mark'", nil); n != 5 {
			t.Errorf("%d marks in the log", n)
		}
	})
}

func TestMarkRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.holiday(w.day(-1), "Harvest")
		w.in(w.North.ID, func(ctx context.Context, tx *db.Tx) error {
			_, err := db.Exec(ctx, tx, `UPDATE students SET status = 'LEFT' WHERE school_id = :school AND id = :id`, db.Args{"id": w.oli})
			return err
		})
		good := sheet(w.a, w.today, rec(w.noa, "PRESENT"), rec(w.mia, "PRESENT"))
		records := func(second m) m { return with(good, "records", []m{rec(w.noa, "PRESENT"), second}) }
		for _, tt := range []struct {
			name   string
			who    *apptest.Account
			body   m
			status int
			error  string
			say    string
		}{
			{"tomorrow", w.North.Admin, with(good, "date", w.day(1)), 422, "Unprocessable Entity", `"date"`},
			{"no date", w.North.Admin, with(good, "date", nil), 422, "Unprocessable Entity", `"date"`},
			{"no records", w.North.Admin, with(good, "records", []m{}), 422, "Unprocessable Entity", `"records"`},
			{"an unknown status", w.North.Admin, records(rec(w.mia, "HERE")), 422, "Unprocessable Entity", `"records[1].status"`},
			{"a student twice", w.North.Admin, records(rec(w.noa, "PRESENT")), 422, "Unprocessable Entity", `"records[1].studentId"`},
			{"minutes of who is there", w.North.Admin, records(rec(w.mia, "PRESENT 5")), 422, "Unprocessable Entity", `"records[1].minutesLate"`},
			{"half a holiday", w.North.Admin, records(rec(w.mia, "HOLIDAY FIRST")), 422, "Unprocessable Entity", `"records[1].halfDay"`},
			{"half a period", w.North.Admin, with(records(rec(w.mia, "ABSENT FIRST")), "periodNo", 1), 422, "Unprocessable Entity",
				`"records[1].halfDay"`},
			{"of another division", w.North.Admin, records(rec(w.pia, "PRESENT")), 422, "Unprocessable Entity", `"records[1].studentId"`},
			{"of another class", w.North.Admin, records(rec(w.quin, "PRESENT")), 422, "Unprocessable Entity", `"records[1].studentId"`},
			{"who has left", w.North.Admin, records(rec(w.oli, "PRESENT")), 422, "Unprocessable Entity", `"records[1].studentId"`},
			{"an unknown student", w.North.Admin, records(rec(id.New(), "PRESENT")), 404, "STUDENT_NOT_FOUND", ""},
			{"an unknown class", w.North.Admin, with(good, "classId", id.New()), 404, "Not Found", "class"},
			{"a division of no class", w.North.Admin, with(good, "divisionId", id.New()), 404, "Not Found", "division"},
			{"a division of another class", w.North.Admin, with(good, "classId", w.two.ID), 404, "Not Found", "division"},
			{"on a holiday", w.North.Admin, with(good, "date", w.day(-1)), 422, "Unprocessable Entity", "Harvest"},
			{"by a stranger", w.North.Teacher, sheet(w.b, w.today, rec(w.pia, "PRESENT")), 403, "PERMISSION_DENIED", "assigned"},
			{"by a stranger, without the division", w.North.Teacher, m{"classId": w.one.ID, "date": w.today,
				"records": []m{rec(w.mia, "PRESENT"), rec(w.pia, "PRESENT")}}, 403, "PERMISSION_DENIED", "assigned"},
			{"by a stranger to the class", w.North.Teacher, m{"classId": w.two.ID, "date": w.today, "records": []m{rec(w.quin, "PRESENT")}}, 403,
				"PERMISSION_DENIED", "assigned"},
			{"by a teacher, too late", w.North.Teacher, with(good, "date", w.day(-8)), 403, "PERMISSION_DENIED", "can change attendance from"},
		} {
			path := admin
			if tt.who == w.North.Teacher {
				path = teacher
			}
			r := w.Call(t, tt.who, "POST", path+"mark", tt.body)
			r.Want(tt.status, tt.error)
			if !strings.Contains(string(r.Body), tt.say) {
				t.Errorf("%s: %s", tt.name, r.Body)
			}
		}
		if n := w.count("attendance", "", nil) + w.count("audit_log", " AND action = 'attendance.mark'", nil); n != 0 {
			t.Errorf("refused calls have left %d rows", n)
		}
	})
}

// TestMarkEdges tests edge cases that are allowed.
func TestMarkEdges(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.holiday(w.day(-1), "Harvest")
		good := sheet(w.a, w.today, rec(w.noa, "PRESENT"), rec(w.mia, "PRESENT"))
		w.Call(t, w.North.Teacher, "POST", teacher+"mark", with(good, "date", w.day(-7))).OK()
		w.mark(with(good, "date", w.day(-8)))
		w.mark(sheet(w.a, w.today, rec(w.mia, "HOLIDAY"))) // snow
		w.mark(sheet(w.a, w.day(-1), rec(w.noa, "HOLIDAY")))
		w.mark(with(good, "date", w.day(-4))) // a Saturday on which there is school after all
		w.Call(t, w.North.Teacher, "POST", teacher+"mark", m{"classId": w.one.ID, "date": w.today, "records": []m{rec(w.mia, "PRESENT")}}).OK()
		w.Call(t, w.North.Admin, "PUT", "/school-admin/setting", m{"attendanceLockDays": 0}).OK()
		w.Call(t, w.North.Teacher, "POST", teacher+"mark", with(good, "date", w.day(-2))).Want(403, "PERMISSION_DENIED")
		w.Call(t, w.North.Teacher, "POST", teacher+"mark", good).OK()
	})
}

// TestOffline sends marks late, from a phone that was offline.
func TestOffline(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := func(d time.Duration) string { return w.Clock.Now().Add(d).Format(time.RFC3339Nano) }
		send := func(say, markedAt string) string {
			return w.mark(with(sheet(w.a, w.today, rec(w.mia, say)), "markedAt", markedAt))
		}
		for _, step := range []struct{ say, at, counts, stands string }{
			{"ABSENT", at(-10 * time.Minute), "1/0/0", "ABSENT"},
			{"PRESENT", at(-20 * time.Minute), "0/0/1", "ABSENT"}, // older
			{"LATE", at(-5 * time.Minute), "0/1/0", "LATE"},       // newer
			{"ABSENT", at(-10 * time.Minute), "0/0/1", "LATE"},    // the first again
			{"LATE", at(-5 * time.Minute), "0/0/1", "LATE"},       // the last again
			{"PRESENT", at(24 * time.Hour), "0/1/0", "PRESENT"},   // a time in the future counts as now
			{"ABSENT", at(-time.Minute), "0/0/1", "PRESENT"},      // before that
			{"LATE 7", at(0), "0/1/0", "LATE 7"},                  // no earlier: it came later
		} {
			if got := send(step.say, step.at); got != step.counts {
				t.Errorf("%s at %s: %s, want %s", step.say, step.at, got, step.counts)
			}
			if got := w.said(w.mia, w.today); got != step.stands {
				t.Errorf("%s at %s: it is %s, want %s", step.say, step.at, got, step.stands)
			}
		}
		if got := w.markMia(w.today, "ABSENT"); got != "0/1/0" { // online, now
			t.Errorf("counts of the mark: got %v", got)
		}
		w.Call(t, w.North.Admin, "POST", admin+"mark", with(sheet(w.a, w.today, rec(w.mia, "LATE")), "markedAt", "yesterday")).Want(422,
			"Unprocessable Entity")
	})
}

// TestMoved marks a student who has moved since: the mark moves too.
func TestMoved(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.markMia(w.today, "PRESENT")
		w.Call(t, w.North.Admin, "PUT", "/school-admin/student/"+string(w.mia), m{"divisionId": w.b.ID}).OK()
		w.Call(t, w.North.Admin, "POST", admin+"mark", sheet(w.a, w.today, rec(w.mia, "PRESENT"))).Want(422, "Unprocessable Entity")
		if got := w.mark(sheet(w.b, w.today, rec(w.mia, "PRESENT"))); got != "0/1/0" {
			t.Errorf("counts of the marks: got %v", got)
		}
		if got := w.mark(sheet(w.b, w.today, rec(w.mia, "PRESENT"))); got != "0/0/1" {
			t.Errorf("counts of the marks: got %v", got)
		}
		if n := w.count("attendance_revisions", "", nil); n != 0 {
			t.Errorf("%d revisions of a mark that says the same", n)
		}
		// Into another class, on the same day.
		w.Call(t, w.North.Admin, "PUT", "/school-admin/student/"+string(w.mia), m{"classId": w.two.ID}).OK()
		two := m{"classId": w.two.ID, "date": w.today, "records": []m{rec(w.mia, "ABSENT"), rec(w.quin, "PRESENT")}}
		if got := w.mark(two); got != "1/1/0" {
			t.Errorf("counts of the marks: got %v", got)
		}
		if got := w.mark(two); got != "0/0/2" {
			t.Errorf("counts of the marks: got %v", got)
		}
		if n := w.count("attendance_revisions", " AND status = 'PRESENT'", nil); n != 1 {
			t.Errorf("%d revisions of a mark that was of another class", n)
		}
		if got := w.heard(w.North.ID, w.mia); len(got) != 1 || w.said(w.mia, w.today) != "ABSENT" {
			t.Errorf("alerts: got %q", got)
		}
		w.Call(t, w.North.Admin, "PUT", "/school-admin/student/"+string(w.mia), m{"classId": w.one.ID, "divisionId": w.a.ID}).OK()
		stray := with(sheet(w.a, w.today, rec(w.mia, "LATE")), "markedAt", w.Clock.Now().Add(-time.Hour).Format(time.RFC3339))
		if got := w.mark(stray); got != "0/0/1" || w.said(w.mia, w.today) != "ABSENT" {
			t.Errorf("an old mark of another class: %s", got)
		}
	})
}

func TestRegister(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.mark(sheet(w.a, w.today, rec(w.mia, "LATE 5"), rec(w.oli, "ABSENT FIRST")))
		w.mark(with(sheet(w.a, w.today, rec(w.noa, "ABSENT")), "periodNo", 1))
		lines := func(who *apptest.Account, path string) string {
			var out []string
			for _, o := range w.Call(t, who, "GET", path, nil).OK().Items() {
				out = append(out, strings.TrimRight(fmt.Sprintf("%v %v %v %v", o["firstName"], o["status"], o["halfDay"], o["minutesLate"]), " "))
			}
			return strings.Join(out, "; ")
		}
		class, division := "list?classId="+string(w.one.ID), "&divisionId="+string(w.a.ID)
		for _, tt := range []struct {
			who        *apptest.Account
			path, want string
		}{
			{w.North.Admin, admin + class + division, "Mia LATE <nil> 5; Noa <nil> <nil> <nil>; Oli ABSENT FIRST <nil>"},
			{w.North.Admin, admin + class, "Mia LATE <nil> 5; Noa <nil> <nil> <nil>; Oli ABSENT FIRST <nil>; Pia <nil> <nil> <nil>"},
			{w.North.Admin, admin + class + division + "&periodNo=1", "Mia <nil> <nil> <nil>; Noa ABSENT <nil> <nil>; Oli <nil> <nil> <nil>"},
			{w.North.Admin, admin + class + division + "&date=" + string(w.day(-1)),
				"Mia <nil> <nil> <nil>; Noa <nil> <nil> <nil>; Oli <nil> <nil> <nil>"},
			{w.North.Admin, admin + class + division + "&sort=firstName&order=desc&limit=1", "Oli ABSENT FIRST <nil>"},
			{w.North.Teacher, teacher + class + division, "Mia LATE <nil> 5; Noa <nil> <nil> <nil>; Oli ABSENT FIRST <nil>"},
			{w.North.Teacher, teacher + class, "Mia LATE <nil> 5; Noa <nil> <nil> <nil>; Oli ABSENT FIRST <nil>"}, // the divisions of hers
		} {
			if got := lines(tt.who, tt.path); got != tt.want {
				t.Errorf("%s: %s, want %s", tt.path, got, tt.want)
			}
		}
		w.Call(t, w.North.Teacher, "GET", teacher+class+"&divisionId="+string(w.b.ID), nil).Want(403, "PERMISSION_DENIED")
		w.Call(t, w.North.Teacher, "GET", teacher+"list?classId="+string(w.two.ID), nil).Want(403, "PERMISSION_DENIED")
		w.Call(t, w.North.Admin, "GET", admin+"list", nil).Want(422, "Unprocessable Entity")
		posted := w.Call(t, w.North.Admin, "POST", admin+"list", m{"classId": w.one.ID, "divisionId": w.a.ID}).OK()
		if posted["total"] != 3.0 || posted.Text("date") != string(w.today) || posted["isSchoolDay"] != true {
			t.Errorf("POST list: got %v", posted)
		}
	})
}

func TestHistory(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.markMia(w.today, "ABSENT")
		w.mark(sheet(w.a, w.today, with(rec(w.mia, "LATE 5"), "remark", "Bus")))
		w.Call(t, w.North.Teacher, "POST", teacher+"mark", sheet(w.a, w.today, rec(w.mia, "PRESENT"))).OK()
		list := w.call("GET", admin+"history?studentId="+string(w.mia)+"&date="+string(w.today), nil).OK()["changes"].([]any)
		var got []string
		for _, c := range list {
			c := c.(m)
			say := func(key string) any {
				s, _ := c[key].(m)
				return s["status"]
			}
			got = append(got, fmt.Sprintf("%v: %v to %v", c["name"], say("from"), say("to")))
		}
		want := []string{"Test SCHOOL_ADMIN: <nil> to ABSENT", "Test SCHOOL_ADMIN: ABSENT to LATE", "Test TEACHER: LATE to PRESENT"}
		if !slices.Equal(got, want) {
			t.Errorf("history: got %q", got)
		}
		if second := list[1].(m)["to"].(m); second["remark"] != "Bus" || second["minutesLate"] != 5.0 {
			t.Errorf("second change: got %v", second)
		}
		none := w.call("GET", admin+"history?studentId="+string(w.mia)+"&date="+string(w.today)+"&periodNo=1", nil).OK()
		if n := len(none["changes"].([]any)); n != 0 {
			t.Errorf("%d changes of a period that nobody marked", n)
		}
		w.call("GET", admin+"history?studentId="+string(id.New())+"&date="+string(w.today), nil).Want(404, "STUDENT_NOT_FOUND")
		w.call("GET", admin+"history?studentId="+string(w.mia), nil).Want(422, "Unprocessable Entity")
	})
}
