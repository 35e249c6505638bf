package people

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// numbering is how a school numbers its students: GF-0042 has the prefix "GF-"
// and the width 4.
type numbering struct {
	Prefix string
	Width  int
	Last   int
}

func (n numbering) number(i int) string { return fmt.Sprintf("%s%0*d", n.Prefix, n.Width, i) }

// parse returns the number that follows the prefix, or false.
func (n numbering) parse(number string) (int, bool) {
	digits, ok := strings.CutPrefix(number, n.Prefix)
	if !ok || digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, false
	}
	i, err := strconv.Atoi(digits)
	return i, err == nil && i < 1e15
}

// savedNumbering is the numbering of a school that has one.
type savedNumbering struct {
	numbering
	Taken bool // someone typed in the next number
}

func askNumbering(out *[]savedNumbering) db.Ask {
	return db.Into(out, `
		SELECT prefix, width, last, EXISTS (SELECT 1 FROM students s WHERE s.school_id = :school AND s.admission_no = n.next) AS taken
		FROM admission_numbers n WHERE n.school_id = :school`, nil)
}

func (n numbering) save(ctx context.Context, tx *db.Tx) error {
	_, err := db.Exec(ctx, tx.Later(), `
		INSERT INTO admission_numbers (school_id, prefix, width, last, next) VALUES (:school, :prefix, :width, :last, :next)
		ON CONFLICT (school_id) DO UPDATE SET last = excluded.last, next = excluded.next`,
		db.Args{"prefix": n.Prefix, "width": n.Width, "last": n.Last, "next": n.number(n.Last + 1)})
	return fault.Wrap("save the last admission number", err)
}

// withNumbers gives students without an admission number the next ones after the
// school's highest. The caller holds the students lock since before it read saved.
func withNumbers(ctx context.Context, tx *db.Tx, saved []savedNumbering, in []NewStudent) ([]NewStudent, error) {
	given := make(map[string]bool, len(in))
	missing := 0
	for _, n := range in {
		given[n.AdmissionNo] = true
		if n.AdmissionNo == "" {
			missing++
		}
	}
	if missing == 0 {
		return in, nil
	}
	next, err := nextNumbers(ctx, tx, saved, given, missing)
	if err != nil {
		return nil, err
	}
	out := slices.Clone(in)
	for i := range out {
		if out[i].AdmissionNo == "" {
			next.Last++
			out[i].AdmissionNo = next.number(next.Last)
		}
	}
	return out, next.save(ctx, tx)
}

// nextNumbers returns a numbering whose next n numbers are free: no student of
// the school has one, and none is in given.
func nextNumbers(ctx context.Context, q db.Q, saved []savedNumbering, given map[string]bool, n int) (next numbering, err error) {
	if len(saved) == 0 {
		if next, err = firstNumbering(ctx, q); err == nil {
			err = next.skipTaken(ctx, q, given)
		}
		return next, fault.Wrap("read the last admission number", err)
	}
	next = saved[0].numbering
	wanted := make([]string, n)
	taken := saved[0].Taken
	for i := range wanted {
		wanted[i] = next.number(next.Last + 1 + i)
		taken = taken || given[wanted[i]]
	}
	if n > 1 && !taken {
		found, err := db.All[id.ID](ctx, q, `
			SELECT id FROM students WHERE school_id = :school AND admission_no IN (:numbers) LIMIT 1`, db.Args{"numbers": wanted})
		if err != nil {
			return next, fmt.Errorf("look for admission numbers: %w", err)
		}
		taken = len(found) > 0
	}
	if taken { // someone typed in numbers of our own series
		err = next.skipTaken(ctx, q, given)
	}
	return next, err
}

// firstNumbering continues the series of the newest student, or starts one with the school's code.
func firstNumbering(ctx context.Context, q db.Q) (numbering, error) {
	newest, err := db.All[string](ctx, q, `SELECT admission_no FROM students WHERE school_id = :school ORDER BY id DESC LIMIT 1`, nil)
	if err != nil {
		return numbering{}, err
	}
	if len(newest) == 1 {
		prefix := strings.TrimRight(newest[0], "0123456789")
		if width := len(newest[0]) - len(prefix); width > 0 {
			return numbering{Prefix: prefix, Width: width}, nil
		}
	}
	at, err := school.Get(ctx, q)
	return numbering{Prefix: at.Code + "-", Width: 4}, err
}

// skipTaken moves the last number past all that are taken or given.
func (n *numbering) skipTaken(ctx context.Context, q db.Q, given map[string]bool) error {
	for number := range given {
		if i, ok := n.parse(number); ok {
			n.Last = max(n.Last, i)
		}
	}
	like := strings.TrimPrefix(db.Contains(n.Prefix), "%")
	return db.Each(ctx, q, `SELECT admission_no FROM students WHERE school_id = :school`+
		db.When(like != "", ` AND admission_no LIKE :like ESCAPE '\'`),
		db.Args{"like": like}, func(number string) error {
			if i, ok := n.parse(number); ok {
				n.Last = max(n.Last, i)
			}
			return nil
		})
}
