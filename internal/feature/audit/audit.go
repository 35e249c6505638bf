// Package audit keeps who did what to which record, when, and what changed.
//
// A feature calls Record in the transaction of the change itself, so that there
// is no change without its entry and no entry without its change. Entries are
// never altered: the database refuses it.
package audit

import (
	"context"
	"fmt"
	"reflect"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// Service writes and lists the log.
type Service struct {
	DB    *db.DB
	Now   clock.Now
	NewID id.Source
}

// State is the part of a record that an entry keeps, by the names of its fields.
type State = map[string]any

// Document is a State in a column. In a reply it shows as the state itself.
type Document struct{ db.JSON[State] }

// SchemaOf tells the documentation what a Document shows as.
func (Document) SchemaOf() reflect.Type { return reflect.TypeFor[State]() }

// Entry is one line of the log.
type Entry struct {
	ID        id.ID      `json:"id"`
	SchoolID  id.ID      `json:"schoolId"`
	At        time.Time  `json:"at"`
	UserID    *id.ID     `json:"userId" doc:"Who did it; null for the service itself."`
	Role      actor.Role `json:"role"`
	Action    string     `json:"action" example:"role.update"`
	Entity    string     `json:"entity" example:"role"`
	EntityID  *id.ID     `json:"entityId" doc:"The record it was done to."`
	Before    *Document  `json:"before" doc:"The record as it was; of a change, only the fields that changed. Null for a new record."`
	After     *Document  `json:"after" doc:"The record as it became; of a change, only the fields that changed. Null for a deleted record."`
	RequestID string     `json:"requestId"`
	IP        string     `json:"ip"`
}

// Record writes one entry in tx, to the log of tx's school. The action is
// "entity.verb"; before is nil for a new record and after for a deleted one,
// else both are anything that JSON can hold. Of two states only the fields that
// differ are kept, and of no state the secrets.
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
		ID: s.NewID(), At: s.Now(), UserID: known(who.User), Role: who.Role,
		Action: action, Entity: entity, EntityID: known(entityID), RequestID: who.RequestID, IP: who.IP,
	}
	if err := putEntry(ctx, tx, e, was, is); err != nil {
		return fmt.Errorf("audit %s: %w", action, err)
	}
	return nil
}

func known(v id.ID) *id.ID {
	if v == "" {
		return nil
	}
	return &v
}
