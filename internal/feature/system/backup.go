package system

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

const (
	backupTime     = 6 * time.Hour
	backupAttempts = 2 // the second is for a node that died; a backup that fails is not repeated
)

// State is the state of a backup.
type State string

// The states.
const (
	Running State = "RUNNING"
	Done    State = "DONE"
	Failed  State = "FAILED"
)

// Failure is why a backup failed. The log of its node has the error itself, which may
// contain paths and addresses.
type Failure string

// The failures.
const (
	NoProgram   Failure = "NO_PG_DUMP"
	NoSpace     Failure = "NO_SPACE"
	NotWritable Failure = "NOT_WRITABLE"
	Damaged     Failure = "NOT_RESTORABLE"
	Interrupted Failure = "INTERRUPTED"
	Other       Failure = "OTHER"
)

// ErrUnchecked means that this node can't restore a backup for a test.
var ErrUnchecked = errors.New("the backup can't be restored for a test here")

// ErrNoProgram means that the node has no program for a backup of its database.
var ErrNoProgram = errors.New("the program for backups is not installed")

// Faults of this file.
var (
	ErrNoBackup = fault.New(fault.NotFound, "", "There is no such backup.")
	errRunning  = fault.New(fault.Conflict, "", "A backup is already being made. Wait until it is done.")
)

// Backup is a copy of the database, the keys and the uploaded files.
type Backup struct {
	ID         id.ID      `json:"id"`
	State      State      `json:"state" enum:"RUNNING,DONE,FAILED"`
	Failure    *Failure   `json:"failure" enum:"NO_PG_DUMP,NO_SPACE,NOT_WRITABLE,NOT_RESTORABLE,INTERRUPTED,OTHER" doc:"Why it failed. For OTHER, see the log of its node."`
	Engine     string     `json:"engine" enum:"sqlite,postgres"`
	Node       string     `json:"node" doc:"The node that has the file, unless all nodes share a directory."`
	Size       *int64     `json:"size" doc:"Bytes; null unless DONE."`
	UserID     *id.ID     `json:"createdBy" doc:"Null if it was made on schedule."`
	UserName   *string    `json:"createdByName" doc:"Null if it was made on schedule, or the account is gone."`
	CreatedAt  time.Time  `json:"createdAt"`
	FinishedAt *time.Time `json:"finishedAt"`
	CheckedAt  *time.Time `json:"checkedAt" doc:"When it was restored to a temporary database, which had the same rows. Null: not yet, or the node can't."`
	Here       bool       `json:"downloadable" db:"-" doc:"This node has the file."`
}

// file is the name of the backup's file. The random end of the id tells apart backups of
// the same second.
func (b Backup) file() string {
	return "homeroom-" + b.CreatedAt.UTC().Format("20060102-150405") + "-" + b.ID.String()[28:] + ".tar.gz"
}

func (s *Service) path(b Backup) string { return filepath.Join(s.Dir, b.file()) }

func (s *Service) shown(b Backup) Backup {
	if b.State == Done {
		_, err := os.Stat(s.path(b))
		b.Here = err == nil
	}
	return b
}

const (
	backupColumns = `b.id, b.state, b.failure, b.engine, b.node, b.size, b.user_id, u.name AS user_name, b.created_at, b.finished_at,
		b.checked_at`
	backupFrom = `backups b LEFT JOIN users u ON u.id = b.user_id AND u.school_id = (SELECT id FROM schools WHERE is_platform)`
)

func (s *Service) list(ctx context.Context, _ actor.Actor, in page.Ask[struct{}]) (page.Of[Backup], error) {
	p, err := db.Page[Backup](ctx, s.across(), db.List{
		Columns: backupColumns, From: backupFrom + ` WHERE TRUE`,
		Sorts:   map[string]string{"createdAt": "b.created_at", "id": "b.id"},
		Default: "-createdAt",
	}, in.Request, nil)
	for i := range p.Items {
		p.Items[i] = s.shown(p.Items[i])
	}
	return p, err
}

func (s *Service) get(ctx context.Context, q db.Q, backup id.ID) (Backup, error) {
	b, err := db.One[Backup](ctx, q, `SELECT `+backupColumns+` FROM `+backupFrom+` WHERE b.id = :id`, db.Args{"id": backup})
	return s.shown(b), db.Found("read backup", err, ErrNoBackup)
}

// newest returns the newest backup that succeeded, or nil.
func (s *Service) newest(ctx context.Context) (*Backup, error) {
	list, err := db.All[Backup](ctx, s.across(), `
		SELECT `+backupColumns+` FROM `+backupFrom+` WHERE b.state = 'DONE' ORDER BY b.created_at DESC, b.id DESC LIMIT 1`, nil)
	if err != nil || len(list) == 0 {
		return nil, fault.Wrap("read the newest backup", err)
	}
	b := s.shown(list[0])
	return &b, nil
}

// makeBackup is the job that makes a backup.
type makeBackup struct {
	Backup id.ID `json:"backup"`
}

// Kind names the job.
func (makeBackup) Kind() string { return "system.backup" }

