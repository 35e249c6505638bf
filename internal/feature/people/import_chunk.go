package people

import (
	"errors"
	"fmt"
	"io"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/csv"
	"homeroom/internal/platform/opt"
)

// chunk is a batch of rows: the readable lines, and the problems found so far. A line
// with a problem is checked further, so that all its problems are told at once.
type chunk[L any] struct {
	lines    []L
	numbers  []int // row numbers of lines
	problems []RowError
	rows     int // valid and invalid
}

// eachChunk parses the file in chunks.
func eachChunk[L any](file *csv.Reader, k kind[L], dates clock.DateFormat, take func(chunk[L]) error) error {
	var c chunk[L]
	send := func() error {
		full := c
		c = chunk[L]{lines: make([]L, 0, importChunk)}
		return take(full)
	}
	for {
		row, at, err := file.Next()
		problem, bad := errors.AsType[*csv.Problem](err)
		switch {
		case errors.Is(err, io.EOF):
			return send()
		case bad:
			c.problems = append(c.problems, RowError{problem.Row, opt.Text(problem.Column), problem.Message})
		case err != nil:
			return fmt.Errorf("read the file: %w", err)
		default:
			cells := cells{row: row, columns: k.columns, at: at, dates: dates}
			c.lines, c.numbers = append(c.lines, k.parse(&cells)), append(c.numbers, row)
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
