package fee

import (
	"context"

	"homeroom/internal/feature/fee/ledger"
	"homeroom/internal/feature/notification"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/text"
)

// TillCount is the input of CloseTill.
type TillCount struct {
	ID      id.ID       `path:"id"`
	Counted money.Money `json:"counted" required:"true" minimum:"0" maximum:"9999999999.99" doc:"Cash in the drawer."`
	Note    string      `json:"note" maxLength:"500" multiline:"true" doc:"Required if the cash counted is not what is expected."`
}

// CloseTill ends a till with the cash counted. Payments that commit later are after it.
func (s *Service) CloseTill(ctx context.Context, who actor.Actor, in TillCount) (out Till, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		t, err := lockTill(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if t.Status == tillClosed {
			return errTillClosed
		}
		if in.Counted != t.Expected && in.Note == "" {
			return fault.OnField("note", "is required: %s is expected, %s was counted", t.Expected, in.Counted)
		}
		last, err := ledger.Last(ctx, tx)
		if err != nil {
			return err
		}
		_, err = db.Exec(ctx, tx, `
			UPDATE fee_tills SET status = 'CLOSED', closed_at = :now, closed_seq = :last, closed_by = :user, expected = :expected,
				counted = :counted, note = :note, told = :told, version = version + 1, updated_at = :now
			WHERE school_id = :school AND id = :id`, db.Args{"id": t.ID, "now": s.Now(), "last": last, "user": who.User,
			"expected": t.Expected, "counted": in.Counted, "note": in.Note, "told": in.Counted != t.Expected})
		if err != nil {
			return fault.Wrap("close till", err)
		}
		if out, err = getTill(ctx, tx, t.ID); err != nil {
			return err
		}
		if t.Told || out.Told {
			if err := s.tellCount(ctx, tx, who, out); err != nil {
				return err
			}
		}
		return s.record(ctx, tx, who, "fee-till.close", "fee-till", t.ID, map[string]any{"status": t.Status},
			map[string]any{"status": out.Status, "expected": out.Expected, "counted": in.Counted, "note": in.Note})
	})
	return out, err
}

// tellCount notifies the administrators of fees of a count that is not as expected, or is so at last.
func (s *Service) tellCount(ctx context.Context, tx *db.Tx, who actor.Actor, t Till) error {
	sch, err := school.Get(ctx, tx)
	if err != nil {
		return err
	}
	name, note := string(t.UserName), string(t.Note)
	amount := func(m money.Money) text.Amount { return text.Amount{Money: m, Currency: sch.Currency} }
	title, body := text.T("fee.till.title"), text.T("fee.till.over", "name", name, "amount", amount(*t.Difference), "note", note)
	switch {
	case *t.Difference < 0:
		body = text.T("fee.till.short", "name", name, "amount", amount(-*t.Difference), "note", note)
	case *t.Difference == 0:
		title, body = text.T("fee.till.balanced.title"), text.T("fee.till.balanced.body", "name", name)
	}
	return s.Notify.Office(ctx, tx, who, "fee.write", notification.Notice{Type: notification.Fee, Record: t.ID,
		Title: title, Body: body})
}

// reopenTill opens a closed till again, to correct its count. It then also has what the
// person has recorded since.
func (s *Service) reopenTill(ctx context.Context, who actor.Actor, in Undo) (out Till, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		t, err := lockTill(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if t.Status == tillOpen {
			return errTillRunning
		}
		later, err := db.One[bool](ctx, tx, `
			SELECT EXISTS (SELECT 1 FROM fee_tills WHERE school_id = :school AND user_id = :user AND id > :id) AS later`,
			db.Args{"user": t.UserID, "id": t.ID})
		switch {
		case err != nil:
			return fault.Wrap("find later tills", err)
		case later:
			return errTillLater
		}
		_, err = db.Exec(ctx, tx, `
			UPDATE fee_tills SET status = 'OPEN', closed_at = NULL, closed_seq = NULL, closed_by = NULL, expected = NULL, counted = NULL,
				note = '', reopened_at = :now, reopen_reason = :reason, version = version + 1, updated_at = :now
			WHERE school_id = :school AND id = :id`, db.Args{"id": t.ID, "now": s.Now(), "reason": in.Reason})
		if err != nil {
			return fault.Wrap("reopen till", err)
		}
		if out, err = getTill(ctx, tx, t.ID); err != nil {
			return err
		}
		return s.record(ctx, tx, who, "fee-till.reopen", "fee-till", t.ID,
			map[string]any{"status": t.Status, "expected": t.Expected, "counted": t.Counted, "note": t.Note},
			map[string]any{"status": out.Status, "reason": in.Reason})
	})
	return out, err
}
