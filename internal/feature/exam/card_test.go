package exam_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/pdf/pdftest"
)

func TestCard(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.scaled()
		exam, mia := w.marked(), string(w.pupils[0])
		w.Exec(`UPDATE students SET last_name = 'Zoë', date_of_birth = '2015-02-03', roll_no = 7 WHERE school_id = :school AND id = :id`,
			db.Args{"id": mia})
		w.Exec(`UPDATE enrolments SET roll_no = 7 WHERE school_id = :school AND student_id = :id`, db.Args{"id": mia})
		w.upload(exam, w.art, m{"studentId": mia, "marks": 70, "remark": "Ça va."}).OK()
		card := w.Admin("GET", "/school-admin/exam/report-card/"+mia, nil).OK()
		if card["exam"].(m)["id"] != exam || card["exam"].(m)["status"] != "COMPLETED" || card["exam"].(m)["academicYearName"] != "This year" {
			t.Errorf("exam of the report card: %v", card["exam"])
		}
		for key, want := range (m{"firstName": "Mia", "lastName": "Zoë", "className": "Grade 1", "divisionName": "A", "rollNo": 7.0,
			"dateOfBirth": "2015-02-03"}) {
			apptest.Eq(t, key, card["student"].(m)[key], want)
		}
		art := card["subjects"].([]any)[1].(m)
		for key, want := range (m{"subjectName": "Art", "marks": 70.0, "maxMarks": 100.0, "percent": 70.0, "grade": "B", "passed": true,
			"outcome": "SCORED", "remark": "Ça va."}) {
			apptest.Eq(t, key, art[key], want)
		}
		later := w.newExam("Term 2")
		w.put(later, w.paper(w.maths, 0)).OK()
		of := w.Admin("GET", "/school-admin/exam/report-card/"+mia+"?examId="+later, nil).OK()
		if s := of["subjects"].([]any); len(s) != 1 || s[0].(m)["outcome"] != "PENDING" || of["total"].(m)["percent"] != nil {
			t.Errorf("report card of an exam without results: %v", of)
		}
		if none := w.Admin("GET", "/school-admin/exam/report-card/"+string(w.other), nil).OK(); none["exam"] != nil ||
			none["student"].(m)["firstName"] != "Rosa" {
			t.Errorf("report card of a student without results: %v", none)
		}
		w.Admin("GET", "/school-admin/exam/report-card/"+string(w.NewID()), nil).Want(404, "STUDENT_NOT_FOUND")
		w.Admin("GET", "/school-admin/exam/report-card/"+mia+"?examId="+string(w.NewID()), nil).Want(404, "Not Found")
		w.Admin("GET", "/school-admin/exam/report-card/"+string(w.other)+"?examId="+exam, nil).Want(404, "Not Found") // not of Rosa's class
	})
}

