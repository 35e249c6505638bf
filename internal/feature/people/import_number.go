package people

import (
	"context"
	"fmt"

	"homeroom/internal/platform/db"
)

// givenNumbers are the admission numbers that a file brings, as far as they
// matter to those students who are given one: theirs come after the highest, so
// that no later row has the same.
type givenNumbers struct {
	numbering
	missing bool // some student of the file has none
}

// begin learns how the school numbers.
func (g *givenNumbers) begin(ctx context.Context, q db.Q) (err error) {
	g.missing = false
	g.numbering, err = nextNumbers(ctx, q, map[string]bool{}, 1)
	return err
}

func (g *givenNumbers) note(number string) {
	if i, ok := g.parse(number); ok {
		g.Last = max(g.Last, i)
	}
}

// reserve finds the numbers that are free: after those of the school, and after
// those of the file.
func (g *givenNumbers) reserve(ctx context.Context, tx *db.Tx) error {
	if !g.missing {
		return nil
	}
	last := g.Last
	next, err := nextNumbers(ctx, tx, map[string]bool{}, 1)
	if err == nil {
		err = next.pass(ctx, tx, map[string]bool{})
	}
	g.numbering = next
	g.Last = max(next.Last, last)
	return err
}

// assign numbers those who have none.
func (g *givenNumbers) assign(ctx context.Context, tx *db.Tx, in []NewStudent) error {
	before := g.Last
	for i := range in {
		if in[i].AdmissionNo == "" {
			g.Last++
			in[i].AdmissionNo = g.number(g.Last)
		}
	}
	if g.Last == before {
		return nil
	}
	_, err := db.Exec(ctx, tx, `
		INSERT INTO admission_numbers (school_id, prefix, width, last) VALUES (:school, :prefix, :width, :last)
		ON CONFLICT (school_id) DO UPDATE SET last = excluded.last`,
		db.Args{"prefix": g.Prefix, "width": g.Width, "last": g.Last})
	if err != nil {
		return fmt.Errorf("keep the last admission number: %w", err)
	}
	return nil
}
