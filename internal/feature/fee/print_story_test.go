package fee_test

import (
	"strings"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/pdf/pdftest"
)

// onPaper returns the text of a PDF.
func onPaper(t *testing.T, r apptest.Reply) string {
	t.Helper()
	if r.Status != 200 || r.Header.Get("Content-Type") != "application/pdf" {
		t.Fatalf("%d %s %.200s", r.Status, r.Header.Get("Content-Type"), r.Body)
	}
	_, text, err := pdftest.Read(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func wantPaper(t *testing.T, text string, texts ...string) {
	t.Helper()
	for _, want := range texts {
		if !strings.Contains(text, want) {
			t.Errorf("no %q on the paper: %s", want, text)
		}
	}
}

// Receipts, refunds and statements are printed in the reader's language, with the amount
// in words and the school's dates.
func TestPaperInTheReadersLanguage(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.charge(w.ann, "Books", "10", "2020-02-03")
		r := w.pay(w.ann, "1510.50")
		refund := w.post("refund/create", m{"studentId": w.ann, "amount": 21, "method": "CASH", "reason": "Moved away"}).OK().Text("id")
		w.Admin("PUT", "/school-admin/setting", m{"dateFormat": "DD/MM/YYYY"}).OK()
		iso := r.Text("date")
		day := iso[8:] + "/" + iso[5:7] + "/" + iso[:4]

		wantPaper(t, onPaper(t, w.Admin("GET", at+"receipt/"+r.Text("id")+"?format=pdf", nil)),
			"RECEIPT", day, "1,510.50", "One thousand five hundred ten and 50/100 USD")
		voucher := onPaper(t, w.Admin("GET", at+"refund/"+refund+"?format=pdf", nil))
		wantPaper(t, voucher, "REFUND VOUCHER", "Ann", day, "Cash", "Twenty-one and 00/100 USD", "Moved away")
		if strings.Contains(voucher, "REVERSED") {
			t.Errorf("the voucher says that it was reversed: %s", voucher)
		}
		apptest.Eq(t, "refund", w.get("refund/"+refund).Text("reason"), "Moved away")

		w.As(w.North.Parent, "PUT", "/parent/notification/preferences", m{"language": "es"}).OK()
		wantPaper(t, onPaper(t, w.parent("receipt/"+r.Text("id")+"?format=pdf")), "RECIBO", day, "1.510,50",
			"Mil quinientos diez con 50/100 USD")
		statement := onPaper(t, w.parent("statement?format=pdf&studentId="+w.ann))
		wantPaper(t, statement, "ESTADO DE CUENTA", "Ann", day, "PAGADO POR ANTICIPADO", "Mil cuatrocientos setenta y nueve con 50/100 USD")
		w.parent("statement?format=pdf&studentId="+w.cyd).Want(403, "PERMISSION_DENIED")

		w.post("refund/"+refund+"/reverse", m{"reason": "Not collected"}).OK()
		wantPaper(t, onPaper(t, w.Admin("GET", at+"refund/"+refund+"?format=pdf", nil)), "REVERSED ON", "This refund was reversed.")
		w.charge(w.cyd, "Trip", "30", "2020-02-03")
		statement = onPaper(t, w.Admin("GET", at+"report/"+w.cyd+"?format=pdf", nil))
		wantPaper(t, statement, "STATEMENT OF ACCOUNT", "Cyd", "AMOUNT DUE", "USD 30.00", "of which USD 30.00 is overdue")
		if strings.Contains(statement, "Ann") {
			t.Errorf("another student is on the statement: %s", statement)
		}
		w.Admin("GET", at+"refund/"+string(w.NewID())+"?format=pdf", nil).Want(404, "Not Found")
		w.Admin("GET", at+"report/"+string(w.NewID())+"?format=pdf", nil).Want(404, "STUDENT_NOT_FOUND")
	})
}
