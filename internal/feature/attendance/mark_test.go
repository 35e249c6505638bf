package attendance_test

import (
	"context"
	"encoding/json"
	"fmt"
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
		apptest.Eq(t, "counts of the marks", w.mark(all), "3/0/0")
		audited := w.Count(`audit_log WHERE school_id = :school`, nil)
		apptest.Eq(t, "counts of the marks", w.mark(all), "0/0/3")
		apptest.Eq(t, "a call that changed nothing left entries in the log", w.Count(`audit_log WHERE school_id = :school`, nil), audited)
		apptest.Eq(t, "counts of the marks",
			w.mark(sheet(w.a, w.today, rec(w.mia, "PRESENT"), apptest.With(rec(w.noa, "LATE 10"), "remark", " Bus "),
				rec(w.oli, "PRESENT"))), "0/2/1")
		apptest.Eq(t, "a period is not the day", w.mark(apptest.With(sheet(w.a, w.today, rec(w.mia, "ABSENT")), "periodNo", 2)), "1/0/0")
		apptest.Eq(t, "a class without divisions",
			w.mark(m{"classId": w.two.ID, "date": w.today, "records": []m{rec(w.quin, "PRESENT")}}), "1/0/0")
		apptest.Eq(t, "a class over its divisions",
			w.mark(m{"classId": w.one.ID, "date": w.today, "records": []m{rec(w.mia, "PRESENT"), rec(w.pia, "PRESENT")}}), "1/0/1")
		for student, want := range map[id.ID]string{w.mia: "PRESENT", w.noa: "LATE 10", w.oli: "PRESENT", w.pia: "PRESENT", w.quin: "PRESENT"} {
			if got := w.said(student, w.today); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
		apptest.Eq(t, "revisions", w.Count(`attendance_revisions WHERE school_id = :school`, nil), 2)
		w.Audited("attendance.mark", 5)
	})
}

func TestMarkRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.holiday(w.day(-1), "Harvest")
		w.In(func(ctx context.Context, tx *db.Tx) error {
			_, err := db.Exec(ctx, tx, `UPDATE students SET status = 'LEFT' WHERE school_id = :school AND id = :id`, db.Args{"id": w.oli})
			return err
		})
		good := sheet(w.a, w.today, rec(w.noa, "PRESENT"), rec(w.mia, "PRESENT"))
		records := func(second m) m { return apptest.With(good, "records", []m{rec(w.noa, "PRESENT"), second}) }
		for _, tt := range []struct {
			name   string
			who    *apptest.Account
			body   m
			status int
			error  string
			say    string
		}{
			{"tomorrow", w.North.Admin, apptest.With(good, "date", w.day(1)), 422, "Unprocessable Entity", `"date"`},
			{"no date", w.North.Admin, apptest.With(good, "date", json.RawMessage("null")), 422, "Unprocessable Entity", `"date"`},
			{"no records", w.North.Admin, apptest.With(good, "records", []m{}), 422, "Unprocessable Entity", `"records"`},
			{"an unknown status", w.North.Admin, records(rec(w.mia, "HERE")), 422, "Unprocessable Entity", `"records[1].status"`},
			{"a student twice", w.North.Admin, records(rec(w.noa, "PRESENT")), 422, "Unprocessable Entity", `"records[1].studentId"`},
			{"minutes of who is there", w.North.Admin, records(rec(w.mia, "PRESENT 5")), 422, "Unprocessable Entity", `"records[1].minutesLate"`},
			{"half a holiday", w.North.Admin, records(rec(w.mia, "HOLIDAY FIRST")), 422, "Unprocessable Entity", `"records[1].halfDay"`},
			{"half a period", w.North.Admin, apptest.With(records(rec(w.mia, "ABSENT FIRST")), "periodNo", 1), 422, "Unprocessable Entity",
				`"records[1].halfDay"`},
			{"of another division", w.North.Admin, records(rec(w.pia, "PRESENT")), 422, "Unprocessable Entity", `"records[1].studentId"`},
			{"of another class", w.North.Admin, records(rec(w.quin, "PRESENT")), 422, "Unprocessable Entity", `"records[1].studentId"`},
			{"who has left", w.North.Admin, records(rec(w.oli, "PRESENT")), 422, "Unprocessable Entity", `"records[1].studentId"`},
			{"an unknown student", w.North.Admin, records(rec(id.New(), "PRESENT")), 404, "STUDENT_NOT_FOUND", ""},
			{"an unknown class", w.North.Admin, apptest.With(good, "classId", id.New()), 404, "Not Found", "class"},
			{"a division of no class", w.North.Admin, apptest.With(good, "divisionId", id.New()), 404, "Not Found", "division"},
			{"a division of another class", w.North.Admin, apptest.With(good, "classId", w.two.ID), 404, "Not Found", "division"},
			{"on a holiday", w.North.Admin, apptest.With(good, "date", w.day(-1)), 422, "Unprocessable Entity", "Harvest"},
			{"by a stranger", w.North.Teacher, sheet(w.b, w.today, rec(w.pia, "PRESENT")), 403, "PERMISSION_DENIED", "assigned"},
			{"by a stranger, without the division", w.North.Teacher, m{"classId": w.one.ID, "date": w.today,
				"records": []m{rec(w.mia, "PRESENT"), rec(w.pia, "PRESENT")}}, 403, "PERMISSION_DENIED", "assigned"},
			{"by a stranger to the class", w.North.Teacher, m{"classId": w.two.ID, "date": w.today, "records": []m{rec(w.quin, "PRESENT")}}, 403,
				"PERMISSION_DENIED", "assigned"},
			{"by a teacher, too late", w.North.Teacher, apptest.With(good, "date", w.day(-8)), 403, "PERMISSION_DENIED",
				"can change attendance from"},
		} {
			path := admin
			if tt.who == w.North.Teacher {
				path = teacher
			}
			r := w.As(tt.who, "POST", path+"mark", tt.body)
			r.Want(tt.status, tt.error)
			if !strings.Contains(string(r.Body), tt.say) {
				t.Errorf("%s: %s", tt.name, r.Body)
			}
		}
		apptest.Eq(t, "refused calls have left rows",
			w.Count(`attendance WHERE school_id = :school`, nil)+w.Count(`audit_log WHERE school_id = :school AND action = 'attendance.mark'`, nil),
			0)
	})
}

