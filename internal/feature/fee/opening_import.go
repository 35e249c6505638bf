package fee

import (
	"context"
	"fmt"
	"slices"

	"homeroom/internal/feature/fee/ledger"
	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/csv"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/web"
)

// The columns of a file of opening balances, one row per student.
const (
	opAdmissionNo = iota
	opOwed
	opAdvance
	opDueDate
	opNote
)

var openingColumnsCSV = []csv.Column{
	opAdmissionNo: {Name: "admissionNo", Also: []string{"Admission Number", "Adm No"}},
	opOwed:        {Name: "owed", Also: []string{"Amount Owed", "Amount Due", "Due", "Debit"}},
	opAdvance:     {Name: "advance", Also: []string{"Paid Ahead", "Amount Paid Ahead", "Credit"}},
	opDueDate:     {Name: "dueDate", Also: []string{"Due On"}},
	opNote:        {Name: "note", Also: []string{"Remark", "Remarks", "Reference"}},
}

// openingLine is a row of a file; Check looks the student up.
type openingLine struct {
	admissionNo string
	openingIn
}

// nothing reports a balance of 0, which lists of all students have.
func (l openingLine) nothing() bool { return l.Owed == nil && l.Advance == nil }

// importOpenings enters the opening balances of a CSV file.
func (s *Service) importOpenings(ctx context.Context, who actor.Actor, in people.FormIn) (people.Imported, error) {
	return people.ImportRows(ctx, who, in, people.Form[openingLine]{
		Columns: openingColumnsCSV, Needs: []int{opAdmissionNo, opOwed}, Keep: s.imports(),
		Read: readOpening, Skip: openingLine.nothing, Check: checkOpenings,
		Write: func(ctx context.Context, tx *db.Tx, rows []*people.Row[openingLine]) (added people.Added, err error) {
			b, err := s.openBook(ctx, tx, who, s.today(who))
			if err != nil {
				return nil, err
			}
			all := make([]openingIn, len(rows))
			for i, r := range rows {
				all[i] = r.Line.openingIn
			}
			if err := b.enter(ctx, all); err != nil {
				return nil, err
			}
			var ids []id.ID
			for _, o := range b.openings {
				ids = append(ids, o.ID)
			}
			added.Add("opening", 1, ids...)
			return added, nil
		},
	})
}

func readOpening(c people.Cells) openingLine {
	l := openingLine{admissionNo: c.Text(opAdmissionNo, 50)}
	l.Owed, l.Advance, l.DueDate, l.Note = positive(c.Money(opOwed)), positive(c.Money(opAdvance)), c.Date(opDueDate), c.Text(opNote, 500)
	if l.admissionNo == "" {
		c.Wrong(opAdmissionNo, "is required")
	}
	switch {
	case l.Owed != nil && l.Advance != nil:
		c.Wrong(opAdvance, "can't be combined with an amount owed: write the difference")
	case l.Advance != nil && l.DueDate != nil:
		c.Wrong(opDueDate, "is only allowed with an amount owed")
	}
	return l
}

// positive is nil for an amount of 0.
func positive(m *money.Money) *money.Positive {
	if m == nil || *m == 0 {
		return nil
	}
	return new(money.Positive(*m))
}

// checkOpenings looks the students up, and refuses those who have an opening balance.
// The ledger lock makes concurrent imports follow one another.
func checkOpenings(ctx context.Context, tx *db.Tx, rows []*people.Row[openingLine]) error {
	if err := ledger.Lock(ctx, tx); err != nil {
		return err
	}
	numbers := make([]string, len(rows))
	for i, r := range rows {
		numbers[i] = r.Line.admissionNo
	}
	type found struct {
		ID            id.ID
		AdmissionNo   string
		Owed, Advance *money.Money
	}
	known := map[string]found{}
	err := db.Each(ctx, tx, `
		SELECT s.id, s.admission_no, o.owed, o.advance FROM students s
		LEFT JOIN fee_openings o ON o.school_id = s.school_id AND o.student_id = s.id AND o.status = 'ACTIVE'
		WHERE s.school_id = :school AND s.admission_no IN (:numbers) AND s.archived_at IS NULL`,
		db.Args{"numbers": slices.Compact(slices.Sorted(slices.Values(numbers)))}, func(f found) error {
			known[f.AdmissionNo] = f
			return nil
		})
	if err != nil {
		return fmt.Errorf("look up students: %w", err)
	}
	rowOf := map[string]int{}
	for _, r := range rows {
		l := &r.Line
		f, ok := known[l.admissionNo]
		l.StudentID = f.ID
		switch {
		case l.admissionNo == "":
		case !ok:
			r.Wrong(opAdmissionNo, "belongs to no student")
		case rowOf[l.admissionNo] > 0:
			r.Wrong(opAdmissionNo, "is already used in row %d", rowOf[l.admissionNo])
		case f.Owed != nil && !l.nothing():
			r.Wrong(opAdmissionNo, "has an opening balance already (%s): cancel that one first", balance(*f.Owed, *f.Advance))
		}
		rowOf[l.admissionNo] = r.No
	}
	return nil
}

func balance(owed, advance money.Money) string {
	if owed > 0 {
		return owed.String() + " owed"
	}
	return advance.String() + " paid ahead"
}

func (s *Service) openingTemplate(context.Context, actor.Actor, web.None) (web.File, error) {
	return people.Template("opening-balances-template.csv", openingColumnsCSV,
		"2026-0001", "1500.50", "", "2026-04-10", "Balance of last year"), nil
}
