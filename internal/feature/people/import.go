package people

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/csv"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// A file is read twice. The first time every row is checked, against the rules
// and against what is there, and nothing is written. The second time, if every
// row was good or the caller wants the good ones anyway, they are written in one
// transaction. Both times the file passes in chunks of lines, so that memory
// does not grow with it.

const (
	importChunk  = 1024    // lines that are looked up and written together
	importErrors = 1000    // rows that a reply tells of
	importRows   = 500_000 // in one file
)

// Import is what is asked of an import.
type Import struct {
	File     string // its name, for the audit log
	DryRun   bool
	Upsert   bool // change those who are there
	Partial  bool // write the good rows though others are not
	Year     *id.ID
	Progress func(read int64) // told of the bytes read, over both times
}

// RowError is what is wrong with a row of a file.
type RowError struct {
	Row     int    `json:"row" doc:"As a spreadsheet counts: the header is row 1."`
	Field   string `json:"field" doc:"The column; empty for the row as a whole." example:"dateOfBirth"`
	Message string `json:"message" example:"must be a date as YYYY-MM-DD"`
}

// Imported is what came of an import.
type Imported struct {
	Total     int        `json:"total" doc:"Rows of the file, the header and empty ones aside."`
	Created   int        `json:"created"`
	Updated   int        `json:"updated"`
	Unchanged int        `json:"unchanged"`
	Failed    int        `json:"failed" doc:"Rows with something wrong in them, all of them."`
	DryRun    bool       `json:"dryRun" doc:"Nothing was written: created and updated are what would be."`
	Errors    []RowError `json:"errors" doc:"At most 1,000."`
	Warnings  []string   `json:"warnings"`
}

// Message says it in words.
func (i Imported) Message() string {
	switch {
	case i.Failed > 0 && i.Created+i.Updated+i.Unchanged == 0:
		return fmt.Sprintf("Nothing was written: %d of %d rows need a change. See errors.", i.Failed, i.Total)
	case i.DryRun:
		return fmt.Sprintf("Checked: %d would be created and %d updated. Nothing was written.", i.Created, i.Updated)
	case i.Failed > 0:
		return fmt.Sprintf("Imported, but for %d of %d rows, which need a change. See errors.", i.Failed, i.Total)
	}
	return "Imported."
}

var (
	errImportRace = fault.New(fault.Conflict, "", "Someone else changed the same records while the file was imported. Nothing was written: import it again.")
	errImportRows = fault.OnField("file", "has more than %d rows: split it", importRows)
)

// report gathers what comes of a file, within bounds.
type report struct {
	Imported
	bad map[int]bool // the rows that failed
}

func newReport() *report {
	return &report{Imported: Imported{Errors: []RowError{}, Warnings: []string{}}, bad: map[int]bool{}}
}

// fail notes what is wrong with rows.
func (r *report) fail(all ...RowError) {
	for _, e := range all {
		if !r.bad[e.Row] {
			r.bad[e.Row] = true
			r.Failed++
		}
		if len(r.Errors) < importErrors {
			r.Errors = append(r.Errors, e)
		}
	}
}

// kind is one kind of record that files hold.
type kind[L any] struct {
	columns []csv.Column
	// fits refuses a file whose header lacks what is needed.
	fits func(has func(column int) bool) error
	// parse makes a line of a row; what is wrong with it is noted in the cells.
	parse func(c *cells) L
	// begin starts a pass. In the first one tx is nil, and nothing may be written.
	begin  func(ctx context.Context, tx *db.Tx, r *report) (pass[L], error)
	entity string   // what the audit log calls it
	twice  []string // the unique indexes that two who write at once may meet in
}

// pass is one time through a file.
type pass[L any] interface {
	take(ctx context.Context, lines []L) error // chunk by chunk
}

// runImport reads a file of one kind.
func runImport[L any](ctx context.Context, s *Service, who actor.Actor, src io.ReadSeeker, o Import, k kind[L]) (Imported, error) {
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
	err := s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		written = newReport()
		err := onePass(ctx, tx, src, o, k, written, checked.bad)
		if slices.ContainsFunc(k.twice, func(index string) bool { return db.IsDuplicate(err, index) }) {
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
		return s.Accounts.Audit.Record(ctx, tx, who, k.entity+".import", k.entity, "", nil, map[string]any{
			"file": o.File, "upsert": o.Upsert, "partial": o.Partial, "academicYearId": o.Year, "total": written.Total,
			"created": written.Created, "updated": written.Updated, "unchanged": written.Unchanged, "failed": written.Failed})
	})
	if err != nil {
		return Imported{}, err
	}
	written.Errors, written.Failed = checked.Errors, checked.Failed
	return written.Imported, nil
}

// onePass reads the whole file once. Rows in skip are left out.
func onePass[L any](ctx context.Context, tx *db.Tx, src io.ReadSeeker, o Import, k kind[L], r *report, skip map[int]bool) error {
	size, err := src.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = src.Seek(0, io.SeekStart)
	}
	if err != nil {
		return fmt.Errorf("read the file: %w", err)
	}
	in := &counted{Reader: src, tell: o.Progress}
	if tx != nil {
		in.n = size
	}
	file, err := csv.NewReader(in, k.columns)
	if err != nil {
		return fileFault(err)
	}
	if err := k.fits(file.Has); err != nil {
		return err
	}
	for _, name := range file.Unknown() {
		r.Warnings = append(r.Warnings, fmt.Sprintf("The column %q is none that is known here, and was left out.", name))
	}
	p, err := k.begin(ctx, tx, r)
	if err != nil {
		return err
	}
	return eachChunk(file, k, func(c chunk[L]) error {
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
		return p.take(ctx, c.lines)
	})
}

// fileFault is what a client is told of a file that can't be read at all.
func fileFault(err error) error {
	if p, ok := errors.AsType[*csv.Problem](err); ok {
		if p.Column != "" {
			return fault.OnField("file", "%s %s", p.Column, p.Message)
		}
		return fault.OnField("file", "%s", p.Message)
	}
	return fmt.Errorf("read the file: %w", err)
}

// counted tells how much was read.
type counted struct {
	io.Reader
	n    int64
	tell func(int64)
}

// Read implements io.Reader.
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if c.n += int64(n); c.tell != nil {
		c.tell(c.n)
	}
	return n, err
}
