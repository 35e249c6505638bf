package wal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"homeroom/internal/platform/blob"
	"homeroom/internal/platform/blob/s3fake"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
)

var tables = fstest.MapFS{"0001_notes.sql": {
	Data: []byte(`CREATE TABLE notes (n {{int}} NOT NULL PRIMARY KEY, text {{text}} NOT NULL) {{strict}};`)}}

// world is a database whose shipper is driven by the test.
type world struct {
	*testing.T
	dir   string
	d     *db.DB
	s     *Shipper
	store *flaky
	now   time.Time
	n     int // rows written
}

// flaky is a store that a test can switch off.
type flaky struct {
	blob.Store
	mu   sync.Mutex
	down bool
	put  func() // called before each Put; nil: nothing
}

var errDown = errors.New("the store is down")

func (f *flaky) Put(ctx context.Context, key string, r *io.SectionReader) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.down {
		return errDown
	}
	if f.put != nil {
		f.put()
	}
	return f.Store.Put(ctx, key, r)
}

func newWorld(t *testing.T) *world {
	t.Helper()
	to, err := blob.OpenDisk(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, dir: t.TempDir(), store: &flaky{Store: to}, now: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)}
	w.open()
	w.must(w.d.Migrate(t.Context()))
	w.look()
	return w
}

func (w *world) must(_ any, err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

// open opens the database and begins to copy it.
func (w *world) open() {
	w.Helper()
	w.d = w.dial(true)
	w.s = New(Options{DB: w.d, To: w.store, Dir: w.dir, Now: func() time.Time { return w.now }, Log: slog.New(slog.DiscardHandler)})
	w.s.long = 200 << 10
}

func (w *world) dial(keep bool) *db.DB {
	w.Helper()
	d, err := db.Open(w.Context(), db.Options{URL: "sqlite:" + filepath.Join(w.dir, "a.db"), Migrations: tables, MaxConns: 2, KeepWAL: keep})
	if err != nil {
		w.Fatal(err)
	}
	return d
}

func (w *world) close() {
	w.Helper()
	w.s.Close(w.Context())
	w.must(nil, w.d.Close())
}

// look lets the shipper work, a second later, and waits for what it began.
func (w *world) look() {
	w.now = w.now.Add(time.Second)
	w.s.tried = time.Time{}
	w.s.look(w.Context())
	w.s.background.Wait()
}

// write writes the next row.
func (w *world) write(d *db.DB) {
	w.Helper()
	w.insert(d, rand.N(20_000))
}

// writeLarge writes the next row, of size bytes.
func (w *world) writeLarge(size int) {
	w.Helper()
	w.insert(w.d, size)
}

func (w *world) insert(d *db.DB, size int) {
	w.Helper()
	w.n++
	_, err := db.Exec(w.Context(), d.Across(unscoped.Permit{}), `INSERT INTO notes (n, text) VALUES (:n, :text)`,
		db.Args{"n": w.n, "text": strings.Repeat("x", size)})
	w.must(nil, err)
}

// wantRows restores and wants exactly the rows 1 to n.
func (w *world) wantRows(at time.Time, n int) Restored {
	w.Helper()
	dir := w.TempDir()
	path := filepath.Join(dir, "b.db")
	out, err := Restore(w.Context(), w.store, at, path, filepath.Join(dir, "keys"), filepath.Join(dir, "files"), nil)
	w.must(nil, err)
	d, err := db.Open(w.Context(), db.Options{URL: "sqlite:" + path})
	w.must(nil, err)
	defer d.Close()
	q := d.Across(unscoped.Permit{})
	rows, err := db.All[int](w.Context(), q, `SELECT n FROM notes ORDER BY n`, nil)
	w.must(nil, err)
	check, err := db.One[string](w.Context(), q, `PRAGMA integrity_check`, nil)
	w.must(nil, err)
	if len(rows) != n || n > 0 && rows[n-1] != n || check != "ok" {
		w.Fatalf("restored %d rows, want %d; %s; %+v", len(rows), n, check, out)
	}
	return out
}

func (w *world) content() content {
	w.Helper()
	c, err := list(w.Context(), w.store)
	w.must(nil, err)
	return c
}

func (w *world) wantChain(n int) {
	w.Helper()
	c := w.content()
	if got := c.snapshots[len(c.snapshots)-1].chain; got != n {
		w.Errorf("the newest chain is %d, want %d", got, n)
	}
}

// TestEveryMoment restores states before, between and after several logs and snapshots.
func TestEveryMoment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	type moment struct {
		at time.Time
		n  int
	}
	var moments []moment
	for i := range 60 {
		for range rand.N(4) {
			w.write(w.d)
		}
		if i == 30 {
			w.now = w.now.Add(snapshotEvery)
			w.s.snapped = time.Time{}
		}
		w.look()
		moments = append(moments, moment{w.now, w.n})
	}
	c := w.content()
	if logs := c.segments[len(c.segments)-1].log; logs < 3 || len(c.snapshots) != 2 || len(c.segments) > 100 {
		t.Fatalf("%d logs, %d snapshots, %d segments", logs, len(c.snapshots), len(c.segments))
	}
	for range 10 {
		m := moments[rand.N(len(moments))]
		w.wantRows(m.at, m.n)
	}
	if out := w.wantRows(time.Time{}, w.n); out.Problem != nil {
		t.Error(out.Problem)
	}
	_, err := Restore(t.Context(), w.store, moments[0].at.Add(-time.Hour), filepath.Join(t.TempDir(), "x"), "", "", nil)
	if !errors.Is(err, ErrNothing) {
		t.Errorf("before the first snapshot: %v", err)
	}
	w.close()
}

