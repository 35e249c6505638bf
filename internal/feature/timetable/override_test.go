package timetable_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/people/peopletest"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// on is the body of an override of the first period on the Monday.
func on(d academics.Division, key string, value any) m {
	return m{"date": monday, "classId": d.ClassID, "divisionId": d.ID, "periodNo": 1, key: value}
}

// firstPeriods gives 1 A and 2 A a first period, with Ann and Bob.
func (w *world) firstPeriods() {
	w.Helper()
	w.put(w.oneA, w.lesson(1, 1, "08:00", "08:45", w.ann, "Lab 1"),
		w.lesson(1, 2, "09:00", "09:45", w.ann, ""), w.lesson(2, 1, "08:00", "08:45", w.ann, ""))
	w.put(w.twoA, w.lesson(1, 1, "08:30", "09:00", w.bob, "Lab 2"))
}

func (w *world) override(d academics.Division, key string, value any) peopletest.Answer {
	w.Helper()
	return w.Call(w.North.Admin, "POST", path+"/override", on(d, key, value))
}

// day returns the first period of 1 A on the Monday.
func (w *world) day() m {
	w.Helper()
	return w.Call(w.North.Admin, "GET", of(w.oneA)+"&date="+monday, nil).Is(200).Data["periods"].([]any)[0].(m)
}

func TestOverride(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.firstPeriods()
		o := w.Call(w.North.Admin, "POST", path+"/override", with(on(w.oneA, "teacherId", w.cid), "note", "Ann is ill")).Is(201).Data
		if o["teacherName"] != "Cid" || o["regularTeacherName"] != "Ann Lee" || o["startTime"] != "08:00" ||
			o["className"] != "Grade 1" || o["cancelled"] != false {
			t.Errorf("new override: %v", o)
		}
		want := m{"id": o["id"], "isCancelled": false, "regularTeacherId": string(w.ann), "regularSubjectId": string(w.maths.ID),
			"regularRoom": "Lab 1", "note": "Ann is ill"}
		if p := w.day(); cmp.Diff(want, p["override"]) != "" || p["teacherId"] != string(w.cid) || p["room"] != "Lab 1" {
			t.Errorf("lesson with a substitute: %v", p)
		}
		// Another override of the same period replaces it and keeps its id.
		if again := w.override(w.oneA, "subjectId", w.art.ID).Is(201).Data; again["id"] != o["id"] || again["teacherId"] != nil {
			t.Errorf("second override: %v", again)
		}
		if p := w.day(); p["subjectName"] != "Art" || p["teacherId"] != string(w.ann) {
			t.Errorf("lesson with another subject: %v", p)
		}
		w.override(w.oneA, "room", "Hall").Is(201)
		if p := w.day(); p["room"] != "Hall" || p["subjectName"] != "Mathematics" {
			t.Errorf("lesson with another room: %v", p)
		}
		w.override(w.oneA, "cancelled", true).Is(201)
		if p := w.day(); !p["override"].(m)["isCancelled"].(bool) {
			t.Errorf("cancelled lesson: %v", p)
		}
		// Other days and the week are unchanged.
		for _, at := range []string{of(w.oneA), of(w.oneA) + "&date=2026-10-12"} {
			if a := w.Call(w.North.Admin, "GET", at, nil).Is(200); strings.Contains(a.Text, "override") {
				t.Errorf("override on another day: %s", a.Text)
			}
		}
		w.Call(w.North.Admin, "DELETE", path+"/override/"+o["id"].(string), nil).Is(204)
		w.Call(w.North.Admin, "DELETE", path+"/override/"+o["id"].(string), nil).Is(404, "Not Found")
		if p := w.day(); p["override"] != nil {
			t.Errorf("lesson after the override is deleted: %v", p)
		}
		w.Audited("timetable-override.create", 1)
		w.Audited("timetable-override.update", 3)
		w.Audited("timetable-override.delete", 1)
	})
}

func TestOverrideRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.firstPeriods()
		w.Exec(w.North, `INSERT INTO holidays (school_id, id, name, search, date, end_date, created_at, updated_at)
			VALUES (:school, :id, 'Harvest', 'harvest', '2026-10-12', '2026-10-16', :now, :now)`, db.Args{"id": id.New(), "now": now})
		good := on(w.oneA, "teacherId", w.cid)
		for _, tt := range []struct {
			name   string
			body   m
			status int
			error  string
			say    string
		}{
			{"on a holiday", with(good, "date", "2026-10-12"), 409, "Conflict", "Harvest"},
			{"before the year", with(good, "date", "2026-05-25"), 422, "Unprocessable Entity", `"date"`},
			{"after the year", with(good, "date", "2027-06-07"), 422, "Unprocessable Entity", `"date"`},
			{"a period there is not", with(good, "periodNo", 7), 422, "Unprocessable Entity", `"periodNo"`},
			{"a day without lessons", with(good, "date", "2026-10-07"), 422, "Unprocessable Entity", `"periodNo"`},
			{"nothing different", with(good, "teacherId", nil), 422, "Unprocessable Entity", `"teacherId"`},
			{"neither held nor not", with(good, "cancelled", true), 422, "Unprocessable Entity", `"cancelled"`},
			{"a driver", with(good, "teacherId", w.driver), 422, "Unprocessable Entity", `"teacherId"`},
			{"a subject of another class", on(w.oneA, "subjectId", w.grade2.ID), 422, "Unprocessable Entity", `"subjectId"`},
			{"a teacher who is elsewhere", with(good, "teacherId", w.bob), 409, "Conflict", "Grade 2 A (Monday 2026-10-05 08:30–09:00)"},
			{"a room that is taken", on(w.oneA, "room", "lab 2"), 409, "Conflict", "Room lab 2"},
			{"another school's teacher", with(good, "teacherId", w.farAnn), 404, "Not Found", ""},
			{"an unknown teacher", with(good, "teacherId", peopletest.Nobody), 404, "Not Found", ""},
			{"another school's subject", on(w.oneA, "subjectId", w.farMaths.ID), 404, "Not Found", ""},
			{"another school's class", with(good, "classId", w.far.ID), 404, "Not Found", ""},
			{"another school's division", with(good, "divisionId", w.farA.ID), 404, "Not Found", ""},
		} {
			if a := w.Call(w.North.Admin, "POST", path+"/override", tt.body).Is(tt.status, tt.error); !strings.Contains(a.Text, tt.say) {
				t.Errorf("%s: %s", tt.name, a.Text)
			}
		}
		if a := w.Call(w.North.Admin, "GET", path+"/overrides", nil).Is(200); a.Data["total"] != 0.0 {
			t.Errorf("overrides after refused ones: %s", a.Text)
		}
		a := w.Call(w.North.Admin, "GET", of(w.oneA)+"&date=2026-10-12", nil).Is(200)
		if a.Data["holiday"] != "Harvest" || len(a.Data["periods"].([]any)) != 0 {
			t.Errorf("lessons on a holiday: %s", a.Text)
		}
		if n := len(w.Call(w.North.Admin, "GET", of(w.oneA)+"&date=2027-06-07", nil).All("periods", "id")); n != 0 {
			t.Errorf("lessons after the academic year: got %d, want 0", n)
		}
	})
}

