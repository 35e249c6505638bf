package fee

import (
	"context"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/text"
)

var (
	errTillCounted = fault.New(fault.Conflict, "", "The till of this receipt is closed. Reverse the receipt with a reason instead.")
	errOtherTill   = fault.New(fault.Conflict, "", "This receipt is in the till of a colleague, who can undo it. Or reverse it with a reason.")
	errOtherDay    = fault.New(fault.Conflict, "", "This receipt is of another day. Reverse it with a reason instead.")
)

// officeReceipt is a receipt with its till.
type officeReceipt struct {
	Receipt
	TillID       *id.ID   `json:"tillId" doc:"The till that it was taken in; null without one."`
	TillUserName opt.Text `json:"tillUserName" doc:"Whose till that is."`
	Undoable     bool     `json:"undoable" doc:"Whether undo is allowed."`
}

// forOffice adds the till to a receipt.
func (s *Service) forOffice(ctx context.Context, q db.Q, who actor.Actor, r Receipt) (officeReceipt, error) {
	t, err := tillOf(ctx, q, r.ID)
	out := officeReceipt{Receipt: r, Undoable: r.Status == receiptIssued && s.mayUndo(who, r, t) == nil}
	if t != nil {
		out.TillID, out.TillUserName = &t.ID, t.UserName
	}
	return out, err
}

// tillOf finds the till that a receipt was taken in; nil without one.
func tillOf(ctx context.Context, q db.Q, receipt id.ID) (*Till, error) {
	found, err := db.All[Till](ctx, q, `
		SELECT t.id, t.user_id, u.name AS user_name, t.status FROM ledger_transactions x CROSS JOIN fee_tills t
		JOIN users u ON u.school_id = t.school_id AND u.id = t.user_id
		WHERE x.school_id = :school AND x.receipt_id = :receipt AND x.reverses IS NULL AND `+inTill, db.Args{"receipt": receipt})
	if err != nil || len(found) == 0 {
		return nil, fault.Wrap("find the till of a receipt", err)
	}
	return &found[0], nil
}

// mayUndo returns nil for a receipt in the caller's till until that is closed and, without
// a till, on the day it was recorded. A till has what its person records: another's till
// would still expect the cash.
func (s *Service) mayUndo(who actor.Actor, r Receipt, t *Till) error {
	switch {
	case t != nil && t.Status == tillClosed:
		return errTillCounted
	case t != nil && t.UserID != who.User:
		return errOtherTill
	case t == nil && clock.DateIn(r.CreatedAt, who.Zone) != s.today(who):
		return errOtherDay
	}
	return nil
}

// undoReceipt reverses a receipt that was taken by mistake. The ledger lock makes it
// follow, or precede, the closing of the till.
func (s *Service) undoReceipt(ctx context.Context, who actor.Actor, in idIn) (Receipt, error) {
	why := Undo{ID: in.ID, Reason: say(who, text.T("fee.till.undone"))}
	return s.reverseIf(ctx, who, why, func(ctx context.Context, tx *db.Tx, r Receipt) error {
		t, err := tillOf(ctx, tx, r.ID)
		if err != nil {
			return err
		}
		return s.mayUndo(who, r, t)
	})
}
