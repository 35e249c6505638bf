package library

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

// The statuses of a reservation that the code uses.
const (
	waiting   = "WAITING"
	ready     = "READY"
	cancelled = "CANCELLED"
)

// NewReservation is the input of Reserve.
type NewReservation struct {
	BookID id.ID `json:"bookId" required:"true"`
	Borrower
}

// Check validates the fields together.
func (in *NewReservation) Check() error { return fieldsFault(in.check()) }

// Reserve adds a borrower to the queue of a book. An available copy is held at once.
func (s *Service) Reserve(ctx context.Context, who actor.Actor, in NewReservation) (r Reservation, err error) {
	err = s.atDesk(ctx, who, func(ctx context.Context, d desk) error {
		b, err := getBook(ctx, d.tx, in.BookID)
		if err != nil {
			return err
		}
		if err := in.mustBeHere(ctx, d.tx); err != nil {
			return err
		}
		if err := d.mayReserve(ctx, b, in.Borrower); err != nil {
			return err
		}
		now := s.Now()
		r = Reservation{ID: s.NewID(), BookID: b.ID, StudentID: in.StudentID, EmployeeID: in.EmployeeID, Status: waiting, CreatedAt: now,
			UpdatedAt: now}
		if err := putReservation(ctx, d.tx, r); err != nil {
			return err
		}
		if err := d.assignCopies(ctx, b.ID); err != nil {
			return err
		}
		r, err = d.auditReservation(ctx, "library-reservation.create", Reservation{}, r.ID)
		return err
	})
	return r, err
}

// mayReserve refuses a book without copies to lend, and a borrower who has a copy.
func (d desk) mayReserve(ctx context.Context, b Book, by Borrower) error {
	lendable := false
	for _, c := range b.Copies {
		lendable = lendable || c.Status != Lost && c.Status != Withdrawn
	}
	if !lendable {
		return errRefused.Saying("This book has no copy that can be lent. Add a copy first.")
	}
	has, err := hasCopy(ctx, d.tx, b.ID, by)
	if err == nil && has {
		err = errRefused.Saying("This borrower has a copy of the book. Renew that loan instead.")
	}
	return err
}

// auditReservation records a change in the audit log and returns the reservation as
// stored.
func (d desk) auditReservation(ctx context.Context, action string, before Reservation, at id.ID) (Reservation, error) {
	after, err := getReservation(ctx, d.tx, at)
	if err != nil {
		return after, err
	}
	if before.ID == "" {
		return after, d.record(ctx, action, "library-reservation", at, nil, after.withoutNames())
	}
	return after, d.record(ctx, action, "library-reservation", at, before.withoutNames(), after.withoutNames())
}

func (r Reservation) withoutNames() Reservation {
	r.BorrowerName, r.BorrowerNo = "", ""
	return r
}

// cancel cancels a reservation. A held copy goes to the next in the queue, and who was
// told that it is kept is told that it is not.
func (s *Service) cancel(ctx context.Context, who actor.Actor, in idIn) (r Reservation, err error) {
	err = s.atDesk(ctx, who, func(ctx context.Context, d desk) error {
		before, err := getReservation(ctx, d.tx, in.ID)
		if err != nil {
			return err
		}
		if before.Status != waiting && before.Status != ready {
			return errRefused.Saying("This reservation is %s and can't be cancelled.", before.Status)
		}
		if err := cancelReservation(ctx, d.tx, in.ID, s.Now()); err != nil {
			return err
		}
		if err := d.assignCopies(ctx, before.BookID); err != nil {
			return err
		}
		if before.Status == ready {
			if err := d.tellOf(ctx, in.ID, cancelled, cancelledNotice); err != nil {
				return err
			}
		}
		r, err = d.auditReservation(ctx, "library-reservation.cancel", before, in.ID)
		return err
	})
	return r, err
}

type reservationFilters struct {
	Status     string `json:"status,omitempty" enum:"WAITING,READY,FULFILLED,CANCELLED,EXPIRED"`
	BookID     *id.ID `json:"bookId,omitempty"`
	StudentID  *id.ID `json:"studentId,omitempty"`
	EmployeeID *id.ID `json:"employeeId,omitempty"`
}

func (s *Service) reservations(ctx context.Context, who actor.Actor, in page.Ask[reservationFilters]) (page.Of[Reservation], error) {
	q, f := s.DB.School(who.School), in.Filters
	found, err := db.Page[id.ID](ctx, q, db.List{
		Columns: `r.id`,
		From: `library_reservations r WHERE r.school_id = :school` +
			db.When(f.Status != "", ` AND r.status = :status`) +
			db.When(f.BookID != nil, ` AND r.book_id = :book`) +
			db.When(f.StudentID != nil, ` AND r.student_id = :student`) +
			db.When(f.EmployeeID != nil, ` AND r.employee_id = :employee`),
		Sorts:   map[string]string{"createdAt": "r.id", "id": "r.id"},
		Default: "createdAt",
	}, in.Request, db.Args{"status": f.Status, "book": f.BookID, "student": f.StudentID, "employee": f.EmployeeID})
	if err != nil {
		return page.Of[Reservation]{}, fmt.Errorf("list reservations: %w", err)
	}
	list, err := db.All[Reservation](ctx, q, `SELECT `+reservationColumns+` FROM `+reservationFrom+` AND r.id IN (:ids)`,
		db.Args{"ids": found.Items})
	out := inOrder(found, list, func(r Reservation) id.ID { return r.ID })
	switch {
	case err != nil:
		return out, fmt.Errorf("read reservations: %w", err)
	case out.Total > 0: // check the ids of filters only if the list is empty
		return out, nil
	}
	return out, people.MustExist(ctx, q,
		people.Ref{Table: "library_books", ID: f.BookID, Missing: errNoBook},
		people.Ref{Table: "students", ID: f.StudentID, Missing: people.ErrNoStudent},
		people.Ref{Table: "employees", ID: f.EmployeeID, Missing: people.ErrNoEmployee})
}

