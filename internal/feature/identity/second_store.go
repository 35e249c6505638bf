package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// second is the second factor of a user; zero if there is none.
type second struct {
	Secret      string // sealed
	ConfirmedAt *time.Time
	Recovery    db.JSON[[]string] // hashes
}

func getSecond(ctx context.Context, q db.Q, user id.ID) (second, error) {
	f, err := db.One[second](ctx, q, `SELECT secret, confirmed_at, recovery FROM second_factors WHERE school_id = :school AND user_id = :user`,
		db.Args{"user": user})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return second{}, nil
	case err != nil:
		return f, fmt.Errorf("read second factor: %w", err)
	}
	return f, nil
}

// putSecond writes an unconfirmed secret; false if one is confirmed already.
func putSecond(ctx context.Context, tx *db.Tx, user id.ID, sealed string) (bool, error) {
	n, err := db.Exec(ctx, tx, `
		INSERT INTO second_factors (school_id, user_id, secret) VALUES (:school, :user, :secret)
		ON CONFLICT (school_id, user_id) DO UPDATE SET secret = excluded.secret, step = 0 WHERE second_factors.confirmed_at IS NULL`,
		db.Args{"user": user, "secret": sealed})
	return n == 1, err
}

// putStep consumes the codes of a secret up to this time step; false if they were consumed
// before, or if a new set-up has replaced the secret.
func putStep(ctx context.Context, tx *db.Tx, user id.ID, secret string, step int64) (bool, error) {
	n, err := db.Exec(ctx, tx, `UPDATE second_factors SET step = :step
		WHERE school_id = :school AND user_id = :user AND secret = :secret AND step < :step`,
		db.Args{"user": user, "secret": secret, "step": step})
	return n == 1, err
}

// putRecovery writes the remaining codes; false if a concurrent call was first.
func putRecovery(ctx context.Context, tx *db.Tx, user id.ID, before, after []string) (bool, error) {
	n, err := db.Exec(ctx, tx, `UPDATE second_factors SET recovery = :after WHERE school_id = :school AND user_id = :user
		AND recovery = :before`,
		db.Args{"user": user, "before": db.JSON[[]string]{V: before}, "after": db.JSON[[]string]{V: after}})
	return n == 1, err
}

func confirm(ctx context.Context, tx *db.Tx, user id.ID, hashes []string, now time.Time) error {
	_, err := db.Exec(ctx, tx, `UPDATE second_factors SET confirmed_at = :now, recovery = :hashes
		WHERE school_id = :school AND user_id = :user`,
		db.Args{"user": user, "hashes": db.JSON[[]string]{V: hashes}, "now": now})
	return err
}

func deleteSecond(ctx context.Context, tx *db.Tx, user id.ID) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM second_factors WHERE school_id = :school AND user_id = :user`, db.Args{"user": user})
	return err
}

// sealed is an encrypted secret and its user.
type sealed struct {
	SchoolID, UserID id.ID
	Secret           string
}

// reseal encrypts secrets with the newest key, for key rotation.
func (s *Service) reseal(ctx context.Context) error {
	rows, err := db.All[sealed](ctx, s.across(), `SELECT school_id, user_id, secret FROM second_factors`, nil)
	if err != nil {
		return fmt.Errorf("read second factors: %w", err)
	}
	for _, row := range rows {
		fresh, changed, err := s.Keys.Reseal(secondKey, row.Secret)
		if err != nil || !changed { // an undecryptable secret is lost: its owner has recovery codes
			continue
		}
		_, err = db.Exec(ctx, s.DB.School(row.SchoolID), `UPDATE second_factors SET secret = :fresh
			WHERE school_id = :school AND user_id = :user AND secret = :old`, db.Args{"user": row.UserID, "fresh": fresh, "old": row.Secret})
		if err != nil {
			return fmt.Errorf("seal a second factor anew: %w", err)
		}
	}
	return nil
}
