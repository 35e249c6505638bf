package timetable_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/people/peopletest"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

func TestWeek(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		none := w.Call(w.North.Admin, "GET", of(w.oneA), nil).Is(200).Data
		if none["version"] != 0.0 || len(none["periods"].([]any)) != 0 || none["updatedAt"] != nil {
			t.Errorf("week without a timetable: %v", none)
		}
		first := w.put(w.oneA, w.lesson(1, 2, "09:00", "09:45", "", ""), w.lesson(1, 1, "08:00", "08:45", w.ann, " Lab 1 "))
		periods := first["periods"].([]any)
		got, want := periods[0].(m), m{"id": periods[0].(m)["id"], "classId": string(w.one.ID), "className": "Grade 1",
			"divisionId": string(w.oneA.ID), "divisionName": "A", "dayOfWeek": 1.0, "periodNo": 1.0, "startTime": "08:00", "endTime": "08:45",
			"subjectId": string(w.maths.ID), "subjectName": "Mathematics", "teacherId": string(w.ann), "teacherName": "Ann Lee", "room": "Lab 1"}
		if d := cmp.Diff(want, got); d != "" || len(periods) != 2 || first["version"] != 1.0 || first["academicYearId"] != string(w.North.Year) {
			t.Errorf("first week (-want +got): %s\n%v", d, first)
		}
		if p := periods[1].(m); p["teacherId"] != nil || p["teacherName"] != nil || p["room"] != nil {
			t.Errorf("a lesson without a teacher: %v", p)
		}
		if d := cmp.Diff(first, w.Call(w.North.Admin, "GET", of(w.oneA), nil).Is(200).Data); d != "" {
			t.Errorf("week read again (-put +get): %s", d)
		}
		// A lesson at the same place keeps its id; the others are deleted.
		second := w.Call(w.North.Admin, "PUT", path, with(plan(w.oneA, w.lesson(1, 1, "08:15", "09:00", w.bob, "")), "version", 1)).Is(200)
		if ids := second.All("periods", "id"); len(ids) != 1 || ids[0] != got["id"] || second.Data["version"] != 2.0 {
			t.Errorf("replaced week: %s", second.Text)
		}
		w.Call(w.North.Admin, "PUT", path, with(plan(w.oneA), "version", 1)).Is(409, "Conflict")
		if len(w.Call(w.North.Admin, "GET", of(w.oneA), nil).All("periods", "id")) != 1 {
			t.Error("a week of an old version was written")
		}
		w.put(w.oneA)
		if n := len(w.Call(w.North.Admin, "GET", of(w.oneA), nil).All("periods", "id")); n != 0 {
			t.Errorf("lessons after an empty week: got %d, want 0", n)
		}
		w.Audited("timetable.update", 3)
	})
}

func TestWeekRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		good := w.lesson(1, 1, "08:00", "08:45", w.ann, "")
		w.put(w.oneA, good)
		for _, tt := range []struct {
			name   string
			body   m
			status int
			error  string
			field  string
		}{
			{"an end before the start", plan(w.oneA, with(good, "endTime", "08:00")), 422, "Unprocessable Entity", "periods[0].endTime"},
			{"not a time", plan(w.oneA, with(good, "endTime", "8:45")), 422, "Unprocessable Entity", "periods[0].endTime"},
			{"not a day", plan(w.oneA, with(good, "dayOfWeek", 8)), 422, "Unprocessable Entity", "periods[0].dayOfWeek"},
			{"no subject", plan(w.oneA, with(good, "subjectId", nil)), 422, "Unprocessable Entity", "periods[0].subjectId"},
			{"one number twice", plan(w.oneA, good, w.lesson(1, 1, "10:00", "10:45", w.bob, "")),
				422, "Unprocessable Entity", "periods[1].periodNo"},
			{"two lessons at once", plan(w.oneA, good, w.lesson(1, 2, "08:44", "09:30", w.bob, "")),
				422, "Unprocessable Entity", "periods[1].startTime"},
			{"one within another", plan(w.oneA, w.lesson(1, 2, "08:10", "08:20", w.bob, ""), good),
				422, "Unprocessable Entity", "periods[1].startTime"},
			{"a subject of another class", plan(w.oneA, with(good, "subjectId", w.grade2.ID)), 422, "Unprocessable Entity", "periods[0].subjectId"},
			{"a driver", plan(w.oneA, good, w.lesson(2, 1, "08:00", "08:45", w.driver, "")), 422, "Unprocessable Entity", "periods[1].teacherId"},
			{"no periods", m{"classId": w.one.ID, "divisionId": w.oneA.ID}, 422, "Unprocessable Entity", "periods"},
			{"an unknown class", with(plan(w.oneA, good), "classId", peopletest.Nobody), 404, "Not Found", ""},
			{"another school's class", with(plan(w.farA, good), "divisionId", w.oneA.ID), 404, "Not Found", ""},
			{"a division of another class", with(plan(w.oneA, good), "divisionId", w.twoA.ID), 404, "Not Found", ""},
			{"another school's division", with(plan(w.oneA, good), "divisionId", w.farA.ID), 404, "Not Found", ""},
			{"an unknown subject", plan(w.oneA, with(good, "subjectId", peopletest.Nobody)), 404, "Not Found", ""},
			{"another school's subject", plan(w.oneA, with(good, "subjectId", w.farMaths.ID)), 404, "Not Found", ""},
			{"an unknown teacher", plan(w.oneA, with(good, "teacherId", peopletest.Nobody)), 404, "Not Found", ""},
			{"another school's teacher", plan(w.oneA, with(good, "teacherId", w.farAnn)), 404, "Not Found", ""},
		} {
			a := w.Call(w.North.Admin, "PUT", path, tt.body).Is(tt.status, tt.error)
			if tt.field != "" && !strings.Contains(a.Text, `"field":"`+tt.field+`"`) {
				t.Errorf("%s: %s", tt.name, a.Text)
			}
		}
		w.Exec(w.North, `UPDATE employees SET status = 'RESIGNED' WHERE school_id = :school AND id = :id`, db.Args{"id": w.cid})
		w.Call(w.North.Admin, "PUT", path, plan(w.oneA, with(good, "teacherId", w.cid))).Is(422, "Unprocessable Entity")
		if v := w.Call(w.North.Admin, "GET", of(w.oneA), nil).Is(200).Data["version"]; v != 1.0 {
			t.Errorf("a refused week was written: version %v", v)
		}
		w.Call(w.annToken, "PUT", path, plan(w.oneA)).Is(403, "PERMISSION_DENIED")
		for _, ask := range []string{"?classId=" + string(w.far.ID) + "&divisionId=" + string(w.farA.ID),
			"?classId=" + string(w.one.ID) + "&divisionId=" + string(w.farA.ID),
			"?classId=" + string(peopletest.Nobody) + "&divisionId=" + string(w.oneA.ID)} {
			w.Call(w.North.Admin, "GET", path+ask, nil).Is(404, "Not Found")
		}
		w.Call(w.North.Admin, "GET", path, nil).Is(422, "Unprocessable Entity")
	})
}

func TestClashes(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.put(w.oneA, w.lesson(1, 1, "08:00", "08:45", w.ann, "Lab 1"), w.lesson(2, 1, "08:00", "08:45", w.bob, "Ärztezimmer"))
		for _, tt := range []struct {
			name string
			in   m
			say  []string // empty if it is no clash
		}{
			{"teacher at the same time", w.lesson(1, 1, "08:00", "08:45", w.ann, ""),
				[]string{"Ann Lee", "Grade 2 A (Monday 08:00–08:45)", "Grade 1 A (Monday 08:00–08:45)", "periods[0].teacherId"}},
			{"teacher for the last minute", w.lesson(1, 4, "08:44", "09:30", w.ann, ""),
				[]string{"Ann Lee", "Grade 2 A (Monday 08:44–09:30)", "Grade 1 A (Monday 08:00–08:45)"}},
			{"teacher for the first minute", w.lesson(1, 1, "07:00", "08:01", w.ann, ""), []string{"Ann Lee"}},
			{"teacher within", w.lesson(1, 1, "08:10", "08:20", w.ann, ""), []string{"Ann Lee"}},
			{"teacher around", w.lesson(1, 1, "07:00", "12:00", w.ann, ""), []string{"Ann Lee"}},
			{"room", w.lesson(1, 1, "08:30", "09:15", w.bob, "Lab 1"),
				[]string{"Room Lab 1", "Grade 2 A (Monday 08:30–09:15)", "Grade 1 A (Monday 08:00–08:45)", "periods[0].room"}},
			{"room written otherwise", w.lesson(1, 1, "08:30", "09:15", w.bob, " LAB  1"), []string{"Room LAB  1"}},
			{"room with an accent", w.lesson(2, 1, "08:30", "09:15", w.ann, "arztezimmer"), []string{"Room arztezimmer"}},
			{"room without a teacher", w.lesson(1, 1, "08:30", "09:15", "", "Lab 1"), []string{"Room Lab 1"}},
			{"afterwards", w.lesson(1, 1, "08:45", "09:30", w.ann, "Lab 1"), nil},
			{"before", w.lesson(1, 1, "07:15", "08:00", w.ann, "Lab 1"), nil},
			{"on another day", w.lesson(3, 1, "08:00", "08:45", w.ann, "Lab 1"), nil},
			{"another teacher, another room", w.lesson(1, 1, "08:00", "08:45", w.bob, "Lab 2"), nil},
			{"neither teacher nor room", w.lesson(1, 1, "08:00", "08:45", "", ""), nil},
		} {
			a := w.Call(w.North.Admin, "PUT", path, plan(w.twoA, tt.in))
			if tt.say == nil {
				a.Is(200)
				continue
			}
			a.Is(409, "Conflict")
			for _, s := range tt.say {
				if !strings.Contains(a.Text, s) {
					t.Errorf("%s: no %q in %s", tt.name, s, a.Text)
				}
			}
		}
		// A week does not clash with itself or with another academic year.
		w.put(w.oneA, w.lesson(1, 1, "08:00", "08:45", w.ann, "Lab 1"))
		w.put(w.oneA, w.lesson(1, 1, "08:15", "09:00", w.ann, "Lab 1"))
		next := id.New()
		w.Exec(w.North, `INSERT INTO academic_years (school_id, id, name, search, start_date, end_date, created_at, updated_at)
			VALUES (:school, :id, 'Next', 'next', '2027-06-01', '2028-05-31', :now, :now)`, db.Args{"id": next, "now": now})
		south := w.North
		south.Year = next
		_, later := w.class(south, "Grade 1", 1)
		w.Exec(w.North, `INSERT INTO class_subjects (school_id, class_id, subject_id) VALUES (:school, :class, :subject)`,
			db.Args{"class": later.ClassID, "subject": w.maths.ID})
		w.put(later, w.lesson(1, 1, "08:15", "09:00", w.ann, "Lab 1"))
	})
}

