package blob_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"homeroom/internal/platform/blob"
	"homeroom/internal/platform/blob/s3fake"
)

func section(b []byte) *io.SectionReader {
	return io.NewSectionReader(bytes.NewReader(b), 0, int64(len(b)))
}

// each runs a test on both stores.
func each(t *testing.T, test func(t *testing.T, s blob.Store)) {
	t.Run("disk", func(t *testing.T) {
		t.Parallel()
		test(t, disk(t, t.TempDir()))
	})
	t.Run("s3", func(t *testing.T) {
		t.Parallel()
		s, _ := s3(t, s3fake.SecretKey)
		test(t, s)
	})
}

func disk(t *testing.T, dir string) *blob.Disk {
	t.Helper()
	d, err := blob.OpenDisk(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func s3(t *testing.T, secret string) (*blob.S3, *s3fake.Server) {
	t.Helper()
	fake := s3fake.New()
	t.Cleanup(fake.Close)
	s, err := blob.OpenS3(blob.S3Options{Endpoint: fake.URL, Bucket: s3fake.Bucket, Region: s3fake.Region,
		AccessKey: s3fake.AccessKey, SecretKey: secret, PathStyle: true})
	if err != nil {
		t.Fatal(err)
	}
	return s, fake
}

func keys(t *testing.T, s blob.Store) []string {
	t.Helper()
	out := []string{}
	if err := s.Walk(t.Context(), func(b blob.Blob) error {
		if b.At.IsZero() {
			t.Errorf("%s has no time", b.Key)
		}
		out = append(out, b.Key)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	slices.Sort(out)
	return out
}

func TestStore(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, s blob.Store) {
		big := bytes.Repeat([]byte("0123456789"), 3<<20) // 30 MiB: in parts
		for key, content := range map[string][]byte{"school/ab/one": []byte("first"), "school/cd/two": big, "other/ab/empty": {}} {
			if err := s.Put(t.Context(), key, section(content)); err != nil {
				t.Fatalf("put %s: %v", key, err)
			}
			r, err := s.Open(t.Context(), key, int64(len(content)))
			if err != nil {
				t.Fatalf("open %s: %v", key, err)
			}
			if got, err := io.ReadAll(r); err != nil || !bytes.Equal(got, content) {
				t.Errorf("%s: read %d bytes, %v", key, len(got), err)
			}
			_ = r.Close()
		}
		if got, want := keys(t, s), []string{"other/ab/empty", "school/ab/one", "school/cd/two"}; !slices.Equal(got, want) {
			t.Errorf("walk found %q", got)
		}
		seeks(t, s, int64(len(big)))
		interrupted(t, s)
		for range 2 { // the second time they are missing
			if err := s.Delete(t.Context(), "school/cd/two", "school/ab/one"); err != nil {
				t.Errorf("delete: %v", err)
			}
		}
		if _, err := s.Open(t.Context(), "school/ab/one", 5); !errors.Is(err, blob.ErrNotFound) {
			t.Errorf("open a deleted blob: %v", err)
		}
		for _, bad := range []string{"", "/a", "a//b", "../a", "a/../b", "a/", ".a", "a b", `a\b`} {
			if err := s.Put(t.Context(), bad, section(nil)); err == nil {
				t.Errorf("invalid key %q was accepted", bad)
			}
		}
	})
}

// seeks reads ranges of a blob, like a video player.
func seeks(t *testing.T, s blob.Store, size int64) {
	t.Helper()
	r, err := s.Open(t.Context(), "school/cd/two", size)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if n, err := r.Seek(0, io.SeekEnd); n != size || err != nil {
		t.Errorf("seek to the end: %d, %v", n, err)
	}
	for _, at := range []int64{0, 13, size - 3, 5 << 20} {
		b := make([]byte, 3)
		if _, err := r.Seek(at, io.SeekStart); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(r, b); err != nil || string(b) != "01234567890123"[at%10:][:3] {
			t.Errorf("read at %d: %q, %v", at, b, err)
		}
	}
}

// interrupted cancels a multipart put: nothing is stored.
func interrupted(t *testing.T, s blob.Store) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	r := io.NewSectionReader(&pulled{stop: stop}, 0, 40<<20)
	if err := s.Put(ctx, "school/ef/three", r); err == nil {
		t.Error("a cancelled put succeeded")
	}
	if got := keys(t, s); slices.Contains(got, "school/ef/three") || len(got) != 3 {
		t.Errorf("keys after a cancelled put: %q", got)
	}
}

// pulled is a file whose sender disconnects.
type pulled struct{ stop func() }

func (p *pulled) ReadAt(b []byte, at int64) (int, error) {
	if at > 20<<20 {
		p.stop()
	}
	return len(b), nil
}

type failing struct {
	w    io.Writer
	left int
}

func (f *failing) Write(p []byte) (int, error) {
	if len(p) > f.left {
		n, _ := f.w.Write(p[:f.left])
		return n, &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	}
	f.left -= len(p)
	return f.w.Write(p)
}

// TestFull writes to a disk with space for half of it.
func TestFull(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := disk(t, dir)
	d.Through = func(w io.Writer) io.Writer { return &failing{w, 100 << 10} }
	if err := d.Put(t.Context(), "school/ab/one", section(make([]byte, 200<<10))); !errors.Is(err, blob.ErrFull) {
		t.Errorf("put on a full disk: %v", err)
	}
	if got := keys(t, d); len(got) > 0 {
		t.Errorf("keys on a full disk: %q", got)
	}
	if err := d.Put(t.Context(), "school/ab/small", section(make([]byte, 10))); err != nil {
		t.Errorf("put of a smaller blob: %v", err)
	}
}

// TestLeftovers lists leftovers of a crash, and refuses symlinks out of the directory.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := disk(t, dir)
	if err := os.WriteFile(filepath.Join(dir, "draft", "HALF"), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := keys(t, d); !slices.Equal(got, []string{"draft/HALF"}) {
		t.Errorf("walk found %q", got)
	}
	if err := d.Delete(t.Context(), "draft/HALF"); err != nil || len(keys(t, d)) > 0 {
		t.Errorf("delete a draft: %v", err)
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	if err := d.Put(t.Context(), "out/there", section([]byte("x"))); err == nil {
		t.Error("a symlink out of the directory was followed")
	}
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := d.Put(ctx, "school/ab/one", section([]byte("x"))); !errors.Is(err, context.Canceled) || len(keys(t, d)) > 1 {
		t.Errorf("put after Close: %v", err)
	}
}

// TestS3Refusals tests wrong keys, a full store, and a temporary failure.
func TestS3Refusals(t *testing.T) {
	t.Parallel()
	stranger, fake := s3(t, "another secret")
	if err := stranger.Put(t.Context(), "school/ab/one", section([]byte("x"))); err == nil || len(fake.Keys()) > 0 {
		t.Errorf("put with a wrong key: %v", err)
	}
	if err := stranger.Ready(t.Context()); err == nil {
		t.Error("Ready succeeded with a wrong key")
	}
	s, fake := s3(t, s3fake.SecretKey)
	if err := s.Ready(t.Context()); err != nil {
		t.Errorf("ready: %v", err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	if err := s.Put(ctx, "school/ab/big", io.NewSectionReader(&pulled{stop: stop}, 0, 40<<20)); err == nil || fake.Unfinished() != 0 {
		t.Errorf("cancelled upload: %v, %d unfinished uploads", err, fake.Unfinished())
	}
	fake.Fail(func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == "PUT" {
			w.WriteHeader(http.StatusInsufficientStorage)
			_, _ = io.WriteString(w, "<Error><Code>XMinioStorageFull</Code></Error>")
		}
		return r.Method == "PUT"
	})
	if err := s.Put(t.Context(), "school/ab/one", section([]byte("x"))); !errors.Is(err, blob.ErrFull) {
		t.Errorf("put to a full store: %v", err)
	}
	var tries atomic.Int32
	fake.Fail(func(w http.ResponseWriter, r *http.Request) bool {
		first := tries.Add(1) == 1
		if first {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return first
	})
	if err := s.Put(t.Context(), "school/ab/one", section([]byte("again"))); err != nil || tries.Load() != 2 {
		t.Errorf("put with one failure: %v after %d attempts", err, tries.Load())
	}
	r, err := s.Open(t.Context(), "school/ab/one", 5)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if b, err := io.ReadAll(r); string(b) != "again" || err != nil {
		t.Errorf("read after seek: %q, %v", b, err)
	}
	if got := strings.Count(strings.Join(fake.Requests(), "\n"), "GET school/ab/one"); got != 1 {
		t.Errorf("requests for one blob: %d", got)
	}
}
