package db

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// plan maps the columns of a result to the fields of a T. It is cached per
// statement and type.
type plan struct {
	columns []string
	fields  []target
	scalar  bool
}

type target struct {
	index []int
	set   setter
}

// planFor returns the cached plan for scanning rows into t, or makes it.
func (st *statement) planFor(t reflect.Type, columns []string) (*plan, error) {
	if p, ok := st.plans.Load(t); ok && slices.Equal(p.(*plan).columns, columns) {
		return p.(*plan), nil
	}
	p, err := newPlan(t, columns)
	if err != nil {
		return nil, fmt.Errorf("%w in: %s", err, oneLine(st.text))
	}
	st.plans.Store(t, p)
	return p, nil
}

func newPlan(t reflect.Type, columns []string) (*plan, error) {
	p := &plan{columns: slices.Clone(columns), scalar: !isRecord(t)}
	if p.scalar {
		if len(columns) != 1 {
			return nil, fmt.Errorf("%s is for one column, got %d", t, len(columns))
		}
		set, err := setterFor(t)
		p.fields = []target{{set: set}}
		return p, err
	}
	fields := fieldsOf(t)
	for i, c := range columns {
		index, ok := fields[c]
		if !ok {
			return nil, fmt.Errorf("column %q has no field in %s", c, t)
		}
		if slices.Contains(columns[:i], c) {
			return nil, fmt.Errorf("two columns are named %q: rename one with AS", c)
		}
		set, err := setterFor(t.FieldByIndex(index).Type)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", c, err)
		}
		p.fields = append(p.fields, target{index, set})
	}
	return p, nil
}

// fill scans one row into dst.
func (p *plan) fill(dst reflect.Value, row []value) error {
	for i := range p.fields {
		f := &p.fields[i]
		field := dst
		switch len(f.index) {
		case 0:
		case 1:
			field = dst.Field(f.index[0])
		default:
			field = dst.FieldByIndex(f.index)
		}
		if err := f.set(field, &row[i]); err != nil {
			return fmt.Errorf("column %q: %w", p.columns[i], err)
		}
	}
	return nil
}

// isRecord reports whether t is a struct of columns, not one for a single column (time.Time, JSON).
func isRecord(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return t.Kind() == reflect.Struct && t != timeType && !p.Implements(jsonType) && !p.Implements(scannerType)
}

// fieldsOf maps column names to field indexes, as documented at All.
func fieldsOf(t reflect.Type) map[string][]int {
	out := map[string][]int{}
	for _, f := range reflect.VisibleFields(t) {
		tag := f.Tag.Get("db")
		switch {
		case f.Anonymous && tag == "" && isRecord(f.Type), !f.IsExported(), tag == "-", throughPointer(t, f.Index):
		case tag != "":
			out[tag] = f.Index
		default:
			out[snake(f.Name)] = f.Index
		}
	}
	return out
}

// throughPointer reports whether the field is promoted from an embedded
// pointer, or from a struct that is a column itself.
func throughPointer(t reflect.Type, index []int) bool {
	for _, i := range index[:len(index)-1] {
		f := t.Field(i)
		if !isRecord(f.Type) || f.Tag.Get("db") != "" {
			return true
		}
		t = f.Type
	}
	return false
}

// snake turns ClassID into class_id.
func snake(name string) string {
	r := []rune(name)
	var b strings.Builder
	for i, c := range r {
		afterSmall := i > 0 && !unicode.IsUpper(r[i-1])
		beforeSmall := i > 0 && i+1 < len(r) && unicode.IsLower(r[i+1])
		if unicode.IsUpper(c) && (afterSmall || beforeSmall) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(c))
	}
	return b.String()
}

// rows receives the rows of a statement.
type rows interface {
	columns([]string) error
	row([]value) error
}

// typed scans rows into T: next returns the T to fill, done gets it when filled.
type typed[T any] struct {
	st   *statement
	plan *plan
	next func() *T
	done func(*T) error
}

func (r *typed[T]) columns(names []string) (err error) {
	r.plan, err = r.st.planFor(reflect.TypeFor[T](), names)
	return err
}

func (r *typed[T]) row(v []value) error {
	t := r.next()
	if err := r.plan.fill(reflect.ValueOf(t).Elem(), v); err != nil {
		return fmt.Errorf("%w in: %s", err, oneLine(r.st.text))
	}
	return r.done(t)
}
