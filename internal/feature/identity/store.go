package identity

import (
	"context"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// account is a user with its school, for signing in.
type account struct {
	ID           id.ID
	SchoolID     id.ID
	SchoolName   string
	Locale       string // the user's own, else the school's
	SchoolStatus string
	Role         actor.Role
	RoleID       id.ID
	Name         string
	Phone        *string
	Email        *string
	PasswordHash string
	PINHash      string `db:"pin_hash"`
	CreatedAt    time.Time
	LastSeenAt   *time.Time
	ShowsPhone   bool // a session shows that the person has the phone; read by listByPhone only
}

// selectAccounts selects active users. Users of a suspended school are refused only
// after their secret was right.
const (
	selectAccounts = `SELECT ` + accountColumns + accountTable
	accountColumns = `u.id, u.school_id, s.name AS school_name, s.status AS school_status, COALESCE(u.locale, s.locale) AS locale,
		u.role, u.role_id, u.name, u.phone, u.email, u.password_hash, u.pin_hash, u.created_at, u.last_seen_at`
	accountTable = `
		FROM users u JOIN schools s ON s.id = u.school_id
		WHERE u.status = 'ACTIVE' AND s.status IN ('ACTIVE', 'SUSPENDED') `
)

func listByPhone(ctx context.Context, all db.Q, phone string) ([]account, error) {
	return db.All[account](ctx, all, `SELECT `+accountColumns+`, EXISTS (SELECT 1 FROM sessions x
			WHERE x.school_id = u.school_id AND x.user_id = u.id AND `+showsPhone+`) AS shows_phone`+accountTable+`AND u.phone = :phone`,
		db.Args{"phone": phone})
}

func getByEmail(ctx context.Context, all db.Q, email string) (account, error) {
	return db.One[account](ctx, all, selectAccounts+`AND (u.school_id, u.id) IN (
		SELECT school_id, user_id FROM email_logins WHERE email = :email)`, db.Args{"email": email})
}

// getAccount reads an account of q's school.
func getAccount(ctx context.Context, q db.Q, user id.ID) (account, error) {
	return db.One[account](ctx, q, selectAccounts+`AND u.school_id = :school AND u.id = :id`, db.Args{"id": user})
}

func getStanding(ctx context.Context, q db.Q, user, session id.ID, now time.Time) (standing, error) {
	return db.One[standing](ctx, q, `
		SELECT s.status AS school_status, s.timezone AS zone, s.evaluation_mode AS evaluation,
			COALESCE(u.locale, '') AS language, s.locale, u.status AS user_status, u.role, u.role_id, x.id IS NOT NULL AS live
		FROM schools s
		LEFT JOIN users u ON u.school_id = s.id AND u.id = :user
		LEFT JOIN sessions x ON x.school_id = s.id AND x.id = :session AND x.user_id = :user AND x.revoked_at IS NULL AND x.ends_at > :now
		WHERE s.id = :school`, db.Args{"user": user, "session": session, "now": now})
}

const userColumns = `id, role, role_id, name, phone, email, password_hash <> '' AS has_password, status, last_seen_at,
	version, created_at, updated_at`

func getUser(ctx context.Context, q db.Q, user id.ID) (User, error) {
	return db.One[User](ctx, q, `SELECT `+userColumns+` FROM users
		WHERE school_id = :school AND id = :id AND status <> 'DELETED'`, db.Args{"id": user})
}

func findByPhone(ctx context.Context, q db.Q, role actor.Role, phone string) (id.ID, error) {
	return db.One[id.ID](ctx, q, `SELECT id FROM users WHERE school_id = :school AND role = :role AND phone = :phone`,
		db.Args{"role": role, "phone": phone})
}

func countByRole(ctx context.Context, q db.Q, role id.ID) (int, error) {
	return db.One[int](ctx, q, `SELECT (SELECT count(*) FROM users WHERE school_id = :school AND role_id = :role AND status <> 'DELETED')
		+ (SELECT count(*) FROM employees WHERE school_id = :school AND role_id = :role AND user_id IS NULL AND archived_at IS NULL)`,
		db.Args{"role": role})
}

func putUser(ctx context.Context, tx *db.Tx, u User, passwordHash string) error {
	_, err := db.Exec(ctx, tx, `
		INSERT INTO users (school_id, id, role, role_id, name, phone, email, password_hash, status, search, version, created_at, updated_at)
		VALUES (:school, :id, :role, :role_id, :name, :phone, :email, :hash, :status, :search, :version, :now, :now)`,
		db.Args{"id": u.ID, "role": u.Role, "role_id": u.RoleID, "name": u.Name, "phone": u.Phone, "email": u.Email,
			"hash": passwordHash, "status": u.Status, "search": u.search(), "version": u.Version, "now": u.CreatedAt})
	return err
}

// updateUser writes the next version of u.
func updateUser(ctx context.Context, tx *db.Tx, u User) error {
	return db.Update(ctx, tx, `
		UPDATE users SET role = :role, role_id = :role_id, name = :name, phone = :phone, email = :email,
			status = :status, search = :search, version = version + 1, updated_at = :now
		WHERE school_id = :school AND id = :id AND version = :version AND status <> 'DELETED'`,
		db.Args{"id": u.ID, "role": u.Role, "role_id": u.RoleID, "name": u.Name, "phone": u.Phone, "email": u.Email,
			"status": u.Status, "search": u.search(), "version": u.Version, "now": u.UpdatedAt})
}

// blank removes the PIN, the password and the second factor.
func blank(ctx context.Context, tx *db.Tx, user id.ID) error {
	if err := deleteSecond(ctx, tx, user); err != nil {
		return err
	}
	_, err := db.Exec(ctx, tx, `UPDATE users SET pin_hash = '', password_hash = '', locale = NULL WHERE school_id = :school
		AND id = :id`, db.Args{"id": user})
	return err
}

func putPassword(ctx context.Context, tx *db.Tx, user id.ID, hash string, now time.Time) (bool, error) {
	n, err := db.Exec(ctx, tx, `UPDATE users SET password_hash = :hash, version = version + 1, updated_at = :now
		WHERE school_id = :school AND id = :id AND status = 'ACTIVE'`,
		db.Args{"id": user, "hash": hash, "now": now})
	return n == 1, err
}

func putPIN(ctx context.Context, tx *db.Tx, user id.ID, hash string) error {
	_, err := db.Exec(ctx, tx, `UPDATE users SET pin_hash = :hash WHERE school_id = :school AND id = :id`,
		db.Args{"id": user, "hash": hash})
	return err
}

// claim locks the account's row until tx ends and updates last_seen_at; false if role,
// phone, e-mail or the secret used (PIN or password) has changed since it was read. A
// concurrent change either wrote the row first, or waits for tx and then ends its session.
func claim(ctx context.Context, tx *db.Tx, a account, by way, now time.Time) (bool, error) {
	args := db.Args{"id": a.ID, "now": now, "role": a.RoleID, "phone": opt.Value(a.Phone), "email": opt.Value(a.Email)}
	secret := ""
	switch by {
	case byPIN:
		secret, args["hash"] = ` AND pin_hash = :hash AND pin_hash <> ''`, a.PINHash
	case byPassword:
		secret, args["hash"] = ` AND password_hash = :hash AND password_hash <> ''`, a.PasswordHash
	}
	n, err := db.Exec(ctx, tx, `UPDATE users SET last_seen_at = :now
		WHERE school_id = :school AND id = :id AND status = 'ACTIVE' AND role_id = :role
			AND COALESCE(phone, '') = :phone AND COALESCE(email, '') = :email`+secret, args)
	return n == 1, err
}

func putLogin(ctx context.Context, tx *db.Tx, user id.ID, email string) error {
	_, err := db.Exec(ctx, tx, `
		INSERT INTO email_logins (school_id, user_id, email) VALUES (:school, :id, :email)
		ON CONFLICT (school_id, user_id) DO UPDATE SET email = excluded.email`,
		db.Args{"id": user, "email": email})
	return err
}

// lockLogin keeps an account's login e-mail until tx ends; false if it is another one.
func lockLogin(ctx context.Context, tx *db.Tx, user id.ID, email string) (bool, error) {
	rows, err := db.All[id.ID](ctx, tx, `SELECT user_id FROM email_logins
		WHERE school_id = :school AND user_id = :id AND email = :email`+db.ForUpdate(tx), db.Args{"id": user, "email": email})
	return len(rows) == 1, err
}

func deleteLogin(ctx context.Context, tx *db.Tx, user id.ID) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM email_logins WHERE school_id = :school AND user_id = :id`, db.Args{"id": user})
	return err
}
