package fee_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
)

// colleague is another administrator of North.
func (w *world) colleague() *apptest.Account {
	w.Helper()
	w.Make("employee/create", m{"firstName": "Cara", "lastName": "Till", "email": "cara@example.org", "roleId": w.Role(actor.SchoolAdmin)})
	return w.Account(actor.SchoolAdmin, "cara@example.org")
}

// sheet is a till in one line, with its lines.
func (w *world) sheet(till string) string {
	w.Helper()
	s := w.get("till/" + till)
	out := fmt.Sprintf("%v float %v expected %v counted %v difference %v:", s["status"], s["float"], s["expected"], s["counted"],
		s["difference"])
	for _, by := range s.Objects("byMethod") {
		out += fmt.Sprintf(" %v +%v -%v", by["method"], by["received"], by["returned"])
	}
	return out + " | " + strings.Join(apptest.Pick(s["lines"], "kind"), " ")
}

func TestTill(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		cara := w.colleague()
		early := w.pay(w.cyd, "10").Text("id")
		apptest.Eq(t, "till before one is opened", w.get("till/mine")["till"], nil)
		till := w.post("till/open", m{"float": 100}).OK().Text("id")
		w.post("till/open", m{"float": 5}).Want(409, "Conflict")
		w.pay(w.ann, "50")
		w.pay(w.ben, "20", "method", "CARD")
		w.As(cara, "POST", at+"collection/record", m{"studentId": w.ben, "amount": 30, "method": "CASH"}).OK() // Cara has no till
		w.charge(w.ben, "Books", "5")                                                                          // moves no money
		w.post("refund/create", m{"studentId": w.ann, "amount": 15, "method": "CASH"}).OK()
		w.post("collection/"+early+"/reverse", m{"reason": "wrong child"}).OK()
		const lines = " | RECEIPT RECEIPT REFUND RECEIPT_REVERSAL"
		apptest.Eq(t, "open till", w.sheet(till), "OPEN float 100 expected 125 counted <nil> difference <nil>: CARD +20 -0 CASH +50 -25"+lines)
		apptest.Eq(t, "own till", w.get("till/mine").Object("till").Text("id"), till)
		apptest.Eq(t, "Cara's till", w.As(cara, "GET", at+"till/mine", nil).OK()["till"], nil)

		w.Admin("PUT", at+"till/"+till, m{"float": 110, "version": 1}).OK()
		w.Admin("PUT", at+"till/"+till, m{"float": 120, "version": 1}).Want(409, "Conflict")
		w.post("till/"+till+"/close", m{"counted": 130}).Fields(422, "note")
		w.post("till/"+till+"/close", m{"counted": -1, "note": "x"}).Fields(422, "counted")
		closed := w.post("till/"+till+"/close", m{"counted": 130, "note": "One coin rolled away"}).OK()
		apptest.Eq(t, "difference", closed["difference"], any(-5.0))
		w.As(cara, "GET", "/school-admin/notification/delivered-notifications", nil).Has("A till does not balance",
			"is missing from the till of Test", "One coin")
		w.Admin("GET", "/school-admin/notification/delivered-notifications", nil).HasNot("A till does not balance")

		w.post("till/"+till+"/close", m{"counted": 135}).Want(409, "Conflict")
		w.Admin("PUT", at+"till/"+till, m{"float": 1}).Want(409, "Conflict")
		w.pay(w.ann, "7")
		apptest.Eq(t, "closed till", w.sheet(till), "CLOSED float 110 expected 135 counted 130 difference -5: CARD +20 -0 CASH +50 -25"+lines)

		w.post("till/"+till+"/reopen", m{}).Fields(422, "reason")
		w.post("till/"+till+"/reopen", m{"reason": "The coin is back"}).OK()
		w.post("till/"+till+"/reopen", m{"reason": "again"}).Want(409, "Conflict")
		apptest.Eq(t, "reopened till has the payment since", w.sheet(till),
			"OPEN float 110 expected 142 counted <nil> difference <nil>: CARD +20 -0 CASH +57 -25"+lines+" RECEIPT")
		apptest.Eq(t, "exact count", w.post("till/"+till+"/close", m{"counted": 142}).OK()["difference"], any(0.0))
		w.As(cara, "GET", "/school-admin/notification/delivered-notifications", nil).Has("A till balances now",
			"The till of Test SCHOOL_ADMIN was counted again: it has what is expected.")
		w.post("till/"+till+"/reopen", m{"reason": "once more"}).OK()
		w.post("till/"+till+"/close", m{"counted": 142}).OK()
		next := w.post("till/open", m{"float": 0}).OK().Text("id")
		w.post("till/"+till+"/reopen", m{"reason": "too late"}).Want(409, "Conflict")
		w.As(cara, "POST", at+"till/"+next+"/close", m{"counted": 0}).OK() // for a colleague who went home
		apptest.Eq(t, "closed by", w.get("till/" + next)["closedByName"], any("Cara Till"))
		w.post("till/"+next+"/reopen", m{"reason": "still here"}).OK() // nothing was recorded in either
		for action, n := range map[string]int{"open": 2, "update": 1, "close": 4, "reopen": 3} {
			w.Audited("fee-till."+action, n)
		}
		for _, title := range []string{"A till does not balance", "A till balances now"} { // Cara heard both
			n := w.Count(`notifications WHERE school_id = :school AND title = :title`, db.Args{"title": title})
			apptest.Eq(t, title, n, 1)
		}
	})
}