// TestRestart continues the chain after a clean end, also if rows were written after the last
// look, and begins a new one after another program has replaced the log.
func TestRestart(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range 3 {
		w.s.long = 1 << 30
		w.write(w.d)
		w.look()
		w.write(w.d)
		w.s.wal.Unpin()
		w.must(nil, w.d.Close()) // without Close of the shipper
		w.open()
		w.look()
		w.wantChain(1)
		w.wantRows(time.Time{}, w.n)
	}
	w.close()
	other := w.dial(false)
	w.write(other)
	w.must(nil, other.Close()) // deletes the log
	w.open()
	w.look()
	w.wantChain(2)
	w.wantRows(time.Time{}, w.n)
	w.close()
}

// TestOtherProgramsWrite lets a connection with SQLite's own checkpoints write between looks.
func TestOtherProgramsWrite(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	other := w.dial(false)
	for i := range 60 {
		for range 12 { // 1,000 frames, after which SQLite makes a checkpoint, come soon
			w.write(other)
		}
		if i%2 == 0 {
			w.write(w.d)
		}
		if i%5 == 0 {
			_, err := db.Exec(t.Context(), other.Across(unscoped.Permit{}), `PRAGMA wal_checkpoint(TRUNCATE)`, nil)
			_ = err // busy: the shipper reads the log
		}
		if i%3 == 0 {
			w.look()
		}
	}
	w.must(nil, other.Optimize(t.Context()))
	w.look()
	w.wantChain(1)
	w.wantRows(time.Time{}, w.n)
	w.must(nil, other.Close())
	w.close()
}

// TestStoreIsDown keeps the log while the store is down, up to a limit, and recovers.
func TestStoreIsDown(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.d)
	w.look()
	copied := w.s.Status().Copied
	before := w.n
	w.store.down = true
	for range 20 {
		w.write(w.d)
		w.look()
	}
	if got := w.s.Status().Copied; !got.Equal(copied) {
		t.Errorf("Copied moved to %s while the store was down", got)
	}
	w.wantRows(time.Time{}, before)
	w.store.down = false
	w.look()
	w.wantChain(1)
	w.wantRows(time.Time{}, w.n)

	w.store.down, w.s.longest = true, 1<<20
	for range 400 {
		w.write(w.d)
		if w.n%10 == 0 {
			w.look()
		}
	}
	if info, err := os.Stat(w.s.wal.Path()); err != nil || info.Size() > 4<<20 {
		t.Errorf("the log has %d bytes, %v", info.Size(), err)
	}
	w.store.down = false
	w.look()
	w.look()
	w.wantChain(2)
	w.wantRows(time.Time{}, w.n)
	w.close()
}

