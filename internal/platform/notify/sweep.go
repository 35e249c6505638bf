package notify

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
)

const day = 24 * time.Hour

// retention lists the tables of messages and how long rows are kept. Queued
// deliveries are kept.
var retention = []struct {
	table, ended string
	keep         time.Duration
}{
	{"deliveries", "o.status <> 'QUEUED'", 90 * day},
	{"delivery_days", "TRUE", 90 * day},
	{"notifications", "TRUE", 180 * day}, // shown in the apps
}

// Sweep deletes expired rows of all schools, in batches so that it doesn't block
// writers for long. It joins schools first (SQLite keeps the order of a CROSS JOIN),
// since the indexes by age start with school_id.
func (n *Notifier) Sweep(ctx context.Context) error {
	const some = 1000
	for _, a := range retention {
		for {
			gone, err := db.Exec(ctx, n.DB.Across(unscoped.Permit{}), `
				DELETE FROM `+a.table+` WHERE (school_id, id) IN (
					SELECT o.school_id, o.id FROM schools s CROSS JOIN `+a.table+` o
					WHERE o.school_id = s.id AND o.created_at < :before AND `+a.ended+` LIMIT :some)`,
				db.Args{"before": n.Now().Add(-a.keep), "some": some})
			if err != nil {
				return fmt.Errorf("delete old %s: %w", a.table, err)
			}
			if gone < some {
				break
			}
		}
	}
	return nil
}
