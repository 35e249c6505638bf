package exam_test

import (
	"strings"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/pdf/pdftest"
)

const cardsPath = "/school-admin/exam/report-cards?"

// The report cards of a class are one file, a page for each student with results.
func TestCardsOfAClass(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.scaled()
		exam, class := w.marked(), string(w.one)
		mia := string(w.pupils[0])
		w.Exec(`UPDATE students SET date_of_birth = '2015-02-03' WHERE school_id = :school AND id = :id`, db.Args{"id": mia})
		w.Admin("PUT", "/school-admin/setting", m{"dateFormat": "MM/DD/YYYY"}).OK()
		r := w.Admin("GET", cardsPath+"examId="+exam+"&classId="+class, nil)
		if r.Status != 200 || r.Header.Get("Content-Type") != "application/pdf" {
			t.Fatalf("%d %s", r.Status, r.Body)
		}
		pages, text, err := pdftest.Read(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		names := w.All(`SELECT DISTINCT s.first_name FROM exam_results r JOIN students s ON s.school_id = r.school_id AND s.id = r.student_id
			WHERE r.school_id = :school AND r.exam_id = :exam AND r.class_id = :class`, db.Args{"exam": exam, "class": class})
		apptest.Eq(t, "pages", pages, len(names))
		for _, want := range append(names, "02/03/2015", "REPORT CARD", "1 of 4") {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in the file: %s", want, text)
			}
		}
		if strings.Contains(text, "Rosa") {
			t.Error("the file has a student of another class")
		}
		one := w.Admin("GET", cardPDF(mia)+"examId="+exam, nil)
		_, single, err := pdftest.Read(one.Body)
		if err != nil || !strings.Contains(text, strings.TrimSpace(single)) {
			t.Errorf("Mia's page differs from her own report card: %v\n%s\n%s", err, single, text)
		}
		w.Audited("exam.report-cards", 1)

		w.Admin("PUT", "/school-admin/notification/preferences", m{"language": "es"}).OK()
		_, text, err = pdftest.Read(w.Admin("GET", cardsPath+"examId="+exam+"&classId="+class, nil).Body)
		if err != nil || !strings.Contains(text, "BOLETÍN DE NOTAS") || strings.Contains(text, "REPORT CARD") {
			t.Errorf("not in Spanish: %v %s", err, text)
		}

		none := string(w.NewID())
		w.Admin("GET", cardsPath+"examId="+none+"&classId="+class, nil).Want(404, "Not Found")
		w.Admin("GET", cardsPath+"examId="+exam+"&classId="+none, nil).Want(404, "Not Found")
		w.Admin("GET", cardsPath+"examId="+exam+"&classId="+class+"&divisionId="+none, nil).Want(404, "Not Found")
		w.Admin("GET", cardsPath+"examId="+w.newExam("Empty")+"&classId="+class, nil).Want(404, "Not Found")
	})
}

// TestCardsNeedAttendance: whoever may not read attendance sees none on report cards.
func TestCardsNeedAttendance(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		exam, mia := w.marked(), string(w.pupils[0])
		w.Admin("POST", "/school-admin/exam/"+exam+"/publish", nil).OK()
		w.attends("PRESENT", "ABSENT")
		role := w.Make("role/create", m{"name": "Results", "type": "SCHOOL_ADMIN"})
		module := w.One(`SELECT id FROM modules WHERE name = 'result' AND :school <> ''`, nil)
		w.Admin("PUT", "/school-admin/role/"+role+"/permissions", m{"permissions": list{m{"moduleId": module, "canRead": true}}}).OK()
		w.Make("employee/create", m{"firstName": "Lea", "roleId": role, "email": "lea@example.org"})
		lea := w.Account(actor.SchoolAdmin, "lea@example.org")
		ofClass, ofMia := cardsPath+"examId="+exam+"&classId="+string(w.one), "/school-admin/exam/report-card/"+mia
		for who, want := range map[*apptest.Account]bool{w.North.Admin: true, lea: false} {
			_, text, err := pdftest.Read(w.As(who, "GET", ofClass, nil).Body)
			if err != nil || !strings.Contains(text, "Mia") || strings.Contains(text, "DAYS PRESENT") != want {
				t.Errorf("report cards: %v, %s, want attendance: %v", err, text, want)
			}
			if days := w.As(who, "GET", ofMia, nil).OK()["attendance"]; days != nil != want {
				t.Errorf("report card: attendance %v, want it shown: %v", days, want)
			}
		}
		w.LetRead(actor.Parent, "attendance", false)
		apptest.Eq[any](t, "attendance for a parent", w.parent("/parent/exam/report-card?studentId=" + mia).OK()["attendance"], nil)
	})
}
