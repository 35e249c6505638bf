package app

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock locks the file, or returns errHeld at once. The locked byte is beyond
// the text, so that other processes can read the text.
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
	return errors.New("this system has no SIGHUP: restart the server to reload its keys")
}
