package fee_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/fee/feetest"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/money"
)

func (w *world) client() feetest.Client {
	return feetest.Client{URL: w.URL, Token: w.North.Admin.Access, HTTP: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
}

// crowd sends the same body many times at once, each with its own key, and
// counts the answers by status and the receipts by number.
func (w *world) crowd(n int, body m, key func(i int) string) (statuses map[int]int, numbers map[string]int) {
	w.Helper()
	statuses, numbers = map[int]int{}, map[string]int{}
	client := w.client()
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			status, out, err := client.Call(w.Context(), "POST", at+"collection/record", body, "Idempotency-Key", key(i))
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				w.Error(err)
			}
			statuses[status]++
			if status == http.StatusCreated {
				numbers[fmt.Sprint(out["number"])]++
			}
		})
	}
	wg.Wait()
	return statuses, numbers
}

func TestOnePaymentSentAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.charge(w.ann, "Books", "100")
		statuses, numbers := w.crowd(64, m{"studentId": w.ann, "amount": 10, "method": "CASH"}, func(int) string { return "one" })
		if len(numbers) != 1 || statuses[201]+statuses[409] != 64 || statuses[201] < 1 {
			t.Errorf("statuses %v, receipts %v", statuses, numbers)
		}
		w.wantTotals(w.ann, "charged 100 paid 10 concession 0 fine 0 due 90 advance 0")
		apptest.Eq(t, "receipts", w.get("collection/list")["total"], 1.0)
		w.Audited("fee-receipt.issue", 1)
	})
}

func TestManyPaymentsAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		charge := w.charge(w.ann, "Books", "150")
		statuses, numbers := w.crowd(20, m{"studentId": w.ann, "amount": 10.01, "method": "CASH"},
			func(i int) string { return fmt.Sprint("key ", i) })
		if statuses[201] != 20 || len(numbers) != 20 {
			t.Errorf("statuses %v, %d receipts", statuses, len(numbers))
		}
		for i := 1; i <= 20; i++ {
			apptest.Eq(t, fmt.Sprint("receipt ", i, " is there times"), numbers[fmt.Sprintf("This year-%06d", i)], 1)
		}
		w.wantStatus(charge, "PAID 0")
		w.wantTotals(w.ann, "charged 150 paid 200.2 concession 0 fine 0 due 0 advance 50.2")
	})
}

// TestGenerateAtOnce generates the charges of one class concurrently.
func TestGenerateAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.structure(nil)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if status, out, err := w.client().Call(t.Context(), "POST", at+"charge/generate",
					m{"classId": w.one, "period": w.month(0)}); status != 200 {
					t.Errorf("charge/generate: status %d, %v, %v", status, out, err)
				}
			})
		}
		wg.Wait()
		w.wantTotals(w.ann, "charged 100 paid 0 concession 0 fine 0 due 100 advance 0")
	})
}

// TestMoneyAtRandom is a short version of the fee benchmark.
func TestMoneyAtRandom(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.structure(nil)
		g := &feetest.Game{Client: w.client(), Students: []string{w.ann, w.ben, w.cyd}, Months: []string{w.month(-1), w.month(0), w.month(1)},
			Workers: 16, Steps: 320, Seed: 5}
		r, err := feetest.Play(t.Context(), g)
		if err != nil {
			t.Fatal(err)
		}
		if r.Steps != g.Steps || r.By["pay"] < 20 || r.By["reverse"] < 5 || r.By["void"] == 0 || r.By["revoke"] == 0 || r.By["refund"] == 0 ||
			r.By["open"] == 0 || r.By["cancel"] == 0 {
			t.Errorf("too little happened: %+v", r)
		}
		var cash money.Money
		for _, a := range exact(t, w.Admin("GET", at+"report/trial-balance", nil))["accounts"].([]any) {
			if a := a.(m); a["account"] == "CASH" || a["account"] == "BANK" {
				cash += feetest.Amount(a["balance"])
			}
		}
		apptest.Eq(t, "balance of cash and bank", cash, r.Cash)
	})
}

// TestCheckSees corrupts the data and expects the check to find it.
func TestCheckSees(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.charge(w.ann, "Books", "100")
		w.pay(w.ann, "30")
		w.post("opening/create", m{"studentId": w.ben, "advance": 5}).OK()
		w.post("refund/create", m{"studentId": w.ben, "method": "CASH"}).OK()
		q := w.DB.School(w.North.ID)
		for _, pair := range [][2]string{ // a change, and how to undo it
			{`UPDATE fee_accounts SET due = due + 1 WHERE school_id = :school`,
				`UPDATE fee_accounts SET due = due - 1 WHERE school_id = :school`},
			{`UPDATE fee_charges SET amount = amount + 1 WHERE school_id = :school`,
				`UPDATE fee_charges SET amount = amount - 1 WHERE school_id = :school`},
			{`UPDATE fee_charges SET paid = paid + 1 WHERE school_id = :school AND paid > 0`,
				`UPDATE fee_charges SET paid = paid - 1 WHERE school_id = :school AND paid > 0`},
			{`UPDATE fee_receipts SET no = no + 1 WHERE school_id = :school`,
				`UPDATE fee_receipts SET no = no - 1 WHERE school_id = :school`},
			{`UPDATE fee_openings SET advance = advance + 1 WHERE school_id = :school`,
				`UPDATE fee_openings SET advance = advance - 1 WHERE school_id = :school`},
			{`UPDATE fee_refunds SET no = no + 1 WHERE school_id = :school`,
				`UPDATE fee_refunds SET no = no - 1 WHERE school_id = :school`},
			{`UPDATE fee_receipts SET amount = amount + 1 WHERE school_id = :school`,
				`UPDATE fee_receipts SET amount = amount - 1 WHERE school_id = :school`},
		} {
			for i, sql := range pair {
				if _, err := db.Exec(t.Context(), q, sql, nil); err != nil {
					t.Fatal(err)
				}
				if broken, err := feetest.Check(t.Context(), q); err != nil || (len(broken) > 0) != (i == 0) {
					t.Errorf("after %s: %q %v", sql, broken, err)
				}
			}
		}
	})
}

