// Package audit is the audit log: who did what to which record, when, and what changed.
//
// A feature calls Record in the transaction of the change, so that both are committed
// or neither. The log is append-only: the database refuses updates, and deletions of entries
// that are less than a year old.
package audit

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// Service writes and lists the audit log.
type Service struct {
	DB    *db.DB
	Now   clock.Now
	NewID id.Source
	Keep  time.Duration // of both logs, at least a year; 0: as long as the school

	Heard Hearer // nil: nobody
}

// Hearer is told of an entry in the transaction that writes it. before and after are the
// logged states.
type Hearer func(ctx context.Context, tx *db.Tx, e Entry, before, after State) error

// State has the logged fields of a record, by name.
type State = map[string]any

// Document is a State as a JSON column. In responses it is the State itself.
type Document struct{ db.JSON[State] }

// SchemaOf returns the type for the API documentation.
func (Document) SchemaOf() reflect.Type { return reflect.TypeFor[State]() }

// Entry is one entry of the audit log.
type Entry struct {
	ID        id.ID     `json:"id"`
	SchoolID  id.ID     `json:"schoolId"`
	At        time.Time `json:"at"`
	UserID    *id.ID    `json:"userId" doc:"The user; null for the service itself."`
	UserName  *string   `json:"userName" doc:"The user's name today; null for the service itself, an erased user, or the platform's administrators."`
	Role      opt.Text  `json:"role" doc:"The user's role; null for the service itself."`
	Action    string    `json:"action" example:"role.update"`
	Entity    string    `json:"entity" example:"role"`
	EntityID  *id.ID    `json:"entityId" doc:"The record."`
	Before    *Document `json:"before" doc:"The record before; for an update, only the changed fields. Null for a new record, after its erasure, and without read on its module."`
	After     *Document `json:"after" doc:"The record after; for an update, only the changed fields. Null for a deleted record, after its erasure, and without read on its module."`
	RequestID opt.Text  `json:"requestId"`
	IP        opt.Text  `json:"ip"`
}

// Record writes one entry in tx, for tx's school. The action is "entity.verb". before
// is nil for a new record, after is nil for a deleted one; else both are JSON-encodable.
// Only the fields that differ are logged, and never secrets. Log the ids of people, not
// their names: erasing a person blanks only the entries of that person's own record.
func (s *Service) Record(ctx context.Context, tx *db.Tx, who actor.Actor, action, entity string, entityID id.ID, before, after any) error {
	was, err := stateOf(before)
	if err != nil {
		return fmt.Errorf("audit %s: before: %w", action, err)
	}
	is, err := stateOf(after)
	if err != nil {
		return fmt.Errorf("audit %s: after: %w", action, err)
	}
	if was != nil && is != nil {
		was, is = changes(was, is)
	}
	e := Entry{
		ID: s.NewID(), SchoolID: tx.SchoolID(), At: s.Now(), UserID: known(who.User), Role: opt.Text(who.Role),
		Action: action, Entity: entity, EntityID: known(entityID), RequestID: opt.Text(who.RequestID), IP: opt.Text(who.IP),
	}
	if err := putEntry(ctx, tx, e, was, is); err != nil {
		return fmt.Errorf("audit %s: %w", action, err)
	}
	if s.Heard == nil {
		return nil
	}
	return s.Heard(ctx, tx, e, was, is)
}

// Since returns up to n entries of the actions, the oldest first, of one school or ("") of
// all. It starts after the entry with that time and id.
func (s *Service) Since(ctx context.Context, school id.ID, actions []string, at time.Time, after id.ID, n int) ([]Entry, error) {
	q, scope := s.DB.Across(unscoped.Permit{}), `1 = 1`
	if school != "" {
		q, scope = s.DB.School(school), `school_id = :school`
	}
	out, err := db.All[Entry](ctx, q, `
		SELECT `+entryColumns+` FROM audit_log WHERE `+scope+` AND action IN (:actions) AND (at, id) > (:at, :after)
		ORDER BY at, id LIMIT :n`, db.Args{"actions": actions, "at": at, "after": after, "n": n})
	return out, fault.Wrap("read audit log", err)
}

// Count counts the actions of a user in tx's school since a time, such as to limit them.
func (s *Service) Count(ctx context.Context, tx *db.Tx, user id.ID, action string, since time.Time) (int, error) {
	n, err := db.One[int](ctx, tx, `
		SELECT COUNT(*) FROM audit_log WHERE school_id = :school AND user_id = :user AND action = :action AND at > :since`,
		db.Args{"user": user, "action": action, "since": since})
	if err != nil {
		return 0, fmt.Errorf("count %s: %w", action, err)
	}
	return n, nil
}

func known(v id.ID) *id.ID {
	if v == "" {
		return nil
	}
	return &v
}
