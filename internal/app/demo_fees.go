package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"homeroom/internal/feature/fee"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
)

// Number of students by how their families pay. The rest pay monthly. The demo
// parent's own children are not counted.
const (
	demoDebtors = 3  // one pays nothing, one half, one by a cheque that bounces
	demoAhead   = 17 // pay two months and the year's activities in advance
)

const (
	demoDueDay = 10
	demoGrace  = 21 // days: only fees of the month before are fined
)

// demoPrices are the fees of a school.
type demoPrices struct {
	tuition, step, transport money.Money // a month; tuition rises with the grade
	activities               money.Money // a year
	late                     money.Money // once
	ways                     []string    // payment methods
}

func (p demoPlan) prices() demoPrices {
	if p.currency == "INR" {
		return demoPrices{tuition: 5_200_00, step: 250_00, transport: 1_800_00, activities: 3_500_00, late: 200_00,
			ways: []string{"UPI", "UPI", "BANK_TRANSFER", "CASH", "CHEQUE"}}
	}
	return demoPrices{tuition: 640_00, step: 25_00, transport: 95_00, activities: 180_00, late: 15_00,
		ways: []string{"ONLINE", "CARD", "BANK_TRANSFER", "CASH", "CHEQUE"}}
}

func (p demoPrices) tuitionOf(grade int) money.Money { return p.tuition + money.Money(grade)*p.step }

// demoPupil is a student who is charged fees.
type demoPupil struct {
	ID         id.ID
	DivisionID id.ID
	Payer      string
	Rides      bool
	Own        bool        // is a child of the demo parent
	pays       money.Money // amount of each payment
}

// demoPayment is a receipt to create on a day.
type demoPayment struct {
	day     clock.Date
	bounces bool
	fee.NewReceipt
}

// demoLedger creates fees and payments. Two divisions are charged for this month
// and the last, each on its first day. The visitor can charge the other divisions.
type demoLedger struct {
	*demoMaker
	demoPrices
	office     actor.Actor
	structures []fee.Structure // by grade
	months     []clock.Date    // first days of the charged months of this academic year
	pupils     []demoPupil
	till       fee.Till // of the last day with payments
	missed     bool     // one till lacked something
}

// addFees adds charges and payments of every kind: paid, due, overdue, in
// advance, with a concession and reversed.
func (m *demoMaker) addFees(ctx context.Context, tx *db.Tx, admin id.ID) error {
	b := &demoLedger{demoMaker: m, demoPrices: m.prices(), office: m.who, months: feeMonths(m.first, m.today)}
	b.office.User = admin
	for _, step := range []func(context.Context, *db.Tx) error{b.addStructures, b.findPupils, b.addConcession, b.addMoney} {
		if err := step(ctx, tx); err != nil {
			return fmt.Errorf("add fees: %w", err)
		}
	}
	return nil
}

// feeMonths returns the first days of the months to charge.
func feeMonths(first, today clock.Date) []clock.Date {
	this := today.AddDays(1 - today.Time().Day())
	if this <= first {
		return []clock.Date{this}
	}
	last := this.AddDays(-1)
	return []clock.Date{last.AddDays(1 - last.Time().Day()), this}
}

// feesOn returns the fee service with its clock set to noon of a day.
func (b *demoLedger) feesOn(day clock.Date) *fee.Service { return b.feesAt(day, 12) }

// feesAt returns the fee service with its clock set to an hour of a day, or to now if
// that is earlier.
func (b *demoLedger) feesAt(day clock.Date, hour int) *fee.Service {
	fees, at, now := *b.Fees, day.Time(), b.Now()
	if at = time.Date(at.Year(), at.Month(), at.Day(), hour, 0, 0, 0, clock.Zone(b.zone)).UTC(); at.After(now) {
		at = now
	}
	fees.Now = func() time.Time { return at }
	return &fees
}

