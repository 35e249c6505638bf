package notification

import (
	"context"
	"fmt"
	"strings"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// maxDevices is how many devices of one user are kept: those used last. Push
// providers give a device a new token now and then, and the old one stays behind.
const maxDevices = 20

// Device is something that push messages reach. Its token is not shown.
type Device struct {
	ID        id.ID     `json:"id"`
	Platform  string    `json:"platform"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt" doc:"When it was last registered."`
}

// Register keeps a device as the caller's. Whoever had it before has it no more.
func (s *Service) Register(ctx context.Context, who actor.Actor, token, platform string) (d Device, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		d, err = db.One[Device](ctx, tx, `
			INSERT INTO devices (school_id, id, user_id, token, platform, created_at, updated_at)
			VALUES (:school, :id, :user, :token, :platform, :now, :now)
			ON CONFLICT (school_id, token) DO UPDATE SET user_id = :user, updated_at = :now,
				platform = CASE WHEN :platform = '' THEN devices.platform ELSE :platform END
			RETURNING id, platform, created_at, updated_at`,
			db.Args{"id": s.NewID(), "user": who.User, "token": strings.TrimSpace(token), "platform": platform, "now": s.Now()})
		if err != nil {
			return fmt.Errorf("register a device: %w", err)
		}
		_, err = db.Exec(ctx, tx, `
			DELETE FROM devices WHERE school_id = :school AND user_id = :user AND id NOT IN (
				SELECT d.id FROM devices d WHERE d.school_id = :school AND d.user_id = :user
				ORDER BY d.updated_at DESC, d.id DESC LIMIT :most)`, db.Args{"user": who.User, "most": maxDevices})
		if err != nil {
			return fmt.Errorf("forget old devices: %w", err)
		}
		return nil
	})
	return d, err
}
