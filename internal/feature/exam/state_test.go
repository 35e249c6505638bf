package exam_test

import (
	"fmt"
	"testing"
	"time"

	"homeroom/internal/apptest"
)

// TestStates tries every action in every status: it is allowed, or it is 409 and
// changes nothing.
func TestStates(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		makes := map[string]func() string{
			"DRAFT":     func() string { return w.newExam("Draft") },
			"SCHEDULED": func() string { e := w.newExam("Soon"); w.put(e, w.paper(w.maths, 1), w.paper(w.art, 5)).OK(); return e },
			"ONGOING":   func() string { e := w.newExam("Now"); w.put(e, w.paper(w.maths, 0), w.paper(w.art, 5)).OK(); return e },
			"COMPLETED": func() string { e := w.sat("Over"); w.upload(e, w.maths, got(w.pupils[0], 50)).OK(); return e },
			"PUBLISHED": func() string {
				e := w.sat("Out")
				w.upload(e, w.maths, got(w.pupils[0], 50)).OK()
				w.Admin("POST", "/school-admin/exam/"+e+"/publish", nil).OK()
				return e
			},
		}
		actions := []struct {
			name         string
			method, path string // with the exam's id at $
			body         func(exam string) any
			leads        map[string]string // from each status that allows it
		}{
			{"update", "PUT", "/school-admin/exam/$", func(string) any { return m{"name": "Renamed"} },
				map[string]string{"DRAFT": "DRAFT", "SCHEDULED": "SCHEDULED", "ONGOING": "ONGOING", "COMPLETED": "COMPLETED"}},
			{"schedule", "POST", "/school-admin/exam/schedule", func(e string) any { return m{"examId": e, "entries": list{w.paper(w.maths, 2)}} },
				map[string]string{"DRAFT": "SCHEDULED", "SCHEDULED": "SCHEDULED", "ONGOING": "SCHEDULED", "COMPLETED": "ONGOING"}},
			{"complete", "POST", "/school-admin/exam/$/complete", func(string) any { return nil },
				map[string]string{"SCHEDULED": "COMPLETED", "ONGOING": "COMPLETED"}},
			{"upload", "POST", "/school-admin/exam/result/upload", func(e string) any { return w.marks(e, w.maths, got(w.pupils[1], 60)) },
				map[string]string{"SCHEDULED": "SCHEDULED", "ONGOING": "ONGOING", "COMPLETED": "COMPLETED"}},
			{"publish", "POST", "/school-admin/exam/$/publish", func(string) any { return nil }, map[string]string{"COMPLETED": "PUBLISHED"}},
			{"unpublish", "POST", "/school-admin/exam/$/unpublish", func(string) any { return m{"reason": "Wrong"} },
				map[string]string{"PUBLISHED": "COMPLETED"}},
			{"delete", "DELETE", "/school-admin/exam/$", func(string) any { return nil },
				map[string]string{"DRAFT": "", "SCHEDULED": "", "ONGOING": ""}}, // COMPLETED has results here
		}
		for from, made := range makes {
			for _, a := range actions {
				exam := made()
				if s := w.status(exam); s != from {
					t.Fatalf("made %s, want %s", s, from)
				}
				r := w.Admin(a.method, replace(a.path, exam), a.body(exam))
				to, allowed := a.leads[from]
				switch {
				case !allowed:
					r.Want(409, "Conflict")
					apptest.Eq(t, fmt.Sprint("refused ", a.name, " changed the status"), w.status(exam), from)
				case to == "":
					r.OK()
					w.Admin("GET", "/school-admin/exam/"+exam, nil).Want(404, "Not Found")
				default:
					r.OK()
					apptest.Eq(t, fmt.Sprint(a.name, " in ", from, " led to"), w.status(exam), to)
				}
			}
		}
	})
}

// TestStatusFollowsTheDays moves the clock from before an exam to after it.
func TestStatusFollowsTheDays(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		exam := w.newExam("Term 1")
		if r := w.put(exam, w.paper(w.maths, 1), w.paper(w.art, 2)).OK(); r["exam"].(m)["startDate"] != w.Day(1) ||
			r["exam"].(m)["endDate"] != w.Day(2) {
			t.Errorf("scheduled exam: %v", r["exam"])
		}
		for _, want := range []string{"SCHEDULED", "ONGOING", "ONGOING", "COMPLETED"} {
			apptest.Eq(t, fmt.Sprint("on ", w.Day(0)), w.status(exam), want)
			for _, s := range []string{"DRAFT", "SCHEDULED", "ONGOING", "COMPLETED", "PUBLISHED"} {
				found := len(w.Admin("GET", "/school-admin/exam/list?status="+s, nil).OK().Items()) == 1
				apptest.Eq(t, fmt.Sprint("on ", w.Day(0), ", listed as ", s), found, s == want)
			}
			w.Clock.Add(24 * time.Hour)
			w.SignIn(t, w.North.Admin)
		}
	})
}
