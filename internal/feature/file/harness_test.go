package file_test

import (
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/file"
	"homeroom/internal/feature/file/filetest"
	"homeroom/internal/feature/file/media"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/blob"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

type (
	m    = map[string]any
	list = []any
)

// world is the school North with files in a directory.
type world struct {
	*apptest.Service
	testing.TB
	dir string
}

func each(t *testing.T, test func(t *testing.T, w *world), opts ...apptest.Option) {
	t.Helper()
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			w := &world{TB: t}
			w.Service = apptest.Start(t, engine, append(opts, func(c *app.Config) { w.dir = filepath.Join(c.Data, "files") })...)
			test(t, w)
		})
	}
}

func (w *world) call(who *apptest.Account, method, path string, body any, headers ...string) apptest.Reply {
	w.Helper()
	return w.Call(w.TB, who, method, path, body, headers...)
}

// send uploads a file; fields come in pairs.
func (w *world) send(who *apptest.Account, name string, content []byte, fields ...string) apptest.Reply {
	w.Helper()
	body, typ := filetest.Form(name, content, fields...)
	return w.call(who, "POST", "/"+who.Role.Prefix()+"/file/upload", body, "Content-Type", typ)
}

// kept uploads a file and returns its view.
func (w *world) kept(who *apptest.Account, name string, content []byte, fields ...string) apptest.Object {
	w.Helper()
	return w.send(who, name, content, fields...).OK()
}

// get requests a URL without a token.
func (w *world) get(url string, headers ...string) apptest.Reply {
	w.Helper()
	return w.call(nil, "GET", url, nil, headers...)
}

// disk lists the files on disk, including temporary ones.
func (w *world) disk() []string {
	w.Helper()
	out := []string{}
	err := filepath.WalkDir(w.dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			out = append(out, strings.TrimPrefix(path, w.dir+string(os.PathSeparator)))
		}
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	slices.Sort(out)
	return out
}

// rows counts the rows of files of North.
func (w *world) rows() int {
	w.Helper()
	n, err := db.One[int](w.Context(), w.DB.School(w.North.ID), `SELECT COUNT(*) FROM files WHERE school_id = :school`, nil)
	if err != nil {
		w.Fatal(err)
	}
	return n
}

// service is another instance on the same database and directory.
func (w *world) service(through func(io.Writer) io.Writer) *file.Service {
	w.Helper()
	d, err := blob.OpenDisk(w.dir)
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = d.Close() })
	d.Through = through
	return &file.Service{DB: w.DB, Audit: &audit.Service{DB: w.DB, Now: w.Now, NewID: w.NewID}, Store: d, Keys: w.Keys,
		Now: w.Now, NewID: w.NewID, Log: slog.New(slog.DiscardHandler), Studio: media.NewStudio()}
}

// pass moves the clock and signs everyone in again.
func (w *world) pass(d time.Duration) {
	w.Helper()
	w.Clock.Add(d)
	for _, a := range append(w.Everyone(), w.South.Admin, w.South.Parent, w.South.Teacher) {
		w.SignIn(w.TB, a)
	}
}

// makes posts as North's administrator and returns the new id.
func (w *world) makes(path string, body m) string {
	w.Helper()
	return w.call(w.North.Admin, "POST", "/school-admin/"+path, body).OK().Text("id")
}

func who(a *apptest.Account) actor.Actor {
	return actor.Actor{User: a.ID, School: a.School, Role: a.Role}
}

func idOf(o apptest.Object) id.ID { return id.ID(o.Text("id")) }
