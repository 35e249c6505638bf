package app

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// errHeld is returned by tryLock if another process holds the lock.
var errHeld = errors.New("the lock is held")

// Lock is an exclusive lock on data directories. The system releases it when the
// process ends, even after a crash.
type Lock struct{ files []*os.File }

// InUse is the process that holds the lock of a data directory.
type InUse struct {
	Dir  string
	What string // its command: serve or restore
	PID  int
}

// Error names the process and what to do.
func (e *InUse) Error() string {
	return fmt.Sprintf("%s is in use by homeroom %s (process %d): stop it first, or name another directory with --data", e.Dir, e.What, e.PID)
}

// Lock locks the directories of the store for a command, or fails with *InUse.
func (s Store) Lock(what string) (*Lock, error) {
	l := &Lock{}
	for _, dir := range s.dirs() {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			l.Unlock()
			return nil, fmt.Errorf("create the data directory: %w; name a writable directory with --data", err)
		}
		f, err := lockDir(dir, what)
		if err != nil {
			l.Unlock()
			return nil, err
		}
		l.files = append(l.files, f)
	}
	return l, nil
}

// Unlock releases the lock.
func (l *Lock) Unlock() {
	for _, f := range l.files {
		_ = f.Close() // releases the lock
	}
	l.files = nil
}

// Holder returns the process that holds the lock of the data directory, or false.
func (s Store) Holder() (InUse, bool) {
	f, err := os.OpenFile(s.file(lockFile), os.O_RDWR, 0)
	if err != nil {
		return InUse{}, false
	}
	defer f.Close()
	if !errors.Is(tryLock(f), errHeld) {
		return InUse{}, false
	}
	return readHolder(s.Data, f), true
}

// dirs returns the directories to lock: those of the embedded database and of the
// keys file. Without either there are none, so that several nodes can share a machine.
func (s Store) dirs() []string {
	var dirs []string
	if s.URL().Engine() == "sqlite" {
		dirs = append(dirs, filepath.Dir(s.URL().Path()))
	}
	if s.Keys == "" || len(dirs) > 0 {
		dirs = append(dirs, filepath.Clean(s.Data))
	}
	return slices.Compact(dirs)
}

func lockDir(dir, what string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, lockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the data directory: %w", err)
	}
	if err = tryLock(f); err == nil {
		err = writeHolder(f, what)
	}
	if errors.Is(err, errHeld) {
		held := readHolder(dir, f)
		err = &held
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

func writeHolder(f *os.File, what string) error {
	if err := f.Truncate(0); err != nil {
		return fmt.Errorf("lock the data directory: %w", err)
	}
	if _, err := fmt.Fprintf(f, "%s %d\n", what, os.Getpid()); err != nil {
		return fmt.Errorf("lock the data directory: %w", err)
	}
	return nil
}

func readHolder(dir string, f *os.File) InUse {
	text, _ := io.ReadAll(io.NewSectionReader(f, 0, 100)) // on an error the holder stays unknown
	what, pid, _ := strings.Cut(strings.TrimSpace(string(text)), " ")
	n, _ := strconv.Atoi(pid)
	return InUse{Dir: dir, What: what, PID: n}
}
