package announcement_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/id"
)

func TestList(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		in := func(d time.Duration) string { return w.Now().Add(d).Format(time.RFC3339Nano) }
		w.write(m{"title": "old"})
		w.write(m{"title": "pinned", "isPinned": true, "audience": "PARENTS"})
		w.write(m{"title": "brief", "expiresAt": in(time.Hour)})
		w.Pass(time.Minute)
		w.write(m{"title": "Élan"})
		w.write(m{"title": "coming", "publishAt": in(24 * time.Hour), "isPinned": true})
		for query, want := range map[string]string{
			"": "coming pinned Élan brief old", "?sort=publishAt&order=asc": "old pinned brief Élan coming",
			"?status=SCHEDULED": "coming", "?status=PUBLISHED": "pinned Élan brief old", "?status=EXPIRED": "",
			"?audience=PARENTS": "pinned", "?audience=CLASS": "", "?search=elan": "Élan", "?search=%25": "",
			"?limit=2&page=2": "Élan brief", "?audience=ALL&status=PUBLISHED": "Élan brief old",
		} {
			apptest.Eq(t, query, w.list(w.North.Admin, query), want)
		}
		apptest.Eq(t, "a parent reads", w.list(w.ofMia, ""), "pinned Élan brief old")
		apptest.Eq(t, "a driver's second page", w.list(w.North.Driver, "?limit=1&page=2"), "brief")
		w.Pass(2 * time.Hour)
		apptest.Eq(t, "after the expiry a parent reads", w.list(w.ofMia, ""), "pinned Élan old")
		apptest.Eq(t, "expired", w.list(w.North.Admin, "?status=EXPIRED"), "brief")
		brief := w.Admin("GET", admin+"list?search=brief", nil).OK().Items()[0]
		if o := w.open(w.ofMia, brief.Text("id")).OK(); o["status"] != "EXPIRED" { // the notification still links to it
			t.Errorf("opened announcement: got %v", o)
		}
		apptest.Eq(t, "another school reads", w.list(w.South.Admin, ""), "")
		for _, bad := range []string{"?status=DRAFT", "?audience=X", "?sort=title", "?page=0"} {
			w.Admin("GET", admin+"list"+bad, nil).Want(422, "Unprocessable Entity")
		}
	})
}

// TestSchedule publishes once at publishAt, with the current text.
func TestSchedule(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		in := func(d time.Duration) string { return w.Now().Add(d).Format(time.RFC3339Nano) }
		made := w.write(m{"title": "T", "body": "first", "publishAt": in(time.Hour)})
		at := made.Text("id")
		if made["status"] != "SCHEDULED" || made["publishedAt"] != nil || made["audienceCount"] != 9.0 {
			t.Errorf("new announcement: got %v", made)
		}
		gone := w.write(m{"title": "Gone", "body": "deleted", "publishAt": in(time.Hour)}).Text("id")
		w.Drain()
		if w.log(w.ofMia) != "" || w.list(w.ofMia, "") != "" || len(w.pushes("first")) != 0 {
			t.Errorf("told too early: %q", w.log(w.ofMia))
		}
		w.open(w.ofMia, at).Want(404, "Not Found")

		w.Admin("DELETE", admin+gone, nil).OK()
		w.Admin("PUT", admin+at, m{"body": "second"}).OK()
		w.Admin("PUT", admin+at, m{"publishAt": in(2 * time.Hour)}).OK()
		w.Pass(90 * time.Minute)
		w.Drain() // the old publishAt has passed, but was postponed
		if w.log(w.ofMia) != "" || w.list(w.ofMia, "") != "" {
			t.Errorf("told at a time that was put off: %q", w.log(w.ofMia))
		}
		w.Admin("PUT", admin+at, m{"body": "third", "audience": "CLASS", "classIds": []string{w.one}}).OK()
		w.Pass(time.Hour)
		w.Drain()
		w.Drain()
		apptest.Eq(t, "the log", w.log(w.ofMia), "third")
		if w.log(w.ofOli) != "" || len(w.pushes("third")) != 3 || len(w.pushes("first"))+len(w.pushes("second"))+len(w.pushes("deleted")) != 0 {
			t.Errorf("pushed to %v; the log of another class is %q", w.pushes("third"), w.log(w.ofOli))
		}
		o := w.read(at)
		if o["status"] != "PUBLISHED" || o["publishedAt"] != w.Now().Format(clock.Stamp) || o["audienceCount"] != 4.0 {
			t.Errorf("announcement: got %v", o)
		}

		// A later change sends no notification, and it stays published.
		w.Admin("PUT", admin+at, m{"body": "fourth", "publishAt": o["publishAt"]}).OK()
		e := w.Admin("PUT", admin+at, m{"publishAt": in(time.Hour)}).Want(409, "Conflict")
		if !strings.Contains(e.Message, "already published") {
			t.Errorf("error message: got %v", e.Message)
		}
		w.Pass(24 * time.Hour)
		w.Drain()
		if w.log(w.ofMia) != "third" || len(w.pushes("fourth")) != 0 || w.open(w.ofMia, at).OK()["body"] != "fourth" {
			t.Errorf("the log is %q", w.log(w.ofMia))
		}
	})
}

