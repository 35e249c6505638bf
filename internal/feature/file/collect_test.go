package file_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/file"
	"homeroom/internal/feature/file/filetest"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/blob"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// TestAttach attaches files to an announcement, and detaches them.
func TestAttach(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		pdf := filetest.PDF(300)
		a, b := w.kept(w.North.Admin, "a.pdf", pdf)["id"], w.kept(w.North.Admin, "b.pdf", pdf)["id"]
		theirs, foreign := w.kept(w.North.Teacher, "c.pdf", pdf)["id"], w.kept(w.South.Admin, "d.pdf", pdf)["id"]
		create := "/school-admin/announcement/create"
		for what, file := range map[string]any{"none": w.NewID(), "someone else's": theirs, "another school's": foreign} {
			if e := w.Admin("POST", create, m{"title": "T", "attachments": list{a, file}}).Want(404,
				"Not Found"); !strings.Contains(e.Message, "file") {
				t.Errorf("%s: %s", what, e.Message)
			}
		}
		at := "/school-admin/announcement/" + w.Make("announcement/create", m{"title": "T", "attachments": list{a, b}})
		w.Admin("POST", create, m{"title": "U", "attachments": list{a}}).Want(404, "Not Found") // already attached
		put := w.Admin("PUT", at, m{"attachments": list{b}}).OK()
		if got := put["attachmentFiles"].([]any); len(got) != 1 || got[0].(map[string]any)["id"] != b {
			t.Errorf("files are %v", got)
		}
		w.mustSee(w.North.Parent, b.(string), 200)
		w.mustSee(w.North.Parent, a.(string), 404) // it was detached
		w.Admin("PUT", at, m{"title": "Same files"}).OK()
		w.mustSee(w.North.Parent, b.(string), 200)
		w.Admin("PUT", at, m{"attachments": list{b, a, a}}).OK() // attached again, with a duplicate
		w.mustSee(w.North.Parent, a.(string), 200)
		w.Admin("DELETE", at, nil).OK()
		w.mustSee(w.North.Parent, a.(string), 404)
		e := w.Admin("PUT", "/school-admin/setting", m{"logoFileId": a}).Want(422, "Unprocessable Entity")
		if !strings.Contains(e.Message, "picture") {
			t.Errorf("PUT /school-admin/setting: got %v", e.Message)
		}
	})
}

// TestCollect deletes files that were unattached for a day, and no others.
func TestCollect(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		s := w.service(nil)
		held, loose := w.kept(w.North.Admin, "a.jpg", filetest.JPEG(40, 40)), w.kept(w.North.Admin, "b.jpg", filetest.JPEG(40, 40))
		news := "/school-admin/announcement/" + w.Make("announcement/create", m{"title": "T", "attachments": list{held["id"]}})
		collect := func(rows, blobs int) {
			t.Helper()
			if err := s.Collect(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := s.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			if w.rows() != rows || len(w.disk()) != blobs {
				t.Errorf("%d rows and %q, want %d and %d", w.rows(), w.disk(), rows, blobs)
			}
		}
		w.Pass(23 * time.Hour)
		collect(2, 4)
		w.mustSee(w.North.Admin, loose.Text("id"), 200)
		fresh := w.kept(w.North.Admin, "c.pdf", filetest.PDF(300))
		w.Pass(2 * time.Hour)
		collect(2, 3)
		w.mustSee(w.North.Admin, loose.Text("id"), 404)
		w.mustSee(w.North.Admin, fresh.Text("id"), 200)
		w.mustSee(w.North.Parent, held.Text("id"), 200)
		w.Pass(30 * time.Hour)
		collect(1, 2)
		w.Admin("DELETE", news, nil).OK()
		w.Pass(23 * time.Hour)
		collect(1, 2) // detached less than a day ago
		w.Pass(2 * time.Hour)
		collect(0, 0)
	})
}

