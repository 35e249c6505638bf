package system_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/platform/blob/s3fake"
)

// A backup is copied to S3 after its check: a damaged one is not there, and pushes out no
// good one. One without its copy is not done, and a retry copies it.
func TestCopy(t *testing.T) {
	fakes := map[string]*s3fake.Server{}
	for _, engine := range []string{"sqlite", "postgres"} {
		fakes[engine] = s3fake.New()
		t.Cleanup(fakes[engine].Close)
	}
	worlds(t, func(t *testing.T, w *apptest.World) {
		fake, dir := fakes[w.DB.Engine()], filepath.Join(w.Data, "backups")
		end := func(want string) apptest.Object {
			t.Helper()
			drain(w)
			b := w.As(w.Super, "GET", listPath, nil).OK().Items()[0]
			apptest.Eq(t, "state", strings.TrimSpace(b.Text("state")+" "+b.Text("failure")), want)
			w.Clock.Add(time.Minute)
			return b
		}
		kept := func(what string, copied apptest.Object, files int) {
			t.Helper()
			apptest.Eq(t, "copies "+what, fake.Keys(), []string{"archive/" + filepath.Base(fileOf(t, dir, copied))})
			apptest.Eq(t, "files "+what, len(entries(t, dir)), files)
		}
		makes := func() apptest.Object { return w.As(w.Super, "POST", createPath, nil).OK() }
		makes()
		good := end("DONE")
		kept("of a good one", good, 1)

		bad := makes()
		if err := os.WriteFile(fileOf(t, dir, bad), []byte("cut off"), 0o600); err != nil {
			t.Fatal(err)
		}
		end("FAILED NOT_RESTORABLE")
		kept("after a damaged one", good, 1)

		down := true
		fake.Fail(func(rw http.ResponseWriter, r *http.Request) bool {
			if down && r.Method == http.MethodPut {
				rw.WriteHeader(http.StatusForbidden)
			}
			return down && r.Method == http.MethodPut
		})
		makes()
		end("FAILED OTHER")
		kept("without S3", good, 2)
		down = false
		job := w.As(w.Super, "GET", "/super-admin/job/list?sort=createdAt&order=desc", nil).OK().Items()[0]
		w.As(w.Super, "POST", "/super-admin/job/retry", apptest.M{"schoolId": job["schoolId"], "jobId": job["id"]}).OK()
		good = end("DONE")
		kept("after a retry", good, 1)

		down = true
		makes()
		end("FAILED OTHER")
		kept("without S3 again", good, 2)
		down = false
		makes()
		kept("in the end", end("DONE"), 1)
	}, func(c *app.Config) {
		c.BackupKeep = 1
		c.BackupS3Endpoint, c.BackupS3Bucket, c.BackupS3Region = fakes[c.URL().Engine()].URL, s3fake.Bucket, s3fake.Region
		c.BackupS3AccessKey, c.BackupS3SecretKey, c.BackupS3PathStyle = s3fake.AccessKey, s3fake.SecretKey, true
	})
}

// fileOf returns the name of a backup's file.
func fileOf(t *testing.T, dir string, b apptest.Object) string {
	t.Helper()
	at, err := time.Parse(time.RFC3339, b.Text("createdAt"))
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "homeroom-"+at.UTC().Format("20060102-150405")+"-"+b.Text("id")[28:]+".tar.gz")
}
