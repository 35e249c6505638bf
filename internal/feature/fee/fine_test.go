package fee_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/fee"
	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// fees is the service on the same database, as its jobs and other modules use it.
func (w *world) fees() *fee.Service {
	return &fee.Service{DB: w.DB, Audit: &audit.Service{DB: w.DB, Now: w.Clock.Now, NewID: id.New},
		Notify: &notification.Service{DB: w.DB, Out: w.Notify, Now: w.Clock.Now, NewID: id.New}, Now: w.Clock.Now, NewID: id.New}
}

func (w *world) fineAll() {
	w.Helper()
	if err := w.fees().FineAll(w.Context()); err != nil {
		w.Fatal(err)
	}
}

func TestFinesPerDay(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.structure(m{"items": list{m{"name": "Tuition", "amount": 100, "dueDate": w.Day(5)}}, "lateFine": m{"perDay": 1.5, "graceDays": 2}})
		w.generate(m{"studentIds": list{w.ann, w.ben}, "period": "YEAR"})
		w.Pass(7 * 24 * time.Hour) // due two days ago: the last day of grace
		w.fineAll()
		w.wantTotals(w.ann, "charged 100 paid 0 concession 0 fine 0 due 100 advance 0")
		w.Pass(24 * time.Hour)
		for range 3 { // a day counts once
			w.fineAll()
		}
		w.wantTotals(w.ann, "charged 100 paid 0 concession 0 fine 1.5 due 101.5 advance 0")
		w.Pass(3 * 24 * time.Hour) // days on which no job ran
		w.fineAll()
		w.wantTotals(w.ann, "charged 100 paid 0 concession 0 fine 6 due 106 advance 0")
		if got := w.get("charge/list?studentId=" + w.ann).Items(); len(got) != 2 || got[1].Text("title") != "Late fine: "+got[0].Text("title") ||
			got[1].Text("fineOf") != got[0].Text("id") {
			t.Errorf("one fine, which grows: %v", got)
		}
		// A payment updates the fine, whether the job has run or not.
		w.Pass(2 * 24 * time.Hour)
		w.pay(w.ann, "109", "date", w.Day(0))
		w.wantTotals(w.ann, "charged 100 paid 109 concession 0 fine 9 due 0 advance 0")
		w.pay(w.ben, "100", "date", w.Day(-5)) // fined up to four days ago when it came
		w.wantTotals(w.ben, "charged 100 paid 100 concession 0 fine 6 due 6 advance 0")
		w.Pass(30 * 24 * time.Hour)
		w.fineAll()
		w.wantTotals(w.ann, "charged 100 paid 109 concession 0 fine 9 due 0 advance 0")
	})
}

func TestFineFlatAndVoid(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.structure(m{"items": list{m{"name": "Tuition", "amount": 100, "dueDate": w.Day(5)}}, "lateFine": m{"flat": 20}})
		w.generate(m{"classId": w.one, "period": "YEAR"})
		w.Pass(6 * 24 * time.Hour)
		w.fineAll()
		w.Pass(10 * 24 * time.Hour)
		w.fineAll()
		w.wantTotals(w.ann, "charged 100 paid 0 concession 0 fine 20 due 120 advance 0")
		charges := w.get("charge/list?studentId=" + w.ann).Items()
		// A voided fine does not come back; voiding a charge voids its fine.
		w.post("charge/"+charges[1].Text("id")+"/void", m{"reason": "let off"}).OK()
		w.Pass(24 * time.Hour)
		w.fineAll()
		w.wantTotals(w.ann, "charged 100 paid 0 concession 0 fine 0 due 100 advance 0")
		charges = w.get("charge/list?studentId=" + w.ben).Items()
		w.pay(w.ben, "10")
		w.post("charge/"+charges[0].Text("id")+"/void", m{"reason": "not his"}).OK()
		w.wantTotals(w.ben, "charged 0 paid 10 concession 0 fine 0 due 0 advance 10")
	})
}

// A charge created after its due date is late only from the day it was created.
func TestFineFromTheDayOfCharging(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.structure(m{"items": list{m{"name": "Tuition", "amount": 100, "dueDate": w.Day(-30)}}, "lateFine": m{"perDay": 1}})
		w.generate(m{"classId": w.one, "period": "YEAR"})
		w.fineAll()
		w.wantTotals(w.ann, "charged 100 paid 0 concession 0 fine 0 due 100 advance 0")
		w.Pass(2 * 24 * time.Hour)
		w.fineAll()
		w.wantTotals(w.ann, "charged 100 paid 0 concession 0 fine 2 due 102 advance 0")
	})
}

func TestLibraryFine(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.post("head/create", m{"name": "library fine"}).OK() // the school's own
		who := actor.Actor{School: w.North.ID, User: w.North.Admin.ID, Role: actor.SchoolAdmin, Zone: "UTC"}
		fine := func(reference string, minor int) error {
			return w.DB.InSchool(t.Context(), w.North.ID, func(ctx context.Context, tx *db.Tx) error {
				return w.fees().LibraryFine(ctx, tx, who, fee.Fine{Student: id.ID(w.ann), Reference: reference, Amount: 250, Note: "Emma, 5 days"})
			})
		}
		for _, reference := range []string{"loan/1", "loan/2", "loan/1", "loan/1"} {
			if err := fine(reference, 250); err != nil {
				t.Fatal(err)
			}
		}
		w.wantTotals(w.ann, "charged 0 paid 0 concession 0 fine 5 due 5 advance 0")
		if got := w.get("charge/list?studentId=" + w.ann).Items(); len(got) != 2 || got[0].Text("feeHead") != "Library fine (automatic)" ||
			got[0].Text("note") != "Emma, 5 days" {
			t.Errorf("charges: %v", got)
		}
		accounts := fmt.Sprint(w.get("report/trial-balance")["accounts"])
		if want := "account:FINE balance:-5"; !strings.Contains(accounts, want) {
			t.Errorf("no %q in %s", want, accounts)
		}
	})
}

// A concession of the fine head lowers fines that are charged after it was granted, whether they grow daily or at once.
func TestConcessionOnLaterFines(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.structure(m{"items": list{m{"name": "Tuition", "amount": 100, "dueDate": w.Day(5)}}, "lateFine": m{"perDay": 0.25}})
		w.generate(m{"studentIds": list{w.ann, w.ben}, "period": "YEAR"})
		w.Pass(6 * 24 * time.Hour)
		w.fineAll()
		head := w.get("head/list?search=fine").Items()[0].Text("id")
		w.post("concession/grant", m{"studentId": w.ann, "percent": 50, "feeHeadId": head}).OK()
		w.post("concession/grant", m{"studentId": w.ben, "amount": 1, "feeHeadId": head}).OK()
		w.wantTotals(w.ann, "charged 100 paid 0 concession 0.13 fine 0.25 due 100.12 advance 0")
		for range 3 { // half of the whole fine, however often it grows
			w.Pass(24 * time.Hour)
			w.fineAll()
		}
		w.wantTotals(w.ann, "charged 100 paid 0 concession 0.5 fine 1 due 100.5 advance 0")
		w.wantTotals(w.ben, "charged 100 paid 0 concession 1 fine 1 due 100 advance 0")
		w.Pass(2 * 24 * time.Hour)
		w.pay(w.ann, "100.75", "date", w.Day(0))
		w.wantTotals(w.ann, "charged 100 paid 100.75 concession 0.75 fine 1.5 due 0 advance 0")
		w.fineAll()
		w.wantTotals(w.ben, "charged 100 paid 0 concession 1 fine 1.5 due 100.5 advance 0")
	})
}