// TestAttachedLate attaches a file in the moment in which Collect would delete it: it stays.
func TestAttachedLate(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		s := w.service(nil)
		news := id.ID(w.Make("announcement/create", m{"title": "T"}))
		late := idOf(w.kept(w.North.Admin, "a.pdf", filetest.PDF(300)))
		w.Pass(25 * time.Hour)
		ended := make(chan error, 1)
		w.In(func(ctx context.Context, tx *db.Tx) error {
			err := s.Attach(ctx, tx, who(w.North.Admin), file.Announcement, news, []id.ID{late})
			go func() { ended <- s.Collect(t.Context()) }()
			time.Sleep(200 * time.Millisecond) // Collect finds the file loose, and waits for its row
			return err
		})
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		w.mustSee(w.North.Admin, string(late), 200)
	})
}

// stuck is a store whose blobs can't be deleted.
type stuck struct{ blob.Store }

func (stuck) Delete(context.Context, ...string) error { return errors.New("the power is gone") }

// TestCutOff interrupts Collect: nobody sees the file, and the next run completes it.
// An interrupted upload leaves content, which Sweep deletes.
func TestCutOff(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		loose := w.kept(w.North.Admin, "a.pdf", filetest.PDF(300))
		w.Pass(25 * time.Hour)
		s := w.service(nil)
		whole := s.Store
		s.Store = stuck{whole}
		if err := s.Collect(t.Context()); err == nil {
			t.Error("Collect succeeded although the store failed")
		}
		if w.rows() != 1 || len(w.disk()) != 1 {
			t.Errorf("%d rows, %q", w.rows(), w.disk())
		}
		w.mustSee(w.North.Admin, loose.Text("id"), 404)
		w.Admin("POST", "/school-admin/announcement/create", m{"title": "T", "attachments": list{loose["id"]}}).Want(404,
			"Not Found")
		s.Store = whole
		if err := s.Collect(t.Context()); err != nil || w.rows() != 0 || len(w.disk()) != 0 {
			t.Errorf("%v, %d rows, %q", err, w.rows(), w.disk())
		}
		school, stranger := string(w.North.ID), string(id.New())
		for _, name := range []string{"draft/HALF", school + "/ab/" + string(id.New()), stranger + "/ab/" + string(id.New()), "notes"} {
			path := filepath.Join(w.dir, filepath.FromSlash(name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte("x"), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := w.disk(); len(got) != 2 || strings.Contains(strings.Join(got, " "), school) {
			t.Errorf("swept to %q", got) // what is not ours stays
		}
	})
}

// TestSweepOfSameIDs: a school can be imported with the ids of another one's files. Both keep their content.
func TestSweepOfSameIDs(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		of := map[*apptest.Account]id.ID{w.North.Admin: w.South.ID, w.South.Admin: w.North.ID}
		for owner, other := range of {
			kept := w.kept(owner, "a.pdf", filetest.PDF(300))
			_, err := db.Exec(t.Context(), w.DB.School(other), `
				INSERT INTO files (school_id, id, name, content_type, size, sha256, thumb_type, thumb_size, uploaded_by, loose_since, created_at)
				VALUES (:school, :id, 'b.pdf', 'application/pdf', 1, '', '', 0, :id, :now, :now)`, db.Args{"id": kept.Text("id"), "now": w.Now()})
			if err != nil {
				t.Fatal(err)
			}
		}
		w.Pass(25 * time.Hour)
		if err := w.service(nil).Sweep(t.Context()); err != nil || len(w.disk()) != 2 {
			t.Errorf("%v, left: %q", err, w.disk())
		}
	})
}

