package audit

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

func putEntry(ctx context.Context, tx *db.Tx, e Entry, before, after State) error {
	_, err := db.Exec(ctx, tx.Later(), `
		INSERT INTO audit_log (school_id, id, at, user_id, role, action, entity, entity_id, before, after, request_id, ip)
		VALUES (:school, :id, :at, :user, :role, :action, :entity, :entityID, :before, :after, :request, :ip)`,
		db.Args{"id": e.ID, "at": e.At, "user": e.UserID, "role": e.Role, "action": e.Action, "entity": e.Entity,
			"entityID": e.EntityID, "before": document(before), "after": document(after), "request": e.RequestID, "ip": e.IP})
	return err
}

// document is a state as a column value; NULL for nil.
func document(s State) any {
	if s == nil {
		return nil
	}
	return db.JSON[State]{V: s}
}

// filter filters entries; zero fields are ignored.
type filter struct {
	schoolID, userID, entityID id.ID
	action, entity             string
	since, before              time.Time // since <= at < before
}

const (
	entryColumns = `id, school_id, at, user_id, role, action, entity, entity_id, before, after, request_id, ip, (
		SELECT NULLIF(u.name, '') FROM users u WHERE u.school_id = audit_log.school_id AND u.id = audit_log.user_id) AS user_name`
	// The platform's administrators act in every school and belong to the platform's.
	anyEntryColumns = `id, school_id, at, user_id, role, action, entity, entity_id, before, after, request_id, ip, (
		SELECT NULLIF(u.name, '') FROM users u WHERE u.id = audit_log.user_id
			AND u.school_id IN (audit_log.school_id, (SELECT p.id FROM schools p WHERE p.is_platform))) AS user_name, (
		SELECT s.name FROM schools s WHERE s.id = audit_log.school_id) AS school_name`
)

func listEntries[T any](ctx context.Context, q db.Q, columns, scope string, w filter, r page.Request) (page.Of[T], error) {
	return db.Page[T](ctx, q, db.List{
		Columns: columns,
		From: `audit_log WHERE ` + scope +
			db.When(w.schoolID != "", ` AND school_id = :schoolID`) +
			db.When(w.userID != "", ` AND user_id = :userID`) +
			db.When(w.action != "", ` AND action = :action`) +
			db.When(w.entity != "", ` AND entity = :entity`) +
			db.When(w.entityID != "", ` AND entity_id = :entityID`) +
			db.When(!w.since.IsZero(), ` AND at >= :since`) +
			db.When(!w.before.IsZero(), ` AND at < :before`),
		Sorts:   map[string]string{"at": "at"},
		Default: "-at",
	}, r, db.Args{"schoolID": w.schoolID, "userID": w.userID, "action": w.action, "entity": w.entity,
		"entityID": w.entityID, "since": w.since, "before": w.before})
}

// Blank deletes the before and after states of records, for erasure of personal data.
// The entries stay.
func (s *Service) Blank(ctx context.Context, tx *db.Tx, records []id.ID) error {
	_, err := db.Exec(ctx, tx, `
		UPDATE audit_log SET before = NULL, after = NULL WHERE school_id = :school AND entity_id IN (:records)`,
		db.Args{"records": records})
	if err != nil {
		return fmt.Errorf("erase states in audit log: %w", err)
	}
	return nil
}
