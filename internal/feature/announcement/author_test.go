package announcement_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
)

const mine = "/teacher/announcement/"

// quiz writes an announcement of Ann to 1 A.
func (w *world) quiz(body m) string {
	w.Helper()
	body["title"], body["audience"], body["divisionIds"] = "Quiz", "DIVISION", []string{w.oneA}
	return w.As(w.ann, "POST", mine+"create", body).OK().Text("id")
}

// assign replaces the assignments of a teacher.
func (w *world) assign(name string, assigned ...m) {
	w.Helper()
	e := w.Admin("GET", "/school-admin/employee/list?search="+name, nil).OK().Items()[0].Text("id")
	w.Admin("POST", "/school-admin/employee/"+e+"/assignments", m{"assignments": append([]m{}, assigned...)}).OK()
}

// TestTeacherCorrects: a teacher changes and deletes the own announcement, within the
// own classes.
func TestTeacherCorrects(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		at := w.quiz(m{"body": "on Monday"})
		got := w.As(w.ann, "PUT", mine+at, m{"body": "on Tuesday", "version": 1, "urgent": true}).OK()
		if got["body"] != "on Tuesday" || got["version"] != 2.0 || got["urgent"] != false || got["createdBy"] != string(w.ann.ID) {
			t.Errorf("changed: got %v", got)
		}
		if w.open(w.ofMia, at).OK()["body"] != "on Tuesday" || w.log(w.ofMia) != "on Monday" {
			t.Errorf("a parent is notified of %q", w.log(w.ofMia))
		}
		w.As(w.ann, "PUT", mine+at, m{"version": 1, "title": "Late"}).Want(409, "Conflict")
		for _, wider := range []m{{"divisionIds": []string{w.oneB}}, {"divisionIds": []string{w.oneA, w.twoA}},
			{"audience": "CLASS", "classIds": []string{w.one}}} {
			w.As(w.ann, "PUT", mine+at, wider).Want(403, "PERMISSION_DENIED")
		}
		for _, bad := range []m{{"audience": "ALL"}, {"audience": "CLASS"}, {"title": " "}, {"divisionIds": []string{}}} {
			w.As(w.ann, "PUT", mine+at, bad).Want(422, "Unprocessable Entity")
		}
		for _, method := range []string{"PUT", "DELETE"} {
			w.As(w.bob, method, mine+at, m{}).Want(404, "Not Found") // not for Bob's class
			w.As(w.ann, method, mine+w.write(m{"title": "To all"}).Text("id"), m{}).Want(403, "PERMISSION_DENIED")
			w.As(w.South.Teacher, method, mine+at, m{}).Want(404, "Not Found")
			w.As(w.ofMia, method, mine+at, m{}).Want(403, "PERMISSION_DENIED")
		}
		if r := w.As(w.ann, "DELETE", mine+at, nil); r.Status != 204 {
			t.Errorf("DELETE: got %d %s", r.Status, r.Body)
		}
		w.open(w.ofMia, at).Want(404, "Not Found")
		w.Audited("announcement.update", 1)
		w.Audited("announcement.delete", 1)
	})
}

// TestTakenOver: what the office has widened or made urgent, and what is for a class
// that the teacher has lost, is no longer the teacher's.
func TestTakenOver(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		widened, urgent, lost := w.quiz(m{}), w.quiz(m{"publishAt": w.Now().Add(time.Hour)}), w.quiz(m{})
		w.Admin("PUT", admin+widened, m{"audience": "ALL"}).OK()
		w.Admin("PUT", admin+urgent, m{"urgent": true}).OK()
		w.As(w.ann, "PUT", mine+lost, m{"body": "still hers"}).OK()
		w.As(w.ann, "GET", mine+lost+"/reads", nil).OK()
		w.assign("Ann", m{"classId": w.two})
		for _, at := range []string{widened, urgent, lost} {
			w.As(w.ann, "PUT", mine+at, m{"body": "mine"}).Want(403, "PERMISSION_DENIED")
			w.As(w.ann, "DELETE", mine+at, nil).Want(403, "PERMISSION_DENIED")
			w.As(w.ann, "GET", mine+at+"/reads", nil).Want(403, "PERMISSION_DENIED")
		}
	})
}