// TestBroughtForward publishes a scheduled announcement early, so that its job does
// nothing. The job of an expired announcement does nothing either.
func TestBroughtForward(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		in := func(d time.Duration) string { return w.Now().Add(d).Format(time.RFC3339Nano) }
		at := w.write(m{"title": "T", "body": "soon", "publishAt": in(time.Hour)}).Text("id")
		o := w.Admin("PUT", admin+at, m{"publishAt": "2001-01-01T00:00:00Z"}).OK()
		if o["publishedAt"] == nil || o["publishAt"] != w.Now().Format(clock.Stamp) || w.log(w.ofMia) != "soon" {
			t.Errorf("changed announcement: got %v", o)
		}
		late := w.write(m{"title": "T", "body": "late", "publishAt": in(time.Hour), "expiresAt": in(2 * time.Hour)}).Text("id")
		w.Pass(3 * time.Hour)
		w.Drain()
		if w.log(w.ofMia) != "soon" || len(w.pushes("soon")) != 1 || w.read(late)["publishedAt"] != nil {
			t.Errorf("the log is %q", w.log(w.ofMia))
		}
		w.Admin("PUT", admin+late, m{"expiresAt": nil}).OK()
		apptest.Eq(t, "the log", w.log(w.ofMia), "late soon")
	})
}

// TestPublishedOnce publishes from two nodes and changes the same announcement
// concurrently.
func TestPublishedOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		const n = 8
		ids := make([]string, n)
		for i := range ids {
			ids[i] = w.write(m{"title": "T", "body": "body", "audience": "DIVISION", "divisionIds": []string{w.oneB},
				"publishAt": w.Now().Add(time.Hour).Format(time.RFC3339Nano)}).Text("id")
		}
		w.Pass(2 * time.Hour)
		var all sync.WaitGroup
		for range 2 {
			all.Go(func() {
				if err := w.Queue.Drain(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Go(func() {
			for _, at := range ids {
				w.Admin("PUT", admin+at, m{"isPinned": true}).OK()
			}
		})
		all.Wait()
		w.Drain()
		if got := strings.Count(w.log(w.ofNoa), "body"); got != n || len(w.pushes("body")) != n {
			t.Errorf("%d entries and %d pushes, want %d each", got, len(w.pushes("body")), n)
		}
	})
}

func TestChange(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		made := w.write(m{"title": "T", "body": "B", "audience": "CLASS", "classIds": []string{w.one},
			"expiresAt": w.Now().Add(time.Hour).Format(time.RFC3339Nano)})
		path := admin + made.Text("id")
		put := func(body m) apptest.Object {
			t.Helper()
			return w.Admin("PUT", path, body).OK()
		}
		if o := put(m{"title": " New "}); o["title"] != "New" || o["body"] != "B" || o["version"] != 2.0 || o["audienceCount"] != 4.0 ||
			o["createdAt"] != made["createdAt"] {
			t.Errorf("changed announcement: got %v", o)
		}
		if o := put(m{"version": 2, "expiresAt": nil, "attachments": []string{w.Upload(w.North.Admin)}}); o["expiresAt"] != nil ||
			len(o["attachments"].([]any)) != 1 {
			t.Errorf("changed announcement: got %v", o)
		}
		w.Admin("PUT", path, m{"version": 2, "title": "Late"}).Want(409, "Conflict")
		// Another audience clears the classes and counts the recipients again.
		if o := put(m{"audience": "DIVISION", "divisionIds": []string{w.oneB, w.twoA}}); len(o["classIds"].([]any)) != 0 ||
			len(o["divisionIds"].([]any)) != 2 || o["audienceCount"] != 3.0 {
			t.Errorf("changed announcement: got %v", o)
		}
		if w.list(w.ofOli, "") != "New" || w.list(w.ofMia, "") != "" || w.log(w.ofOli) != "" {
			t.Errorf("lists and notifications: got %q %q %q", w.list(w.ofOli, ""), w.list(w.ofMia, ""), w.log(w.ofOli))
		}
		apptest.Eq(t, "changed announcement", put(m{"divisionIds": []string{w.twoA}})["audienceCount"], 2.0)
		if o := put(m{"audience": "ALL"}); o["audienceCount"] != 9.0 || len(o["divisionIds"].([]any)) != 0 {
			t.Errorf("changed announcement: got %v", o)
		}
		for _, bad := range []m{{"title": ""}, {"audience": "CLASS"}, {"classIds": []string{w.one}}, {"expiresAt": "2001-01-01T00:00:00Z"}} {
			w.Admin("PUT", path, bad).Want(422, "Unprocessable Entity")
		}
		w.Admin("PUT", path, m{"audience": "CLASS", "classIds": []id.ID{w.NewID()}}).Want(404, "Not Found")

		w.open(w.ofMia, made.Text("id")).OK()
		if r := w.Admin("DELETE", path, nil); r.Status != 204 {
			t.Errorf("DELETE: got %d %s", r.Status, r.Body)
		}
		for _, method := range []string{"GET", "PUT", "DELETE"} {
			w.Admin(method, path, nil).Want(404, "Not Found")
		}
		w.open(w.ofMia, made.Text("id")).Want(404, "Not Found")
		for action, want := range map[string]int{"announcement.create": 1, "announcement.update": 5, "announcement.delete": 1} {
			w.Audited(action, want)
		}
	})
}

// TestClassGoes deletes the class of an announcement, which is allowed.
func TestClassGoes(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		empty := w.Make("class/create", m{"name": "Empty"})
		at := w.write(m{"title": "T", "audience": "CLASS", "classIds": []string{empty, w.two}}).Text("id")
		w.Admin("DELETE", "/school-admin/class/"+empty, nil).OK()
		if o := w.read(at); len(o["classIds"].([]any)) != 1 || o["classIds"].([]any)[0] != w.two {
			t.Errorf("announcement: got %v", o)
		}
	})
}
