// Package library lends books.
//
// A book is a title with copies, each with an accession number. A Loan lasts until
// the copy is returned or lost. If no copy is available, a borrower reserves the
// book: the next returned copy is held for the first in the queue, who is notified.
//
// Start at state.go for the statuses of a copy, at loan.go for issue and return, and
// at hold.go for holds. Each write takes one lock per school, so that a copy can't be
// lent twice.
package library

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/opt"
)

var (
	errNoBook        = fault.Missing("book")
	errNoCopy        = fault.Missing("copy")
	errNoLoan        = fault.Missing("loan")
	errNoReservation = fault.Missing("reservation")
	errISBN          = fault.Duplicate("The library already has a book with this ISBN. Add copies to that one.")
	errAccession     = fault.Duplicate("Another copy has this accession number. Choose another one, or leave it out.")
	errReserved      = fault.Duplicate("This borrower has already reserved the book.")
	errRefused       = fault.New(fault.Conflict, "", "The library's rules do not allow this.")
)

// Service holds the rules.
type Service struct {
	DB     *db.DB
	Audit  *audit.Service
	Notify *notification.Service
	Now    clock.Now
	NewID  id.Source

	Fines Fines // nil: fines are shown on the loan, but not charged
}

// Fines charges library fines to students.
type Fines interface {
	// Fine charges a student. It is idempotent by loan.
	Fine(ctx context.Context, tx *db.Tx, who actor.Actor, f Fine) error
}

// Fine is the amount that a student owes for one loan.
type Fine struct {
	Student   id.ID
	Loan      id.ID // the reference
	Minor     int64 // the amount in minor units
	Narration string
}

// Book is a title.
type Book struct {
	ID        id.ID       `json:"id"`
	Title     string      `json:"title"`
	Author    opt.Text    `json:"author"`
	ISBN      opt.Text    `json:"isbn" db:"isbn" example:"9780141439518" doc:"13 digits, or empty."`
	Publisher opt.Text    `json:"publisher"`
	Category  opt.Text    `json:"category"`
	Shelf     opt.Text    `json:"shelf" doc:"Location in the library."`
	Price     money.Money `json:"price" doc:"Replacement price of a lost copy; 0: the default price of the rules."`
	Available int         `json:"availableCopies" doc:"Number of copies that can be borrowed now."`
	Waiting   int         `json:"waiting" doc:"Number of reservations without a copy."`
	Copies    []Copy      `json:"copies" db:"-"`
	Version   int         `json:"version"`
	CreatedAt time.Time   `json:"createdAt"`
	UpdatedAt time.Time   `json:"updatedAt"`
}

// Copy is one copy of a book.
type Copy struct {
	ID          id.ID       `json:"id"`
	BookID      id.ID       `json:"bookId"`
	AccessionNo string      `json:"accessionNo" example:"000042"`
	Status      Status      `json:"status" enum:"AVAILABLE,HELD,ISSUED,LOST,WITHDRAWN" doc:"HELD: held for a borrower who reserved the book."`
	DueDate     *clock.Date `json:"dueDate" doc:"Due date while ISSUED."`
	CreatedAt   time.Time   `json:"createdAt"`
	UpdatedAt   time.Time   `json:"updatedAt"`
}

// Loan is a current or past loan of a copy.
type Loan struct {
	ID           id.ID       `json:"id"`
	BookID       id.ID       `json:"bookId"`
	Title        string      `json:"title"`
	Author       opt.Text    `json:"author"`
	CopyID       id.ID       `json:"copyId"`
	AccessionNo  string      `json:"accessionNo"`
	StudentID    *id.ID      `json:"studentId"`
	EmployeeID   *id.ID      `json:"employeeId"`
	BorrowerName opt.Text    `json:"borrowerName"`
	BorrowerNo   opt.Text    `json:"borrowerNo" doc:"The admission number or employee code."`
	IssueDate    clock.Date  `json:"issueDate"`
	DueDate      clock.Date  `json:"dueDate" doc:"The last day before a late fine."`
	ReturnDate   *clock.Date `json:"returnDate" doc:"When it was returned or marked as lost."`
	Status       string      `json:"status" enum:"ISSUED,RETURNED,LOST"`
	Overdue      bool        `json:"overdue" db:"-" doc:"Not returned after the due date."`
	DaysLate     int         `json:"daysLate" db:"-"`
	Renewals     int         `json:"renewals"`
	Fine         money.Money `json:"fine" doc:"Late fine. Before the return: the fine as of today."`
	Replacement  money.Money `json:"replacement" doc:"The price of a lost copy."`
	CreatedAt    time.Time   `json:"createdAt"`
	UpdatedAt    time.Time   `json:"updatedAt"`

	Archived bool `json:"-"` // the student is archived and can't be charged
}

// The statuses of a loan.
const (
	out      = "ISSUED"
	returned = "RETURNED"
	lost     = "LOST"
)

// Reservation is a borrower's place in the queue for a book.
type Reservation struct {
	ID           id.ID       `json:"id"`
	BookID       id.ID       `json:"bookId"`
	Title        string      `json:"title"`
	StudentID    *id.ID      `json:"studentId"`
	EmployeeID   *id.ID      `json:"employeeId"`
	BorrowerName opt.Text    `json:"borrowerName"`
	BorrowerNo   opt.Text    `json:"borrowerNo" doc:"The admission number or employee code."`
	Status       string      `json:"status" enum:"WAITING,READY,FULFILLED,CANCELLED,EXPIRED" doc:"READY: a copy is held."`
	Position     int         `json:"position" doc:"Position in the queue from 1; 0 unless WAITING."`
	CopyID       *id.ID      `json:"copyId" doc:"The held or borrowed copy."`
	AccessionNo  opt.Text    `json:"accessionNo"`
	HoldUntil    *clock.Date `json:"holdUntil" doc:"The last day on which the copy is held."`
	CreatedAt    time.Time   `json:"createdAt"`
	UpdatedAt    time.Time   `json:"updatedAt"`
}

// desk is the library of one school in a transaction that holds its lock.
type desk struct {
	*Service
	tx    *db.Tx
	who   actor.Actor
	today clock.Date
	rules Rules
}

// atDesk runs fn in a transaction with the library locked.
func (s *Service) atDesk(ctx context.Context, who actor.Actor, fn func(ctx context.Context, d desk) error) error {
	return s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := lock(ctx, tx); err != nil {
			return err
		}
		rules, err := getRules(ctx, tx)
		if err != nil {
			return err
		}
		return fn(ctx, desk{s, tx, who, clock.DateIn(s.Now(), who.Zone), rules})
	})
}

func lock(ctx context.Context, tx *db.Tx) error {
	if err := tx.Lock(ctx, "library"); err != nil {
		return fmt.Errorf("lock library: %w", err)
	}
	return nil
}

func (d desk) record(ctx context.Context, action, entity string, record id.ID, before, after any) error {
	return d.Audit.Record(ctx, d.tx, d.who, action, entity, record, before, after)
}
