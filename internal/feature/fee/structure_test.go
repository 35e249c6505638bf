package fee_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
)

// structure creates a fee structure for class one: monthly tuition, an optional bus
// and an admission fee for category NEW.
func (w *world) structure(more m) apptest.Object {
	w.Helper()
	body := m{"classId": w.one, "items": list{
		m{"name": "Tuition", "amount": 100, "frequency": "MONTHLY", "dueDay": 5},
		m{"name": "Bus", "amount": 30.5, "frequency": "MONTHLY", "isOptional": true},
		m{"name": "Admission", "amount": 500, "frequency": "ONCE", "category": "NEW"}}}
	for k, v := range more {
		body[k] = v
	}
	return w.post("structure/create", body).OK()
}

func item(st apptest.Object, n int) m { return st["items"].([]any)[n].(m) }

func (w *world) generate(body m) string {
	w.Helper()
	r := w.post("charge/generate", body).OK()
	return fmt.Sprintf("%v students %v charged %v unchanged, %v less %v, %v from advance", r["students"], r["charged"], r["unchanged"],
		r["amount"], r["concession"], r["fromAdvance"])
}

func (w *world) want(got, want string) {
	w.Helper()
	if got != want {
		w.Errorf("%s, want %s", got, want)
	}
}

func TestGenerate(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.post("charge/generate", m{"classId": w.one}).Want(409, "Conflict")
		st := w.structure(nil)
		w.Admin("PUT", at+"student/"+w.ben, m{"category": "NEW", "optionalItemIds": list{item(st, 1)["id"]}}).OK()
		w.post("concession/grant", m{"studentId": w.ben, "percent": 10}).OK()
		w.pay(w.ann, "70")

		w.want(w.generate(m{"classId": w.one, "period": w.month(0)}), "2 students 4 charged 0 unchanged, 730.5 less 63.05, 70 from advance")
		w.wantTotals(w.ann, "charged 100 paid 70 concession 0 fine 0 due 30 advance 0")
		w.wantTotals(w.ben, "charged 630.5 paid 0 concession 63.05 fine 0 due 567.45 advance 0")
		w.want(w.generate(m{"classId": w.one, "period": w.month(0)}), "0 students 0 charged 4 unchanged, 0 less 0, 0 from advance")
		w.want(w.generate(m{"period": w.month(1)}), "2 students 3 charged 1 unchanged, 230.5 less 13.05, 0 from advance")
		w.want(w.generate(m{"studentIds": list{w.ann, w.cyd, w.ann}, "period": w.month(-1)}),
			"1 students 1 charged 0 unchanged, 100 less 0, 0 from advance")
		w.want(w.generate(m{"classId": w.one, "period": "YEAR"}), "0 students 0 charged 1 unchanged, 0 less 0, 0 from advance")

		// One that was voided is not charged again.
		all := w.get("charge/list?studentId=" + w.ann + "&sort=dueDate").Items()
		if len(all) != 3 || !strings.HasPrefix(all[0].Text("title"), "Tuition, ") || all[1].Text("period") != w.month(0) ||
			all[1].Text("dueDate") != w.month(0)+"-05" {
			t.Fatalf("charges: %v", all)
		}
		w.post("charge/"+all[0].Text("id")+"/void", m{"reason": "came later"}).OK()
		w.want(w.generate(m{"classId": w.one, "period": w.month(-1)}), "1 students 2 charged 2 unchanged, 130.5 less 13.05, 0 from advance")
		w.Audited("fee-charge.generate", 6)
		apptest.Eq(t, "push notifications for three rounds of charges",
			w.Count(`deliveries WHERE school_id = :school AND channel = 'push' AND to_addr = :topic
			AND subject = 'Fees'`,
				db.Args{"topic": "student_" + w.ben + "_fee"}), 1)
		for _, tt := range []struct {
			body   m
			fields string
		}{
			{m{"classId": w.one, "studentIds": list{w.ann}}, "studentIds"}, {m{"period": "1999-01"}, "period"}, {m{"period": "soon"}, "period"},
		} {
			w.post("charge/generate", tt.body).Fields(422, tt.fields)
		}
		if got := w.get("charge/list?overdue=true&classId=" + w.one); got["total"] == 0.0 || got["total"] == w.get("charge/list")["total"] {
			t.Errorf("overdue: %v", got["total"])
		}
	})
}

