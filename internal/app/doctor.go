package app

import (
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"time"

	"homeroom/internal/feature/system"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/console"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/token"
	"homeroom/internal/platform/wal"
)

// Severity is how much a finding matters.
type Severity string

// The severities, from the least.
const (
	Fine   Severity = "ok"
	Advice Severity = "advice" // works, but could be better
	Wrong  Severity = "wrong"  // must change
)

// Finding is what the doctor found in one area. Text says what to change, unless it is fine.
type Finding struct {
	Area string
	Severity
	Text string
}

// doctor examines a set-up. It changes nothing and sends no message.
type doctor struct {
	cfg   Config
	log   *slog.Logger
	now   clock.Now
	found []Finding

	latest system.Latest // backups; empty: none, or unknown
}

// Examine looks at clock, disk, keys, database, backups, network and providers. The service
// may be running.
func Examine(ctx context.Context, c Config, log *slog.Logger) []Finding {
	c.Addr = c.addr()
	d := &doctor{cfg: c, log: log, now: clock.System}
	d.server()
	d.clock()
	d.keys()
	size := d.database(ctx)
	d.disk(size)
	d.backups()
	d.continuous(ctx)
	d.tls()
	d.providers(ctx)
	return d.found
}

func (d *doctor) add(area string, s Severity, format string, a ...any) {
	d.found = append(d.found, Finding{Area: area, Severity: s, Text: fmt.Sprintf(format, a...)})
}

func (d *doctor) server() {
	if holder, ok := d.cfg.Holder(); ok {
		d.add("server", Fine, "homeroom %s runs on %s (process %d)", holder.What, d.cfg.Data, holder.PID)
		return
	}
	d.add("server", Fine, "no server runs on %s", d.cfg.Data)
}

// maxSkew is how far the clocks of this machine and the database may differ.
const maxSkew = 2 * time.Second

// clock compares the clock with the newest things that this machine knows of. The database
// server's clock is compared in database.
func (d *doctor) clock() {
	now := d.now()
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if built, err := time.Parse(time.RFC3339, s.Value); s.Key == "vcs.time" && err == nil && now.Before(built) {
				d.add("clock", Wrong, "it is %s here, before this program was written: set the clock, and run an NTP client", now.Format(time.DateTime))
				return
			}
		}
	}
	if info, err := os.Stat(d.cfg.file(databaseFile)); err == nil && info.ModTime().After(now.Add(maxSkew)) {
		d.add("clock", Wrong, "%s was changed in the future, at %s: the clock was set back; tokens and codes would expire at wrong times. "+
			"Set the clock, and run an NTP client", databaseFile, info.ModTime().UTC().Format(time.DateTime))
		return
	}
	d.add("clock", Fine, "%s", now.UTC().Format(time.RFC3339))
}

func (d *doctor) keys() {
	if d.cfg.Keys != "" {
		d.add("keys", Fine, "set by HOMEROOM_KEYS")
		return
	}
	path := d.cfg.KeysFile()
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		d.add("keys", Fine, "the first start creates %s", path)
		return
	}
	if err == nil {
		_, err = token.LoadFile(path, d.now, crand.Reader)
	}
	switch {
	case err != nil:
		d.add("keys", Wrong, "%v", err)
	case d.cfg.URL().Engine() == "postgres":
		d.add("keys", Advice, "only this node has %s: set the same HOMEROOM_KEYS on all nodes", path)
	default:
		d.add("keys", Fine, "%s", path)
	}
}

// database returns the size of the database; 0 if it is unknown.
func (d *doctor) database(ctx context.Context) int64 {
	url := d.cfg.URL()
	if url.Engine() == "sqlite" {
		if info, err := os.Stat(url.Path()); errors.Is(err, fs.ErrNotExist) {
			d.add("database", Fine, "the first start creates %s", url.Path())
			return 0
		} else if err == nil && runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
			d.add("database", Wrong, "other users of this machine can read %s: run chmod 600 %s", url.Path(), url.Path())
		}
	}
	open, err := d.cfg.Open(ctx, d.log)
	if err != nil {
		d.add("database", Wrong, "%v", err)
		return 0
	}
	defer open.Close()
	is, err := open.Examine(ctx)
	if err != nil {
		d.add("database", Wrong, "%s does not answer: %v", url, d.cfg.scrub(err))
		return 0
	}
	d.engine(is)
	if err := open.Current(ctx); err != nil {
		d.add("schema", Wrong, "%v", err)
		return is.Size
	}
	d.add("schema", Fine, "current")
	d.latest, _ = (&system.Service{Options: system.Options{DB: open}}).Latest(ctx) // an error leaves it empty
	if demo, err := isDemo(ctx, open.Across(unscoped.Permit{})); err == nil && demo && !d.cfg.Demo {
		d.add("database", Wrong, "%v", errDemo)
	}
	return is.Size
}

// fewConnections are too few for the tools of an operator besides the service.
const fewConnections = 5

// timesBuffers is how many times as large as shared_buffers a database may be.
const timesBuffers = 4

