package fee

import (
	"slices"

	"homeroom/internal/platform/web"
)

// Routes is everything this feature answers.
func (s *Service) Routes() []web.Route {
	return slices.Concat(s.priceRoutes(), s.chargeRoutes(), s.moneyRoutes(), s.reportRoutes(), s.parentRoutes())
}

// priceRoutes say what things cost.
func (s *Service) priceRoutes() []web.Route {
	read, write := web.Read("fee"), web.Write("fee")
	return []web.Route{
		web.Handle("POST /school-admin/fee/head/create", s.createHead, write, web.Created(), web.Doc("Add something to pay for.")),
		web.Handle("GET /school-admin/fee/head/list", s.listHeads, read, web.List("name", "createdAt"), web.Doc("What is paid for.")),
		web.Handle("GET /school-admin/fee/head/{id}", s.getHead, read, web.Doc("One fee head.")),
		web.Handle("PUT /school-admin/fee/head/{id}", s.updateHead, write, web.Doc("Rename a fee head.")),
		web.Handle("DELETE /school-admin/fee/head/{id}", s.deleteHead, web.Delete("fee"),
			web.Doc("Delete a fee head that was never used.")),
		web.Handle("POST /school-admin/fee/structure/create", s.CreateStructure, write, web.Created(),
			web.Doc("Say what a class costs in its academic year.")),
		web.Handle("GET /school-admin/fee/structure/list", s.listStructures, read, web.List("className", "createdAt"),
			web.Doc("What the classes cost.")),
		web.Handle("GET /school-admin/fee/structure/{id}", s.ofClass, read, web.Doc("What a class costs: the id is that of the class.")),
		web.Handle("PUT /school-admin/fee/structure/{id}", s.updateStructure, write,
			web.Doc("Change what a class costs, by the structure's id: only what has not been charged yet.")),
		web.Handle("DELETE /school-admin/fee/structure/{id}", s.deleteStructure, web.Delete("fee"),
			web.Doc("Delete a structure, by its id, of which nothing has been charged.")),
		web.Handle("GET /school-admin/fee/student/{studentId}", s.profile, read,
			web.Doc("How a student is charged: fee category and optional items.")),
		web.Handle("PUT /school-admin/fee/student/{studentId}", s.SetProfile, write,
			web.Doc("Change how a student is charged from now on.")),
	}
}

func (s *Service) chargeRoutes() []web.Route {
	read, write := web.Read("fee"), web.Write("fee")
	return []web.Route{
		web.Handle("POST /school-admin/fee/charge/generate", s.Generate, write, web.Within(csvTime), web.Says("Charged."),
			web.Doc("Charge a class, some students or the whole school for a period. Nothing is charged twice.")),
		web.Handle("POST /school-admin/fee/charge/create", s.createCharge, write, web.Created(), web.Doc("Charge one student by hand.")),
		web.Handle("GET /school-admin/fee/charge/list", s.listCharges, read, web.List("dueDate", "createdAt"),
			web.Doc("What was charged.")),
		web.Handle("GET /school-admin/fee/charge/{id}", s.oneCharge, read, web.Doc("One charge.")),
		web.Handle("POST /school-admin/fee/charge/{id}/void", s.void, write, web.Says("Voided."),
			web.Doc("Take a charge back. What was paid for it becomes an advance.")),
		web.Handle("POST /school-admin/fee/concession/grant", s.Grant, write, web.Created(),
			web.Doc("Let a student pay less, by an amount or a percentage.")),
		web.Handle("GET /school-admin/fee/concession/list", s.listConcessions, read, web.List("createdAt"),
			web.Doc("Who pays less, and why.")),
		web.Handle("POST /school-admin/fee/concession/{id}/revoke", s.revoke, write, web.Says("Revoked."),
			web.Doc("End a concession, and take back what it gave.")),
	}
}

func (s *Service) moneyRoutes() []web.Route {
	read, write := web.Read("fee"), web.Write("fee")
	return []web.Route{
		web.Handle("POST /school-admin/fee/collection/record", s.Collect, write, web.Created(), web.Says("Recorded."),
			web.Doc("Record a payment for one student, or for several children of a family, on one receipt.")),
		web.Handle("GET /school-admin/fee/collection/list", s.listReceipts, read, web.List("date", "number", "createdAt"),
			web.Doc("Receipts.")),
		web.Handle("GET /school-admin/fee/receipt/{id}", s.oneReceipt, read, web.OrFile(pdfType, "pdf"),
			web.Doc("One receipt; with format=pdf, to print.")),
		web.Handle("POST /school-admin/fee/collection/{id}/reverse", s.Reverse, write, web.Says("Reversed."),
			web.Doc("Take a receipt back, such as for a cheque that bounced. What it paid for is due again.")),
		web.Handle("POST /school-admin/fee/refund/create", s.refund, write, web.Created(), web.Doc("Pay an advance back.")),
		web.Handle("GET /school-admin/fee/refund/list", s.listRefunds, read, web.List("date", "createdAt"),
			web.Doc("Advances that were paid back.")),
		web.Handle("POST /school-admin/fee/refund/{id}/reverse", s.reverseRefund, write, web.Says("Reversed."),
			web.Doc("Take a refund back.")),
		web.Handle("POST /school-admin/fee/reminder/send", s.remind, write, web.Within(csvTime), web.Says("Sent."),
			web.Doc("Remind families of what is due by push, text message and e-mail, at most once a day.")),
	}
}

func (s *Service) reportRoutes() []web.Route {
	read, file := web.Read("fee"), web.GivesFile(csvType)
	return []web.Route{
		web.Handle("GET /school-admin/fee/report/{studentId}", s.statement, read,
			web.Doc("A student's statement, with what is due after each line.")),
		web.Handle("GET /school-admin/fee/report/{studentId}/export", s.exportStatement, read, file,
			web.Doc("A student's statement as a CSV file.")),
		web.Handle("GET /school-admin/fee/report/dues", s.dues, read, web.List("due", "firstName", "lastName", "admissionNo"),
			web.Doc("Who owes what.")),
		web.Handle("GET /school-admin/fee/report/dues/export", s.exportDues, read, file, web.Within(csvTime),
			web.Doc("Who owes what, as a CSV file.")),
		web.Handle("GET /school-admin/fee/report/collection", s.collection, read,
			web.Doc("What came in and went out: by day, by way of paying, by fee head.")),
		web.Handle("GET /school-admin/fee/report/collection/export", s.exportCollection, read, file, web.Within(csvTime),
			web.Doc("Receipts of a time as a CSV file.")),
		web.Handle("GET /school-admin/fee/report/trial-balance", s.trialBalance, read,
			web.Doc("What every account adds up to; the difference is always 0.")),
	}
}

func (s *Service) parentRoutes() []web.Route {
	read := web.Read("fee")
	return []web.Route{
		web.Handle("GET /parent/fee/list", s.childCharges, read, web.List("dueDate", "createdAt"),
			web.Doc("What was charged for the caller's children.")),
		web.Handle("GET /parent/fee/summary", s.summary, read, web.Doc("What is due for the caller's children.")),
		web.Handle("GET /parent/fee/statement", s.childStatement, read,
			web.Doc("Everything about the money of one child, with what was due after each line.")),
		web.Handle("GET /parent/fee/receipts", s.childReceipts, read, web.List("date", "createdAt"),
			web.Doc("Receipts for the caller's children.")),
		web.Handle("GET /parent/fee/receipt/{id}", s.childReceipt, read, web.OrFile(pdfType, "pdf"),
			web.Doc("A receipt, with the lines of the caller's children; with format=pdf, to print.")),
	}
}
