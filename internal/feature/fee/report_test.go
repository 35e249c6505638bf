package fee_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
)

func TestStatement(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.charge(w.ann, "Books", "100", w.Day(-3))
		w.post("concession/grant", m{"studentId": w.ann, "amount": 10, "reason": "the reason"}).OK()
		r := w.pay(w.ann, "120.50")
		st := w.get("report/" + w.ann)
		if st["student"].(m)["firstName"] != "Ann" || len(st["charges"].([]any)) != 1 || st["receipts"].([]any)[0].(m)["number"] != r["number"] {
			t.Errorf("statement: %v", st)
		}
		var lines []string
		for _, e := range st["entries"].([]any) {
			e := e.(m)
			lines = append(lines, fmt.Sprintf("%v %v %v %v: %v", e["type"], e["account"], e["amount"], e["narration"], e["balance"]))
		}
		want := []string{"DR STUDENT 100 Books: 100", "CR STUDENT 10 Concession: Books: 90",
			"CR STUDENT 90 Receipt This year-000001: 0", "CR ADVANCE 30.5 Receipt This year-000001: -30.5"}
		if fmt.Sprint(lines) != fmt.Sprint(want) {
			t.Errorf("entries %q, want %q", lines, want)
		}
		file := w.Admin("GET", at+"report/"+w.ann+"/export", nil)
		if file.Status != 200 || !strings.Contains(string(file.Body), "CR,ADVANCE,Receipt This year-000001,30.50,-30.50\r\n") ||
			strings.Contains(string(file.Body), "the reason") {
			t.Errorf("file: %s", file.Body)
		}
		apptest.Eq(t, "in the profile", fmt.Sprint(w.Admin("GET", "/school-admin/student/"+w.ann+"/profile",
			nil).OK()["sections"].(m)["fees"].(m)["totals"].(m)["advance"]), "30.5")
		w.wantTotals(w.cyd, "charged 0 paid 0 concession 0 fine 0 due 0 advance 0")
	})
}

// TestOverdueInTheProfile: what is overdue is so by the date at the school, as in the statement.
func TestOverdueInTheProfile(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Admin("PUT", "/school-admin/setting", m{"timezone": "Pacific/Kiritimati"}).OK() // 14 hours ahead
		w.Pass(w.Now().Truncate(24 * time.Hour).Add(36 * time.Hour).Sub(w.Now()))         // noon in London, tomorrow at the school
		w.charge(w.ann, "Books", "100", w.Day(0))
		apptest.Eq(t, "overdue", w.get("report/" + w.ann)["totals"].(m)["overdue"], any(100.0))
		for _, path := range []string{"/profile", "/data-export"} {
			fees := w.get("/school-admin/student/" + w.ann + path)["sections"].(m)["fees"].(m)
			apptest.Eq(t, "overdue in "+path, fees["totals"].(m)["overdue"], any(100.0))
		}
	})
}

