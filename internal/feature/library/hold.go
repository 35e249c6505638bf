package library

import (
	"context"
	"fmt"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/text"
)

// assignCopies assigns available copies to reservations: it ends expired holds, frees
// their copies, holds free copies for the first in each queue and notifies them. Call
// it after every change to copies or reservations. The number of statements is fixed.
func (d desk) assignCopies(ctx context.Context, books ...id.ID) error {
	now := d.Now()
	if err := d.exec(ctx, "end reservations", endReservations, db.Args{"books": books, "today": d.today, "now": now}); err != nil {
		return err
	}
	if err := d.exec(ctx, "free copies", freeCopies, db.Args{"books": books, "now": now}); err != nil {
		return err
	}
	found, err := db.All[pair](ctx, d.tx, pairs, db.Args{"books": books})
	if err != nil {
		return fmt.Errorf("match reservations with copies: %w", err)
	}
	if len(found) > 0 {
		if err := d.hold(ctx, books, found); err != nil {
			return err
		}
	}
	return d.exec(ctx, "count copies", countCopies, db.Args{"books": books})
}

// hold holds copies for reservations and notifies the borrowers.
func (d desk) hold(ctx context.Context, books []id.ID, found []pair) error {
	ids, copies := make([]id.ID, len(found)), make([]id.ID, len(found))
	for i, p := range found {
		ids[i], copies[i] = p.ID, p.CopyID
	}
	now, until := d.Now(), d.today.AddDays(d.rules.HoldDays)
	if err := d.exec(ctx, "hold copies for reservations", readyReservations, db.Args{"books": books, "until": until, "now": now}); err != nil {
		return err
	}
	if err := d.exec(ctx, "hold copies", holdCopies, db.Args{"copies": copies, "now": now}); err != nil {
		return err
	}
	whom, err := db.All[addressee](ctx, d.tx, `SELECT x.hold_until AS date, `+addresseeColumns+` FROM library_reservations x `+addresseeJoins+`
		WHERE x.school_id = :school AND x.id IN (:ids) ORDER BY x.id`, db.Args{"ids": ids})
	if err != nil {
		return fmt.Errorf("read borrowers to notify: %w", err)
	}
	return d.notifyBorrowers(ctx, d.tx, d.who.School, whom, readyNotice)
}

// tellWaiting notifies the borrower whose held copy is gone, if no other copy was held
// instead.
func (d desk) tellWaiting(ctx context.Context, hold Reservation) error {
	if hold.ID == "" {
		return nil
	}
	return d.tellOf(ctx, hold.ID, waiting, goneNotice)
}

// tellOf notifies the borrower of a reservation that has this status now.
func (d desk) tellOf(ctx context.Context, reservation id.ID, status string, say func(addressee) (title, body text.Text)) error {
	whom, err := db.All[addressee](ctx, d.tx, `SELECT '' AS date, `+addresseeColumns+` FROM library_reservations x `+addresseeJoins+`
		WHERE x.school_id = :school AND x.id = :id AND x.status = :status`, db.Args{"id": reservation, "status": status})
	if err != nil {
		return fmt.Errorf("read borrower to notify: %w", err)
	}
	return d.notifyBorrowers(ctx, d.tx, d.who.School, whom, say)
}

func (d desk) exec(ctx context.Context, what, sql string, a db.Args) error {
	if _, err := db.Exec(ctx, d.tx, sql, a); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// pair is a reservation and the copy for it.
type pair struct{ ID, CopyID id.ID }

const (
	// endReservations ends expired holds and the reservations of people who have left.
	endReservations = `
		UPDATE library_reservations SET updated_at = :now, copy_id = NULL, hold_until = NULL,
			status = CASE WHEN hold_until < :today THEN 'EXPIRED' ELSE 'CANCELLED' END
		WHERE school_id = :school AND book_id IN (:books) AND status IN ('WAITING', 'READY') AND (hold_until < :today
			OR EXISTS (SELECT 1 FROM students s WHERE s.school_id = :school AND s.id = library_reservations.student_id
				AND (s.archived_at IS NOT NULL OR s.status <> 'ACTIVE'))
			OR EXISTS (SELECT 1 FROM employees e WHERE e.school_id = :school AND e.id = library_reservations.employee_id
				AND (e.archived_at IS NOT NULL OR e.status = 'RESIGNED')))`

	freeCopies = `
		UPDATE library_copies SET status = 'AVAILABLE', updated_at = :now
		WHERE school_id = :school AND book_id IN (:books) AND status = 'HELD' AND NOT EXISTS (
			SELECT 1 FROM library_reservations r WHERE r.school_id = :school AND r.copy_id = library_copies.id AND r.status = 'READY')`

	// pairs matches the nth waiting reservation of a book with its nth available copy.
	pairs = `
		SELECT r.id, c.id AS copy_id
		FROM (SELECT id, book_id, row_number() OVER (PARTITION BY book_id ORDER BY id) AS n
			FROM library_reservations WHERE school_id = :school AND book_id IN (:books) AND status = 'WAITING') AS r
		JOIN (SELECT id, book_id, row_number() OVER (PARTITION BY book_id ORDER BY accession_no) AS n
			FROM library_copies WHERE school_id = :school AND book_id IN (:books) AND status = 'AVAILABLE') AS c
		ON c.book_id = r.book_id AND c.n = r.n`

	readyReservations = `
		UPDATE library_reservations SET status = 'READY', copy_id = p.copy_id, hold_until = :until, updated_at = :now
		FROM (` + pairs + `) AS p WHERE library_reservations.school_id = :school AND library_reservations.id = p.id`

	holdCopies = `
		UPDATE library_copies SET status = 'HELD', updated_at = :now WHERE school_id = :school AND id IN (:copies)`

	countCopies = `
		UPDATE library_books SET available = (SELECT count(*) FROM library_copies c
			WHERE c.school_id = :school AND c.book_id = library_books.id AND c.status = 'AVAILABLE')
		WHERE school_id = :school AND id IN (:books)`
)

// expiredHolds lists the books with expired holds.
func expiredHolds(ctx context.Context, q db.Q, today clock.Date) ([]id.ID, error) {
	books, err := db.All[id.ID](ctx, q, `
		SELECT DISTINCT book_id FROM library_reservations
		WHERE school_id = :school AND status = 'READY' AND hold_until < :today`, db.Args{"today": today})
	if err != nil {
		return nil, fmt.Errorf("list expired holds: %w", err)
	}
	return books, nil
}
