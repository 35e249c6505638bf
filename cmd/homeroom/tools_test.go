package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/db/dbtest"
)

func TestAdminCreateThenLogin(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			h := newInstallation(t, engine, false) // on an empty database, as at the first setup
			h.createAdmin(t)
			s := h.serve(t)
			s.login(t)
			file := filepath.Join(h.dir, "password")
			if err := os.WriteFile(file, []byte("from-a-file-1\nsecond line\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			h.must(t, "admin", "create", "--email=bob@example.org", "--name=Bob", "--password-file="+file)
			status, reply, err := s.call(t.Context(), "", "POST", "/auth/login", `{"email":"bob@example.org","password":"from-a-file-1"}`)
			if err != nil || status != 200 {
				t.Errorf("login of an admin created while the server runs: %d %v %v", status, reply, err)
			}
			for name, tt := range map[string]struct {
				args []string
				env  string
				want string
			}{
				"again":        {[]string{"--email=ADA@example.org", "--name=Ada"}, "", "Another administrator has this e-mail"},
				"short":        {[]string{"--email=c@example.org", "--name=Cy"}, passwordEnv + "=123456789", "at least 10"},
				"not e-mail":   {[]string{"--email=nobody", "--name=Cy"}, "", "e-mail"},
				"no such file": {[]string{"--email=c@example.org", "--name=Cy", "--password-file=none"}, "", "none"},
			} {
				cmd := h.command(t, append([]string{"admin", "create"}, tt.args...)...)
				cmd.Env = append(cmd.Env, tt.env)
				out, errs, code := finish(t, cmd)
				if code != 1 || !strings.Contains(errs, tt.want) {
					t.Errorf("%s: exit %d\n%s%s", name, code, out, errs)
				}
				if strings.Contains(out+errs, password) || strings.Contains(out+errs, "123456789") {
					t.Errorf("%s: the password is printed:\n%s%s", name, out, errs)
				}
			}
		})
	}
}

func TestAdminCreateNeedsAPassword(t *testing.T) {
	t.Parallel()
	cmd := newInstallation(t, "sqlite", false).command(t, "admin", "create", "--email=a@example.org", "--name=Ada")
	for i, v := range cmd.Env {
		if strings.HasPrefix(v, passwordEnv) {
			cmd.Env[i] = "X="
		}
	}
	if _, errs, code := finish(t, cmd); code != 2 || !strings.Contains(errs, passwordEnv) {
		t.Errorf("admin create without a password: exit %d, want 2: %s", code, errs)
	}
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			h := newInstallation(t, engine, false)
			if out := h.must(t, "migrate", "status"); !strings.Contains(out, "0001_school") || strings.Contains(out, "applied") {
				t.Errorf("status before:\n%s", out)
			}
			if out := h.must(t, "migrate", "up"); !strings.Contains(out, "applied 0001_school") {
				t.Errorf("up:\n%s", out)
			}
			if out := h.must(t, "migrate", "up"); !strings.Contains(out, "current") {
				t.Errorf("up again:\n%s", out)
			}
			if out := h.must(t, "migrate", "status"); strings.Contains(out, "pending") || !strings.Contains(out, "applied 20") {
				t.Errorf("status after:\n%s", out)
			}
		})
	}
}

func TestKeysRotate(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, h installation) {
		h.createAdmin(t)
		s := h.serve(t)
		old := s.login(t)
		out := h.must(t, "keys", "rotate")
		if !strings.Contains(out, fmt.Sprintf("process %d", s.cmd.Process.Pid)) || !strings.Contains(out, "2 keys") {
			t.Errorf("keys rotate prints:\n%s", out)
		}
		await.Until(t, "the new keys", func() bool { return strings.Contains(s.log(), "keys reloaded") })
		fresh := s.login(t)
		if kid(t, old) == kid(t, fresh) || !strings.Contains(out, kid(t, fresh)) {
			t.Errorf("the new token is signed with %s, the old one with %s: %s", kid(t, fresh), kid(t, old), out)
		}
		for _, token := range []string{old, fresh} {
			if status, reply, err := s.call(t.Context(), token, "GET", "/auth/me", ""); err != nil || status != 200 {
				t.Errorf("a token stopped working: %d %v %v", status, reply, err)
			}
		}
		s.stop(t)
		if out := h.must(t, "keys", "rotate"); !strings.Contains(out, "No server runs") {
			t.Errorf("keys rotate without a server prints:\n%s", out)
		}
	})
}

