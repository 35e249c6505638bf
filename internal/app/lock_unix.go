//go:build unix

package app

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// tryLock locks the file, or returns errHeld at once.
func tryLock(f *os.File) error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return errHeld
	case err != nil:
		return fmt.Errorf("lock %s: %w", f.Name(), err)
	}
	return nil
}

// Reload makes the process reload its keys and certificate.
func (e InUse) Reload() error {
	p, err := os.FindProcess(e.PID)
	if err != nil {
		return fmt.Errorf("find process %d: %w", e.PID, err)
	}
	if err := p.Signal(syscall.SIGHUP); err != nil {
		return fmt.Errorf("send SIGHUP to process %d: %w", e.PID, err)
	}
	return nil
}