// TestResultsInTwoClasses: Mia was marked in maths in one class and in art in another. Report card and list of results
// agree, show both, and stay as they are when the earlier result is corrected.
func TestResultsInTwoClasses(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		exam := w.Make("exam/create", m{"name": "Term 1", "classIds": list{w.one, w.two}})
		there := func(body m) m { return apptest.With(body, "classId", w.two) }
		w.put(exam, w.paper(w.maths, -3), w.paper(w.art, -1), there(w.paper(w.maths, -2)), there(w.paper(w.art, -1))).OK()
		upload := func(body m) { w.Admin("POST", "/school-admin/exam/result/upload", body).OK() }
		mia, noa := w.pupils[0], w.pupils[1]
		w.upload(exam, w.maths, got(mia, 50), got(noa, 90)).OK()
		w.Admin("PUT", "/school-admin/student/"+string(mia), m{"classId": w.two, "divisionId": nil}).OK()
		w.Pass(time.Minute)
		upload(there(w.marks(exam, w.art, got(mia, 80), got(w.other, 60))))
		w.Admin("POST", "/school-admin/exam/"+exam+"/publish", nil).OK()
		is := func(when string, maths, total float64) {
			t.Helper()
			query := "?studentId=" + string(mia)
			want := fmt.Sprint("Maths ", maths, ", Art 80, of 200: ", total, ", 1 of 2")
			for what, a := range map[string]m{"report card": w.parent("/parent/exam/report-card" + query).OK(),
				"results": w.parent("/parent/exam/result" + query).OK().Items()[0]} {
				var got []string
				for _, l := range a["subjects"].([]any) {
					got = append(got, fmt.Sprint(l.(m)["subjectName"], " ", l.(m)["marks"]))
				}
				sum := a["total"].(m)
				apptest.Eq(t, when+": "+what, fmt.Sprint(strings.Join(got, ", "), ", of ", sum["maxMarks"], ": ", sum["marks"], ", ",
					sum["rankInClass"], " of ", sum["classSize"]), want)
			}
			for class, names := range map[id.ID][]string{w.one: {"Noa"}, w.two: {"Mia", "Rosa"}} {
				seen := w.Admin("POST", "/school-admin/exam/"+exam+"/publish?preview=true&classId="+string(class), nil).OK()
				got := apptest.Pick(seen["results"].([]any), "firstName")
				slices.Sort(got)
				apptest.Eq(t, when+": results of a class", got, names)
				of := w.Admin("GET", "/school-admin/exam/"+exam+"/analysis?classId="+string(class), nil).OK()
				apptest.Eq(t, when+": students of a class", of["students"], any(float64(len(names))))
			}
		}
		is("published", 50, 130)
		w.Admin("POST", "/school-admin/exam/"+exam+"/unpublish", m{"reason": "Maths"}).OK()
		w.Pass(time.Minute)
		w.upload(exam, w.maths, got(mia, 55)).OK()
		w.Admin("POST", "/school-admin/exam/"+exam+"/publish", nil).OK()
		is("corrected in the old class", 55, 135)
		w.Admin("POST", "/school-admin/exam/"+exam+"/unpublish", m{"reason": "Maths"}).OK()
		upload(there(w.marks(exam, w.maths, got(mia, 70), got(w.other, 10))))
		w.Admin("POST", "/school-admin/exam/"+exam+"/publish", nil).OK()
		is("marked in the new class", 70, 150)
	})
}

func TestCardPDF(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.scaled()
		exam, mia := w.marked(), string(w.pupils[0])
		w.Exec(`UPDATE students SET first_name = 'Zoë', last_name = 'Łęcka' WHERE school_id = :school AND id = :id`, db.Args{"id": mia})
		first := w.Admin("GET", cardPDF(mia)+"examId="+exam, nil)
		printed(t, first, "Zoë Łęcka", "Grade 1", "Term 1", "NORTH School", "Maths", "90", "80.00 %", "1 of 4", "PROVISIONAL, NOT PUBLISHED")
		if again := w.Admin("GET", cardPDF(mia)+"examId="+exam, nil); !bytes.Equal(first.Body, again.Body) {
			t.Error("two PDF files of the same report card differ")
		}
		printed(t, w.Admin("GET", cardPDF(string(w.other)), nil), "Rosa", "There are no results yet.")
		w.Admin("POST", "/school-admin/exam/"+exam+"/publish", nil).OK()
		child := w.parent(childPDF + "studentId=" + mia)
		text := printed(t, child, "Zoë Łęcka")
		if strings.Contains(text, "PROVISIONAL") {
			t.Error("a published card says that it is provisional")
		}
		if strings.Contains(text, "DAYS PRESENT") {
			t.Error("the report card has attendance without attendance records")
		}
		if got := child.Header.Get("Content-Disposition"); !strings.Contains(got, `filename="report-card-1-Term 1.pdf"`) {
			t.Errorf("Content-Disposition: %s", got)
		}
		w.parent(childPDF+"studentId="+string(w.pupils[1])).Want(403, "PERMISSION_DENIED")
	})
}

// printed checks for a one-page PDF that contains these texts, and returns its text.
func printed(t *testing.T, r apptest.Reply, texts ...string) string {
	t.Helper()
	if r.Status != 200 || r.Header.Get("Content-Type") != "application/pdf" {
		t.Fatalf("%d %s %.200s", r.Status, r.Header.Get("Content-Type"), r.Body)
	}
	pages, text, err := pdftest.Read(r.Body)
	if err != nil || pages != 1 {
		t.Fatalf("%d pages, want 1: %v", pages, err)
	}
	for _, want := range texts {
		if !strings.Contains(text, want) {
			t.Errorf("no %q on the page: %s", want, text)
		}
	}
	return text
}
