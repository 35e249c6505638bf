package library

import (
	"context"
	"strings"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/csv"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

// Routes returns the routes of this feature.
func (s *Service) Routes() []web.Route {
	return []web.Route{
		web.Handle("POST /school-admin/library/book/create", s.CreateBook, web.Write("library"), web.Created(),
			web.Doc("Create a book with its copies.")),
		web.Handle("POST /school-admin/library/book/import", s.importBooks, web.Write("library"),
			people.TakesCSV(),
			web.Doc("Import books with their copies from a CSV file, at most 10,000. Nothing is written unless every row is valid.")),
		web.Handle("GET /school-admin/library/book/import/template", s.bookTemplate, web.Read("library"), web.GivesFile(csv.Type),
			web.Doc("A CSV file with the columns of an import and one example row.")),
		web.Handle("GET /school-admin/library/book/import/list", s.imports().List, web.Read("library"), web.List("createdAt"),
			web.Doc("List the imports of books.")),
		web.Handle("POST /school-admin/library/book/import/{id}/undo", s.imports().Undo, web.Write("library"), web.Says("Undone."),
			web.Doc("Delete the books that an import added, while none of them was lent, reserved or changed.")),
		web.Handle("GET /school-admin/library/book/list", s.books, web.Read("library"), web.List("title", "author", "createdAt"),
			web.Doc("List books.")),
		web.Handle("GET /school-admin/library/book/{id}", s.book, web.Read("library"), web.Doc("Get a book with its copies.")),
		web.Handle("PUT /school-admin/library/book/{id}", s.updateBook, web.Write("library"), web.Doc("Change a book.")),
		web.Handle("DELETE /school-admin/library/book/{id}", s.deleteBook, web.Delete("library"),
			web.Doc("Delete a book that is neither lent out nor reserved.")),
		web.Handle("POST /school-admin/library/book/{id}/copies", s.addCopies, web.Write("library"), web.Created(),
			web.Doc("Add copies to a book. They are held for waiting reservations first.")),
		web.Handle("PUT /school-admin/library/copy/{id}", s.updateCopy, web.Write("library"),
			web.Doc("Change the accession number of a copy, withdraw it, mark it as lost or put it back on the shelf.")),

		web.Handle("POST /school-admin/library/loan/issue", s.Issue, web.Write("library"), web.Created(), web.Says("Issued."),
			web.Doc("Issue a copy to a student or an employee.")),
		web.Handle("POST /school-admin/library/loan/return", s.giveBack, web.Write("library"), web.Says("Returned."),
			web.Doc("Return a copy. A late fine is charged to the student's fee account.")),
		web.Handle("POST /school-admin/library/loan/renew", s.renew, web.Write("library"), web.Says("Renewed."),
			web.Doc("Renew a loan.")),
		web.Handle("POST /school-admin/library/loan/lost", s.lose, web.Write("library"), web.Says("Noted as lost."),
			web.Doc("Mark a lent copy as lost. Its price is charged to the student's fee account.")),
		web.Handle("GET /school-admin/library/loan/list", s.loans, web.Read("library"), web.List("dueDate", "createdAt"),
			web.Doc("List loans, the latest first.")),
		web.Handle("GET /school-admin/library/loan/{id}", s.loan, web.Read("library"), web.Doc("Get a loan.")),

		web.Handle("POST /school-admin/library/reservation/create", s.Reserve, web.Write("library"), web.Created(),
			web.Doc("Reserve a book. The next copy is held for the first in the queue, who is notified.")),
		web.Handle("GET /school-admin/library/reservation/list", s.reservations, web.Read("library"), web.List("createdAt"),
			web.Doc("List reservations, in queue order.")),
		web.Handle("POST /school-admin/library/reservation/{id}/cancel", s.cancel, web.Write("library"), web.Says("Cancelled."),
			web.Doc("Cancel a reservation. A held copy goes to the next in the queue.")),

		web.Handle("GET /school-admin/library/rules", s.getRules, web.Read("library"), web.Doc("Get the library's rules.")),
		web.Handle("PUT /school-admin/library/rules", s.UpdateRules, web.Write("library"),
			web.Doc("Change the library's rules: loan limits, loan periods and late fines.")),

		web.Handle("GET /parent/library/loans", s.childrenLoans, web.Read("library"), web.List("dueDate", "createdAt"),
			web.Doc("List the loans of the caller's children, the latest first.")),
	}
}

type loanFilters struct {
	Status      string `json:"status,omitempty" enum:"ISSUED,RETURNED,LOST"`
	Overdue     *bool  `json:"overdue,omitempty" doc:"True: only overdue loans."`
	StudentID   *id.ID `json:"studentId,omitempty"`
	EmployeeID  *id.ID `json:"employeeId,omitempty"`
	BookID      *id.ID `json:"bookId,omitempty"`
	AccessionNo string `json:"accessionNo,omitempty" doc:"Loans of this copy."`
}

func (s *Service) loans(ctx context.Context, who actor.Actor, in page.Ask[loanFilters]) (page.Of[Loan], error) {
	q, asked := s.DB.School(who.School), in.Filters
	f := loanFilter{status: asked.Status, overdue: asked.Overdue, today: s.today(who), employee: asked.EmployeeID, book: asked.BookID,
		accessionNo: strings.TrimSpace(asked.AccessionNo)}
	if asked.StudentID != nil {
		f.students = []id.ID{*asked.StudentID}
	}
	list, err := pageLoans(ctx, q, f, in.Request)
	if err != nil || list.Total > 0 { // check the ids of filters only if the list is empty
		return list, err
	}
	return list, people.MustExist(ctx, q,
		people.Ref{Table: "students", ID: asked.StudentID, Missing: people.ErrNoStudent},
		people.Ref{Table: "employees", ID: asked.EmployeeID, Missing: people.ErrNoEmployee},
		people.Ref{Table: "library_books", ID: asked.BookID, Missing: errNoBook})
}

func (s *Service) today(who actor.Actor) clock.Date { return clock.DateIn(s.Now(), who.Zone) }

func (s *Service) loan(ctx context.Context, who actor.Actor, in idIn) (Loan, error) {
	q := s.DB.School(who.School)
	l, err := getLoan(ctx, q, in.ID)
	if err != nil {
		return l, err
	}
	one := []Loan{l}
	err = asOf(ctx, q, one, s.today(who))
	return one[0], err
}

type childFilters struct {
	StudentID *id.ID `json:"studentId,omitempty" doc:"One child. Default: all children of the caller."`
	Status    string `json:"status,omitempty" enum:"ISSUED,RETURNED,LOST"`
	Overdue   *bool  `json:"overdue,omitempty"`
}

func (s *Service) childrenLoans(ctx context.Context, who actor.Actor, in page.Ask[childFilters]) (page.Of[Loan], error) {
	q, f := s.DB.School(who.School), in.Filters
	students, err := s.childrenOf(ctx, who, f.StudentID)
	if err != nil {
		return page.Of[Loan]{}, err
	}
	return pageLoans(ctx, q, loanFilter{status: f.Status, overdue: f.Overdue, today: s.today(who), students: students}, in.Request)
}

// childrenOf returns one child, which must be linked to the caller, or all children.
func (s *Service) childrenOf(ctx context.Context, who actor.Actor, child *id.ID) ([]id.ID, error) {
	q := s.DB.School(who.School)
	if child == nil {
		return people.ChildrenOf(ctx, q, who.User)
	}
	return []id.ID{*child}, people.MustBeLinked(ctx, q, who.User, *child)
}
