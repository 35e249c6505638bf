package fee

import (
	"context"
	"strings"

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
)

type chargeIn struct {
	StudentID id.ID          `json:"studentId" required:"true"`
	FeeHeadID *id.ID         `json:"feeHeadId" doc:"The fee head; or give its name."`
	Name      string         `json:"name" maxLength:"100" doc:"The name of a fee head. It is created if it doesn't exist." example:"Excursion"`
	Amount    money.Positive `json:"amount" required:"true" minimum:"0.01" maximum:"9999999999.99"`
	DueDate   *clock.Date    `json:"dueDate" doc:"Default: today."`
	Note      string         `json:"note" maxLength:"500" multiline:"true"`
}

// Check validates the fields together.
func (in *chargeIn) Check() error {
	if in.FeeHeadID == nil && strings.TrimSpace(in.Name) == "" {
		return fault.OnField("feeHeadId", "or name is required")
	}
	return nil
}

// createCharge charges one student by hand.
func (s *Service) createCharge(ctx context.Context, who actor.Actor, in chargeIn) (out Charge, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		b, err := s.openBook(ctx, tx, who, s.today(who))
		if err != nil {
			return err
		}
		hs, err := s.readHeads(ctx, tx)
		if err != nil {
			return err
		}
		head, err := hs.find(in.FeeHeadID, in.Name)
		if err != nil {
			return err
		}
		if err := putHeads(ctx, tx, hs.made...); err != nil {
			return err
		}
		n := newCharge{title: head.Name, note: in.Note, dueDate: b.date}
		if in.DueDate != nil {
			n.dueDate = *in.DueDate
		}
		c, err := b.adHoc(ctx, in.StudentID, head, money.Money(in.Amount), n)
		if err != nil {
			return err
		}
		if err := s.finishCharge(ctx, b, c); err != nil {
			return err
		}
		out = *c
		return nil
	})
	return out, err
}

// newCharge has the details of a charge without a structure.
type newCharge struct {
	title, note string
	dueDate     clock.Date
	reference   *string
}

// adHoc charges one student without a structure.
func (b *book) adHoc(ctx context.Context, student id.ID, head Head, amount money.Money, n newCharge) (*Charge, error) {
	if _, err := getStudents(ctx, b.tx, []id.ID{student}); err != nil {
		return nil, err
	}
	year, err := school.CurrentYear(ctx, b.tx)
	if err != nil {
		return nil, err
	}
	if err := b.load(ctx, student); err != nil {
		return nil, err
	}
	c := b.track(&Charge{ID: b.s.NewID(), StudentID: student, AcademicYearID: year.ID, HeadID: head.ID, Head: head.Name,
		HeadSystem: string(head.System), Reference: n.reference, Title: n.title, Note: opt.Text(n.note), DueDate: n.dueDate,
		ChargedOn: b.date, CreatedAt: b.now})
	b.charge(c, amount)
	concessions, err := concessionsOf(ctx, b.tx, []id.ID{student})
	if err != nil {
		return nil, err
	}
	b.applyConcessions(c, c.Amount, concessions[student])
	b.useAdvance(student)
	return c, nil
}

// finishCharge writes the book of one new charge and notifies the parents.
func (s *Service) finishCharge(ctx context.Context, b *book, c *Charge) error {
	if err := b.write(ctx); err != nil {
		return err
	}
	if err := s.notifyParents(ctx, b.tx, b.who.School, charged, b.newCharges()); err != nil {
		return err
	}
	seen := *c
	seen.Note = "" // may hold personal data, which erasure can't remove from the audit log
	return s.record(ctx, b.tx, b.who, "fee-charge.create", "fee-charge", c.ID, nil, seen)
}

// void voids a charge and its late fine. Its payments become an advance, which pays
// other charges. The charge of an opening balance takes that with it.
func (s *Service) void(ctx context.Context, who actor.Actor, in Undo) (out Charge, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		b, err := s.openBook(ctx, tx, who, s.today(who))
		if err != nil {
			return err
		}
		known, err := getCharge(ctx, tx, in.ID)
		switch {
		case err != nil:
			return err
		case known.Status == statusVoid:
			return errVoid
		}
		was, told := known.Status, []part{}
		if !known.isOpening() && was != statusWaived { // nobody was told of these
			told = append(told, part{student: known.StudentID, record: known.ID, amount: known.Amount - known.Conceded})
		}
		if out, err = b.voidOne(ctx, in.Reason, known); err != nil {
			return err
		}
		if err := s.notifyParents(ctx, tx, who.School, voided, told); err != nil {
			return err
		}
		return s.record(ctx, tx, who, "fee-charge.void", "fee-charge", out.ID, map[string]any{"status": was},
			map[string]any{"status": statusVoid})
	})
	return out, err
}

