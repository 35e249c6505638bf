package library

import (
	"context"
	"errors"
	"fmt"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/text"
)

// maxLoanDays is the longest loan period.
const maxLoanDays = 366

// NewLoan is the input of Issue.
type NewLoan struct {
	AccessionNo string `json:"accessionNo" required:"true" maxLength:"64"`
	Borrower
	DueDate *clock.Date `json:"dueDate" example:"-" doc:"Default: today plus the loan period of the rules."`
}

// Check validates the fields together.
func (in *NewLoan) Check() error { return fieldsFault(in.check()) }

// Issue lends a copy.
func (s *Service) Issue(ctx context.Context, who actor.Actor, in NewLoan) (l Loan, err error) {
	err = s.atDesk(ctx, who, func(ctx context.Context, d desk) error {
		c, err := d.copyToLend(ctx, in.AccessionNo)
		if err != nil {
			return err
		}
		if err := in.mustBeHere(ctx, d.tx); err != nil {
			return err
		}
		due, err := d.due(in.Borrower, in.DueDate, d.today)
		if err != nil {
			return err
		}
		own, err := queued(ctx, d.tx, c.BookID, in.Borrower)
		if err != nil && !errors.Is(err, errNoReservation) {
			return err
		}
		if c.Status == Held && (own.CopyID == nil || *own.CopyID != c.ID) {
			return errState.Saying("Copy %s is held for another borrower. Issue another copy, or cancel that reservation.", c.AccessionNo)
		}
		if _, err := c.after(issue); err != nil {
			return err
		}
		if err := d.mayBorrow(ctx, in.Borrower); err != nil {
			return err
		}
		l, err = d.lend(ctx, c, in.Borrower, due, own)
		return err
	})
	return l, err
}

// copyToLend gets a copy, after ending expired holds.
func (d desk) copyToLend(ctx context.Context, accessionNo string) (Copy, error) {
	c, err := copyOf(ctx, d.tx, accessionNo)
	if err != nil || c.Status != Held {
		return c, err
	}
	if err := d.assignCopies(ctx, c.BookID); err != nil {
		return c, err
	}
	return getCopy(ctx, d.tx, c.ID)
}

// due validates the due date of the request, or computes it from the rules.
func (d desk) due(b Borrower, sent *clock.Date, first clock.Date) (clock.Date, error) {
	_, days := b.limits(d.rules)
	switch last := d.today.AddDays(maxLoanDays); {
	case sent == nil:
		return max(first, d.today.AddDays(days)), nil
	case *sent < first || *sent > last:
		return "", fault.OnField("dueDate", "must be from %s to %s", first, last)
	}
	return *sent, nil
}

// lend writes the loan and fulfils the borrower's own reservation.
func (d desk) lend(ctx context.Context, c Copy, b Borrower, due clock.Date, own Reservation) (Loan, error) {
	now := d.Now()
	l := Loan{ID: d.NewID(), BookID: c.BookID, CopyID: c.ID, StudentID: b.StudentID, EmployeeID: b.EmployeeID,
		IssueDate: d.today, DueDate: due, Status: out, CreatedAt: now, UpdatedAt: now}
	if err := d.move(ctx, c, issue); err != nil {
		return l, err
	}
	if err := putLoan(ctx, d.tx, l); err != nil {
		return l, err
	}
	if own.ID != "" {
		if err := fulfil(ctx, d.tx, own.ID, c.ID, now); err != nil {
			return l, err
		}
	}
	if err := d.assignCopies(ctx, c.BookID); err != nil {
		return l, err
	}
	return d.auditLoan(ctx, "library-loan.issue", Loan{}, l)
}

// auditLoan records a change in the audit log and returns the loan as stored.
func (d desk) auditLoan(ctx context.Context, action string, before, l Loan) (Loan, error) {
	after, err := getLoan(ctx, d.tx, l.ID)
	if err != nil {
		return after, err
	}
	after.asOf(d.today, d.rules)
	if before.ID == "" {
		return after, d.record(ctx, action, "library-loan", l.ID, nil, after.withoutNames())
	}
	return after, d.record(ctx, action, "library-loan", l.ID, before.withoutNames(), after.withoutNames())
}

// withoutNames is the loan for the audit log, which erasure can't change.
func (l Loan) withoutNames() Loan {
	l.BorrowerName, l.BorrowerNo = "", ""
	return l
}

type returnIn struct {
	AccessionNo string `json:"accessionNo" required:"true" maxLength:"64"`
}

type returnOut struct {
	Loan
	Hold *Reservation `json:"hold" doc:"The reservation that the copy is now held for; null if it goes back on the shelf."`
}

// giveBack returns a copy.
func (s *Service) giveBack(ctx context.Context, who actor.Actor, in returnIn) (back returnOut, err error) {
	err = s.atDesk(ctx, who, func(ctx context.Context, d desk) error {
		before, err := d.lent(ctx, in.AccessionNo, giveBack)
		if err != nil {
			return err
		}
		if back.Loan, err = d.end(ctx, before, returned, 0, "library-loan.return"); err != nil {
			return err
		}
		held, err := heldBy(ctx, d.tx, before.CopyID)
		if errors.Is(err, errNoReservation) {
			return nil
		}
		back.Hold = &held
		return err
	})
	return back, err
}