// TestDamage removes, cuts and changes parts of a copy. What is restored is a state that was.
func TestDamage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	states := map[int]bool{0: true}
	for range 12 {
		w.write(w.d)
		w.look()
		states[w.n] = true
	}
	c := w.content()
	victim := c.segments[len(c.segments)/2]
	body, err := read(t.Context(), w.store, victim.key, victim.size)
	w.must(nil, err)
	flipped := bytes.Clone(body)
	flipped[len(flipped)-8] ^= 1 // the gzip checksum: a bit changed elsewhere may unpack to the same content
	for name, change := range map[string]func() error{
		"missing": func() error { return w.store.Delete(t.Context(), victim.key) },
		"cut":     func() error { return put(t.Context(), w.store, victim.key, body[:len(body)-20]) },
		"changed": func() error { return put(t.Context(), w.store, victim.key, flipped) },
		"empty":   func() error { return put(t.Context(), w.store, victim.key, nil) },
	} {
		w.must(nil, change())
		dir := t.TempDir()
		out, err := Restore(t.Context(), w.store, time.Time{}, filepath.Join(dir, "b.db"), "", "", nil)
		if err != nil || out.Problem == nil {
			t.Errorf("%s: %+v, %v", name, out, err)
		}
		if n, check := count(w, filepath.Join(dir, "b.db")); !states[n] || n == w.n || check != "ok" {
			t.Errorf("%s: %d rows, %s", name, n, check)
		}
		w.must(nil, put(t.Context(), w.store, victim.key, body))
	}
	w.wantRows(time.Time{}, w.n)
	w.close()
}

// TestEachMissing removes each segment in turn, also a whole log or the end of one. What is
// restored is a state that was, and Restore reports a problem unless the segment was the last.
func TestEachMissing(t *testing.T) {
	t.Parallel()
	for name, merged := range map[string]bool{"one segment a log": true, "many": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			states := map[int]bool{0: true}
			for range 40 {
				w.write(w.d)
				if !merged {
					w.s.log = nil
				}
				w.look()
				states[w.n] = true
			}
			all := w.content().segments
			if last := all[len(all)-1].log; last < 2 || merged == (len(all) > 30) {
				t.Fatalf("%d segments in %d logs", len(all), last+1)
			}
			for i, p := range all {
				body, err := read(t.Context(), w.store, p.key, p.size)
				w.must(nil, err)
				w.must(nil, w.store.Delete(t.Context(), p.key))
				path := filepath.Join(t.TempDir(), "b.db")
				out, err := Restore(t.Context(), w.store, time.Time{}, path, "", "", nil)
				if err != nil || (out.Problem != nil) != (i < len(all)-1) {
					t.Errorf("without %s: %+v, %v", p.key, out, err)
				}
				if n, check := count(w, path); !states[n] || n == w.n || check != "ok" {
					t.Errorf("without %s: %d rows, %s", p.key, n, check)
				}
				w.must(nil, put(t.Context(), w.store, p.key, body))
			}
			w.wantRows(time.Time{}, w.n)
			w.close()
		})
	}
}

// count returns the rows of a restored database and SQLite's opinion of it.
func count(w *world, path string) (n int, check string) {
	w.Helper()
	d, err := db.Open(w.Context(), db.Options{URL: "sqlite:" + path})
	w.must(nil, err)
	defer d.Close()
	q := d.Across(unscoped.Permit{})
	n, err = db.One[int](w.Context(), q, `SELECT COUNT(*) FROM notes`, nil)
	w.must(nil, err)
	check, err = db.One[string](w.Context(), q, `PRAGMA integrity_check`, nil)
	w.must(nil, err)
	return n, check
}

