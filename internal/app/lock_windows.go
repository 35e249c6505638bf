package app

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock takes the file, or answers errHeld at once. The locked byte lies
// behind the text, which others may go on reading.
func tryLock(f *os.File) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY,
		0, 1, 0, &windows.Overlapped{Offset: 1 << 20})
	switch {
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION):
		return errHeld
	case err != nil:
		return fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return nil
}

// Reload fails: Windows has no signal for it.
func (e InUse) Reload() error {
	return errors.New("restart the server to make it read its keys again: this system has no SIGHUP")
}
