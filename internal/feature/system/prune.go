package system

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/jobs"
)

func decode(j jobs.Job) (a makeBackup, err error) {
	if err = json.Unmarshal(j.Payload, &a); err != nil {
		err = fmt.Errorf("read the payload of a %s job: %w", j.Kind, err)
	}
	return a, err
}

// old is a backup that need not be kept.
type old struct {
	Backup
	Lost bool // its node is not known any more
}

// prune deletes all backups but the newest. Failed ones don't count: a series of failures
// must not delete the last good backup. One that failed after it was written keeps its file
// as long as it is among the newest of all. Files of other nodes are left to them.
func (s *Service) prune(ctx context.Context) error {
	if s.Keep <= 0 {
		return nil
	}
	list, err := db.All[old](ctx, s.across(), `
		SELECT b.id, b.state, b.node, b.created_at, NOT EXISTS (SELECT 1 FROM nodes n WHERE n.name = b.node) AS lost
		FROM backups b WHERE b.state <> 'RUNNING' AND :keep <= (SELECT COUNT(*) FROM backups newer
			WHERE (newer.created_at, newer.id) > (b.created_at, b.id) AND (newer.state = 'DONE' OR b.state = 'FAILED'))`,
		db.Args{"keep": s.Keep})
	if err != nil {
		return fmt.Errorf("list old backups: %w", err)
	}
	for _, b := range list {
		err := os.Remove(s.path(b.Backup))
		switch {
		case errors.Is(err, fs.ErrNotExist) && b.Node != s.Name && !b.Lost:
			continue
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("delete the file of an old backup: %w", err)
		}
		_, err = db.Exec(ctx, s.across(), `DELETE FROM backups WHERE id = :id AND state = :state`, db.Args{"id": b.ID, "state": b.State})
		if err != nil {
			return fmt.Errorf("delete an old backup: %w", err)
		}
	}
	return nil
}

// pruneEvery is how often each node looks for its own old backups.
const pruneEvery = time.Hour
