package leave_test

import (
	"fmt"
	"strings"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
)

// entitle sets the entitlement of a type, for all employees or for one.
func (w *world) entitle(employee any, typ string, days any) apptest.Reply {
	w.Helper()
	return w.Admin("PUT", "/school-admin/leave/entitlements", m{"employeeId": employee, "entitlements": list{m{"type": typ, "days": days}}})
}

// balance is Cid's balance of a type: "entitled taken pending left".
func (w *world) balance(query, typ string) string {
	w.Helper()
	for _, b := range w.As(w.cids, "GET", "/teacher/leave/balance"+query, nil).OK()["balances"].([]any) {
		if b := b.(m); b["type"] == typ {
			return fmt.Sprint(b["entitled"], b["taken"], b["pending"], b["left"])
		}
	}
	w.Fatalf("no balance of type %s", typ)
	return ""
}

// TestBalance counts school days and half days against Cid's entitlement.
func TestBalance(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		is := func(want string) {
			t.Helper()
			apptest.Eq(t, "balance", w.balance("", "SICK"), want)
		}
		is("<nil> 0 0 <nil>")
		w.askOwn(w.cids, w.days(0, 20)).OK() // no limit
		is("<nil> 0 15 <nil>")
		w.act(w.cids, w.As(w.cids, "GET", "/teacher/leave/list", nil).OK().Items()[0].Text("id"), "cancel").OK()
		w.entitle(nil, "SICK", 5).OK()
		is("5 0 0 5")

		// Friday to Monday is two days; with a holiday on the Monday it is one.
		weekend := w.askOwn(w.cids, w.days(4, 7)).OK()
		is("5 0 2 3")
		w.act(w.North.Admin, weekend.Text("id"), "approve").OK()
		is("5 2 0 3")
		w.Admin("POST", "/school-admin/holiday/create", m{"date": w.day(7), "name": "Harvest"}).OK()
		is("5 1 0 4")
		w.askOwn(w.cids, m{"type": "SICK", "fromDate": w.day(8), "isHalfDay": true}).OK()
		is("5 1 0.5 3.5")
		refused := w.askOwn(w.cids, w.days(9, 14)).Want(409, "Conflict")
		if !strings.Contains(refused.Message, "takes 4 days of SICK leave") || !strings.Contains(refused.Message, "3.5 are left") {
			t.Errorf("error message: got %v", refused.Message)
		}
		w.askOwn(w.cids, apptest.With(w.days(9, 14), "type", "CASUAL")).OK() // each type has its own balance
		w.askOwn(w.cids, w.days(5, 6)).Want(409, "Conflict")                 // overlaps on a weekend
		w.askOwn(w.cids, w.days(15, 17)).OK()
		is("5 1 3.5 0.5")
		w.askOwn(w.cids, w.days(19, 20)).OK() // a weekend takes nothing
		w.askOwn(w.cids, w.days(21, 21)).Want(409, "Conflict")
		w.askOwn(w.cids, m{"type": "SICK", "fromDate": w.day(21), "half": "SECOND"}).OK()
		is("5 1 4 0")
	})
}