// TestMarkEdges tests edge cases that are allowed.
func TestMarkEdges(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.holiday(w.day(-1), "Harvest")
		good := sheet(w.a, w.today, rec(w.noa, "PRESENT"), rec(w.mia, "PRESENT"))
		w.As(w.North.Teacher, "POST", teacher+"mark", apptest.With(good, "date", w.day(-7))).OK()
		w.mark(apptest.With(good, "date", w.day(-8)))
		w.mark(sheet(w.a, w.today, rec(w.mia, "HOLIDAY"))) // snow
		w.mark(sheet(w.a, w.day(-1), rec(w.noa, "HOLIDAY")))
		w.mark(apptest.With(good, "date", w.day(-4))) // a Saturday on which there is school after all
		w.As(w.North.Teacher, "POST", teacher+"mark", m{"classId": w.one.ID, "date": w.today, "records": []m{rec(w.mia, "PRESENT")}}).OK()
		w.Admin("PUT", "/school-admin/setting", m{"attendanceLockDays": 0}).OK()
		w.As(w.North.Teacher, "POST", teacher+"mark", apptest.With(good, "date", w.day(-2))).Want(403, "PERMISSION_DENIED")
		w.As(w.North.Teacher, "POST", teacher+"mark", good).OK()
	})
}

// TestOffline sends marks late, from a phone that was offline.
func TestOffline(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := func(d time.Duration) string { return w.Clock.Now().Add(d).Format(time.RFC3339Nano) }
		send := func(say, markedAt string) string {
			return w.mark(apptest.With(sheet(w.a, w.today, rec(w.mia, say)), "markedAt", markedAt))
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
			apptest.Eq(t, fmt.Sprint(step.say, " at ", step.at), send(step.say, step.at), step.counts)
			apptest.Eq(t, fmt.Sprint(step.say, " at ", step.at), w.said(w.mia, w.today), step.stands)
		}
		if got := w.markMia(w.today, "ABSENT"); got != "0/1/0" { // online, now
			t.Errorf("counts of the mark: got %v", got)
		}
		w.Admin("POST", admin+"mark", apptest.With(sheet(w.a, w.today, rec(w.mia, "LATE")), "markedAt", "yesterday")).Want(422,
			"Unprocessable Entity")
	})
}

// TestMoved marks a student who has moved since: the mark moves too.
func TestMoved(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.markMia(w.today, "PRESENT")
		w.Admin("PUT", "/school-admin/student/"+string(w.mia), m{"divisionId": w.b.ID}).OK()
		w.Admin("POST", admin+"mark", sheet(w.a, w.today, rec(w.mia, "PRESENT"))).Want(422, "Unprocessable Entity")
		apptest.Eq(t, "counts of the marks", w.mark(sheet(w.b, w.today, rec(w.mia, "PRESENT"))), "0/1/0")
		apptest.Eq(t, "counts of the marks", w.mark(sheet(w.b, w.today, rec(w.mia, "PRESENT"))), "0/0/1")
		apptest.Eq(t, "revisions of a mark that says the same", w.Count(`attendance_revisions WHERE school_id = :school`, nil), 0)
		// Into another class, on the same day.
		w.Admin("PUT", "/school-admin/student/"+string(w.mia), m{"classId": w.two.ID}).OK()
		two := m{"classId": w.two.ID, "date": w.today, "records": []m{rec(w.mia, "ABSENT"), rec(w.quin, "PRESENT")}}
		apptest.Eq(t, "counts of the marks", w.mark(two), "1/1/0")
		apptest.Eq(t, "counts of the marks", w.mark(two), "0/0/2")
		apptest.Eq(t, "revisions of a mark that was of another class",
			w.Count(`attendance_revisions WHERE school_id = :school AND status = 'PRESENT'`, nil), 1)
		if got := w.heard(w.North.ID, w.mia); len(got) != 1 || w.said(w.mia, w.today) != "ABSENT" {
			t.Errorf("alerts: got %q", got)
		}
		w.Admin("PUT", "/school-admin/student/"+string(w.mia), m{"classId": w.one.ID, "divisionId": w.a.ID}).OK()
		stray := apptest.With(sheet(w.a, w.today, rec(w.mia, "LATE")), "markedAt", w.Clock.Now().Add(-time.Hour).Format(time.RFC3339))
		if got := w.mark(stray); got != "0/0/1" || w.said(w.mia, w.today) != "ABSENT" {
			t.Errorf("an old mark of another class: %s", got)
		}
	})
}