// engine judges the settings of the engine.
func (d *doctor) engine(is db.Checkup) {
	before := len(d.found)
	for _, problem := range is.Damaged {
		d.add("database", Wrong, "the file is damaged: %s. Restore a backup", problem)
	}
	for _, s := range is.Unsafe {
		d.add("database", Wrong, "%s: a crash of the machine loses or damages data. Turn it on in postgresql.conf", s)
	}
	if is.Engine == "postgres" && is.Major < 15 {
		d.add("database", Wrong, "PostgreSQL %s is too old: use 15 or newer", is.Version)
	}
	if is.BypassesRLS {
		d.add("database", Advice, "the login user is a superuser or has BYPASSRLS: use one that can't bypass row-level security, "+
			"as docs/operations.md shows")
	}
	if is.Now != nil {
		if skew := is.Now.Sub(d.now()).Abs(); skew > maxSkew {
			d.add("clock", Wrong, "the clock of the database server differs by %s: run an NTP client on both machines",
				skew.Round(time.Second))
		}
	}
	if free := is.MaxConnections - is.Connections; is.Engine == "postgres" && free < fewConnections {
		d.add("database", Advice, "%d of %d connections are left: raise max_connections, or lower --db-max-conns on the nodes",
			free, is.MaxConnections)
	}
	if is.Engine == "postgres" && is.Size > timesBuffers*is.SharedBuffers {
		d.add("database", Advice, "shared_buffers of %s is small for a database of %s: a quarter of the server's memory is usual",
			console.Bytes(is.SharedBuffers), console.Bytes(is.Size))
	}
	if len(d.found) == before {
		d.add("database", Fine, "%s %s, %s", is.Engine, is.Version, console.Bytes(is.Size))
	}
}

// leastFree is the free space below which a disk counts as nearly full.
const leastFree = 1 << 30

// disk looks at the space where data and backups are written. A backup first copies the database.
func (d *doctor) disk(database int64) {
	for _, dir := range []string{d.cfg.Data, d.cfg.backupDir()} {
		free, err := freeSpace(existing(dir))
		switch {
		case errors.Is(err, errors.ErrUnsupported):
			return
		case err != nil:
			d.add("disk", Wrong, "%s: %v", dir, err)
		case free < leastFree:
			d.add("disk", Wrong, "%s has %s left: delete files, or move --data to a larger disk", dir, console.Bytes(free))
		case free < 2*database:
			d.add("disk", Advice, "%s has %s left; a backup needs up to twice the %s of the database while it is written", dir,
				console.Bytes(free), console.Bytes(database))
		default:
			d.add("disk", Fine, "%s has %s left", dir, console.Bytes(free))
		}
	}
}

// existing returns the directory, or the nearest one above it that exists.
func existing(dir string) string {
	for {
		if _, err := os.Stat(dir); err == nil || filepath.Dir(dir) == dir {
			return dir
		}
		dir = filepath.Dir(dir)
	}
}

// staleBackup is the age from which the newest backup is too old.
const staleBackup = 48 * time.Hour

func (d *doctor) backups() {
	files, _ := filepath.Glob(filepath.Join(d.cfg.backupDir(), "homeroom-*.tar.gz")) // the pattern is valid
	var newest time.Time
	for _, f := range files {
		if info, err := os.Stat(f); err == nil && info.ModTime().After(newest) {
			newest = info.ModTime()
		}
	}
	switch age := d.now().Sub(newest).Round(time.Hour); {
	case newest.IsZero():
		d.add("backups", Advice, "there is none in %s: set --backup-every to 24h, and --backup-s3-bucket or --backup-dir to another machine",
			d.cfg.backupDir())
	case age > staleBackup:
		d.add("backups", Advice, "the newest in %s is %d days old: set --backup-every to 24h", d.cfg.backupDir(), int(age.Hours())/24)
	case d.latest.Checked != nil:
		d.add("backups", Fine, "the newest in %s is from %s; one was last restored for a test at %s", d.cfg.backupDir(),
			newest.UTC().Format(time.DateTime), d.latest.Checked.UTC().Format(time.DateTime))
	default:
		d.add("backups", Fine, "the newest in %s is from %s", d.cfg.backupDir(), newest.UTC().Format(time.DateTime))
	}
}

// continuous looks at the newest change in the continuous backup. A running server writes
// something every few seconds.
func (d *doctor) continuous(ctx context.Context) {
	if !d.cfg.BackupContinuous {
		return
	}
	from, err := d.cfg.Store.continuous(d.cfg.Backups)
	if err != nil {
		d.add("backups", Wrong, "%v", err)
		return
	}
	snapshot, change, err := wal.Newest(ctx, from)
	_, running := d.cfg.Holder()
	switch age := d.now().Sub(change); {
	case err != nil:
		d.add("backups", Wrong, "the continuous backup can't be read: %v", err)
	case snapshot.IsZero():
		d.add("backups", Wrong, "the continuous backup has no snapshot yet: start the server, and look at its log")
	case running && age > time.Minute:
		d.add("backups", Wrong, "the continuous backup has nothing of the last %s: look at the log of the server", age.Round(time.Second))
	default:
		d.add("backups", Fine, "the continuous backup has everything up to %s", change.UTC().Format(time.DateTime))
	}
}