// TestAllClashesAreNamed expects one detail for each clash.
func TestAllClashesAreNamed(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.put(w.oneA, w.lesson(1, 1, "08:00", "08:45", w.ann, ""), w.lesson(2, 1, "08:00", "08:45", w.bob, "Lab"))
		a := w.Call(w.North.Admin, "PUT", path, plan(w.twoA, w.lesson(3, 1, "08:00", "08:45", w.ann, ""),
			w.lesson(2, 1, "08:00", "08:45", w.cid, "Lab"), w.lesson(1, 1, "08:00", "08:45", w.ann, ""))).Is(409, "Conflict")
		if !strings.Contains(a.Text, `"periods[2].teacherId"`) || !strings.Contains(a.Text, `"periods[1].room"`) ||
			strings.Contains(a.Text, `"periods[0]`) {
			t.Errorf("details of two clashes: %s", a.Text)
		}
	})
}

// TestRace puts clashing weeks concurrently, many times.
func TestRace(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		divisions := []academics.Division{w.oneA, w.oneB, w.twoA}
		for day := 1; day <= 4; day++ {
			var wg sync.WaitGroup
			status := make([]int, len(divisions))
			for i, d := range divisions {
				wg.Go(func() {
					status[i] = w.Call(w.North.Admin, "PUT", path, plan(d, w.lesson(day, 1, "08:00", "08:45", w.ann, ""))).Status
				})
			}
			wg.Wait()
			won := 0
			for _, s := range status {
				if s == 200 {
					won++
				} else if s != 409 {
					t.Errorf("statuses of concurrent weeks on day %d: %v", day, status)
				}
			}
			if won != 1 {
				t.Errorf("statuses of concurrent weeks on day %d: %v, want one success", day, status)
			}
			for _, d := range divisions {
				w.put(d)
			}
		}
	})
}

// TestInUse refuses to delete records that a timetable uses.
func TestInUse(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.put(w.oneA, w.lesson(1, 1, "08:00", "08:45", w.ann, ""))
		w.put(w.twoA)
		remove := func(table string, what id.ID) error {
			_, err := db.Exec(t.Context(), w.DB.School(w.North.ID),
				fmt.Sprintf(`DELETE FROM %s WHERE school_id = :school AND id = :id`, table), db.Args{"id": what})
			return err
		}
		for table, what := range map[string]id.ID{"subjects": w.maths.ID, "employees": w.ann, "divisions": w.oneA.ID} {
			if err := remove(table, what); !db.IsReference(err) {
				t.Errorf("delete from %s: %v", table, err)
			}
		}
		if err := remove("divisions", w.twoA.ID); err != nil {
			t.Errorf("a division whose week is empty: %v", err)
		}
	})
}
