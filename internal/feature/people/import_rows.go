package people

import (
	"context"
	"fmt"
	"io"
	"slices"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/csv"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/web"
)

// formRows is the maximum number of rows of a Form: it is held in memory.
const formRows = 10_000

// Form is a file of another module's records, which is checked and written in one
// transaction.
type Form[L any] struct {
	Columns []csv.Column
	Needs   []int // columns that a file must have
	Keep    Imports
	Read    func(c Cells) L
	Skip    func(l L) bool                                                      // optional: a row with nothing to write, counted as unchanged
	Check   func(ctx context.Context, tx *db.Tx, rows []*Row[L]) error          // calls Wrong
	Write   func(ctx context.Context, tx *db.Tx, rows []*Row[L]) (Added, error) // the good rows
}

// Row is one row of a Form.
type Row[L any] struct {
	Line    L
	No      int // in a spreadsheet
	columns []csv.Column
	r       *report
}

// Wrong records a problem of a cell.
func (w *Row[L]) Wrong(column int, format string, a ...any) {
	w.r.fail(RowError{w.No, opt.Text(w.columns[column].Name), fmt.Sprintf(format, a...)})
}

// Cells reads the cells of a row by column, and collects the problems. Empty cells give
// zero values.
type Cells struct{ c *cells }

// Text reads a single-line string.
func (v Cells) Text(column, longest int) string { return v.c.text(column, longest) }

// Number reads a whole number from 0.
func (v Cells) Number(column, highest int) *int { return v.c.number(column, highest) }

// Money reads an amount.
func (v Cells) Money(column int) *money.Money { return v.c.money(column) }

// Date reads a date in the school's format.
func (v Cells) Date(column int) *clock.Date { return v.c.date(column) }

// Wrong records a problem of a cell.
func (v Cells) Wrong(column int, format string, a ...any) { v.c.bad(column, format, a...) }

// FormIn is the request of an import of a Form.
type FormIn struct {
	File    web.Upload `json:"-"`
	DryRun  bool       `json:"dryRun" doc:"Check only: nothing is written."`
	Partial bool       `json:"partial" doc:"Write the valid rows even if others are invalid."`
}

// TakesCSV lets a route accept the file of a Form.
func TakesCSV() web.Option { return web.TakesFile(csv.Type, 8<<20, "application/csv") }

// Template is a file with the columns of an import and one example row.
func Template(name string, columns []csv.Column, example ...string) web.File {
	return csvFile(name, columns, func(_ context.Context, write func([]string) error) error { return write(example) })
}

// ImportRows checks a file and, unless it is a dry run or a row is invalid, writes it.
func ImportRows[L any](ctx context.Context, who actor.Actor, in FormIn, f Form[L]) (out Imported, err error) {
	err = f.Keep.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		sch, err := school.Get(ctx, tx)
		if err != nil {
			return err
		}
		r := newReport()
		rows, err := f.read(in.File, r, sch.DateFormat)
		if err != nil {
			return err
		}
		if err := f.Check(ctx, tx, rows); err != nil {
			return err
		}
		r.endChunk()
		good := slices.DeleteFunc(rows, func(w *Row[L]) bool { return r.bad[w.No] })
		valid := len(good)
		if f.Skip != nil {
			good = slices.DeleteFunc(good, func(w *Row[L]) bool { return f.Skip(w.Line) })
		}
		r.DryRun = in.DryRun
		if r.Failed == 0 || in.Partial {
			r.Created, r.Unchanged = len(good), valid-len(good)
		}
		out = r.Imported
		if in.DryRun || out.Created == 0 {
			return nil
		}
		what, err := f.Write(ctx, tx, good)
		if err != nil {
			return err
		}
		made, err := f.Keep.keep(ctx, tx, who, in.File.Name, out, what, map[string]any{"partial": in.Partial})
		out.ID = &made
		return err
	})
	return out, err
}

// read parses the whole file. It seeks to the start, because a transaction may be retried.
func (f Form[L]) read(src io.ReadSeeker, r *report, dates clock.DateFormat) (rows []*Row[L], err error) {
	if _, err := src.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	file, err := csv.NewReader(src, f.Columns)
	if err != nil {
		return nil, fileFault(err)
	}
	for _, column := range f.Needs {
		if !file.Has(column) {
			return nil, aboutFile("must have the column "+f.Columns[column].Name, file.Misspelt())
		}
	}
	for _, header := range file.Unknown() {
		r.Warnings = append(r.Warnings, header.String()+" It was ignored.")
	}
	k := kind[L]{columns: f.Columns, parse: func(c *cells) L { return f.Read(Cells{c}) }}
	err = eachChunk(file, k, dates, func(c chunk[L]) error {
		if r.Total += c.rows; r.Total > formRows {
			return fault.OnField("file", "has more than %d rows: split it", formRows)
		}
		r.fail(c.problems...)
		for i, line := range c.lines {
			rows = append(rows, &Row[L]{line, c.numbers[i], f.Columns, r})
		}
		return nil
	})
	return rows, err
}
