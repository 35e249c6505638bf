package people

import (
	"context"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// ReachTopic is where changes are announced of whom and what the people of a
// school may see without a change of their role: guardians and their links, who
// is a student, and who rides on or drives which bus. The payload is the school.
const ReachTopic = "reach"

// ReachChanged tells every node, once tx has committed, to look again at what
// the people of a school may see. Whatever takes such a right away calls it.
func ReachChanged(ctx context.Context, tx *db.Tx, school id.ID) error {
	return tx.Notify(ctx, ReachTopic, string(school))
}