const reservationColumns = `r.id, r.book_id, b.title, r.student_id, r.employee_id, ` + borrowerColumns + `, r.status, r.copy_id,
	COALESCE(c.accession_no, '') AS accession_no, r.hold_until, r.created_at, r.updated_at,
	CASE WHEN r.status = 'WAITING' THEN (SELECT count(*) FROM library_reservations w WHERE w.school_id = r.school_id
		AND w.book_id = r.book_id AND w.status = 'WAITING' AND w.id <= r.id) ELSE 0 END AS position`

const reservationFrom = `library_reservations r
	JOIN library_books b ON b.school_id = r.school_id AND b.id = r.book_id
	LEFT JOIN library_copies c ON c.school_id = r.school_id AND c.id = r.copy_id
	LEFT JOIN students s ON s.school_id = r.school_id AND s.id = r.student_id
	LEFT JOIN employees e ON e.school_id = r.school_id AND e.id = r.employee_id
	WHERE r.school_id = :school`

func getReservation(ctx context.Context, q db.Q, reservation id.ID) (Reservation, error) {
	return oneReservation(ctx, q, ` AND r.id = :id`, db.Args{"id": reservation})
}

// queued returns a borrower's reservation of a book.
func queued(ctx context.Context, q db.Q, book id.ID, by Borrower) (Reservation, error) {
	return oneReservation(ctx, q, ` AND r.book_id = :book AND r.status IN ('WAITING', 'READY') AND r.`+by.column()+` = :by`,
		db.Args{"book": book, "by": by.id()})
}

// heldBy returns the reservation that a copy is held for.
func heldBy(ctx context.Context, q db.Q, copyID id.ID) (Reservation, error) {
	return oneReservation(ctx, q, ` AND r.copy_id = :copy AND r.status = 'READY'`, db.Args{"copy": copyID})
}

func oneReservation(ctx context.Context, q db.Q, which string, a db.Args) (Reservation, error) {
	r, err := db.One[Reservation](ctx, q, `SELECT `+reservationColumns+` FROM `+reservationFrom+which, a)
	return r, db.Found("read reservation", err, errNoReservation)
}

func putReservation(ctx context.Context, tx *db.Tx, r Reservation) error {
	_, err := db.Insert(ctx, tx, `
		INSERT INTO library_reservations (school_id, id, book_id, student_id, employee_id, status, created_at, updated_at)
		VALUES (:school, :id, :book_id, :student_id, :employee_id, :status, :created_at, :updated_at)`, []Reservation{r})
	switch {
	case db.IsDuplicate(err, "library_reservations_by_student"), db.IsDuplicate(err, "library_reservations_by_employee"):
		return errReserved.Because(err)
	case err != nil:
		return fmt.Errorf("write reservation: %w", err)
	}
	return nil
}

func cancelReservation(ctx context.Context, tx *db.Tx, reservation id.ID, now time.Time) error {
	_, err := db.Exec(ctx, tx, `UPDATE library_reservations SET status = 'CANCELLED', copy_id = NULL, hold_until = NULL, updated_at = :now
		WHERE school_id = :school AND id = :id`, db.Args{"id": reservation, "now": now})
	if err != nil {
		return fmt.Errorf("cancel reservation: %w", err)
	}
	return nil
}

// fulfil ends a reservation with the borrowed copy.
func fulfil(ctx context.Context, tx *db.Tx, reservation, copyID id.ID, now time.Time) error {
	_, err := db.Exec(ctx, tx, `UPDATE library_reservations SET status = 'FULFILLED', copy_id = :copy, hold_until = NULL, updated_at = :now
		WHERE school_id = :school AND id = :id`, db.Args{"id": reservation, "copy": copyID, "now": now})
	if err != nil {
		return fmt.Errorf("fulfil reservation: %w", err)
	}
	return nil
}

// unhold sets the reservation of a held copy back to WAITING, at its old position.
func unhold(ctx context.Context, tx *db.Tx, copyID id.ID, now time.Time) error {
	_, err := db.Exec(ctx, tx, `UPDATE library_reservations SET status = 'WAITING', copy_id = NULL, hold_until = NULL, updated_at = :now
		WHERE school_id = :school AND copy_id = :copy AND status = 'READY'`, db.Args{"copy": copyID, "now": now})
	if err != nil {
		return fmt.Errorf("remove hold: %w", err)
	}
	return nil
}

func hasCopy(ctx context.Context, q db.Q, book id.ID, by Borrower) (bool, error) {
	n, err := db.One[int](ctx, q, `SELECT count(*) FROM library_loans
		WHERE school_id = :school AND book_id = :book AND status = 'ISSUED' AND `+by.column()+` = :by`, db.Args{"book": book, "by": by.id()})
	if err != nil {
		return false, fmt.Errorf("read loans of book: %w", err)
	}
	return n > 0, nil
}