// TestDayClashes frees a teacher on one day, assigns him elsewhere, and can't
// restore his lesson.
func TestDayClashes(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.firstPeriods()
		w.override(w.oneA, "teacherId", w.bob).Is(409, "Conflict") // Bob is in 2 A until 09:00
		freed := w.override(w.twoA, "cancelled", true).Is(201).Data["id"].(string)
		w.override(w.oneA, "teacherId", w.bob).Is(201)
		w.Call(w.North.Admin, "DELETE", path+"/override/"+freed, nil).Is(409, "Conflict") // he is in 1 A now
		w.override(w.twoA, "room", "Lab 3").Is(409, "Conflict")
		w.override(w.twoA, "teacherId", w.cid).Is(201)
		w.Call(w.North.Admin, "DELETE", path+"/override/"+freed, nil).Is(409, "Conflict")

		// A new week must not clash with the override on that Monday.
		w.put(w.oneB, w.lesson(1, 1, "07:00", "08:00", w.bob, ""))
		a := w.Call(w.North.Admin, "PUT", path, plan(w.oneB, w.lesson(1, 1, "07:15", "08:15", w.bob, ""))).Is(409, "Conflict")
		if !strings.Contains(a.Text, "Grade 1 A (Monday 2026-10-05 08:00–08:45)") || !strings.Contains(a.Text, "Bob") {
			t.Errorf("new week against an override: %s", a.Text)
		}
		// A holiday or a past day has no clashes.
		w.Exec(w.North, `INSERT INTO holidays (school_id, id, name, search, date, end_date, created_at, updated_at)
			VALUES (:school, :id, 'Harvest', 'harvest', :date, :date, :now, :now)`, db.Args{"id": id.New(), "date": monday, "now": now})
		w.put(w.oneB, w.lesson(1, 1, "07:15", "08:15", w.bob, ""))
	})
}

// TestOverrideRace assigns one teacher to two divisions concurrently.
func TestOverrideRace(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.firstPeriods()
		var wg sync.WaitGroup
		status := make([]int, 2)
		for i, d := range []academics.Division{w.oneA, w.twoA} {
			wg.Go(func() {
				status[i] = w.Call(w.North.Admin, "POST", path+"/override", on(d, "teacherId", w.cid)).Status
			})
		}
		wg.Wait()
		if status[0]+status[1] != 201+409 {
			t.Errorf("statuses of two concurrent overrides: %v", status)
		}
	})
}

func TestOverrides(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.firstPeriods()
		w.override(w.twoA, "teacherId", w.cid).Is(201)                                                                // Monday
		w.Call(w.North.Admin, "POST", path+"/override", with(on(w.oneA, "cancelled", true), "date", tuesday)).Is(201) // Tuesday
		w.Call(w.North.Admin, "POST", path+"/override", m{"date": "2026-10-12", "classId": w.one.ID,
			"divisionId": w.oneA.ID, "periodNo": 2, "teacherId": w.bob}).Is(201) // Monday after
		for filter, want := range map[string]string{
			"":                                 "2026-10-05 2026-10-06 2026-10-12",
			"?sort=date&order=desc":            "2026-10-12 2026-10-06 2026-10-05",
			"?date=2026-10-06":                 "2026-10-06",
			"?from=2026-10-06":                 "2026-10-06 2026-10-12",
			"?to=2026-10-06":                   "2026-10-05 2026-10-06",
			"?from=2026-10-06&to=2026-10-06":   "2026-10-06",
			"?teacherId=" + string(w.cid):      "2026-10-05",
			"?teacherId=" + string(w.bob):      "2026-10-05 2026-10-12", // replaced, and substitute
			"?teacherId=" + string(w.ann):      "2026-10-06 2026-10-12",
			"?classId=" + string(w.two.ID):     "2026-10-05",
			"?divisionId=" + string(w.oneA.ID): "2026-10-06 2026-10-12",
			"?divisionId=" + string(w.oneB.ID): "",
			"?limit=1&page=2":                  "2026-10-06",
		} {
			if got := strings.Join(w.Call(w.North.Admin, "GET", path+"/overrides"+filter, nil).All("items", "date"), " "); got != want {
				t.Errorf("overrides %q: %q, want %q", filter, got, want)
			}
		}
		for _, filter := range []string{"teacherId=" + string(w.farAnn), "classId=" + string(w.far.ID), "divisionId=" + string(w.farA.ID),
			"teacherId=" + string(peopletest.Nobody)} {
			w.Call(w.North.Admin, "GET", path+"/overrides?"+filter, nil).Is(404, "Not Found")
		}
		if a := w.Call(w.South.Admin, "GET", path+"/overrides", nil).Is(200); a.Data["total"] != 0.0 {
			t.Errorf("overrides of another school: %s", a.Text)
		}
	})
}