func TestReports(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.charge(w.ann, "Books", "100", w.Day(-3))
		w.charge(w.ben, "Trip", "40", w.Day(3))
		w.charge(w.cyd, "Trip", "7.50", w.Day(-1))
		w.pay(w.ann, "30")
		bounced := w.pay(w.ben, "50", "method", "CHEQUE")
		w.post("collection/"+bounced.Text("id")+"/reverse", m{"reason": "bounced"}).OK()
		w.pay(w.cyd, "10", "method", "UPI")
		w.post("refund/create", m{"studentId": w.cyd, "method": "CASH", "amount": 0.5}).OK()

		dues := w.get("report/dues")
		if items := dues.Items(); dues["total"] != 2.0 || items[0].Text("firstName") != "Ann" ||
			fmt.Sprint(items[0]["due"], items[0]["overdue"]) != "70 70" ||
			fmt.Sprint(items[1]["due"], items[1]["overdue"]) != "40 0" || items[1].Text("oldestDueDate") != w.Day(3) {
			t.Errorf("dues: %v", dues)
		}
		for ask, want := range map[string]float64{"?overdue=true": 1, "?minDue=40.01": 1, "?minDue=40": 2, "?classId=" + w.two: 0,
			"?classId=" + w.one: 2, "?search=ben": 1, "?sort=firstName&order=desc": 2} {
			apptest.Eq[any](t, ask, w.get("report/dues" + ask)["total"], want)
		}
		file := string(w.Admin("GET", at+"report/dues/export?overdue=true", nil).Body)
		if !strings.Contains(file, "A1,Ann,Lee,One,,70,70,"+w.Day(-3)) || strings.Contains(file, "Ben") {
			t.Errorf("file: %s", file)
		}

		book := w.get("report/collection")
		if fmt.Sprint(book["received"], book["returned"], book["net"], book["receipts"]) != "90 50.5 39.5 3" || book.Text("currency") != "USD" {
			t.Errorf("day book: %v", book)
		}
		var sum float64
		for _, h := range book["byHead"].([]any) {
			sum += h.(m)["amount"].(float64)
		}
		if got := fmt.Sprint(book["byHead"]); sum != 39.5 || !strings.Contains(got, "amount:30 feeHead:Books") ||
			!strings.Contains(got, "amount:7.5 feeHead:Trip") || !strings.Contains(got, "amount:2 feeHead:Advance") {
			t.Errorf("by head: %s", got)
		}
		if got := fmt.Sprint(book["byMethod"]); !strings.Contains(got, "method:CHEQUE net:0 received:50 returned:50") ||
			!strings.Contains(got, "method:CASH net:29.5 received:30 returned:0.5") {
			t.Errorf("by method: %s", got)
		}
		if got := w.get("report/collection?from=" + w.Day(-9) + "&to=" + w.Day(-1)); fmt.Sprint(got["net"]) != "0" ||
			len(got["days"].([]any)) != 0 {
			t.Errorf("before: %v", got)
		}
		w.Admin("GET", at+"report/collection?from="+w.Day(0)+"&to="+w.Day(-1), nil).Fields(422, "to")
		w.Admin("GET", at+"report/collection?from="+w.Day(-400), nil).Fields(422, "to")
		file = string(w.Admin("GET", at+"report/collection/export", nil).Body)
		if strings.Count(file, "\n") != 4 || !strings.Contains(file, ",CHEQUE,,REVERSED,"+w.Day(0)+",A2,Ben,") {
			t.Errorf("file: %s", file)
		}

		trial := w.get("report/trial-balance")
		if fmt.Sprint(trial["difference"]) != "0" || fmt.Sprint(trial["debit"]) != fmt.Sprint(trial["credit"]) {
			t.Errorf("trial balance: %v", trial)
		}
		if got := fmt.Sprint(trial["accounts"]); !strings.Contains(got, "account:STUDENT balance:110") ||
			!strings.Contains(got, "account:ADVANCE balance:-2") || !strings.Contains(got, "account:BANK balance:10") {
			t.Errorf("accounts: %s", got)
		}
		apptest.Eq(t, "the day before", len(w.get("report/trial-balance?date=" + w.Day(-1))["accounts"].([]any)), 0)
		w.Audited("fee-dues.export", 1)
		w.Admin("GET", at+"report/"+w.ann+"/export", nil)
		w.Audited("fee-statement.export", 1)
	})
}

func TestParents(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.charge(w.ann, "Books", "100", w.Day(-3))
		w.charge(w.ben, "Trip", "40", w.Day(3))
		w.charge(w.cyd, "Trip", "7", w.Day(3))
		w.pay(w.ann, "30")
		if got := w.parent("list").OK(); got["total"] != 2.0 || got.Items()[0].Text("status") != "PARTIAL" {
			t.Errorf("list: %v", got)
		}
		if got := w.parent("list?studentId=" + w.ben + "&status=OPEN").OK(); got["total"] != 1.0 || got.Items()[0].Text("title") != "Trip" {
			t.Errorf("of one child: %v", got)
		}
		sum := w.parent("summary").OK()
		if fmt.Sprint(sum["due"], sum["overdue"], sum["advance"]) != "110 70 0" || len(sum["students"].([]any)) != 2 ||
			sum.Text("currency") != "USD" {
			t.Errorf("summary: %v", sum)
		}
		if one := w.parent("summary?studentId=" + w.ben).OK()["students"].([]any); len(one) != 1 || one[0].(m)["nextDueDate"] != w.Day(3) {
			t.Errorf("of one child: %v", one)
		}
		wrong := w.charge(w.ann, "Mistake", "5", w.Day(3))
		w.post("charge/"+wrong+"/void", m{"reason": "Our secret"}).OK()
		got := w.parent("statement?studentId=" + w.ann).OK()
		var balances []any
		for _, e := range got["entries"].([]any) {
			balances = append(balances, e.(m)["balance"])
		}
		if fmt.Sprint(balances) != "[100 70 75 70]" || got["totals"].(m)["due"] != 70.0 || len(got["charges"].([]any)) != 2 ||
			len(got["receipts"].([]any)) != 1 {
			t.Errorf("statement: %v", got)
		}
		if text := fmt.Sprint(got); strings.Contains(text, "secret") || strings.Contains(text, "Trip") {
			t.Errorf("the parent's statement shows internal notes or another child: %s", text)
		}
		w.parent("statement").Want(422, "Unprocessable Entity")
		for _, path := range []string{"list", "summary", "receipts", "statement"} {
			w.parent(path+"?studentId="+w.cyd).Want(403, "PERMISSION_DENIED")
			w.parent(path+"?studentId="+w.farChild).Want(404, "STUDENT_NOT_FOUND")
		}
		w.As(w.North.Teacher, "GET", at+"report/dues", nil).Want(403, "PERMISSION_DENIED")
	})
}

