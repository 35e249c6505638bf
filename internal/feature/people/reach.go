package people

import (
	"context"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// ReachTopic announces changes of what a school's users may see that don't change
// their role: guardian links, students, bus riders and drivers. The payload is the
// school's id.
const ReachTopic = "reach"

// ReachChanged makes every node check again, after tx commits, what the school's
// users may see. Call it whenever such a right is taken away.
func ReachChanged(ctx context.Context, tx *db.Tx, school id.ID) error {
	return tx.Notify(ctx, ReachTopic, string(school))
}