func TestTillList(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		cara := w.colleague()
		day, mine := w.Day(0), w.post("till/open", m{"float": 10}).OK()
		w.post("till/"+mine.Text("id")+"/close", m{"counted": 12, "note": "tip"}).OK()
		hers := w.As(cara, "POST", at+"till/open", m{"float": 20}).OK()
		w.Pass(24 * time.Hour)
		later := w.post("till/open", m{"float": 30}).OK()
		w.post("till/"+later.Text("id")+"/close", m{"counted": 30}).OK()
		for query, want := range map[string]string{
			"":                                  "30 20 10",
			"?status=OPEN":                      "20",
			"?difference=ANY":                   "10",
			"?difference=OVER":                  "10",
			"?difference=SHORT":                 "",
			"?difference=NONE":                  "30",
			"?userId=" + hers.Text("userId"):    "20",
			"?from=" + w.Day(0):                 "30",
			"?to=" + day + "&order=asc":         "20 10",
			"?sort=openedAt&order=asc&limit=2":  "10 20",
			"?search=cara":                      "20",
			"?search=cara@example":              "", // the name alone, not the login
			"?search=nobody":                    "",
			"?status=CLOSED&difference=SHORT":   "",
			"?from=" + day + "&to=" + w.Day(20): "30 20 10",
		} {
			apptest.Eq(t, query, strings.Join(floats(w.get("till/list"+query)), " "), want)
		}
		w.Admin("GET", at+"till/list?userId="+w.South.Admin.ID.String(), nil).Want(404, "Not Found")
		w.Admin("GET", at+"till/list?difference=x", nil).Want(422, "Unprocessable Entity")
	})
}

func floats(list apptest.Object) []string {
	out := []string{}
	for _, o := range list.Items() {
		out = append(out, fmt.Sprint(o["float"]))
	}
	return out
}

// TestTillMisuse: whoever may only read fees reads tills, and nobody reaches those of another school.
func TestTillMisuse(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		till, receipt := w.post("till/open", m{"float": 10}).OK().Text("id"), w.pay(w.ann, "5").Text("id")
		writes := map[string]m{"till/open": {"float": 1}, "till/" + till + "/close": {"counted": 15}, "till/" + till + "/reopen": {"reason": "x"},
			"collection/" + receipt + "/undo": {}}
		for _, who := range []*apptest.Account{w.North.Teacher, w.North.Parent, w.North.Driver} {
			for path, body := range writes {
				w.As(who, "POST", at+path, body).Want(403, "PERMISSION_DENIED")
			}
			w.As(who, "GET", at+"till/list", nil).Want(403, "PERMISSION_DENIED")
		}
		for path, body := range writes {
			if path != "till/open" {
				w.As(w.South.Admin, "POST", at+path, body).Want(404, "Not Found")
			}
		}
		w.As(w.South.Admin, "GET", at+"till/"+till, nil).Want(404, "Not Found")
		w.As(w.South.Admin, "PUT", at+"till/"+till, m{"float": 1}).Want(404, "Not Found")
		apptest.Eq(t, "tills of South", w.As(w.South.Admin, "GET", at+"till/list", nil).OK()["total"], any(0.0))
		clerk := w.clerk("reader", "fee")
		for path, body := range writes {
			w.As(clerk, "POST", at+path, body).Want(403, "PERMISSION_DENIED")
		}
		w.As(clerk, "PUT", at+"till/"+till, m{"float": 1}).Want(403, "PERMISSION_DENIED")
		apptest.Eq(t, "tills of a reader", w.As(clerk, "GET", at+"till/list", nil).OK()["total"], any(1.0))
		apptest.Eq(t, "till is as it was", w.sheet(till), "OPEN float 10 expected 15 counted <nil> difference <nil>: CASH +5 -0 | RECEIPT")
		for _, bad := range []any{-1, 1.001, "10", nil} {
			w.As(w.South.Admin, "POST", at+"till/open", m{"float": bad}).Fields(422, "float")
		}
	})
}

