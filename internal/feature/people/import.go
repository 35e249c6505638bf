package people

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/csv"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// A file is read twice. The first pass validates every row and writes nothing. The
// second pass writes the valid rows in one transaction, if all are valid or the
// caller wants a partial import. Both read in chunks to bound memory.

const (
	importChunk  = 1024    // lines per lookup and insert
	importErrors = 1000    // errors in a response
	importRows   = 500_000 // per file
)

// Import is the options of an import.
type Import struct {
	File     string // file name, for the audit log
	DryRun   bool
	Upsert   bool // update existing records
	Partial  bool // write the valid rows even if others are invalid
	Year     *id.ID
	Progress func(read int64) // bytes read, over both passes
	dates    clock.DateFormat // of the school
}

// RowError is a problem of a row.
type RowError struct {
	Row     int      `json:"row" doc:"The row number in a spreadsheet: the header is row 1."`
	Field   opt.Text `json:"field" doc:"The column; null if the problem concerns the whole row." example:"dateOfBirth"`
	Message string   `json:"message" example:"must be a date as YYYY-MM-DD"`
}

// Imported is the result of an import.
type Imported struct {
	ID        *id.ID     `json:"id" doc:"The import; null if nothing was written."`
	Total     int        `json:"total" doc:"Rows of the file without the header and empty rows."`
	Created   int        `json:"created"`
	Updated   int        `json:"updated"`
	Unchanged int        `json:"unchanged"`
	Failed    int        `json:"failed" doc:"Number of invalid rows, even beyond the errors listed."`
	DryRun    bool       `json:"dryRun" doc:"Nothing was written: created and updated are what an import would do."`
	Errors    []RowError `json:"errors" doc:"Every error of every row, in row order; at most 1,000."`
	NotShown  int        `json:"notShown" doc:"Number of errors beyond those listed."`
	Warnings  []string   `json:"warnings"`
}

// Message summarizes the result for people.
func (i Imported) Message() string {
	switch {
	case i.Failed > 0 && i.Created+i.Updated+i.Unchanged == 0:
		return fmt.Sprintf("Nothing was written: %d of %d rows have errors. Correct them and import the file again.", i.Failed, i.Total)
	case i.DryRun:
		return fmt.Sprintf("Checked: %d would be created and %d updated. Nothing was written.", i.Created, i.Updated)
	case i.Failed > 0:
		return fmt.Sprintf("Imported, except for %d of %d rows, which have errors.", i.Failed, i.Total)
	}
	return "Imported."
}

// Translated implements web.Translated.
func (i Imported) Translated(say func(string) string) any {
	i.Errors, i.Warnings = slices.Clone(i.Errors), slices.Clone(i.Warnings)
	for n := range i.Errors {
		i.Errors[n].Message = say(i.Errors[n].Message)
	}
	for n := range i.Warnings {
		i.Warnings[n] = say(i.Warnings[n])
	}
	return i
}

var (
	errImportRace = fault.New(fault.Conflict, "",
		"Someone else changed the same records while the file was imported. Nothing was written: import it again.")
	errImportRows = fault.OnField("file", "has more than %d rows: split it", importRows)
)

// report collects the result of a pass; the list of errors is bounded.
type report struct {
	Imported
	bad   map[int]bool // the rows that failed
	added Added
	chunk []RowError // errors of the current chunk
}

func newReport() *report {
	return &report{Imported: Imported{Errors: []RowError{}, Warnings: []string{}}, bad: map[int]bool{}}
}

// fail records problems of rows.
func (r *report) fail(all ...RowError) {
	for _, e := range all {
		if !r.bad[e.Row] {
			r.bad[e.Row] = true
			r.Failed++
		}
		r.chunk = append(r.chunk, e)
	}
}

// endChunk adds the errors of a chunk to the result, in row order.
func (r *report) endChunk() {
	slices.SortStableFunc(r.chunk, func(a, b RowError) int { return a.Row - b.Row })
	shown := min(len(r.chunk), importErrors-len(r.Errors))
	r.Errors = append(r.Errors, r.chunk[:shown]...)
	r.NotShown += len(r.chunk) - shown
	r.chunk = r.chunk[:0]
}

// kind describes how one type of record is imported.
type kind[L any] struct {
	columns []csv.Column
	// checkHeader says which required column is missing, or "".
	checkHeader func(has func(column int) bool) string
	// parse turns a row into a line; cells collects the problems.
	parse func(c *cells) L
	// begin starts a pass. In the first one tx is nil: check only.
	begin  func(ctx context.Context, tx *db.Tx, r *report) (pass[L], error)
	entity string   // in the audit log
	unique []string // unique indexes that concurrent writers can violate
}

