package exam_test

import "testing"

// Accept selects JSON or PDF for a report card. Marks are uploaded as JSON or CSV to
// the same path.
func TestAccept(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		exam, mia := w.marked(), string(w.pupils[0])
		path := "/school-admin/exam/report-card/" + mia + "?examId=" + exam
		printed(t, w.Admin("GET", path, nil, "Accept", "application/pdf"), "Mia")
		printed(t, w.Admin("GET", path+"&format=pdf", nil, "Accept", "application/json"), "Mia")
		w.Admin("GET", path, nil, "Accept", "application/json, application/pdf").OK()
		w.Admin("GET", path+"&format=json", nil, "Accept", "application/pdf").OK()
		w.Admin("GET", path+"&format=xml", nil).Fields(422, "format")
		w.Admin("POST", "/school-admin/exam/"+exam+"/publish", nil).OK()
		printed(t, w.parent("/parent/exam/report-card?studentId="+mia, "Accept", "application/pdf"), "Mia")
	})
}
