package people

import (
	"context"
	"fmt"

	"homeroom/internal/platform/db"
)

// givenNumbers tracks the highest admission number in a file. Students without a
// number get those after it, so that they can't collide with a later row.
type givenNumbers struct {
	numbering
	missing bool // some student of the file has none
}

// begin reads the school's numbering.
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

// reserve starts after the highest number of both the school and the file.
func (g *givenNumbers) reserve(ctx context.Context, tx *db.Tx) error {
	if !g.missing {
		return nil
	}
	last := g.Last
	next, err := nextNumbers(ctx, tx, map[string]bool{}, 1)
	if err == nil {
		err = next.skipTaken(ctx, tx, map[string]bool{})
	}
	g.numbering = next
	g.Last = max(next.Last, last)
	return err
}

// assign gives numbers to students without one.
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
		return fmt.Errorf("save the last admission number: %w", err)
	}
	return nil
}
