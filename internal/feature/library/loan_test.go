package library_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"homeroom/internal/feature/library"
	"homeroom/internal/feature/people/peopletest"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

func TestLoan(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		book := w.add("Dune", "D-1", "D-2")["id"]
		l := w.issue(" D-1 ", w.mia).Is(201).Data
		if l["issueDate"] != "2026-10-01" || l["dueDate"] != "2026-10-15" || l["status"] != "ISSUED" || l["overdue"] != false ||
			l["title"] != "Dune" ||
			l["borrowerName"] != "Mia Lee" || l["borrowerNo"] != "S-Mia" || l["returnDate"] != nil || l["employeeId"] != nil ||
			l["studentId"] != string(w.mia) {
			t.Errorf("issued loan: got %v", l)
		}
		if c := w.copy(book, "D-1"); c["status"] != "ISSUED" || c["dueDate"] != "2026-10-15" {
			t.Errorf("copy: got %v", c)
		}
		teacher := w.call("POST", "loan/issue", m{"accessionNo": "D-2", "employeeId": w.ann, "dueDate": "2026-10-02"}).Is(201).Data
		if teacher["dueDate"] != "2026-10-02" || teacher["borrowerNo"] != "E1" || teacher["studentId"] != nil {
			t.Errorf("loan of the teacher: got %v", teacher)
		}
		if b := w.call("GET", "book/"+fmt.Sprint(book), nil).Data; b["availableCopies"] != 0.0 {
			t.Errorf("GET book: got %v", b)
		}
		w.later(1)
		got := w.call("GET", "loan/"+l["id"].(string), nil).Is(200).Data
		if got["overdue"] != false || got["accessionNo"] != "D-1" {
			t.Errorf("GET loan/id: got %v", got)
		}
		back := w.giveBack("D-1").Is(200).Data
		if back["status"] != "RETURNED" || back["returnDate"] != "2026-10-02" || back["fine"] != 0.0 || back["hold"] != nil ||
			back["id"] != l["id"] {
			t.Errorf("returned loan: got %v", back)
		}
		w.giveBack("D-1").Is(409, "Conflict")
		w.Audited("library-loan.issue", 2)
		w.Audited("library-loan.return", 1)
		if n := w.Count(`audit_log WHERE school_id = :school AND entity = 'library-loan'
			AND CAST(after AS TEXT) LIKE '%Mia%'`, nil); n != 0 {
			t.Error("the audit log names the borrower")
		}
		w.call("GET", "loan/"+string(peopletest.Nobody), nil).Is(404, "Not Found")
		w.Call(w.South.Admin, "GET", path+"loan/"+l["id"].(string), nil).Is(404, "Not Found")
	})
}

func TestIssueIsChecked(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.add("Dune", "D-1")
		for _, c := range []struct {
			body   m
			status int
			name   string
		}{
			{m{"accessionNo": "D-1"}, 422, "Unprocessable Entity"},
			{m{"studentId": w.mia}, 422, "Unprocessable Entity"},
			{m{"accessionNo": "D-1", "studentId": w.mia, "employeeId": w.ann}, 422, "Unprocessable Entity"},
			{m{"accessionNo": "D-1", "studentId": w.mia, "dueDate": "2026-09-30"}, 422, "Unprocessable Entity"},
			{m{"accessionNo": "D-1", "studentId": w.mia, "dueDate": "2027-10-03"}, 422, "Unprocessable Entity"},
			{m{"accessionNo": "D-1", "studentId": "x"}, 422, "Unprocessable Entity"},
			{m{"accessionNo": "D-1", "studentId": peopletest.Nobody}, 404, "STUDENT_NOT_FOUND"},
			{m{"accessionNo": "D-1", "studentId": w.farMia}, 404, "STUDENT_NOT_FOUND"},
			{m{"accessionNo": "D-1", "studentId": w.ann}, 404, "STUDENT_NOT_FOUND"},
			{m{"accessionNo": "D-1", "employeeId": w.mia}, 404, "Not Found"},
			{m{"accessionNo": "D-2", "studentId": w.mia}, 404, "Not Found"},
			{m{"accessionNo": "d-1", "studentId": w.mia}, 404, "Not Found"},
		} {
			w.call("POST", "loan/issue", c.body).Is(c.status, c.name)
		}
		w.Exec(w.North, `UPDATE students SET status = 'LEFT' WHERE school_id = :school AND id = :id`, db.Args{"id": w.mia})
		w.issue("D-1", w.mia).Is(409, "Conflict")
		w.Exec(w.North, `UPDATE employees SET status = 'RESIGNED' WHERE school_id = :school AND id = :id`, db.Args{"id": w.ann})
		w.call("POST", "loan/issue", m{"accessionNo": "D-1", "employeeId": w.ann}).Is(409, "Conflict")
		for _, action := range []string{"return", "renew", "lost"} {
			w.call("POST", "loan/"+action, m{"accessionNo": "nope"}).Is(404, "Not Found")
			w.call("POST", "loan/"+action, m{}).Is(422)
		}
		if n := w.Count(`library_loans WHERE school_id = :school`, nil); n != 0 {
			t.Errorf("rows: got %v", n)
		}
	})
}