// TestEntitlements sets and removes entitlements, for all and for one.
func TestEntitlements(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		shows := func(employee, want string) {
			t.Helper()
			got := ""
			for _, e := range w.Admin("GET", "/school-admin/leave/entitlements"+employee, nil).OK()["entitlements"].([]any) {
				e := e.(m)
				got += fmt.Sprint(e["type"], " ", e["days"], " ", e["isOwn"], "; ")
			}
			apptest.Eq(t, employee, got, want)
		}
		cid := "?employeeId=" + w.cid
		shows("", "SICK <nil> false; CASUAL <nil> false; EMERGENCY <nil> false; ")
		w.entitle(nil, "SICK", 10).OK()
		w.entitle(nil, "CASUAL", 2.5).OK()
		w.entitle(w.cid, "SICK", 1).OK()
		shows("", "SICK 10 false; CASUAL 2.5 false; EMERGENCY <nil> false; ")
		shows(cid, "SICK 1 true; CASUAL 2.5 false; EMERGENCY <nil> false; ")
		for _, bad := range []m{{"type": "SICK", "days": 1.25}, {"type": "SICK", "days": -1}, {"type": "SICK", "days": 367},
			{"type": "FUN", "days": 1}, {"days": 1}} {
			w.Admin("PUT", "/school-admin/leave/entitlements", m{"entitlements": list{bad}}).Want(422, "Unprocessable Entity")
		}
		twice := list{m{"type": "SICK", "days": 1}, m{"type": "SICK", "days": 2}}
		w.Admin("PUT", "/school-admin/leave/entitlements", m{"entitlements": twice}).Want(422, "Unprocessable Entity")
		w.Admin("PUT", "/school-admin/leave/entitlements", m{"entitlements": list{}}).Want(422, "Unprocessable Entity")

		page := w.Admin("GET", "/school-admin/leave/balance?sort=firstName", nil).OK()
		apptest.Eq(t, "balances of", strings.Join(page.Texts("name"), ", "), "Ann Lee, Bob, Cid")
		if got := fmt.Sprint(page.Items()[0]["balances"]); !strings.Contains(got, "entitled:10") {
			t.Errorf("Ann: %s", got)
		}
		one := w.Admin("GET", "/school-admin/leave/balance"+cid, nil).OK().Items()
		if got := fmt.Sprint(one[0]["balances"]); len(one) != 1 || !strings.Contains(got, "entitled:1 left:1") {
			t.Errorf("Cid: %s", got)
		}
		w.Audited("leave-entitlement.update", 3)
		if got := w.As(w.South.Admin, "GET", "/school-admin/leave/entitlements", nil); strings.Contains(string(got.Body), "10") {
			t.Errorf("South has North's: %s", got.Body)
		}
	})
}

// TestEntitlementLowered refuses an approval beyond a lowered entitlement.
func TestEntitlementLowered(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.entitle(nil, "SICK", 10).OK()
		leave := w.askOwn(w.cids, w.days(1, 1)).OK().Text("id")
		w.entitle(w.cid, "SICK", 0).OK()
		w.act(w.North.Admin, leave, "approve").Want(409, "Conflict")
		apptest.Eq(t, "status", w.status(leave), "PENDING")
		w.entitle(w.cid, "SICK", nil).OK() // back to the school's entitlement
		w.act(w.North.Admin, leave, "approve").OK()
		apptest.Eq(t, "balance", w.balance("", "SICK"), "10 1 0 9")
	})
}

// TestBalanceOfTwoYears applies for leave across the end of an academic year.
func TestBalanceOfTwoYears(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		end := w.day(3) // a Thursday
		year := w.One(`SELECT id FROM academic_years WHERE school_id = :school AND is_current`, nil)
		w.Admin("PUT", "/school-admin/academic-year/"+year, m{"endDate": end}).OK()
		next := w.Make("academic-year/create", m{"name": "Next", "startDate": w.day(4), "endDate": w.day(300)})
		w.entitle(nil, "SICK", 2).OK()
		w.askOwn(w.cids, w.days(1, 4)).Want(409, "Conflict") // three and one
		w.askOwn(w.cids, w.days(2, 8)).Want(409, "Conflict") // two and three
		w.act(w.North.Admin, w.askOwn(w.cids, w.days(2, 7)).OK().Text("id"), "approve").OK()
		apptest.Eq(t, "balances", w.balance("", "SICK")+", "+w.balance("?academicYearId="+next, "SICK"), "2 2 0 0, 2 2 0 0")
		// Days outside any academic year don't count.
		w.askOwn(w.cids, w.days(400, 420)).OK()
		apptest.Eq(t, "leaves", w.Count(`leaves WHERE school_id = :school`, db.Args{}), 2)
	})
}
