package csv

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Reader reads rows of known columns.
type Reader struct {
	records
	columns []Column
	at      []int // column of the file → index in columns, -1 if unknown
	where   []int // index in columns → column of the file, -1 if missing
	unknown []Unknown
	row     int
	cells   []string
}

// NewReader reads the header. Its errors are Problems, except those of r.
func NewReader(r io.Reader, columns []Column) (*Reader, error) {
	out := &Reader{records: records{in: bufio.NewReaderSize(r, maxRecord)}, columns: columns, cells: make([]string, len(columns))}
	if err := out.mark(); err != nil {
		return nil, err
	}
	if err := out.header(); err != nil {
		return nil, err
	}
	return out, nil
}

func headerProblem(column, format string, a ...any) *Problem {
	return &Problem{Row: 1, Column: column, Message: fmt.Sprintf(format, a...), Last: true}
}

// mark skips the byte order mark and refuses UTF-16 and spreadsheet files.
func (r *Reader) mark() error {
	start, err := r.in.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch {
	case len(start) == 0:
		return headerProblem("", "the file is empty: its first row must name the columns")
	case bytes.HasPrefix(start, []byte("\xef\xbb\xbf")):
		_, err = r.in.Discard(3)
		return err
	case bytes.HasPrefix(start, []byte("\xff\xfe")), bytes.HasPrefix(start, []byte("\xfe\xff")):
		return headerProblem("", "the file is in UTF-16: save it as “CSV UTF-8”")
	case bytes.HasPrefix(start, []byte("PK\x03\x04")), bytes.HasPrefix(start, []byte("\xd0\xcf\x11\xe0")):
		return headerProblem("", "this is a spreadsheet, not a CSV file: save it as “CSV UTF-8”")
	}
	return nil
}

// header detects the separator by the number of known column names in the first row, and
// maps the columns.
func (r *Reader) header() error {
	line, err := r.firstLine()
	if err != nil {
		return err
	}
	known := map[string]int{}
	for i, c := range r.columns {
		known[word(c.Name)] = i
		for _, name := range c.Also {
			known[word(name)] = i
		}
	}
	best := -1
	for _, comma := range []byte{',', ';', '\t'} {
		n := bytes.Count(line, []byte{comma})
		for _, name := range bytes.Split(line, []byte{comma}) {
			if _, ok := known[word(string(name))]; ok {
				n += 1000
			}
		}
		if n > best {
			best, r.comma = n, comma
		}
	}
	if err := r.readRecord(); err != nil {
		return err
	}
	return r.place(known)
}

// firstLine peeks at the header, after the "sep=" line of some programs.
func (r *Reader) firstLine() ([]byte, error) {
	for {
		ahead, err := r.in.Peek(maxRecord)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		line, _, ended := bytes.Cut(ahead, []byte("\n"))
		if word := bytes.TrimSpace(line); ended && (len(word) == 0 || len(word) == 5 && bytes.EqualFold(word[:4], []byte("sep="))) {
			if len(word) == 0 { // a spreadsheet counts an empty row, but not a sep= line
				r.row++
			}
			if _, err := r.in.Discard(len(line) + 1); err != nil {
				return nil, err
			}
			continue
		}
		return line, nil
	}
}

func (r *Reader) place(known map[string]int) error {
	r.where = make([]int, len(r.columns))
	for i := range r.where {
		r.where[i] = -1
	}
	for i := range r.ends {
		name := strings.TrimSpace(r.raw(i))
		at, ok := known[word(name)]
		switch {
		case !ok:
			at = -1
			if name != "" {
				r.unknown = append(r.unknown, Unknown{name, nearest(name, r.columns)})
			}
		case r.where[at] >= 0:
			return headerProblem(r.columns[at].Name, "stands twice in the first row: remove one of the two columns")
		default:
			r.where[at] = i
		}
		r.at = append(r.at, at)
	}
	if len(r.unknown) == len(r.at) {
		p := headerProblem("", "the first row names no column that we know: it must have names such as %s", r.columns[0].Name)
		p.Hints = r.Misspelt()
		return p
	}
	return nil
}

// Unknown returns the headers that are no columns.
func (r *Reader) Unknown() []Unknown { return r.unknown }

// Misspelt says which unknown headers are close to a column.
func (r *Reader) Misspelt() (hints []string) {
	for _, u := range r.unknown {
		if u.Near != "" {
			hints = append(hints, u.String())
		}
	}
	return hints
}

// Has reports whether the file has a column.
func (r *Reader) Has(column int) bool { return r.where[column] >= 0 }

// Next returns the next non-empty row: its number, and its cells in the order of the
// columns, trimmed and unescaped, "" for missing columns. The slice is reused. The error
// is io.EOF after the last row, a *Problem of one row, or an error of the underlying
// reader.
func (r *Reader) Next() (row int, cells []string, err error) {
	for {
		if err := r.readRecord(); err != nil {
			return r.row, nil, err
		}
		if r.blank() {
			continue
		}
		return r.row, r.cells, r.fill()
	}
}

func (r *Reader) readRecord() error {
	err := r.records.next()
	switch {
	case errors.Is(err, errLong), errors.Is(err, errUnclosed):
		r.row++
		return &Problem{Row: r.row, Message: err.Error(), Last: true}
	case err != nil:
		return err
	}
	r.row++
	return nil
}

// blank reports whether the row has only blank cells, escaped or not.
func (r *Reader) blank() bool {
	if len(bytes.Trim(r.text, "' \t\r\n")) > 0 {
		return false
	}
	for i := range r.ends {
		if tidy(r.raw(i)) != "" {
			return false
		}
	}
	return true
}

// raw returns a cell of the current row.
func (r *Reader) raw(i int) string {
	start := 0
	if i > 0 {
		start = r.ends[i-1]
	}
	return string(r.text[start:r.ends[i]])
}

// fill sets the cells of the current row.
func (r *Reader) fill() error {
	if !utf8.Valid(r.text) {
		return &Problem{Row: r.row, Message: "is not UTF-8: save the file as “CSV UTF-8”"}
	}
	if bytes.IndexByte(r.text, 0) >= 0 {
		return &Problem{Row: r.row, Message: "contains an invalid character (U+0000): remove it"}
	}
	clear(r.cells)
	all, start := string(r.text), 0 // one allocation for all cells
	for i, end := range r.ends {
		cell := all[start:end]
		start = end
		switch {
		case i >= len(r.at):
			if strings.TrimSpace(cell) != "" {
				return &Problem{Row: r.row, Message: fmt.Sprintf(
					"has %d cells, but the first row has only %d: put quotes around a cell that contains a separator", len(r.ends), len(r.at))}
			}
		case r.at[i] >= 0:
			r.cells[r.at[i]] = tidy(cell)
		}
	}
	return nil
}

// tidy trims and unescapes a cell.
func tidy(cell string) string {
	return strings.TrimSpace(Unescape(strings.TrimLeftFunc(cell, unicode.IsSpace)))
}
