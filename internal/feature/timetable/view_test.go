package timetable_test

import (
	"fmt"
	"strings"
	"testing"

	"homeroom/internal/feature/people/peopletest"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// lessons formats a plan: day, number, division, subject, room.
func lessons(a peopletest.Answer) string {
	var out []string
	list, _ := a.Is(200).Data["periods"].([]any)
	for _, p := range list {
		p := p.(m)
		s := fmt.Sprintf("%v/%v %s%s %s %s", p["dayOfWeek"], p["periodNo"], p["className"], p["divisionName"], p["subjectName"], p["room"])
		if o, ok := p["override"].(m); ok {
			s += " changed"
			if o["isCancelled"] == true {
				s += " cancelled"
			}
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

func TestTeachersPlan(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.firstPeriods()
		const get = "/teacher/timetable/get"
		week := "1/1 Grade 1A Mathematics Lab 1; 1/2 Grade 1A Mathematics Home A; 2/1 Grade 1A Mathematics Home A"
		if got := lessons(w.Call(w.annToken, "GET", get, nil)); got != week {
			t.Errorf("Ann's week: got %q, want %q", got, week)
		}
		w.Call(w.North.Admin, "POST", path+"/override", m{"date": monday, "classId": w.one.ID,
			"divisionId": w.oneA.ID, "periodNo": 2, "teacherId": w.bob, "room": "Hall"}).Is(201)
		w.override(w.oneA, "cancelled", true).Is(201)
		for _, tt := range []struct{ who, date, want string }{
			{w.annToken, monday, "1/1 Grade 1A Mathematics Lab 1 changed cancelled"},
			{w.bobToken, monday, "1/1 Grade 2A Mathematics Lab 2; 1/2 Grade 1A Mathematics Hall changed"},
			{w.bobToken, "2026-10-12", "1/1 Grade 2A Mathematics Lab 2"},
			{w.annToken, "2026-10-12", "1/1 Grade 1A Mathematics Lab 1; 1/2 Grade 1A Mathematics Home A"},
			{w.annToken, "2026-10-07", ""},
			{w.annToken, "2028-10-02", ""}, // no academic year
		} {
			if got := lessons(w.Call(tt.who, "GET", get+"?date="+tt.date, nil)); got != tt.want {
				t.Errorf("lessons on %s: %q, want %q", tt.date, got, tt.want)
			}
		}
		for ask, want := range map[string]string{"teacherId=" + string(w.ann): week,
			"teacherId=" + string(w.bob) + "&date=" + monday: "1/1 Grade 2A Mathematics Lab 2; 1/2 Grade 1A Mathematics Hall changed",
			"teacherId=" + string(w.cid):                     "", "teacherId=" + string(w.driver): ""} {
			if got := lessons(w.Call(w.North.Admin, "GET", path+"/teacher?"+ask, nil)); got != want {
				t.Errorf("the office sees %s: %q, want %q", ask, got, want)
			}
		}
		w.Call(w.North.Admin, "GET", path+"/teacher?teacherId="+string(w.farAnn), nil).Is(404)
		w.Call(w.North.Admin, "GET", path+"/teacher", nil).Is(422)
		w.Call(w.annToken, "GET", path+"/teacher?teacherId="+string(w.bob), nil).Is(403)
		if d := w.Call(w.bobToken, "GET", get, nil).All("overrides", "date"); len(d) != 1 || d[0] != monday {
			t.Errorf("dates of Bob's overrides: %v", d)
		}
		w.Exec(w.North, `INSERT INTO holidays (school_id, id, name, search, date, end_date, created_at, updated_at)
			VALUES (:school, :id, 'Harvest', 'harvest', :date, :date, :now, :now)`, db.Args{"id": id.New(), "date": monday, "now": now})
		if a := w.Call(w.bobToken, "GET", get+"?date="+monday, nil); lessons(a) != "" || a.Data["holiday"] != "Harvest" {
			t.Errorf("lessons on a holiday: %s", a.Text)
		}
	})
}

func TestParentsPlan(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.firstPeriods()
		w.override(w.oneA, "subjectId", w.art.ID).Is(201)
		get := "/parent/timetable/get?studentId="
		for _, tt := range []struct{ ask, want string }{
			{"", "1/1 Grade 1A Mathematics Lab 1; 1/2 Grade 1A Mathematics Home A; 2/1 Grade 1A Mathematics Home A"},
			{"&date=" + monday, "1/1 Grade 1A Art Lab 1 changed; 1/2 Grade 1A Mathematics Home A"},
			{"&date=" + tuesday, "2/1 Grade 1A Mathematics Home A"},
			{"&date=2026-10-07", ""},
		} {
			if got := lessons(w.Call(w.parent, "GET", get+string(w.child)+tt.ask, nil)); got != tt.want {
				t.Errorf("lessons %s: %q, want %q", tt.ask, got, tt.want)
			}
		}
		if d := w.Call(w.parent, "GET", get+string(w.child), nil).All("overrides", "date"); len(d) != 1 {
			t.Errorf("dates of the child's overrides: %v", d)
		}
		for _, p := range []string{get, "/parent/timetable/calendar?studentId="} {
			w.Call(w.parent, "GET", p+string(w.stranger), nil).Is(403, "PERMISSION_DENIED")
			w.Call(w.parent, "GET", p+string(w.farChild), nil).Is(404, "STUDENT_NOT_FOUND")
			w.Call(w.parent, "GET", p+string(peopletest.Nobody), nil).Is(404, "STUDENT_NOT_FOUND")
			w.Call(w.parent, "GET", strings.TrimSuffix(p, "?studentId="), nil).Is(422, "Unprocessable Entity")
		}
		w.Exec(w.North, `UPDATE students SET division_id = NULL WHERE school_id = :school AND id = :id`, db.Args{"id": w.child})
		if got := lessons(w.Call(w.parent, "GET", get+string(w.child), nil)); got != "" {
			t.Errorf("lessons of a student without a division: %q", got)
		}
	})
}

