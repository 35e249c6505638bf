package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"homeroom/internal/feature/access"
	"homeroom/internal/feature/file"
	"homeroom/internal/feature/identity"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/console"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/portable"
	"homeroom/internal/schema"
)

// Move is the export or import of a school.
type Move struct {
	School  string // its code; export only
	File    string
	Close   bool          // suspend the school before the export, and hold its jobs
	Wait    time.Duration // for requests that have begun; 0: as long as any may take
	Force   bool          // replace File
	Storage FileStorage
	Log     *slog.Logger
	Console *console.Console
}

// FileStorage has the settings of uploaded files for commands.
type FileStorage struct {
	Provider string
	Files
}

// moveGrace is how long requests that began before a school was closed may still write.
// On SQLite a running service hears of it only when its cache expires; then the slowest
// request may have begun.
func (a *App) moveGrace() time.Duration {
	longest := a.cfg.RequestTimeout
	for _, r := range a.Routes {
		if r.Method != http.MethodGet {
			longest = max(longest, r.Timeout(0))
		}
	}
	return identity.CacheLife + longest
}

// ExportSchool writes a school to a file. The service may be running. It returns a message
// for the terminal.
func ExportSchool(ctx context.Context, s Store, m Move) (string, error) {
	to := Archive{File: m.File, Force: m.Force}
	if err := to.checkFree(); err != nil {
		return "", err
	}
	if s.URL().Engine() == "sqlite" {
		if _, err := os.Stat(s.URL().Path()); err != nil {
			return "", fmt.Errorf("there is no database: %w; name it with --data or --database-url", err)
		}
	}
	a, err := m.open(ctx, s)
	if err != nil {
		return "", err
	}
	sum, err := a.exportSchool(ctx, to, m)
	if err = errors.Join(err, a.Close()); err != nil {
		return "", s.URL().scrub(plainError(err))
	}
	text := fmt.Sprintf("%s contains %s: %d rows and %d files. It has children's data and password hashes: keep it as safe as the database.",
		m.File, sum.School.Name, sum.Rows, sum.Files)
	text += missing(sum, "To keep them, restore them from a backup and export the school again.")
	if m.Close {
		text += "\nThe school is suspended here. Delete it once it works elsewhere, or resume it."
	}
	return text, nil
}

// ImportSchool reads a file of ExportSchool. The service may be running.
func ImportSchool(ctx context.Context, s Store, m Move) (string, error) {
	a, err := m.open(ctx, s)
	if err != nil {
		return "", err
	}
	bar := m.Console.Progress("importing "+filepath.Base(m.File), 0)
	defer bar.Done()
	p, err := a.mover(ctx, bar)
	if err != nil {
		return "", errors.Join(err, a.Close())
	}
	sum, err := p.Import(ctx, m.File)
	if err = errors.Join(err, a.Close()); err != nil {
		return "", s.URL().scrub(plainError(err))
	}
	return fmt.Sprintf("%s is imported: %d rows and %d files. It is suspended until a super-administrator resumes it.",
		sum.School.Name, sum.Rows, sum.Files) + missing(sum, "They were so when it was exported."), nil
}

// missing names the files that are not in an export, with advice; "" if all are.
func missing(sum portable.Summary, advice string) string {
	const most = 20
	n := len(sum.Missing)
	if n == 0 {
		return ""
	}
	text := fmt.Sprintf("\nFiles that are missing in the file storage or cut off, and not in it: %d. %s\n  ", n, advice) +
		strings.Join(sum.Missing[:min(n, most)], "\n  ")
	if n > most {
		text += "\n  and others: manifest.json has them all"
	}
	return text
}

func (m Move) open(ctx context.Context, s Store) (*App, error) {
	c := Default()
	c.Store, c.FileProvider, c.Files = s, m.Storage.Provider, m.Storage.Files
	return New(ctx, c, Deps{Log: m.Log})
}

func (a *App) exportSchool(ctx context.Context, to Archive, m Move) (portable.Summary, error) {
	at, err := db.One[portable.School](ctx, a.DB.Across(unscoped.Permit{}),
		`SELECT id, code, name FROM schools WHERE code = :code AND NOT is_platform`, db.Args{"code": m.School})
	if errors.Is(err, db.ErrNotFound) {
		return portable.Summary{}, fmt.Errorf("there is no school with the code %s", m.School)
	}
	if err != nil {
		return portable.Summary{}, fmt.Errorf("look for the school: %w", err)
	}
	if m.Close {
		grace := cmp.Or(m.Wait, a.moveGrace())
		m.Console.Printf("%s is being suspended. Requests that have begun, such as an import, may take until %s; then the export begins.\n",
			at.Name, time.Now().Add(grace).Format("15:04:05"))
		if err := a.closeSchool(ctx, at.ID, grace); err != nil {
			return portable.Summary{}, fmt.Errorf("close the school: %w", err)
		}
	}
	bar := m.Console.Progress("exporting "+at.Name, 0)
	defer bar.Done()
	p, err := a.mover(ctx, bar)
	if err != nil {
		return portable.Summary{}, err
	}
	return to.stream(ctx, func(w io.Writer) (portable.Summary, error) { return p.Export(ctx, at, w) })
}

