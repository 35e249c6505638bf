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
	readsBatch = 500             // rows per batch
	readsKept  = 20 * readsBatch // maximum rows in memory
	readsEvery = time.Second
	readsEnd   = 10 * time.Second // timeout of the last batch
)

// Reads logs who has seen which record. A request adds a row in memory; Run writes them
// in batches, at most a second later. At shutdown the owner calls Flush last.
//
// No row is dropped. Rows that could not be written stay in memory for the next try. If
// the memory is full, a request writes its own row, and fails if it can't.
type Reads struct {
	ReadsOptions
	wake chan struct{} // a batch is full

	mu      sync.Mutex
	pending []read

	flushing sync.Mutex
}

// ReadsOptions are the dependencies and limits of a Reads.
type ReadsOptions struct {
	DB    *db.DB
	Now   clock.Now
	NewID id.Source
	Log   *slog.Logger
	Kinds map[string]Kind // the kinds of records whose readers are logged, by entity
	Keep  int             // maximum rows in memory; 0: readsKept
}

// Kind is a kind of record: its table, and the error if a record is missing.
type Kind struct {
	Table   string
	Missing *fault.Fault
}

// NewReads returns an empty Reads.
func NewReads(o ReadsOptions) *Reads {
	if o.Keep == 0 {
		o.Keep = readsKept
	}
	return &Reads{ReadsOptions: o, wake: make(chan struct{}, 1)}
}

// read is a row of the read log.
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

// Saw logs that who has seen the record. It writes to the database only if the memory
// is full, and can fail only then.
func (r *Reads) Saw(ctx context.Context, who actor.Actor, entity string, record id.ID) error {
	row := read{SchoolID: who.School, ID: r.NewID(), At: r.Now(), UserID: who.User, Role: who.Role,
		Entity: entity, RecordID: record, RequestID: who.RequestID, IP: who.IP}
	if r.keep(row) {
		return nil
	}
	if err := r.write(ctx, []read{row}); err != nil {
		return fmt.Errorf("write read log: %w", err)
	}
	return nil
}

// keep adds a row in memory; false if the memory is full.
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
		default: // already signaled
		}
	}
	return true
}

// Run writes rows until ctx ends, and then the rest.
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
			r.Log.ErrorContext(ctx, "can't write the read log; its rows stay in memory", "error", err)
		}
	}
}

// Flush writes all rows that were added before the call.
func (r *Reads) Flush(ctx context.Context) error {
	r.flushing.Lock() // waits for the rows that another call is writing
	defer r.flushing.Unlock()
	for {
		batch := r.take()
		if len(batch) == 0 {
			return nil
		}
		if err := r.write(ctx, batch); err != nil {
			r.putBack(batch)
			return fmt.Errorf("flush read log: %w", err)
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

func (r *Reads) putBack(batch []read) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.pending = append(batch, r.pending...)
}

const insertReads = `
	INSERT INTO reads (school_id, id, at, user_id, role, entity, record_id, request_id, ip)
	VALUES (:school_id, :id, :at, :user_id, :role, :entity, :record_id, :request_id, :ip)
	ON CONFLICT (school_id, record_id, at, id) DO NOTHING`

// write inserts the rows of all schools together. A row may be inserted again if the
// result of the first try is unknown.
func (r *Reads) write(ctx context.Context, rows []read) error {
	_, err := db.Insert(ctx, r.DB.Across(unscoped.Permit{}), insertReads, rows)
	if !db.IsReference(err) {
		return err
	}
	return r.writeBySchool(ctx, rows)
}

// writeBySchool writes the rows school by school, and drops those of a deleted school.
func (r *Reads) writeBySchool(ctx context.Context, rows []read) error {
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
