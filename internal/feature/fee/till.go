package fee

import (
	"context"
	"time"

	"homeroom/internal/feature/fee/ledger"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/opt"
)

// A till needs nothing from payments: it is a range of the ledger. Opening and closing
// take the ledger lock and keep the number of the last transaction.

const (
	tillOpen   = "OPEN"
	tillClosed = "CLOSED"
)

var (
	errNoTill      = fault.Missing("till")
	errTillOpen    = fault.New(fault.Conflict, "", "You have an open till already. Close that one first.")
	errTillClosed  = fault.New(fault.Conflict, "", "This till is already closed.")
	errTillRunning = fault.New(fault.Conflict, "", "This till is open already.")
	errTillLater   = fault.New(fault.Conflict, "", "This person has opened another till since, so this one stays closed.")
	errTillNobody  = fault.New(fault.Conflict, "", "A till belongs to a person. Sign in to open one.")
)

// Till is the cash drawer of one person, from opening to counting.
type Till struct {
	ID           id.ID        `json:"id"`
	UserID       id.ID        `json:"userId" doc:"Whose till it is."`
	UserName     opt.Text     `json:"userName"`
	Status       string       `json:"status" enum:"OPEN,CLOSED"`
	Float        money.Money  `json:"float" doc:"Cash in the drawer at the start."`
	Expected     money.Money  `json:"expected" doc:"Cash that should be in the drawer: float plus received less given back."`
	Counted      *money.Money `json:"counted" doc:"Cash counted at closing; null while the till is open."`
	Difference   *money.Money `json:"difference" doc:"Counted less expected: negative if cash is missing. Null while the till is open."`
	Note         opt.Text     `json:"note" doc:"Why they differ."`
	OpenedOn     clock.Date   `json:"openedOn"`
	OpenedAt     time.Time    `json:"openedAt"`
	ClosedAt     *time.Time   `json:"closedAt"`
	ClosedBy     *id.ID       `json:"closedBy"`
	ClosedByName *string      `json:"closedByName"`
	ReopenedAt   *time.Time   `json:"reopenedAt" doc:"When it was last opened again after closing."`
	ReopenReason opt.Text     `json:"reopenReason"`
	Version      int          `json:"version"`

	OpenedSeq int64  `json:"-"`
	ClosedSeq *int64 `json:"-"`
	Told      bool   `json:"-"` // the office knows of a difference
}

// inTill is the condition that the transaction x belongs to the till t.
const inTill = `x.school_id = t.school_id AND x.user_id = t.user_id AND x.seq > t.opened_seq
	AND (t.closed_seq IS NULL OR x.seq <= t.closed_seq)`

const (
	// CROSS JOIN makes SQLite start with the till's transactions, as in ledger.Standing.
	tillCash = `COALESCE((SELECT CAST(SUM(CASE e.type WHEN 'DR' THEN e.amount ELSE -e.amount END) AS BIGINT)
		FROM ledger_transactions x CROSS JOIN ledger_entries e
		WHERE ` + inTill + ` AND e.school_id = x.school_id AND e.seq = x.seq AND e.account = 'CASH'), 0)`
	tillColumns = `t.id, t.user_id, u.name AS user_name, t.status, t.float_cash AS float,
		COALESCE(t.expected, t.float_cash + ` + tillCash + `) AS expected, t.counted, t.counted - t.expected AS difference,
		t.note, t.opened_on, t.opened_at, t.closed_at, t.closed_by,
		(SELECT NULLIF(c.name, '') FROM users c WHERE c.school_id = t.school_id AND c.id = t.closed_by) AS closed_by_name,
		t.reopened_at, t.reopen_reason, t.version, t.opened_seq, t.closed_seq, t.told`
	tillFrom = `fee_tills t JOIN users u ON u.school_id = t.school_id AND u.id = t.user_id WHERE t.school_id = :school`
)

func getTill(ctx context.Context, q db.Q, till id.ID) (Till, error) {
	t, err := db.One[Till](ctx, q, `SELECT `+tillColumns+` FROM `+tillFrom+` AND t.id = :id`, db.Args{"id": till})
	return t, db.Found("read till", err, errNoTill)
}

// lockTill reads a till under the ledger lock.
func lockTill(ctx context.Context, tx *db.Tx, till id.ID) (Till, error) {
	if err := ledger.Lock(ctx, tx); err != nil {
		return Till{}, err
	}
	return getTill(ctx, tx, till)
}

// NewTill is the input of OpenTill.
type NewTill struct {
	Float money.Money `json:"float" required:"true" minimum:"0" maximum:"9999999999.99" doc:"Cash in the drawer at the start."`
}

// OpenTill opens the caller's till.
func (s *Service) OpenTill(ctx context.Context, who actor.Actor, in NewTill) (out Till, err error) {
	if who.User == "" {
		return out, errTillNobody
	}
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := ledger.Lock(ctx, tx); err != nil {
			return err
		}
		last, err := ledger.Last(ctx, tx)
		if err != nil {
			return err
		}
		till, now := s.NewID(), s.Now()
		_, err = db.Exec(ctx, tx, `
			INSERT INTO fee_tills (school_id, id, user_id, status, float_cash, opened_on, opened_at, opened_seq, updated_at)
			VALUES (:school, :id, :user, 'OPEN', :float, :today, :now, :last, :now)`,
			db.Args{"id": till, "user": who.User, "float": in.Float, "today": s.today(who), "now": now, "last": last})
		if db.IsDuplicate(err, "fee_tills_open") {
			return errTillOpen.Because(err)
		}
		if err != nil {
			return fault.Wrap("open till", err)
		}
		if out, err = getTill(ctx, tx, till); err != nil {
			return err
		}
		return s.record(ctx, tx, who, "fee-till.open", "fee-till", till, nil, map[string]any{"float": in.Float})
	})
	return out, err
}

type changeTillIn struct {
	ID      id.ID       `path:"id"`
	Float   money.Money `json:"float" required:"true" minimum:"0" maximum:"9999999999.99"`
	Version *int        `json:"version"`
}

// changeTill corrects the float of an open till.
func (s *Service) changeTill(ctx context.Context, who actor.Actor, in changeTillIn) (out Till, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		t, err := lockTill(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := fault.SameVersion(in.Version, t.Version); err != nil {
			return err
		}
		if t.Status == tillClosed {
			return errTillClosed
		}
		_, err = db.Exec(ctx, tx, `UPDATE fee_tills SET float_cash = :float, version = version + 1, updated_at = :now
			WHERE school_id = :school AND id = :id`, db.Args{"id": t.ID, "float": in.Float, "now": s.Now()})
		if err != nil {
			return fault.Wrap("change till", err)
		}
		if out, err = getTill(ctx, tx, t.ID); err != nil {
			return err
		}
		return s.record(ctx, tx, who, "fee-till.update", "fee-till", t.ID, map[string]any{"float": t.Float}, map[string]any{"float": out.Float})
	})
	return out, err
}