// Parents hear of what is taken back, not of what they were never told.
func TestTakenBack(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		told := func(title, body string) int {
			return w.Count(`notifications WHERE school_id = :school AND user_id = :user AND title LIKE :title AND body LIKE :body`,
				db.Args{"user": w.North.Parent.ID, "title": title, "body": body})
		}
		void := func(charge string) {
			w.Helper()
			w.post("charge/"+charge+"/void", m{"reason": "a mistake"}).OK()
		}
		books := w.charge(w.ann, "Books", "100", w.Day(5))
		tenth := w.post("concession/grant", m{"studentId": w.ann, "percent": 10}).OK().Text("id")
		void(books)
		apptest.Eq(t, "notifications of a void charge", told("Fees cancelled", "The USD 90.00 charged for Ann Lee is cancelled. %"), 1)
		w.charge(w.ann, "Trip", "50", w.Day(5))
		w.post("concession/"+tenth+"/revoke", m{"reason": "a mistake"}).OK()
		apptest.Eq(t, "notifications of a revoked concession",
			told("Concession ended", "A concession for Ann Lee has ended: USD 5.00 is charged again. %"), 1)

		idle := w.post("concession/grant", m{"studentId": w.ben, "percent": 100}).OK().Text("id")
		void(w.charge(w.ben, "Books", "100", w.Day(5)))
		w.post("concession/"+idle+"/revoke", m{"reason": "a mistake"}).OK()
		opened := w.post("opening/create", m{"studentId": w.ben, "owed": 70}).OK()
		void(opened.Text("chargeId"))
		apptest.Eq(t, "notifications of what parents were not told", told("%", "%Ben%"), 0)
	})
}

func TestReminders(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		oldest := w.charge(w.ann, "Books", "1234.50", w.Day(-3))
		w.charge(w.ben, "Trip", "40", w.Day(3))
		w.charge(w.cyd, "Trip", "7", w.Day(3))
		send := func(body m) string {
			w.Helper()
			r := w.post("reminder/send", body).OK()
			return fmt.Sprintf("%v reminded, %v already, %v sms, %v e-mails", r["students"], r["alreadyReminded"], r["sms"], r["email"])
		}
		w.want(send(m{"all": true, "minDue": 5000}), "0 reminded, 0 already, 0 sms, 0 e-mails")
		w.want(send(m{"studentIds": list{w.ann}}), "1 reminded, 0 already, 1 sms, 1 e-mails")
		w.want(send(m{"classId": w.one}), "1 reminded, 1 already, 1 sms, 1 e-mails")
		w.want(send(m{"all": true, "overdueOnly": true}), "0 reminded, 1 already, 0 sms, 0 e-mails")
		w.want(send(m{"all": true}), "1 reminded, 2 already, 1 sms, 0 e-mails")
		apptest.Eq(t, "notifications name the oldest charge",
			w.Count(`notifications WHERE school_id = :school AND title = 'Fees due' AND record_id = :charge`,
				db.Args{"charge": oldest}), 1)
		type message struct{ Channel, ToAddr, Subject, Body string }
		sent, err := db.All[message](t.Context(), w.DB.School(w.North.ID), `
			SELECT channel, to_addr, subject, body FROM deliveries WHERE school_id = :school AND (subject LIKE '%ees due' OR channel = 'push')
			AND CAST(data AS TEXT) LIKE :ann ORDER BY channel`,
			db.Args{"ann": "%" + w.ann + "%"})
		if err != nil || len(sent) != 3 {
			t.Fatalf("reminders sent: %v, %v, want 3", sent, err)
		}
		for _, one := range sent {
			amount := strings.Contains(one.Body, "USD 1,234.50")
			if one.Channel == "push" && (amount || strings.Contains(one.Body, "Ann") || one.ToAddr != "student_"+w.ann+"_fee") ||
				one.Channel != "push" && (!amount || !strings.Contains(one.Body, "Ann Lee")) {
				t.Errorf("reminder: %+v", one)
			}
		}
		w.Pass(24 * time.Hour)
		w.want(send(m{"classId": w.one, "message": "Please pay by Friday."}), "2 reminded, 0 already, 2 sms, 2 e-mails")
		apptest.Eq(t, "reminders with the school's own message",
			w.Count(`deliveries WHERE school_id = :school AND body LIKE '%Please pay by Friday. Ann Lee%'`,
				nil), 2)
		w.Audited("fee-reminder.send", 4)
	})
}

