package fee_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
)

func TestCollection(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		old := w.charge(w.ann, "Books", "100.50", w.Day(-20))
		young := w.charge(w.ann, "Trip", "40", w.Day(5))
		w.wantTotals(w.ann, "charged 140.5 paid 0 concession 0 fine 0 due 140.5 advance 0")

		r := w.pay(w.ann, "60.25", "method", "CHEQUE", "reference", "C-1", "payer", "Pat Lee")
		if r.Text("number") == "" || r.Text("status") != "ISSUED" || r.Text("method") != "CHEQUE" || fmt.Sprint(r["amount"]) != "60.25" ||
			r.Text("date") != w.Day(0) {
			t.Errorf("receipt: %v", r)
		}
		line := r["students"].([]any)[0].(m)
		if got := line["allocations"].([]any); len(got) != 1 || got[0].(m)["chargeId"] != old || got[0].(m)["title"] != "Books" ||
			fmt.Sprint(got[0].(m)["amount"]) != "60.25" {
			t.Errorf("the oldest first: %v", line)
		}
		w.wantStatus(old, "PARTIAL 40.25")
		w.wantStatus(young, "OPEN 40")

		// Named charges first, then the oldest; the rest is an advance.
		r = w.pay(w.ann, "100", "allocations", list{m{"chargeId": young, "amount": 15}})
		line = r["students"].([]any)[0].(m)
		if fmt.Sprint(line["advance"]) != "19.75" || len(line["allocations"].([]any)) != 2 {
			t.Errorf("line: %v", line)
		}
		w.wantStatus(old, "PAID 0")
		w.wantStatus(young, "PAID 0")
		w.wantTotals(w.ann, "charged 140.5 paid 160.25 concession 0 fine 0 due 0 advance 19.75")

		// The advance pays the next charge.
		next := w.charge(w.ann, "Uniform", "30")
		w.wantStatus(next, "PARTIAL 10.25")
		w.wantTotals(w.ann, "charged 170.5 paid 160.25 concession 0 fine 0 due 10.25 advance 0")

		// The same receipt, read again and listed.
		again := w.get("receipt/" + r.Text("id"))
		for _, state := range []string{"tillId", "tillUserName", "undoable"} { // of the moment, see TestUndoReceipt
			delete(again, state)
		}
		a, _ := json.Marshal(r)
		b, _ := json.Marshal(again)
		if string(a) != string(b) {
			t.Errorf("issued %s\nread   %s", a, b)
		}
		if got := w.get("collection/list?studentId=" + w.ann + "&method=CASH").Items(); len(got) != 1 ||
			got[0].Text("number") != r.Text("number") {
			t.Errorf("list: %v", got)
		}
		apptest.Eq(t, "by reference", len(w.get("collection/list?search=c-1").Items()), 1)
		apptest.Eq(t, "of another student", w.get("collection/list?studentId=" + w.cyd)["total"], 0.0)
		w.Audited("fee-receipt.issue", 2)
		apptest.Eq(t, "notifications of payments",
			w.Count(`notifications WHERE school_id = :school AND type = 'FEE' AND title = 'Payment received'
			AND user_id = :user`,
				db.Args{"user": w.North.Parent.ID}), 2)
		apptest.Eq(t, "push notifications name an amount",
			w.Count(`deliveries WHERE school_id = :school AND channel = 'push' AND to_addr = :topic AND body LIKE '%1%'`,
				db.Args{"topic": "student_" + w.ann + "_fee"}), 0)
	})
}

// Parents are not told to pay what an advance has paid or a concession waives.
func TestChargesPaidAhead(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		told := func(words string) int {
			return w.Count(`notifications WHERE school_id = :school AND user_id = :user AND title = 'Fees charged' AND body LIKE :words`,
				db.Args{"user": w.North.Parent.ID, "words": words})
		}
		w.pay(w.ann, "150")
		w.charge(w.ann, "Books", "100", w.Day(5))
		apptest.Eq(t, "notifications of a charge that is paid",
			told("USD 100.00 was charged for Ann Lee. It is paid from the advance: there is nothing to do."), 1)
		w.charge(w.ann, "Trip", "60", w.Day(5))
		apptest.Eq(t, "notifications of a charge that is paid in part",
			told("USD 60.00 was charged for Ann Lee. Part of it is paid from the advance; USD 10.00 is due on %"), 1)
		w.charge(w.ann, "Uniform", "30", w.Day(5))
		apptest.Eq(t, "notifications of a charge to pay", told("USD 30.00 was charged for Ann Lee, due on %"), 1)
		w.post("concession/grant", m{"studentId": w.ben, "percent": 100}).OK()
		w.charge(w.ben, "Books", "100", w.Day(5))
		apptest.Eq(t, "notifications of a charge that is waived", told("%Ben%"), 0)
	})
}

func TestCollectionRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		charge := w.charge(w.ann, "Books", "50")
		other := w.charge(w.cyd, "Books", "50")
		good := func(change m) m {
			body := m{"studentId": w.ann, "amount": 10, "method": "CASH"}
			for k, v := range change {
				if v == nil {
					delete(body, k)
				} else {
					body[k] = v
				}
			}
			return body
		}
		for _, tt := range []struct {
			name   string
			body   m
			fields string
		}{
			{"no amount", good(m{"amount": nil}), "amount"},
			{"no student", good(m{"studentId": nil}), "studentId"},
			{"no method", good(m{"method": nil}), "method"},
			{"an unknown method", good(m{"method": "GOLD"}), "method"},
			{"tomorrow", good(m{"date": w.Day(1)}), "date"},
			{"both forms", good(m{"payments": list{m{"studentId": w.ben, "amount": 1}}}), "payments"},
			{"one child twice", good(m{"studentId": nil, "amount": nil,
				"payments": list{m{"studentId": w.ann, "amount": 1}, m{"studentId": w.ann, "amount": 1}}}), "payments[1].studentId"},
			{"more than is due of it", good(m{"amount": 60, "allocations": list{m{"chargeId": charge, "amount": 50.01}}}), "allocations[0].amount"},
			{"more than is paid", good(m{"allocations": list{m{"chargeId": charge, "amount": 10.01}}}), "allocations[0].amount"},
			{"another student's charge", good(m{"allocations": list{m{"chargeId": other, "amount": 1}}}), "allocations[0].chargeId"},
			{"a charge twice", good(m{"allocations": list{m{"chargeId": charge, "amount": 1}, m{"chargeId": charge, "amount": 1}}}),
				"allocations[1].chargeId"},
			{"an allocation of nothing", good(m{"allocations": list{m{"chargeId": charge, "amount": 0}}}), "allocations[0].amount"},
		} {
			w.post("collection/record", tt.body).Fields(422, tt.fields)
		}
		apptest.Eq(t, "receipts after refused payments", w.Count(`fee_receipts WHERE school_id = :school`, nil), 0)
		w.wantTotals(w.ann, "charged 50 paid 0 concession 0 fine 0 due 50 advance 0")
	})
}

// TestAmounts sends amounts that a float can't represent.
func TestAmounts(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.charge(w.ann, "Books", "1")
		for _, bad := range []string{"0", "0.00", "-1", "-0.01", "0.001", "1.005", "10.000", "1e2", "1E2", "1e-2", "10000000000",
			"99999999999999999999", `"10"`, "true", "[]"} {
			for _, tt := range []struct{ path, body string }{
				{"collection/record", `"studentId":"` + w.ann + `","method":"CASH","amount":`},
				{"charge/create", `"studentId":"` + w.ann + `","name":"X","amount":`},
				{"concession/grant", `"studentId":"` + w.ann + `","amount":`},
				{"concession/grant", `"studentId":"` + w.ann + `","percent":`},
				{"refund/create", `"studentId":"` + w.ann + `","method":"CASH","amount":`},
				{"reminder/send", `"minDue":`},
			} {
				if r := w.Admin("POST", at+tt.path, `{"data":{`+tt.body+bad+`}}`); r.Status != 422 {
					t.Errorf("%s of %s: %d %s", tt.path, bad, r.Status, r.Body)
				}
			}
		}
		for amount, want := range map[string]string{"0.01": "0.01", "0.29": "0.29", "4.35": "4.35", "1024.07": "1024.07",
			"9999999999.99": "9999999999.99", "7.10": "7.10", "8.00": "8"} {
			r := w.post("collection/record", m{"studentId": w.cyd, "method": "CARD", "amount": json.Number(amount)})
			r.OK()
			apptest.Eq(t, fmt.Sprint("amount ", amount, " is stored as"), fmt.Sprint(exact(t, r)["amount"]), want)
		}
	})
}

