package webhook

import (
	"context"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
)

// Periodics delete old deliveries, and encrypt secrets with the newest key.
func (s *Service) Periodics() []jobs.Periodic {
	return []jobs.Periodic{
		{Name: "webhook.forget", Every: 24 * time.Hour, Run: s.forget},
		{Name: "webhook.reseal", Every: time.Hour, Run: s.reseal},
	}
}

func (s *Service) forget(ctx context.Context) error {
	if s.Keep == 0 {
		return nil
	}
	return db.DeleteOld(ctx, s.DB.Across(unscoped.Permit{}), s.Now().Add(-s.Keep),
		db.Old{Table: "webhook_deliveries", Key: []string{"school_id", "webhook_id", "event_id"}, Age: "created_at",
			Only: `o.status <> 'PENDING'`})
}

// reseal encrypts secrets with the newest key, for key rotation.
func (s *Service) reseal(ctx context.Context) error {
	rows, err := db.All[struct {
		SchoolID, ID      id.ID
		Secret, OldSecret string
	}](ctx, s.DB.Across(unscoped.Permit{}), `SELECT school_id, id, secret, old_secret FROM webhooks`, nil)
	if err != nil {
		return fault.Wrap("read secrets of webhooks", err)
	}
	for _, row := range rows {
		fresh, changed, err := s.Keys.Reseal(purpose, row.Secret)
		if err != nil || !changed { // an undecryptable secret is lost: the office replaces it
			continue
		}
		old := row.OldSecret
		if old != "" {
			if old, _, err = s.Keys.Reseal(purpose, old); err != nil {
				old = "" // it is valid for a day only
			}
		}
		_, err = db.Exec(ctx, s.DB.School(row.SchoolID), `UPDATE webhooks SET secret = :fresh, old_secret = :old
			WHERE school_id = :school AND id = :id AND secret = :was`,
			db.Args{"id": row.ID, "fresh": fresh, "old": old, "was": row.Secret})
		if err != nil {
			return fault.Wrap("seal the secret of a webhook anew", err)
		}
	}
	return nil
}
