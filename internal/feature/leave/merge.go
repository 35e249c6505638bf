package leave

import (
	"context"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
)

// Merge gives the applications of one account to another of the same person, who can
// then cancel them.
func Merge(ctx context.Context, tx *db.Tx, m people.Merged) error {
	_, err := db.Exec(ctx, tx, `UPDATE leaves SET applied_by = :to WHERE school_id = :school AND applied_by = :from`,
		db.Args{"from": m.From, "to": m.To})
	return fault.Wrap("merge applications for leave", err)
}
