// Package fee keeps families' money: what they are charged, what they pay, and
// the books behind it.
//
// A structure says what a class costs; Generate charges it to students. Money
// that comes in is a receipt: it pays the oldest charges first, or those named,
// and the rest is an advance, which pays whatever is charged next. Concessions
// lower charges, late fines raise them. Nothing is ever deleted: a receipt, a
// refund and a concession are reversed, a charge is voided.
//
// Everything that moves money goes through a book (book.go): it is opened under
// the school's ledger lock, changed in memory by rules that keep charges,
// accounts and entries in step, and written at once. package ledger has the
// entries themselves. Start at collect.go for money in, at generate.go for
// charges, and at reverse.go for how it all comes back.
package fee

import (
	"context"
	"time"

	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/file"
	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/pdf"
)

var (
	errNoHead       = fault.Missing("fee head")
	errNoClass      = fault.Missing("class")
	errNoDivision   = fault.Missing("division")
	errNoStructure  = fault.Missing("fee structure")
	errNoItem       = fault.Missing("fee item")
	errNoCharge     = fault.Missing("charge")
	errNoReceipt    = fault.Missing("receipt")
	errNoConcession = fault.Missing("concession")
	errNoRefund     = fault.Missing("refund")

	errHeadName  = fault.Duplicate("Another fee head has this name. Choose another one.")
	errHeadCode  = fault.Duplicate("Another fee head has this code. Choose another one.")
	errHeadUsed  = fault.New(fault.Conflict, "", "This fee head is in use. It has to stay, for what was charged under it.")
	errHeadOwn   = fault.New(fault.Conflict, "", "The service itself charges under this fee head. It can be renamed, not deleted.")
	errOneEach   = fault.Duplicate("This class has a fee structure already. Change that one.")
	errCharged   = fault.New(fault.Conflict, "", "This has been charged already, and can't be changed any more.")
	errNothing   = fault.New(fault.Conflict, "", "This class has no fee structure. Create one first.")
	errVoid      = fault.New(fault.Conflict, "", "This charge is void already.")
	errReversed  = fault.New(fault.Conflict, "", "This has been reversed already.")
	errRevoked   = fault.New(fault.Conflict, "", "This concession has been revoked already.")
	errRefunded  = fault.New(fault.Conflict, "", "A part of this payment was an advance that has been refunded. Reverse the refund first.")
	errNoAdvance = fault.New(fault.Conflict, "", "The student has no such advance.")
	errTooMuch   = fault.New(fault.Invalid, "", "The account would grow beyond what it can hold. Check the amounts.")
)

// Service holds the rules about fees.
type Service struct {
	DB     *db.DB
	Audit  *audit.Service
	Notify *notification.Service
	Now    clock.Now
	NewID  id.Source
	Fonts  *pdf.Fonts // that receipts are printed with

	Files *file.Service
}

// The states of a charge.
const (
	statusOpen    = "OPEN"
	statusPartial = "PARTIAL"
	statusPaid    = "PAID"
	statusVoid    = "VOID"
)

// Charge is what a student was charged for one thing.
type Charge struct {
	ID             id.ID       `json:"id"`
	StudentID      id.ID       `json:"studentId"`
	AcademicYearID id.ID       `json:"academicYearId"`
	HeadID         id.ID       `json:"feeHeadId"`
	Head           string      `json:"feeHead"`
	ItemID         *id.ID      `json:"itemId" doc:"The item of the structure; null for a charge made by hand, and for fines."`
	Period         string      `json:"period" doc:"What the item was charged for: 2026-11, Q2, T1, YEAR or ONCE."`
	FineOf         *id.ID      `json:"fineOf" doc:"Of a late fine: the charge that is late."`
	Title          string      `json:"title" example:"Tuition, November 2026"`
	Note           string      `json:"note"`
	Amount         money.Money `json:"amount"`
	Paid           money.Money `json:"paid"`
	Conceded       money.Money `json:"concession"`
	Due            money.Money `json:"due" db:"-" doc:"What is still to pay."`
	DueDate        clock.Date  `json:"dueDate"`
	Status         string      `json:"status" enum:"OPEN,PARTIAL,PAID,VOID"`
	VoidReason     string      `json:"voidReason,omitempty"`
	CreatedAt      time.Time   `json:"createdAt"`
	UpdatedAt      time.Time   `json:"updatedAt"`

	HeadSystem string      `json:"-"`
	Reference  *string     `json:"-"` // what another module charged for
	ChargedOn  clock.Date  `json:"-"`
	FinedUntil *clock.Date `json:"-"` // late fines are charged up to this day
	touched    bool        // it is to be written

	FinePerDay *money.Money `json:"-"` // by the structure, if it is late
	FineFlat   *money.Money `json:"-"`
	GraceDays  int          `json:"-"`
}

// open is what is still to pay.
func (c *Charge) open() money.Money {
	if c.Status == statusVoid {
		return 0
	}
	return c.Amount - c.Paid - c.Conceded
}

// settle derives what follows from the amounts.
func (c *Charge) settle() {
	switch covered := c.Paid + c.Conceded; {
	case c.Status == statusVoid:
	case covered == 0:
		c.Status = statusOpen
	case covered < c.Amount:
		c.Status = statusPartial
	default:
		c.Status = statusPaid
	}
	c.Due = c.open()
}

// isFine holds for the heads that the service itself charges to.
func (c *Charge) isFine() bool { return c.HeadSystem != "" }

// today is the day at the caller's school.
func (s *Service) today(who actor.Actor) clock.Date { return clock.DateIn(s.Now(), who.Zone) }

func (s *Service) record(ctx context.Context, tx *db.Tx, who actor.Actor, action, entity string, at id.ID, before, after any) error {
	return s.Audit.Record(ctx, tx, who, action, entity, at, before, after)
}
