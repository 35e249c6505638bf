package access

import (
	"context"
	"strings"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// Topic is where changes are announced of what the users of a school may do:
// roles and permissions, and the school's own status, settings and time zone.
const Topic = "access"

const (
	ofSchool = "school:"
	ofAll    = "all"
)

// Changed tells every node, once tx has committed, that what it remembers of
// this school's users no longer holds.
func Changed(ctx context.Context, tx *db.Tx, school id.ID) error {
	return tx.Notify(ctx, Topic, ofSchool+string(school))
}

// ChangedAll does so for every school.
func ChangedAll(ctx context.Context, tx *db.Tx) error { return tx.Notify(ctx, Topic, ofAll) }

// Concerns reads a signal of Topic: the school it speaks of, or false where it
// speaks of all of them, or where signals may have been missed.
func Concerns(s db.Signal) (school id.ID, one bool) {
	name, ok := strings.CutPrefix(s.Payload, ofSchool)
	return id.ID(name), ok && !s.Lost
}
