package db

import (
	"database/sql"
	"fmt"
	"reflect"
	"strconv"
	"time"

	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

type kind uint8

const (
	null kind = iota
	integer
	float
	boolean
	timestamp // n is microseconds since 1970
	str       // s, or raw if the bytes belong to the connection
)

// value is one column of one row, as read from an engine. It is reused for the
// next row to avoid allocations.
type value struct {
	kind kind
	n    int64
	f    float64
	s    string
	raw  []byte
}

func (v *value) text() string {
	if v.raw != nil {
		return string(v.raw)
	}
	return v.s
}

func (v *value) bytes() []byte {
	if v.raw != nil {
		return append([]byte(nil), v.raw...)
	}
	return []byte(v.s)
}

func (v *value) time() (time.Time, error) {
	switch v.kind {
	case timestamp:
		return time.UnixMicro(v.n).UTC(), nil
	case str:
		t, err := time.Parse(time.RFC3339, v.text())
		return t.UTC(), err
	}
	return time.Time{}, errKind
}

// any returns the value for a sql.Scanner.
func (v *value) any() any {
	switch v.kind {
	case null:
		return nil
	case integer:
		return v.n
	case float:
		return v.f
	case boolean:
		return v.n != 0
	case timestamp:
		return time.UnixMicro(v.n).UTC()
	}
	return v.text()
}

var errKind = fmt.Errorf("the column's type doesn't match")

// setter stores a value in a field of one type.
type setter func(dst reflect.Value, v *value) error

var (
	timeType    = reflect.TypeFor[time.Time]()
	idType      = reflect.TypeFor[id.ID]()
	textType    = reflect.TypeFor[opt.Text]()
	jsonType    = reflect.TypeFor[jsonTarget]()
	scannerType = reflect.TypeFor[sql.Scanner]()
)

// setterFor returns the setter for a field of type t.
func setterFor(t reflect.Type) (setter, error) {
	switch p := reflect.PointerTo(t); {
	case t == timeType:
		return required(setTime), nil
	case t == idType, t == textType:
		return setOptional, nil
	case p.Implements(jsonType):
		return setJSON, nil
	case p.Implements(scannerType):
		return func(dst reflect.Value, v *value) error { return dst.Addr().Interface().(sql.Scanner).Scan(v.any()) }, nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		return setPointer(t.Elem())
	case reflect.String:
		return required(setString), nil
	case reflect.Bool:
		return required(setBool), nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return required(setInt), nil
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return required(setInt), nil
	case reflect.Float32, reflect.Float64:
		return required(setFloat), nil
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return setBytes, nil
		}
	}
	return nil, fmt.Errorf("%s can't hold a column: use db.JSON", t)
}

// required returns an error for NULL, which the field can't represent.
func required(set setter) setter {
	return func(dst reflect.Value, v *value) error {
		if v.kind == null {
			return fmt.Errorf("NULL does not fit %s: use a pointer or COALESCE", dst.Type())
		}
		return set(dst, v)
	}
}

func setPointer(elem reflect.Type) (setter, error) {
	set, err := setterFor(elem)
	return func(dst reflect.Value, v *value) error {
		if v.kind == null {
			dst.SetZero()
			return nil
		}
		p := reflect.New(elem)
		dst.Set(p)
		return set(p.Elem(), v)
	}, err
}

func setString(dst reflect.Value, v *value) error {
	if v.kind != str {
		return errKind
	}
	dst.SetString(v.text())
	return nil
}

// setOptional reads NULL as "". plain does the reverse for an ID.
func setOptional(dst reflect.Value, v *value) error {
	if v.kind == null {
		dst.SetString("")
		return nil
	}
	return setString(dst, v)
}

func setTime(dst reflect.Value, v *value) error {
	t, err := v.time()
	*dst.Addr().Interface().(*time.Time) = t
	return err
}

func setBool(dst reflect.Value, v *value) error {
	if v.kind != boolean && v.kind != integer {
		return errKind
	}
	dst.SetBool(v.n != 0)
	return nil
}

func setInt(dst reflect.Value, v *value) error {
	n := v.n
	switch v.kind {
	case integer:
	case str: // PostgreSQL's NUMERIC, as of sum()
		var err error
		if n, err = strconv.ParseInt(v.text(), 10, 64); err != nil {
			return err
		}
	default:
		return errKind
	}
	switch {
	case dst.CanInt() && !dst.OverflowInt(n):
		dst.SetInt(n)
	case dst.CanUint() && n >= 0 && !dst.OverflowUint(uint64(n)):
		dst.SetUint(uint64(n))
	default:
		return fmt.Errorf("%d does not fit %s", n, dst.Type())
	}
	return nil
}

func setFloat(dst reflect.Value, v *value) error {
	f := v.f
	switch v.kind {
	case float:
	case integer:
		f = float64(v.n)
	case str:
		var err error
		if f, err = strconv.ParseFloat(v.text(), 64); err != nil {
			return err
		}
	default:
		return errKind
	}
	dst.SetFloat(f)
	return nil
}

func setBytes(dst reflect.Value, v *value) error {
	switch v.kind {
	case null:
		dst.SetZero()
	case str:
		dst.SetBytes(v.bytes())
	default:
		return errKind
	}
	return nil
}

func setJSON(dst reflect.Value, v *value) error {
	switch v.kind {
	case null:
		dst.SetZero()
		return nil
	case str:
		return dst.Addr().Interface().(jsonTarget).setDocument(v.bytes())
	}
	return errKind
}
