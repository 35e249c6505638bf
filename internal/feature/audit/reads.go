package audit

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

const (
	readsBatch = 500             // rows that are written together
	readsKept  = 20 * readsBatch // rows in memory at most
	readsEvery = time.Second
	readsEnd   = 10 * time.Second // what the last batch may take
)

// Reads keeps who has seen which record. A request only leaves a row in memory;
// Run writes them in batches, at most a second later. What Run has not written
// yet when it ends, Flush does: the owner calls it last.
//
// Nothing is dropped. Rows that could not be written stay in memory for the next
// time, and when there are too many of them a request writes its own row, and
// fails if it can't: nobody sees a record unseen.
type Reads struct {
	ReadsOptions
	wake chan struct{} // a batch is full

	mu      sync.Mutex
	pending []read

	flushing sync.Mutex
}

// ReadsOptions are what a Reads stands on.
type ReadsOptions struct {
	DB    *db.DB
	Now   clock.Now
	NewID id.Source
	Log   *slog.Logger
	Kinds map[string]Kind // the records whose readers are kept, by entity
	Keep  int             // rows in memory at most; 0 for a sensible default
}

// Kind is a kind of record: where it is kept, and the fault of one that is not there.
type Kind struct {
	Table   string
	Missing *fault.Fault
}

// NewReads makes a Reads with nothing in it.
func NewReads(o ReadsOptions) *Reads {
	if o.Keep == 0 {
		o.Keep = readsKept
	}
	return &Reads{ReadsOptions: o, wake: make(chan struct{}, 1)}
}

// read is one row.
type read struct {
	SchoolID, ID id.ID
	At           time.Time
	UserID       id.ID
	Role         actor.Role
	Entity       string
	RecordID     id.ID
	RequestID    string
	IP           string
}

// Saw keeps that who has seen the record. It touches the database only when too
// many rows are waiting, and fails only then.
func (r *Reads) Saw(ctx context.Context, who actor.Actor, entity string, record id.ID) error {
	row := read{SchoolID: who.School, ID: r.NewID(), At: r.Now(), UserID: who.User, Role: who.Role,
		Entity: entity, RecordID: record, RequestID: who.RequestID, IP: who.IP}
	if r.keep(row) {
		return nil
	}
	if err := r.write(ctx, []read{row}); err != nil {
		return fmt.Errorf("keep who saw a record: %w", err)
	}
	return nil
}

// keep holds a row in memory, if there is room.
func (r *Reads) keep(row read) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.pending) >= r.Keep {
		return false
	}
	r.pending = append(r.pending, row)
	if len(r.pending) >= readsBatch {
		select {
		case r.wake <- struct{}{}:
		default: // it is awake
		}
	}
	return true
}

// Run writes what was seen until ctx ends, and then what is left.
func (r *Reads) Run(ctx context.Context) error {
	tick := time.NewTicker(readsEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), readsEnd)
			defer cancel()
			return r.Flush(last)
		case <-tick.C:
		case <-r.wake:
		}
		if err := r.Flush(ctx); err != nil && ctx.Err() == nil {
			r.Log.ErrorContext(ctx, "who saw which record could not be written and waits in memory", "error", err)
		}
	}
}

// Flush writes everything that was seen before the call.
func (r *Reads) Flush(ctx context.Context) error {
	r.flushing.Lock() // what another call has taken is written when this one gets it
	defer r.flushing.Unlock()
	for {
		batch := r.take()
		if len(batch) == 0 {
			return nil
		}
		if err := r.write(ctx, batch); err != nil {
			r.giveBack(batch)
			return fmt.Errorf("keep who saw which record: %w", err)
		}
	}
}

func (r *Reads) take() []read {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := min(len(r.pending), readsBatch)
	batch := r.pending[:n:n]
	r.pending = r.pending[n:]
	return batch
}

func (r *Reads) giveBack(batch []read) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pending = append(batch, r.pending...)
}

const insertReads = `
	INSERT INTO reads (school_id, id, at, user_id, role, entity, record_id, request_id, ip)
	VALUES (:school_id, :id, :at, :user_id, :role, :entity, :record_id, :request_id, :ip)
	ON CONFLICT (school_id, id) DO NOTHING`

// write puts the rows of all schools down together. A row may come twice, when
// nobody could tell whether it arrived the first time.
func (r *Reads) write(ctx context.Context, rows []read) error {
	_, err := db.Insert(ctx, r.DB.Across(unscoped.Permit{}), insertReads, rows)
	if !db.IsReference(err) {
		return err
	}
	return r.writeApart(ctx, rows)
}

// writeApart writes the rows school by school: one of them is gone, and its rows
// with it.
func (r *Reads) writeApart(ctx context.Context, rows []read) error {
	of := map[id.ID][]read{}
	for _, row := range rows {
		of[row.SchoolID] = append(of[row.SchoolID], row)
	}
	for _, rows := range of {
		_, err := db.Insert(ctx, r.DB.Across(unscoped.Permit{}), insertReads, rows)
		if err != nil && !db.IsReference(err) {
			return err
		}
	}
	return nil
}
