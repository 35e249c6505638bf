package library

import (
	"context"
	"fmt"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// Borrower is a student or an employee.
type Borrower struct {
	StudentID  *id.ID `json:"studentId" example:"0199f3a2-7c4e-7b11-9d52-3f6a0c8e1b47" doc:"The borrowing student; or use employeeId."`
	EmployeeID *id.ID `json:"employeeId" doc:"The borrowing employee; or use studentId."`
}

func (b Borrower) check() []fault.Field {
	switch {
	case b.StudentID == nil && b.EmployeeID == nil:
		return []fault.Field{{Field: "studentId", Message: "is required, unless employeeId is given"}}
	case b.StudentID != nil && b.EmployeeID != nil:
		return []fault.Field{{Field: "employeeId", Message: "can't be combined with studentId"}}
	}
	return nil
}

// column and id select the borrower's loans and reservations.
func (b Borrower) column() string {
	if b.StudentID != nil {
		return "student_id"
	}
	return "employee_id"
}

func (b Borrower) id() id.ID {
	if b.StudentID != nil {
		return *b.StudentID
	}
	return *b.EmployeeID
}

// limits returns the maximum number of loans and the loan period in days.
func (b Borrower) limits(r Rules) (loans, days int) {
	if b.StudentID != nil {
		return r.StudentLoans, r.StudentDays
	}
	return r.EmployeeLoans, r.EmployeeDays
}

// mustBeHere refuses a borrower who has left the school.
func (b Borrower) mustBeHere(ctx context.Context, q db.Q) error {
	sql, missing := `SELECT status = 'ACTIVE' FROM students`, people.ErrNoStudent
	if b.EmployeeID != nil {
		sql, missing = `SELECT status <> 'RESIGNED' FROM employees`, people.ErrNoEmployee
	}
	here, err := db.One[bool](ctx, q, sql+` WHERE school_id = :school AND id = :id AND archived_at IS NULL`, db.Args{"id": b.id()})
	switch {
	case err != nil:
		return db.Found("read borrower", err, missing)
	case !here:
		return errRefused.Saying("This borrower has left the school and can't borrow books.")
	}
	return nil
}

// mayBorrow refuses a borrower at the limit, or with an overdue book.
func (d desk) mayBorrow(ctx context.Context, b Borrower) error {
	has, err := loansOf(ctx, d.tx, b, d.today)
	if err != nil {
		return err
	}
	limit, _ := b.limits(d.rules)
	switch {
	case d.rules.OverdueBlocks && has.Overdue > 0:
		return errRefused.Saying("This borrower has %s overdue. It must be returned first.", people.Plural(has.Overdue, "book", "books"))
	case has.Loans >= limit:
		return errRefused.Saying("This borrower has %s, and the limit is %d. One must be returned first.",
			people.Plural(has.Loans, "book", "books"), limit)
	}
	return nil
}

// loanCount is the number of a borrower's loans.
type loanCount struct{ Loans, Overdue int }

func loansOf(ctx context.Context, q db.Q, b Borrower, today clock.Date) (loanCount, error) {
	h, err := db.One[loanCount](ctx, q, `
		SELECT count(*) AS loans, CAST(COALESCE(SUM(CASE WHEN due_date < :today THEN 1 ELSE 0 END), 0) AS BIGINT) AS overdue
		FROM library_loans WHERE school_id = :school AND status = 'ISSUED' AND `+b.column()+` = :id`,
		db.Args{"id": b.id(), "today": today})
	if err != nil {
		return h, fmt.Errorf("count loans of borrower: %w", err)
	}
	return h, nil
}