func TestRegister(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.mark(sheet(w.a, w.today, rec(w.mia, "LATE 5"), rec(w.oli, "ABSENT FIRST")))
		w.mark(apptest.With(sheet(w.a, w.today, rec(w.noa, "ABSENT")), "periodNo", 1))
		lines := func(who *apptest.Account, path string) string {
			var out []string
			for _, o := range w.As(who, "GET", path, nil).OK().Items() {
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
			apptest.Eq(t, tt.path, lines(tt.who, tt.path), tt.want)
		}
		w.As(w.North.Teacher, "GET", teacher+class+"&divisionId="+string(w.b.ID), nil).Want(403, "PERMISSION_DENIED")
		w.As(w.North.Teacher, "GET", teacher+"list?classId="+string(w.two.ID), nil).Want(403, "PERMISSION_DENIED")
		w.Admin("GET", admin+"list", nil).Want(422, "Unprocessable Entity")
		posted := w.Admin("POST", admin+"list", m{"classId": w.one.ID, "divisionId": w.a.ID}).OK()
		if posted["total"] != 3.0 || posted.Text("date") != string(w.today) || posted["isSchoolDay"] != true {
			t.Errorf("POST list: got %v", posted)
		}
	})
}

func TestHistory(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.markMia(w.today, "ABSENT")
		w.mark(sheet(w.a, w.today, apptest.With(rec(w.mia, "LATE 5"), "remark", "Bus")))
		w.As(w.North.Teacher, "POST", teacher+"mark", sheet(w.a, w.today, rec(w.mia, "PRESENT"))).OK()
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
		apptest.Eq(t, "history", got, want)
		if second := list[1].(m)["to"].(m); second["remark"] != "Bus" || second["minutesLate"] != 5.0 {
			t.Errorf("second change: got %v", second)
		}
		none := w.call("GET", admin+"history?studentId="+string(w.mia)+"&date="+string(w.today)+"&periodNo=1", nil).OK()
		apptest.Eq(t, "changes of a period that nobody marked", len(none["changes"].([]any)), 0)
		w.call("GET", admin+"history?studentId="+string(id.New())+"&date="+string(w.today), nil).Want(404, "STUDENT_NOT_FOUND")
		w.call("GET", admin+"history?studentId="+string(w.mia), nil).Want(422, "Unprocessable Entity")
	})
}

// TestMarkWhatWasRead sends marks from a register that is older than a mark of the office: children about whom the teacher said nothing
// keep the office's mark, the others get the teacher's.
func TestMarkWhatWasRead(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		read := w.As(w.North.Teacher, "GET", teacher+"list", m{"classId": w.one.ID, "divisionId": w.a.ID}).OK().Text("readAt")
		w.Clock.Add(time.Minute)
		w.mark(sheet(w.a, w.today, rec(w.mia, "LATE 10"), rec(w.noa, "LATE 20")))
		w.Clock.Add(time.Minute)
		unsaid := func(student id.ID, say string) m { return apptest.With(rec(student, say), "readAt", read) }
		sent := w.As(w.North.Teacher, "POST", teacher+"mark",
			sheet(w.a, w.today, unsaid(w.mia, "PRESENT"), rec(w.noa, "ABSENT"), unsaid(w.oli, "PRESENT"))).OK()
		if sent["unchanged"] != 1.0 || sent["updated"] != 1.0 || sent["created"] != 1.0 {
			t.Errorf("counts: %v", sent)
		}
		for student, want := range map[id.ID]string{w.mia: "LATE 10", w.noa: "ABSENT", w.oli: "PRESENT"} {
			apptest.Eq(t, "the mark", w.said(student, w.today), want)
		}
		rows := w.As(w.North.Teacher, "GET", teacher+"list", m{"classId": w.one.ID, "divisionId": w.a.ID}).OK().Objects("items")
		if rows[0].Text("markedByName") == "" || rows[0].Text("markedByName") == rows[1].Text("markedByName") {
			t.Errorf("the register names who marked: %v", rows)
		}
		w.Clock.Add(time.Minute)
		w.As(w.North.Teacher, "POST", teacher+"mark", sheet(w.a, w.today, unsaid(w.noa, "PRESENT"))).OK()
		apptest.Eq(t, "one's own mark is no one else's", w.said(w.noa, w.today), "PRESENT")
	})
}
