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

// secrets are the words that, in a field's name, keep it out of the log.
var secrets = []string{"password", "pin", "otp", "token", "hash"}

// stateOf is v as JSON shows it, without its secrets. That of nothing is nil.
func stateOf(v any) (state State, err error) {
	raw, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber() // whole numbers stay whole
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

// scrub drops the fields that are secret, at any depth.
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

// isSecret looks at the words of a name: accessToken and pin_hash are secret,
// isPinned is not.
func isSecret(name string) bool {
	for word := range strings.FieldsFuncSeq(spaced(name), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if slices.Contains(secrets, strings.ToLower(word)) {
			return true
		}
	}
	return false
}

// spaced parts a camelCase name into its words.
func spaced(name string) string {
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

// changes keeps, of two states, the fields in which they differ.
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
