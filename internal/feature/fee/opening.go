package fee

import (
	"context"
	"time"

	"homeroom/internal/feature/fee/ledger"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/text"
)

// Opening is an opening balance: what a student owed, or had paid ahead, before the
// school kept its books here. A student has at most one that is not cancelled. The
// amount owed is a charge; the amount paid ahead is an advance. Concessions that exist
// already don't lower it, and parents are not notified: both know it from before.
type Opening struct {
	ID           id.ID       `json:"id"`
	StudentID    id.ID       `json:"studentId"`
	Owed         money.Money `json:"owed"`
	Advance      money.Money `json:"advance" doc:"The amount paid ahead."`
	ChargeID     *id.ID      `json:"chargeId" doc:"The charge of the amount owed; null for an advance."`
	Note         opt.Text    `json:"note"`
	Status       string      `json:"status" enum:"ACTIVE,CANCELLED"`
	CancelReason opt.Text    `json:"cancelReason"`
	CreatedAt    time.Time   `json:"createdAt"`
	UpdatedAt    time.Time   `json:"updatedAt"`
}

const openingColumns = `o.id, o.student_id, o.owed, o.advance, o.charge_id, o.note, o.status, o.cancel_reason, o.created_at, o.updated_at`

type openingIn struct {
	StudentID id.ID           `json:"studentId" required:"true"`
	Owed      *money.Positive `json:"owed" minimum:"0.01" maximum:"9999999999.99" doc:"The amount that the family owes; or use advance."`
	Advance   *money.Positive `json:"advance" minimum:"0.01" maximum:"9999999999.99" example:"-" doc:"The amount that the family has paid ahead."`
	DueDate   *clock.Date     `json:"dueDate" doc:"Of the amount owed. Default: today."`
	Note      string          `json:"note" maxLength:"500" multiline:"true"`
}

// Check validates the fields together.
func (in *openingIn) Check() error {
	switch {
	case (in.Owed == nil) == (in.Advance == nil):
		return fault.OnField("owed", "or advance is required, but not both")
	case in.Advance != nil && in.DueDate != nil:
		return fault.OnField("dueDate", "is only allowed with owed")
	}
	return nil
}

// createOpening enters one student's opening balance.
func (s *Service) createOpening(ctx context.Context, who actor.Actor, in openingIn) (out Opening, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		b, err := s.openBook(ctx, tx, who, s.today(who))
		if err != nil {
			return err
		}
		if _, err := getStudents(ctx, tx, []id.ID{in.StudentID}); err != nil {
			return err
		}
		if err := b.enter(ctx, []openingIn{in}); err != nil {
			return err
		}
		out = *b.openings[0]
		seen := out
		seen.Note = "" // may hold personal data, which erasure can't remove from the audit log
		return s.record(ctx, tx, who, "fee-opening.create", "fee-opening", out.ID, nil, seen)
	})
	return out, err
}

// enter books opening balances and writes the book.
func (b *book) enter(ctx context.Context, all []openingIn) error {
	head, err := b.s.ownHead(ctx, b.tx, b.who, openingBalance)
	if err != nil {
		return err
	}
	year, err := school.CurrentYear(ctx, b.tx)
	if err != nil {
		return err
	}
	students := make([]id.ID, len(all))
	for i, in := range all {
		students[i] = in.StudentID
	}
	if err := b.load(ctx, students...); err != nil {
		return err
	}
	for _, in := range all {
		o := &Opening{ID: b.s.NewID(), StudentID: in.StudentID, Note: opt.Text(in.Note), Status: "ACTIVE", CreatedAt: b.now, UpdatedAt: b.now}
		b.openings = append(b.openings, o)
		if in.Owed != nil {
			b.bringDebt(o, head, year.ID, in)
		} else {
			b.bringAdvance(o, money.Money(*in.Advance))
		}
		b.useAdvance(o.StudentID)
	}
	return b.write(ctx)
}

// bringDebt charges the amount owed.
func (b *book) bringDebt(o *Opening, head Head, year id.ID, in openingIn) {
	c := &Charge{ID: b.s.NewID(), StudentID: o.StudentID, AcademicYearID: year, HeadID: head.ID, Head: head.Name,
		HeadSystem: string(head.System), Title: head.Name, Note: o.Note, DueDate: b.date, ChargedOn: b.date, CreatedAt: b.now}
	if in.DueDate != nil {
		c.DueDate = *in.DueDate
	}
	o.Owed, o.ChargeID = money.Money(*in.Owed), &c.ID
	b.charge(b.track(c), o.Owed).About.OpeningID = o.ID
}

