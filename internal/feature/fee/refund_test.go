package fee_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"homeroom/internal/apptest"
)

// TestRefundNumbers refunds at once, more than the advance allows: refused ones use no number.
func TestRefundNumbers(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.pay(w.ann, "12")
		var wg sync.WaitGroup
		var mu sync.Mutex
		numbers, refused := map[string]int{}, 0
		for range 16 {
			wg.Go(func() {
				status, out, err := w.client().Call(t.Context(), "POST", at+"refund/create", m{"studentId": w.ann, "amount": 1, "method": "CASH"})
				mu.Lock()
				defer mu.Unlock()
				switch {
				case err != nil || status != http.StatusCreated && status != http.StatusConflict:
					t.Errorf("refund/create: %d %v %v", status, out, err)
				case status == http.StatusConflict:
					refused++
				default:
					numbers[fmt.Sprint(out["number"])]++
				}
			})
		}
		wg.Wait()
		apptest.Eq(t, "refused", refused, 4)
		for i := 1; i <= 12; i++ {
			apptest.Eq(t, fmt.Sprint("refund ", i, " is there times"), numbers[fmt.Sprintf("This year-R%06d", i)], 1)
		}
		list := w.get("refund/list?sort=number&order=desc&limit=1")
		last := list.Items()[0]
		apptest.Eq(t, "last", fmt.Sprintln(list["total"], last["number"], last["studentName"]), "12 This year-R000012 Ann Lee\n")
		for search, want := range map[string]float64{"R00001": 3, "r000007": 1, "R999": 0} {
			apptest.Eq(t, "found by "+search, w.get("refund/list?search=" + search)["total"], any(want))
		}
		w.post("refund/"+last.Text("id")+"/reverse", m{"reason": "not collected"}).OK()
		again := w.post("refund/create", m{"studentId": w.ann, "method": "CASH"}).OK() // a reversed one keeps its number
		apptest.Eq(t, "number after a reversal", again.Text("number"), "This year-R000013")
		wantPaper(t, onPaper(t, w.Admin("GET", at+"refund/"+again.Text("id")+"?format=pdf", nil)), "REFUND VOUCHER", "This year-R000013")
		found := w.Admin("GET", "/school-admin/search?q=R000013", nil).OK().Objects("results")
		apptest.Eq(t, "hits", fmt.Sprintln(len(found), found[0]["kind"], found[0]["title"]), "1 REFUND This year-R000013\n")
	})
}

// A year may get the name that another one had when it numbered its receipts.
func TestNumbersOfRenamedYear(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		numbers := func() string {
			receipt := w.pay(w.ann, "2").Text("number")
			return receipt + " " + w.post("refund/create", m{"studentId": w.ann, "amount": 1, "method": "CASH"}).OK().Text("number")
		}
		years := "/school-admin/academic-year/"
		apptest.Eq(t, "numbers", numbers(), "This year-000001 This year-R000001")
		w.Admin("PUT", years+w.year, m{"name": "Renamed"}).OK()
		apptest.Eq(t, "numbers of a renamed year", numbers(), "Renamed-000002 Renamed-R000002")
		w.Admin("PUT", years+w.year, m{"name": "Old", "startDate": w.Day(-800), "endDate": w.Day(-500)}).OK()
		next := w.Make("academic-year/create", m{"name": "This year", "startDate": w.Day(-9), "endDate": w.Day(300), "isCurrent": true})
		apptest.Eq(t, "numbers of a year with its name", numbers(), "This year-000001-2 This year-R000001-2")
		w.Admin("PUT", years+next, m{"name": "Renamed"}).OK()
		apptest.Eq(t, "the next ones", numbers(), "Renamed-000002-2 Renamed-R000002-2")
		w.Admin("PUT", years+next, m{"name": "This year"}).OK()
		apptest.Eq(t, "the next ones", numbers(), "This year-000003 This year-R000003")
	})
}
