package file_test

import (
	"strings"
	"testing"
	"time"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/feature/file/filetest"
	"homeroom/internal/platform/db"
)

const tooLarge = "Request Entity Too Large"

// usage returns North's recorded and actual file usage.
func (w *world) usage() (said, sum int64) {
	w.Helper()
	q := w.DB.School(w.North.ID)
	said, err := db.One[int64](w.Context(), q, `SELECT CAST(COALESCE(SUM(bytes), 0) AS BIGINT) FROM file_usage WHERE school_id = :school`, nil)
	if err == nil {
		sum, err = db.One[int64](w.Context(), q, `SELECT CAST(COALESCE(SUM(size + thumb_size), 0) AS BIGINT) FROM files
			WHERE school_id = :school`, nil)
	}
	if err != nil {
		w.Fatal(err)
	}
	return said, sum
}

func (w *world) mustAddUp() {
	w.Helper()
	if said, sum := w.usage(); said != sum {
		w.Errorf("files are said to have %d bytes, and have %d", said, sum)
	}
}

// burst uploads 20 files of 100 KiB concurrently as several users, and counts the
// statuses.
func (w *world) burst(by ...*apptest.Account) map[int]int {
	w.Helper()
	content := filetest.PDF(100 << 10)
	return apptest.AtOnce(20, func(i int) apptest.Reply { return w.send(by[i%len(by)], "a.pdf", content) })
}

// TestSchoolQuota checks the limit of a logo and the quota of a school.
func TestSchoolQuota(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.kept(w.North.Admin, "a.jpg", append(filetest.JPEG(8, 8), make([]byte, 4000)...), "purpose", "LOGO")
		noise := filetest.PDF(800 << 10)
		w.kept(w.North.Admin, "a.pdf", noise)
		e := w.send(w.North.Parent, "b.pdf", noise).Want(413, tooLarge)
		if !strings.Contains(e.Message, "of its 1 MiB") || w.rows() != 2 || len(w.disk()) != 3 {
			t.Errorf("%s; %d rows, %q", e.Message, w.rows(), w.disk())
		}
		w.send(w.Super, "b.pdf", noise, "schoolId", string(w.North.ID)).Want(413, tooLarge)
		w.kept(w.South.Admin, "b.pdf", noise) // another school has its own quota
		w.mustAddUp()
		w.Pass(25 * time.Hour)
		if err := w.service(nil).Collect(t.Context()); err != nil {
			t.Fatal(err)
		}
		if said, sum := w.usage(); said != 0 || sum != 0 {
			t.Errorf("what was removed still counts: %d, %d", said, sum)
		}
		w.kept(w.North.Parent, "b.pdf", noise)
	}, func(c *app.Config) { c.FilesPerSchool = 1 })
}

// TestSchoolQuotaUnderABurst uploads more files concurrently than the quota allows.
func TestSchoolQuotaUnderABurst(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		n := w.North
		if got := w.burst(n.Admin, n.Teacher, n.Parent, n.Driver); got[201] != 10 || got[413] != 10 {
			t.Errorf("answers %v, want 10 of 201 and 10 of 413", got)
		}
		if w.rows() != 10 || len(w.disk()) != 10 {
			t.Errorf("%d rows, %d blobs", w.rows(), len(w.disk()))
		}
		w.mustAddUp()
	}, func(c *app.Config) { c.FilesPerSchool = 1 })
}

// TestUnattachedQuota checks each user's quota of unattached files.
func TestUnattachedQuota(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		if got := w.burst(w.North.Admin); got[201] != 10 || got[413] != 10 {
			t.Errorf("answers %v, want 10 of 201 and 10 of 413", got)
		}
		noise := filetest.PDF(600 << 10)
		e := w.send(w.North.Admin, "b.pdf", noise).Want(413, tooLarge)
		if !strings.Contains(e.Message, "not attached to anything") || w.rows() != 10 || len(w.disk()) != 10 {
			t.Errorf("%s; %d rows, %d blobs", e.Message, w.rows(), len(w.disk()))
		}
		one := w.kept(w.North.Parent, "b.pdf", noise) // each user has an own quota
		w.send(w.North.Parent, "c.pdf", noise).Want(413, tooLarge)

		w.Pass(25 * time.Hour)
		if err := w.service(nil).Collect(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.mustSee(w.North.Parent, one.Text("id"), 404)
		a, b := w.kept(w.North.Admin, "a.pdf", noise), filetest.PDF(900<<10)
		w.send(w.North.Admin, "b.pdf", b).Want(413, tooLarge)
		at := "/school-admin/announcement/" + w.Make("announcement/create", m{"title": "T", "attachments": list{a["id"]}})
		w.kept(w.North.Admin, "b.pdf", b) // the first is attached now
		w.Pass(25 * time.Hour)
		if err := w.service(nil).Collect(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.Admin("DELETE", at, nil).OK()
		w.send(w.North.Admin, "b.pdf", b).Want(413, tooLarge) // and now is detached
		w.mustAddUp()
	}, func(c *app.Config) { c.FilesUnattached = 1 })
}
