package exam_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/id"
)

// at is a schedule entry with times and an optional room.
func (w *world) at(class, subject id.ID, day int, start, end, room string) m {
	return m{"classId": class, "subjectId": subject, "date": w.Day(day), "startTime": start, "endTime": end, "maxMarks": 80, "room": room}
}

func TestSchedule(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		exam := w.newExam("Term 1")
		parts := list{m{"name": "Theory", "maxMarks": 69.5}, m{"name": "Practical", "maxMarks": 30.5}}
		first := w.put(exam, apptest.With(w.paper(w.maths, 3), "components", parts), apptest.With(w.paper(w.art, 2), "room", " Hall ")).OK()
		papers := first["papers"].([]any)
		if got := apptest.Pick(papers, "subjectName"); !slices.Equal(got, []string{"Art", "Maths"}) || papers[0].(m)["room"] != "Hall" ||
			papers[0].(m)["startTime"] != nil {
			t.Errorf("papers: %v", papers)
		}
		if got := papers[1].(m)["components"].([]any); len(got) != 2 || got[0].(m)["maxMarks"] != 69.5 {
			t.Errorf("components: %v", got)
		}
		// An entry updates the existing paper and leaves the others.
		again := w.put(exam, apptest.With(w.paper(w.maths, 4), "maxMarks", 50)).OK()["papers"].([]any)
		if len(again) != 2 || again[1].(m)["id"] != papers[1].(m)["id"] || again[1].(m)["maxMarks"] != 50.0 ||
			len(again[1].(m)["components"].([]any)) != 0 {
			t.Errorf("papers after a change: %v", again)
		}
		only := w.Admin("POST", "/school-admin/exam/schedule", m{"examId": exam, "entries": list{w.paper(w.maths, 5)}, "replace": true}).OK()
		if len(only["papers"].([]any)) != 1 || only["exam"].(m)["startDate"] != w.Day(5) {
			t.Errorf("schedule after replace: %v", only)
		}
		for _, ask := range []string{"", "?examId=" + exam, "?classId=" + string(w.one), "?from=" + w.Day(5) + "&to=" + w.Day(5)} {
			apptest.Eq(t, fmt.Sprint(ask, ": papers"), len(w.Admin("GET", "/school-admin/exam/schedule/list"+ask, nil).OK().Items()), 1)
		}
		apptest.Eq(t, "papers before the first date", len(w.Admin("GET", "/school-admin/exam/schedule/list?to="+w.Day(4), nil).OK().Items()), 0)
	})
}

func TestScheduleRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		exam := w.Make("exam/create", m{"name": "Term 1", "classIds": list{w.one}, "startDate": w.Day(1),
			"endDate": w.Day(9)})
		good := w.paper(w.maths, 3)
		for _, tt := range []struct {
			name  string
			entry m
			field string
		}{
			{"no marks", apptest.With(good, "maxMarks", json.RawMessage("null")), "maxMarks"},
			{"nothing to score", apptest.With(good, "maxMarks", 0), "maxMarks"},
			{"a third decimal", apptest.With(good, "maxMarks", 50.125), "maxMarks"},
			{"less than nothing", apptest.With(good, "maxMarks", -1), "maxMarks"},
			{"an exponent", apptest.With(good, "maxMarks", 1e21), "maxMarks"},
			{"too much to pass", apptest.With(good, "passMarks", 100.5), "passMarks"},
			{"an end without a start", apptest.With(good, "endTime", "10:00"), "endTime"},
			{"an end before the start", apptest.With(good, "endTime", "10:00", "startTime", "10:00"), "endTime"},
			{"components that do not add up", apptest.With(good, "components", list{m{"name": "Theory", "maxMarks": 99}}), "components"},
			{"a component twice", apptest.With(good, "components", list{m{"name": "Oral", "maxMarks": 50}, m{"name": "ORAL", "maxMarks": 50}}),
				"components[1].name"},
			{"a class that does not sit it", apptest.With(good, "classId", w.two), "classId"},
			{"a subject of another class", apptest.With(good, "subjectId", w.latin), "subjectId"},
			{"before the exam", apptest.With(good, "date", w.Day(0)), "date"},
			{"after the exam", apptest.With(good, "date", w.Day(10)), "date"},
			{"no date", apptest.With(good, "date", "soon"), "date"},
		} {
			t.Log(tt.name)
			w.put(exam, tt.entry).Fields(422, "entries[0]."+tt.field)
		}
		w.put(exam, good, good).Fields(422, "entries[1].subjectId")
		w.put(exam).Fields(422, "entries")
		apptest.Eq(t, "refused schedules left it", w.status(exam), "DRAFT")
	})
}

func TestScheduleClashes(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		exam := func(name string) string {
			return w.Make("exam/create", m{"name": name, "classIds": list{w.one, w.two}})
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
			{"no time", apptest.With(w.at(w.one, w.art, 1, "", "", ""), "startTime", json.RawMessage("null"),
				"endTime", json.RawMessage("null")), ""},
		} {
			r := w.Admin("POST", "/school-admin/exam/schedule", m{"examId": mine, "entries": list{tt.entry}, "replace": true})
			if tt.field == "" {
				r.OK()
				continue
			}
			t.Log(tt.name)
			r.Fields(409, "entries[0]."+tt.field)
			r.Has("Maths (Theirs, "+w.Day(1)+" 09:00–11:00)", "(Mine, ")
		}
		w.put(mine, w.at(w.one, w.maths, 5, "09:00", "10:00", ""), w.at(w.one, w.art, 5, "09:30", "10:30", "")).Fields(409,
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
		got := apptest.AtOnce(n, func(i int) apptest.Reply { return w.put(exams[i], w.at(w.one, w.maths, 1, "09:00", "10:00", "Hall")) })
		apptest.Eq(t, "one has the room", got, map[int]int{201: 1, 409: n - 1})
	})
}

func TestScheduleWithResults(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		exam := w.sat("Term 1")
		w.upload(exam, w.maths, got(w.pupils[0], 71)).OK()
		w.put(exam, apptest.With(w.paper(w.maths, -3), "maxMarks", 70)).Has("up to 71 marks")
		w.put(exam, apptest.With(w.paper(w.maths, -3), "maxMarks", 71)).OK()
		w.put(exam, apptest.With(w.paper(w.maths, -3), "components", list{m{"name": "All", "maxMarks": 71}}, "maxMarks", 71)).
			Want(409, "Conflict")
		w.Admin("POST", "/school-admin/exam/schedule", m{"examId": exam, "entries": list{w.paper(w.art, -1)}, "replace": true}).Want(409,
			"Conflict")
		w.Admin("DELETE", "/school-admin/exam/"+exam, nil).Want(409, "Conflict")
	})
}
