package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net/url"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"homeroom/internal/platform/fault"
)

var (
	errNotJSON   = fault.New(fault.Malformed, "", "The body is not valid JSON.")
	errNotUTF8   = fault.New(fault.Malformed, "", "The body is not valid UTF-8.")
	errSurrogate = fault.New(fault.Malformed, "", `The body has half of a surrogate pair, such as \ud800, which is not a character.`)
	errKeyTwice  = fault.New(fault.Malformed, "", "The body has an object with the same key twice.")
	errQuery     = fault.New(fault.Malformed, "", "The query string can't be read.")
	errQueryUTF8 = fault.New(fault.Malformed, "", "The query string is not valid UTF-8.")
	errFormUTF8  = fault.New(fault.Malformed, "", "A field of the form is not valid UTF-8.")

	errFieldTwice = fault.New(fault.Malformed, "", "The form has the same field twice.")
	errFieldLong  = fault.New(fault.Malformed, "", "A field of the form is longer than 4 KiB.")
)

// decode parses a JSON body. It rejects what JSON parsers treat differently:
// invalid UTF-8, lone surrogates and duplicate keys.
func decode(body []byte) (any, error) {
	if !utf8.Valid(body) {
		return nil, errNotUTF8
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, errNotJSON.Because(err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errNotJSON
	}
	written, whole := scan(body)
	switch {
	case !whole:
		return nil, errSurrogate
	case written != keys(v): // encoding/json keeps the last of duplicate keys
		return nil, errKeyTwice
	}
	return v, nil
}

// keys counts the keys of all objects in a decoded value.
func keys(v any) (n int) {
	switch v := v.(type) {
	case map[string]any:
		n = len(v)
		for _, x := range v {
			n += keys(x)
		}
	case []any:
		for _, x := range v {
			n += keys(x)
		}
	}
	return n
}

// scan counts the keys in valid JSON by their colons. whole is false if there is a
// lone surrogate.
func scan(body []byte) (keys int, whole bool) {
	inString := false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case c == '"':
			inString = !inString
		case c == ':' && !inString:
			keys++
		case c == '\\' && body[i+1] == 'u':
			size := escape(body[i:])
			if size == 0 {
				return 0, false
			}
			i += size - 1
		case c == '\\':
			i++
		}
	}
	return keys, true
}

// escape returns the length of the \u escape or surrogate pair at the start of b, or
// 0 for a lone surrogate.
func escape(b []byte) int {
	const one = len(`\u0000`)
	first := codeUnit(b)
	switch {
	case !utf16.IsSurrogate(first):
		return one
	case len(b) < 2*one || b[one] != '\\' || b[one+1] != 'u',
		utf16.DecodeRune(first, codeUnit(b[one:])) == utf8.RuneError:
		return 0
	}
	return 2 * one
}

// codeUnit returns the UTF-16 code unit of the \u escape at the start of b.
func codeUnit(b []byte) rune {
	n, _ := strconv.ParseUint(string(b[2:6]), 16, 16) // valid JSON
	return rune(n)
}

// query parses the query string.
func (s source) query() (url.Values, error) {
	if s.req.URL.RawQuery == "" {
		return nil, nil
	}
	q, err := url.ParseQuery(s.req.URL.RawQuery)
	if err != nil {
		return nil, errQuery.Because(err)
	}
	if !validUTF8(q) {
		return nil, errQueryUTF8
	}
	return q, nil
}

func validUTF8(fields url.Values) bool {
	for key, values := range fields {
		if !utf8.ValidString(key) {
			return false
		}
		for _, v := range values {
			if !utf8.ValidString(v) {
				return false
			}
		}
	}
	return true
}
