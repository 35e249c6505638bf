package csv

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxRecord limits one row, so that an unclosed quote does not read the whole file.
const maxRecord = 64 << 10

var (
	errLong     = errors.New("the row is longer than 64 KiB: look for a quote that is never closed")
	errUnclosed = errors.New("a quote is never closed: close it, or remove it")
)

// records splits bytes into rows and cells.
type records struct {
	in    *bufio.Reader
	comma byte
	text  []byte // the row's cells, unquoted and concatenated
	ends  []int  // end of each cell in text
}

// next reads a row into text and ends; io.EOF after the last one.
func (r *records) next() error {
	r.text, r.ends = r.text[:0], r.ends[:0]
	line, err := r.line()
	if err != nil {
		return err
	}
	for {
		if len(line) == 0 || line[0] != '"' {
			i := bytes.IndexByte(line, r.comma)
			if i < 0 {
				r.cell(line)
				return nil
			}
			r.cell(line[:i])
			line = line[i+1:]
			continue
		}
		if line, err = r.quoted(line[1:]); err != nil {
			return err
		}
		// Text after a closing quote belongs to the cell, like in spreadsheets.
		i := bytes.IndexByte(line, r.comma)
		if i < 0 {
			r.cell(line)
			return nil
		}
		r.cell(line[:i])
		line = line[i+1:]
	}
}

// cell appends b as the end of a cell.
func (r *records) cell(b []byte) {
	r.text = append(r.text, b...)
	r.ends = append(r.ends, len(r.text))
}

// quoted reads up to the closing quote, across lines, and returns the rest of the line.
func (r *records) quoted(line []byte) ([]byte, error) {
	for {
		i := bytes.IndexByte(line, '"')
		switch {
		case i >= 0 && i+1 < len(line) && line[i+1] == '"':
			r.text = append(r.text, line[:i+1]...)
			line = line[i+2:]
			continue
		case i >= 0:
			r.text = append(r.text, line[:i]...)
			return line[i+1:], nil
		}
		r.text = append(append(r.text, line...), '\n')
		if len(r.text) > maxRecord {
			return nil, errLong
		}
		var err error
		if line, err = r.line(); errors.Is(err, io.EOF) {
			return nil, errUnclosed
		} else if err != nil {
			return nil, err
		}
	}
}

// line returns the next line without its line break, valid until the next call.
func (r *records) line() ([]byte, error) {
	line, err := r.in.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, errLong
	case err != nil && (!errors.Is(err, io.EOF) || len(line) == 0):
		return nil, err
	}
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r")), nil
}