// bringAdvance credits the amount paid ahead.
func (b *book) bringAdvance(o *Opening, amount money.Money) {
	o.Advance = amount
	p := b.post(ledger.BringIn, text.T("fee.head.OPENING"), ledger.About{OpeningID: o.ID})
	p.Debit(ledger.Opening(), amount)
	p.Credit(ledger.Advance(o.StudentID), amount)
	b.account(o.StudentID).Advance += amount
}

// cancelOpening reverses an opening balance. What was paid on the amount owed becomes an
// advance; charges that the amount paid ahead has paid are due again, the latest first.
func (s *Service) cancelOpening(ctx context.Context, who actor.Actor, in Undo) (out Opening, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		b, err := s.openBook(ctx, tx, who, s.today(who))
		if err != nil {
			return err
		}
		o, err := getOpening(ctx, tx, in.ID)
		switch {
		case err != nil:
			return err
		case o.Status == "CANCELLED":
			return errCancelled
		}
		if err := b.cancel(ctx, in.Reason, o); err != nil {
			return err
		}
		if out, err = getOpening(ctx, tx, o.ID); err != nil {
			return err
		}
		return s.record(ctx, tx, who, "fee-opening.cancel", "fee-opening", o.ID, map[string]any{"status": o.Status},
			map[string]any{"status": out.Status})
	})
	return out, err
}

// closeOpenings marks opening balances as cancelled, by id or charge_id.
func closeOpenings(ctx context.Context, tx *db.Tx, column, reason string, now time.Time, ids ...id.ID) error {
	_, err := db.Exec(ctx, tx, `UPDATE fee_openings SET status = 'CANCELLED', cancel_reason = :reason, updated_at = :now
		WHERE school_id = :school AND `+column+` IN (:ids) AND status = 'ACTIVE'`, db.Args{"ids": ids, "reason": reason, "now": now})
	return fault.Wrap("cancel opening balance", err)
}

func getOpening(ctx context.Context, q db.Q, opening id.ID) (Opening, error) {
	o, err := db.One[Opening](ctx, q, `SELECT `+openingColumns+` FROM fee_openings o WHERE o.school_id = :school AND o.id = :id`,
		db.Args{"id": opening})
	return o, db.Found("read opening balance", err, errNoOpening)
}

func putOpenings(ctx context.Context, tx *db.Tx, all []*Opening) error {
	rows := make([]Opening, len(all))
	for i, o := range all {
		rows[i] = *o
	}
	_, err := db.Insert(ctx, tx, `
		INSERT INTO fee_openings (school_id, id, student_id, owed, advance, charge_id, note, status, created_at, updated_at)
		VALUES (:school, :id, :student_id, :owed, :advance, :charge_id, :note, :status, :created_at, :updated_at)`, rows)
	if db.IsDuplicate(err, "fee_openings_once") {
		return errOpened.Because(err)
	}
	return fault.Wrap("write opening balances", err)
}

type openingFilters struct {
	StudentID *id.ID `json:"studentId,omitempty"`
	Status    string `json:"status,omitempty" enum:"ACTIVE,CANCELLED"`
}

// listedOpening is an opening balance in a list.
type listedOpening struct {
	Opening
	payer
}

func (s *Service) listOpenings(ctx context.Context, who actor.Actor, in page.Ask[openingFilters]) (page.Of[listedOpening], error) {
	q, f := s.DB.School(who.School), in.Filters
	out, err := db.Page[listedOpening](ctx, q, db.List{Columns: openingColumns + payerColumns("o"),
		From: `fee_openings o WHERE o.school_id = :school` + db.When(f.StudentID != nil, ` AND o.student_id = :student`) +
			db.When(f.Status != "", ` AND o.status = :status`),
		Sorts: map[string]string{"createdAt": "o.id"}, Default: "-createdAt"}, in.Request,
		db.Args{"student": f.StudentID, "status": f.Status})
	if err != nil || out.Total > 0 {
		return out, fault.Wrap("list opening balances", err)
	}
	return out, people.MustExist(ctx, q, people.Ref{Table: "students", ID: f.StudentID, Missing: people.ErrNoStudent})
}