type lostIn struct {
	AccessionNo string       `json:"accessionNo" required:"true" maxLength:"64"`
	Price       *money.Money `json:"price" doc:"Replacement price. Default: the price of the book, or of the rules."`
}

// lose marks a lent copy as lost and charges its price and the late fine.
func (s *Service) lose(ctx context.Context, who actor.Actor, in lostIn) (l Loan, err error) {
	err = s.atDesk(ctx, who, func(ctx context.Context, d desk) error {
		before, err := d.lent(ctx, in.AccessionNo, lose)
		if err != nil {
			return err
		}
		b, err := getBook(ctx, d.tx, before.BookID)
		if err != nil {
			return err
		}
		price := d.rules.DefaultPrice
		if b.Price > 0 {
			price = b.Price
		}
		opt.Set(&price, in.Price)
		l, err = d.end(ctx, before, lost, price, "library-loan.lost")
		return err
	})
	return l, err
}

// lent applies an action to a lent copy and returns its loan.
func (d desk) lent(ctx context.Context, accessionNo string, a action) (Loan, error) {
	c, err := copyOf(ctx, d.tx, accessionNo)
	if err != nil {
		return Loan{}, err
	}
	if err := d.move(ctx, c, a); err != nil {
		return Loan{}, err
	}
	l, err := openLoan(ctx, d.tx, c.ID)
	l.asOf(d.today, d.rules)
	return l, err
}

// end closes a loan and charges the fine and the price.
func (d desk) end(ctx context.Context, before Loan, status string, price money.Money, action string) (Loan, error) {
	l := before
	l.Status, l.ReturnDate, l.Replacement, l.UpdatedAt = status, &d.today, price, d.Now()
	if err := updateLoan(ctx, d.tx, l); err != nil {
		return l, err
	}
	if err := d.charge(ctx, l); err != nil {
		return l, err
	}
	if err := d.assignCopies(ctx, l.BookID); err != nil {
		return l, err
	}
	return d.auditLoan(ctx, action, before, l)
}

// charge charges a student once per loan. Employees are not charged.
func (d desk) charge(ctx context.Context, l Loan) error {
	sum := min(l.Fine+l.Replacement, money.Max)
	if sum == 0 || l.StudentID == nil || l.Archived || d.Fines == nil {
		return nil
	}
	err := d.Fines.Fine(ctx, d.tx, d.who, Fine{Student: *l.StudentID, Loan: l.ID, Minor: int64(sum),
		Narration: text.Standard().Say(d.who.Locale, l.chargedFor())})
	if err != nil {
		return fmt.Errorf("charge library fine: %w", err)
	}
	return nil
}

// chargedFor says what a student is charged for, which the family reads in its account.
func (l Loan) chargedFor() text.Text {
	switch {
	case l.Status == lost && l.Fine > 0:
		return text.T("library.charge.both", "book", l.Title, "number", l.AccessionNo, "count", l.DaysLate)
	case l.Status == lost:
		return text.T("library.charge.lost", "book", l.Title, "number", l.AccessionNo)
	}
	return text.T("library.charge.late", "book", l.Title, "number", l.AccessionNo, "count", l.DaysLate)
}

type renewIn struct {
	AccessionNo string      `json:"accessionNo" required:"true" maxLength:"64"`
	DueDate     *clock.Date `json:"dueDate" example:"-" doc:"Default: today plus the loan period of the rules."`
}

// renew extends a loan.
func (s *Service) renew(ctx context.Context, who actor.Actor, in renewIn) (l Loan, err error) {
	err = s.atDesk(ctx, who, func(ctx context.Context, d desk) error {
		before, err := d.lent(ctx, in.AccessionNo, renew)
		if err != nil {
			return err
		}
		if err := d.mayRenew(ctx, before); err != nil {
			return err
		}
		after := before
		if after.DueDate, err = d.due(Borrower{before.StudentID, before.EmployeeID}, in.DueDate, before.DueDate); err != nil {
			return err
		}
		after.Renewals, after.UpdatedAt = before.Renewals+1, s.Now()
		if err := updateLoan(ctx, d.tx, after); err != nil {
			return err
		}
		l, err = d.auditLoan(ctx, "library-loan.renew", before, after)
		return err
	})
	return l, err
}

func (d desk) mayRenew(ctx context.Context, l Loan) error {
	b, err := getBook(ctx, d.tx, l.BookID)
	switch {
	case err != nil:
		return err
	case l.Overdue:
		return errRefused.Saying("This copy was due on %s and can't be renewed. It must be returned first.", l.DueDate)
	case l.Renewals >= d.rules.MaxRenewals:
		return errRefused.Saying("This loan was renewed %d times, the most that the rules allow. It must be returned first.", l.Renewals)
	case b.Waiting > 0:
		return errRefused.Saying("Others are waiting for this book, so it can't be renewed. It is due on %s.", l.DueDate)
	}
	return nil
}
