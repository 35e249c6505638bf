package privilege

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Steps is how many moves a sequence has.
const Steps = 15

// Finding is a sequence that gave the attacker more than he had.
type Finding struct {
	Violation
	Seed  uint64
	Moves []Move // that are enough for it
}

// String tells the whole story.
func (f Finding) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: %s: %s", f.Seed, f.Kind, f.What)
	for _, m := range f.Moves {
		fmt.Fprintf(&b, "\n  %s", m)
	}
	return b.String()
}

// Report is what a run has found.
type Report struct {
	Sequences, Steps int
	Findings         []Finding
}

// Run plays sequences of the seeds from first on. It shortens so many findings,
// and keeps the others as they are.
func (w *World) Run(ctx context.Context, first uint64, sequences, shorten int) (r Report, err error) {
	for seed := first; seed < first+uint64(sequences); seed++ {
		f, n, err := w.one(ctx, seed)
		if err != nil {
			return r, fmt.Errorf("seed %d: %w", seed, err)
		}
		r.Sequences, r.Steps = r.Sequences+1, r.Steps+n
		if f == nil {
			continue
		}
		if len(r.Findings) < shorten {
			if f.Moves, err = w.shorten(ctx, *f); err != nil {
				return r, fmt.Errorf("seed %d: %w", seed, err)
			}
		}
		r.Findings = append(r.Findings, *f)
	}
	return r, nil
}

// one plays the sequence of a seed until it finds something.
func (w *World) one(ctx context.Context, seed uint64) (found *Finding, steps int, err error) {
	defer caught(&err)
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

// again plays some moves with new people of the same seed, more than once where
// two moves at a time may end either way.
func (w *World) again(ctx context.Context, seed uint64, moves []Move) (found bool, err error) {
	defer caught(&err)
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

// shorten leaves away every move without which something is still found, and
// makes one move of two at a time where one is enough.
func (w *World) shorten(ctx context.Context, f Finding) ([]Move, error) {
	moves := slices.Clone(f.Moves)
	for i := len(moves) - 1; i >= 0; i-- {
		for _, shorter := range shorterBy(moves, i) {
			found, err := w.again(ctx, f.Seed, shorter)
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

// shorterBy lists what remains without the move at i, or without half of it.
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
