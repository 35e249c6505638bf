package db

import (
	"encoding/json"
	"reflect"
)

// JSON is a JSON column: jsonb on PostgreSQL, text on SQLite. It marshals as V.
type JSON[T any] struct{ V T }

// MarshalJSON writes V.
func (j JSON[T]) MarshalJSON() ([]byte, error) { return json.Marshal(j.V) }

// UnmarshalJSON reads V.
func (j *JSON[T]) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &j.V) }

// jsonValue and jsonTarget match JSON[T] of any T in type switches.
type (
	jsonValue  interface{ document() ([]byte, error) }
	jsonTarget interface{ setDocument([]byte) error }
)

func (j JSON[T]) document() ([]byte, error)   { return json.Marshal(j.V) }
func (j *JSON[T]) setDocument(b []byte) error { return json.Unmarshal(b, &j.V) }

// SchemaOf returns the type that the API documentation shows.
func (JSON[T]) SchemaOf() reflect.Type { return reflect.TypeFor[T]() }
