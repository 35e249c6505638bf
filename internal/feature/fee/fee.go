// Package fee manages school fees: charges, payments, and the ledger behind them.
//
// A structure sets the fees of a class; Generate charges them to students. A
// payment is a receipt: it pays the charges it names, then the oldest ones. The
// rest becomes an advance, which pays the next charge. Concessions lower charges,
// late fines raise them. An opening balance is what a family owed, or had paid ahead,
// before. Nothing is deleted: receipts and refunds are reversed, concessions revoked,
// charges voided, opening balances cancelled.
//
// Everything that moves money goes through a book (book.go). It is opened under
// the school's ledger lock, changed in memory by methods that keep charges,
// accounts and entries consistent, and written at once. Package ledger has the
// double entries. Start at collect.go for payments, at generate.go for charges and
// at reverse.go for reversals.
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
	"homeroom/internal/platform/opt"
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
	errNoOpening    = fault.Missing("opening balance")

	errHeadName  = fault.Duplicate("Another fee head has this name. Choose another one.")
	errHeadCode  = fault.Duplicate("Another fee head has this code. Choose another one.")
	errHeadUsed  = fault.New(fault.Conflict, "", "This fee head is in use and can't be deleted.")
	errHeadOwn   = fault.New(fault.Conflict, "", "This fee head is used for automatic charges. It can be renamed, but not deleted.")
	errHeadOpen  = fault.New(fault.Invalid, "", "Opening balances are not charged by hand or by structure. Enter them as opening balances.")
	errOneEach   = fault.Duplicate("This class already has a fee structure. Change that one.")
	errCharged   = fault.New(fault.Conflict, "", "This has already been charged and can't be changed.")
	errNothing   = fault.New(fault.Conflict, "", "This class has no fee structure. Create one first.")
	errVoid      = fault.New(fault.Conflict, "", "This charge is already void.")
	errReversed  = fault.New(fault.Conflict, "", "This has already been reversed.")
	errRevoked   = fault.New(fault.Conflict, "", "This concession has already been revoked.")
	errRefunded  = fault.New(fault.Conflict, "", "Part of this payment was an advance that has been refunded. Reverse the refund first.")
	errOpened    = fault.Duplicate("This student already has an opening balance. Cancel that one first.")
	errCancelled = fault.New(fault.Conflict, "", "This opening balance has already been cancelled.")
	errSpent     = fault.New(fault.Conflict, "", "Part of this advance has been refunded. Reverse the refund first.")
	errNoAdvance = fault.New(fault.Conflict, "", "The student has no advance of this amount.")
	errTooMuch   = fault.New(fault.Invalid, "", "The account's balance would be too large. Check the amounts.")
)

// Service holds the rules about fees.
type Service struct {
	DB     *db.DB
	Audit  *audit.Service
	Notify *notification.Service
	Now    clock.Now
	NewID  id.Source
	Fonts  *pdf.Fonts // of printed receipts

	Files *file.Service
}

// The states of a charge.
const (
	statusOpen    = "OPEN"
	statusPartial = "PARTIAL"
	statusPaid    = "PAID"
	statusWaived  = "WAIVED" // nothing left to pay, and nothing paid
	statusVoid    = "VOID"
)

// Charge is one amount that a student owes or has paid.
type Charge struct {
	ID             id.ID       `json:"id"`
	StudentID      id.ID       `json:"studentId"`
	AcademicYearID id.ID       `json:"academicYearId"`
	HeadID         id.ID       `json:"feeHeadId"`
	Head           string      `json:"feeHead"`
	ItemID         *id.ID      `json:"itemId" doc:"The item of the fee structure; null for a manual charge and for fines."`
	Period         opt.Text    `json:"period" doc:"The billing period: 2026-11, Q2, T1, YEAR or ONCE."`
	FineOf         *id.ID      `json:"fineOf" doc:"For a late fine: the id of the late charge."`
	Title          string      `json:"title" example:"Tuition, November 2026"`
	Note           opt.Text    `json:"note"`
	Amount         money.Money `json:"amount"`
	Paid           money.Money `json:"paid"`
	Conceded       money.Money `json:"concession"`
	Due            money.Money `json:"due" db:"-" doc:"The amount still to pay."`
	DueDate        clock.Date  `json:"dueDate"`
	Status         string      `json:"status" enum:"OPEN,PARTIAL,PAID,WAIVED,VOID" doc:"A concession alone leaves a charge OPEN, or makes it WAIVED."`
	VoidReason     opt.Text    `json:"voidReason"`
	CreatedAt      time.Time   `json:"createdAt"`
	UpdatedAt      time.Time   `json:"updatedAt"`

	HeadSystem string      `json:"-"`
	Reference  *string     `json:"-"` // another module's record, such as loan/…
	ChargedOn  clock.Date  `json:"-"`
	FinedUntil *clock.Date `json:"-"` // late fines are charged up to this day
	touched    bool        // must be written

	FinePerDay *money.Money `json:"-"` // the structure's late fine
	FineFlat   *money.Money `json:"-"`
	GraceDays  int          `json:"-"`
}

// outstanding is the amount still to pay.
func (c *Charge) outstanding() money.Money {
	if c.Status == statusVoid {
		return 0
	}
	return c.Amount - c.Paid - c.Conceded
}

// setStatus derives Status and Due from the amounts.
func (c *Charge) setStatus() {
	left := c.Amount - c.Paid - c.Conceded
	switch {
	case c.Status == statusVoid:
	case c.Paid == 0 && left > 0:
		c.Status = statusOpen
	case c.Paid == 0:
		c.Status = statusWaived
	case left > 0:
		c.Status = statusPartial
	default:
		c.Status = statusPaid
	}
	c.Due = c.outstanding()
}

// isFine reports whether this is a late fine or a library fine.
func (c *Charge) isFine() bool { return c.HeadSystem == lateFine || c.HeadSystem == libraryFine }

// isOpening reports whether this is an amount owed from before the books began.
func (c *Charge) isOpening() bool { return c.HeadSystem == openingBalance }

// today is the date in the school's time zone.
func (s *Service) today(who actor.Actor) clock.Date { return clock.DateIn(s.Now(), who.Zone) }

func (s *Service) record(ctx context.Context, tx *db.Tx, who actor.Actor, action, entity string, at id.ID, before, after any) error {
	return s.Audit.Record(ctx, tx, who, action, entity, at, before, after)
}
