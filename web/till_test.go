package webapp_test

import (
	"testing"

	"homeroom/internal/apptest"
)

// ownTill returns the principal's open till.
func (d *demo) ownTill(admin *apptest.Account) (id string, expected float64) {
	d.T.Helper()
	var reply struct {
		Data struct {
			Till struct {
				ID       string
				Expected float64
			}
		}
	}
	d.read(d.Call(d.T, admin, "GET", "/school-admin/fee/till/mine", nil), &reply)
	return reply.Data.Till.ID, reply.Data.Till.Expected
}

// TestTill opens a till, takes cash, closes it with a difference and looks at its sheet.
func TestTill(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		admin := d.login("admin@greenfield.test")
		morning, expected := d.ownTill(admin) // of the demo
		d.Call(d.T, admin, "POST", "/school-admin/fee/till/"+morning+"/close", map[string]any{"counted": expected}).OK()
		d.signIn()
		d.goes("/app/fees/tills")
		d.Clicks("button", "Open a till")
		d.Fills("Cash in the drawer", "90")
		d.Clicks("button", "Open the till")
		d.Sees("Your till is open.")
		d.Clicks("button", "Correct the float")
		d.Fills("Cash in the drawer", "100")
		d.Clicks("button", "Save")
		d.Sees("The float is corrected.")
		till, _ := d.ownTill(admin)

		d.goes("/app/fees/counter?student=" + d.first(admin, "/school-admin/fee/report/dues", "studentId"))
		d.Finds("region", "Receipt")
		d.settles()
		d.Fills("Amount received", "25")
		d.Clicks("button", "Take without printing")
		d.Finds("button", "Next family")
		receipt := d.first(admin, "/school-admin/fee/collection/list?sort=createdAt&order=desc&limit=1", "id")
		d.goes("/app/fees/receipts/" + receipt)
		d.Finds("button", "Undo the payment")

		d.goes("/app/fees/tills")
		d.Sees("$125.00")
		d.Clicks("button", "Count and close")
		d.Fills("Cash counted", "120")
		d.Sees("$5.00 missing")
		d.Fills("Why it differs", "Gave too much change")
		d.Clicks("button", "Close the till")
		d.Sees("The till is closed.")
		d.goes("/app/fees/tills/" + till)
		d.Finds("heading", "Till of Grace Whitfield $5.00 missing")
		d.Sees("Gave too much change", "$100.00", "$125.00", "$120.00")
		d.goes("/app/fees/receipts/" + receipt)
		d.Finds("button", "Reverse") // with a reason: the till is closed
		if d.Has("button", "Undo the payment") {
			d.T.Error("a receipt of a closed till can be undone")
		}
		d.clean()
	})
}

// TestUndoImport pastes the cells of a student, imports them and takes the import back; so
// with a book by the message, an opening balance, and a lesson from the list of earlier imports.
func TestUndoImport(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		d.signIn()
		d.pastes("/app/import/students", "Import students", `First Name\tLast Name\nQuincy\tQuill\n`)
		d.Clicks("button", "Undo the import")
		d.Sees("The import is undone.")
		d.Sees("Earlier imports", "undone")
		d.goes("/app/students?search=Quill")
		d.Sees("Nothing matches")

		d.pastes("/app/import/books", "Import books", `Title\tAuthor\nThe Quill\tQuincy\n`)
		d.Clicks("button", "Undo: 1 row is imported")
		d.Sees("Undone.")
		d.goes("/app/library/books?search=The+Quill")
		d.Sees("Nothing matches")

		o := &office{demo: d, admin: d.login("admin@greenfield.test")}
		student := o.make("student/create", m{"firstName": "Opal", "lastName": "Owen", "admissionNo": "OB-1"})
		d.pastes("/app/import/openings", "Import opening balances", `Admission Number\tOwed\nOB-1\t120.50\n`)
		o.eq("due after the import", o.owes(student), "120.5 due, 0 paid")
		d.Clicks("button", "Undo the import") // the message of the first undo may still be there
		d.Until("nothing is due after the undo", func() bool { return o.owes(student) == "0 due, 0 paid" })

		d.pastes("/app/import/timetable", "Import a timetable",
			`Class\tDivision\tDay\tPeriod\tBegins\tEnds\tSubject\nGrade 5\tA\tMonday\t1\t08:30\t09:15\tMathematics\n`)
		d.Clicks("button", "Import another file")
		d.Sees("Earlier imports")
		d.Clicks("button", d.js(`document.querySelector("td button[aria-label]").ariaLabel`)) // "Undo the import of 8:05"
		d.Sees("The import is undone.")
		d.clean()
	})
}

// pastes imports one row of cells.
func (d *demo) pastes(page, title, cells string) {
	d.T.Helper()
	d.goes(page)
	d.Finds("heading", title)
	d.settles()
	d.js(`(() => { const cells = new DataTransfer(); cells.setData("text/plain", "` + cells + `")
		dispatchEvent(new ClipboardEvent("paste", { clipboardData: cells })) })()`)
	d.Clicks("button", "Check 1 row")
	d.Clicks("button", "Import 1 row")
	d.Finds("heading", "1 row is imported")
}