// TestCheck finds a part of the copy that is missing or damaged, although the newest snapshot
// does not need it, and that it is back. It leaves no files behind.
func TestCheck(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	look := func() Status {
		w.s.checked = time.Time{}
		w.look()
		return w.s.Status()
	}
	first := look()
	if first.Checked.IsZero() || first.Damage != nil {
		t.Fatalf("%+v", first)
	}
	w.look()
	if got := w.s.Status(); !got.Checked.Equal(first.Checked) {
		t.Errorf("checked again at %s", got.Checked)
	}
	for range 20 {
		w.write(w.d)
		w.look()
	}
	victim := w.content().segments[1]
	w.now, w.s.snapped = w.now.Add(snapshotEvery), time.Time{}
	w.look()
	if n := len(w.content().snapshots); n != 2 {
		t.Fatalf("%d snapshots", n)
	}
	body, err := read(t.Context(), w.store, victim.key, victim.size)
	w.must(nil, err)
	flipped := bytes.Clone(body)
	flipped[len(flipped)-8] ^= 1 // the gzip checksum: a bit changed elsewhere may unpack to the same content
	for name, change := range map[string]func() error{
		"missing": func() error { return w.store.Delete(t.Context(), victim.key) },
		"changed": func() error { return put(t.Context(), w.store, victim.key, flipped) },
	} {
		w.must(nil, change())
		if got := look(); got.Damage == nil || !got.Checked.Equal(first.Checked) {
			t.Errorf("%s: %+v", name, got)
		}
		w.must(nil, put(t.Context(), w.store, victim.key, body))
	}
	last := look()
	if last.Damage != nil || !last.Checked.After(first.Checked) {
		t.Errorf("after the repair: %+v", last)
	}
	w.s.Free = func(string) (int64, error) { return 1 << 20, nil }
	if got := look(); got.Damage != nil || !got.Checked.Equal(last.Checked) {
		t.Errorf("without space on the disk: %+v", got)
	}
	if left, _ := filepath.Glob(filepath.Join(w.dir, checks)); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	w.close()
}

// TestClockGoesBack still restores everything, in the order in which it was written.
func TestClockGoesBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(w.d)
	w.look()
	w.now = w.now.Add(-72 * time.Hour)
	w.s.snapped = time.Time{}
	for range 5 {
		w.write(w.d)
		w.look()
	}
	if n := len(w.content().snapshots); n != 2 {
		t.Errorf("%d snapshots, want 2", n)
	}
	w.wantRows(time.Time{}, w.n)
	w.close()
}

// TestPrune keeps what is needed for the days that can be restored.
func TestPrune(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.s.Days = 3
	for range 8 {
		w.write(w.d)
		w.now = w.now.Add(snapshotEvery)
		w.s.snapped = time.Time{}
		w.look()
		w.must(nil, w.s.shorten(t.Context()))
	}
	c := w.content()
	if n := len(c.snapshots); n < 3 || n > 5 || c.segments[0].log == 0 {
		t.Errorf("%d snapshots, the oldest log is %d", n, c.segments[0].log)
	}
	w.wantRows(c.snapshots[0].at, w.n-len(c.snapshots)+1)
	w.wantRows(time.Time{}, w.n)
	w.close()
}

// TestFilesAndKeys copies files before rows, and deletes them when nothing can refer to them.
func TestFilesAndKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	disk, err := blob.OpenDisk(t.TempDir())
	w.must(nil, err)
	w.s.Keys, w.s.Days = filepath.Join(w.dir, "keys.json"), 2
	w.must(nil, os.WriteFile(w.s.Keys, []byte("secret"), 0o600))
	w.must(nil, put(t.Context(), disk, "a/early", []byte("old")))
	w.must(nil, put(t.Context(), w.s.Watch(disk), "a/b", []byte("hello")))
	w.write(w.d)
	w.store.down = true
	w.look()
	if c := w.content(); len(c.files) != 0 {
		t.Fatalf("files of a store that is down: %v", c.files)
	}
	w.store.down = false
	w.look()
	dir := t.TempDir()
	_, err = Restore(t.Context(), w.store, time.Time{}, filepath.Join(dir, "b.db"), filepath.Join(dir, "k"), filepath.Join(dir, "f"), nil)
	w.must(nil, err)
	for name, want := range map[string]string{"k": "secret", "f/a/b": "hello"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	w.must(nil, w.s.copyAllFiles(t.Context()))
	w.must(nil, disk.Delete(t.Context(), "a/b"))
	w.must(nil, w.s.copyAllFiles(t.Context()))
	if c := w.content(); len(c.files) != 2 || len(c.gone) != 1 {
		t.Errorf("after the file was deleted: %v, %v", c.files, c.gone)
	}
	w.now = time.Now().Add(4 * 24 * time.Hour)
	w.must(nil, w.s.copyAllFiles(t.Context()))
	if c := w.content(); len(c.files) != 1 || len(c.gone) != 0 {
		t.Errorf("days later: %v, %v", c.files, c.gone)
	}
	w.close()
}