// addStructures adds the fee structures of the grades up to the demo teacher's.
func (b *demoLedger) addStructures(ctx context.Context, _ *db.Tx) error {
	soon := min(b.today.AddDays(12), yearEnd(b.first))
	for grade := 1; grade <= demoHome/demoDivisions+1; grade++ {
		st, err := b.feesOn(b.months[0]).CreateStructure(ctx, b.office, fee.NewStructure{
			ClassID: b.divisions[(grade-1)*demoDivisions].ClassID, TermsPerYear: 3,
			LateFine: &fee.NewLateFine{Flat: new(money.Positive(b.late)), GraceDays: demoGrace},
			Items: []fee.NewItem{
				{Name: "Tuition", Amount: money.Positive(b.tuitionOf(grade)), Frequency: "MONTHLY", DueDay: new(demoDueDay)},
				{Name: "Transport", Amount: money.Positive(b.transport), Frequency: "MONTHLY", DueDay: new(demoDueDay), IsOptional: true},
				{Name: "Activities", Amount: money.Positive(b.activities), Frequency: "YEARLY", DueDate: &soon},
			}})
		if err != nil {
			return err
		}
		b.structures = append(b.structures, st)
	}
	return nil
}

// findPupils lists the students to charge, and selects the transport fee for bus riders.
func (b *demoLedger) findPupils(ctx context.Context, tx *db.Tx) (err error) {
	home, sibling := b.divisions[demoHome], b.divisions[demoSibling]
	b.pupils, err = db.All[demoPupil](ctx, tx, `
		SELECT s.id, s.division_id, g.name AS payer, g.phone = :parent AS own,
			EXISTS (SELECT 1 FROM student_stops r WHERE r.school_id = :school AND r.student_id = s.id) AS rides
		FROM students s
		JOIN student_guardians l ON l.school_id = s.school_id AND l.student_id = s.id AND l.is_primary
		JOIN guardians g ON g.school_id = l.school_id AND g.id = l.guardian_id
		WHERE s.school_id = :school AND s.division_id IN (:divisions) ORDER BY s.admission_no`,
		db.Args{"parent": b.parent(), "divisions": []id.ID{home.ID, sibling.ID}})
	if err != nil {
		return fmt.Errorf("list students to charge: %w", err)
	}
	for i := range b.pupils {
		p := &b.pupils[i]
		grade := demoHome/demoDivisions + 1
		if p.DivisionID == sibling.ID {
			grade = demoSibling/demoDivisions + 1
		}
		p.pays = b.tuitionOf(grade)
		if !p.Rides {
			continue
		}
		p.pays += b.transport
		bus := b.structures[grade-1].Items[1].ID
		if _, err := b.feesOn(b.months[0]).SetProfile(ctx, b.office, fee.ProfileChange{StudentID: p.ID, Options: &[]id.ID{bus}}); err != nil {
			return err
		}
	}
	return nil
}

// addConcession grants the demo parent's younger child 10 % off tuition.
func (b *demoLedger) addConcession(ctx context.Context, _ *db.Tx) error {
	at := slices.IndexFunc(b.pupils, func(p demoPupil) bool { return p.Own && p.DivisionID == b.divisions[demoSibling].ID })
	tenth, grade := money.Percent(10_00), demoSibling/demoDivisions+1
	b.pupils[at].pays -= tenth.Of(b.tuitionOf(grade))
	_, err := b.feesOn(b.months[0]).Grant(ctx, b.office, fee.NewConcession{StudentID: b.pupils[at].ID, Percent: &tenth,
		FeeHeadID: &b.structures[grade-1].Items[0].HeadID, Reason: "Sibling in Grade 5"})
	return err
}

// addMoney creates charges and payments in order of date.
func (b *demoLedger) addMoney(ctx context.Context, _ *db.Tx) error {
	round := fee.Round{}
	for _, p := range b.pupils {
		round.StudentIDs = append(round.StudentIDs, p.ID)
	}
	payments := b.payments()
	for i, month := range b.months {
		if _, err := b.feesOn(month).Generate(ctx, b.office, round); err != nil {
			return err
		}
		for len(payments) > 0 && (i == len(b.months)-1 || payments[0].day < b.months[i+1]) {
			if err := b.openTill(ctx, payments[0].day); err != nil {
				return err
			}
			if err := b.collect(ctx, payments[0]); err != nil {
				return err
			}
			payments = payments[1:]
		}
	}
	return nil
}