func TestLimits(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.rules(m{"studentLoans": 2, "studentDays": 7, "employeeLoans": 1, "employeeDays": 21})
		w.add("Dune", "D-1", "D-2", "D-3", "D-4", "D-5")
		if l := w.issue("D-1", w.mia).Is(201).Data; l["dueDate"] != "2026-10-08" {
			t.Errorf("issued loan: got %v", l)
		}
		w.issue("D-2", w.mia).Is(201)
		if a := w.issue("D-3", w.mia).Is(409, "Conflict"); !strings.Contains(a.Text, "limit is 2") {
			t.Errorf("second loan: got %v", a.Text)
		}
		byAnn := func(no string) peopletest.Answer {
			return w.call("POST", "loan/issue", m{"accessionNo": no, "employeeId": w.ann})
		}
		if l := byAnn("D-3").Is(201).Data; l["dueDate"] != "2026-10-22" {
			t.Errorf("loan of the employee: got %v", l)
		}
		byAnn("D-4").Is(409, "Conflict")
		w.giveBack("D-1").Is(200)
		w.later(8) // D-2 was due the day before
		if a := w.issue("D-1", w.mia).Is(409, "Conflict"); !strings.Contains(a.Text, "overdue") {
			t.Errorf("issued loan: got %v", a.Text)
		}
		w.rules(m{"overdueBlocks": false})
		w.issue("D-1", w.mia).Is(201)
		w.issue("D-4", w.noa).Is(201)
	})
}

func TestRenew(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		book := w.add("Dune", "D-1", "D-2")["id"]
		w.issue("D-1", w.mia).Is(201)
		renew := func(more m) peopletest.Answer {
			more["accessionNo"] = "D-1"
			return w.call("POST", "loan/renew", more)
		}
		w.later(3)
		if l := renew(m{}).Is(200).Data; l["dueDate"] != "2026-10-18" || l["renewals"] != 1.0 || l["status"] != "ISSUED" ||
			l["issueDate"] != "2026-10-01" {
			t.Errorf("renewal: got %v", l)
		}
		renew(m{"dueDate": "2026-10-17"}).Is(422)
		if l := renew(m{"dueDate": "2026-11-01"}).Is(200).Data; l["dueDate"] != "2026-11-01" || l["renewals"] != 2.0 {
			t.Errorf("renewal: got %v", l)
		}
		if a := renew(m{}).Is(409, "Conflict"); !strings.Contains(a.Text, "2 times") {
			t.Errorf("renewal: got %v", a.Text)
		}
		w.rules(m{"maxRenewals": 3})
		w.issue("D-2", w.zed()).Is(201)
		r := w.reserve(book, w.noa).Is(201).Data
		if a := renew(m{}).Is(409, "Conflict"); !strings.Contains(a.Text, "wait") {
			t.Errorf("renewal: got %v", a.Text)
		}
		w.call("POST", "reservation/"+r["id"].(string)+"/cancel", nil).Is(200)
		w.later(29) // the day after it was due
		if a := renew(m{}).Is(409, "Conflict"); !strings.Contains(a.Text, "2026-11-01") {
			t.Errorf("renewal: got %v", a.Text)
		}
		w.Audited("library-loan.renew", 2)
	})
}