// TestKeysOfTheMoment changes the keys every day, as rotating them does, which drops old ones: what a state has sealed is
// opened with the keys of its time.
func TestKeysOfTheMoment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.s.Keys, w.s.Days = filepath.Join(w.dir, "keys.json"), 3
	for range 8 {
		w.write(w.d)
		w.now = w.now.Add(snapshotEvery)
		w.s.snapped = time.Time{}
		w.must(nil, os.WriteFile(w.s.Keys, []byte(w.now.Format(time.DateOnly)), 0o600))
		w.must(nil, os.Chtimes(w.s.Keys, w.now, w.now))
		w.look()
	}
	at := []time.Time{{}}
	for _, s := range w.content().snapshots {
		at = append(at, s.at, s.at.Add(snapshotEvery/2))
	}
	for _, at := range at {
		dir, want := t.TempDir(), at.Format(time.DateOnly)
		if at.IsZero() {
			want = w.now.Format(time.DateOnly)
		}
		_, err := Restore(t.Context(), w.store, at, filepath.Join(dir, "b.db"), filepath.Join(dir, "keys"), dir, nil)
		w.must(nil, err)
		if got, err := os.ReadFile(filepath.Join(dir, "keys")); err != nil || string(got) != want {
			t.Errorf("the keys of %s are those of %q, %v", at, got, err)
		}
	}
	kept := 0
	w.must(nil, w.store.Walk(t.Context(), func(b blob.Blob) error {
		if strings.HasPrefix(b.Key, "keys") {
			kept++
		}
		return nil
	}))
	if n := len(w.content().snapshots); kept > n {
		t.Errorf("%d keys files are kept for %d snapshots", kept, n)
	}
	w.close()
}

// TestS3 copies to S3, whose listing and uploads differ from those of a disk.
func TestS3(t *testing.T) {
	t.Parallel()
	fake := s3fake.New()
	defer fake.Close()
	s3, err := blob.OpenS3(blob.S3Options{Endpoint: fake.URL, Bucket: s3fake.Bucket, Region: s3fake.Region, AccessKey: s3fake.AccessKey,
		SecretKey: s3fake.SecretKey, PathStyle: true})
	if err != nil {
		t.Fatal(err)
	}
	w := &world{T: t, dir: t.TempDir(), store: &flaky{Store: s3}, now: time.Now()}
	w.open()
	w.must(w.d.Migrate(t.Context()))
	for range 40 {
		w.write(w.d)
		w.look()
	}
	w.wantRows(time.Time{}, w.n)
	w.close()
}

// TestWritesWhileCopying writes as much as is copied, during every copy. A look must end all
// the same: only after it can the log be shortened.
func TestWritesWhileCopying(t *testing.T) {
	w := newWorld(t)
	w.writeLarge(chunk)
	w.writeLarge(chunk)
	puts := 0
	w.store.put = func() {
		if puts++; puts > 10 {
			t.Fatal("one look does not end while others write")
		}
		w.writeLarge(chunk)
	}
	w.look()
	w.store.put = nil
	w.look()
	w.wantRows(time.Time{}, w.n)
	w.close()
}

// TestLostInTransaction loses the machine while a transaction is copied in several parts: it is
// not restored, and that is no damage.
func TestLostInTransaction(t *testing.T) {
	w := newWorld(t)
	w.write(w.d)
	w.look()
	w.writeLarge(5 * chunk)
	w.store.put = func() { w.store.down = true } // after this part
	w.look()
	if c := w.content(); c.segments[len(c.segments)-1].frames < 100 {
		t.Fatalf("no part of the transaction was copied: %+v", c.segments)
	}
	if out := w.wantRows(time.Time{}, w.n-1); out.Problem != nil {
		t.Errorf("problem: %v", out.Problem)
	}
	w.store.put, w.store.down = nil, false
	w.look()
	w.wantRows(time.Time{}, w.n)
	w.close()
}
