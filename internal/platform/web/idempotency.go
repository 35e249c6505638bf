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

// keepAnswers is how long a repeated call gets the first one's answer.
const keepAnswers = 24 * time.Hour

var (
	errKeyForm    = fault.OnField("Idempotency-Key", "must be 1 to 255 printable characters")
	errKeyReused  = fault.New(fault.Invalid, "", "This Idempotency-Key was used for another request. Use a new key for a new request.")
	errKeyRunning = fault.New(fault.Conflict, "", "The first request with this Idempotency-Key is still running. Ask again in a moment.").After(time.Second)
)

// call is one keyed request.
type call struct {
	who  actor.Actor
	key  string
	hash string
}

// repeatable holds for what may carry a key. Signing in may not: its answer, with
// the tokens, would be kept in clear, and a wrong try undone with the failed call.
func (r *Route) repeatable() bool {
	return (r.Method == http.MethodPost || r.Method == http.MethodPut) && r.changes() && !r.SignIn
}

// hash tells one request from another: method, path, query, body and If-Match.
func (s source) hash() string {
	h := sha256.New()
	h.Write([]byte(s.req.Method + " " + s.req.URL.RequestURI() + "\n"))
	h.Write(s.body)
	h.Write([]byte(strings.Join(s.req.Header.Values("If-Match"), ",")))
	return hex.EncodeToString(h.Sum(nil))
}

// once does the work of a keyed call at most one time. What the handler writes and
// its answer are written in one transaction, so that no crash can part them: the
// handler's own transactions join the one opened here.
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
	if a, err := s.kept(ctx, c); !errors.Is(err, db.ErrNotFound) {
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
	if db.IsDuplicate(err, "idempotency_keys_key") { // another node was first
		a, err = s.kept(ctx, c)
		return s.replay(w, a, err)
	}
	return a, err
}

func (s *Server) replay(w http.ResponseWriter, a answer, err error) (answer, error) {
	if err == nil {
		w.Header().Set("Idempotency-Replayed", "true")
	}
	return a, err
}

// kept returns the answer that was given to this call before.
func (s *Server) kept(ctx context.Context, c call) (answer, error) {
	row, err := db.One[struct {
		Hash   string
		Status int
		Body   string
	}](ctx, s.DB.School(c.who.School), `SELECT hash, status, body FROM idempotency_keys
		WHERE school_id = :school AND user_id = :user AND key = :key AND created_at > :since`,
		db.Args{"user": c.who.User, "key": c.key, "since": s.Now().Add(-keepAnswers)})
	if err == nil && row.Hash != c.hash {
		return answer{}, errKeyReused
	}
	return answer{status: row.Status, body: []byte(row.Body), etag: keptTag(row.Body)}, err
}

func (s *Server) openKey(ctx context.Context, tx *db.Tx, c call) (id.ID, error) {
	args := db.Args{"user": c.who.User, "key": c.key, "since": s.Now().Add(-keepAnswers)}
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

// running is the set of keyed calls under way on this node.
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

// ForgetAnswers drops the answers that name one of the records: they are not
// given again.
func ForgetAnswers(ctx context.Context, tx *db.Tx, records []id.ID) error {
	for _, record := range records {
		_, err := db.Exec(ctx, tx, `DELETE FROM idempotency_keys WHERE school_id = :school AND body LIKE :about`,
			db.Args{"about": db.Contains(string(record))})
		if err != nil {
			return fmt.Errorf("forget answers: %w", err)
		}
	}
	return nil
}
