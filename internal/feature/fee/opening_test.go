package fee_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"testing"

	"homeroom/internal/apptest"
)

// importOpenings sends a file of opening balances.
func (w *world) importOpenings(query, file string) apptest.Reply {
	w.Helper()
	return w.Admin("POST", at+"opening/import"+query, file, "Content-Type", "text/csv")
}

// faults are the errors of an import: row, column and message.
func faults(r apptest.Reply) (out []string) {
	for _, e := range r.OK().Objects("errors") {
		out = append(out, fmt.Sprintf("%v %v %v", e["row"], e["field"], e["message"]))
	}
	return out
}

// accounts are the balances of the trial balance by account, which must be balanced.
func (w *world) accounts() map[string]any {
	w.Helper()
	trial := w.get("report/trial-balance")
	apptest.Eq(w, "difference", trial["difference"], any(0.0))
	out := map[string]any{}
	for _, a := range trial.Objects("accounts") {
		out[a.Text("account")] = a["balance"]
	}
	return out
}

// TestOpeningBalances plays the first weeks of a school that moves here: Ann's family
// owes 500, Ben's has paid 120 ahead.
func TestOpeningBalances(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		file := "Admission Number,owed,advance,due date,remark\nA1,500,,2026-01-31,Balance of 2025\nA2,0,120.50,,\nA3,0,0,,\n"
		dry := w.importOpenings("?dryRun=true", file).OK()
		apptest.Eq(t, "dry run", fmt.Sprint(dry["created"], dry["unchanged"], dry["failed"]), "2 1 0")
		w.wantTotals(w.ann, "charged 0 paid 0 concession 0 fine 0 due 0 advance 0")
		apptest.Eq(t, "created", w.importOpenings("", file).OK()["created"], any(2.0))

		w.wantTotals(w.ann, "charged 0 paid 0 concession 0 fine 0 due 500 advance 0")
		w.wantTotals(w.ben, "charged 0 paid 0 concession 0 fine 0 due 0 advance 120.5")
		apptest.Eq(t, "opening of Ann", w.get("report/" + w.ann)["totals"].(m)["opening"], any(500.0))
		apptest.Eq(t, "opening of Ben", w.get("report/" + w.ben)["totals"].(m)["opening"], any(-120.5))
		apptest.Eq(t, "accounts", w.accounts(), map[string]any{"STUDENT": 500.0, "ADVANCE": -120.5, "OPENING": -379.5})
		dues := w.get("report/dues").Items()
		apptest.Eq(t, "dues", fmt.Sprintln(len(dues), dues[0]["due"], dues[0]["overdue"], dues[0]["oldestDueDate"]),
			"1 500 500 2026-01-31\n")
		book := w.get("report/collection")
		apptest.Eq(t, "received", fmt.Sprint(book["received"], book["net"], book["byHead"]), "0 0 "+fmt.Sprint(advanceHead(0)))
		charge := w.parent("list").OK().Items()[0]
		apptest.Eq(t, "what parents see", fmt.Sprintln(charge["title"], charge["due"], charge["note"]),
			"Opening balance 500 Balance of 2025\n")
		apptest.Eq(t, "reminded", w.post("reminder/preview", m{"all": true}).OK()["students"], any(1.0))
		apptest.Eq(t, "notifications of it", w.Count(`notifications WHERE school_id = :school AND type = 'FEE'`, nil), 0)

		w.charge(w.ben, "Trip", "100") // paid from the advance
		w.post("concession/grant", m{"studentId": w.ann, "percent": 50}).OK()
		w.wantTotals(w.ann, "charged 0 paid 0 concession 0 fine 0 due 500 advance 0") // a percentage is of the year's fees
		w.post("concession/grant", m{"studentId": w.ann, "amount": 50}).OK()
		w.pay(w.ann, "450")
		w.wantTotals(w.ann, "charged 0 paid 450 concession 50 fine 0 due 0 advance 0")
		w.wantTotals(w.ben, "charged 100 paid 0 concession 0 fine 0 due 0 advance 20.5")
		w.wantStatus(charge.Text("id"), "PAID 0")
		book = w.get("report/collection")
		var sum float64
		for _, h := range book.Objects("byHead") {
			sum += h["amount"].(float64)
		}
		apptest.Eq(t, "received", fmt.Sprint(book["received"], book["net"], sum), "450 450 450")
		apptest.Eq(t, "income", w.accounts()["INCOME"], any(-100.0))
		w.Audited("fee-opening.import", 1)
	})
}

func advanceHead(amount float64) []any {
	return []any{m{"feeHeadId": nil, "feeHead": "Advance", "amount": amount}}
}