// TestTillRaces closes a till several times while payments come in: one close wins, and
// each receipt is in its total or after it.
func TestTillRaces(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		opened := apptest.AtOnce(6, func(int) apptest.Reply { return w.Call(t, w.North.Admin, "POST", at+"till/open", m{"float": 100}) })
		apptest.Eq(t, "opened at once", fmt.Sprint(opened), "map[201:1 409:5]")
		till := w.get("till/mine").Object("till").Text("id")
		replies := apptest.AtOnce(24, func(i int) apptest.Reply {
			if i%6 == 3 {
				return w.Call(t, w.North.Admin, "POST", at+"till/"+till+"/close", m{"counted": 0, "note": "not counted"})
			}
			return w.Call(t, w.North.Admin, "POST", at+"collection/record", m{"studentId": w.ann, "amount": 1, "method": "CASH"})
		})
		apptest.Eq(t, "replies", fmt.Sprint(replies), "map[200:1 201:20 409:3]")
		s := w.get("till/" + till)
		inside := len(s.Objects("lines"))
		apptest.Eq(t, "expected at closing", s["expected"], any(float64(100+inside)))
		apptest.Eq(t, "received", s["received"], any(float64(inside)))
		outside := 0
		for _, r := range w.get("collection/list?limit=100").Items() {
			one := w.get("receipt/" + r.Text("id"))
			if one["tillId"] == nil {
				outside++
			}
			apptest.Eq(t, "undoable without a till", one["undoable"], any(one["tillId"] == nil))
		}
		apptest.Eq(t, "receipts in and after the till", inside+outside, 20)
	})
}

// TestUndoReceipt: one call undoes a receipt until its till is closed or, without a till, on its day.
func TestUndoReceipt(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		undo := func(receipt string) apptest.Reply { return w.post("collection/"+receipt+"/undo", m{}) }
		free, old := w.pay(w.ann, "1").Text("id"), w.pay(w.ann, "2").Text("id")
		done := undo(free).OK()
		apptest.Eq(t, "status", done["status"], any("REVERSED"))
		apptest.Eq(t, "reason", done["reversalReason"], any("Undone after recording"))
		undo(free).Want(409, "Conflict")
		apptest.Eq(t, "undone is undoable", w.get("receipt/" + free)["undoable"], any(false))

		till := w.post("till/open", m{"float": 0}).OK().Text("id")
		mine, counted := w.pay(w.ann, "3").Text("id"), w.pay(w.ann, "4").Text("id")
		w.Pass(24 * time.Hour)
		again := undo(old)
		again.Want(409, "Conflict")
		again.Has("another day")
		apptest.Eq(t, "undoable while its till is open", w.get("receipt/" + mine)["undoable"], any(true))
		cara := w.colleague()
		apptest.Eq(t, "undoable by a colleague", w.As(cara, "GET", at+"receipt/"+mine, nil).OK()["undoable"], any(false))
		hers := w.As(cara, "POST", at+"collection/"+mine+"/undo", m{})
		hers.Want(409, "Conflict") // or this till would expect cash that is not there
		hers.Has("the till of a colleague")
		undo(mine).OK()
		w.post("till/"+till+"/close", m{"counted": 4}).OK()
		one := w.get("receipt/" + counted)
		apptest.Eq(t, "till", fmt.Sprintln(one["tillId"], one["tillUserName"], one["undoable"]), fmt.Sprintln(till, "Test SCHOOL_ADMIN", false))
		r := undo(counted)
		r.Want(409, "Conflict")
		r.Has("till of this receipt is closed")
		w.post("collection/"+counted+"/reverse", m{"reason": "bounced"}).OK()
		w.parent("receipt/"+counted+"?studentId="+w.ann).HasNot("tillId", "undoable")
		w.wantTotals(w.ann, "charged 0 paid 2 concession 0 fine 0 due 0 advance 2")
	})
}
