package exam_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"homeroom/internal/platform/id"
)

// at is a schedule entry with times and an optional room.
func (w *world) at(class, subject id.ID, day int, start, end, room string) m {
	return m{"classId": class, "subjectId": subject, "date": w.day(day), "startTime": start, "endTime": end, "maxMarks": 80, "room": room}
}

func TestSchedule(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		exam := w.newExam("Term 1")
		parts := list{m{"name": "Theory", "maxMarks": 69.5}, m{"name": "Practical", "maxMarks": 30.5}}
		first := w.put(exam, with(w.paper(w.maths, 3), "components", parts), with(w.paper(w.art, 2), "room", " Hall ")).OK()
		papers := first["papers"].([]any)
		if got := pick(papers, "subjectName"); !slices.Equal(got, []string{"Art", "Maths"}) || papers[0].(m)["room"] != "Hall" ||
			papers[0].(m)["startTime"] != nil {
			t.Errorf("papers: %v", papers)
		}
		if got := papers[1].(m)["components"].([]any); len(got) != 2 || got[0].(m)["maxMarks"] != 69.5 {
			t.Errorf("components: %v", got)
		}
		// An entry updates the existing paper and leaves the others.
		again := w.put(exam, with(w.paper(w.maths, 4), "maxMarks", 50)).OK()["papers"].([]any)
		if len(again) != 2 || again[1].(m)["id"] != papers[1].(m)["id"] || again[1].(m)["maxMarks"] != 50.0 ||
			len(again[1].(m)["components"].([]any)) != 0 {
			t.Errorf("papers after a change: %v", again)
		}
		only := w.admin("POST", "/school-admin/exam/schedule", m{"examId": exam, "entries": list{w.paper(w.maths, 5)}, "replace": true}).OK()
		if len(only["papers"].([]any)) != 1 || only["exam"].(m)["startDate"] != w.day(5) {
			t.Errorf("schedule after replace: %v", only)
		}
		for _, ask := range []string{"", "?examId=" + exam, "?classId=" + string(w.one), "?from=" + w.day(5) + "&to=" + w.day(5)} {
			if n := len(w.admin("GET", "/school-admin/exam/schedule/list"+ask, nil).OK().Items()); n != 1 {
				t.Errorf("%s: %d papers", ask, n)
			}
		}
		if n := len(w.admin("GET", "/school-admin/exam/schedule/list?to="+w.day(4), nil).OK().Items()); n != 0 {
			t.Errorf("%d papers before the first date, want 0", n)
		}
	})
}

func with(body m, key string, value any) m {
	out := m{}
	for k, v := range body {
		out[k] = v
	}
	out[key] = value
	return out
}

func TestScheduleRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		exam := w.admin("POST", "/school-admin/exam/create", m{"name": "Term 1", "classIds": list{w.one}, "startDate": w.day(1),
			"endDate": w.day(9)}).OK().Text("id")
		good := w.paper(w.maths, 3)
		for _, tt := range []struct {
			name  string
			entry m
			field string
		}{
			{"no marks", with(good, "maxMarks", nil), "maxMarks"},
			{"nothing to score", with(good, "maxMarks", 0), "maxMarks"},
			{"a third decimal", with(good, "maxMarks", 50.125), "maxMarks"},
			{"less than nothing", with(good, "maxMarks", -1), "maxMarks"},
			{"an exponent", with(good, "maxMarks", 1e21), "maxMarks"},
			{"too much to pass", with(good, "passMarks", 100.5), "passMarks"},
			{"an end without a start", with(good, "endTime", "10:00"), "endTime"},
			{"an end before the start", with(with(good, "endTime", "10:00"), "startTime", "10:00"), "endTime"},
			{"components that do not add up", with(good, "components", list{m{"name": "Theory", "maxMarks": 99}}), "components"},
			{"a component twice", with(good, "components", list{m{"name": "Oral", "maxMarks": 50}, m{"name": "ORAL", "maxMarks": 50}}),
				"components[1].name"},
			{"a class that does not sit it", with(good, "classId", w.two), "classId"},
			{"a subject of another class", with(good, "subjectId", w.latin), "subjectId"},
			{"before the exam", with(good, "date", w.day(0)), "date"},
			{"after the exam", with(good, "date", w.day(10)), "date"},
			{"no date", with(good, "date", "soon"), "date"},
		} {
			t.Log(tt.name)
			fields(t, w.put(exam, tt.entry), 422, "entries[0]."+tt.field)
		}
		fields(t, w.put(exam, good, good), 422, "entries[1].subjectId")
		fields(t, w.put(exam), 422, "entries")
		if s := w.status(exam); s != "DRAFT" {
			t.Errorf("refused schedules left it %s", s)
		}
	})
}