// TestProfileAtOnce: two clerks choose the optional fees of a student. The later choice
// replaces the earlier one.
func TestProfileAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		st := w.structure(m{"items": list{
			m{"name": "Bus", "amount": 30, "frequency": "MONTHLY", "isOptional": true},
			m{"name": "Lunch", "amount": 20, "frequency": "MONTHLY", "isOptional": true}}})
		path := at + "student/" + w.ann
		for i := range 20 {
			w.Admin("PUT", path, m{"optionalItemIds": list{}}).OK()
			got := apptest.AtOnce(2, func(who int) apptest.Reply {
				return w.Admin("PUT", path, m{"optionalItemIds": list{item(st, who)["id"]}})
			})
			apptest.Eq(t, fmt.Sprint("round ", i, ": statuses"), got, map[int]int{200: 2})
			apptest.Eq(t, fmt.Sprint("round ", i, ": optional fees"), len(w.get("student/" + w.ann)["optionalItemIds"].([]any)), 1)
		}
	})
}

// TestDeleteHeadAtOnce: a fee head is deleted once.
func TestDeleteHeadAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for i := range 20 {
			head := w.post("head/create", m{"name": fmt.Sprint("Head ", i)}).OK().Text("id")
			got := apptest.AtOnce(2, func(int) apptest.Reply { return w.Admin("DELETE", at+"head/"+head, nil) })
			apptest.Eq(t, fmt.Sprint("round ", i, ": statuses"), got, map[int]int{204: 1, 404: 1})
		}
		w.Audited("fee-head.delete", 20)
	})
}

// TestGenerateWhilePromotionIsUndone: students are not charged for a year in which they are no longer enrolled.
func TestGenerateWhilePromotionIsUndone(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		today := clock.Date(w.Day(0))
		next := w.Make("academic-year/create", m{"name": "Next year", "startDate": today.AddDays(400), "endDate": today.AddDays(700)})
		to := w.Make("class/create", m{"name": "Later", "academicYearId": next})
		w.structure(m{"classId": to, "items": list{m{"name": "Tuition", "amount": 100, "frequency": "YEARLY"}}})
		for i := range 20 {
			from := w.Make("class/create", m{"name": fmt.Sprint("From ", i)})
			student := w.Make("student/create", m{"firstName": "Eve", "classId": from})
			w.Admin("POST", "/school-admin/student/promote", m{"fromClassId": from, "toClassId": to}).OK()
			got := apptest.AtOnce(2, func(who int) apptest.Reply {
				if who == 0 {
					return w.Admin("POST", "/school-admin/student/promote/undo", m{"fromClassId": from})
				}
				return w.post("charge/generate", m{"academicYearId": next, "period": "YEAR"})
			})
			if got[200] == 0 || got[200]+got[409] != 2 {
				t.Errorf("round %d: statuses %v", i, got)
			}
			a := db.Args{"student": student, "year": next}
			charged := w.Count("fee_charges WHERE school_id = :school AND student_id = :student AND academic_year_id = :year", a)
			enrolled := w.Count("enrolments WHERE school_id = :school AND student_id = :student AND academic_year_id = :year", a)
			apptest.Eq(t, fmt.Sprint("round ", i, ": charges, as enrolments"), charged, enrolled)
		}
	})
}

// TestDeleteHeadWhileCharging: a fee head that is being deleted is charged, or it is gone.
func TestDeleteHeadWhileCharging(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for i := range 20 {
			head := w.post("head/create", m{"name": fmt.Sprint("Head ", i)}).OK().Text("id")
			got := apptest.AtOnce(3, func(who int) apptest.Reply {
				switch who {
				case 0:
					return w.Admin("DELETE", at+"head/"+head, nil)
				case 1:
					return w.post("concession/grant", m{"studentId": w.ann, "percent": 1, "feeHeadId": head})
				}
				return w.post("charge/create", m{"studentId": w.ann, "feeHeadId": head, "amount": 1})
			})
			if got[201]+got[204]+got[404]+got[409] != 3 {
				t.Errorf("round %d: statuses %v", i, got)
			}
		}
	})
}
