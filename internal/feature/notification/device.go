package notification

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/notify/webpush"
	"homeroom/internal/platform/opt"
)

// maxDevices is how many devices of one user are kept, the most recent ones. Push
// providers replace tokens from time to time, which leaves old ones behind.
const maxDevices = 20

// Device is a registered push device. Its token is not shown.
type Device struct {
	ID        id.ID     `json:"id"`
	Platform  opt.Text  `json:"platform"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt" doc:"When it was last registered."`
}

// push is where a device gets pushes: by a token of FCM, or a browser by a subscription,
// whose endpoint is the token.
type push struct{ token, platform, p256dh, auth string }

// put registers a device for the caller until the session ends. A token belongs
// to one account on the whole platform: registering takes it from any other. Whoever knows
// only the endpoint of a browser, but not its keys, can't take it.
func (s *Service) put(ctx context.Context, who actor.Actor, p push) (d Device, err error) {
	err = s.DB.InAll(ctx, unscoped.Permit{}, func(ctx context.Context, tx *db.Tx) error {
		d, err = db.One[Device](ctx, tx, `
			INSERT INTO devices (school_id, id, user_id, session_id, token, platform, p256dh, auth, created_at, updated_at)
			VALUES (:at, :id, :user, :session, :token, :platform, :p256dh, :auth, :now, :now)
			ON CONFLICT (token) DO UPDATE SET school_id = excluded.school_id, user_id = excluded.user_id, session_id = excluded.session_id,
				id = CASE WHEN devices.user_id = excluded.user_id THEN devices.id ELSE excluded.id END,
				created_at = CASE WHEN devices.user_id = excluded.user_id THEN devices.created_at ELSE excluded.created_at END,
				updated_at = excluded.updated_at,
				platform = CASE WHEN excluded.platform = '' THEN devices.platform ELSE excluded.platform END
			WHERE devices.p256dh = excluded.p256dh AND devices.auth = excluded.auth
			RETURNING id, platform, created_at, updated_at`,
			db.Args{"at": who.School, "id": s.NewID(), "user": who.User, "session": who.Session, "token": p.token,
				"platform": p.platform, "p256dh": p.p256dh, "auth": p.auth, "now": s.Now()})
		if err != nil {
			return db.Found("register a device", err, errOtherKeys)
		}
		_, err = db.Exec(ctx, tx, `
			DELETE FROM devices WHERE school_id = :at AND user_id = :user AND id NOT IN (
				SELECT d.id FROM devices d WHERE d.school_id = :at AND d.user_id = :user
				ORDER BY d.updated_at DESC, d.id DESC LIMIT :most)`, db.Args{"at": who.School, "user": who.User, "most": maxDevices})
		if err != nil {
			return fmt.Errorf("delete old devices: %w", err)
		}
		return nil
	})
	return d, err
}

// onlyBrowsers is the condition of the devices d that are browsers.
const onlyBrowsers = `d.p256dh <> ''`

// liveDevices joins the devices d with a valid session at :now and an active account.
const liveDevices = `devices d
	JOIN sessions n ON n.school_id = d.school_id AND n.id = d.session_id
		AND n.revoked_at IS NULL AND n.expires_at > :now
	JOIN users u ON u.school_id = d.school_id AND u.id = d.user_id AND u.status = 'ACTIVE'`

// seenFor is how long a device counts as in use after its session was last used. An app
// whose session expired meanwhile still gets the neutral pushes of its topics.
const seenFor = 30 * 24 * time.Hour

// devicesOfUser selects the devices d and sessions n of the account u that were not
// signed out.
const devicesOfUser = `SELECT 1 FROM devices d
	JOIN sessions n ON n.school_id = d.school_id AND n.id = d.session_id AND n.revoked_at IS NULL
	WHERE d.school_id = u.school_id AND d.user_id = u.id`

// sweepDevices deletes the devices of all schools that were signed out or not seen for
// seenFor, in small batches to keep locks short. One that is registered again meanwhile has
// another session, and stays.
func (s *Service) sweepDevices(ctx context.Context) error {
	const some = 1000
	for n := int64(some); n == some; {
		var err error
		n, err = db.Exec(ctx, s.DB.Across(unscoped.Permit{}), `
			DELETE FROM devices WHERE (school_id, id, session_id) IN (
				SELECT d.school_id, d.id, d.session_id FROM devices d
				JOIN sessions n ON n.school_id = d.school_id AND n.id = d.session_id
				JOIN users u ON u.school_id = d.school_id AND u.id = d.user_id
				WHERE n.revoked_at IS NOT NULL OR n.last_used_at <= :seen OR u.status <> 'ACTIVE' LIMIT :some)`,
			db.Args{"seen": s.Now().Add(-seenFor), "some": some})
		if err != nil {
			return fmt.Errorf("delete unused devices: %w", err)
		}
	}
	return nil
}

// DeviceGone deletes a device that the push provider reports as unregistered.
func (s *Service) DeviceGone(ctx context.Context, school id.ID, c notify.Channel, token string) error {
	if c != notify.Push {
		return nil
	}
	_, err := db.Exec(ctx, s.DB.School(school), `DELETE FROM devices WHERE school_id = :school AND token = :token`,
		db.Args{"token": webpush.Endpoint(token)})
	if err != nil {
		return fmt.Errorf("delete a device: %w", err)
	}
	return nil
}
