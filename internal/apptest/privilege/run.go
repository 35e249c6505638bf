package privilege

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Steps is the number of moves in a sequence.
const Steps = 15

// Finding is a sequence that ended in a violation.
type Finding struct {
	Violation
	Seed  uint64
	Moves []Move // shrunk to those that are needed
}

// String formats the finding with its moves.
func (f Finding) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: %s: %s", f.Seed, f.Kind, f.What)
	for _, m := range f.Moves {
		fmt.Fprintf(&b, "\n  %s", m)
	}
	return b.String()
}

// Report is the result of a run.
type Report struct {
	Sequences, Steps int
	Findings         []Finding
}

// Run plays one sequence for each seed from first on. It shrinks up to shrink of
// the findings.
func (w *World) Run(ctx context.Context, first uint64, sequences, shrink int) (r Report, err error) {
	for seed := first; seed < first+uint64(sequences); seed++ {
		f, n, err := w.playSeed(ctx, seed)
		if err != nil {
			return r, fmt.Errorf("seed %d: %w", seed, err)
		}
		r.Sequences, r.Steps = r.Sequences+1, r.Steps+n
		if f == nil {
			continue
		}
		if len(r.Findings) < shrink {
			if f.Moves, err = w.shrink(ctx, *f); err != nil {
				return r, fmt.Errorf("seed %d: %w", seed, err)
			}
		}
		r.Findings = append(r.Findings, *f)
	}
	return r, nil
}

// playSeed plays the sequence of a seed until a violation.
func (w *World) playSeed(ctx context.Context, seed uint64) (found *Finding, steps int, err error) {
	defer recoverSetup(&err)
	q, err := newSequence(ctx, w, seed)
	if err != nil {
		return nil, 0, err
	}
	var moves []Move
	for step := range Steps {
		m := q.next(step + 1)
		moves = append(moves, m)
		if v := q.play(m); v != nil {
			return &Finding{*v, seed, moves}, step + 1, nil
		}
	}
	return nil, Steps, nil
}

// replay plays moves with new accounts of the same seed and reports whether there
// is a violation. It tries several times if moves run concurrently.
func (w *World) replay(ctx context.Context, seed uint64, moves []Move) (found bool, err error) {
	defer recoverSetup(&err)
	times := 1
	if slices.ContainsFunc(moves, func(m Move) bool { return m.Beside != nil }) {
		times = 6
	}
	for range times {
		q, err := newSequence(ctx, w, seed)
		if err != nil {
			return false, err
		}
		for _, m := range moves {
			if q.play(m) != nil {
				return true, nil
			}
		}
	}
	return false, nil
}

// shrink removes every move, and every half of a concurrent pair, without which
// there is still a violation.
func (w *World) shrink(ctx context.Context, f Finding) ([]Move, error) {
	moves := slices.Clone(f.Moves)
	for i := len(moves) - 1; i >= 0; i-- {
		for _, shorter := range shorterBy(moves, i) {
			found, err := w.replay(ctx, f.Seed, shorter)
			if err != nil {
				return moves, err
			}
			if found {
				moves = shorter
				break
			}
		}
	}
	return moves, nil
}

// shorterBy returns the moves without the one at i, and with only one half of it if
// it is a pair.
func shorterBy(moves []Move, i int) [][]Move {
	out := [][]Move{slices.Delete(slices.Clone(moves), i, i+1)}
	if beside := moves[i].Beside; beside != nil {
		alone := moves[i]
		alone.Beside = nil
		for _, half := range []Move{alone, *beside} {
			with := slices.Clone(moves)
			with[i] = half
			out = append(out, with)
		}
	}
	return out
}