// TestRotatePush makes a new Web Push key each time, while the service runs or not.
func TestRotatePush(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, h installation) {
		for range 2 {
			if out := h.must(t, "keys", "rotate-push"); !strings.Contains(out, "new key") || !strings.Contains(out, "browsers: 0") {
				t.Errorf("keys rotate-push prints:\n%s", out)
			}
		}
		s := h.serve(t)
		h.must(t, "keys", "rotate-push")
		s.stop(t)
	})
}

// kid returns the id of the key that signed a token.
func kid(t *testing.T, token string) string {
	t.Helper()
	head, _, _ := strings.Cut(token, ".")
	text, err := base64.RawURLEncoding.DecodeString(head)
	if err != nil {
		t.Fatal(err)
	}
	var h struct{ Kid string }
	if err := json.Unmarshal(text, &h); err != nil {
		t.Fatal(err)
	}
	return h.Kid
}

// TestBackupWhileWriting restores a backup that was made under load. It must
// contain all writes acknowledged before the backup started.
func TestBackupWhileWriting(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, h installation) {
		h.createAdmin(t)
		s := h.serve(t)
		token := s.login(t)
		var made atomic.Int64
		end := make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			for n := 1; ; n++ {
				select {
				case <-end:
					return
				default:
				}
				body := fmt.Sprintf(`{"data":{"name":"School %d","code":"S-%05d"}}`, n, n)
				if status, reply, err := s.call(t.Context(), token, "POST", "/super-admin/school/create", body); err != nil || status != 201 {
					t.Errorf("create: %d %v %v", status, reply, err)
					return
				}
				made.Store(int64(n))
			}
		})
		await.Until(t, "ten schools", func() bool { return made.Load() >= 10 || t.Failed() })
		before := made.Load()
		file := filepath.Join(h.dir, "b.tar.gz")
		h.must(t, "backup", file)
		after := made.Load()
		close(end)
		wg.Wait()
		s.stop(t)

		engine, _, _ := strings.Cut(h.url, ":")
		other := newInstallation(t, engine, false)
		other.must(t, "restore", file)
		restored := other.serve(t)
		token = restored.login(t) // the restored password works
		status, reply, err := restored.call(t.Context(), token, "GET", "/super-admin/school/list?limit=1", "")
		if err != nil || status != 200 {
			t.Fatalf("list: %d %v %v", status, reply, err)
		}
		total := int64(reply["data"].(map[string]any)["total"].(float64))
		if total < before || total > after+1 {
			t.Errorf("%d schools were restored; %d were there before the backup and %d after it", total, before, after)
		}
		status, reply, err = restored.call(t.Context(), token, "GET", fmt.Sprintf("/super-admin/school/list?search=S-%05d", total), "")
		if err != nil || status != 200 || reply["data"].(map[string]any)["total"].(float64) != 1 {
			t.Errorf("the last restored school is missing: %d %v %v", status, reply, err)
		}
		if _, errs, code := other.run(t, "restore", "--force", file); code != 1 || !strings.Contains(errs, "homeroom serve") {
			t.Errorf("restore under a running server: exit %d\n%s", code, errs)
		}
	})
}

func TestRestoreRefusesADamagedFile(t *testing.T) {
	t.Parallel()
	h := newInstallation(t, "sqlite", false)
	h.createAdmin(t)
	file := filepath.Join(h.dir, "b.tar.gz")
	h.must(t, "backup", file)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 64 { // one flipped bit may unpack to the same bytes, such as a copy of other zeros
		text[len(text)/2+i] ^= 0x55
	}
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	was, err := os.ReadFile(filepath.Join(h.dir, "homeroom.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, errs, code := h.run(t, "restore", "--force", file); code != 1 || !strings.Contains(errs, "damaged") {
		t.Errorf("restore of a damaged file: exit %d, want 1\n%s", code, errs)
	}
	is, err := os.ReadFile(filepath.Join(h.dir, "homeroom.db"))
	if err != nil || !bytes.Equal(was, is) {
		t.Errorf("the database was changed: %v", err)
	}
}
