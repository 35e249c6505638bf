package school

import (
	"context"
	"strings"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

const columns = `id, name, code, phone, email, address, timezone, currency, locale, logo_file_id,
	status, evaluation_mode, is_platform, settings, version, created_at, updated_at`

// row is a row of schools, with the settings in one JSON column.
type row struct {
	School
	Stored db.JSON[stored] `db:"settings"`
}

func (r row) school() School {
	s := r.School
	s.Settings = Settings(r.Stored.V)
	return s
}

// args are the columns of an update; newArgs adds those of an insert.
func args(s School) db.Args {
	return db.Args{"name": s.Name, "code": s.Code, "phone": s.Phone, "email": s.Email, "address": s.Address,
		"timezone": s.Timezone, "currency": s.Currency, "locale": s.Locale, "logo": s.LogoFileID,
		"status": s.Status, "evaluation": s.EvaluationMode, "settings": db.JSON[Settings]{V: s.Settings},
		"search": fold(s.Name, s.Code, string(s.Phone), string(s.Email)), "version": s.Version, "updated": s.UpdatedAt}
}

func newArgs(s School) db.Args {
	a := args(s)
	a["id"], a["platform"], a["created"] = s.ID, s.IsPlatform, s.CreatedAt
	return a
}

// Get returns q's school, including the platform's own, or ErrNoSchool.
func Get(ctx context.Context, q db.Q) (School, error) {
	r, err := db.One[row](ctx, q, `SELECT `+columns+` FROM schools WHERE id = :school`, nil)
	if err != nil {
		return School{}, schoolFault("read school", err)
	}
	return r.school(), nil
}

// Listed is a school in the platform's list.
type Listed struct {
	School
	Students       int        `json:"students" doc:"Active students."`
	Users          int        `json:"users" doc:"Accounts that can sign in."`
	LastActivityAt *time.Time `json:"lastActivityAt" doc:"The last sign-in or change; null if there was none."`
}

const listedColumns = columns + `,
	(SELECT count(*) FROM students s WHERE s.school_id = schools.id AND s.status = 'ACTIVE' AND s.archived_at IS NULL) AS students,
	(SELECT count(*) FROM users u WHERE u.school_id = schools.id AND u.status = 'ACTIVE') AS users,
	(SELECT max(l.at) FROM audit_log l WHERE l.school_id = schools.id) AS changed_at,
	(SELECT max(i.at) FROM sign_ins i WHERE i.school_id = schools.id AND i.outcome = 'SUCCESS') AS signed_in_at`

func listSchools(ctx context.Context, all db.Q, status, search string, r page.Request) (page.Of[Listed], error) {
	type listed struct {
		row
		Students, Users       int
		ChangedAt, SignedInAt *time.Time
	}
	search = db.Contains(fold(search))
	rows, err := db.Page[listed](ctx, all, db.List{
		Columns: listedColumns,
		From: `schools WHERE is_platform = FALSE` +
			db.When(status != "", ` AND status = :status`) +
			db.When(search != "", ` AND search LIKE :search ESCAPE '\'`),
		Sorts:   map[string]string{"name": "search", "code": "code", "status": "status", "createdAt": "created_at"},
		Default: "name",
	}, r, db.Args{"status": status, "search": search})
	out := page.Of[Listed]{Total: rows.Total, Page: rows.Page, Limit: rows.Limit, TotalPages: rows.TotalPages,
		Items: make([]Listed, len(rows.Items))}
	for i, r := range rows.Items {
		out.Items[i] = Listed{r.school(), r.Students, r.Users, later(r.ChangedAt, r.SignedInAt)}
	}
	return out, err
}

// later returns the later of two times; nil is before any.
func later(a, b *time.Time) *time.Time {
	if a == nil || b != nil && b.After(*a) {
		return b
	}
	return a
}

const insertSchool = `
	INSERT INTO schools (id, name, code, phone, email, address, timezone, currency, locale, logo_file_id,
		status, evaluation_mode, is_platform, settings, search, version, created_at, updated_at)
	VALUES (:id, :name, :code, :phone, :email, :address, :timezone, :currency, :locale, :logo,
		:status, :evaluation, :platform, :settings, :search, :version, :created, :updated)`

func putSchool(ctx context.Context, all *db.Tx, s School) error {
	_, err := db.Exec(ctx, all, insertSchool, newArgs(s))
	return err
}

// putPlatform inserts the platform's own school unless it exists.
func putPlatform(ctx context.Context, all *db.Tx, s School) error {
	_, err := db.Exec(ctx, all, insertSchool+` ON CONFLICT (id) DO NOTHING`, newArgs(s))
	return err
}

// updateSchool writes the next version of s.
func updateSchool(ctx context.Context, tx *db.Tx, s School) error {
	return db.Update(ctx, tx, `
		UPDATE schools SET name = :name, code = :code, phone = :phone, email = :email, address = :address,
			timezone = :timezone, currency = :currency, locale = :locale, logo_file_id = :logo, status = :status,
			evaluation_mode = :evaluation, settings = :settings, search = :search, version = version + 1, updated_at = :updated
		WHERE id = :school AND version = :version`, args(s))
}

// deleteSchool deletes the school with all its rows; false if the school is not
// suspended. Append-only tables allow deletes only while the school is DELETING,
// which a cascade can't see, so they are emptied first.
func deleteSchool(ctx context.Context, all *db.Tx, school id.ID) (bool, error) {
	n, err := db.Exec(ctx, all, `UPDATE schools SET status = :to WHERE id = :id AND status = :from`,
		db.Args{"id": school, "from": Suspended, "to": deleting})
	if err != nil || n == 0 {
		return false, err
	}
	_, err = db.Exec(ctx, all, `DELETE FROM schools WHERE id = :id`, db.Args{"id": school})
	return err == nil, err
}

// fold lower-cases search text in Go, because SQLite's lower() knows only ASCII.
func fold(parts ...string) string {
	for i, p := range parts {
		parts[i] = strings.ToLower(strings.TrimSpace(p))
	}
	return strings.Join(parts, "\n")
}