// TestHeldBack: what a teacher has scheduled is not published once the teacher may not write it any more, unless the
// office has saved it since. The teacher and the office are told, and the office can publish it.
func TestHeldBack(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		later := func(body string) m { return m{"body": body, "publishAt": w.Now().Add(time.Hour)} }
		lost, office := w.quiz(later("lost")), w.quiz(later("written"))
		w.Admin("PUT", admin+office, m{"body": "vouched for"}).OK()
		kept := w.As(w.bob, "POST", mine+"create", apptest.With(later("kept"), "title", "T", "audience", "CLASS",
			"classIds", []string{w.two})).OK().Text("id")
		w.assign("Ann")
		w.Pass(2 * time.Hour)
		w.open(w.ofMia, lost).Want(404, "Not Found") // before its job has decided
		apptest.Eq(t, "the home page's news", len(w.As(w.ofMia, "GET", "/parent/home", nil).OK().Objects("announcements")), 0)
		w.Drain()
		apptest.Eq(t, "the parents are told", w.log(w.ofMia), "vouched for")
		apptest.Eq(t, "the parents see", w.list(w.ofMia, ""), "Quiz")
		apptest.Eq(t, "another class is told", w.log(w.ofOli), "kept")
		w.open(w.ofMia, lost).Want(404, "Not Found")
		if o := w.read(lost); o["status"] != "EXPIRED" || o["publishedAt"] != nil {
			t.Errorf("held back: got %v", o)
		}
		const held = "Quiz: its author may not write to these classes any more. The office can still publish it: change until when it is shown."
		apptest.Eq(t, "the author is told", w.log(w.ann), held)
		apptest.Eq(t, "the office is told", w.log(w.North.Admin), held)
		w.Audited("announcement.hold", 1)
		w.Drain()
		w.As(w.ann, "PUT", mine+lost, m{"expiresAt": nil}).Want(403, "PERMISSION_DENIED")
		w.Admin("PUT", admin+lost, m{"expiresAt": nil}).OK()
		apptest.Eq(t, "published by the office", w.log(w.ofMia), "lost vouched for")
		w.open(w.ofOli, kept).OK()

		// The same without the permission, and without the account.
		w.assign("Ann", m{"classId": w.one, "divisionId": w.oneA})
		w.quiz(later("disabled"))
		w.As(w.bob, "POST", mine+"create", apptest.With(later("not permitted"), "title", "T", "audience", "CLASS",
			"classIds", []string{w.two})).OK()
		w.LetRead(actor.Teacher, "announcement", true)
		w.Exec(`UPDATE users SET status = 'DISABLED' WHERE school_id = :school AND id = :ann`, db.Args{"ann": w.ann.ID})
		w.Clock.Add(2 * time.Hour)
		w.Drain()
		w.SignIn(t, w.ofMia)
		w.SignIn(t, w.ofOli)
		apptest.Eq(t, "the parents are told", w.log(w.ofMia), "lost vouched for")
		apptest.Eq(t, "another class is told", w.log(w.ofOli), "kept")
	})
}

// reads returns the readers that a caller is shown, with their children; "*" has read.
func (w *world) reads(who *apptest.Account, at, query string) string {
	w.Helper()
	var out []string
	for _, r := range w.As(who, "GET", "/"+who.Role.Prefix()+"/announcement/"+at+"/reads"+query, nil).OK().Items() {
		line := fmt.Sprint(r["name"], r["role"], r["children"])
		if r["readAt"] != nil {
			line += "*"
		}
		out = append(out, line)
	}
	return strings.Join(out, " ")
}

// TestWhoHasRead lists readers by name. A teacher sees those of the own announcement.
func TestWhoHasRead(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.Admin("POST", "/school-admin/student/"+w.oli+"/guardians", m{"name": "Of Mia", "phone": w.ofMia.Phone}).OK()
		at := w.quiz(m{})
		w.open(w.ofMia, at).OK()
		w.open(w.ann, at).OK() // the author is no reader
		for query, want := range map[string]string{
			"":                "Of MiaPARENT[Max Mia]* Of MiaPARENT[Max Mia]",
			"?status=READ":    "Of MiaPARENT[Max Mia]*",
			"?status=UNREAD":  "Of MiaPARENT[Max Mia]",
			"?page=2&limit=1": "Of MiaPARENT[Max Mia]",
		} {
			apptest.Eq(t, "the teacher's list "+query, w.reads(w.ann, at, query), want)
			apptest.Eq(t, "the office's list "+query, w.reads(w.North.Admin, at, query), want)
		}
		all := w.write(m{"title": "To all"}).Text("id")
		w.open(w.North.Driver, all).OK()
		list := w.reads(w.North.Admin, all, "?limit=100")
		for _, want := range []string{"AnnTEACHER[]", "BobTEACHER[]", "DRIVER[]*", "Of MiaPARENT[Max Mia Oli]", "Of NoaPARENT[Noa]"} {
			if !strings.Contains(list, want) {
				t.Errorf("readers of everything: %q lacks %q", list, want)
			}
		}
		w.As(w.ann, "GET", mine+all+"/reads", nil).Want(403, "PERMISSION_DENIED")
		w.As(w.bob, "GET", mine+at+"/reads", nil).Want(404, "Not Found")
		w.As(w.South.Admin, "GET", admin+at+"/reads", nil).Want(404, "Not Found")
		w.Admin("GET", admin+at+"/reads?status=SEEN", nil).Want(422, "Unprocessable Entity")

		// A family that leaves the class leaves the teacher's list; the office still sees who had read it.
		for _, child := range []string{w.mia, w.max} {
			w.Admin("PUT", "/school-admin/student/"+child, m{"classId": w.one, "divisionId": w.oneB}).OK()
		}
		apptest.Eq(t, "the teacher's list after the move", w.reads(w.ann, at, ""), "")
		apptest.Eq(t, "the office's list after the move", w.reads(w.North.Admin, at, ""), "Of MiaPARENT[]*")
	})
}