func TestScheduleClashes(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		exam := func(name string) string {
			return w.admin("POST", "/school-admin/exam/create", m{"name": name, "classIds": list{w.one, w.two}}).OK().Text("id")
		}
		mine, theirs := exam("Mine"), exam("Theirs")
		w.put(theirs, w.at(w.one, w.maths, 1, "09:00", "11:00", "Hall 1")).OK()
		for _, tt := range []struct {
			name  string
			entry m
			field string // "": no clash
		}{
			{"the class for the last minute", w.at(w.one, w.art, 1, "10:59", "12:00", ""), "startTime"},
			{"the class around it", w.at(w.one, w.art, 1, "08:00", "12:00", ""), "startTime"},
			{"the class when it is over", w.at(w.one, w.art, 1, "11:00", "12:00", "Hall 1"), ""},
			{"the class on another day", w.at(w.one, w.art, 2, "09:00", "11:00", "Hall 1"), ""},
			{"the room for another class", w.at(w.two, w.latin, 1, "10:00", "12:00", " hall  1"), "room"},
			{"another room", w.at(w.two, w.latin, 1, "10:00", "12:00", "Hall 2"), ""},
			{"no room", w.at(w.two, w.latin, 1, "10:00", "12:00", ""), ""},
			{"no time", with(with(w.at(w.one, w.art, 1, "", "", ""), "startTime", nil), "endTime", nil), ""},
		} {
			r := w.admin("POST", "/school-admin/exam/schedule", m{"examId": mine, "entries": list{tt.entry}, "replace": true})
			if tt.field == "" {
				r.OK()
				continue
			}
			t.Log(tt.name)
			fields(t, r, 409, "entries[0]."+tt.field)
			has(t, r, "Maths (Theirs, "+w.day(1)+" 09:00–11:00)", "(Mine, ")
		}
		fields(t, w.put(mine, w.at(w.one, w.maths, 5, "09:00", "10:00", ""), w.at(w.one, w.art, 5, "09:30", "10:30", "")), 409,
			"entries[0].startTime", "entries[1].startTime")
	})
}

// Concurrent schedules that need the same room: one succeeds.
func TestScheduleRace(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const n = 8
		exams := make([]string, n)
		for i := range exams {
			exams[i] = w.newExam("Exam")
		}
		var won, lost atomic.Int32
		var all sync.WaitGroup
		for _, exam := range exams {
			all.Go(func() {
				switch r := w.put(exam, w.at(w.one, w.maths, 1, "09:00", "10:00", "Hall")); r.Status {
				case 200:
					won.Add(1)
				case 409:
					lost.Add(1)
				}
			})
		}
		all.Wait()
		if won.Load() != 1 || lost.Load() != n-1 {
			t.Errorf("%d have the room and %d were refused, of %d", won.Load(), lost.Load(), n)
		}
	})
}

func TestScheduleWithResults(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		exam := w.sat("Term 1")
		w.upload(exam, w.maths, got(w.pupils[0], 71)).OK()
		has(t, w.put(exam, with(w.paper(w.maths, -3), "maxMarks", 70)), "up to 71 marks")
		w.put(exam, with(w.paper(w.maths, -3), "maxMarks", 71)).OK()
		w.put(exam, with(with(w.paper(w.maths, -3), "components", list{m{"name": "All", "maxMarks": 71}}), "maxMarks", 71)).Want(409, "Conflict")
		w.admin("POST", "/school-admin/exam/schedule", m{"examId": exam, "entries": list{w.paper(w.art, -1)}, "replace": true}).Want(409,
			"Conflict")
		w.admin("DELETE", "/school-admin/exam/"+exam, nil).Want(409, "Conflict")
	})
}
