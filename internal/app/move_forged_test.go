package app_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"maps"
	"path/filepath"
	"strings"
	"testing"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/token"
)

// forged returns an export with other rows of a table, and a manifest that fits them.
func forged(t *testing.T, good map[string]string, table string, change func(string) string) map[string]string {
	t.Helper()
	name, bad := "tables/"+table+".jsonl", maps.Clone(good)
	bad[name] = change(good[name])
	if bad[name] == good[name] {
		t.Fatalf("%s is unchanged: %s", table, good[name])
	}
	var m map[string]any
	if err := json.Unmarshal([]byte(good["manifest.json"]), &m); err != nil {
		t.Fatal(err)
	}
	for _, e := range m["tables"].([]any) {
		if e := e.(map[string]any); e["name"] == table {
			sum := sha256.Sum256([]byte(bad[name]))
			e["rows"], e["bytes"], e["sha256"] = strings.Count(bad[name], "\n")-1, len(bad[name]), hex.EncodeToString(sum[:])
		}
	}
	text, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	bad["manifest.json"] = string(text)
	return bad
}

// sealed encrypts a text as the source does.
func sealed(t *testing.T, purpose, plain string) string {
	t.Helper()
	keys, err := token.ParseRing(apptest.TestKeys)
	if err != nil {
		t.Fatal(err)
	}
	out, err := keys.Seal(purpose, []byte(plain))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestImportOfForgedSchool imports files of a school that wants more than a school has: an account of a super-administrator,
// jobs that run at once, and jobs of the platform, such as the one that deletes all files of any school. Others have what
// would break the calls of all schools.
func TestImportOfForgedSchool(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			source, dir := install(t, "sqlite"), t.TempDir()
			north := source.one(t, `SELECT code FROM schools WHERE id = :id`, db.Args{"id": source.North.ID})
			const job = `INSERT INTO jobs (school_id, id, kind, payload, state, run_at, created_at)
				VALUES (:school, :id, 'notify.deliver', '{"school":"1"}', 'held', :now, :now)`
			source.exec(t, job, db.Args{"school": source.North.ID, "id": source.NewID(), "now": source.Now()})
			source.exec(t, `INSERT INTO webhooks (school_id, id, name, url, events, secret, old_secret, status, problem, created_at, updated_at)
				VALUES (:school, :id, 'n', 'https://example.org', '["event.created"]', :secret, '', 'ACTIVE', '', :now, :now)`,
				db.Args{"school": source.North.ID, "id": source.NewID(), "now": source.Now(), "secret": sealed(t, "webhook", "whsec_x")})
			file := filepath.Join(dir, "good.zip")
			source.export(t, north, file)
			good := content(t, file)
			target := install(t, engine)
			target.exec(t, `UPDATE schools SET code = 'OTHER' WHERE code = :code`, db.Args{"code": north})
			target.exec(t, `DELETE FROM email_logins WHERE TRUE`, nil)
			refused := func(name, old, new string, tables ...string) {
				t.Helper()
				files, bad := good, filepath.Join(dir, "bad.zip")
				for _, table := range tables {
					files = forged(t, files, table, func(s string) string { return strings.ReplaceAll(s, old, new) })
				}
				pack(t, bad, files)
				_, err := app.ImportSchool(t.Context(), target.store, move(bad))
				if err == nil || !strings.Contains(err.Error(), "as in no school") {
					t.Errorf("%s: %v", name, err)
				}
				if n := target.one(t, `SELECT COUNT(*) FROM schools WHERE code = :code`, db.Args{"code": north}); n != "0" {
					t.Fatalf("%s: the school was written", name)
				}
			}
			refused("a super-administrator", `"SCHOOL_ADMIN"`, `"SUPER_ADMIN"`, "roles", "users")
			refused("a job that waits", `"held"`, `"waiting"`, "jobs")
			refused("a job of the platform", "notify.deliver", "file.forget-school", "jobs")
			refused("a day after which no day comes", source.one(t, `SELECT end_date FROM academic_years WHERE school_id = :id`,
				db.Args{"id": source.North.ID}), "9999-12-31", "academic_years")
			refused("settings that the list of schools can't read", `"weekendDays":[6,7]`, `"weekendDays":"never"`, "schools")
			refused("events that no school's changes can be compared with", `["event.created"]`, `{"event.created":true}`, "webhooks")
		})
	}
}
