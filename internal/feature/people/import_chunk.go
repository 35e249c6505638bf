package people

import (
	"context"
	"errors"
	"fmt"
	"io"

	"homeroom/internal/platform/csv"
)

// chunk is a piece of a file: its good lines, and what is wrong with the others.
type chunk[L any] struct {
	lines    []L
	numbers  []int // of the rows of the lines
	problems []RowError
	rows     int // good and bad
}

// rowSet is a set of rows, by their numbers.
type rowSet struct{ bits []uint64 }

func (s *rowSet) add(row int) {
	for row/64 >= len(s.bits) {
		s.bits = append(s.bits, 0)
	}
	s.bits[row/64] |= 1 << (row % 64)
}

func (s *rowSet) has(row int) bool { return row/64 < len(s.bits) && s.bits[row/64]&(1<<(row%64)) != 0 }

// eachChunk parses the file in a goroutine of its own, which ends before it
// returns, and hands the chunks to take in their order.
func eachChunk[L any](ctx context.Context, file *csv.Reader, k kind[L], take func(chunk[L]) error) error {
	ctx, stop := context.WithCancel(ctx)
	chunks, done := make(chan chunk[L], 1), make(chan error, 1)
	go func() {
		defer close(chunks)
		done <- parseChunks(ctx, file, k, chunks)
	}()
	var err error
	for c := range chunks {
		if err == nil {
			if err = take(c); err != nil {
				stop() // and what is under way still arrives here, and is dropped
			}
		}
	}
	stop()
	if parsed := <-done; err == nil {
		err = parsed
	}
	return err
}

func parseChunks[L any](ctx context.Context, file *csv.Reader, k kind[L], out chan<- chunk[L]) error {
	var c chunk[L]
	send := func() error {
		select {
		case out <- c:
			c = chunk[L]{lines: make([]L, 0, importChunk)}
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	for {
		row, at, err := file.Next()
		problem, bad := errors.AsType[*csv.Problem](err)
		switch {
		case errors.Is(err, io.EOF):
			return send()
		case bad:
			c.problems = append(c.problems, RowError{problem.Row, problem.Column, problem.Message})
		case err != nil:
			return fmt.Errorf("read the file: %w", err)
		default:
			cells := cells{row: row, columns: k.columns, at: at}
			if line := k.parse(&cells); len(cells.problems) == 0 {
				c.lines, c.numbers = append(c.lines, line), append(c.numbers, row)
			}
			c.problems = append(c.problems, cells.problems...)
		}
		c.rows++
		if bad && problem.Last {
			return send()
		}
		if c.rows == importChunk {
			if err := send(); err != nil {
				return err
			}
		}
	}
}
