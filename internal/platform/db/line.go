package db

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A line is a row as a JSON array, the same text on both engines: times in UTC with
// milliseconds, booleans as true and false, documents with sorted keys.

// appendLine appends a row of the columns.
func appendLine(b []byte, columns []Column, row []value) ([]byte, error) {
	var err error
	b = append(b, '[')
	for i, c := range columns {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendCell(b, c.Type, &row[i]); err != nil {
			return nil, fmt.Errorf("column %s: %w", c.Name, err)
		}
	}
	return append(b, ']'), nil
}

func appendCell(b []byte, typ string, v *value) ([]byte, error) {
	if v.kind == null {
		return append(b, "null"...), nil
	}
	switch typ {
	case "uuid", "text":
		return appendQuoted(b, v.text()), nil
	case "ts":
		t, err := v.time()
		b = append(b, '"')
		b = t.AppendFormat(b, liteTime)
		return append(b, '"'), err
	case "bool":
		return strconv.AppendBool(b, v.n != 0), nil
	case "int":
		return strconv.AppendInt(b, v.n, 10), nil
	case "float":
		f := v.f
		if v.kind == integer {
			f = float64(v.n)
		}
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, errors.New("not a finite number")
		}
		return strconv.AppendFloat(b, f, 'g', -1, 64), nil
	case "json":
		return appendDocument(b, v.bytes())
	}
	return nil, fmt.Errorf("unknown type %q", typ)
}

// appendQuoted appends a JSON string that escapes only what it must.
func appendQuoted(b []byte, s string) []byte {
	b = append(b, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b = append(b, '\\', c)
		case c == '\n':
			b = append(b, '\\', 'n')
		case c < ' ':
			b = fmt.Appendf(b, `\u%04x`, c)
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}

// appendDocument appends a document in one form: PostgreSQL sorts the keys of its
// documents and rewrites numbers, SQLite keeps their text.
func appendDocument(b, doc []byte) ([]byte, error) {
	if len(doc) == 2 && (doc[0] == '{' || doc[0] == '[') { // empty, as most are
		return append(b, doc...), nil
	}
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return appendJSON(b, v)
}

func appendJSON(b []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case string:
		return appendQuoted(b, v), nil
	case json.Number:
		return appendNumber(b, v.String())
	case map[string]any:
		return appendObject(b, v)
	case []any:
		var err error
		b = append(b, '[')
		for i, e := range v {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = appendJSON(b, e); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	}
	text, err := json.Marshal(v) // true, false, null
	return append(b, text...), err
}

func appendObject(b []byte, v map[string]any) ([]byte, error) {
	var err error
	b = append(b, '{')
	for i, key := range slices.Sorted(maps.Keys(v)) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendQuoted(b, key), ':')
		if b, err = appendJSON(b, v[key]); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

func appendNumber(b []byte, s string) ([]byte, error) {
	if s == "-0" {
		return append(b, '0'), nil
	}
	if !strings.ContainsAny(s, ".eE") {
		return append(b, s...), nil
	}
	f, err := strconv.ParseFloat(s, 64)
	return strconv.AppendFloat(b, f, 'f', -1, 64), err
}

// splitLine cuts a JSON array into its elements.
func splitLine(line []byte, n int) ([][]byte, error) {
	errShape := fmt.Errorf("a line is not a list of %d values", n)
	if len(line) < 2 || line[0] != '[' || line[len(line)-1] != ']' {
		return nil, errShape
	}
	out := make([][]byte, 0, n)
	depth, quoted, start := 0, false, 1
	for i := 1; i < len(line)-1; i++ {
		switch c := line[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == ',' && depth == 0:
			out, start = append(out, line[start:i]), i+1
		}
	}
	out = append(out, line[start:len(line)-1])
	if len(out) != n || quoted || depth != 0 {
		return nil, errShape
	}
	return out, nil
}

// parseCell returns the value of an element for a parameter, as plain does. In a
// JSON column that is NOT NULL, null is the document null.
func parseCell(c Column, cell []byte) (any, error) {
	s := string(cell)
	if s == "null" && !(c.Type == "json" && c.Required) {
		return nil, nil
	}
	switch c.Type {
	case "uuid", "text", "ts":
		s, err := unquote(cell)
		if err != nil {
			return nil, err
		}
		if c.Type == "uuid" && !isUUID(s) {
			return nil, errors.New("not an id")
		}
		if c.Type == "ts" {
			if _, err := time.Parse(liteTime, s); err != nil {
				return nil, errors.New("not a time")
			}
		}
		return text(s)
	case "bool":
		if s != "true" && s != "false" {
			return nil, errors.New("neither true nor false")
		}
		return s == "true", nil
	case "int":
		return strconv.ParseInt(s, 10, 64)
	case "float":
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return nil, err
		}
		return number(f)
	case "json":
		if !json.Valid(cell) {
			return nil, errors.New("not a JSON document")
		}
		return jsonText(cell)
	}
	return nil, fmt.Errorf("unknown type %q", c.Type)
}

// unquote reads a JSON string.
func unquote(cell []byte) (string, error) {
	if !utf8.Valid(cell) {
		return "", errText
	}
	if len(cell) >= 2 && cell[0] == '"' && cell[len(cell)-1] == '"' && bytes.IndexByte(cell, '\\') < 0 &&
		bytes.IndexByte(cell[1:len(cell)-1], '"') < 0 {
		return string(cell[1 : len(cell)-1]), nil
	}
	var s string
	err := json.Unmarshal(cell, &s)
	return s, err
}
