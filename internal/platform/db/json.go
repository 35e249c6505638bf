package db

import (
	"encoding/json"
	"reflect"
)

// JSON is a column that holds a document: jsonb on PostgreSQL, text on SQLite.
// In a reply it shows as V itself.
type JSON[T any] struct{ V T }

// MarshalJSON writes V.
func (j JSON[T]) MarshalJSON() ([]byte, error) { return json.Marshal(j.V) }

// UnmarshalJSON reads V.
func (j *JSON[T]) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, &j.V) }

// jsonValue and jsonTarget tell a JSON of any T among arguments and fields.
type (
	jsonValue  interface{ document() ([]byte, error) }
	jsonTarget interface{ setDocument([]byte) error }
)

func (j JSON[T]) document() ([]byte, error)   { return json.Marshal(j.V) }
func (j *JSON[T]) setDocument(b []byte) error { return json.Unmarshal(b, &j.V) }

// SchemaOf tells the documentation that a JSON column reads as its value.
func (JSON[T]) SchemaOf() reflect.Type { return reflect.TypeFor[T]() }
