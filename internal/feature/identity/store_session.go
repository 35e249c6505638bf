package identity

import (
	"context"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// newSession is a row to insert.
type newSession struct {
	ID          id.ID
	UserID      id.ID
	RefreshHash string
	Device      string
	IP          string
	OpenedBy    way
	Phone       *string
	ProvenAt    *time.Time
	Now         time.Time
	ExpiresAt   time.Time
	EndsAt      time.Time
}

func putSession(ctx context.Context, tx *db.Tx, n newSession) error {
	_, err := db.Insert(ctx, tx, `
		INSERT INTO sessions (school_id, id, user_id, refresh_hash, device, ip, opened_by, phone, proven_at,
			created_at, last_used_at, expires_at, ends_at)
		VALUES (:school, :id, :user_id, :refresh_hash, :device, :ip, :opened_by, :phone, :proven_at, :now, :now, :expires_at, :ends_at)`,
		[]newSession{n})
	return err
}

// getProof reads how a session was opened.
func getProof(ctx context.Context, q db.Q, session id.ID) (proof, error) {
	row, err := db.One[struct {
		Phone    *string
		ProvenAt *time.Time
		EndsAt   time.Time
	}](ctx, q, `SELECT phone, proven_at, ends_at FROM sessions WHERE school_id = :school AND id = :id`, db.Args{"id": session})
	p := proof{phone: opt.Value(row.Phone), ends: row.EndsAt}
	if row.ProvenAt != nil {
		p.at = *row.ProvenAt
	}
	return p, err
}

// lives reports whether a session is active. After claim it stays so until tx ends:
// ending sessions locks the user's row first.
func lives(ctx context.Context, tx *db.Tx, session id.ID) (bool, error) {
	return db.One[bool](ctx, tx, `SELECT EXISTS (SELECT 1 FROM sessions WHERE school_id = :school AND id = :id AND revoked_at IS NULL)`,
		db.Args{"id": session})
}

// showsPhone is an SQL condition: the session x shows that its user u has the phone. It was opened
// with a code to it, or is one of an account that signs in by phone, whose sessions end when that changes.
const showsPhone = `(x.phone = :phone OR x.revoked_at IS NULL AND u.phone = :phone AND u.role IN ('PARENT', 'TEACHER', 'DRIVER'))`

// provesPhone reports whether a session shows that its user has the phone.
func provesPhone(ctx context.Context, all db.Q, session, user id.ID, phone string) (bool, error) {
	return db.One[bool](ctx, all, `SELECT EXISTS (SELECT 1 FROM sessions x JOIN users u ON u.school_id = x.school_id AND u.id = x.user_id
		WHERE x.id = :id AND x.user_id = :user AND `+showsPhone+`)`,
		db.Args{"id": session, "user": user, "phone": phone})
}

func getSchoolOfSession(ctx context.Context, all db.Q, session, user id.ID) (id.ID, error) {
	return db.One[id.ID](ctx, all, `SELECT school_id FROM sessions WHERE id = :id AND user_id = :user`,
		db.Args{"id": session, "user": user})
}

// rotate replaces the old hash by the new one; false if the old one is not current. Of
// concurrent calls only the first succeeds.
func rotate(ctx context.Context, tx *db.Tx, session id.ID, old, fresh string, now, expires time.Time) (bool, error) {
	n, err := db.Exec(ctx, tx, `
		UPDATE sessions SET previous_hash = refresh_hash, refresh_hash = :fresh, last_used_at = :now,
			expires_at = CASE WHEN ends_at < :expires THEN ends_at ELSE :expires END
		WHERE school_id = :school AND id = :id AND refresh_hash = :old AND revoked_at IS NULL`,
		db.Args{"id": session, "old": old, "fresh": fresh, "now": now, "expires": expires})
	return n == 1, err
}

// rotated is a session's last exchanged refresh token, its successor, and when it was exchanged.
type rotated struct {
	PreviousHash, RefreshHash string
	LastUsedAt                time.Time
}

func getRotated(ctx context.Context, tx *db.Tx, session id.ID) (rotated, error) {
	return db.One[rotated](ctx, tx, `SELECT previous_hash, refresh_hash, last_used_at FROM sessions
		WHERE school_id = :school AND id = :id AND revoked_at IS NULL`, db.Args{"id": session})
}

// revoke ends one session of the user; false if it is not active.
func revoke(ctx context.Context, tx *db.Tx, user, session id.ID, now time.Time) (bool, error) {
	n, err := db.Exec(ctx, tx, `UPDATE sessions SET revoked_at = :now
		WHERE school_id = :school AND id = :id AND user_id = :user AND revoked_at IS NULL AND expires_at > :now`,
		db.Args{"id": session, "user": user, "now": now})
	return n == 1, err
}

// revokeAll ends the user's sessions, except one if given.
func revokeAll(ctx context.Context, tx *db.Tx, user, but id.ID, now time.Time) error {
	_, err := db.Exec(ctx, tx, `UPDATE sessions SET revoked_at = :now
		WHERE school_id = :school AND user_id = :user AND revoked_at IS NULL`+db.When(but != "", ` AND id <> :but`),
		db.Args{"user": user, "but": but, "now": now})
	return err
}

func putReset(ctx context.Context, tx *db.Tx, reset, user id.ID, hash string, now, expires time.Time) error {
	_, err := db.Exec(ctx, tx, `
		INSERT INTO password_resets (school_id, id, user_id, hash, expires_at, created_at)
		VALUES (:school, :id, :user, :hash, :expires, :now)`,
		db.Args{"id": reset, "user": user, "hash": hash, "expires": expires, "now": now})
	return err
}

// resetLink is the owner of a link.
type resetLink struct {
	SchoolID, UserID id.ID
}

func getReset(ctx context.Context, all db.Q, hash string, now time.Time) (resetLink, error) {
	return db.One[resetLink](ctx, all, `SELECT school_id, user_id FROM password_resets WHERE hash = :hash AND expires_at > :now`,
		db.Args{"hash": hash, "now": now})
}

// takeReset consumes a link. Of concurrent calls only the first finds it.
func takeReset(ctx context.Context, tx *db.Tx, hash string, now time.Time) error {
	_, err := db.One[id.ID](ctx, tx, `DELETE FROM password_resets
		WHERE school_id = :school AND hash = :hash AND expires_at > :now RETURNING user_id`,
		db.Args{"hash": hash, "now": now})
	return err
}

func deleteResets(ctx context.Context, tx *db.Tx, user id.ID) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM password_resets WHERE school_id = :school AND user_id = :user`, db.Args{"user": user})
	return err
}

// otp is the last code sent to a phone.
type otp struct {
	Hash      string
	ExpiresAt time.Time
}

func putOTP(ctx context.Context, tx *db.Tx, phone, hash string, expires time.Time) error {
	_, err := db.Exec(ctx, tx, `
		INSERT INTO otps (phone, hash, expires_at) VALUES (:phone, :hash, :expires)
		ON CONFLICT (phone) DO UPDATE SET hash = excluded.hash, known_tries = 0, stranger_tries = 0, expires_at = excluded.expires_at`,
		db.Args{"phone": phone, "hash": hash, "expires": expires})
	return err
}

// tryOTP counts one try at the phone's code and returns the code, locked until tx ends;
// db.ErrNotFound if there is none, or no tries are left.
func tryOTP(ctx context.Context, tx *db.Tx, phone string, known bool, now time.Time) (otp, error) {
	count := "stranger_tries"
	if known {
		count = "known_tries"
	}
	return db.One[otp](ctx, tx, `
		UPDATE otps SET `+count+` = `+count+` + CASE WHEN expires_at < :now THEN 0 ELSE 1 END
		WHERE phone = :phone AND `+count+` < :most RETURNING hash, expires_at`,
		db.Args{"phone": phone, "most": otpTries, "now": now})
}

// takeOTP consumes the code; false if a concurrent call was first.
func takeOTP(ctx context.Context, tx *db.Tx, phone, hash string) (bool, error) {
	n, err := db.Exec(ctx, tx, `DELETE FROM otps WHERE phone = :phone AND hash = :hash`, db.Args{"phone": phone, "hash": hash})
	return n == 1, err
}

// lockTries inserts the row if missing and locks it until tx ends.
func lockTries(ctx context.Context, tx *db.Tx, key string, now time.Time) ([]time.Time, error) {
	times, err := db.One[db.JSON[[]time.Time]](ctx, tx, `
		INSERT INTO tries (key, times, touched_at) VALUES (:key, '[]', :now)
		ON CONFLICT (key) DO UPDATE SET touched_at = excluded.touched_at RETURNING times`,
		db.Args{"key": key, "now": now})
	return times.V, err
}

func getTries(ctx context.Context, q db.Q, key string) ([]time.Time, error) {
	rows, err := db.All[db.JSON[[]time.Time]](ctx, q, `SELECT times FROM tries WHERE key = :key`, db.Args{"key": key})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0].V, nil
}

func putTries(ctx context.Context, tx *db.Tx, key string, times []time.Time) error {
	_, err := db.Exec(ctx, tx, `UPDATE tries SET times = :times WHERE key = :key`,
		db.Args{"key": key, "times": db.JSON[[]time.Time]{V: times}})
	return err
}

func deleteTries(ctx context.Context, tx *db.Tx, key string) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM tries WHERE key = :key`, db.Args{"key": key})
	return err
}
