package oneroster

import (
	"context"
	"fmt"
	"strings"
	"time"

	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/text"
	"homeroom/internal/platform/token"
	"homeroom/internal/platform/web"
)

// mostKeys is how many keys a school can have.
const mostKeys = 20

// KeyAdded is the type of the notices that a system was given a key. Only administrators
// get them.
const KeyAdded notification.Type = "ONEROSTER"

var (
	errNoKey    = fault.Missing("OneRoster key")
	errManyKeys = fault.New(fault.Conflict, "", "A school can have 20 OneRoster keys. Delete one that is no longer used.")
)

// works is the condition under which the key k of the account u works: its school and its
// creator are active, and the creator's role may read all modules of the rosters.
var works = fmt.Sprintf(`u.status = 'ACTIVE' AND u.role = 'SCHOOL_ADMIN'
	AND EXISTS (SELECT 1 FROM schools c WHERE c.id = k.school_id AND c.status = 'ACTIVE')
	AND (SELECT COUNT(*) FROM role_permissions p JOIN modules m ON m.id = p.module_id AND m.name IN ('%s')
		WHERE p.school_id = u.school_id AND p.role_id = u.role_id AND p.can_read) = %d`, strings.Join(modules, `', '`), len(modules))

// keys are the keys k with their creators u.
const keys = `oneroster_keys k JOIN users u ON u.school_id = k.school_id AND u.id = k.user_id WHERE k.school_id = :school`

// Key lets another system read the rosters of the school.
type Key struct {
	ID          id.ID       `json:"id"`
	Name        string      `json:"name" example:"Moodle"`
	ClientID    string      `json:"clientId" db:"-"`
	CreatorID   id.ID       `json:"creatorId" doc:"The key has the rights of this account."`
	CreatorName string      `json:"creatorName"`
	Status      string      `json:"status" enum:"ACTIVE,STOPPED" doc:"STOPPED: its creator may no longer read all of this."`
	LastUsedOn  *clock.Date `json:"lastUsedOn" doc:"The last day on which it got a token."`
	CreatedAt   time.Time   `json:"createdAt"`
}

var keyColumns = `k.id, k.name, k.user_id AS creator_id, u.name AS creator_name, k.last_used_on, k.created_at,
	CASE WHEN ` + works + ` THEN 'ACTIVE' ELSE 'STOPPED' END AS status`

type keysOut struct {
	Keys []Key `json:"keys" doc:"At most 20."`
}

func (s *Service) listKeys(ctx context.Context, who actor.Actor, _ web.None) (out keysOut, err error) {
	out.Keys, err = db.All[Key](ctx, s.DB.School(who.School), `SELECT `+keyColumns+` FROM `+keys+` ORDER BY k.name, k.id`, nil)
	for i, k := range out.Keys {
		out.Keys[i].ClientID = clientID(who.School, k.ID)
	}
	return out, fault.Wrap("list keys", err)
}

type newKeyIn struct {
	Name string `json:"name" required:"true" maxLength:"100" pattern:"\\S" patternHint:"must not be blank" example:"Moodle" doc:"The system that uses it."`
}

type newKeyOut struct {
	Key
	ClientSecret string `json:"clientSecret" doc:"It is not shown again."`
	TokenURL     string `json:"tokenUrl" format:"uri"`
	BaseURL      string `json:"baseUrl" format:"uri"`
}

// loggedKey is what the audit log has of a key.
type loggedKey struct {
	Name   string `json:"name"`
	UserID id.ID  `json:"userId"`
}

// createKey needs the rights that the key has: nobody gives what they don't have.
func (s *Service) createKey(ctx context.Context, who actor.Actor, in newKeyIn) (out newKeyOut, err error) {
	if !mayRead(who.Grants) {
		return out, errMayNot
	}
	if out.ClientSecret, err = token.Opaque(s.Rand); err != nil {
		return out, err
	}
	key, name := s.NewID(), strings.TrimSpace(in.Name)
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := lockKeys(ctx, tx); err != nil {
			return err
		}
		switch n, err := db.One[int](ctx, tx, `SELECT COUNT(*) FROM oneroster_keys WHERE school_id = :school`, nil); {
		case err != nil:
			return fault.Wrap("count keys", err)
		case n >= mostKeys:
			return errManyKeys
		}
		_, err := db.Exec(ctx, tx, `
			INSERT INTO oneroster_keys (school_id, id, user_id, name, hash, created_at) VALUES (:school, :id, :user, :name, :hash, :now)`,
			db.Args{"id": key, "user": who.User, "name": name, "hash": token.Digest(out.ClientSecret), "now": s.Now()})
		if err != nil {
			return fault.Wrap("write key", err)
		}
		n := notification.Notice{Type: KeyAdded, Record: key, Title: text.T("oneroster.added.title"),
			Body: text.T("oneroster.added.body", "name", name)}
		if err := s.Notify.Office(ctx, tx, who, "setting.write", n); err != nil {
			return err
		}
		if out.Key, err = getKey(ctx, tx, key); err != nil {
			return err
		}
		return s.Audit.Record(ctx, tx, who, "oneroster-key.create", "oneroster-key", key, nil, loggedKey{name, who.User})
	})
	out.ClientID, out.TokenURL, out.BaseURL = clientID(who.School, key), s.PublicURL+"/ims/oneroster/token", s.base()
	return out, err
}

// lockKeys lets the changes of a school's keys follow one another.
func lockKeys(ctx context.Context, tx *db.Tx) error {
	return fault.Wrap("lock keys", tx.Lock(ctx, "oneroster-keys"))
}

func getKey(ctx context.Context, q db.Q, key id.ID) (Key, error) {
	k, err := db.One[Key](ctx, q, `SELECT `+keyColumns+` FROM `+keys+` AND k.id = :id`, db.Args{"id": key})
	return k, db.Found("read key", err, errNoKey)
}

type keyIn struct {
	ID id.ID `path:"id"`
}

type renameKeyIn struct {
	ID id.ID `path:"id"`
	newKeyIn
}

func (s *Service) renameKey(ctx context.Context, who actor.Actor, in renameKeyIn) (out Key, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := lockKeys(ctx, tx); err != nil {
			return err
		}
		old, err := getKey(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		_, err = db.Exec(ctx, tx, `UPDATE oneroster_keys SET name = :name WHERE school_id = :school AND id = :id`,
			db.Args{"id": in.ID, "name": strings.TrimSpace(in.Name)})
		if err != nil {
			return fault.Wrap("rename key", err)
		}
		if out, err = getKey(ctx, tx, in.ID); err != nil {
			return err
		}
		out.ClientID = clientID(who.School, in.ID)
		return s.Audit.Record(ctx, tx, who, "oneroster-key.update", "oneroster-key", in.ID, loggedKey{old.Name, old.CreatorID},
			loggedKey{out.Name, out.CreatorID})
	})
	return out, err
}

func (s *Service) deleteKey(ctx context.Context, who actor.Actor, in keyIn) (web.None, error) {
	return web.None{}, s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		gone, err := db.One[loggedKey](ctx, tx, `DELETE FROM oneroster_keys WHERE school_id = :school AND id = :id RETURNING name, user_id`,
			db.Args{"id": in.ID})
		if err != nil {
			return db.Found("delete key", err, errNoKey)
		}
		return s.Audit.Record(ctx, tx, who, "oneroster-key.delete", "oneroster-key", in.ID, gone, nil)
	})
}
