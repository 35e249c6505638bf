package fee

import (
	"context"
	"slices"
	"time"

	"homeroom/internal/feature/fee/ledger"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
)

// Concession lowers a student's fees: by a percentage of each charge, future ones
// included, or by an amount until it is used up.
type Concession struct {
	ID             id.ID          `json:"id"`
	StudentID      id.ID          `json:"studentId"`
	HeadID         *id.ID         `json:"feeHeadId" doc:"Null for all fee heads except fines."`
	Head           opt.Text       `json:"feeHead"`
	AcademicYearID *id.ID         `json:"academicYearId" doc:"Null for every academic year."`
	Percent        *money.Percent `json:"percent"`
	Amount         *money.Money   `json:"amount"`
	Given          money.Money    `json:"given" doc:"The total by which it has lowered charges so far."`
	Reason         opt.Text       `json:"reason"`
	Status         string         `json:"status" enum:"ACTIVE,REVOKED"`
	RevokeReason   opt.Text       `json:"revokeReason"`
	CreatedAt      time.Time      `json:"createdAt"`
	UpdatedAt      time.Time      `json:"updatedAt"`
}

// covers reports whether the concession applies to a charge.
func (k *Concession) covers(c *Charge) bool {
	switch {
	case k.HeadID != nil && *k.HeadID != c.HeadID:
		return false
	case k.HeadID == nil && (c.isFine() || c.isOpening() && k.Percent != nil): // a percentage is of the year's fees
		return false
	}
	return k.AcademicYearID == nil || *k.AcademicYearID == c.AcademicYearID
}

// reduction is the amount by which the concession lowers the last part of a charge: all of
// it, or the growth of a fine, which lowers the fine by the same however often it grows.
func (k *Concession) reduction(c *Charge, part money.Money) money.Money {
	switch {
	case !k.covers(c):
		return 0
	case k.Percent != nil:
		return min(k.Percent.Of(c.Amount)-k.Percent.Of(c.Amount-part), c.outstanding())
	}
	return min(*k.Amount-k.Given, c.outstanding())
}

// applyConcessions applies a student's concessions to the last part of a charge.
func (b *book) applyConcessions(c *Charge, part money.Money, concessions []*Concession) {
	for _, k := range concessions {
		if amount := k.reduction(c, part); amount > 0 {
			b.concede(k, c, amount)
		}
	}
}

// NewConcession is the input of Grant: an amount or a percentage.
type NewConcession struct {
	StudentID      id.ID           `json:"studentId" required:"true"`
	Amount         *money.Positive `json:"amount" minimum:"0.01" maximum:"9999999999.99" doc:"Lowers unpaid charges, the oldest first; what is left lowers later charges."`
	Percent        *money.Percent  `json:"percent" minimum:"0.01" maximum:"100" example:"-" doc:"Of each unpaid charge and each later charge. Of an opening balance only if feeHeadId is its fee head."`
	FeeHeadID      *id.ID          `json:"feeHeadId" doc:"Only for this fee head. Default: all except fines."`
	AcademicYearID *id.ID          `json:"academicYearId" doc:"Only for this year. Default: the current year for a percentage, any year for an amount."`
	Reason         string          `json:"reason" maxLength:"500" multiline:"true"`
}

// Check validates the fields together.
func (in *NewConcession) Check() error {
	if (in.Amount == nil) == (in.Percent == nil) {
		return fault.OnField("amount", "or percent is required, but not both")
	}
	return nil
}

