package exam_test

import (
	"bytes"
	"strings"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
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
