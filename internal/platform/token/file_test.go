package token

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/id"
)

func only(t *testing.T, path string) {
	t.Helper()
	files, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 1 || files[0].Name() != filepath.Base(path) {
		t.Errorf("the directory holds %v, want only the keys file", files)
	}
}

func TestLoadFileMakesItOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "data", "keys.json")
	first, err := LoadFile(path, clock.System, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	second, err := LoadFile(path, clock.System, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if fingerprint(first) != fingerprint(second) || len(first.set.Load().keys) != 1 {
		t.Error("the second load returned other keys")
	}
	only(t, path)
	for p, want := range map[string]fs.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		if info, err := os.Stat(p); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want %o", p, info.Mode(), err, want)
		}
	}
}

func TestLoadFileTogether(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data", "keys.json")
	var wg sync.WaitGroup
	got := make([]string, 64)
	for i := range got {
		wg.Go(func() {
			r, err := LoadFile(path, clock.System, rand.Reader)
			if err != nil {
				t.Errorf("load: %v", err)
				return
			}
			got[i] = fingerprint(r)
		})
	}
	wg.Wait()
	for _, g := range got {
		if g != got[0] || g == "" {
			t.Fatal("goroutines got different keys")
		}
	}
	only(t, path)
}

func TestLoadFileFromProcesses(t *testing.T) {
	t.Parallel()
	for range 3 {
		path := filepath.Join(t.TempDir(), "data", "keys.json")
		out := make([]bytes.Buffer, 4)
		var wait []func() error
		for i := range out {
			c := child("load " + path)
			c.Stdout, c.Stderr = &out[i], &out[i]
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			wait = append(wait, c.Wait)
		}
		for i, w := range wait {
			if err := w(); err != nil {
				t.Fatalf("child process: %v: %s", err, &out[i])
			}
		}
		for i := range out {
			if out[i].String() != out[0].String() || out[i].Len() < 64 {
				t.Fatalf("processes got different keys:\n%s\n%s", &out[i], &out[0])
			}
		}
		only(t, path)
	}
}

func TestLoadFileRefuses(t *testing.T) {
	t.Parallel()
	good, err := os.ReadFile(newFile(t))
	if err != nil {
		t.Fatal(err)
	}
	weak := strings.Replace(string(good), `"secret": "`, `"secret": "AAAA", "x": "`, 1)
	for _, c := range []struct {
		name, content string
		mode          fs.FileMode
		wantErr       string
	}{
		{"mode 0600", string(good), 0o600, ""},
		{"mode 0400", string(good), 0o400, ""},
		{"group reads", string(good), 0o640, "(mode 0640); run: chmod 600 "},
		{"others read", string(good), 0o604, "run: chmod 600 "},
		{"all read", string(good), 0o644, "run: chmod 600 "},
		{"group writes", string(good), 0o620, "run: chmod 600 "},
		{"empty", "", 0o600, "is not a keys file; restore it from a backup"},
		{"cut off", string(good[:len(good)/2]), 0o600, "is not a keys file"},
		{"no keys", `{"keys":[]}`, 0o600, "at least one key is required"},
		{"short secret", weak, 0o600, "secret of key 1 has 3 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "keys.json")
			if err := errors.Join(os.WriteFile(path, []byte(c.content), 0o600), os.Chmod(path, c.mode)); err != nil {
				t.Fatal(err)
			}
			_, err := LoadFile(path, clock.System, rand.Reader)
			if c.wantErr == "" {
				if err != nil {
					t.Errorf("load: %v", err)
				}
			} else if err == nil || !strings.Contains(err.Error(), c.wantErr) || !strings.Contains(err.Error(), path) {
				t.Errorf("error %v, want one with the path and %q", err, c.wantErr)
			}
			if after, _ := os.ReadFile(path); string(after) != c.content {
				t.Error("the file was changed")
			}
		})
	}
}

func TestLoadFileWithoutRandomness(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "keys.json")
	if _, err := LoadFile(path, clock.System, iotest.ErrReader(fs.ErrPermission)); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("load without randomness: got %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a file was created without randomness")
	}
}

func newFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "keys.json")
	if _, err := LoadFile(path, newHand().now, rand.Reader); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRotationKeepsTokensAlive(t *testing.T) {
	t.Parallel()
	path, h := newFile(t), newHand()
	ring, err := LoadFile(path, h.now, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	s := &Signer{Ring: ring, Now: h.now, Rand: rand.Reader}
	rotate := func(wantKeys int) {
		t.Helper()
		keys, err := RotateFile(path, h.now, rand.Reader, KeepKeys)
		if err != nil || len(keys) != wantKeys {
			t.Fatalf("%d keys, %v, want %d", len(keys), err, wantKeys)
		}
		changed, err := ring.Reload(path)
		if err != nil || !changed || ring.set.Load().keys[0].ID != keys[0].ID {
			t.Fatalf("reload: %v, %v", changed, err)
		}
		only(t, path)
	}
	check := func(when, raw string, want error) {
		t.Helper()
		if _, err := s.VerifyRefresh(raw); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", when, err, want)
		}
	}
	h.add(30 * 24 * time.Hour) // age alone is no reason to drop a key
	raw, err := s.SignRefresh(Refresh{User: id.New(), Session: id.New()})
	if err != nil {
		t.Fatal(err)
	}
	rotate(2)
	check("after a rotation", raw, nil)
	h.add(RefreshLife - time.Second)
	check("just before its end", raw, nil)
	h.add(time.Second)
	check("at its end", raw, ErrExpired)
	h.add(AccessLife)
	rotate(3) // superseded exactly KeepKeys ago: not more
	check("its key still there", raw, ErrExpired)
	h.add(time.Millisecond)
	rotate(3) // the first key is gone, the second was superseded a moment ago
	check("its key gone", raw, ErrInvalid)
	h.add(KeepKeys + time.Second)
	rotate(2)
	if changed, err := ring.Reload(path); changed || err != nil {
		t.Errorf("reload of the same keys: %v, %v", changed, err)
	}
}

func TestRotateFileLeavesNoTrace(t *testing.T) {
	t.Parallel()
	path := newFile(t)
	before, _ := os.ReadFile(path)
	if _, err := RotateFile(path, clock.System, iotest.ErrReader(fs.ErrClosed), KeepKeys); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("rotate without randomness: got %v", err)
	}
	only(t, path)
	missing := filepath.Join(t.TempDir(), "keys.json")
	if _, err := RotateFile(missing, clock.System, rand.Reader, KeepKeys); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("rotate a missing file: got %v", err)
	}
	if files, _ := os.ReadDir(filepath.Dir(missing)); len(files) != 0 {
		t.Error("a failed rotation left a file")
	}
	if err := os.WriteFile(path+".new", []byte("of another"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := RotateFile(path, clock.System, rand.Reader, KeepKeys); err == nil || !strings.Contains(err.Error(), "delete "+path+".new") {
		t.Errorf("error %v does not say what to do", err)
	}
	if other, _ := os.ReadFile(path + ".new"); string(other) != "of another" {
		t.Error("the other process's file was changed")
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("the keys changed")
	}
}

func TestRotateFileTogether(t *testing.T) {
	t.Parallel()
	path := newFile(t)
	var wg sync.WaitGroup
	won := make(chan string, 32)
	for range cap(won) {
		wg.Go(func() {
			if keys, err := RotateFile(path, clock.System, rand.Reader, KeepKeys); err == nil {
				won <- keys[0].ID
			} else if !errors.Is(err, fs.ErrExist) {
				t.Errorf("rotate: %v", err)
			}
		})
	}
	wg.Wait()
	close(won)
	r, err := LoadFile(path, clock.System, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	n := 1
	for kid := range won {
		n++
		if !strings.Contains(fingerprint(r), kid+":") {
			t.Errorf("key %s was lost", kid)
		}
	}
	if n < 2 || len(r.set.Load().keys) != n {
		t.Errorf("%d keys after %d rotations", len(r.set.Load().keys), n-1)
	}
	only(t, path)
}

func TestReloadKeepsTheRingOnError(t *testing.T) {
	t.Parallel()
	path := newFile(t)
	r, err := LoadFile(path, clock.System, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	before := fingerprint(r)
	if err := os.WriteFile(path, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if changed, err := r.Reload(path); changed || err == nil {
		t.Errorf("reload: %v, %v", changed, err)
	}
	if fingerprint(r) != before {
		t.Error("the ring changed")
	}
}