// create queues a backup for a super-administrator.
func (s *Service) create(ctx context.Context, who actor.Actor, _ web.None) (b Backup, err error) {
	err = s.DB.InAll(ctx, unscoped.Permit{}, func(ctx context.Context, all *db.Tx) error {
		backup, err := s.queue(ctx, all, who.School, &who.User)
		if err != nil {
			return err
		}
		err = s.Audit.Record(ctx, all.School(who.School), who, "backup.create", "backup", backup, nil, map[string]any{"engine": s.DB.Engine()})
		if err != nil {
			return err
		}
		b, err = s.get(ctx, all, backup)
		return err
	})
	return b, err
}

// queue queues a backup. The unique index on RUNNING allows one at a time.
func (s *Service) queue(ctx context.Context, all *db.Tx, platform id.ID, user *id.ID) (id.ID, error) {
	backup, now := s.NewID(), s.Now()
	_, err := db.Exec(ctx, all, `
		INSERT INTO backups (id, state, engine, node, user_id, created_at) VALUES (:id, 'RUNNING', :engine, :node, :user, :now)`,
		db.Args{"id": backup, "engine": s.DB.Engine(), "node": s.Name, "user": user, "now": now})
	switch {
	case db.IsDuplicate(err, "backups_running"):
		return "", errRunning.Because(err)
	case err != nil:
		return "", fmt.Errorf("create backup: %w", err)
	}
	return backup, jobs.Enqueue(ctx, all.School(platform), now, makeBackup{backup})
}

// reason is the error of a failed backup, without what its cause may reveal.
type reason struct{ Failure }

func (r reason) Error() string { return "the backup failed: " + string(r.Failure) }

// make makes a backup on this node. If the node dies, it runs again elsewhere.
func (s *Service) make(ctx context.Context, _ id.ID, j makeBackup) error {
	list, err := db.All[Backup](ctx, s.across(), `
		UPDATE backups SET state = 'RUNNING', node = :node, failure = NULL, finished_at = NULL
		WHERE id = :id AND state <> 'DONE' RETURNING id, created_at`, db.Args{"id": j.Backup, "node": s.Name})
	switch {
	case db.IsDuplicate(err, "backups_running"): // a failed one was retried while another runs
		return jobs.Permanent(errRunning)
	case err != nil:
		return fmt.Errorf("begin backup: %w", err)
	case len(list) == 0: // done, or deleted
		return nil
	}
	file := s.path(list[0])
	size, err := s.write(ctx, file)
	if err != nil {
		return s.gaveUp(ctx, j.Backup, err)
	}
	checked, err := s.check(ctx, file)
	if err != nil {
		return err
	}
	if err := s.Copy(ctx, file); err != nil {
		return s.gaveUp(ctx, j.Backup, err)
	}
	_, err = db.Exec(ctx, s.across(), `
		UPDATE backups SET state = 'DONE', size = :size, finished_at = :now, checked_at = :checked WHERE id = :id`,
		db.Args{"id": j.Backup, "size": size, "now": s.Now(), "checked": checked})
	if err != nil {
		return fmt.Errorf("end backup: %w", err)
	}
	if err := s.prune(ctx); err != nil {
		s.Log.ErrorContext(ctx, "old backups are not deleted", "error", err)
	}
	return nil
}

// gaveUp logs why a backup failed and returns the error of its job.
func (s *Service) gaveUp(ctx context.Context, backup id.ID, err error) error {
	if ctx.Err() != nil { // stopping
		return err
	}
	s.Log.ErrorContext(ctx, "a backup failed", "backup", backup, "error", err)
	return jobs.Permanent(reason{failureOf(err)})
}

// write writes the file. It exists only if it is complete: then an earlier attempt wrote
// it, or it is the backup that this database was restored from.
func (s *Service) write(ctx context.Context, file string) (int64, error) {
	if info, err := os.Stat(file); err == nil {
		return info.Size(), nil
	}
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return 0, err
	}
	return s.Write(ctx, file)
}

func failureOf(err error) Failure {
	switch {
	case errors.Is(err, ErrNoProgram):
		return NoProgram
	case errors.Is(err, syscall.ENOSPC), strings.Contains(err.Error(), "disk is full"): // SQLite's words
		return NoSpace
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.EROFS):
		return NotWritable
	}
	return Other
}

// failed marks the backup of a dead job.
func (s *Service) failed(ctx context.Context, tx *db.Tx, j jobs.Job, cause error) error {
	a, err := decode(j)
	if err != nil {
		return err
	}
	why := Interrupted
	switch r, ok := errors.AsType[reason](cause); {
	case errors.Is(cause, errRunning):
		return nil
	case ok:
		why = r.Failure
	}
	_, err = db.Exec(ctx, tx.Across(unscoped.Permit{}), `
		UPDATE backups SET state = 'FAILED', failure = :why, finished_at = :now WHERE id = :id AND state = 'RUNNING'`,
		db.Args{"id": a.Backup, "why": why, "now": s.Now()})
	return fault.Wrap("mark a backup as failed", err)
}
