// Package id generates and parses record ids: UUIDs of version 7, which sort by creation
// time.
package id

import (
	"fmt"
	"slices"

	"github.com/google/uuid"
)

// ID is a UUID in canonical lower case. The zero ID is "".
type ID string

// Source generates a new ID. Services hold one, so that tests can control it.
type Source func() ID

// New is the Source of a running service.
func New() ID { return ID(uuid.Must(uuid.NewV7()).String()) }

// Parse parses a canonical UUID, in upper or lower case.
func Parse(s string) (ID, error) {
	if len(s) != 36 {
		return "", fmt.Errorf("not a UUID: %d characters", len(s))
	}
	u, err := uuid.Parse(s)
	if err != nil {
		return "", fmt.Errorf("not a UUID: %w", err)
	}
	return ID(u.String()), nil
}

// Unique returns the ids sorted, each once.
func Unique(ids []ID) []ID { return slices.Compact(slices.Sorted(slices.Values(ids))) }

// String returns the canonical text.
func (i ID) String() string { return string(i) }
