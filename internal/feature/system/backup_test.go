package system_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
)

const (
	listPath   = "/super-admin/backup/list"
	createPath = "/super-admin/backup/create"
)

func drain(w *apptest.World) {
	w.Helper()
	if err := w.Queue.Drain(w.Context()); err != nil {
		w.Fatal(err)
	}
}

// makes makes a backup and returns it.
func makes(w *apptest.World) apptest.Object {
	w.Helper()
	w.As(w.Super, "POST", createPath, nil).OK()
	drain(w)
	return w.As(w.Super, "GET", listPath, nil).OK().Items()[0]
}

func TestBackup(t *testing.T) {
	worlds(t, func(t *testing.T, w *apptest.World) {
		begun := w.As(w.Super, "POST", createPath, nil)
		if b := begun.OK(); begun.Status != 201 || b.Text("state") != "RUNNING" || b["size"] != nil || b["downloadable"] != false {
			t.Errorf("the new backup: %s", begun.Body)
		}
		w.As(w.Super, "POST", "/super-admin/backup/"+begun.OK().Text("id")+"/link", nil).Want(404, "Not Found")
		drain(w)
		list := w.As(w.Super, "GET", listPath, nil)
		b := list.OK().Items()[0]
		if b.Text("state") != "DONE" || b["size"].(float64) < 1000 || b["downloadable"] != true || b.Text("engine") != w.DB.Engine() ||
			b.Text("createdByName") == "" || b.Text("finishedAt") == "" || b["failure"] != nil {
			t.Errorf("the backup: %s", list.Body)
		}
		list.HasNot(w.Data, "postgres://", "sqlite:", "homeroom_test", ".tar.gz")

		file := w.As(w.Super, "GET", "/super-admin/backup/"+b.Text("id")+"/file", nil)
		checkArchive(t, file)
		for _, action := range []string{"backup.create", "backup.download"} {
			log := w.As(w.Super, "GET", "/super-admin/audit/list?action="+action, nil).OK().Texts("entityId")
			apptest.Eq(t, action, log, []string{b.Text("id")})
		}
		w.As(w.Super, "GET", "/super-admin/system/status", nil).Has(`"lastBackup":{"id":"` + b.Text("id"))
		w.As(w.Super, "GET", "/super-admin/backup/"+string(w.NewID())+"/file", nil).Want(404, "Not Found")
		for _, who := range []*apptest.Account{w.North.Admin, w.North.Teacher, w.North.Parent, w.North.Driver, nil} {
			for _, path := range []string{"/file", "/link"} {
				method := map[string]string{"/file": "GET", "/link": "POST"}[path]
				if r := w.As(who, method, "/super-admin/backup/"+b.Text("id")+path, nil); r.Status != 403 && r.Status != 401 {
					t.Errorf("%s as %v: %d", path, who, r.Status)
				}
			}
		}
	})
}

// checkArchive checks that a download is a complete backup.
func checkArchive(t *testing.T, r apptest.Reply) {
	t.Helper()
	if r.Status != 200 || r.Header.Get("Content-Type") != "application/gzip" || r.Header.Get("Cache-Control") != "no-store" ||
		!strings.Contains(r.Header.Get("Content-Disposition"), "homeroom-2") {
		t.Fatalf("the download: %d %v", r.Status, r.Header)
	}
	z, err := gzip.NewReader(bytes.NewReader(r.Body))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for archive := tar.NewReader(z); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, h.Name)
	}
	if !slices.Contains(names, "manifest.json") || !slices.Contains(names, "homeroom.db") && !slices.Contains(names, "homeroom.pgdump") {
		t.Errorf("the backup contains %v", names)
	}
}

// TestLink uses the URL for browsers, in every way that must not work, too.
func TestLink(t *testing.T) {
	worlds(t, func(t *testing.T, w *apptest.World) {
		b, other := makes(w), makes(w)
		ask := func(of apptest.Object) string {
			return w.As(w.Super, "POST", "/super-admin/backup/"+of.Text("id")+"/link", nil).OK().Text("url")
		}
		url := ask(b)
		checkArchive(t, w.As(nil, "GET", url, nil))
		log := w.As(w.Super, "GET", "/super-admin/audit/list?action=backup.download", nil).OK().Items()
		if len(log) != 1 || log[0].Text("userId") != w.Super.ID.String() || log[0].Text("ip") == "" {
			t.Errorf("audit log of the download: %v", log)
		}
		denied := func(what, url string) {
			t.Helper()
			if r := w.As(nil, "GET", url, nil); r.Status != 403 || r.Header.Get("Content-Type") == "application/gzip" {
				t.Errorf("%s: %d", what, r.Status)
			}
		}
		denied("another backup", strings.Replace(url, b.Text("id"), other.Text("id"), 1))
		denied("another user", strings.Replace(url, "user="+w.Super.ID.String(), "user="+w.North.Admin.ID.String(), 1))
		denied("no signature", strings.Split(url, "signature=")[0]+"signature=")
		denied("a longer life", strings.Replace(url, "expires=", "expires=9", 1))
		w.As(nil, "GET", strings.Split(url, "?")[0], nil).Want(401, "Unauthorized")

		w.Clock.Add(61 * time.Second)
		denied("too late", url)
		url = ask(other)
		w.As(w.Super, "POST", "/auth/logout", nil).OK()
		denied("after signing out", url)
	})
}