func (b *demoLedger) collect(ctx context.Context, p demoPayment) error {
	r, err := b.feesOn(p.day).Collect(ctx, b.office, p.NewReceipt)
	if err != nil || !p.bounces {
		return err
	}
	back := min(p.day.AddDays(3), b.today)
	_, err = b.feesOn(back).Reverse(ctx, b.office, fee.Undo{ID: r.ID, Reason: "The bank returned the cheque."})
	return err
}

// payments returns the payments of all families, by day.
func (b *demoLedger) payments() []demoPayment {
	var family, others []demoPupil
	for _, p := range b.pupils {
		if p.Own {
			family = append(family, p)
		} else {
			others = append(others, p)
		}
	}
	list := b.ofFamily(family)
	for n, i := range b.rand.Perm(len(others)) {
		list = append(list, b.ofPupil(n, others[i])...)
	}
	slices.SortStableFunc(list, func(x, y demoPayment) int { return cmp.Compare(x.day, y.day) })
	return list
}

// ofFamily returns the demo parent's payments: one for both children, then one
// for one child, so that the other's fee is due.
func (b *demoLedger) ofFamily(children []demoPupil) []demoPayment {
	list := []demoPayment{b.pay(min(b.months[0].AddDays(4), b.today), b.ways[0], children...)}
	if len(b.months) > 1 {
		home := slices.IndexFunc(children, func(p demoPupil) bool { return p.DivisionID == b.divisions[demoHome].ID })
		list = append(list, b.pay(b.lately(3), b.ways[0], children[home]))
	}
	return list
}

// ofPupil returns the payments for the n-th of the other students.
func (b *demoLedger) ofPupil(n int, p demoPupil) (list []demoPayment) {
	last := b.today // latest day of a payment in advance
	if len(b.months) > 1 {
		last = b.months[1].AddDays(-1)
	}
	switch {
	case n == 0:
	case n == 1:
		p.pays /= 2
		list = append(list, b.pay(b.lately(8), "CASH", p))
	case n == 2:
		cheque := b.pay(max(b.months[0], b.today.AddDays(-5)), "CHEQUE", p)
		cheque.Method, cheque.bounces = "CHEQUE", true
		list = append(list, cheque)
	case n < demoDebtors+demoAhead:
		p.pays += p.pays + b.activities
		list = append(list, b.pay(b.someDay(b.months[0], last), pick(b.rand, b.ways), p))
	default:
		if len(b.months) > 1 {
			list = append(list, b.pay(b.someDay(b.months[0], b.months[0].AddDays(demoDueDay)), pick(b.rand, b.ways), p))
		}
		day := b.someDay(b.lately(8), b.today)
		if n == demoDebtors+demoAhead {
			day = b.today // somebody always pays today
		}
		list = append(list, b.pay(day, pick(b.rand, b.ways), p))
	}
	return list
}

// pay returns one receipt for some children.
func (b *demoLedger) pay(day clock.Date, way string, children ...demoPupil) demoPayment {
	r := fee.NewReceipt{Method: way, Payer: children[0].Payer}
	if way != "CASH" {
		r.Reference = fmt.Sprintf("%06d", b.rand.IntN(1_000_000))
	}
	for _, c := range children {
		r.Payments = append(r.Payments, fee.NewPayment{StudentID: c.ID, Amount: money.Positive(c.pays)})
	}
	return demoPayment{day: day, NewReceipt: r}
}

// lately returns the day that many days ago, or the first of this month if that is later.
func (b *demoLedger) lately(days int) clock.Date {
	return max(b.months[len(b.months)-1], b.today.AddDays(-days))
}

func (b *demoLedger) someDay(from, to clock.Date) clock.Date {
	return from.AddDays(b.rand.IntN(1 + int(to.Time().Sub(from.Time())/(24*time.Hour))))
}
