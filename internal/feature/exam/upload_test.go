package exam_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/academics"
	"homeroom/internal/platform/db"
)

// did compares the counts of an upload: total, created, updated, unchanged, removed.
func did(t *testing.T, r apptest.Reply, want ...float64) {
	t.Helper()
	o := r.OK()
	got := []float64{}
	for _, key := range []string{"total", "created", "updated", "unchanged", "removed"} {
		n, _ := o[key].(float64)
		got = append(got, n)
	}
	apptest.Eq(t, "counts of the upload", got, want)
}

func TestUpload(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		exam, p := w.sat("Term 1"), w.pupils
		all := []m{got(p[0], 100), got(p[1], 39.75), was(p[2], "ABSENT"), was(p[3], "EXEMPT"), got(p[4], 0)}
		did(t, w.upload(exam, w.maths, all...), 5, 5, 0, 0, 0)
		did(t, w.upload(exam, w.maths, all...), 5, 0, 0, 5, 0)
		did(t, w.upload(exam, w.maths, got(p[0], 99.5), got(p[1], 39.75), m{"studentId": p[2], "marks": nil}), 3, 0, 1, 1, 1)
		did(t, w.upload(exam, w.maths, m{"studentId": p[2], "marks": nil}), 1, 0, 0, 1, 0)
		did(t, w.upload(exam, w.maths, m{"studentId": p[0], "marks": 99.5, "remark": " Well done "}), 1, 0, 1, 0, 0)
		did(t, w.upload(exam, w.maths, got(p[0], 99.5)), 1, 0, 0, 1, 0) // without a remark, the remark stays
		w.Audited("result.upload", 3)
		items := w.Admin("GET", "/school-admin/exam/result/list?examId="+exam+"&sort=firstName", nil).OK().Items()
		var got []string
		for _, r := range items {
			got = append(got, strings.Trim(r.Text("firstName")+" "+r.Text("outcome")+" "+r.Text("remark"), " "))
		}
		apptest.Eq(t, "results", got, []string{"Mia SCORED Well done", "Noa SCORED", "Pia EXEMPT", "Quin SCORED"})
		for i, want := range []m{{"marks": 99.5, "percent": 99.5, "passed": true}, {"marks": 39.75, "percent": 39.75, "passed": false},
			{"marks": nil, "percent": nil, "passed": nil}, {"marks": 0.0, "percent": 0.0, "passed": false}} {
			for key, v := range want {
				apptest.Eq(t, fmt.Sprint(items[i].Text("firstName"), ": ", key), items[i][key], v)
			}
		}
		for ask, want := range map[string]int{"divisionId=" + string(w.oneA): 2, "studentId=" + string(p[0]): 1, "subjectId=" + string(w.art): 0,
			"outcome=EXEMPT": 1, "classId=" + string(w.one): 4, "classId=" + string(w.two): 0} {
			apptest.Eq(t, ask, len(w.Admin("GET", "/school-admin/exam/result/list?"+ask, nil).OK().Items()), want)
		}
	})
}

func TestUploadRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		exam, p := w.sat("Term 1"), w.pupils
		w.put(exam, apptest.With(w.paper(w.art, -1), "components", list{m{"name": "Theory", "maxMarks": 60},
			m{"name": "Practical", "maxMarks": 40}})).OK()
		good := got(p[0], 50)
		part := func(name string, marks any) m { return m{"name": name, "marks": marks} }
		for _, tt := range []struct {
			name  string
			bad   m
			field string
		}{
			{"too much", got(p[1], 100.01), "marks"},
			{"less than nothing", got(p[1], -1), "marks"},
			{"a third decimal", got(p[1], 50.125), "marks"},
			{"a text", got(p[1], "50"), "marks"},
			{"nothing said", m{"studentId": p[1]}, "marks"},
			{"no such outcome", m{"studentId": p[1], "outcome": "ILL"}, "outcome"},
			{"absent with marks", m{"studentId": p[1], "marks": 0, "outcome": "ABSENT"}, "marks"},
			{"exempt with marks", m{"studentId": p[1], "marks": 10, "outcome": "EXEMPT"}, "marks"},
			{"scored without marks", m{"studentId": p[1], "marks": nil, "outcome": "SCORED"}, "marks"},
			{"a student twice", got(p[0], 51), "studentId"},
			{"a student of another class", got(w.other, 51), "studentId"},
			{"a component that the paper does not have", m{"studentId": p[1], "components": list{part("Oral", 5)}}, "components[0].name"},
		} {
			t.Log(tt.name)
			w.upload(exam, w.maths, good, tt.bad).Fields(422, "results[1]."+tt.field)
		}
		for field, bad := range map[string]m{
			"components[1].marks": {"studentId": p[0], "components": list{part("Theory", 60), part("practical", 40.5)}},
			"components":          {"studentId": p[0], "components": list{part("Theory", 60)}},
			"components[1].name":  {"studentId": p[0], "components": list{part("Theory", 60), part("theory", 5)}},
			"marks":               {"studentId": p[0], "marks": 99, "components": list{part("Theory", 60), part("Practical", 40)}},
		} {
			w.upload(exam, w.art, bad).Fields(422, "results[0]."+field)
		}
		w.upload(exam, w.maths, good, got(w.NewID(), 10)).Want(404, "STUDENT_NOT_FOUND")
		w.upload(exam, w.maths).Fields(422, "results")
		w.Admin("POST", "/school-admin/exam/result/upload", apptest.With(w.marks(exam, w.latin, good), "classId", w.two)).Has("Schedule it first")
		apptest.Eq(t, "refused uploads have left results", w.Count(`exam_results WHERE school_id = :school`, nil), 0)
		did(t, w.upload(exam, w.art, m{"studentId": p[0], "components": list{part("practical", 30.5), part("Theory", 50)}}), 1, 1, 0, 0, 0)
		r := w.Admin("GET", "/school-admin/exam/result/list?examId="+exam, nil).OK().Items()[0]
		if r["marks"] != 80.5 || !slices.Equal(apptest.Pick(r["components"], "name"), []string{"Theory", "Practical"}) {
			t.Errorf("result with components: %v", r)
		}
	})
}

