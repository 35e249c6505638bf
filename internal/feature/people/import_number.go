package people

import (
	"context"
	"fmt"
	"hash/maphash"

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

// numbersKept is how many admission numbers of a school are held in memory. Of a
// school that has more, those of a chunk are looked up.
const numbersKept = 20_000

func (p *studentPass) readNumbers(ctx context.Context) error {
	all, err := db.All[string](ctx, p.q, `SELECT admission_no FROM students WHERE school_id = :school LIMIT :most`, db.Args{"most": numbersKept + 1})
	if err != nil {
		return fmt.Errorf("read admission numbers: %w", err)
	}
	if len(all) > numbersKept {
		return nil
	}
	p.there = make(map[uint64]struct{}, len(all))
	for _, number := range all {
		p.there[maphash.String(p.seed, number)] = struct{}{}
	}
	return nil
}

// isNew tells a line that can't be of a student who is there.
func (p *studentPass) isNew(l *studentLine) bool {
	if l.AdmissionNo == "" || p.fresh.has(l.row) {
		return true
	}
	_, there := p.there[maphash.String(p.seed, l.AdmissionNo)]
	return p.there != nil && !there
}
