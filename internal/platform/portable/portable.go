// Package portable moves one school between installations: Export writes all its rows and
// files to a zip file, Import reads them into another database, of either engine.
//
// The file has a manifest (manifest.json), one file of lines per table (tables/NAME.jsonl: a
// list of the columns, then a list per row) and the content of uploads (files/KEY). It is a
// zip file, so that anyone can look into it (unzip -p FILE tables/students.jsonl), and so that
// Import can begin anywhere. Which tables there are, and in which order they must be
// written, is read from the schema: a table with school_id travels unless it is in Stays.
package portable

import (
	"context"
	"fmt"
	"io/fs"
	"time"

	"homeroom/internal/platform/blob"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// Mover exports and imports schools.
type Mover struct {
	DB      *db.DB
	Schema  fs.FS // the migrations
	Store   blob.Store
	Now     clock.Now
	Version string // of the program
	Demo    bool   // the installation has demo data

	// Stays has the tables that don't travel, with the reason.
	Stays map[string]string
	// Only has conditions that the rows of a table must meet to travel.
	Only map[string]string
	// Refuse returns a function that tells which texts a column has in no school, nil if it may
	// have any. A forged file with one would reach beyond the school: it is refused.
	Refuse func(table string, c db.Column) func(text string) bool
	// Locals are the columns that mean something only in their installation, which has its own
	// keys and ids. The file has another text for them.
	Locals []Local
	// Blobs lists the content of q's school that is in the store, in a fixed order.
	Blobs func(ctx context.Context, q db.Q, f func(Blob) error) error
	// Begin is called in the transaction that begins an import, Done in the one that completes it.
	Begin func(ctx context.Context, tx *db.Tx, school School) error
	Done  func(ctx context.Context, tx *db.Tx, school School) error
	// Progress is told how many bytes are done.
	Progress func(done int64)
}

// Local is a column whose text is of the installation. Its functions get the texts of the
// row's columns; Open returns the column's text for the file, such as decrypted, Seal that
// of this installation.
type Local struct {
	Table, Column string
	Open, Seal    func(row func(column string) string) (string, error)
}

// Blob is content in the store.
type Blob struct {
	Key  string
	Size int64
}

// School names a school.
type School struct {
	ID   id.ID  `json:"id"`
	Code string `json:"code"`
	Name string `json:"name"`
}

// Summary says what a file has.
type Summary struct {
	School  School
	Rows    int64
	Files   int
	Missing []string // keys of content that was missing in the store, or cut off
	Bytes   int64
}

// manifest describes the file. It is written last and read first.
type manifest struct {
	Format    int         `json:"format"` // 1
	Version   string      `json:"version"`
	CreatedAt time.Time   `json:"createdAt"`
	Schema    []migration `json:"schema"`
	Demo      bool        `json:"demo"`
	School    School      `json:"school"`
	Tables    []entry     `json:"tables"` // in the order of writing
	Files     []entry     `json:"files"`
	Missing   []string    `json:"missing"` // keys of content that was missing in the store, or cut off
}

type migration struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// entry is a file in the zip file.
type entry struct {
	Name   string `json:"name"` // the table, or the key of the content
	Rows   int64  `json:"rows,omitempty"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

const (
	manifestName = "manifest.json"
	tablesDir    = "tables/"
	filesDir     = "files/"
	lineEnding   = ".jsonl"
)

func (e entry) table() string { return tablesDir + e.Name + lineEnding }
func (e entry) file() string  { return filesDir + e.Name }

// tables returns the tables that travel. The first is schools.
func (m *Mover) tables(ctx context.Context) ([]db.Table, error) {
	all, err := db.Describe(ctx, m.Schema)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	var schools, out []db.Table
	for _, t := range all {
		switch {
		case t.Name == "schools":
			schools = append(schools, t)
		case t.Has("school_id") && m.Stays[t.Name] == "":
			out = append(out, t)
		}
	}
	return append(schools, out...), nil
}

// migrations returns the steps of the schema.
func (m *Mover) migrations() (out []migration, err error) {
	steps, err := db.Checksums(m.Schema)
	for _, s := range steps {
		out = append(out, migration{s.Name, s.SHA256})
	}
	return out, err
}

// localsOf returns the local columns of a table.
func (m *Mover) localsOf(table string) (out []Local) {
	for _, s := range m.Locals {
		if s.Table == table {
			out = append(out, s)
		}
	}
	return out
}

// reveal opens the local columns of a line, or seals them.
func (m *Mover) reveal(t db.Table, line []byte, how func(Local) func(func(string) string) (string, error)) ([]byte, error) {
	for _, s := range m.localsOf(t.Name) {
		out, err := t.Edit(line, s.Column, how(s))
		if err != nil {
			return nil, fmt.Errorf("%s.%s: %w", s.Table, s.Column, err)
		}
		line = out
	}
	return line, nil
}

func opened(s Local) func(func(string) string) (string, error) { return s.Open }
func sealed(s Local) func(func(string) string) (string, error) { return s.Seal }

func (m *Mover) progress(done int64) {
	if m.Progress != nil {
		m.Progress(done)
	}
}
