package apptest

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Eq checks that a value is as wanted. what names it in the failure. A nil slice
// equals an empty one.
func Eq[T any](t testing.TB, what any, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) && !(none(got) && none(want)) {
		t.Errorf("%v: got %v, want %v", what, got, want)
	}
}

func none(v any) bool {
	r := reflect.ValueOf(v)
	return r.Kind() == reflect.Slice && r.Len() == 0
}

// Fields checks for a validation error or conflict with exactly these fields in its
// details, in any order.
func (r Reply) Fields(status int, want ...string) {
	r.t.Helper()
	got := []string{}
	for _, d := range r.Want(status, http.StatusText(status)).Details {
		got = append(got, d.Field)
	}
	slices.Sort(got)
	if want = slices.Sorted(slices.Values(want)); !slices.Equal(got, want) {
		r.t.Errorf("%s: fields %q, want %q: %s", r.what, got, want, r.Body)
	}
}

// Has checks that the response contains the texts.
func (r Reply) Has(texts ...string) {
	r.t.Helper()
	for _, text := range texts {
		if !strings.Contains(string(r.Body), text) {
			r.t.Errorf("%s: no %q in %s", r.what, text, r.Body)
		}
	}
}

// HasNot checks that the response contains none of the texts.
func (r Reply) HasNot(texts ...string) {
	r.t.Helper()
	for _, text := range texts {
		if strings.Contains(string(r.Body), text) {
			r.t.Errorf("%s: %q in %s", r.what, text, r.Body)
		}
	}
}

// Pick returns one member of each object of a list, as text.
func Pick(list any, key string) []string {
	out := []string{}
	for _, o := range (Object{"items": list}).Items() {
		out = append(out, fmt.Sprint(o[key]))
	}
	return out
}

// Texts returns one member of each of the "items" of a list, as text.
func (o Object) Texts(key string) []string { return Pick(o["items"], key) }