// TestErased erases a student: the photo and the letters are gone at once.
func TestErased(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		photo := w.kept(w.North.Admin, "p.jpg", filetest.JPEG(40, 40))
		letter := w.kept(w.North.Parent, "l.pdf", filetest.PDF(300))
		student := w.Make("student/create", m{"firstName": "Mia", "admissionNo": "M1", "photoFileId": photo["id"],
			"guardians": list{m{"name": "Pat", "phone": w.North.Parent.Phone}}})
		w.As(w.North.Parent, "POST", "/parent/leave/apply", m{"studentId": student, "type": "SICK", "fromDate": "2031-01-06",
			"attachments": list{letter["id"]}}).OK()
		other := w.kept(w.North.Admin, "q.jpg", filetest.JPEG(40, 40))
		w.Admin("PUT", "/school-admin/student/"+student, m{"photoFileId": other["id"]}).OK()
		w.Admin("POST", "/school-admin/student/"+student+"/erase", m{"confirm": "M1"}).OK()
		for _, o := range []string{other.Text("url"), other.Text("thumbnailUrl")} {
			w.get(o).Want(404, "Not Found")
		}
		w.get(letter.Text("url")).Want(403, "PERMISSION_DENIED") // the parent's account was deleted too
		w.mustSee(w.North.Admin, letter.Text("id"), 404)
		w.mustSee(w.North.Admin, other.Text("id"), 404)
		if err := w.service(nil).Collect(t.Context()); err != nil || w.rows() != 1 { // the first photo is unattached and not due yet
			t.Errorf("%v, %d rows: %q", err, w.rows(), w.disk())
		}
		named, err := db.One[int](t.Context(), w.DB.School(w.North.ID),
			`SELECT COUNT(*) FROM jobs WHERE school_id = :school AND kind = 'file.collect'`, nil)
		if err != nil || named == 0 {
			t.Errorf("no round is on its way: %v", err)
		}
	})
}

// TestSchoolGone deletes the file content of a deleted school.
func TestSchoolGone(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.kept(w.South.Admin, "a.pdf", filetest.PDF(300))
		w.kept(w.North.Admin, "a.pdf", filetest.PDF(300))
		w.As(w.Super, "POST", "/super-admin/school/"+string(w.South.ID)+"/suspend", nil).OK()
		w.As(w.Super, "DELETE", "/super-admin/school/"+string(w.South.ID), m{"confirm": "SOUTH"}).OK()
		w.Work(t)
		await.Until(t, "one file to be left", func() bool { return len(w.disk()) == 1 })
		if got := w.disk(); !strings.HasPrefix(got[0], string(w.North.ID)) {
			t.Errorf("files on disk: got %q", got)
		}
	})
}

// TestRead reads a logo, with a limit on its size.
func TestRead(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		logo := w.kept(w.North.Admin, "l.png", filetest.PNG(30, 30))
		s := w.service(nil)
		if raw, err := s.Read(t.Context(), w.North.ID, idOf(logo), 1<<20); err != nil || !strings.HasPrefix(string(raw), "\x89PNG") {
			t.Errorf("length of the stored file: got %v, %v", len(raw), err)
		}
		if _, err := s.Read(t.Context(), w.North.ID, idOf(logo), 10); err == nil {
			t.Error("a file that is too large was read")
		}
		if _, err := s.Read(t.Context(), w.South.ID, idOf(logo), 1<<20); !errors.Is(err, file.ErrNoFile) {
			t.Errorf("of another school: %v", err)
		}
		card := "/school-admin/exam/report-card/" + w.Make("student/create", m{"firstName": "Mia"}) + "?format=pdf"
		plain := w.Admin("GET", card, nil)
		w.Admin("PUT", "/school-admin/setting", m{"logoFileId": logo["id"]}).OK()
		printed := w.Admin("GET", card, nil)
		picture := []byte("/Subtype /Image")
		if plain.Status != 200 || printed.Status != 200 || bytes.Contains(plain.Body, picture) || !bytes.Contains(printed.Body, picture) {
			t.Errorf("a report card has the logo before %v and after %v", bytes.Contains(plain.Body, picture), bytes.Contains(printed.Body, picture))
		}
	})
}