// A student who moves to another class is not charged there for what was charged in the first.
func TestGenerateAfterChangeOfClass(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		fees := func(tuition int) list {
			return list{m{"name": "Tuition", "amount": tuition, "frequency": "MONTHLY"}, m{"name": "Books", "amount": 20, "frequency": "YEARLY"}}
		}
		w.structure(m{"items": fees(100)})
		w.structure(m{"classId": w.two, "items": fees(150)})
		round := m{"classId": w.two, "period": w.month(0)}
		w.want(w.generate(m{"classId": w.one, "period": w.month(0)}), "2 students 4 charged 0 unchanged, 240 less 0, 0 from advance")
		w.Admin("PUT", "/school-admin/student/"+w.ann, m{"classId": w.two}).OK()
		w.want(w.generate(round), "1 students 2 charged 2 unchanged, 170 less 0, 0 from advance")
		w.want(w.generate(m{"period": w.month(1)}), "3 students 3 charged 3 unchanged, 400 less 0, 0 from advance")
		w.Admin("PUT", "/school-admin/student/"+w.ann, m{"classId": w.one}).OK()
		w.want(w.generate(m{"period": w.month(1)}), "0 students 0 charged 6 unchanged, 0 less 0, 0 from advance")

		// Whoever should pay the other class's tuition has the first one voided.
		for _, c := range w.get("charge/list?studentId=" + w.ben).Items() {
			if c.Text("period") == w.month(0) {
				w.post("charge/"+c.Text("id")+"/void", m{"reason": "moved"}).OK()
			}
		}
		w.Admin("PUT", "/school-admin/student/"+w.ben, m{"classId": w.two}).OK()
		w.want(w.generate(round), "1 students 1 charged 3 unchanged, 150 less 0, 0 from advance")
	})
}

func TestStructure(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		st := w.structure(m{"lateFine": m{"perDay": 1.25, "graceDays": 3}})
		if got := w.get("structure/" + w.one); got.Text("id") != st.Text("id") || len(got["items"].([]any)) != 3 ||
			got["lateFine"].(m)["perDay"] != 1.25 || item(got, 0)["feeHead"] != "Tuition" {
			t.Errorf("read: %v", got)
		}
		w.Admin("GET", at+"structure/"+w.two, nil).Want(404, "Not Found")
		w.post("structure/create", m{"classId": w.one, "items": list{m{"name": "X", "amount": 1}}}).Want(409, "DUPLICATE_ENTRY")
		apptest.Eq(t, "list", w.get("structure/list?classId=" + w.one)["total"], 1.0)
		put := func(body m) apptest.Reply {
			return w.Admin("PUT", at+"structure/"+st.Text("id"), body)
		}
		tuition, bus := item(st, 0), item(st, 1)
		keep := func(of m, change m) m {
			out := m{"id": of["id"], "feeHeadId": of["feeHeadId"], "amount": of["amount"], "frequency": of["frequency"],
				"isOptional": of["isOptional"], "category": of["category"]}
			for k, v := range change {
				out[k] = v
			}
			return out
		}
		// Nothing is charged yet: everything may change.
		got := put(m{"version": 1, "items": list{keep(tuition, m{"amount": 110}), keep(bus, nil),
			m{"name": "tuition ", "amount": 5, "frequency": "YEARLY"}}, "lateFine": nil}).OK()
		if len(got["items"].([]any)) != 3 || item(got, 0)["id"] != tuition["id"] || fmt.Sprint(item(got, 0)["amount"]) != "110" ||
			got["lateFine"] != nil || item(got, 2)["feeHeadId"] != tuition["feeHeadId"] || got["version"] != 2.0 {
			t.Errorf("changed: %v", got)
		}
		put(m{"version": 1, "termsPerYear": 2}).Want(409, "Conflict")
		w.generate(m{"classId": w.one, "period": w.month(0)})
		items := func(first m) m { return m{"items": list{first, keep(bus, m{"amount": 40}), keep(item(got, 2), nil)}} }
		for name, change := range map[string]m{"amount": {"amount": 120}, "frequency": {"frequency": "YEARLY"},
			"head": {"feeHeadId": bus["feeHeadId"]}, "option": {"isOptional": true}} {
			if r := put(items(keep(item(got, 0), change))); r.Status != 409 || !strings.Contains(string(r.Body), "Tuition") {
				t.Errorf("%s of what was charged: %d %s", name, r.Status, r.Body)
			}
		}
		put(m{"items": list{keep(bus, nil)}}).Want(409, "Conflict")
		// An uncharged item may change; a charged one may get an end date.
		after := put(items(keep(item(got, 0), m{"endDate": w.Day(0), "dueDay": 7}))).OK()
		if fmt.Sprint(item(after, 1)["amount"]) != "40" || item(after, 0)["endDate"] != w.Day(0) {
			t.Errorf("after: %v", after)
		}
		w.want(w.generate(m{"classId": w.one, "period": w.month(1)}), "0 students 0 charged 2 unchanged, 0 less 0, 0 from advance")
		w.Admin("DELETE", at+"structure/"+st.Text("id"), nil).Want(409, "Conflict")
		w.Admin("DELETE", "/school-admin/class/"+w.one, nil).Want(409, "Conflict")
		free := w.post("structure/create", m{"classId": w.two, "items": list{m{"name": "X", "amount": 1}}}).OK()
		remove := func(version string) apptest.Reply {
			return w.Call(t, w.North.Admin, "DELETE", at+"structure/"+free.Text("id"), nil, "If-Match", version)
		}
		remove(`"7"`).Want(409, "Conflict")
		remove(`"1"`).OK()
		for _, tt := range []struct {
			body   m
			fields string
		}{
			{m{"classId": w.two, "items": list{}}, "items"},
			{m{"classId": w.two, "items": list{m{"amount": 1}}}, "items[0].feeHeadId"},
			{m{"classId": w.two, "items": list{m{"name": "X", "amount": 1, "frequency": "MONTHLY", "dueDate": w.Day(1)}}}, "items[0].dueDate"},
			{m{"classId": w.two, "items": list{m{"name": "X", "amount": json.Number("1.999")}}, "lateFine": m{}}, "items[0].amount"},
			{m{"classId": w.two, "items": list{m{"name": "X", "amount": 1}}, "lateFine": m{"perDay": 1, "flat": 1}}, "lateFine.perDay"},
		} {
			w.post("structure/create", tt.body).Fields(422, tt.fields)
		}
		w.Audited("fee-structure.update", 2)
	})
}