// TestFines returns a book late under several rules.
func TestFines(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for i, c := range []struct {
			rules m
			days  int
			fine  float64
			minor int64
			late  float64
		}{
			{m{"finePerDay": 0.25}, 14, 0, 0, 0},
			{m{"finePerDay": 0.25}, 15, 0.25, 25, 1},
			{m{"finePerDay": 0.25}, 17, 0.75, 75, 3},
			{m{"finePerDay": 0.1}, 44, 3, 300, 30},
			{m{"finePerDay": 0.1, "maxFine": 2.55}, 44, 2.55, 255, 30},
			{m{"finePerDay": 9999999999.99, "maxFine": 0}, 100, 9999999999.99, 999999999999, 86},
			{m{"finePerDay": 0, "maxFine": 0}, 30, 0, 0, 16},
		} {
			w.rules(c.rules)
			no := fmt.Sprint("F-", i)
			w.add("Fined", no)
			l := w.issue(no, w.mia).Is(201).Data
			w.later(c.days)
			// The fine as of today is shown before the return.
			if now := w.call("GET", "loan/"+l["id"].(string), nil).Is(200).Data; now["fine"] != c.fine || now["daysLate"] != c.late ||
				now["overdue"] != (c.late > 0) {
				t.Errorf("%v: %v", c, now)
			}
			calls := w.fines.calls
			back := w.giveBack(no).Is(200).Data
			if back["fine"] != c.fine || back["daysLate"] != c.late || back["overdue"] != false {
				t.Errorf("%v: %v", c, back)
			}
			w.giveBack(no).Is(409)
			f := w.fines.last()
			if c.fine == 0 {
				if w.fines.calls != calls {
					t.Errorf("%v was charged: %v", c, f)
				}
				continue
			}
			if w.fines.calls != calls+1 || f.Student != w.mia || f.Loan != id.ID(l["id"].(string)) || f.Minor != c.minor ||
				!strings.Contains(f.Narration, no) {
				t.Errorf("%v was charged as %v", c, f)
			}
		}
		// A change of the rules does not change past fines.
		w.rules(m{"finePerDay": 50})
		if fines := w.call("GET", "loan/list?sort=createdAt&order=asc", nil).All("items", "fine"); fines[1] != "0.25" || fines[6] != "0" {
			t.Errorf("GET loan/list: got %v", fines)
		}
	})
}

func TestLost(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.rules(m{"finePerDay": 1, "defaultPrice": 20, "studentLoans": 10, "overdueBlocks": false})
		priced := w.call("POST", "book/create", m{"title": "Priced", "price": 12.34,
			"copies": copies("P-1", "P-2", "P-3", "P-4")}).Is(201).Data["id"]
		w.add("Unpriced", "U-1")
		for _, no := range []string{"P-1", "P-2", "P-3", "U-1"} {
			w.issue(no, w.mia).Is(201)
		}
		w.call("POST", "loan/issue", m{"accessionNo": "P-4", "employeeId": w.ann, "dueDate": "2026-10-01"}).Is(201)
		lose := func(body m) (m, library.Fine) {
			l := w.call("POST", "loan/lost", body).Is(200).Data
			return l, w.fines.last()
		}
		if l, f := lose(m{"accessionNo": "P-1"}); l["status"] != "LOST" || l["replacement"] != 12.34 || l["fine"] != 0.0 || f.Minor != 1234 ||
			l["returnDate"] != "2026-10-01" {
			t.Errorf("lost copy: got %v, %v", l, f)
		}
		if l, f := lose(m{"accessionNo": "U-1"}); l["replacement"] != 20.0 || f.Minor != 2000 {
			t.Errorf("lost copy: got %v, %v", l, f)
		}
		charged := w.fines.calls
		if l, _ := lose(m{"accessionNo": "P-2", "price": 0}); l["replacement"] != 0.0 || w.fines.calls != charged {
			t.Errorf("lost copy: got %v, %v", l, w.fines.calls)
		}
		w.call("POST", "loan/lost", m{"accessionNo": "P-3", "price": 1.001}).Is(422)
		w.later(16) // two days late
		if l, f := lose(m{"accessionNo": "P-3", "price": 5.5}); l["fine"] != 2.0 || l["replacement"] != 5.5 || f.Minor != 750 ||
			l["overdue"] != false {
			t.Errorf("lost copy: got %v, %v", l, f)
		}
		// Employees have no fee account: the fine is only shown.
		charged = w.fines.calls
		if l, _ := lose(m{"accessionNo": "P-4"}); l["fine"] != 16.0 || l["replacement"] != 12.34 || w.fines.calls != charged {
			t.Errorf("lost copy: got %v", l)
		}
		b := w.call("GET", "book/"+fmt.Sprint(priced), nil).Is(200)
		if b.Data["availableCopies"] != 0.0 || !slices.Equal(b.All("copies", "status"), []string{"LOST", "LOST", "LOST", "LOST"}) {
			t.Errorf("GET book: got %v", b.Text)
		}
		// A found copy can be lent again; the old loan stays LOST.
		w.do(priced, "P-1", "AVAILABLE").Is(200)
		w.issue("P-1", w.noa).Is(201)
		if got := w.call("GET", "loan/list?accessionNo=P-1&sort=createdAt", nil).All("items", "status"); !slices.Equal(got,
			[]string{"LOST", "ISSUED"}) {
			t.Errorf("GET loan/list: got %v", got)
		}
		w.Audited("library-loan.lost", 5)
	})
}

