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

	"homeroom/internal/apptest"
	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/file"
	"homeroom/internal/feature/file/filetest"
	"homeroom/internal/feature/file/media"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/blob"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

type (
	m    = apptest.M
	list = apptest.List
)

// world is the school North with files in a directory.
type world struct {
	*apptest.World
	dir string
}

func each(t *testing.T, test func(t *testing.T, w *world), opts ...apptest.Option) {
	t.Helper()
	apptest.Worlds(t, newWorld, test, opts...)
}

func newWorld(base *apptest.World) *world {
	return &world{World: base, dir: filepath.Join(base.Data, "files")}
}

// send uploads a file; fields come in pairs.
func (w *world) send(who *apptest.Account, name string, content []byte, fields ...string) apptest.Reply {
	w.Helper()
	body, typ := filetest.Form(name, content, fields...)
	return w.As(who, "POST", "/"+who.Role.Prefix()+"/file/upload", body, "Content-Type", typ)
}

// kept uploads a file and returns its view.
func (w *world) kept(who *apptest.Account, name string, content []byte, fields ...string) apptest.Object {
	w.Helper()
	return w.send(who, name, content, fields...).OK()
}

// get requests a URL without a token.
func (w *world) get(url string, headers ...string) apptest.Reply {
	w.Helper()
	return w.As(nil, "GET", url, nil, headers...)
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
	return w.Count(`files WHERE school_id = :school`, nil)
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

func who(a *apptest.Account) actor.Actor {
	return actor.Actor{User: a.ID, School: a.School, Role: a.Role}
}

func idOf(o apptest.Object) id.ID { return id.ID(o.Text("id")) }
