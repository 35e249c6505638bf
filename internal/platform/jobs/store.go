package jobs

import (
	"context"
	"encoding/json"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// claimed is a leased row.
type claimed struct {
	SchoolID    id.ID
	ID          id.ID
	Kind        string
	Payload     db.JSON[json.RawMessage]
	Attempts    int
	MaxAttempts *int
}

const claimedColumns = `jobs.school_id, jobs.id, jobs.kind, jobs.payload, jobs.attempts, jobs.max_attempts`

// claim leases up to n due jobs of the kinds, oldest first.
func claim(ctx context.Context, tx *db.Tx, lease id.ID, kinds []string, now, until time.Time, n int) ([]claimed, error) {
	return db.All[claimed](ctx, tx, `
		WITH due AS MATERIALIZED (
			SELECT school_id, id FROM jobs
			WHERE state = 'waiting' AND run_at <= :now AND kind IN (:kinds)
			ORDER BY run_at, id LIMIT :n`+db.SkipLocked(tx)+`)
		UPDATE jobs SET state = 'running', attempts = attempts + 1, leased_by = :lease, lease_until = :until
		FROM due WHERE jobs.school_id = due.school_id AND jobs.id = due.id
		RETURNING `+claimedColumns,
		db.Args{"lease": lease, "kinds": kinds, "now": now, "until": until, "n": n})
}

// claimExpired takes over jobs whose leases have expired.
func claimExpired(ctx context.Context, tx *db.Tx, lease id.ID, kinds []string, now, until time.Time) ([]claimed, error) {
	return db.All[claimed](ctx, tx, `
		UPDATE jobs SET leased_by = :lease, lease_until = :until
		WHERE state = 'running' AND lease_until <= :now AND kind IN (:kinds)
		RETURNING `+claimedColumns,
		db.Args{"lease": lease, "kinds": kinds, "now": now, "until": until})
}

// renew extends a lease and returns the jobs that it still holds.
func renew(ctx context.Context, tx *db.Tx, lease id.ID, ids []id.ID, until time.Time) ([]id.ID, error) {
	return db.All[id.ID](ctx, tx, `
		UPDATE jobs SET lease_until = :until
		WHERE state = 'running' AND leased_by = :lease AND id IN (:ids)
		RETURNING id`,
		db.Args{"lease": lease, "ids": ids, "until": until})
}

func putDone(ctx context.Context, tx *db.Tx, lease id.ID, ids []id.ID, now time.Time) (int64, error) {
	return db.Exec(ctx, tx, `
		UPDATE jobs SET state = 'done', finished_at = :now, leased_by = NULL, lease_until = NULL
		WHERE state = 'running' AND leased_by = :lease AND id IN (:ids)`,
		db.Args{"lease": lease, "ids": ids, "now": now})
}

// putReleased releases jobs without counting an attempt.
func putReleased(ctx context.Context, tx *db.Tx, lease id.ID, ids []id.ID) (int64, error) {
	return db.Exec(ctx, tx, `
		UPDATE jobs SET state = 'waiting', attempts = attempts - 1, leased_by = NULL, lease_until = NULL
		WHERE state = 'running' AND leased_by = :lease AND id IN (:ids)`,
		db.Args{"lease": lease, "ids": ids})
}

func putRetry(ctx context.Context, tx *db.Tx, lease, job id.ID, at time.Time, cause string) (int64, error) {
	return db.Exec(ctx, tx, `
		UPDATE jobs SET state = 'waiting', run_at = :at, last_error = :cause, leased_by = NULL, lease_until = NULL
		WHERE state = 'running' AND leased_by = :lease AND id = :id`,
		db.Args{"lease": lease, "id": job, "at": at, "cause": cause})
}

// putDead runs in the job's school.
func putDead(ctx context.Context, tx *db.Tx, lease, job id.ID, now time.Time, cause string) (int64, error) {
	return db.Exec(ctx, tx, `
		UPDATE jobs SET state = 'dead', finished_at = :now, last_error = :cause, leased_by = NULL, lease_until = NULL
		WHERE school_id = :school AND state = 'running' AND leased_by = :lease AND id = :id`,
		db.Args{"lease": lease, "id": job, "now": now, "cause": cause})
}

// deleteFinished deletes up to n jobs of the state that ended before the limit. The
// state is a literal, so that the partial index applies. It is repeated for a job that is
// retried meanwhile.
func deleteFinished(ctx context.Context, q db.Q, s State, limit time.Time, n int) (int64, error) {
	return db.Exec(ctx, q, `
		DELETE FROM jobs WHERE state = '`+string(s)+`' AND (school_id, id) IN (
			SELECT school_id, id FROM jobs WHERE state = '`+string(s)+`' AND finished_at < :limit LIMIT :n)`,
		db.Args{"limit": limit, "n": n})
}
