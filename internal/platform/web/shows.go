package web

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/id"
)

// Shown names the one record that a route shows: its kind, and the parameter of
// path, query or body that has its id.
type Shown struct {
	Entity string
	Param  string
}

// Shows marks a route that shows one record whose readers are kept: Config.Saw
// is told of each.
func Shows(entity, param string) Option {
	return func(r *Route) { r.Shows = Shown{entity, param} }
}

// TakesID reports whether the route's input has an id of this name.
func (r Route) TakesID(param string) bool {
	_, ok := Shown{Param: param}.field(r.In)
	return ok
}

// fits reports a route whose input has no such parameter.
func (s Shown) fits(in reflect.Type) error {
	if s == (Shown{}) {
		return nil
	}
	if _, ok := s.field(in); !ok {
		return fmt.Errorf("it shows a %s by %q, and %s has no id of that name", s.Entity, s.Param, in)
	}
	return nil
}

// field finds the parameter among the fields of an input.
func (s Shown) field(in reflect.Type) ([]int, bool) {
	if in.Kind() != reflect.Struct {
		return nil, false
	}
	for _, f := range reflect.VisibleFields(in) {
		t := f.Type
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t == reflect.TypeFor[id.ID]() && (f.Tag.Get("path") == s.Param || jsonName(f) == s.Param) {
			return f.Index, true
		}
	}
	return nil, false
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// of is the id in an input, given by a pointer; "" where the caller named no record.
func (s Shown) of(in any) id.ID {
	v := reflect.ValueOf(in).Elem()
	index, _ := s.field(v.Type())
	v = v.FieldByIndex(index)
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return ""
		}
		v = v.Elem()
	}
	return id.ID(v.String())
}

// tell keeps that who has seen the record that the route shows, if it shows one.
func (s *Server) tell(ctx context.Context, rt *Route, who actor.Actor, in any) error {
	if rt.Shows == (Shown{}) || s.Saw == nil {
		return nil
	}
	record := rt.Shows.of(in)
	if record == "" {
		return nil
	}
	return s.Saw(ctx, who, rt.Shows.Entity, record)
}
