package fee

import (
	"context"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/web"
)

// maxDays is the longest range of a day book.
const maxDays = 366

type rangeIn struct {
	From clock.Date `json:"from" doc:"Default: the same day as to."`
	To   clock.Date `json:"to" doc:"Default: today."`
}

// days applies the defaults and checks the length of the range.
func (in rangeIn) days(today clock.Date) (from, to clock.Date, err error) {
	from, to = in.From, in.To
	if to == "" {
		to = max(from, today)
	}
	if from == "" {
		from = to
	}
	switch {
	case to < from:
		return from, to, fault.OnField("to", "must not be before from")
	case daysBetween(from, to) >= maxDays:
		return from, to, fault.OnField("to", "must be at most a year after from")
	}
	return from, to, nil
}

// DayBook has the money received and returned.
type DayBook struct {
	From     clock.Date  `json:"from"`
	To       clock.Date  `json:"to"`
	Currency string      `json:"currency"`
	Receipts int         `json:"receipts" doc:"Number of receipts issued in the range, including those reversed since."`
	Received money.Money `json:"received"`
	Returned money.Money `json:"returned" doc:"By reversed receipts and refunds in the range."`
	Net      money.Money `json:"net"`
	ByMethod []ByMethod  `json:"byMethod"`
	ByHead   []ByHead    `json:"byHead" doc:"The net amount by fee head. Advance is money not allocated to charges yet."`
	Days     []Day       `json:"days"`
}

// ByMethod is the total of one payment method.
type ByMethod struct {
	Method   string      `json:"method"`
	Received money.Money `json:"received"`
	Returned money.Money `json:"returned"`
	Net      money.Money `json:"net" db:"-"`
}

// ByHead is the total of one fee head.
type ByHead struct {
	HeadID *id.ID      `json:"feeHeadId" doc:"Null for the advance."`
	Head   opt.Text    `json:"feeHead"`
	Amount money.Money `json:"amount"`
}

// Day is one day of a day book.
type Day struct {
	Date     clock.Date  `json:"date"`
	Received money.Money `json:"received"`
	Returned money.Money `json:"returned"`
	Net      money.Money `json:"net" db:"-"`
}

// collection reads the day book.
func (s *Service) collection(ctx context.Context, who actor.Actor, in rangeIn) (out DayBook, err error) {
	q := s.DB.School(who.School)
	if out.From, out.To, err = in.days(s.today(who)); err != nil {
		return out, err
	}
	a := db.Args{"from": out.From, "to": out.To}
	const moved = ` FROM ledger_entries WHERE school_id = :school AND account IN ('CASH', 'BANK') AND date >= :from AND date <= :to`
	const inAndOut = `CAST(SUM(CASE type WHEN 'DR' THEN amount ELSE 0 END) AS BIGINT) AS received,
		CAST(SUM(CASE type WHEN 'CR' THEN amount ELSE 0 END) AS BIGINT) AS returned`
	if out.ByMethod, err = db.All[ByMethod](ctx, q, `SELECT method, `+inAndOut+moved+` GROUP BY method ORDER BY method`, a); err != nil {
		return out, fault.Wrap("read day book", err)
	}
	if out.Days, err = db.All[Day](ctx, q, `SELECT date, `+inAndOut+moved+` GROUP BY date ORDER BY date`, a); err != nil {
		return out, fault.Wrap("read day book", err)
	}
	out.ByHead, err = db.All[ByHead](ctx, q, `
		SELECT c.head_id, h.name AS head, CAST(SUM(a.amount) AS BIGINT) AS amount
		FROM fee_allocations a
		JOIN fee_charges c ON c.school_id = a.school_id AND c.id = a.charge_id
		JOIN fee_heads h ON h.school_id = c.school_id AND h.id = c.head_id
		WHERE a.school_id = :school AND a.date >= :from AND a.date <= :to AND a.source IN ('PAYMENT', 'ADVANCE')
		GROUP BY c.head_id, h.name
		UNION ALL
		SELECT NULL, 'Advance', CAST(COALESCE(SUM(CASE type WHEN 'CR' THEN amount ELSE -amount END), 0) AS BIGINT)
		FROM ledger_entries WHERE school_id = :school AND account = 'ADVANCE' AND date >= :from AND date <= :to
			AND seq NOT IN (SELECT t.seq FROM ledger_transactions t WHERE t.school_id = :school AND t.opening_id IS NOT NULL)
		ORDER BY 2`, a)
	if err != nil {
		return out, fault.Wrap("read day book by head", err)
	}
	about, err := db.One[struct {
		Currency string
		Receipts int
	}](ctx, q, `SELECT currency, (SELECT COUNT(*) FROM fee_receipts r WHERE r.school_id = :school AND r.date >= :from
		AND r.date <= :to) AS receipts
		FROM schools WHERE id = :school`, a)
	out.Currency, out.Receipts = about.Currency, about.Receipts
	out.add()
	return out, fault.Wrap("count receipts", err)
}