// Grant grants a concession on a student's unpaid and future charges.
func (s *Service) Grant(ctx context.Context, who actor.Actor, in NewConcession) (out Concession, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		b, err := s.openBook(ctx, tx, who, s.today(who))
		if err != nil {
			return err
		}
		if _, err := getStudents(ctx, tx, []id.ID{in.StudentID}); err != nil {
			return err
		}
		if err := people.MustExist(ctx, tx, people.Ref{Table: "fee_heads", ID: in.FeeHeadID, Missing: errNoHead},
			people.Ref{Table: "academic_years", ID: in.AcademicYearID, Missing: school.ErrNoYear}); err != nil {
			return err
		}
		k := &Concession{ID: s.NewID(), StudentID: in.StudentID, HeadID: in.FeeHeadID, AcademicYearID: in.AcademicYearID, Percent: in.Percent,
			Amount: (*money.Money)(in.Amount), Reason: opt.Text(in.Reason), Status: "ACTIVE", CreatedAt: b.now, UpdatedAt: b.now}
		if k.Percent != nil && k.AcademicYearID == nil {
			year, err := school.CurrentYear(ctx, tx)
			if err != nil {
				return err
			}
			k.AcademicYearID = &year.ID
		}
		if err := putConcession(ctx, tx, *k); err != nil {
			return err
		}
		if err := b.load(ctx, in.StudentID); err != nil {
			return err
		}
		for _, c := range b.unpaid[in.StudentID] {
			b.applyConcessions(c, c.Amount, []*Concession{k})
		}
		if err := b.write(ctx); err != nil {
			return err
		}
		if out, err = getConcession(ctx, tx, k.ID); err != nil {
			return err
		}
		seen := out
		seen.Reason = "" // may hold personal data, which erasure can't remove from the audit log
		return s.record(ctx, tx, who, "fee-concession.grant", "fee-concession", k.ID, nil, seen)
	})
	return out, err
}

// Undo is the input of a reversal: the record and the reason.
type Undo struct {
	ID     id.ID  `path:"id"`
	Reason string `json:"reason" required:"true" maxLength:"500" multiline:"true"`
}

// revoke ends a concession and reverses its reductions.
func (s *Service) revoke(ctx context.Context, who actor.Actor, in Undo) (out Concession, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		b, err := s.openBook(ctx, tx, who, s.today(who))
		if err != nil {
			return err
		}
		k, err := getConcession(ctx, tx, in.ID)
		switch {
		case err != nil:
			return err
		case k.Status == "REVOKED":
			return errRevoked
		}
		if err := b.load(ctx, k.StudentID); err != nil {
			return err
		}
		if err := b.reverseConcessions(ctx, "concession_id", []id.ID{k.ID}); err != nil {
			return err
		}
		b.useAdvance(k.StudentID)
		if err := b.write(ctx); err != nil {
			return err
		}
		_, err = db.Exec(ctx, tx, `UPDATE fee_concessions SET status = 'REVOKED', revoke_reason = :reason, updated_at = :now
			WHERE school_id = :school AND id = :id`, db.Args{"id": k.ID, "reason": in.Reason, "now": b.now})
		if err != nil {
			return fault.Wrap("revoke concession", err)
		}
		if k.Given > 0 {
			again := []part{{student: k.StudentID, record: b.changed[0].ID, amount: k.Given}}
			if err := s.notifyParents(ctx, tx, who.School, revoked, again); err != nil {
				return err
			}
		}
		if out, err = getConcession(ctx, tx, k.ID); err != nil {
			return err
		}
		return s.record(ctx, tx, who, "fee-concession.revoke", "fee-concession", k.ID, map[string]any{"status": "ACTIVE"},
			map[string]any{"status": "REVOKED"})
	})
	return out, err
}

// reverseConcessions reverses the reductions by concession_id or charge_id.
func (b *book) reverseConcessions(ctx context.Context, column string, ids []id.ID) error {
	standing, err := ledger.Standing(ctx, b.tx, ledger.Concede, column, ids)
	if err != nil || len(standing) == 0 {
		return err
	}
	var on, by []id.ID
	for _, t := range standing {
		on, by = append(on, t.About.ChargeID), append(by, t.About.ConcessionID)
	}
	charges, err := listCharges(ctx, b.tx, ` AND c.id IN (:ids)`, on)
	if err != nil {
		return err
	}
	concessions, err := db.All[Concession](ctx, b.tx, `SELECT `+concessionColumns+` FROM `+concessionFrom+` AND k.id IN (:ids)`,
		db.Args{"ids": by})
	if err != nil {
		return fault.Wrap("read concessions", err)
	}
	for _, t := range standing {
		c := slices.IndexFunc(charges, func(c *Charge) bool { return c.ID == t.About.ChargeID })
		k := slices.IndexFunc(concessions, func(k Concession) bool { return k.ID == t.About.ConcessionID })
		amount := t.Entries[0].Amount // a debit and a credit of the same amount
		b.allocate(b.reverse(t), fromConcession, "", b.track(charges[c]), -amount)
		b.addGiven(&concessions[k], -amount)
	}
	return nil
}

