package app_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
)

// TestSchoolBack imports a deleted school again before the job that deletes its files has run: it keeps them. While the job
// runs, the import is refused.
func TestSchoolBack(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			i := install(t, engine)
			w, at := i.World(t), "/super-admin/school/"+i.North.ID.String()
			letter := w.Upload(w.North.Admin)
			code := i.one(t, `SELECT code FROM schools WHERE id = :id`, db.Args{"id": i.North.ID})
			file := filepath.Join(t.TempDir(), "school.zip")
			i.export(t, code, file)
			w.As(w.Super, "POST", at+"/suspend", nil).OK()
			w.As(w.Super, "DELETE", at, apptest.M{"confirm": code}).OK()
			set := func(state string, until any) {
				i.exec(t, `UPDATE jobs SET state = :state, lease_until = :until WHERE kind = 'file.forget-school'`,
					db.Args{"state": state, "until": until})
			}
			set("running", i.Now().Add(time.Minute))
			if _, err := app.ImportSchool(t.Context(), i.store, move(file)); err == nil || !strings.Contains(err.Error(), "still being deleted") {
				t.Errorf("import while the files are being deleted: %v", err)
			}
			set("waiting", nil)
			if _, err := app.ImportSchool(t.Context(), i.store, move(file)); err != nil {
				t.Fatal(err)
			}
			w.Drain()
			w.As(w.Super, "POST", at+"/resume", nil).OK()
			w.SignIn(t, w.North.Admin)
			if r := w.Admin("GET", "/file/"+letter, nil); r.Status != 200 {
				t.Errorf("a file of the school: %d %s", r.Status, r.Body)
			}
		})
	}
}