func (b *DayBook) add() {
	for i := range b.ByMethod {
		m := &b.ByMethod[i]
		m.Net = m.Received - m.Returned
		b.Received, b.Returned, b.Net = b.Received+m.Received, b.Returned+m.Returned, b.Net+m.Net
	}
	for i := range b.Days {
		b.Days[i].Net = b.Days[i].Received - b.Days[i].Returned
	}
}

// exportCollection exports receipts, one row per student.
func (s *Service) exportCollection(ctx context.Context, who actor.Actor, in rangeIn) (web.File, error) {
	from, to, err := in.days(s.today(who))
	if err != nil {
		return web.File{}, err
	}
	if err := s.exported(ctx, who, "fee-collection", in); err != nil {
		return web.File{}, err
	}
	type row struct {
		student
		Number, Method, Reference, ReceiptStatus string
		Date                                     clock.Date
		ReversedOn                               *clock.Date
		Amount, Advance                          money.Money
	}
	columns := []string{"number", "date", "method", "reference", "status", "reversedOn", "admissionNo", "firstName", "lastName", "class",
		"division", "amount", "advance"}
	return csvFile("collection-"+string(from)+"-"+string(to)+".csv", columns, func(ctx context.Context, write func(...string) error) error {
		return db.Each(ctx, s.DB.School(who.School), `
			SELECT r.number, r.date, r.method, r.reference, r.status AS receipt_status, r.reversed_on, l.amount, l.advance, `+studentColumns+`
			FROM fee_receipts r
			JOIN fee_receipt_lines l ON l.school_id = r.school_id AND l.receipt_id = r.id
			JOIN students s ON s.school_id = l.school_id AND s.id = l.student_id `+seatJoins+`
			WHERE r.school_id = :school AND r.date >= :from AND r.date <= :to ORDER BY r.date, r.id, s.id`,
			db.Args{"from": from, "to": to}, func(r row) error {
				return write(r.Number, string(r.Date), r.Method, r.Reference, r.ReceiptStatus, dateText(r.ReversedOn), r.AdmissionNo,
					string(r.FirstName), string(r.LastName), string(r.ClassName), string(r.Division), r.Amount.String(), r.Advance.String())
			})
	}), nil
}

// TrialBalance has the debit and credit of every account.
type TrialBalance struct {
	Date       clock.Date  `json:"date"`
	Currency   string      `json:"currency"`
	Accounts   []Balance   `json:"accounts"`
	Debit      money.Money `json:"debit"`
	Credit     money.Money `json:"credit"`
	Difference money.Money `json:"difference" doc:"Debit less credit: always 0."`
}

// Balance is the balance of one account; students' accounts are summed.
type Balance struct {
	Account string      `json:"account" enum:"STUDENT,ADVANCE,INCOME,FINE,CONCESSION,CASH,BANK,OPENING"`
	HeadID  *id.ID      `json:"feeHeadId"`
	Head    opt.Text    `json:"feeHead"`
	Method  opt.Text    `json:"method"`
	Debit   money.Money `json:"debit"`
	Credit  money.Money `json:"credit"`
	Balance money.Money `json:"balance" db:"-" doc:"Debit less credit."`
}

type trialIn struct {
	Date clock.Date `json:"date" doc:"The balance at the end of this day. Default: today."`
}

func (s *Service) trialBalance(ctx context.Context, who actor.Actor, in trialIn) (out TrialBalance, err error) {
	q := s.DB.School(who.School)
	if out.Date = in.Date; out.Date == "" {
		out.Date = s.today(who)
	}
	out.Accounts, err = db.All[Balance](ctx, q, `
		SELECT e.account, e.head_id, COALESCE(h.name, '') AS head, COALESCE(e.method, '') AS method, e.debit, e.credit
		FROM (SELECT school_id, account, head_id, method, CAST(SUM(CASE type WHEN 'DR' THEN amount ELSE 0 END) AS BIGINT) AS debit,
				CAST(SUM(CASE type WHEN 'CR' THEN amount ELSE 0 END) AS BIGINT) AS credit
			FROM ledger_entries WHERE school_id = :school AND date <= :date GROUP BY school_id, account, head_id, method) e
		LEFT JOIN fee_heads h ON h.school_id = e.school_id AND h.id = e.head_id
		ORDER BY e.account, head, method`, db.Args{"date": out.Date})
	if err != nil {
		return out, fault.Wrap("read trial balance", err)
	}
	for i := range out.Accounts {
		a := &out.Accounts[i]
		a.Balance = a.Debit - a.Credit
		out.Debit, out.Credit = out.Debit+a.Debit, out.Credit+a.Credit
	}
	out.Difference = out.Debit - out.Credit
	out.Currency, err = db.One[string](ctx, q, `SELECT currency FROM schools WHERE id = :school`, nil)
	return out, fault.Wrap("read currency", err)
}