// voidOne voids a charge with its late fine, and writes the book.
func (b *book) voidOne(ctx context.Context, reason string, known *Charge) (Charge, error) {
	if err := b.load(ctx, known.StudentID); err != nil {
		return Charge{}, err
	}
	c := b.track(known)
	fines, err := listCharges(ctx, b.tx, ` AND c.fine_of IN (:ids) AND c.status <> 'VOID'`, []id.ID{c.ID})
	if err != nil {
		return Charge{}, err
	}
	if err := b.void(ctx, reason, append([]*Charge{c}, fines...)); err != nil {
		return Charge{}, err
	}
	b.useAdvance(c.StudentID)
	if err := b.write(ctx); err != nil {
		return Charge{}, err
	}
	if c.isOpening() {
		err = closeOpenings(ctx, b.tx, "charge_id", reason, b.now, c.ID)
	}
	return *c, err
}

// void reverses charges with their concessions and payments.
func (b *book) void(ctx context.Context, reason string, charges []*Charge) error {
	ids := make([]id.ID, len(charges))
	for i, c := range charges {
		charges[i], ids[i] = b.track(c), c.ID
	}
	if err := b.reverseConcessions(ctx, "charge_id", ids); err != nil {
		return err
	}
	paid, err := listAllocations(ctx, b.tx, ` AND charge_id IN (:ids) AND source <> 'CONCESSION'`, ids)
	if err != nil {
		return err
	}
	standing, err := ledger.Standing(ctx, b.tx, ledger.Charge, "charge_id", ids)
	if err != nil {
		return err
	}
	for _, c := range charges {
		var of []allocation
		for _, p := range paid {
			if p.ChargeID == c.ID {
				of = append(of, p)
			}
		}
		if len(of) > 0 {
			b.moveToAdvance(c, of)
		}
		for _, t := range standing {
			if t.About.ChargeID == c.ID {
				b.reverse(t)
			}
		}
		b.account(c.StudentID).Due -= c.Amount
		c.Status, c.VoidReason = statusVoid, opt.Text(reason)
		b.touch(c)
	}
	return nil
}

type chargeFilters struct {
	StudentID      *id.ID `json:"studentId,omitempty"`
	ClassID        *id.ID `json:"classId,omitempty" doc:"Charges of the students now in this class."`
	FeeHeadID      *id.ID `json:"feeHeadId,omitempty"`
	AcademicYearID *id.ID `json:"academicYearId,omitempty"`
	Status         string `json:"status,omitempty" enum:"OPEN,PARTIAL,PAID,WAIVED,VOID"`
	Overdue        bool   `json:"overdue,omitempty" doc:"Only unpaid charges past their due date."`
}

// listedCharge is a charge in a list.
type listedCharge struct {
	Charge
	payer
}

func (s *Service) listCharges(ctx context.Context, who actor.Actor, in page.Ask[chargeFilters]) (page.Of[listedCharge], error) {
	q, f := s.DB.School(who.School), in.Filters
	out, err := pageCharges(ctx, q, chargeFrom+` WHERE c.school_id = :school`+
		db.When(f.StudentID != nil, ` AND c.student_id = :student`)+
		db.When(f.ClassID != nil, ` AND c.student_id IN (SELECT s.id FROM students s WHERE s.school_id = :school AND s.class_id = :class)`)+
		db.When(f.FeeHeadID != nil, ` AND c.head_id = :head`)+
		db.When(f.AcademicYearID != nil, ` AND c.academic_year_id = :year`)+
		db.When(f.Status != "", ` AND c.status = :status`)+
		db.When(f.Overdue, ` AND `+isUnpaid+` AND c.due_date < :today`), "c.due_date", in.Request,
		db.Args{"student": f.StudentID, "class": f.ClassID, "head": f.FeeHeadID, "year": f.AcademicYearID, "status": f.Status,
			"today": when(f.Overdue, s.today(who))})
	if err != nil || out.Total > 0 {
		return out, err
	}
	return out, people.MustExist(ctx, q, people.Ref{Table: "students", ID: f.StudentID, Missing: people.ErrNoStudent},
		people.Ref{Table: "classes", ID: f.ClassID, Missing: errNoClass}, people.Ref{Table: "fee_heads", ID: f.FeeHeadID, Missing: errNoHead},
		people.Ref{Table: "academic_years", ID: f.AcademicYearID, Missing: school.ErrNoYear})
}

// when is the day if the filter needs it, else "".
func when(needed bool, day clock.Date) clock.Date {
	if needed {
		return day
	}
	return ""
}

func pageCharges(ctx context.Context, q db.Q, from, date string, r page.Request, a db.Args) (page.Of[listedCharge], error) {
	out, err := db.Page[listedCharge](ctx, q, db.List{Columns: chargeColumns + payerColumns("c"), From: from,
		Sorts: map[string]string{"dueDate": date, "createdAt": "c.id", "id": "c.id"}, Default: "dueDate"}, r, a)
	for i := range out.Items {
		out.Items[i].setStatus()
	}
	return out, fault.Wrap("list charges", err)
}

func (s *Service) oneCharge(ctx context.Context, who actor.Actor, in byID) (Charge, error) {
	c, err := getCharge(ctx, s.DB.School(who.School), in.ID)
	if err != nil {
		return Charge{}, err
	}
	return *c, nil
}