func TestOpeningImportFaults(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.post("opening/create", m{"studentId": w.cyd, "owed": 12.5}).OK()
		bad := "admissionNo,owed,advance,dueDate\nA1,5,5,\nA1,1,,\n,1,,\nNo one,1,,\nA2,,5,2026-01-01\nA3,1,,\nA2,-1,,someday\n"
		apptest.Eq(t, "faults", faults(w.importOpenings("", bad)), []string{
			"2 advance can't be combined with an amount owed: write the difference",
			"3 admissionNo is already used in row 2",
			"4 admissionNo is required",
			"5 admissionNo belongs to no student",
			"6 dueDate is only allowed with an amount owed",
			"7 admissionNo has an opening balance already (12.50 owed): cancel that one first",
			"8 owed must not be negative",
			"8 dueDate must be a date as YYYY-MM-DD",
			"8 admissionNo is already used in row 6",
		})
		apptest.Eq(t, "opening balances", w.get("opening/list")["total"], any(1.0))
		apptest.Eq(t, "created of the rest", w.importOpenings("?partial=true", "admissionNo,owed\nA2,7\nA3,1\n").OK()["created"], any(1.0))
		r := w.importOpenings("", "admissionNo,amount owd\nA1,5\n")
		r.Want(422, "Unprocessable Entity")
		r.Has("Did you mean")
		w.importOpenings("", "admissionNo,advance\nA1,5\n").Want(422, "Unprocessable Entity")
		theirs := w.As(w.South.Admin, "POST", at+"opening/import", "admissionNo,owed\nA1,5\n", "Content-Type", "text/csv")
		apptest.Eq(t, "another school's student", faults(theirs), []string{"2 admissionNo belongs to no student"})
		w.As(w.North.Teacher, "POST", at+"opening/import", "admissionNo,owed\nA1,5\n", "Content-Type", "text/csv").Want(403, "PERMISSION_DENIED")
		w.Admin("GET", at+"opening/import/template", nil).Has("admissionNo,owed,advance,dueDate,note")
		for _, body := range []m{{"studentId": w.ann}, {"studentId": w.ann, "owed": 1, "advance": 1}, {"studentId": w.ann, "owed": 0},
			{"studentId": w.ann, "advance": 1, "dueDate": "2026-01-01"}} {
			w.post("opening/create", body).Want(422, "Unprocessable Entity")
		}
		w.post("opening/create", m{"studentId": w.farChild, "owed": 1}).Want(404, "STUDENT_NOT_FOUND")
		w.post("opening/create", m{"studentId": w.cyd, "advance": 1}).Want(409, "DUPLICATE_ENTRY")
		w.post("charge/create", m{"studentId": w.ann, "name": "opening balance", "amount": 1}).Want(422, "Unprocessable Entity")
	})
}

// TestOpeningImportsAtOnce sends one file several times at once: it counts once.
func TestOpeningImportsAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		var wg sync.WaitGroup
		var mu sync.Mutex
		created, refused := 0.0, 0
		for range 6 {
			wg.Go(func() {
				r := w.importOpenings("", "admissionNo,owed,advance\nA1,500,\nA2,,120\n")
				mu.Lock()
				defer mu.Unlock()
				created += r.OK()["created"].(float64)
				refused += len(faults(r))
			})
		}
		wg.Wait()
		apptest.Eq(t, "created and refused", fmt.Sprint(created, refused), "2 10")
		w.wantTotals(w.ann, "charged 0 paid 0 concession 0 fine 0 due 500 advance 0")
		w.wantTotals(w.ben, "charged 0 paid 0 concession 0 fine 0 due 0 advance 120")
	})
}

// TestOpeningCancelled corrects opening balances, before and after money was paid.
func TestOpeningCancelled(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		open := func(student, field, amount string) apptest.Object {
			return w.post("opening/create", m{"studentId": student, field: json.Number(amount)}).OK()
		}
		cancel := func(o apptest.Object) apptest.Reply {
			return w.post("opening/"+o.Text("id")+"/cancel", m{"reason": "a typing error"})
		}
		debt := open(w.ann, "owed", "5000")
		cancel(debt).OK()
		cancel(debt).Want(409, "Conflict")
		w.wantTotals(w.ann, "charged 0 paid 0 concession 0 fine 0 due 0 advance 0")
		w.wantStatus(debt.Text("chargeId"), "VOID 0")

		debt = open(w.ann, "owed", "500")
		w.pay(w.ann, "80")
		apptest.Eq(t, "status", cancel(debt).OK().Text("status"), "CANCELLED") // the payment becomes an advance
		w.wantTotals(w.ann, "charged 0 paid 80 concession 0 fine 0 due 0 advance 80")
		debt = open(w.ann, "owed", "50")
		w.wantTotals(w.ann, "charged 0 paid 80 concession 0 fine 0 due 0 advance 30")
		w.post("charge/"+debt.Text("chargeId")+"/void", m{"reason": "never owed"}).OK() // the same by its charge
		cancel(debt).Want(409, "Conflict")
		open(w.ann, "advance", "20")
		w.wantTotals(w.ann, "charged 0 paid 80 concession 0 fine 0 due 0 advance 100")

		ahead := open(w.ben, "advance", "100")
		trip := w.charge(w.ben, "Trip", "70")
		w.wantStatus(trip, "PAID 0")
		refund := w.post("refund/create", m{"studentId": w.ben, "method": "CASH", "amount": 10}).OK().Text("id")
		w.wantTotals(w.ben, "charged 70 paid -10 concession 0 fine 0 due 0 advance 20")
		cancel(ahead).Has("refunded")
		cancel(ahead).Want(409, "Conflict")
		w.post("refund/"+refund+"/reverse", m{"reason": "not paid out"}).OK()
		cancel(ahead).OK()
		w.wantStatus(trip, "OPEN 70")
		w.wantTotals(w.ben, "charged 70 paid 0 concession 0 fine 0 due 70 advance 0")
		book := w.get("report/collection")
		var sum float64
		for _, h := range book.Objects("byHead") {
			sum += h["amount"].(float64)
		}
		apptest.Eq(t, "by head", sum, book["net"].(float64))
		apptest.Eq(t, "listed", w.get("opening/list?status=ACTIVE")["total"], any(1.0))
		apptest.Eq(t, "of Ann", w.get("opening/list?studentId=" + w.ann)["total"], any(4.0))
		w.Audited("fee-opening.cancel", 3)
		w.As(w.South.Admin, "POST", at+"opening/"+ahead.Text("id")+"/cancel", m{"reason": "x"}).Want(404, "Not Found")
	})
}