// Teachers can mark their assigned subjects and divisions, and see the results of
// these divisions.
func TestTeachers(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		exam, p := w.sat("Term 1"), w.pupils
		const path = "/teacher/result/upload"
		did(t, w.teacher("POST", path, w.marks(exam, w.maths, got(p[0], 50), got(p[1], 60))), 2, 2, 0, 0, 0)
		for name, body := range map[string]m{
			"another subject":    w.marks(exam, w.art, got(p[0], 50)),
			"another division":   w.marks(exam, w.maths, got(p[0], 51), got(p[3], 50)),
			"no division at all": w.marks(exam, w.maths, got(p[4], 50)),
			"a class of another": apptest.With(w.marks(exam, w.maths, got(w.other, 50)), "classId", w.two),
		} {
			t.Log(name)
			w.teacher("POST", path, body).Want(403, "PERMISSION_DENIED")
		}
		w.upload(exam, w.art, got(p[0], 90), got(p[3], 91)).OK()
		w.upload(exam, w.maths, got(p[3], 92)).OK()
		seen := w.teacher("GET", "/teacher/result/list?examId="+exam, nil).OK()
		if n := len(seen.Items()); n != 3 || seen["total"] != 3.0 {
			t.Errorf("%d results, want those of the division: %v", n, seen)
		}
		w.newExam("Draft")
		apptest.Eq(t, "exams", len(w.teacher("GET", "/teacher/exam/list", nil).OK().Items()), 1)
		other := w.Make("exam/create", m{"name": "Two", "classIds": list{w.two}})
		w.put(other, apptest.With(w.paper(w.latin, 1), "classId", w.two)).OK()
		apptest.Eq(t, "papers", len(w.teacher("GET", "/teacher/exam/schedule", nil).OK().Items()), 2)
		// The whole class, and every subject.
		w.In(func(ctx context.Context, tx *db.Tx) error {
			return w.Academics().Assign(ctx, tx, []academics.Assignment{{EmployeeID: w.employee, ClassID: w.one}})
		})
		did(t, w.teacher("POST", path, w.marks(exam, w.art, got(p[4], 50), got(p[3], 91))), 2, 1, 0, 1, 0)
		w.Admin("PUT", "/school-admin/setting", m{"evaluationMode": true}).OK()
		did(t, w.teacher("POST", path, w.marks(exam, w.art, got(p[4], 51))), 1, 0, 1, 0, 0)
	})
}

// Marks of a student who has moved are corrected where they were given: by the office and by that teacher.
func TestCorrectAfterMove(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		exam, p := w.sat("Term 1"), w.pupils
		const path = "/teacher/result/upload"
		did(t, w.teacher("POST", path, w.marks(exam, w.maths, got(p[0], 50), got(p[1], 60))), 2, 2, 0, 0, 0)
		w.Admin("PUT", "/school-admin/student/"+string(p[0]), m{"divisionId": w.oneB}).OK()
		w.Admin("PUT", "/school-admin/student/"+string(p[1]), m{"classId": w.two, "divisionId": nil}).OK()
		did(t, w.teacher("POST", path, w.marks(exam, w.maths, got(p[0], 51), got(p[1], 61))), 2, 0, 2, 0, 0)
		did(t, w.upload(exam, w.maths, got(p[0], 52), got(p[1], 62)), 2, 0, 2, 0, 0)
		did(t, w.sendCSV(exam, string(w.maths), "admissionNo,marks\n1,53\n2,63\n"), 2, 0, 2, 0, 0)
		apptest.Eq(t, "results that the teacher sees", w.teacher("GET", "/teacher/result/list?examId="+exam, nil).OK()["total"], any(2.0))
		did(t, w.teacher("POST", path, w.marks(exam, w.maths, got(p[1], nil))), 1, 0, 0, 0, 1)
		w.upload(exam, w.maths, got(p[1], 60)).Fields(422, "results[0].studentId") // no result there any more
		w.teacher("POST", path, w.marks(exam, w.maths, got(p[3], 50))).Want(403, "PERMISSION_DENIED")
		w.Audited("result.upload", 5)
	})
}

// A large class needs multi-row inserts.
func TestUploadMany(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		exam := w.sat("Term 1")
		ids := w.enrol(400)
		results := make([]m, len(ids))
		for i, v := range ids {
			results[i] = got(v, i%101)
		}
		did(t, w.upload(exam, w.maths, results...), 400, 400, 0, 0, 0)
		results[7]["marks"] = 3.5
		did(t, w.upload(exam, w.maths, results...), 400, 0, 1, 399, 0)
		apptest.Eq(t, "the change was not written", w.Count(`exam_results WHERE school_id = :school AND marks = 350`, nil), 1)
	})
}