// stream writes the archive to a draft, which takes its name when it is complete.
func (a Archive) stream(ctx context.Context, write func(io.Writer) (portable.Summary, error)) (portable.Summary, error) {
	work, err := os.MkdirTemp(filepath.Dir(a.File), ".homeroom-export-*")
	if err != nil {
		return portable.Summary{}, fmt.Errorf("write the file: %w", err)
	}
	defer os.RemoveAll(work)
	draft := filepath.Join(work, "draft")
	f, err := os.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return portable.Summary{}, fmt.Errorf("write the file: %w", err)
	}
	sum, err := write(interruptible{ctx, f})
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return sum, err
	}
	if err := a.place(draft); err != nil {
		return sum, fmt.Errorf("write the file: %w", err)
	}
	return sum, syncDir(filepath.Dir(a.File))
}

// closeSchool suspends a school and holds its jobs. It waits until requests and jobs that
// began before have ended: what they write belongs to the export.
func (a *App) closeSchool(ctx context.Context, at id.ID, grace time.Duration) error {
	sch, err := school.Get(ctx, a.DB.School(at))
	if err == nil && sch.Status == school.Active {
		_, err = a.services.school.Suspend(ctx, actor.Actor{School: at}, at)
	}
	if err != nil {
		return err
	}
	for began := time.Now(); ; {
		running := 0
		err := a.DB.InSchool(ctx, at, func(ctx context.Context, tx *db.Tx) (err error) {
			running, err = jobs.Hold(ctx, tx, a.Now())
			return err
		})
		if err != nil || running == 0 && time.Since(began) >= grace {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// staying are the tables that don't move with a school, with the reason.
var staying = map[string]string{
	"sessions":         "people sign in again: tokens are of the installation",
	"devices":          "belong to a session; apps register again at sign-in",
	"password_resets":  "links have the old address; people ask for a new one",
	"idempotency_keys": "answers of the old installation",
	"web_push_keys":    "identify the installation",
	"school_imports":   "how far an import has come",
}

// traveling are conditions of rows that move. Jobs that wait or run belong to the installation
// that runs them; those that were held when the school was closed move, and their messages.
var traveling = map[string]string{
	"jobs": `state IN ('held', 'done', 'dead')`,
	"deliveries": `status <> 'QUEUED' OR EXISTS (
		SELECT 1 FROM jobs j WHERE j.school_id = :school AND j.state = 'held')`,
}

func (a *App) mover(ctx context.Context, bar *console.Bar) (*portable.Mover, error) {
	demo, err := isDemo(ctx, a.DB.Across(unscoped.Permit{}))
	if err != nil {
		return nil, err
	}
	modules, err := a.moduleNames(ctx)
	if err != nil {
		return nil, err
	}
	return &portable.Mover{DB: a.DB, Schema: schema.FS, Store: a.files, Now: a.Now, Version: readBuild().Version, Demo: demo,
		Stays: staying, Only: traveling, Refuse: refuse, Locals: append(a.secrets(), modules), Begin: a.importing, Done: a.imported,
		Progress: bar.Set,
		Blobs: func(ctx context.Context, q db.Q, f func(portable.Blob) error) error {
			all, err := file.Contents(ctx, q)
			for i := 0; err == nil && i < len(all); i++ {
				err = f(portable.Blob(all[i]))
			}
			return err
		}}, nil
}

// importing keeps the files of a school that was deleted here before.
func (a *App) importing(ctx context.Context, tx *db.Tx, at portable.School) error {
	return a.services.file.KeepSchool(ctx, tx.School(school.PlatformID), at.ID)
}

// imported completes an import: the school's own roles get the modules that only this
// installation has, the platform's audit log an entry, and all nodes a signal.
func (a *App) imported(ctx context.Context, tx *db.Tx, at portable.School) error {
	if err := a.services.access.Seed(ctx, tx.School(at.ID)); err != nil {
		return err
	}
	own := tx.School(school.PlatformID)
	who := actor.Actor{School: school.PlatformID}
	if err := a.services.audit.Record(ctx, own, who, "school.import", "school", at.ID, nil, at); err != nil {
		return err
	}
	return access.Changed(ctx, tx.Across(unscoped.Permit{}), at.ID)
}
