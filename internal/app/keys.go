package app

import (
	crand "crypto/rand"
	"errors"
	"fmt"
	"io/fs"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/token"
)

// RotateKeys puts a new key first in the keys file and tells a server that runs
// on the same data directory. It returns what was done, for a person.
func RotateKeys(s Store) (string, error) {
	if s.Keys != "" {
		return "", fmt.Errorf("the keys are given by HOMEROOM_KEYS: put a new one first there, keep the others for %d days, and restart", int(token.KeepKeys.Hours()/24)+1)
	}
	keys, err := token.RotateFile(s.KeysFile(), clock.System, crand.Reader, token.KeepKeys)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("there is no key yet in %s: the service makes one at its first start", s.Data)
	}
	if err != nil {
		return "", err
	}
	done := fmt.Sprintf("New tokens are signed with key %s; %d in all verify.", keys[0].ID, len(keys))
	holder, running := s.Holder()
	if !running || holder.What != "serve" {
		return done + "\nNo server runs on this directory. One elsewhere that uses this file needs a SIGHUP.", nil
	}
	if err := holder.Reload(); err != nil {
		return done, fmt.Errorf("%s\nThe running server does not know it yet: %w", done, err)
	}
	return fmt.Sprintf("%s\nThe running server (process %d) was told.", done, holder.PID), nil
}