func TestFamilyReceipt(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.charge(w.ann, "Books", "10")
		w.charge(w.ben, "Books", "30")
		w.charge(w.cyd, "Books", "5")
		r := w.post("collection/record", m{"method": "UPI", "reference": "secret-ref", "payer": "Pat", "payments": list{
			m{"studentId": w.ann, "amount": 15}, m{"studentId": w.ben, "amount": 20.5}, m{"studentId": w.cyd, "amount": 5}}}).OK()
		if fmt.Sprint(r["amount"]) != "40.5" || len(r["students"].([]any)) != 3 {
			t.Errorf("receipt: %v", r)
		}
		w.wantTotals(w.ann, "charged 10 paid 15 concession 0 fine 0 due 0 advance 5")
		w.wantTotals(w.ben, "charged 30 paid 20.5 concession 0 fine 0 due 9.5 advance 0")
		w.wantTotals(w.cyd, "charged 5 paid 5 concession 0 fine 0 due 0 advance 0")

		// The parent sees the lines of its own two children, what they came to, and not who paid.
		seen := w.parent("receipt/" + r.Text("id")).OK()
		if got := seen["students"].([]any); len(got) != 2 || fmt.Sprint(seen["amount"]) != "35.5" || seen.Text("payer") != "" ||
			seen.Text("reference") != "" {
			t.Errorf("the parent sees %v", seen)
		}
		one := w.parent("receipt/" + r.Text("id") + "?studentId=" + w.ben).OK()
		if got := one["students"].([]any); len(got) != 1 || got[0].(m)["name"] != "Ben Lee" || fmt.Sprint(one["amount"]) != "20.5" {
			t.Errorf("of one child: %v", one)
		}
		own := w.post("collection/record", m{"method": "CASH", "payer": "Pat",
			"payments": list{m{"studentId": w.ann, "amount": 1}, m{"studentId": w.ben, "amount": 1}}}).OK()
		if seen := w.parent("receipt/" + own.Text("id")).OK(); seen.Text("payer") != "Pat" || len(seen["students"].([]any)) != 2 {
			t.Errorf("all its own: %v", seen)
		}
		if got := w.parent("receipts").OK(); got["total"] != 2.0 || len(got.Items()[1]["students"].([]any)) != 2 {
			t.Errorf("its receipts: %v", got)
		}
		foreign := w.pay(w.cyd, "1")
		w.parent("receipt/"+foreign.Text("id")).Want(404, "Not Found")
		w.parent("receipt/"+r.Text("id")+"?studentId="+w.cyd).Want(403, "PERMISSION_DENIED")
		w.post("collection/"+r.Text("id")+"/reverse", m{"reason": "bounced"}).OK()
		w.parent("receipt/" + r.Text("id")).HasNot("bounced")
		w.parent("receipts").HasNot("bounced")
		w.wantTotals(w.ann, "charged 10 paid 1 concession 0 fine 0 due 9 advance 0")
		w.wantTotals(w.cyd, "charged 5 paid 1 concession 0 fine 0 due 4 advance 0")
	})
}

func TestReceiptNumbers(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		first := w.pay(w.ann, "1")
		second := w.pay(w.ben, "1")
		if first.Text("number") != "This year-000001" || second.Text("number") != "This year-000002" {
			t.Errorf("receipt numbers: %s, %s", first.Text("number"), second.Text("number"))
		}
		// A refused payment takes no number.
		w.post("collection/record", m{"studentId": w.farChild, "amount": 1, "method": "CASH"}).Want(404, "STUDENT_NOT_FOUND")
		w.post("collection/"+first.Text("id")+"/reverse", m{"reason": "a mistake"}).OK()
		apptest.Eq(t, "after a reversal", w.pay(w.ann, "1").Text("number"), "This year-000003")
		// Each year and each school has its own numbers.
		last := w.Admin("POST", "/school-admin/academic-year/create", m{"name": "Last year",
			"startDate": w.Now().AddDate(-1, -6, 0).Format("2006-01-02"), "endDate": w.Now().AddDate(0, -6, -1).Format("2006-01-02")})
		last.OK()
		apptest.Eq(t, "in another year",
			w.pay(w.ann, "1", "date", w.Now().AddDate(-1, 0, 0).Format("2006-01-02")).Text("number"), "Last year-000001")
		far := w.As(w.South.Admin, "POST", at+"collection/record", m{"studentId": w.farChild, "amount": 1, "method": "CASH"}).OK()
		apptest.Eq(t, "in another school", far.Text("number"), "This year-000001")
	})
}