func TestHeads(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		h := w.post("head/create", m{"name": " Tuition ", "code": "T1"}).OK()
		if h.Text("name") != "Tuition" || h.Text("system") != "" {
			t.Errorf("made: %v", h)
		}
		w.post("head/create", m{"name": "TUITION"}).Want(409, "DUPLICATE_ENTRY")
		w.post("head/create", m{"name": "Other", "code": "T1"}).Want(409, "DUPLICATE_ENTRY")
		put := func(body m) apptest.Reply { return w.Admin("PUT", at+"head/"+h.Text("id"), body) }
		if got := put(m{"name": "Fees", "version": 1}).OK(); got.Text("name") != "Fees" || got.Text("code") != "T1" || got["version"] != 2.0 {
			t.Errorf("renamed: %v", got)
		}
		put(m{"name": "X", "version": 1}).Want(409, "Conflict")
		apptest.Eq(t, "list", len(w.get("head/list?search=fee").Items()), 1)
		w.post("charge/create", m{"studentId": w.ann, "feeHeadId": h["id"], "amount": 1}).OK()
		w.Admin("DELETE", at+"head/"+h.Text("id"), nil).Want(409, "Conflict")
		spare := w.post("head/create", m{"name": "Spare"}).OK()
		w.Admin("DELETE", at+"head/"+spare.Text("id"), nil).OK()
		w.Admin("GET", at+"head/"+spare.Text("id"), nil).Want(404, "Not Found")
	})
}

// Copied to another year, dates are the same days of that year, on whichever side of New Year it begins.
func TestCopyMovesDates(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for i, tt := range [][6]string{ // the years, a due date in the first, and where it is in the second
			{"2030-08-03", "2031-06-20", "2031-08-02", "2032-06-18", "2031-01-15", "2032-01-15"},
			{"2033-12-29", "2034-12-15", "2035-01-04", "2035-12-14", "2034-02-10", "2035-02-10"},
			{"2037-01-04", "2037-12-10", "2037-12-28", "2038-12-10", "2037-05-10", "2038-05-10"},
			{"2040-01-05", "2040-07-20", "2040-08-03", "2041-06-20", "2040-03-10", "2041-03-10"},
			{"2043-08-03", "2044-06-20", "2044-08-02", "2045-06-20", "2044-02-29", "2045-02-28"},
			{"2047-08-03", "2048-06-20", "2048-08-02", "2049-06-20", "2047-07-10", "2048-07-10"}, // before the year
		} {
			from := w.Make("academic-year/create", m{"name": fmt.Sprint("From ", i), "startDate": tt[0], "endDate": tt[1]})
			to := w.Make("academic-year/create", m{"name": fmt.Sprint("To ", i), "startDate": tt[2], "endDate": tt[3]})
			class := w.Make("class/create", m{"name": "One", "academicYearId": from})
			w.post("structure/create", m{"classId": class, "items": list{m{"name": "Books", "amount": 1, "dueDate": tt[4]}}}).OK()
			w.Admin("POST", "/school-admin/class/copy", m{"fromAcademicYearId": from, "toAcademicYearId": to, "feeStructures": true}).OK()
			copied := w.get("structure/list?academicYearId=" + to).Items()[0]
			apptest.Eq(t, "due date in the year from "+tt[2], fmt.Sprint(item(copied, 0)["dueDate"]), tt[5])
		}
	})
}

// Promoting a class does not end its year: its students are charged until they leave.
func TestGenerateAfterPromotion(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.structure(nil)
		next := w.Make("academic-year/create", m{"name": "Next year", "startDate": clock.Date(w.Day(0)).AddDays(400),
			"endDate": clock.Date(w.Day(0)).AddDays(700)})
		to := w.Make("class/create", m{"name": "Two", "academicYearId": next})
		w.Admin("POST", "/school-admin/student/promote", m{"fromClassId": w.one, "toClassId": to, "except": list{w.ben}}).OK()
		w.want(w.generate(m{"classId": w.one, "period": w.month(0)}), "2 students 2 charged 0 unchanged, 200 less 0, 0 from advance")
		w.Admin("PUT", "/school-admin/student/"+w.ben, m{"status": "LEFT"}).OK()
		w.want(w.generate(m{"period": w.month(1)}), "1 students 1 charged 0 unchanged, 100 less 0, 0 from advance")
	})
}