func TestWithoutLedger(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.lib.Fines = nil
		w.rules(m{"finePerDay": 1})
		w.add("Dune", "D-1")
		w.issue("D-1", w.mia).Is(201)
		w.later(15)
		if l := w.giveBack("D-1").Is(200).Data; l["fine"] != 1.0 {
			t.Errorf("returned loan: got %v", l)
		}
	})
}

func TestLoanList(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		book := w.add("Dune", "D-1", "D-2", "D-3", "D-4")["id"]
		w.add("Emma", "E-1")
		w.issue("D-1", w.mia).Is(201)
		w.giveBack("D-1").Is(200)
		w.call("POST", "loan/issue", m{"accessionNo": "D-2", "studentId": w.mia, "dueDate": "2026-10-05"}).Is(201)
		w.call("POST", "loan/issue", m{"accessionNo": "D-3", "employeeId": w.ann, "dueDate": "2026-10-03"}).Is(201)
		w.issue("D-4", w.noa).Is(201)
		w.issue("E-1", w.noa).Is(201)
		w.call("POST", "loan/lost", m{"accessionNo": "E-1"}).Is(200)
		w.later(5) // the 6th
		for query, want := range map[string]string{
			"":                                        "E-1 D-4 D-3 D-2 D-1",
			"sort=dueDate":                            "D-3 D-2 D-1 D-4 E-1",
			"status=ISSUED":                           "D-4 D-3 D-2",
			"status=RETURNED":                         "D-1",
			"status=LOST":                             "E-1",
			"overdue=true":                            "D-3 D-2",
			"overdue=true&sort=dueDate":               "D-3 D-2",
			"overdue=false":                           "E-1 D-4 D-1",
			"overdue=false&status=ISSUED":             "D-4",
			"studentId=" + string(w.mia):              "D-2 D-1",
			"employeeId=" + string(w.ann):             "D-3",
			"employeeId=" + string(w.dan):             "",
			"bookId=" + fmt.Sprint(book):              "D-4 D-3 D-2 D-1",
			"accessionNo=D-2":                         "D-2",
			"accessionNo=nope":                        "",
			"limit=2&page=2":                          "D-3 D-2",
			"status=LOST&overdue=true":                "",
			"overdue=true&studentId=" + string(w.mia): "D-2",
		} {
			if got := strings.Join(w.call("GET", "loan/list?"+query, nil).Is(200).All("items", "accessionNo"), " "); got != want {
				t.Errorf("%s: %s, want %s", query, got, want)
			}
		}
		for query, name := range map[string]string{
			"studentId=" + string(w.farMia):           "STUDENT_NOT_FOUND",
			"studentId=" + string(peopletest.Nobody):  "STUDENT_NOT_FOUND",
			"employeeId=" + string(peopletest.Nobody): "Not Found",
			"bookId=" + string(peopletest.Nobody):     "Not Found",
		} {
			w.call("GET", "loan/list?"+query, nil).Is(404, name)
		}
		w.call("GET", "loan/list?status=OVERDUE", nil).Is(422)
		if a := w.Call(w.South.Admin, "GET", path+"loan/list", nil).Is(200); a.Data["total"] != 0.0 {
			t.Errorf("GET loan/list: got %v", a.Text)
		}
	})
}

// TestOneCopyOneLoan issues one copy from twenty concurrent calls.
func TestOneCopyOneLoan(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.rules(m{"finePerDay": 1, "studentLoans": 3})
		w.add("Dune", "D-1")
		who := []id.ID{w.mia, w.noa}
		if got := same(20, func(i int) peopletest.Answer { return w.issue("D-1", who[i%2]) }); got[201] != 1 || got[409] != 19 {
			t.Errorf("statuses of concurrent calls: got %v", got)
		}
		w.later(20)
		if got := same(10, func(int) peopletest.Answer { return w.giveBack("D-1") }); got[200] != 1 || got[409] != 9 {
			t.Errorf("statuses of concurrent calls: got %v", got)
		}
		if w.fines.calls != 1 {
			t.Errorf("charges: got %v", w.fines.calls)
		}
		// One borrower and many copies: no more than the limit.
		var numbers []string
		for i := range 20 {
			numbers = append(numbers, fmt.Sprint("M-", i))
		}
		w.add("Many", numbers...)
		if got := same(20, func(i int) peopletest.Answer { return w.issue(numbers[i], w.mia) }); got[201] != 3 || got[409] != 17 {
			t.Errorf("statuses of concurrent calls: got %v", got)
		}
	})
}
