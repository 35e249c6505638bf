package jobs

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// Forget deletes jobs of the schools whose payload, key or last error contains one of
// the words: the id, phone or e-mail of an erased person.
func Forget(ctx context.Context, tx *db.Tx, schools []id.ID, words []string) error {
	a, says := db.Args{"schools": schools}, make([]string, len(words))
	for i, w := range words {
		name := fmt.Sprint("word", i)
		a[name], says[i] = db.Contains(strings.ToLower(w)), `j.text LIKE :`+name+` ESCAPE '\'`
	}
	if len(words) == 0 {
		return nil
	}
	_, err := db.Exec(ctx, tx.Across(unscoped.Permit{}), `
		DELETE FROM jobs WHERE (school_id, id) IN (SELECT j.school_id, j.id FROM (
			SELECT school_id, id, lower(CAST(payload AS TEXT) || ' ' || COALESCE(unique_key, '') || ' ' || COALESCE(last_error, '')) AS text
			FROM jobs WHERE school_id IN (:schools)) j WHERE `+strings.Join(says, ` OR `)+`)`, a)
	if err != nil {
		return fmt.Errorf("forget jobs: %w", err)
	}
	return nil
}

// ForgetKind deletes jobs of one kind in tx's school whose arguments match. It keeps
// jobs done without an error, which hold no data.
func ForgetKind[A Args](ctx context.Context, tx *db.Tx, match func(A) bool) error {
	found, err := matching(ctx, tx, match)
	if err == nil && len(found) > 0 {
		_, err = db.Exec(ctx, tx, `DELETE FROM jobs WHERE school_id = :school AND id IN (:ids)`, db.Args{"ids": found})
	}
	return fault.Wrap("forget jobs", err)
}

// Withdraw deletes the waiting jobs of one kind in tx's school whose arguments match, and those
// whose worker is gone. It reports whether others are running.
func Withdraw[A Args](ctx context.Context, tx *db.Tx, now time.Time, match func(A) bool) (running bool, err error) {
	found, err := matching(ctx, tx, match)
	if err == nil && len(found) > 0 {
		_, err = db.Exec(ctx, tx, `DELETE FROM jobs WHERE school_id = :school AND id IN (:ids)
			AND (state = 'waiting' OR state = 'running' AND lease_until <= :now)`, db.Args{"ids": found, "now": now})
	}
	if err != nil || len(found) == 0 {
		return false, fault.Wrap("withdraw jobs", err)
	}
	n, err := db.One[int](ctx, tx, `SELECT COUNT(*) FROM jobs WHERE school_id = :school AND id IN (:ids) AND state = 'running'`,
		db.Args{"ids": found})
	return n > 0, fault.Wrap("read running jobs", err)
}

// matching finds jobs of one kind whose arguments match, without those done without an error.
func matching[A Args](ctx context.Context, tx *db.Tx, match func(A) bool) (found []id.ID, err error) {
	type job struct {
		ID      id.ID
		Payload db.JSON[json.RawMessage]
	}
	var zero A
	err = db.Each(ctx, tx, `
		SELECT id, payload FROM jobs WHERE school_id = :school AND kind = :kind AND (state <> 'done' OR last_error IS NOT NULL)`,
		db.Args{"kind": zero.Kind()}, func(j job) error {
			var a A
			if err := json.Unmarshal(j.Payload.V, &a); err == nil && match(a) { // invalid JSON names nobody
				found = append(found, j.ID)
			}
			return nil
		})
	return found, err
}