func TestOneBackupAtATime(t *testing.T) {
	worlds(t, func(t *testing.T, w *apptest.World) {
		var all sync.WaitGroup
		statuses := make([]int, 8)
		for i := range statuses {
			all.Go(func() { statuses[i] = w.As(w.Super, "POST", createPath, nil).Status })
		}
		all.Wait()
		slices.Sort(statuses)
		apptest.Eq(t, "eight at once", statuses, []int{201, 409, 409, 409, 409, 409, 409, 409})
		drain(w)
		w.As(w.Super, "POST", createPath, nil).OK()
	})
}

func TestOldBackupsAreDeleted(t *testing.T) {
	worlds(t, func(t *testing.T, w *apptest.World) {
		for range 3 {
			makes(w)
			w.Clock.Add(time.Minute)
		}
		apptest.Eq(t, "backups", len(w.As(w.Super, "GET", listPath, nil).OK().Items()), 2)
		files, err := filepath.Glob(filepath.Join(w.Data, "backups", "*"))
		if err != nil || len(files) != 2 {
			t.Errorf("files: %v, %v, want 2", files, err)
		}
	}, func(c *app.Config) { c.BackupKeep = 2 })
}

// TestBackupFails makes a backup where it can't be written. It says so without the path,
// and a retry of the job makes the backup.
func TestBackupFails(t *testing.T) {
	worlds(t, func(t *testing.T, w *apptest.World) {
		dir := filepath.Join(w.Data, "backups")
		if err := os.WriteFile(dir, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		b := makes(w)
		apptest.Eq(t, "state and reason", b.Text("state")+" "+b.Text("failure"), "FAILED NOT_WRITABLE")
		w.As(w.Super, "POST", "/super-admin/backup/"+b.Text("id")+"/link", nil).Want(404, "Not Found")
		dead := w.As(w.Super, "GET", "/super-admin/job/list", nil)
		dead.HasNot(w.Data)
		if err := os.Remove(dir); err != nil {
			t.Fatal(err)
		}
		job := dead.OK().Items()[0]
		w.As(w.Super, "POST", "/super-admin/job/retry", apptest.M{"schoolId": job["schoolId"], "jobId": job["id"]}).OK()
		drain(w)
		b = w.As(w.Super, "GET", listPath, nil).OK().Items()[0]
		apptest.Eq(t, "state after the retry", b.Text("state"), "DONE")
		if err := os.Remove(filepath.Join(dir, entries(t, dir)[0])); err != nil {
			t.Fatal(err)
		}
		apptest.Eq(t, "downloadable without the file", w.As(w.Super, "GET", listPath, nil).OK().Items()[0]["downloadable"], any(false))
		w.As(w.Super, "GET", "/super-admin/backup/"+b.Text("id")+"/file", nil).Want(404, "Not Found")
	})
}

func entries(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// TestSchedule makes a backup when it is due, checks it, and says if none comes.
func TestSchedule(t *testing.T) {
	worlds(t, func(t *testing.T, w *apptest.World) {
		drain(w)
		drain(w)
		first := w.As(w.Super, "GET", listPath, nil).OK().Items()
		if len(first) != 1 || first[0].Text("state") != "DONE" || first[0]["createdBy"] != nil || first[0].Text("checkedAt") == "" {
			t.Fatalf("the backup on schedule: %v", first)
		}
		drain(w)
		apptest.Eq(t, "backups within the period", len(w.As(w.Super, "GET", listPath, nil).OK().Items()), 1)
		w.Clock.Add(25 * time.Hour)
		w.SignIn(t, w.Super)
		drain(w)
		drain(w)
		apptest.Eq(t, "backups a day later", len(w.As(w.Super, "GET", listPath, nil).OK().Items()), 2)
	}, func(c *app.Config) { c.BackupEvery = 24 * time.Hour })
}
