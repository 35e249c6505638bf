package app

import (
	"context"
	crand "crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"

	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/token"
)

// RotateKeys adds a new signing key to the keys file and reloads a server that
// runs on the same data directory. It returns a message for the terminal.
func RotateKeys(s Store) (string, error) {
	if s.Keys != "" {
		return "", fmt.Errorf("the keys are set by HOMEROOM_KEYS: put a new key first there, keep the others for %d days, and restart",
			int(token.KeepKeys.Hours()/24)+1)
	}
	keys, err := token.RotateFile(s.KeysFile(), clock.System, crand.Reader, token.KeepKeys)
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("there is no keys file in %s: the service creates it at its first start", s.Data)
	}
	if err != nil {
		return "", err
	}
	done := fmt.Sprintf("New tokens are signed with key %s. The file has %d keys that verify tokens.", keys[0].ID, len(keys))
	holder, running := s.Holder()
	if !running || holder.What != "serve" {
		return done + "\nNo server runs on this directory. Send SIGHUP to servers elsewhere that use this file.", nil
	}
	if err := holder.Reload(); err != nil {
		return done, fmt.Errorf("%s\nThe running server has not reloaded its keys: %w", done, err)
	}
	return fmt.Sprintf("%s\nThe running server (process %d) reloads its keys.", done, holder.PID), nil
}

// RotatePushKey makes a new Web Push key. Browsers can't use their subscriptions any more:
// these are deleted, and the app subscribes again when it is next opened.
func RotatePushKey(ctx context.Context, s Store, log *slog.Logger) (string, error) {
	c := Default()
	c.Store = s
	a, err := New(ctx, c, Deps{Log: log})
	if err != nil {
		return "", err
	}
	var n int64
	err = a.DB.InAll(ctx, unscoped.Permit{}, func(ctx context.Context, tx *db.Tx) error {
		if n, err = notification.ForgetBrowsers(ctx, tx); err != nil {
			return err
		}
		_, err = a.pushKeys().Rotate(ctx, tx)
		return err
	})
	done := fmt.Sprintf("Web Push has a new key, which every node uses within a minute. Unsubscribed browsers: %d.", n)
	return done, errors.Join(err, a.Close())
}
