package exam_test

import (
	"strings"
	"testing"

	"homeroom/internal/apptest"
)

// sendCSV uploads marks as a CSV file.
func (w *world) sendCSV(exam, subject, file string) apptest.Reply {
	w.Helper()
	return w.Admin("POST", csvPath+"?examId="+exam+"&classId="+string(w.one)+"&subjectId="+subject, file, "Content-Type", "text/csv")
}

func TestCSV(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		exam := w.sat("Term 1")
		w.put(exam, apptest.With(w.paper(w.art, -1), "components", list{m{"name": "Theory", "maxMarks": 60},
			m{"name": "Practical", "maxMarks": 40}})).OK()
		maths, art := string(w.maths), string(w.art)
		file := "\ufeffAdmission Number;Marks;Remarks\r\n1;88,5;\r\n"
		w.sendCSV(exam, maths, file).Fields(422, "row 2.marks")
		file = "Admission Number;Marks;Remarks\r\n1;88.5;\"Good; very\"\r\n2;AB;\r\n3;ex;\r\n4;;\r\n5;0;\r\n"
		did(t, w.sendCSV(exam, maths, file), 4, 4, 0, 0, 0)
		did(t, w.sendCSV(exam, maths, file), 4, 0, 0, 4, 0)
		did(t, w.sendCSV(exam, art, "studentId,Practical,Theory,outcome\n"+string(w.pupils[0])+",39.5,60,SCORED\n"+string(w.pupils[1])+
			",,,absent\n"), 2, 2, 0, 0, 0)
		var got []string
		for _, r := range w.Admin("GET", "/school-admin/exam/result/list?sort=firstName&subjectId="+maths, nil).OK().Items() {
			got = append(got, r.Text("firstName")+" "+r.Text("outcome")+" "+r.Text("remark"))
		}
		apptest.Eq(t, "results of the CSV file", got, []string{"Mia SCORED Good; very", "Noa ABSENT ", "Ola EXEMPT ", "Quin SCORED "})
		w.sendCSV(exam, maths, "admissionNo,marks,outcome\n1,101,\n77,5,\n2,x,\n3,5,ABSENT\n4,,LATE\n").Fields(422,
			"row 2.marks", "row 3.admissionNo", "row 4.marks", "row 5.marks", "row 6.outcome")
		w.sendCSV(exam, maths, "admissionNo,marks,remark\n77,101,a\ab\n2,5,x,y,z\n1,101,\n").Fields(422,
			"row 2.admissionNo", "row 2.remark", "row 2.marks", "row 3", "row 4.marks")
		w.sendCSV(exam, maths, "admissionNo,marks,outcome\n1,101,\n3,5,ABSENT\n").Fields(422, "row 2.marks", "row 3.marks")
		w.sendCSV(exam, maths, "admissionNo,marks\n1,10\n1,11\n").Fields(422, "row 3.studentId")
		w.sendCSV(exam, maths, "admissionNo,marks,remarks\n1,10,a\ab\n2,10,a\u202eb\n3,10,\"a\nb\"\n5,10,"+strings.Repeat("x", 501)+
			"\n").Fields(422,
			"row 2.remark", "row 3.remark", "row 5.remark")
		w.sendCSV(exam, maths, "a,b\n1,2\n").Fields(422, "row 1")
		w.sendCSV(exam, maths, "studentId,marks\nnobody,2\n").Fields(422, "row 2.studentId")
		w.sendCSV(exam, maths, "studentId,marks\n"+string(w.NewID())+",2\n").Want(404, "STUDENT_NOT_FOUND")
		foreign := w.As(w.South.Admin, "POST", "/school-admin/student/create", m{"firstName": "Far"}).OK().Text("id")
		w.sendCSV(exam, maths, "studentId,marks\n"+foreign+",2\n").Want(404, "STUDENT_NOT_FOUND")
		w.Admin("POST", csvPath+"?examId="+exam, "admissionNo,marks\n1,10\n", "Content-Type", "text/csv").Fields(422, "classId", "subjectId")
		w.Admin("POST", csvPath+"?examId="+exam+"&classId="+string(w.one)+"&subjectId="+maths, "x", "Content-Type", "text/plain").Want(415,
			"Unsupported Media Type")
	})
}
