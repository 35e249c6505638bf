package fee

import (
	"slices"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/csv"
	"homeroom/internal/platform/web"
)

// Routes returns the routes of this feature.
func (s *Service) Routes() []web.Route {
	return slices.Concat(s.priceRoutes(), s.chargeRoutes(), s.moneyRoutes(), s.tillRoutes(), s.reportRoutes(), s.parentRoutes())
}

// priceRoutes are the routes of fee heads, structures and student profiles.
func (s *Service) priceRoutes() []web.Route {
	read, write := web.Read("fee"), web.Write("fee")
	return []web.Route{
		web.Handle("POST /school-admin/fee/head/create", s.createHead, write, web.Created(), web.Doc("Create a fee head, such as tuition.")),
		web.Handle("GET /school-admin/fee/head/list", s.listHeads, read, web.List("name", "createdAt"), web.Doc("List fee heads.")),
		web.Handle("GET /school-admin/fee/head/{id}", s.getHead, read, web.Doc("Get a fee head.")),
		web.Handle("PUT /school-admin/fee/head/{id}", s.updateHead, write, web.Doc("Rename a fee head.")),
		web.Handle("DELETE /school-admin/fee/head/{id}", s.deleteHead, web.Delete("fee"),
			web.Doc("Delete an unused fee head.")),
		web.Handle("POST /school-admin/fee/structure/create", s.CreateStructure, write, web.Created(),
			web.Doc("Create the fee structure of a class.")),
		web.Handle("GET /school-admin/fee/structure/list", s.listStructures, read, web.List("className", "createdAt"),
			web.Doc("List fee structures.")),
		web.Handle("GET /school-admin/fee/structure/{id}", s.structure, read,
			web.Doc("Get a fee structure, by the id of its class or its own.")),
		web.Handle("PUT /school-admin/fee/structure/{id}", s.updateStructure, write,
			web.Doc("Change a fee structure, by its own id. Items that have been charged can't change.")),
		web.Handle("DELETE /school-admin/fee/structure/{id}", s.deleteStructure, web.Delete("fee"),
			web.Doc("Delete a fee structure that has not been charged, by its own id.")),
		web.Handle("GET /school-admin/fee/student/{studentId}", s.profile, read,
			web.Doc("Get a student's fee category and optional items.")),
		web.Handle("PUT /school-admin/fee/student/{studentId}", s.SetProfile, write,
			web.Doc("Change a student's fee category and optional items, for future charges.")),
	}
}

func (s *Service) chargeRoutes() []web.Route {
	read, write := web.Read("fee"), web.Write("fee")
	return []web.Route{
		web.Handle("POST /school-admin/fee/charge/generate", s.Generate, write, web.Within(csvTime), web.Says("Charged."),
			web.Doc("Charge a class, some students or the whole school for a period. Nothing is charged twice.")),
		web.Handle("POST /school-admin/fee/charge/create", s.createCharge, write, web.Created(), web.Doc("Charge one student by hand.")),
		web.Handle("GET /school-admin/fee/charge/list", s.listCharges, read, web.List("dueDate", "createdAt"),
			web.Doc("List charges.")),
		web.Handle("GET /school-admin/fee/charge/{id}", s.oneCharge, read, web.Doc("Get a charge.")),
		web.Handle("POST /school-admin/fee/charge/{id}/void", s.void, write, web.Says("Voided."),
			web.Doc("Void a charge. Its payments become an advance.")),
		web.Handle("POST /school-admin/fee/opening/create", s.createOpening, write, web.Created(),
			web.Doc("Enter a student's opening balance: what was owed, or paid ahead, before the school kept its books here.")),
		web.Handle("POST /school-admin/fee/opening/import", s.importOpenings, write, people.TakesCSV(),
			web.Within(csvTime),
			web.Doc("Import opening balances from a CSV file, at most 10,000. Nothing is written unless every row is valid.")),
		web.Handle("GET /school-admin/fee/opening/import/template", s.openingTemplate, read, web.GivesFile(csv.Type),
			web.Doc("A CSV file with the columns of an import and one example row.")),
		web.Handle("GET /school-admin/fee/opening/import/list", s.imports().List, read, web.List("createdAt"),
			web.Doc("List the imports of opening balances.")),
		web.Handle("POST /school-admin/fee/opening/import/{id}/undo", s.imports().Undo, write, web.Within(csvTime), web.Says("Undone."),
			web.Doc("Cancel the opening balances that an import entered, while none of them was paid, conceded, used or cancelled.")),
		web.Handle("GET /school-admin/fee/opening/list", s.listOpenings, read, web.List("createdAt"), web.Doc("List opening balances.")),
		web.Handle("POST /school-admin/fee/opening/{id}/cancel", s.cancelOpening, write, web.Says("Cancelled."),
			web.Doc("Cancel an opening balance, so that it can be entered anew. What was paid on it becomes an advance.")),
		web.Handle("POST /school-admin/fee/concession/grant", s.Grant, write, web.Created(),
			web.Doc("Grant a student a concession, by amount or percentage.")),
		web.Handle("GET /school-admin/fee/concession/list", s.listConcessions, read, web.List("createdAt"),
			web.Doc("List concessions.")),
		web.Handle("POST /school-admin/fee/concession/{id}/revoke", s.revoke, write, web.Says("Revoked."),
			web.Doc("Revoke a concession and reverse its reductions.")),
	}
}

