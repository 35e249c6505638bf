package app

import (
	"cmp"
	"context"
	"io"
	"os"
	"path/filepath"
	"time"

	"homeroom/internal/feature/system"
	"homeroom/internal/platform/console"
	"homeroom/internal/platform/jobs"
)

// newSystem creates the service of nodes and backups. It asks for sockets and jobs, which
// are created later, only when it runs.
func (a *App) newSystem(s services) *system.Service {
	b := readBuild()
	return system.New(system.Options{
		DB: a.DB, Audit: s.audit, Now: a.Now, NewID: a.NewID, Log: a.Log, Keys: a.Keys,
		Queue: func() *jobs.Queue { return a.Queue },
		Name:  a.cfg.nodeName(), Build: system.Build{Version: b.Version, Commit: b.Commit, Go: b.Go},
		Load: a.load, Counts: a.metrics.Counts, Reader: s.identity.Holder,
		Write: a.writeBackup, Verify: a.verifyBackup, Copy: a.cfg.upload,
		Every: a.cfg.BackupEvery, Dir: a.cfg.backupDir(), Keep: a.cfg.BackupKeep,
	})
}

func (c Config) nodeName() string {
	host, _ := os.Hostname() // without one: "node"
	return cmp.Or(c.NodeName, host, "node")
}

func (c Config) backupDir() string { return cmp.Or(c.BackupDir, c.file(backupsDir)) }

// load counts the sockets and database connections of this node.
func (a *App) load() system.Load {
	l := system.Load{Sockets: a.sockets.Stats().Sockets}
	for _, u := range a.DB.Usage() {
		l.Conns, l.MaxConns = l.Conns+u.InUse, l.MaxConns+u.Max
	}
	return l
}

// abandoned is the age after which a backup's working directory belongs to a dead process.
const abandoned = 24 * time.Hour

// writeBackup writes a backup of the running service to a file.
func (a *App) writeBackup(ctx context.Context, file string) (int64, error) {
	left, err := filepath.Glob(filepath.Join(filepath.Dir(file), workDirs))
	if err != nil {
		return 0, err
	}
	for _, dir := range left {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > abandoned {
			if err := os.RemoveAll(dir); err != nil {
				return 0, err
			}
		}
	}
	quiet := console.New(io.Discard, func(string) string { return "" })
	size, _, err := a.cfg.backup(ctx, a.DB, Archive{File: file, Log: a.Log, Console: quiet})
	return size, err
}
