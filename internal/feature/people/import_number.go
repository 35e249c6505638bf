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
	g.numbering, err = readNumbers(ctx, q)
	return err
}

func readNumbers(ctx context.Context, q db.Q) (numbering, error) {
	var saved []savedNumbering
	if err := db.Read(ctx, q, askNumbering(&saved)); err != nil {
		return numbering{}, fmt.Errorf("read the last admission number: %w", err)
	}
	return nextNumbers(ctx, q, saved, map[string]bool{}, 1)
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
	next, err := readNumbers(ctx, tx)
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
	return g.save(ctx, tx)
}
