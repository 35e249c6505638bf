package fee

import (
	"context"
	"errors"
	"strings"
	"time"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

// maxTillLines is the longest sheet of a till.
const maxTillLines = 5000

// TillSheet is the day book of a till.
type TillSheet struct {
	Till
	Currency string      `json:"currency"`
	ByMethod []ByMethod  `json:"byMethod" doc:"What was received and given back, by payment method. Only cash is in the drawer."`
	Received money.Money `json:"received"`
	Returned money.Money `json:"returned"`
	Lines    []TillLine  `json:"lines" doc:"Receipts, refunds and reversals in the order of recording; at most 5,000."`
	NotShown int         `json:"notShown" doc:"Number of lines beyond those listed."`
}

// TillLine is one receipt, refund or reversal.
type TillLine struct {
	Kind      string      `json:"kind" enum:"RECEIPT,RECEIPT_REVERSAL,REFUND,REFUND_REVERSAL"`
	Number    string      `json:"number" doc:"Of the receipt or refund."`
	ReceiptID *id.ID      `json:"receiptId"`
	RefundID  *id.ID      `json:"refundId"`
	At        time.Time   `json:"at"`
	Date      clock.Date  `json:"date" doc:"The booking date."`
	Method    string      `json:"method" enum:"CASH,CHEQUE,CARD,UPI,BANK_TRANSFER,ONLINE"`
	Received  money.Money `json:"received"`
	Returned  money.Money `json:"returned"`
}

// tillMoney has the money entries e of the transactions x of the till t.
const tillMoney = ` FROM fee_tills t CROSS JOIN ledger_transactions x CROSS JOIN ledger_entries e
	WHERE t.school_id = :school AND t.id = :id AND ` + inTill + `
		AND e.school_id = x.school_id AND e.seq = x.seq AND e.account IN ('CASH', 'BANK')`

// sheet reads what a till has received and given back.
func (s *Service) sheet(ctx context.Context, q db.Q, t Till) (TillSheet, error) {
	out := TillSheet{Till: t, ByMethod: []ByMethod{}, Lines: []TillLine{}}
	a := db.Args{"id": t.ID}
	var currency []string
	var lines []int
	err := db.Read(ctx, q,
		db.Into(&currency, `SELECT currency FROM schools WHERE id = :school`, nil),
		db.Into(&lines, `SELECT COUNT(*)`+tillMoney, a),
		db.Into(&out.ByMethod, `SELECT e.method, CAST(SUM(CASE e.type WHEN 'DR' THEN e.amount ELSE 0 END) AS BIGINT) AS received,
			CAST(SUM(CASE e.type WHEN 'CR' THEN e.amount ELSE 0 END) AS BIGINT) AS returned`+tillMoney+` GROUP BY e.method ORDER BY e.method`, a),
		db.Into(&out.Lines, `
			SELECT CASE WHEN x.receipt_id IS NULL THEN 'REFUND' ELSE 'RECEIPT' END ||
				CASE WHEN x.reverses IS NULL THEN '' ELSE '_REVERSAL' END AS kind,
				COALESCE((SELECT r.number FROM fee_receipts r WHERE r.school_id = x.school_id AND r.id = x.receipt_id),
					(SELECT r.number FROM fee_refunds r WHERE r.school_id = x.school_id AND r.id = x.refund_id), '') AS number,
				x.receipt_id, x.refund_id, x.created_at AS at, x.date, e.method, CASE e.type WHEN 'DR' THEN e.amount ELSE 0 END AS received,
				CASE e.type WHEN 'CR' THEN e.amount ELSE 0 END AS returned`+tillMoney+` ORDER BY x.seq, e.line LIMIT :most`,
			db.Args{"id": t.ID, "most": maxTillLines}))
	if err != nil {
		return out, fault.Wrap("read the sheet of a till", err)
	}
	out.Currency, out.NotShown = currency[0], lines[0]-len(out.Lines)
	for i := range out.ByMethod {
		m := &out.ByMethod[i]
		m.Net = m.Received - m.Returned
		out.Received, out.Returned = out.Received+m.Received, out.Returned+m.Returned
	}
	return out, nil
}

// idIn names a till or a receipt.
type idIn struct {
	ID id.ID `path:"id"`
}

func (s *Service) oneTill(ctx context.Context, who actor.Actor, in idIn) (TillSheet, error) {
	q := s.DB.School(who.School)
	t, err := getTill(ctx, q, in.ID)
	if err != nil {
		return TillSheet{}, err
	}
	return s.sheet(ctx, q, t)
}

type myTill struct {
	Till *TillSheet `json:"till" doc:"The caller's open till; null without one."`
}

func (s *Service) myTill(ctx context.Context, who actor.Actor, _ web.None) (myTill, error) {
	t, err := s.OwnTill(ctx, who)
	if errors.Is(err, errNoTill) {
		return myTill{}, nil
	}
	if err != nil {
		return myTill{}, err
	}
	sheet, err := s.sheet(ctx, s.DB.School(who.School), t)
	return myTill{&sheet}, err
}

// OwnTill reads the caller's open till.
func (s *Service) OwnTill(ctx context.Context, who actor.Actor) (Till, error) {
	t, err := db.One[Till](ctx, s.DB.School(who.School), `
		SELECT `+tillColumns+` FROM `+tillFrom+` AND t.user_id = :user AND t.status = 'OPEN'`, db.Args{"user": who.User})
	return t, db.Found("read till", err, errNoTill)
}

type tillFilters struct {
	UserID     *id.ID     `json:"userId,omitempty"`
	Status     string     `json:"status,omitempty" enum:"OPEN,CLOSED"`
	Difference string     `json:"difference,omitempty" enum:"ANY,NONE,SHORT,OVER" doc:"Of closed tills."`
	From       clock.Date `json:"from,omitempty" doc:"Opened on this day or later."`
	To         clock.Date `json:"to,omitempty"`
	Search     string     `json:"search,omitempty" doc:"Any part of the person's name."`
}

// differs compares the cash counted with what was expected.
var differs = map[string]string{"ANY": "<>", "NONE": "=", "SHORT": "<", "OVER": ">"}

func (f tillFilters) where() string {
	return db.When(f.UserID != nil, ` AND t.user_id = :user`) +
		db.When(f.Status != "", ` AND t.status = :status`) +
		db.When(f.Difference != "", ` AND t.counted `+differs[f.Difference]+` t.expected`) +
		db.When(f.From != "", ` AND t.opened_on >= :from`) +
		db.When(f.To != "", ` AND t.opened_on <= :to`) +
		db.When(f.Search != "", ` AND SUBSTR(u.search, 1, LENGTH(u.name)) LIKE :search ESCAPE '\'`)
}

func (s *Service) listTills(ctx context.Context, who actor.Actor, in page.Ask[tillFilters]) (page.Of[Till], error) {
	q, f := s.DB.School(who.School), in.Filters
	out, err := db.Page[Till](ctx, q, db.List{Columns: tillColumns, From: tillFrom + f.where(),
		Sorts: map[string]string{"openedAt": "t.opened_on, t.id", "id": "t.id"}, Default: "-openedAt"}, in.Request,
		db.Args{"user": f.UserID, "status": f.Status, "from": f.From, "to": f.To, "search": db.Contains(strings.ToLower(f.Search))})
	if err != nil || out.Total > 0 {
		return out, fault.Wrap("list tills", err)
	}
	return out, people.MustExist(ctx, q, people.Ref{Table: "users", ID: f.UserID, Missing: fault.Missing("user")})
}