// pass is one pass over a file.
type pass[L any] interface {
	take(ctx context.Context, lines []L) error // chunk by chunk
}

// runImport checks a file and, unless it is a dry run, writes it.
func runImport[L any](ctx context.Context, s *Service, who actor.Actor, src io.ReadSeeker, o Import, k kind[L]) (Imported, error) {
	sch, err := school.Get(ctx, s.DB.School(who.School))
	if err != nil {
		return Imported{}, err
	}
	o.dates = sch.DateFormat
	checked := newReport()
	if err := onePass(ctx, nil, src, o, k, checked, nil); err != nil {
		return Imported{}, err
	}
	checked.DryRun = o.DryRun
	if checked.Failed > 0 && !o.Partial {
		checked.Created, checked.Updated, checked.Unchanged = 0, 0, 0
		return checked.Imported, nil
	}
	if o.DryRun || checked.Created+checked.Updated == 0 {
		return checked.Imported, nil
	}
	var written *report
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		written = newReport()
		err := onePass(ctx, tx, src, o, k, written, checked.bad)
		if slices.ContainsFunc(k.unique, func(index string) bool { return db.IsDuplicate(err, index) }) {
			return errImportRace.Because(err)
		}
		if err != nil {
			return err
		}
		if len(written.bad) > len(checked.bad) {
			return errImportRace
		}
		if err := ReachChanged(ctx, tx, who.School); err != nil {
			return err
		}
		written.Failed = checked.Failed
		made, err := s.imports(k.entity).keep(ctx, tx, who, o.File, written.Imported, written.added,
			map[string]any{"upsert": o.Upsert, "partial": o.Partial, "academicYearId": o.Year})
		written.ID = &made
		return err
	})
	if err != nil {
		return Imported{}, err
	}
	written.Errors, written.NotShown = checked.Errors, checked.NotShown
	return written.Imported, nil
}

// onePass reads the whole file once, except for the rows in skip.
func onePass[L any](ctx context.Context, tx *db.Tx, src io.ReadSeeker, o Import, k kind[L], r *report, skip map[int]bool) error {
	size, err := src.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = src.Seek(0, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("read the file: %w", err)
	}
	in := &countingReader{Reader: src, progress: o.Progress}
	if tx != nil {
		in.n = size
	}
	file, err := csv.NewReader(in, k.columns)
	if err != nil {
		return fileFault(err)
	}
	if problem := k.checkHeader(file.Has); problem != "" {
		return aboutFile(problem, file.Misspelt())
	}
	for _, header := range file.Unknown() {
		r.Warnings = append(r.Warnings, header.String()+" It was ignored.")
	}
	p, err := k.begin(ctx, tx, r)
	if err != nil {
		return err
	}
	return eachChunk(file, k, o.dates, func(c chunk[L]) error {
		if r.Total += c.rows; r.Total > importRows {
			return errImportRows
		}
		r.fail(c.problems...)
		if len(skip) > 0 {
			good := c.lines[:0]
			for i, l := range c.lines {
				if !skip[c.numbers[i]] {
					good = append(good, l)
				}
			}
			c.lines = good
		}
		if err := p.take(ctx, c.lines); err != nil {
			return err
		}
		r.endChunk()
		return nil
	})
}

// fileFault is the fault of a file whose header can't be parsed.
func fileFault(err error) error {
	if p, ok := errors.AsType[*csv.Problem](err); ok {
		if p.Column != "" {
			return fault.OnField("file", "the column %s %s", p.Column, p.Message)
		}
		return aboutFile(p.Message, p.Hints)
	}
	return fmt.Errorf("read the file: %w", err)
}

// aboutFile returns the fault of a file: the problem, then hints.
func aboutFile(problem string, hints []string) error {
	fields := []fault.Field{{Field: "file", Message: problem}}
	for _, hint := range hints {
		fields = append(fields, fault.Field{Field: "file", Message: hint})
	}
	return fault.Fields(fields...)
}

// countingReader reports the number of bytes read.
type countingReader struct {
	io.Reader
	n        int64
	progress func(int64)
}

// Read implements io.Reader.
func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if c.n += int64(n); c.progress != nil {
		c.progress(c.n)
	}
	return n, err
}
