// Package library lends books.
//
// A book is a title; what is lent are its copies, each with an accession number
// of its own. A copy on loan is one Loan until it comes back or is lost. Who
// finds no copy on the shelf reserves the book: the next copy that comes back is
// held for the first in the queue, who is told.
//
// Start at state.go for what may be done to a copy, at loan.go for what happens
// at the desk and at settle.go for how copies and queues meet. Each write takes
// one lock per school, so that no two people at the desk lend the same copy.
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
)

var (
	errNoBook        = fault.Missing("book")
	errNoCopy        = fault.Missing("copy")
	errNoLoan        = fault.Missing("loan")
	errNoReservation = fault.Missing("reservation")
	errISBN          = fault.Duplicate("The library has a book with this ISBN already. Add copies to that one.")
	errAccession     = fault.Duplicate("Another copy has this accession number. Choose another one, or leave it out.")
	errReserved      = fault.Duplicate("This borrower has reserved the book already.")
	errRefused       = fault.New(fault.Conflict, "", "The library's rules do not allow this.")
)

// Service holds the rules.
type Service struct {
	DB     *db.DB
	Audit  *audit.Service
	Notify *notification.Service
	Now    clock.Now
	NewID  id.Source

	Fines Fines // nil: fines are noted on the loan and charged to nobody
}

// Fines charges students.
type Fines interface {
	// Fine charges a student once per reference, however often it is called.
	Fine(ctx context.Context, tx *db.Tx, who actor.Actor, f Fine) error
}

// Fine is what a student owes for one loan.
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
	Author    string      `json:"author"`
	ISBN      string      `json:"isbn" db:"isbn" example:"9780141439518" doc:"13 digits, or empty."`
	Publisher string      `json:"publisher"`
	Category  string      `json:"category"`
	Shelf     string      `json:"shelf" doc:"Where it stands."`
	Price     money.Money `json:"price" doc:"What a lost copy costs; 0 for the price of the library's rules."`
	Available int         `json:"availableCopies" doc:"Copies that anyone may borrow now."`
	Waiting   int         `json:"waiting" doc:"Reservations for which there is no copy yet."`
	Copies    []Copy      `json:"copies" db:"-"`
	Version   int         `json:"version"`
	CreatedAt time.Time   `json:"createdAt"`
	UpdatedAt time.Time   `json:"updatedAt"`
}

// Copy is what is lent.
type Copy struct {
	ID          id.ID       `json:"id"`
	BookID      id.ID       `json:"bookId"`
	AccessionNo string      `json:"accessionNo" example:"000042"`
	Status      Status      `json:"status" enum:"AVAILABLE,HELD,ISSUED,LOST,WITHDRAWN" doc:"HELD: kept for a borrower who reserved the book."`
	DueDate     *clock.Date `json:"dueDate" doc:"When it should be back, while it is ISSUED."`
	CreatedAt   time.Time   `json:"createdAt"`
	UpdatedAt   time.Time   `json:"updatedAt"`
}

// Loan is one time that someone has, or had, a copy.
type Loan struct {
	ID           id.ID       `json:"id"`
	BookID       id.ID       `json:"bookId"`
	Title        string      `json:"title"`
	Author       string      `json:"author"`
	CopyID       id.ID       `json:"copyId"`
	AccessionNo  string      `json:"accessionNo"`
	StudentID    *id.ID      `json:"studentId"`
	EmployeeID   *id.ID      `json:"employeeId"`
	BorrowerName string      `json:"borrowerName"`
	BorrowerNo   string      `json:"borrowerNo" doc:"The admission number or employee code."`
	IssueDate    clock.Date  `json:"issueDate"`
	DueDate      clock.Date  `json:"dueDate" doc:"The last day on which it is not late."`
	ReturnDate   *clock.Date `json:"returnDate" doc:"When it came back, or was found to be lost."`
	Status       string      `json:"status" enum:"ISSUED,RETURNED,LOST"`
	Overdue      bool        `json:"overdue" db:"-" doc:"It is out, and should be back."`
	DaysLate     int         `json:"daysLate" db:"-"`
	Renewals     int         `json:"renewals"`
	Fine         money.Money `json:"fine" doc:"For being late. While the book is out: what it would be today."`
	Replacement  money.Money `json:"replacement" doc:"The price of a lost copy."`
	CreatedAt    time.Time   `json:"createdAt"`
	UpdatedAt    time.Time   `json:"updatedAt"`

	Archived bool `json:"-"` // the student, who can be charged nothing any more
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
	BorrowerName string      `json:"borrowerName"`
	BorrowerNo   string      `json:"borrowerNo" doc:"The admission number or employee code."`
	Status       string      `json:"status" enum:"WAITING,READY,FULFILLED,CANCELLED,EXPIRED" doc:"READY: a copy is held."`
	Position     int         `json:"position" doc:"The place in the queue, from 1; 0 unless WAITING."`
	CopyID       *id.ID      `json:"copyId" doc:"The copy that is held, or was borrowed."`
	AccessionNo  string      `json:"accessionNo"`
	HoldUntil    *clock.Date `json:"holdUntil" doc:"The last day on which the copy is held."`
	CreatedAt    time.Time   `json:"createdAt"`
	UpdatedAt    time.Time   `json:"updatedAt"`
}

// desk is the library of one school on one day, in a transaction that has it to itself.
type desk struct {
	*Service
	tx    *db.Tx
	who   actor.Actor
	today clock.Date
	rules Rules
}

// atDesk runs fn with the library to itself.
func (s *Service) atDesk(ctx context.Context, who actor.Actor, fn func(ctx context.Context, d desk) error) error {
	return s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.Lock(ctx, "library"); err != nil {
			return fmt.Errorf("lock the library: %w", err)
		}
		rules, err := getRules(ctx, tx)
		if err != nil {
			return err
		}
		return fn(ctx, desk{s, tx, who, clock.DateIn(s.Now(), who.Zone), rules})
	})
}

func (d desk) record(ctx context.Context, action, entity string, record id.ID, before, after any) error {
	return d.Audit.Record(ctx, d.tx, d.who, action, entity, record, before, after)
}
