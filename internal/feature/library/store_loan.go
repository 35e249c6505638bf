package library

import (
	"context"
	"fmt"
	"slices"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

// borrowerColumns select the borrower's name and number.
const borrowerColumns = `COALESCE(TRIM(s.first_name || ' ' || s.last_name), TRIM(e.first_name || ' ' || e.last_name), '') AS borrower_name,
	COALESCE(s.admission_no, e.employee_code, '') AS borrower_no`

const loanColumns = `l.id, l.book_id, b.title, b.author, l.copy_id, c.accession_no, l.student_id, l.employee_id, ` + borrowerColumns + `,
	l.issue_date, l.due_date, l.return_date, l.status, l.renewals, l.fine, l.replacement, l.created_at, l.updated_at,
	s.archived_at IS NOT NULL AS archived`

const loanFrom = `library_loans l
	JOIN library_books b ON b.school_id = l.school_id AND b.id = l.book_id
	JOIN library_copies c ON c.school_id = l.school_id AND c.id = l.copy_id
	LEFT JOIN students s ON s.school_id = l.school_id AND s.id = l.student_id
	LEFT JOIN employees e ON e.school_id = l.school_id AND e.id = l.employee_id
	WHERE `

// loanFilter filters loans; zero fields are ignored.
type loanFilter struct {
	status      string
	overdue     *bool
	today       clock.Date
	students    []id.ID // nil: no filter
	employee    *id.ID
	book        *id.ID
	accessionNo string
}

func (f loanFilter) where() string {
	return `l.school_id = :school` +
		db.When(f.status != "", ` AND l.status = :status`) +
		db.When(f.overdue != nil && *f.overdue, ` AND l.status = 'ISSUED' AND l.due_date < :today`) +
		db.When(f.overdue != nil && !*f.overdue, ` AND (l.status <> 'ISSUED' OR l.due_date >= :today)`) +
		db.When(f.students != nil, ` AND l.student_id IN (:students)`) +
		db.When(f.employee != nil, ` AND l.employee_id = :employee`) +
		db.When(f.book != nil, ` AND l.book_id = :book`) +
		db.When(f.accessionNo != "", ` AND l.copy_id = (SELECT id FROM library_copies WHERE school_id = :school AND accession_no = :no)`)
}

func (f loanFilter) args() db.Args {
	a := db.Args{"status": f.status, "students": f.students, "employee": f.employee, "book": f.book, "no": f.accessionNo}
	if f.overdue != nil {
		a["today"] = f.today
	}
	return a
}

func pageLoans(ctx context.Context, q db.Q, f loanFilter, r page.Request) (page.Of[Loan], error) {
	found, err := db.Page[id.ID](ctx, q, db.List{
		Columns: `l.id`,
		From:    `library_loans l WHERE ` + f.where(),
		Sorts:   map[string]string{"dueDate": "l.due_date", "createdAt": "l.id", "id": "l.id"},
		Default: "-createdAt",
	}, r, f.args())
	if err != nil {
		return page.Of[Loan]{}, fmt.Errorf("list loans: %w", err)
	}
	loans, err := listLoans(ctx, q, `l.school_id = :school AND l.id IN (:ids)`, db.Args{"ids": found.Items}, f.today)
	return inOrder(found, loans, func(l Loan) id.ID { return l.ID }), err
}

// inOrder puts records in the order of a page of ids. Lists read ids first, so that
// the count and the offset need no joins.
func inOrder[T any](found page.Of[id.ID], records []T, idOf func(T) id.ID) page.Of[T] {
	at := make(map[id.ID]int, len(found.Items))
	for i, v := range found.Items {
		at[v] = i
	}
	slices.SortFunc(records, func(a, b T) int { return at[idOf(a)] - at[idOf(b)] })
	return page.Of[T]{Items: records, Total: found.Total, Page: found.Page, Limit: found.Limit, TotalPages: found.TotalPages}
}

// listLoans lists loans by a condition, the latest first.
func listLoans(ctx context.Context, q db.Q, which string, a db.Args, today clock.Date) ([]Loan, error) {
	list, err := db.All[Loan](ctx, q, `SELECT `+loanColumns+` FROM `+loanFrom+which+` ORDER BY l.id DESC`, a)
	if err != nil {
		return nil, fmt.Errorf("read loans: %w", err)
	}
	return list, asOf(ctx, q, list, today)
}

// asOf sets the overdue flags and fines of loans.
func asOf(ctx context.Context, q db.Q, loans []Loan, today clock.Date) error {
	rules, err := getRules(ctx, q)
	for i := range loans {
		loans[i].asOf(today, rules)
	}
	return err
}

func getLoan(ctx context.Context, q db.Q, loan id.ID) (Loan, error) {
	return oneLoan(ctx, q, `l.school_id = :school AND l.id = :id`, loan)
}

// openLoan returns the open loan of a copy.
func openLoan(ctx context.Context, q db.Q, copyID id.ID) (Loan, error) {
	return oneLoan(ctx, q, `l.school_id = :school AND l.copy_id = :id AND l.status = 'ISSUED'`, copyID)
}

func oneLoan(ctx context.Context, q db.Q, which string, at id.ID) (Loan, error) {
	l, err := db.One[Loan](ctx, q, `SELECT `+loanColumns+` FROM `+loanFrom+which, db.Args{"id": at})
	return l, db.Found("read loan", err, errNoLoan)
}

func putLoan(ctx context.Context, tx *db.Tx, l Loan) error {
	_, err := db.Insert(ctx, tx, `
		INSERT INTO library_loans (school_id, id, book_id, copy_id, student_id, employee_id, issue_date, due_date, status, created_at, updated_at)
		VALUES (:school, :id, :book_id, :copy_id, :student_id, :employee_id, :issue_date, :due_date, :status, :created_at, :updated_at)`,
		[]Loan{l})
	switch {
	case db.IsDuplicate(err, "library_loans_out"):
		return errState.Because(err)
	case err != nil:
		return fmt.Errorf("write loan: %w", err)
	}
	return nil
}

func updateLoan(ctx context.Context, tx *db.Tx, l Loan) error {
	_, err := db.Exec(ctx, tx, `
		UPDATE library_loans SET due_date = :due, return_date = :returned, status = :status, renewals = :renewals,
			fine = :fine, replacement = :replacement, updated_at = :now
		WHERE school_id = :school AND id = :id`,
		db.Args{"id": l.ID, "due": l.DueDate, "returned": l.ReturnDate, "status": l.Status, "renewals": l.Renewals,
			"fine": l.Fine, "replacement": l.Replacement, "now": l.UpdatedAt})
	if err != nil {
		return fmt.Errorf("update loan: %w", err)
	}
	return nil
}
