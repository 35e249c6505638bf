package access

import (
	"context"
	"strings"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// Topic announces changes of roles and permissions, and of the school's status,
// settings and time zone.
const Topic = "access"

const (
	ofSchool = "school:"
	ofAll    = "all"
)

// Changed invalidates the caches of this school's users on every node, after tx commits.
func Changed(ctx context.Context, tx *db.Tx, school id.ID) error {
	return tx.Notify(ctx, Topic, ofSchool+string(school))
}

// ChangedAll is Changed for every school.
func ChangedAll(ctx context.Context, tx *db.Tx) error { return tx.Notify(ctx, Topic, ofAll) }

// Concerns returns the school of a signal of Topic; false if it concerns all schools,
// or if signals may have been lost.
func Concerns(s db.Signal) (school id.ID, one bool) {
	name, ok := strings.CutPrefix(s.Payload, ofSchool)
	return id.ID(name), ok && !s.Lost
}
