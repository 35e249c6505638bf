package notify

import (
	"context"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
)

// Keep is how long messages are kept. 0 means as long as the school.
type Keep struct {
	Deliveries    time.Duration // finished ones
	Notifications time.Duration // shown in the apps
}

// Sweep deletes old messages of all schools.
func (n *Notifier) Sweep(ctx context.Context) error {
	key := []string{"school_id", "id"}
	for _, a := range []struct {
		old  db.Old
		keep time.Duration
	}{
		{db.Old{Table: "deliveries", Key: key, Age: "created_at", Only: "o.status <> 'QUEUED'"}, n.Keep.Deliveries},
		{db.Old{Table: "delivery_days", Key: key, Age: "created_at"}, n.Keep.Deliveries},
		{db.Old{Table: "notifications", Key: key, Age: "created_at"}, n.Keep.Notifications},
	} {
		if a.keep == 0 {
			continue
		}
		if err := db.DeleteOld(ctx, n.DB.Across(unscoped.Permit{}), n.Now().Add(-a.keep), a.old); err != nil {
			return err
		}
	}
	return nil
}