func (s *Service) moneyRoutes() []web.Route {
	read, write := web.Read("fee"), web.Write("fee")
	return []web.Route{
		web.Handle("POST /school-admin/fee/collection/record", s.Collect, write, web.Created(), web.Says("Recorded."),
			web.Doc("Record a payment for one student, or for several children of a family, on one receipt.")),
		web.Handle("GET /school-admin/fee/collection/list", s.listReceipts, read, web.List("date", "number", "createdAt"),
			web.Doc("List receipts.")),
		web.Handle("GET /school-admin/fee/receipt/{id}", s.oneReceipt, read, web.OrFile(pdfType, "pdf"),
			web.Doc("Get a receipt; with format=pdf, as a PDF file.")),
		web.Handle("POST /school-admin/fee/collection/{id}/reverse", s.Reverse, write, web.Says("Reversed."),
			web.Doc("Reverse a receipt, for example for a bounced cheque. Its charges are due again.")),
		web.Handle("POST /school-admin/fee/collection/{id}/undo", s.undoReceipt, write, web.Says("Undone."),
			web.Doc("Reverse a receipt without a reason: one in your till until that is closed, one without a till on the day it was recorded.")),
		web.Handle("POST /school-admin/fee/refund/create", s.refund, write, web.Created(), web.Doc("Refund an advance.")),
		web.Handle("GET /school-admin/fee/refund/list", s.listRefunds, read, web.List("date", "number", "createdAt"),
			web.Doc("List refunds.")),
		web.Handle("GET /school-admin/fee/refund/{id}", s.oneRefund, read, web.OrFile(pdfType, "pdf"),
			web.Doc("Get a refund; with format=pdf, as a voucher to sign.")),
		web.Handle("POST /school-admin/fee/refund/{id}/reverse", s.reverseRefund, write, web.Says("Reversed."),
			web.Doc("Reverse a refund.")),
		web.Handle("POST /school-admin/fee/reminder/send", s.remind, write, web.Within(csvTime), web.Says("Sent."),
			web.Doc("Remind families of unpaid fees, at most once a day: by push, and by SMS and e-mail as policy and preferences say.")),
		web.Handle("POST /school-admin/fee/reminder/preview", s.previewReminders, read, web.Within(csvTime),
			web.Doc("Count the families and messages of a reminder, and estimate its price. Sends nothing.")),
	}
}

func (s *Service) tillRoutes() []web.Route {
	read, write := web.Read("fee"), web.Write("fee")
	return []web.Route{
		web.Handle("POST /school-admin/fee/till/open", s.OpenTill, write, web.Created(), web.Says("Opened."),
			web.Doc("Open the caller's till with the cash that is in the drawer.")),
		web.Handle("GET /school-admin/fee/till/mine", s.myTill, read, web.Doc("Get the caller's open till with its sheet.")),
		web.Handle("GET /school-admin/fee/till/list", s.listTills, read, web.List("openedAt"), web.Doc("List the tills of everyone.")),
		web.Handle("GET /school-admin/fee/till/{id}", s.oneTill, read,
			web.Doc("Get a till with its sheet: totals by payment method, receipts, refunds and reversals.")),
		web.Handle("PUT /school-admin/fee/till/{id}", s.changeTill, write, web.Doc("Correct the float of an open till.")),
		web.Handle("POST /school-admin/fee/till/{id}/close", s.CloseTill, write, web.Says("Closed."),
			web.Doc("Close a till with the cash counted. The administrators of fees are told of a difference.")),
		web.Handle("POST /school-admin/fee/till/{id}/reopen", s.reopenTill, write, web.Says("Reopened."),
			web.Doc("Open a closed till again to correct its count, until the person has opened another one.")),
	}
}

func (s *Service) reportRoutes() []web.Route {
	read, file := web.Read("fee"), web.GivesFile(csv.Type)
	return []web.Route{
		web.Handle("GET /school-admin/fee/report/{studentId}", s.oneStatement, read, web.OrFile(pdfType, "pdf"),
			web.Doc("Get a student's statement, with a running balance; with format=pdf, as a PDF file.")),
		web.Handle("GET /school-admin/fee/report/{studentId}/export", s.exportStatement, read, file,
			web.Doc("Export a student's statement as a CSV file.")),
		web.Handle("GET /school-admin/fee/report/dues", s.dues, read, web.List("due", "firstName", "lastName", "admissionNo"),
			web.Doc("List students who owe fees.")),
		web.Handle("GET /school-admin/fee/report/dues/export", s.exportDues, read, file, web.Within(csvTime),
			web.Doc("Export students who owe fees as a CSV file.")),
		web.Handle("GET /school-admin/fee/report/collection", s.collection, read,
			web.Doc("Get the day book: money received and returned, by day, payment method and fee head.")),
		web.Handle("GET /school-admin/fee/report/collection/export", s.exportCollection, read, file, web.Within(csvTime),
			web.Doc("Export the receipts of a date range as a CSV file.")),
		web.Handle("GET /school-admin/fee/report/trial-balance", s.trialBalance, read,
			web.Doc("Get the trial balance: debit and credit of every account. The difference is always 0.")),
	}
}

func (s *Service) parentRoutes() []web.Route {
	read := web.Read("fee")
	return []web.Route{
		web.Handle("GET /parent/fee/list", s.childCharges, read, web.List("dueDate", "createdAt"),
			web.Doc("List the charges of the caller's children.")),
		web.Handle("GET /parent/fee/summary", s.summary, read, web.Doc("Get the unpaid fees of the caller's children.")),
		web.Handle("GET /parent/fee/statement", s.childStatement, read, web.OrFile(pdfType, "pdf"),
			web.Doc("Get one child's statement, with a running balance; with format=pdf, as a PDF file.")),
		web.Handle("GET /parent/fee/receipts", s.childReceipts, read, web.List("date", "createdAt"),
			web.Doc("List the receipts of the caller's children.")),
		web.Handle("GET /parent/fee/receipt/{id}", s.childReceipt, read, web.OrFile(pdfType, "pdf"),
			web.Doc("Get a receipt with the lines of the caller's children; with format=pdf, as a PDF file.")),
	}
}
