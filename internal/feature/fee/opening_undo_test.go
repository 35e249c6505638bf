package fee_test

import (
	"fmt"
	"testing"

	"homeroom/internal/apptest"
)

const openingFile = "admissionNo,owed,advance\nA1,500,\nA2,,120.50\nA3,80,\n"

func (w *world) undoOpenings(made string) apptest.Reply {
	w.Helper()
	return w.post("opening/import/"+made+"/undo", m{})
}

// refused wants the undo to be refused in these words.
func (w *world) refused(made, says string) {
	w.Helper()
	r := w.undoOpenings(made)
	r.Want(409, "Conflict")
	r.Has(says)
}

// TestUndoImportOfOpenings: the balances are cancelled by reversal, also those that were
// used when they were entered, and can be imported again.
func TestUndoImportOfOpenings(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		trip := w.charge(w.ben, "Trip", "100") // paid from the imported advance at once
		w.pay(w.ann, "30")                     // ahead; pays a part of what is imported at once
		before := w.accounts()
		made := w.importOpenings("", openingFile).OK().Text("id")
		w.wantTotals(w.ann, "charged 0 paid 30 concession 0 fine 0 due 470 advance 0")
		w.wantStatus(trip, "PAID 0")
		posted := w.Count(`ledger_transactions WHERE school_id = :school`, nil)
		done := w.undoOpenings(made).OK()
		apptest.Eq(t, "undone", fmt.Sprint(done["status"], " ", done["created"], " ", done["undoneByName"]), "UNDONE 3 Test SCHOOL_ADMIN")
		w.wantTotals(w.ann, "charged 0 paid 30 concession 0 fine 0 due 0 advance 30")
		w.wantTotals(w.ben, "charged 100 paid 0 concession 0 fine 0 due 100 advance 0")
		w.wantTotals(w.cyd, "charged 0 paid 0 concession 0 fine 0 due 0 advance 0")
		w.wantStatus(trip, "OPEN 100")
		after := w.accounts()
		for account, balance := range after {
			if was, ok := before[account]; ok && was != balance || !ok && balance != 0.0 {
				t.Errorf("account %s has %v, before the import %v", account, balance, was)
			}
		}
		if n := w.Count(`ledger_transactions WHERE school_id = :school`, nil); n <= posted {
			t.Errorf("%d transactions, %d before the undo: the ledger must keep both", n, posted)
		}
		w.undoOpenings(made).Want(409, "Conflict")
		w.Audited("fee-opening.import-undo", 1)
		got := w.get("opening/list?status=CANCELLED")
		apptest.Eq(t, "cancelled", fmt.Sprint(got["total"], got.Items()[0]["cancelReason"]), "3The import was undone")
		list := w.get("opening/import/list").Items()
		apptest.Eq(t, "listed", fmt.Sprint(len(list), list[0]["id"], list[0]["status"]), fmt.Sprint(1, made, "UNDONE"))

		made = w.importOpenings("", openingFile).OK().Text("id")
		at := at + "opening/import/" + made + "/undo"
		for _, who := range []*apptest.Account{w.North.Teacher, w.North.Parent, w.North.Driver} {
			w.As(who, "POST", at, m{}).Want(403, "PERMISSION_DENIED")
		}
		w.As(w.South.Admin, "POST", at, m{}).Want(404, "Not Found")
		once := apptest.AtOnce(4, func(int) apptest.Reply { return w.Call(t, w.North.Admin, "POST", at, m{}) })
		apptest.Eq(t, "at once", fmt.Sprint(once), "map[200:1 409:3]")
	})
}

// TestImportOfOpeningsIsHeld: what families have paid or used since prevents the undo until it is taken back.
func TestImportOfOpeningsIsHeld(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		made := w.importOpenings("", openingFile).OK().Text("id")
		held := func(says string) {
			t.Helper()
			w.refused(made, "This import can't be undone because of "+says+".")
			apptest.Eq(t, "active", w.get("opening/list?status=ACTIVE")["total"], any(3.0))
		}
		receipt := w.pay(w.ann, "500").Text("id")
		held("1 opening balance with a payment")
		w.post("collection/"+receipt+"/reverse", m{"reason": "bounced"}).OK()
		grant := w.post("concession/grant", m{"studentId": w.cyd, "amount": 5}).OK().Text("id")
		held("1 opening balance with a concession")
		w.post("concession/"+grant+"/revoke", m{"reason": "mistake"}).OK()
		trip := w.charge(w.ben, "Trip", "100")
		held("1 advance that has paid a later charge")
		w.post("charge/"+trip+"/void", m{"reason": "mistake"}).OK()
		refund := w.post("refund/create", m{"studentId": w.ben, "amount": 20, "method": "CASH", "reason": "asked for"}).OK().Text("id")
		held("1 advance with a refund")
		w.post("refund/"+refund+"/reverse", m{"reason": "mistake"}).OK()
		w.undoOpenings(made).OK() // nothing hangs on it any more

		made = w.importOpenings("", openingFile).OK().Text("id")
		one := w.get("opening/list?status=ACTIVE&studentId=" + w.cyd).Items()[0].Text("id")
		w.post("opening/"+one+"/cancel", m{"reason": "typing error"}).OK()
		w.refused(made, "because of 1 cancelled opening balance.")
		w.post("opening/import/"+made+"/undo", m{}, "Accept-Language", "es").Has("1 saldo inicial anulado")
	})
}

// TestUndoImportRacesAPayment: either the payment pays the balance, or it is an advance.
func TestUndoImportRacesAPayment(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		made := w.importOpenings("", openingFile).OK().Text("id")
		got := apptest.AtOnce(2, func(i int) apptest.Reply {
			if i == 0 {
				return w.Call(t, w.North.Admin, "POST", at+"opening/import/"+made+"/undo", m{})
			}
			return w.Call(t, w.North.Admin, "POST", at+"collection/record", m{"studentId": w.ann, "amount": 500, "method": "CASH"})
		})
		switch {
		case got[409] == 1 && got[201] == 1:
			w.wantTotals(w.ann, "charged 0 paid 500 concession 0 fine 0 due 0 advance 0")
		case got[200] == 1 && got[201] == 1:
			w.wantTotals(w.ann, "charged 0 paid 500 concession 0 fine 0 due 0 advance 500")
		default:
			t.Errorf("undo and payment at once: %v", got)
		}
	})
}