func TestReversal(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		a, b := w.charge(w.ann, "Books", "100", w.Day(-9)), w.charge(w.ann, "Trip", "50", w.Day(-8))
		r := w.pay(w.ann, "180", "method", "CHEQUE") // a and b, and 30 in advance
		c := w.charge(w.ann, "Uniform", "25")        // from the advance
		w.wantStatus(c, "PAID 0")
		w.wantTotals(w.ann, "charged 175 paid 180 concession 0 fine 0 due 0 advance 5")

		back := w.post("collection/"+r.Text("id")+"/reverse", m{"reason": "the cheque bounced"}).OK()
		if back.Text("status") != "REVERSED" || back.Text("reversalReason") != "the cheque bounced" || back.Text("reversedOn") != w.Day(0) ||
			back.Text("number") != r.Text("number") {
			t.Errorf("reversed: %v", back)
		}
		for charge, want := range map[string]string{a: "OPEN 100", b: "OPEN 50", c: "OPEN 25"} {
			w.wantStatus(charge, want)
		}
		w.wantTotals(w.ann, "charged 175 paid 0 concession 0 fine 0 due 175 advance 0")
		w.post("collection/"+r.Text("id")+"/reverse", m{"reason": "again"}).Want(409, "Conflict")
		w.Audited("fee-receipt.reverse", 1)
		if got := w.get("collection/list?status=REVERSED").Items(); len(got) != 1 || got[0].Text("id") != r.Text("id") {
			t.Errorf("list of reversed receipts: %v", got)
		}

		// The advance of another payment stays, and pays the charges that are due again.
		one, two := w.pay(w.ann, "175"), w.pay(w.ann, "60")
		w.post("collection/"+one.Text("id")+"/reverse", m{"reason": "x"}).OK()
		w.wantTotals(w.ann, "charged 175 paid 60 concession 0 fine 0 due 115 advance 0")
		w.wantStatus(a, "PARTIAL 40")
		w.post("collection/"+two.Text("id")+"/reverse", m{"reason": "x"}).OK()
		w.wantTotals(w.ann, "charged 175 paid 0 concession 0 fine 0 due 175 advance 0")

		// A refund of the advance must be reversed first.
		r = w.pay(w.ann, "200")
		refund := w.post("refund/create", m{"studentId": w.ann, "method": "CASH"}).OK()
		apptest.Eq(t, fmt.Sprint("the whole advance: ", refund), fmt.Sprint(refund["amount"]), "25")
		w.post("collection/"+r.Text("id")+"/reverse", m{"reason": "x"}).Want(409, "Conflict")
		w.wantTotals(w.ann, "charged 175 paid 175 concession 0 fine 0 due 0 advance 0")
		w.post("refund/"+refund.Text("id")+"/reverse", m{"reason": "not cashed"}).OK()
		w.post("refund/"+refund.Text("id")+"/reverse", m{"reason": "again"}).Want(409, "Conflict")
		w.post("collection/"+r.Text("id")+"/reverse", m{"reason": "x"}).OK()
		w.wantTotals(w.ann, "charged 175 paid 0 concession 0 fine 0 due 175 advance 0")
		w.post("refund/create", m{"studentId": w.ann, "method": "CASH", "amount": 1}).Want(409, "Conflict")
		if got := w.get("refund/list?studentId=" + w.ann).Items(); len(got) != 1 || got[0].Text("status") != "REVERSED" {
			t.Errorf("refunds: %v", got)
		}
	})
}