type concessionFilters struct {
	StudentID *id.ID `json:"studentId,omitempty"`
	FeeHeadID *id.ID `json:"feeHeadId,omitempty"`
	Status    string `json:"status,omitempty" enum:"ACTIVE,REVOKED"`
}

// listedConcession is a concession in a list.
type listedConcession struct {
	Concession
	payer
}

func (s *Service) listConcessions(ctx context.Context, who actor.Actor, in page.Ask[concessionFilters]) (page.Of[listedConcession], error) {
	q, f := s.DB.School(who.School), in.Filters
	out, err := db.Page[listedConcession](ctx, q, db.List{Columns: concessionColumns + payerColumns("k"),
		From: concessionFrom + db.When(f.StudentID != nil, ` AND k.student_id = :student`) +
			db.When(f.FeeHeadID != nil, ` AND k.head_id = :head`) + db.When(f.Status != "", ` AND k.status = :status`),
		Sorts: map[string]string{"createdAt": "k.id", "id": "k.id"}, Default: "-createdAt"}, in.Request,
		db.Args{"student": f.StudentID, "head": f.FeeHeadID, "status": f.Status})
	if err != nil || out.Total > 0 {
		return out, fault.Wrap("list concessions", err)
	}
	return out, people.MustExist(ctx, q, people.Ref{Table: "students", ID: f.StudentID, Missing: people.ErrNoStudent},
		people.Ref{Table: "fee_heads", ID: f.FeeHeadID, Missing: errNoHead})
}

const (
	concessionColumns = `k.id, k.student_id, k.head_id, COALESCE(h.name, '') AS head, k.academic_year_id, k.percent, k.amount, k.given,
		k.reason, k.status, k.revoke_reason, k.created_at, k.updated_at`
	concessionFrom = `fee_concessions k LEFT JOIN fee_heads h ON h.school_id = k.school_id AND h.id = k.head_id WHERE k.school_id = :school`
)

func getConcession(ctx context.Context, q db.Q, concession id.ID) (Concession, error) {
	k, err := db.One[Concession](ctx, q, `SELECT `+concessionColumns+` FROM `+concessionFrom+` AND k.id = :id`, db.Args{"id": concession})
	return k, db.Found("read concession", err, errNoConcession)
}

// concessionsOf lists the concessions of students that still apply: percentages
// first, then amounts that are not used up, each the oldest first.
func concessionsOf(ctx context.Context, q db.Q, students []id.ID) (map[id.ID][]*Concession, error) {
	all, err := db.All[Concession](ctx, q, `SELECT `+concessionColumns+` FROM `+concessionFrom+`
		AND k.student_id IN (:students) AND k.status = 'ACTIVE' AND (k.amount IS NULL OR k.given < k.amount)
		ORDER BY k.amount IS NOT NULL, k.id`, db.Args{"students": students})
	out := map[id.ID][]*Concession{}
	for i := range all {
		out[all[i].StudentID] = append(out[all[i].StudentID], &all[i])
	}
	return out, fault.Wrap("read concessions", err)
}

func putConcession(ctx context.Context, tx *db.Tx, k Concession) error {
	_, err := db.Insert(ctx, tx, `
		INSERT INTO fee_concessions (school_id, id, student_id, head_id, academic_year_id, percent, amount, given, reason, status, created_at,
			updated_at)
		VALUES (:school, :id, :student_id, :head_id, :academic_year_id, :percent, :amount, :given, :reason, :status, :created_at, :updated_at)`,
		[]Concession{k})
	return fault.Wrap("write concession", err)
}

// putGiven updates Given of concessions.
func putGiven(ctx context.Context, tx *db.Tx, concessions []*Concession, now time.Time) error {
	rows := make([]Concession, len(concessions))
	for i, k := range concessions {
		rows[i] = *k
		rows[i].UpdatedAt = now
	}
	_, err := db.Insert(ctx, tx, `
		INSERT INTO fee_concessions (school_id, id, student_id, head_id, academic_year_id, percent, amount, given, reason, status, created_at,
			updated_at)
		VALUES (:school, :id, :student_id, :head_id, :academic_year_id, :percent, :amount, :given, :reason, :status, :created_at, :updated_at)
		ON CONFLICT (school_id, id) DO UPDATE SET given = excluded.given, updated_at = excluded.updated_at`, rows)
	return fault.Wrap("write concessions", err)
}
