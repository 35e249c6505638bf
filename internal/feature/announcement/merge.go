package announcement

import (
	"context"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
)

// Merge gives what one account has read to another of the same person.
func Merge(ctx context.Context, tx *db.Tx, m people.Merged) error {
	_, err := db.Exec(ctx, tx, `
		UPDATE announcement_reads SET user_id = :to WHERE school_id = :school AND user_id = :from AND NOT EXISTS (
			SELECT 1 FROM announcement_reads r WHERE r.school_id = :school AND r.user_id = :to
				AND r.announcement_id = announcement_reads.announcement_id)`, db.Args{"from": m.From, "to": m.To})
	return fault.Wrap("merge read announcements", err)
}
