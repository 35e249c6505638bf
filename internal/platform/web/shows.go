package web

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/id"
)

// Shown is the record that a route shows: its type, and the parameter of path,
// query or body with its id.
type Shown struct {
	Entity string
	Param  string
}

// Shows marks a route that shows a record whose views are recorded, by Config.Saw.
func Shows(entity, param string) Option {
	return func(r *Route) { r.Shows = Shown{entity, param} }
}

// TakesID reports whether the route's input has an id with this name.
func (r Route) TakesID(param string) bool {
	_, ok := Shown{Param: param}.field(r.In)
	return ok
}

// fits returns an error if the input has no such parameter.
func (s Shown) fits(in reflect.Type) error {
	if s == (Shown{}) {
		return nil
	}
	if _, ok := s.field(in); !ok {
		return fmt.Errorf("Shows(%q, %q): %s has no id with that name", s.Entity, s.Param, in)
	}
	return nil
}

// field returns the index of the parameter in the input.
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

// of returns the id in the input (a pointer), or "" if the caller sent none.
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

// recordView records that who has seen the record that the route shows, if any.
func (s *Server) recordView(ctx context.Context, rt *Route, who actor.Actor, in any) error {
	if rt.Shows == (Shown{}) || s.Saw == nil {
		return nil
	}
	record := rt.Shows.of(in)
	if record == "" {
		return nil
	}
	return s.Saw(ctx, who, rt.Shows.Entity, record)
}
