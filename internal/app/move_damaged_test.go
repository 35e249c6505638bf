package app_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
)

// TestMoveOfDamagedFiles moves a school with a file that is cut off on the disk and one that is missing: both commands name
// them, and everything else arrives.
func TestMoveOfDamagedFiles(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			i := install(t, engine)
			w, at := i.World(t), "/super-admin/school/"+i.North.ID.String()
			whole, cut, gone := w.Upload(w.North.Admin), w.Upload(w.North.Admin), w.Upload(w.North.Admin)
			path := func(file string) string {
				return filepath.Join(i.Data, "files", i.North.ID.String(), file[34:], file)
			}
			if err := errors.Join(os.Truncate(path(cut), 10), os.Remove(path(gone))); err != nil {
				t.Fatal(err)
			}
			m := move(filepath.Join(t.TempDir(), "school.zip"))
			m.School = i.one(t, `SELECT code FROM schools WHERE id = :id`, db.Args{"id": i.North.ID})
			told := func(said string, err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
				if !strings.Contains(said, cut) || !strings.Contains(said, gone) || strings.Contains(said, whole) {
					t.Errorf("want %s and %s named, and not %s: %s", cut, gone, whole, said)
				}
			}
			told(app.ExportSchool(t.Context(), i.store, m))
			w.As(w.Super, "POST", at+"/suspend", nil).OK()
			w.As(w.Super, "DELETE", at, apptest.M{"confirm": m.School}).OK()
			w.Drain()
			told(app.ImportSchool(t.Context(), i.store, m))
			w.As(w.Super, "POST", at+"/resume", nil).OK()
			w.SignIn(t, w.North.Admin)
			for file, want := range map[string]int{whole: 200, cut: 404, gone: 404} {
				if r := w.Admin("GET", "/file/"+file, nil); r.Status != want {
					t.Errorf("file %s: %d %s, want %d", file, r.Status, r.Body, want)
				}
			}
		})
	}
}
