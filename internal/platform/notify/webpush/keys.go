package webpush

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// Sealer encrypts with a purpose, which is needed to decrypt. Reseal encrypts again with
// the newest key.
type Sealer interface {
	Seal(purpose string, plain []byte) (string, error)
	Open(purpose, sealed string) ([]byte, error)
	Reseal(purpose, sealed string) (fresh string, changed bool, err error)
}

const (
	purpose  = "webpush.key"
	keyCache = time.Minute // until every node uses a new key
)

// Keys keeps the key in the database, encrypted, so that all nodes have the same one.
type Keys struct {
	DB    *db.DB
	Home  id.ID // the school whose row it is: the platform's own
	Seal  Sealer
	Now   clock.Now
	NewID id.Source

	mu    sync.Mutex
	key   *Key
	until time.Time
}

// Get returns the key. It makes one if there is none.
func (k *Keys) Get(ctx context.Context) (*Key, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.key != nil && k.Now().Before(k.until) {
		return k.key, nil
	}
	key, err := k.read(ctx, k.DB.School(k.Home))
	if errors.Is(err, db.ErrNotFound) {
		err = k.DB.InSchool(ctx, k.Home, func(ctx context.Context, tx *db.Tx) error {
			if err := tx.Lock(ctx, "web push key"); err != nil {
				return fmt.Errorf("lock the Web Push key: %w", err)
			}
			if key, err = k.read(ctx, tx); !errors.Is(err, db.ErrNotFound) {
				return err // another node was first
			}
			key, err = k.put(ctx, tx)
			return err
		})
	}
	if err != nil {
		return nil, err
	}
	k.key, k.until = key, k.Now().Add(keyCache)
	return key, nil
}

// Rotate replaces the key in tx. The subscriptions of the old one stop working.
func (k *Keys) Rotate(ctx context.Context, tx *db.Tx) (*Key, error) {
	tx = tx.School(k.Home)
	if err := tx.Lock(ctx, "web push key"); err != nil {
		return nil, fmt.Errorf("lock the Web Push key: %w", err)
	}
	if _, err := db.Exec(ctx, tx, `DELETE FROM web_push_keys WHERE school_id = :school`, nil); err != nil {
		return nil, fmt.Errorf("delete the Web Push key: %w", err)
	}
	return k.put(ctx, tx)
}

type keyRow struct {
	ID         id.ID
	PrivateKey string
}

// read returns the stored key, and encrypts it again if the service has a newer signing key.
func (k *Keys) read(ctx context.Context, q db.Q) (*Key, error) {
	row, err := db.One[keyRow](ctx, q, `SELECT id, private_key FROM web_push_keys WHERE school_id = :school`, nil)
	if err != nil {
		return nil, fmt.Errorf("read the Web Push key: %w", err)
	}
	raw, err := k.Seal.Open(purpose, row.PrivateKey)
	if err != nil {
		return nil, fmt.Errorf("decrypt the Web Push key: %w", err)
	}
	fresh, changed, err := k.Seal.Reseal(purpose, row.PrivateKey)
	if err == nil && changed {
		_, err = db.Exec(ctx, q, `UPDATE web_push_keys SET private_key = :fresh
			WHERE school_id = :school AND id = :id AND private_key = :old`, db.Args{"id": row.ID, "fresh": fresh, "old": row.PrivateKey})
	}
	if err != nil {
		return nil, fmt.Errorf("encrypt the Web Push key again: %w", err)
	}
	return parseKey(raw)
}

func (k *Keys) put(ctx context.Context, tx *db.Tx) (*Key, error) {
	key, err := NewKey()
	if err != nil {
		return nil, err
	}
	raw, err := key.private.Bytes()
	if err != nil {
		return nil, fmt.Errorf("encode the Web Push key: %w", err)
	}
	sealed, err := k.Seal.Seal(purpose, raw)
	if err != nil {
		return nil, fmt.Errorf("encrypt the Web Push key: %w", err)
	}
	_, err = db.Exec(ctx, tx, `INSERT INTO web_push_keys (school_id, id, private_key, created_at) VALUES (:school, :id, :sealed, :now)`,
		db.Args{"id": k.NewID(), "sealed": sealed, "now": k.Now()})
	if err != nil {
		return nil, fmt.Errorf("write the Web Push key: %w", err)
	}
	return key, nil
}
