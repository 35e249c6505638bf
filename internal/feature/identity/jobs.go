package identity

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/jobs"
)

// textCode is the job that sends a code to a phone.
type textCode struct {
	Phone     string     `json:"phone"`
	Role      actor.Role `json:"role,omitempty"`
	Code      string     `json:"code"` // sealed
	ExpiresAt time.Time  `json:"expiresAt"`
}

// Kind implements jobs.Args.
func (textCode) Kind() string { return "identity.text-code" }

// mailReset is the job that sends a link to an e-mail.
type mailReset struct {
	Email string `json:"email"`
}

// Kind implements jobs.Args.
func (mailReset) Kind() string { return "identity.mail-reset" }

// Workers are the job workers of this feature.
func (s *Service) Workers() []jobs.Worker {
	return []jobs.Worker{jobs.Work(s.text), jobs.Work(s.mail)}
}

// Periodics are the periodic jobs.
func (s *Service) Periodics() []jobs.Periodic {
	return []jobs.Periodic{{Name: "identity.sweep", Every: time.Hour, Run: s.sweep}}
}

// keepTries is the longest window of the rate limits.
const keepTries = 30 * day

// keepSessions is how long expired sessions are kept: package notification asks when a
// device was last seen.
const keepSessions = 30 * day

// sweep deletes expired rows in small batches to keep locks short. Expired codes are
// kept for a day, so that they are reported as expired and not as wrong.
func (s *Service) sweep(ctx context.Context) error {
	now := s.Now()
	for _, t := range []struct {
		table, key, column string
		before             time.Time
	}{
		{"sessions", "school_id, id", "expires_at", now.Add(-keepSessions)},
		{"password_resets", "school_id, id", "expires_at", now},
		{"otps", "phone", "expires_at", now.Add(-day)},
		{"tries", "key", "touched_at", now.Add(-keepTries)},
		{"known_places", "key", "seen_at", now.Add(-knownFor)},
		{"sign_ins", "school_id, id", "at", now.Add(-keepTrail)},
	} {
		const some = 1000
		for n := int64(some); n == some; {
			var err error
			// The condition is repeated for a row that is used again meanwhile.
			n, err = db.Exec(ctx, s.across(), `DELETE FROM `+t.table+` WHERE `+t.column+` < :before AND (`+t.key+`) IN (
				SELECT `+t.key+` FROM `+t.table+` WHERE `+t.column+` < :before LIMIT :some)`,
				db.Args{"before": t.before, "some": some})
			if err != nil {
				return fmt.Errorf("sweep %s: %w", t.table, err)
			}
		}
	}
	return s.reseal(ctx)
}
