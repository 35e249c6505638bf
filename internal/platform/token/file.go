package token

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"homeroom/internal/platform/clock"
)

// KeepKeys is how long a replaced key must still verify: until the last token that it
// signed has expired.
const KeepKeys = RefreshLife + AccessLife

// Windows has neither permission bits nor syncable directories.
const posix = runtime.GOOS != "windows"

type keyFile struct {
	Keys []fileKey `json:"keys"` // newest first
}

type fileKey struct {
	ID        string    `json:"id"`
	Secret    []byte    `json:"secret"`
	CreatedAt time.Time `json:"createdAt"`
}

// LoadFile reads the keys file, or creates one with a new key. Processes that start at
// the same time get the same file.
func LoadFile(path string, now clock.Now, rand io.Reader) (*Ring, error) {
	keys, err := readKeys(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = createKeys(path, now, rand); err != nil {
			return nil, err
		}
		keys, err = readKeys(path)
	}
	if err != nil {
		return nil, err
	}
	return NewRing(keys...)
}

// RotateFile adds a new first key to the keys file and removes keys replaced longer than
// keep ago (KeepKeys, so that nobody is signed out). It returns the new keys. Rings that
// use the file need a Reload.
func RotateFile(path string, now clock.Now, rand io.Reader, keep time.Duration) ([]Key, error) {
	// The new file is also the lock: it can't be created while another is being written.
	next := path + ".new"
	f, err := os.OpenFile(next, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil, fmt.Errorf("another process is rotating the keys; if none is, delete %s and try again: %w", next, err)
	case err != nil:
		return nil, fmt.Errorf("rotate keys: %w", err)
	}
	keys, err := rotated(path, now(), rand, keep)
	if err == nil {
		err = writeKeys(f, keys)
	} else {
		_ = f.Close()
	}
	if err == nil {
		err = os.Rename(next, path)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("rotate keys: %w", err), os.Remove(next))
	}
	return keys, syncDir(filepath.Dir(path))
}

func rotated(path string, now time.Time, rand io.Reader, keep time.Duration) ([]Key, error) {
	old, err := readKeys(path)
	if err != nil {
		return nil, err
	}
	k, err := newKey(now, rand)
	if err != nil {
		return nil, err
	}
	keys := []Key{k}
	for _, o := range old {
		superseded := keys[len(keys)-1].CreatedAt
		if now.Sub(superseded) > keep {
			break // and so are all older ones
		}
		keys = append(keys, o)
	}
	return keys, checkKeys(keys)
}

func newKey(now time.Time, rand io.Reader) (Key, error) {
	b := make([]byte, 8+minSecret)
	if _, err := io.ReadFull(rand, b); err != nil {
		return Key{}, fmt.Errorf("generate a key: %w", err)
	}
	return Key{ID: hex.EncodeToString(b[:8]), Secret: b[8:], CreatedAt: now.UTC()}, nil
}

func readKeys(path string) ([]Key, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read keys: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("read keys: %w", err)
	}
	if posix && info.Mode().Perm()&0o077 != 0 {
		return nil, fmt.Errorf("the keys file is accessible to other users (mode %04o); run: chmod 600 %s", info.Mode().Perm(), path)
	}
	var file keyFile
	if err := json.NewDecoder(io.LimitReader(f, 1<<20)).Decode(&file); err != nil {
		return nil, fmt.Errorf("%s is not a keys file; restore it from a backup, or delete it to start over, which signs everyone out: %w",
			path, err)
	}
	keys := make([]Key, 0, len(file.Keys))
	for _, k := range file.Keys {
		keys = append(keys, Key(k))
	}
	if err := checkKeys(keys); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return keys, nil
}

// createKeys writes a temporary file and hard-links it into place. If another process
// was first the link fails, and its file is used.
func createKeys(path string, now clock.Now, rand io.Reader) error {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("create the directory of the keys: %w", err)
	}
	k, err := newKey(now(), rand)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".keys-*") // created with mode 0600
	if err != nil {
		return fmt.Errorf("write keys: %w", err)
	}
	defer os.Remove(f.Name())
	if err := writeKeys(f, []Key{k}); err != nil {
		return fmt.Errorf("write keys: %w", err)
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("write keys: %w; if this file system has no hard links, use another one or set HOMEROOM_KEYS", err)
	}
	return syncDir(dir)
}

// writeKeys writes, syncs and closes.
func writeKeys(f *os.File, keys []Key) error {
	file := keyFile{}
	for _, k := range keys {
		file.Keys = append(file.Keys, fileKey(k))
	}
	e := json.NewEncoder(f)
	e.SetIndent("", "  ")
	err := e.Encode(file)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

func syncDir(dir string) error {
	if !posix {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("write keys: %w", err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("write keys: %w", err)
	}
	return nil
}
