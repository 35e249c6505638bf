package notify

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
)

const day = 24 * time.Hour

// aged are the tables of what was said, and how long that is kept. A delivery
// that is still to be sent stays, however old it is.
var aged = []struct {
	table, ended string
	keep         time.Duration
}{
	{"deliveries", "o.status <> 'QUEUED'", 90 * day},
	{"delivery_days", "TRUE", 90 * day},
	{"notifications", "TRUE", 180 * day}, // the log that people read in their apps
}

// Sweep forgets what is too old, in all schools, a little at a time so that
// nobody waits. It goes from school to school (SQLite takes a CROSS JOIN in the
// order it is written), because that is how the indexes by age begin.
func (n *Notifier) Sweep(ctx context.Context) error {
	const some = 1000
	for _, a := range aged {
		for {
			gone, err := db.Exec(ctx, n.DB.Across(unscoped.Permit{}), `
				DELETE FROM `+a.table+` WHERE (school_id, id) IN (
					SELECT o.school_id, o.id FROM schools s CROSS JOIN `+a.table+` o
					WHERE o.school_id = s.id AND o.created_at < :before AND `+a.ended+` LIMIT :some)`,
				db.Args{"before": n.Now().Add(-a.keep), "some": some})
			if err != nil {
				return fmt.Errorf("forget old %s: %w", a.table, err)
			}
			if gone < some {
				break
			}
		}
	}
	return nil
}
