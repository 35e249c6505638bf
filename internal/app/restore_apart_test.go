package app

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestRestoreCutOffApart interrupts the end of a restore whose database is not in the data directory: the uploaded files are
// those of the backup, and the replaced ones are kept.
func TestRestoreCutOffApart(t *testing.T) {
	t.Parallel()
	s, upload := newStore(t, "sqlite", true), filepath.Join(filesDir, "school", "ab", "file")
	s.Data = t.TempDir()
	write := func(path, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	write(s.file(upload), "old")
	for _, name := range []string{upload, upload + ".thumb"} {
		write(filepath.Join(s.pending(), name), "new")
	}
	if err := s.moveUploads(s.pending()); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(s.pending(), upload)); err != nil { // what is in place is being deleted there
		t.Fatal(err)
	}
	if err := s.resumeRestore(); err != nil {
		t.Fatal(err)
	}
	replaced := filepath.Join(filesDir+oldSuffix, "school", "ab", "file")
	for name, want := range map[string]string{upload: "new", upload + ".thumb": "new", replaced: "old"} {
		if got, err := os.ReadFile(s.file(name)); err != nil || string(got) != want {
			t.Errorf("%s is %q, %v, want %q", name, got, err, want)
		}
	}
}
