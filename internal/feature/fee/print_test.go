package fee_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"homeroom/internal/feature/fee"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/pdf"
)

func TestReceiptFile(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.charge(w.ann, "Books", "10")
		r := w.post("collection/record", m{"method": "CHEQUE", "payer": "Пат Ли",
			"payments": list{m{"studentId": w.ann, "amount": 15}, m{"studentId": w.cyd, "amount": 5}}}).OK()
		file := w.Admin("GET", at+"receipt/"+r.Text("id")+"?format=pdf", nil)
		if file.Status != 200 || !bytes.HasPrefix(file.Body, []byte("%PDF-")) || file.Header.Get("Content-Type") != "application/pdf" ||
			!strings.Contains(file.Header.Get("Content-Disposition"), "receipt-This-year-000001.pdf") {
			t.Errorf("receipt as PDF: status %d, headers %v", file.Status, file.Header)
		}
		again := w.Admin("GET", at+"receipt/"+r.Text("id"), nil, "Accept", "application/pdf")
		if !bytes.Equal(file.Body, again.Body) {
			t.Error("the PDF differs between format=pdf and Accept: application/pdf")
		}
		own := w.parent("receipt/" + r.Text("id") + "?format=pdf")
		if own.Status != 200 || bytes.Equal(file.Body, own.Body) {
			t.Errorf("the parent gets the lines of others: %d", own.Status)
		}
		w.parent("receipt/"+w.pay(w.cyd, "1").Text("id")+"?format=pdf").Want(404, "Not Found")
	})
}

// TestPrint draws a receipt of a few lines on one page, and of many on several.
func TestPrint(t *testing.T) {
	t.Parallel()
	sch := school.School{Name: "Greenfield School", Address: "48 Orchard Street, Greenfield", Phone: "+1 555 010 0001",
		Email: "office@greenfield.test", Currency: "USD", Locale: "en"}
	for charges, pages := range map[int]string{3: "/Count 1\n", 70: "/Count 5\n"} {
		r := sample(charges)
		var out bytes.Buffer
		if err := (fee.Letterhead{Fonts: &pdf.Fonts{}, School: sch, Lang: "en"}).Print(&out, r); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), pages) {
			t.Errorf("%d charges: want %q", charges, pages)
		}
	}
}

func sample(charges int) fee.Receipt {
	r := fee.Receipt{Number: "2026/27-000042", Date: "2026-11-15", Method: "BANK_TRANSFER", Reference: "NEFT 20261115-0042",
		Payer:  "Ananya Deshpande (Ανάνια)",
		Status: "ISSUED", Note: "Thank you. Fees for December fall due on 5 December.", UpdatedAt: time.Date(2026, 11, 15, 8, 0, 0, 0, time.UTC)}
	for i, name := range []string{"Zoë Deshpande", "Łucja Müller-Đặng"} {
		p := fee.PaidFor{Name: opt.Text(name), AdmissionNo: fmt.Sprintf("GF-%04d", i+1), ClassName: "Grade 5", Division: "A",
			Amount: 5_000, Advance: 5_000}
		for c := range charges {
			p.Charges = append(p.Charges, fee.PaidOff{Title: fmt.Sprintf("Tuition, November %d", 2026+c), Head: "Tuition", Amount: 150_050})
			p.Amount += 150_050
		}
		r.Amount += p.Amount
		r.Students = append(r.Students, p)
	}
	return r
}
