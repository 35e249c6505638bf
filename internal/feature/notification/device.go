package notification

import (
	"context"
	"fmt"
	"strings"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify"
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

// Register keeps a device as the caller's, for as long as the session lasts that
// registers it. A token is one account's on the whole platform: whoever had it
// before, in whichever school, has it no more.
func (s *Service) Register(ctx context.Context, who actor.Actor, token, platform string) (d Device, err error) {
	err = s.DB.InAll(ctx, unscoped.Permit{}, func(ctx context.Context, tx *db.Tx) error {
		d, err = db.One[Device](ctx, tx, `
			INSERT INTO devices (school_id, id, user_id, session_id, token, platform, created_at, updated_at)
			VALUES (:at, :id, :user, :session, :token, :platform, :now, :now)
			ON CONFLICT (token) DO UPDATE SET school_id = excluded.school_id, user_id = excluded.user_id, session_id = excluded.session_id,
				id = CASE WHEN devices.user_id = excluded.user_id THEN devices.id ELSE excluded.id END,
				created_at = CASE WHEN devices.user_id = excluded.user_id THEN devices.created_at ELSE excluded.created_at END,
				updated_at = excluded.updated_at,
				platform = CASE WHEN excluded.platform = '' THEN devices.platform ELSE excluded.platform END
			RETURNING id, platform, created_at, updated_at`,
			db.Args{"at": who.School, "id": s.NewID(), "user": who.User, "session": who.Session, "token": strings.TrimSpace(token),
				"platform": platform, "now": s.Now()})
		if err != nil {
			return fmt.Errorf("register a device: %w", err)
		}
		_, err = db.Exec(ctx, tx, `
			DELETE FROM devices WHERE school_id = :at AND user_id = :user AND id NOT IN (
				SELECT d.id FROM devices d WHERE d.school_id = :at AND d.user_id = :user
				ORDER BY d.updated_at DESC, d.id DESC LIMIT :most)`, db.Args{"at": who.School, "user": who.User, "most": maxDevices})
		if err != nil {
			return fmt.Errorf("forget old devices: %w", err)
		}
		return nil
	})
	return d, err
}

// liveDevices joins the devices d whose session lasts, at the time :now, and whose
// account may be used.
const liveDevices = `devices d
	JOIN sessions n ON n.school_id = d.school_id AND n.id = d.session_id
		AND n.revoked_at IS NULL AND n.expires_at > :now
	JOIN users u ON u.school_id = d.school_id AND u.id = d.user_id AND u.status = 'ACTIVE'`

// sweepDevices forgets the devices of sessions that have ended, in all schools, a
// little at a time so that nobody waits. Nothing was sent to them since.
func (s *Service) sweepDevices(ctx context.Context) error {
	const some = 1000
	for n := int64(some); n == some; {
		var err error
		n, err = db.Exec(ctx, s.DB.Across(unscoped.Permit{}), `
			DELETE FROM devices WHERE (school_id, id) IN (
				SELECT d.school_id, d.id FROM devices d
				JOIN sessions n ON n.school_id = d.school_id AND n.id = d.session_id
				JOIN users u ON u.school_id = d.school_id AND u.id = d.user_id
				WHERE n.revoked_at IS NOT NULL OR n.expires_at <= :now OR u.status <> 'ACTIVE' LIMIT :some)`,
			db.Args{"now": s.Now(), "some": some})
		if err != nil {
			return fmt.Errorf("forget the devices of ended sessions: %w", err)
		}
	}
	return nil
}

// DeviceGone forgets a device that the push provider knows no more.
func (s *Service) DeviceGone(ctx context.Context, school id.ID, c notify.Channel, token string) error {
	if c != notify.Push {
		return nil
	}
	_, err := db.Exec(ctx, s.DB.School(school), `DELETE FROM devices WHERE school_id = :school AND token = :token`, db.Args{"token": token})
	if err != nil {
		return fmt.Errorf("forget a device: %w", err)
	}
	return nil
}