func TestForgetting(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.charge(w.ann, "Books", "100")
		w.post("charge/create", m{"studentId": w.ann, "name": "Window", "amount": 5, "note": "Ann broke it"}).OK()
		w.pay(w.ann, "30", "payer", "Pat Lee", "note", "Ann's mother came", "reference", "UPI-Pat")
		w.post("concession/grant", m{"studentId": w.ann, "amount": 1, "reason": "Ann is ill"}).OK()
		balance := fmt.Sprint(w.get("report/trial-balance"))
		// A student with ledger entries is archived instead of deleted.
		w.Admin("DELETE", "/school-admin/student/"+w.ann, nil).OK()
		apptest.Eq(t, "a student with ledger entries was deleted",
			w.Count(`students WHERE school_id = :school AND id = :id`, db.Args{"id": w.ann}), 1)
		w.Admin("POST", "/school-admin/student/"+w.ann+"/erase", m{"confirm": "A1"}).OK()
		apptest.Eq(t, "trial balance after erasure", fmt.Sprint(w.get("report/trial-balance")), balance)
		for _, table := range []string{"fee_charges", "fee_receipts", "fee_concessions", "ledger_transactions", "audit_log"} {
			type row struct{ Line string }
			columns := map[string]string{"fee_charges": "title || note || void_reason", "fee_receipts": "payer || note || reference",
				"fee_concessions":     "reason",
				"ledger_transactions": "narration", "audit_log": "COALESCE(CAST(before AS TEXT), '') || COALESCE(CAST(after AS TEXT), '')"}[table]
			rows, err := db.All[row](t.Context(), w.DB.School(w.North.ID), `SELECT `+columns+` AS line FROM `+table+` WHERE school_id = :school`,
				nil)
			if err != nil || len(rows) == 0 {
				t.Fatalf("rows of %s: %d, %v", table, len(rows), err)
			}
			for _, r := range rows {
				if strings.Contains(r.Line, "Ann") || strings.Contains(r.Line, "Pat Lee") || strings.Contains(r.Line, "UPI-Pat") {
					t.Errorf("%s still says %q", table, r.Line)
				}
			}
		}
	})
}

// TestTheBooksAreImmutable checks that the database refuses to change the ledger.
func TestTheBooksAreImmutable(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.charge(w.ann, "Books", "100")
		w.pay(w.ann, "30")
		for _, sql := range []string{
			`UPDATE ledger_entries SET amount = amount + 1 WHERE school_id = :school`,
			`DELETE FROM ledger_entries WHERE school_id = :school`,
			`UPDATE ledger_transactions SET narration = 'x' WHERE school_id = :school`,
			`DELETE FROM ledger_transactions WHERE school_id = :school`,
			`UPDATE fee_allocations SET amount = 1 WHERE school_id = :school`,
			`DELETE FROM fee_allocations WHERE school_id = :school`,
			`DELETE FROM fee_receipt_lines WHERE school_id = :school`,
			`DELETE FROM fee_receipts WHERE school_id = :school`,
			`DELETE FROM fee_charges WHERE school_id = :school`,
			`UPDATE fee_charges SET paid = amount + 1 WHERE school_id = :school`,
			`UPDATE fee_charges SET status = 'PAID' WHERE school_id = :school`,
			`UPDATE fee_accounts SET advance = 5 WHERE school_id = :school`,
			`INSERT INTO ledger_entries (school_id, seq, line, date, type, account, amount)
				VALUES (:school, 1, 9, '2026-01-01', 'DR', 'CONCESSION', 0)`,
			`INSERT INTO ledger_entries (school_id, seq, line, date, type, account, amount)
				VALUES (:school, 1, 9, '2026-01-01', 'DR', 'STUDENT', 1)`,
			`INSERT INTO ledger_entries (school_id, seq, line, date, type, account, amount)
				VALUES (:school, 999, 1, '2026-01-01', 'DR', 'CONCESSION', 1)`,
		} {
			if n, err := db.Exec(t.Context(), w.DB.School(w.North.ID), sql, nil); err == nil {
				t.Errorf("%d rows: %s", n, sql)
			}
		}
	})
}