func TestFreeTeachers(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.firstPeriods() // Ann: Monday 08:00–08:45 and 09:00–09:45; Bob: 08:30–09:00
		const free = path + "/free-teachers?date="
		for _, tt := range []struct{ ask, want string }{
			{monday + "&startTime=08:00&endTime=08:30", "Cid Bob"},
			{monday + "&startTime=08:30&endTime=08:45", "Cid"},
			{monday + "&startTime=08:45&endTime=09:00", "Cid Ann"},
			{monday + "&startTime=10:00&endTime=10:45", "Cid Bob Ann"}, // fewest lessons first
			{monday + "&periodNo=1", "Cid"},
			{monday + "&periodNo=2", "Cid Bob"},
			{monday + "&periodNo=1&divisionId=" + string(w.twoA.ID), "Cid"},
			{"2026-10-07&startTime=08:00&endTime=08:45", "Ann Bob Cid"},
			{"2026-05-04&startTime=08:00&endTime=08:45", "Ann Bob Cid"}, // before the academic year
		} {
			if got := strings.Join(w.Call(w.North.Admin, "GET", free+tt.ask, nil).All("teachers", "firstName"), " "); got != tt.want {
				t.Errorf("free teachers %s: %q, want %q", tt.ask, got, tt.want)
			}
		}
		w.override(w.twoA, "teacherId", w.cid).Is(201)
		w.Exec(w.North, `UPDATE employees SET status = 'ON_LEAVE' WHERE school_id = :school AND id = :id`, db.Args{"id": w.ann})
		if got := strings.Join(w.Call(w.North.Admin, "GET", free+monday+"&periodNo=1", nil).All("teachers", "firstName"), " "); got != "Bob" {
			t.Errorf("free teachers when Cid substitutes for Bob and Ann is away: %q", got)
		}
		for ask, field := range map[string]string{monday: "periodNo", monday + "&startTime=08:00": "periodNo",
			monday + "&startTime=09:00&endTime=08:00": "endTime", monday + "&periodNo=9": "periodNo", "&periodNo=1": "date"} {
			if a := w.Call(w.North.Admin, "GET", free+ask, nil).Is(422, "Unprocessable Entity"); !strings.Contains(a.Text, `"`+field+`"`) {
				t.Errorf("free teachers %s: %s", ask, a.Text)
			}
		}
		w.Call(w.North.Admin, "GET", free+monday+"&periodNo=1&divisionId="+string(w.farA.ID), nil).Is(404, "Not Found")
	})
}