func TestVoid(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		a, b := w.charge(w.ann, "Books", "100", w.Day(-9)), w.charge(w.ann, "Trip", "50", w.Day(-8))
		k := w.post("concession/grant", m{"studentId": w.ann, "amount": 20}).OK()
		r := w.pay(w.ann, "90") // 80 for a, 10 for b
		w.wantStatus(a, "PAID 0")
		w.wantStatus(b, "PARTIAL 40")
		v := w.post("charge/"+a+"/void", m{"reason": "charged by mistake"}).OK()
		if v.Text("status") != "VOID" || fmt.Sprint(v["due"], v["paid"], v["concession"]) != "0 0 0" || v.Text("voidReason") == "" {
			t.Errorf("void: %v", v)
		}
		// Its payments now pay b, and the rest is an advance; the concession is unused again.
		w.wantStatus(b, "PAID 0")
		w.wantTotals(w.ann, "charged 50 paid 90 concession 0 fine 0 due 0 advance 40")
		if got := w.get("concession/list?studentId=" + w.ann).Items()[0]; fmt.Sprint(got["given"]) != "0" || got.Text("id") != k.Text("id") {
			t.Errorf("concession: %v", got)
		}
		w.post("charge/"+a+"/void", m{"reason": "again"}).Want(409, "Conflict")
		w.post("collection/record", m{"studentId": w.ann, "amount": 1, "method": "CASH",
			"allocations": list{m{"chargeId": a, "amount": 1}}}).Want(422, "Unprocessable Entity")
		// The payment can still be reversed, though its charge is gone.
		w.post("collection/"+r.Text("id")+"/reverse", m{"reason": "bounced"}).OK()
		w.wantTotals(w.ann, "charged 50 paid 0 concession 0 fine 0 due 50 advance 0")
		w.wantStatus(b, "OPEN 50")
		w.Audited("fee-charge.void", 1)
	})
}

func TestConcession(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		books, trip := w.charge(w.ann, "Books", "99.99", w.Day(-9)), w.charge(w.ann, "Trip", "50", w.Day(-8))
		head := w.get("charge/" + books).Text("feeHeadId")
		half := w.post("concession/grant", m{"studentId": w.ann, "percent": 50, "feeHeadId": head, "reason": "sibling"}).OK()
		w.wantStatus(books, "OPEN 49.99") // the half is rounded up
		w.wantStatus(trip, "OPEN 50")
		// An amount lowers the oldest charge first, and what is left lowers later charges.
		sum := w.post("concession/grant", m{"studentId": w.ann, "amount": 120}).OK()
		apptest.Eq(t, fmt.Sprint("given: ", sum), fmt.Sprint(sum["given"]), "99.99")
		w.wantTotals(w.ann, "charged 149.99 paid 0 concession 149.99 fine 0 due 0 advance 0")
		next := w.charge(w.ann, "Books", "30") // the half of it, then 15 of the 20.01 that are left
		w.wantStatus(next, "WAIVED 0")
		if got := w.get("concession/list?studentId=" + w.ann + "&status=ACTIVE").Items(); len(got) != 2 ||
			fmt.Sprint(got[0]["given"]) != "114.99" || fmt.Sprint(got[1]["given"]) != "65" {
			t.Errorf("concessions: %v", got)
		}
		w.post("concession/"+half.Text("id")+"/revoke", m{"reason": "no longer"}).OK()
		w.post("concession/"+half.Text("id")+"/revoke", m{"reason": "again"}).Want(409, "Conflict")
		w.wantTotals(w.ann, "charged 179.99 paid 0 concession 114.99 fine 0 due 65 advance 0")
		last := w.charge(w.ann, "Books", "10")
		w.wantStatus(last, "OPEN 4.99") // what was left of the amount, and no half any more
		for _, tt := range []struct {
			body   m
			fields string
		}{
			{m{"studentId": w.ann}, "amount"}, {m{"studentId": w.ann, "amount": 1, "percent": 1}, "amount"},
			{m{"studentId": w.ann, "percent": 100.01}, "percent"}, {m{"studentId": w.ann, "percent": json.Number("1.001")}, "percent"},
		} {
			w.post("concession/grant", tt.body).Fields(422, tt.fields)
		}
		w.Audited("fee-concession.grant", 2)
		w.Audited("fee-concession.revoke", 1)
	})
}
