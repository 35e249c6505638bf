package library

import (
	"context"
	"strings"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

// Routes is everything this feature answers.
func (s *Service) Routes() []web.Route {
	return []web.Route{
		web.Handle("POST /school-admin/library/book/create", s.CreateBook, web.Write("library"), web.Created(),
			web.Doc("Add a book, with its copies.")),
		web.Handle("GET /school-admin/library/book/list", s.books, web.Read("library"), web.List("title", "author", "createdAt"),
			web.Doc("Books, by title.")),
		web.Handle("GET /school-admin/library/book/{id}", s.book, web.Read("library"), web.Doc("One book and its copies.")),
		web.Handle("PUT /school-admin/library/book/{id}", s.updateBook, web.Write("library"), web.Doc("Change a book.")),
		web.Handle("DELETE /school-admin/library/book/{id}", s.deleteBook, web.Delete("library"),
			web.Doc("Delete a book that is neither lent out nor reserved.")),
		web.Handle("POST /school-admin/library/book/{id}/copies", s.addCopies, web.Write("library"), web.Created(),
			web.Doc("Add copies to a book. Who waits for it gets them first.")),
		web.Handle("PUT /school-admin/library/copy/{id}", s.updateCopy, web.Write("library"),
			web.Doc("Give a copy another accession number, withdraw it, mark it as lost or put it back on the shelf.")),

		web.Handle("POST /school-admin/library/loan/issue", s.Issue, web.Write("library"), web.Created(), web.Says("Issued."),
			web.Doc("Lend a copy to a student or an employee.")),
		web.Handle("POST /school-admin/library/loan/return", s.giveBack, web.Write("library"), web.Says("Returned."),
			web.Doc("Take a copy back. A fine for being late is charged to the student's account.")),
		web.Handle("POST /school-admin/library/loan/renew", s.renew, web.Write("library"), web.Says("Renewed."),
			web.Doc("Let a borrower keep a copy for longer.")),
		web.Handle("POST /school-admin/library/loan/lost", s.lose, web.Write("library"), web.Says("Noted as lost."),
			web.Doc("Note that a borrower lost a copy. Its price is charged to the student's account.")),
		web.Handle("GET /school-admin/library/loan/list", s.loans, web.Read("library"), web.List("dueDate", "createdAt"),
			web.Doc("Loans, the latest first.")),
		web.Handle("GET /school-admin/library/loan/{id}", s.loan, web.Read("library"), web.Doc("One loan.")),

		web.Handle("POST /school-admin/library/reservation/create", s.Reserve, web.Write("library"), web.Created(),
			web.Doc("Reserve a book: the next copy is held for the first in the queue, who is told.")),
		web.Handle("GET /school-admin/library/reservation/list", s.reservations, web.Read("library"), web.List("createdAt"),
			web.Doc("Reservations, in the order of the queue.")),
		web.Handle("POST /school-admin/library/reservation/{id}/cancel", s.cancel, web.Write("library"), web.Says("Cancelled."),
			web.Doc("Cancel a reservation. A copy held for it goes to the next.")),

		web.Handle("GET /school-admin/library/rules", s.getRules, web.Read("library"), web.Doc("The rules of this library.")),
		web.Handle("PUT /school-admin/library/rules", s.UpdateRules, web.Write("library"),
			web.Doc("Change the rules: how many books, for how long, and what being late costs.")),

		web.Handle("GET /parent/library/loans", s.childrenLoans, web.Read("library"), web.List("dueDate", "createdAt"),
			web.Doc("Loans of the caller's child, or of all its children, the latest first.")),
	}
}

type loanFilters struct {
	Status      string `json:"status,omitempty" enum:"ISSUED,RETURNED,LOST"`
	Overdue     *bool  `json:"overdue,omitempty" doc:"True: what is out and should be back."`
	StudentID   *id.ID `json:"studentId,omitempty"`
	EmployeeID  *id.ID `json:"employeeId,omitempty"`
	BookID      *id.ID `json:"bookId,omitempty"`
	AccessionNo string `json:"accessionNo,omitempty" doc:"Of one copy."`
}

func (s *Service) loans(ctx context.Context, who actor.Actor, in page.Ask[loanFilters]) (page.Of[Loan], error) {
	q, asked := s.DB.School(who.School), in.Filters
	f := loanFilter{status: asked.Status, overdue: asked.Overdue, today: s.today(who), employee: asked.EmployeeID, book: asked.BookID,
		accessionNo: strings.TrimSpace(asked.AccessionNo)}
	if asked.StudentID != nil {
		f.students = []id.ID{*asked.StudentID}
	}
	list, err := pageLoans(ctx, q, f, in.Request)
	if err != nil || list.Total > 0 { // a list with something in it has no filter that is unknown
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
	StudentID *id.ID `json:"studentId,omitempty" doc:"One child; all of them if left out."`
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

// childrenOf is the child that was asked for, if it is the caller's, or else all.
func (s *Service) childrenOf(ctx context.Context, who actor.Actor, child *id.ID) ([]id.ID, error) {
	q := s.DB.School(who.School)
	if child == nil {
		return people.ChildrenOf(ctx, q, who.User)
	}
	return []id.ID{*child}, people.MustBeLinked(ctx, q, who.User, *child)
}
