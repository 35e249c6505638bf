package audit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// secrets are words in field names that keep a field out of the audit log.
var secrets = []string{"password", "pin", "otp", "token", "hash", "secret"}

// stateOf converts v to a State through JSON, without secrets. nil stays nil.
func stateOf(v any) (state State, err error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber() // keeps integers exact
	var out any
	if err := dec.Decode(&out); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	switch out := scrub(out).(type) {
	case nil:
	case State:
		state = out
	default:
		state = State{"value": out}
	}
	return state, nil
}

// scrub removes secret fields at any depth.
func scrub(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, x := range v {
			if isSecret(k) {
				delete(v, k)
				continue
			}
			v[k] = scrub(x)
		}
	case []any:
		for i, x := range v {
			v[i] = scrub(x)
		}
	}
	return v
}

// isSecret compares the words of a name: accessToken and pin_hash are secret, isPinned
// is not.
func isSecret(name string) bool {
	for word := range strings.FieldsFuncSeq(splitWords(name), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if slices.Contains(secrets, strings.ToLower(word)) {
			return true
		}
	}
	return false
}

// splitWords separates the words of a camelCase name with spaces.
func splitWords(name string) string {
	var b strings.Builder
	lower := false
	for _, r := range name {
		if lower && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		b.WriteRune(r)
	}
	return b.String()
}

// changes returns the fields in which two states differ.
func changes(before, after State) (was, is State) {
	was, is = State{}, State{}
	for k, v := range before {
		if x, ok := after[k]; !ok || !reflect.DeepEqual(v, x) {
			was[k] = v
		}
	}
	for k, v := range after {
		if x, ok := before[k]; !ok || !reflect.DeepEqual(v, x) {
			is[k] = v
		}
	}
	return was, is
}
