package web

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// keyLifetime is how long responses to requests with an Idempotency-Key are stored.
const keyLifetime = 24 * time.Hour

var (
	errKeyForm   = fault.OnField("Idempotency-Key", "must be 1 to 255 printable characters")
	errKeyReused = fault.New(fault.Invalid, "",
		"What was sent first with this Idempotency-Key is saved, and this differs. Look at it before you send this too, with a new key.")
	errKeyRunning = fault.New(fault.Conflict, "",
		"The first request with this Idempotency-Key is still running. Try again in a moment.").After(time.Second)
	errRepeat = errUnavailable.Saying("The connection to the database was lost while this was saved. " +
		"Send it again with the same Idempotency-Key.")
)

// call is a request with an Idempotency-Key.
type call struct {
	who  actor.Actor
	key  string
	hash string
}

// repeatable reports whether the route supports Idempotency-Key. Sign-in does not:
// its tokens would be stored in plain text, as would other secrets, and the count of
// failed attempts would be rolled back with the failed call.
func (r *Route) repeatable() bool {
	return (r.Method == http.MethodPost || r.Method == http.MethodPut) && r.changes() && !r.SignIn && !r.secret
}

// ReadsKey passes the Idempotency-Key to a handler that gives its answer again by itself,
// because the answer has secrets, which are not stored.
func ReadsKey[In any](key func(*In) *string) Option {
	return func(r *Route) {
		mustBe[In](r, r.In, "ReadsKey")
		r.key = func(in any) *string { return key(in.(*In)) }
	}
}

func (k *work) fillKey(in any) error {
	if k.rt.key == nil {
		return nil
	}
	key := k.src.req.Header.Get("Idempotency-Key")
	if !goodKey(key) {
		return errKeyForm
	}
	*k.rt.key(in) = key
	return nil
}

// hash identifies a request by method, path, query, body and If-Match.
func (s source) hash() string {
	h := sha256.New()
	h.Write([]byte(s.req.Method + " " + s.req.URL.RequestURI() + "\n"))
	h.Write(s.body)
	h.Write([]byte(strings.Join(s.req.Header.Values("If-Match"), ",")))
	return hex.EncodeToString(h.Sum(nil))
}

// once runs a call with an Idempotency-Key at most once. The handler's writes and
// the stored response are committed in one transaction: the handler's own
// transactions join the one opened here.
func (s *Server) once(w http.ResponseWriter, r *http.Request, c call, k *work) (answer, error) {
	if !goodKey(c.key) {
		return answer{}, errKeyForm
	}
	lock := string(c.who.User) + " " + c.key
	if !s.running.enter(lock) {
		return answer{}, errKeyRunning
	}
	defer s.running.leave(lock)
	ctx := r.Context()
	if a, err := s.stored(ctx, c); !errors.Is(err, db.ErrNotFound) {
		return s.replay(w, a, err)
	}
	a, err := k.do(ctx, func(ctx context.Context, in any) (a answer, err error) {
		err = s.DB.InSchool(ctx, c.who.School, func(ctx context.Context, tx *db.Tx) error {
			row, err := s.openKey(ctx, tx, c)
			if err != nil {
				return err
			}
			if a, err = k.run(tx.Share(ctx), in); err != nil {
				return err
			}
			_, err = db.Exec(ctx, tx, `UPDATE idempotency_keys SET status = :status, body = :body
				WHERE school_id = :school AND id = :id`, db.Args{"id": row, "status": a.status, "body": string(a.body)})
			return err
		})
		return a, err
	})
	switch {
	case db.IsDuplicate(err, "idempotency_keys_key"): // another node was first
		a, err = s.stored(ctx, c)
		return s.replay(w, a, err)
	case errors.Is(err, db.ErrUnknown):
		return s.resolve(ctx, c, err)
	}
	return a, err
}

// resolve finds out whether a call was committed whose COMMIT got no answer: its key is
// there or not. If it is not, or can't be read, the commit may still be under way. The
// client is told to repeat the call, which then waits for it or finds its key.
func (s *Server) resolve(ctx context.Context, c call, lost error) (answer, error) {
	a, err := s.stored(ctx, c)
	if err != nil {
		return answer{}, errRepeat.Because(lost)
	}
	return a, nil
}

func (s *Server) replay(w http.ResponseWriter, a answer, err error) (answer, error) {
	if err == nil {
		w.Header().Set("Idempotency-Replayed", "true")
	}
	return a, err
}

// stored returns the stored response of an earlier call with the same key.
func (s *Server) stored(ctx context.Context, c call) (answer, error) {
	row, err := db.One[struct {
		Hash   string
		Status int
		Body   string
	}](ctx, s.DB.School(c.who.School), `SELECT hash, status, body FROM idempotency_keys
		WHERE school_id = :school AND user_id = :user AND key = :key AND created_at > :since`,
		db.Args{"user": c.who.User, "key": c.key, "since": s.Now().Add(-keyLifetime)})
	if err == nil && row.Hash != c.hash {
		return answer{}, errKeyReused
	}
	return answer{status: row.Status, body: []byte(row.Body), etag: storedTag(row.Body)}, err
}

func (s *Server) openKey(ctx context.Context, tx *db.Tx, c call) (id.ID, error) {
	args := db.Args{"user": c.who.User, "key": c.key, "since": s.Now().Add(-keyLifetime)}
	if _, err := db.Exec(ctx, tx, `DELETE FROM idempotency_keys
		WHERE school_id = :school AND user_id = :user AND key = :key AND created_at <= :since`, args); err != nil {
		return "", err
	}
	row := s.NewID()
	_, err := db.Exec(ctx, tx, `INSERT INTO idempotency_keys (school_id, id, user_id, key, hash, status, body, created_at)
		VALUES (:school, :id, :user, :key, :hash, 0, '', :now)`,
		db.Args{"id": row, "user": c.who.User, "key": c.key, "hash": c.hash, "now": s.Now()})
	return row, err
}

func goodKey(key string) bool {
	for _, c := range []byte(key) {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return len(key) <= 255
}

// running is the set of calls with an Idempotency-Key in progress on this node.
type running struct {
	mu  sync.Mutex
	set map[string]bool
}

func (r *running) enter(key string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.set[key] {
		return false
	}
	if r.set == nil {
		r.set = map[string]bool{}
	}
	r.set[key] = true
	return true
}

func (r *running) leave(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.set, key)
}

// ForgetAnswers deletes the stored responses that contain the id of one of the
// records, for erasure.
func ForgetAnswers(ctx context.Context, tx *db.Tx, records []id.ID) error {
	for _, record := range records {
		_, err := db.Exec(ctx, tx, `DELETE FROM idempotency_keys WHERE school_id = :school AND body LIKE :about`,
			db.Args{"about": db.Contains(string(record))})
		if err != nil {
			return fmt.Errorf("delete stored responses: %w", err)
		}
	}
	return nil
}
