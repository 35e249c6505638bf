package fee_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestTitlesInTheSchoolsLanguage: what is written into a family's account is in the
// school's language, whoever writes it.
func TestTitlesInTheSchoolsLanguage(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Admin("PUT", "/school-admin/setting", m{"locale": "es-MX"}).OK()
		w.Admin("PUT", "/school-admin/notification/preferences", m{"language": "en"}).OK() // the office's own language is another
		w.structure(m{"items": list{m{"name": "Cuota", "amount": 100, "frequency": "MONTHLY"},
			m{"name": "Comedor", "amount": 10, "frequency": "QUARTERLY"}, m{"name": "Deporte", "amount": 10, "frequency": "TERM"}},
			"lateFine": m{"flat": 20}})
		w.generate(m{"studentIds": list{w.ann}, "period": w.Day(0)[:7]})
		w.Pass(40 * 24 * time.Hour)
		w.fineAll()
		months := []string{"", "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre",
			"diciembre"}
		charged, err := time.Parse(time.DateOnly, w.Day(-40))
		if err != nil {
			t.Fatal(err)
		}
		titles := map[string]bool{}
		for _, c := range w.get("charge/list?limit=100&studentId=" + w.ann).Items() {
			titles[c.Text("title")] = true
		}
		month := fmt.Sprintf("Cuota, %s de %d", months[charged.Month()], charged.Year())
		for _, want := range []string{month, "Recargo por demora: " + month} {
			if !titles[want] {
				t.Errorf("no %q in %v", want, titles)
			}
		}
		for title := range titles {
			for _, english := range []string{"quarter", "term ", " of ", "Late"} {
				if strings.Contains(title, english) {
					t.Errorf("%q is English", title)
				}
			}
		}
		r := w.pay(w.ann, "1000")
		w.post("collection/"+r.Text("id")+"/reverse", m{"reason": "x"}).OK()
		var entries string
		for _, e := range w.get("report/" + w.ann)["entries"].([]any) {
			entries += e.(m)["narration"].(string) + "\n"
		}
		for _, want := range []string{month + "\n", "Recibo " + r.Text("number") + "\n", "Anulado: Recibo "} {
			if !strings.Contains(entries, want) {
				t.Errorf("no %q in %s", want, entries)
			}
		}
		for _, english := range []string{"Receipt", "Reversed", "advance", "Late"} {
			if strings.Contains(entries, english) {
				t.Errorf("%q in %s", english, entries)
			}
		}
	})
}

// TestLibraryInTheSchoolsLanguage returns a book late and loses another.
func TestLibraryInTheSchoolsLanguage(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Admin("PUT", "/school-admin/setting", m{"locale": "es"}).OK()
		w.Admin("PUT", "/school-admin/library/rules", m{"finePerDay": 1, "studentDays": 14, "overdueBlocks": false, "defaultPrice": 5}).OK()
		for _, no := range []string{"B-1", "B-2"} {
			w.Admin("POST", "/school-admin/library/book/create", m{"title": "Emma " + no, "copies": list{m{"accessionNo": no}}}).OK()
			w.Admin("POST", "/school-admin/library/loan/issue", m{"accessionNo": no, "studentId": w.ann}).OK()
		}
		w.Pass(15 * 24 * time.Hour)
		w.Admin("POST", "/school-admin/library/loan/return", m{"accessionNo": "B-1"}).OK()
		w.Pass(24 * time.Hour)
		w.Admin("POST", "/school-admin/library/loan/lost", m{"accessionNo": "B-2"}).OK()
		var notes string
		for _, c := range w.get("charge/list?studentId=" + w.ann).Items() {
			notes += c.Text("feeHead") + ": " + c.Text("title") + " " + c.Text("note") + "\n"
		}
		for _, want := range []string{"Multa de la biblioteca", "Biblioteca: «Emma B-1» (B-1), 1 día de retraso",
			"Biblioteca: «Emma B-2» (B-2), perdido, 2 días de retraso"} {
			if !strings.Contains(notes, want) {
				t.Errorf("no %q in %s", want, notes)
			}
		}
		for _, english := range []string{"Library", "late", "lost"} {
			if strings.Contains(notes, english) {
				t.Errorf("%q in %s", english, notes)
			}
		}
	})
}
