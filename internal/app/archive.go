package app

import (
	"archive/tar"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"homeroom/internal/platform/console"
)

// Archive is a backup file with the options for writing or reading it. The file
// is a compressed tar of a copy of the database, the keys, the uploaded files of
// this machine and, last, a manifest with their checksums.
type Archive struct {
	File    string
	Force   bool
	Log     *slog.Logger
	Console *console.Console // for progress
}

// The files of an archive.
const (
	manifestFile = "manifest.json"
	dumpFile     = "homeroom.pgdump" // PostgreSQL only, written by pg_dump -Fc
)

// uploadName matches the archive names of uploaded files and their thumbnails.
var uploadName = regexp.MustCompile(`^` + filesDir + `/[0-9a-f-]{36}/[0-9a-f]{2}/[0-9a-f-]{36}(\.thumb)?$`)

// maxManifest limits the manifest in bytes, enough for the checksums of a million files.
const maxManifest = 256 << 20

// manifest describes the content of an archive.
type manifest struct {
	Format    int               `json:"format"` // 1
	Engine    string            `json:"engine"`
	Version   string            `json:"version"` // of the program that wrote it
	CreatedAt time.Time         `json:"createdAt"`
	Schema    []string          `json:"schema"`         // applied migrations
	Rows      map[string]int64  `json:"rows,omitempty"` // of each table; none if the schema was not that of the program
	SHA256    map[string]string `json:"sha256"`         // checksums by file name
}

var errDamaged = errors.New("the backup is damaged, incomplete or not a homeroom backup: use another copy")

// pack writes files, keyed by their names in the archive, and then the manifest.
func (a Archive) pack(to io.Writer, m manifest, files map[string]string) error {
	z := gzip.NewWriter(to)
	t := tar.NewWriter(z)
	m.SHA256 = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		sum, err := a.packFile(t, name, files[name])
		if errors.Is(err, fs.ErrNotExist) && uploadName.MatchString(name) {
			continue // deleted since it was listed: no row of the copied database refers to it
		}
		if err != nil {
			return fmt.Errorf("pack %s: %w", name, err)
		}
		m.SHA256[name] = sum
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("pack the manifest: %w", err)
	}
	if err := t.WriteHeader(header(manifestFile, int64(len(text)), m.CreatedAt)); err != nil {
		return fmt.Errorf("pack the manifest: %w", err)
	}
	if _, err := t.Write(text); err != nil {
		return fmt.Errorf("pack the manifest: %w", err)
	}
	return errors.Join(t.Close(), z.Close())
}

func (a Archive) packFile(t *tar.Writer, name, path string) (sum string, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if err := t.WriteHeader(header(name, info.Size(), info.ModTime())); err != nil {
		return "", err
	}
	h := sha256.New()
	to := io.MultiWriter(t, h)
	if !uploadName.MatchString(name) { // uploads are many and small: no bar for each
		bar := a.Console.Progress("packing "+name, info.Size())
		defer bar.Done()
		to = io.MultiWriter(t, h, &counter{bar: bar})
	}
	_, err = io.Copy(to, f)
	return hex.EncodeToString(h.Sum(nil)), err
}

func header(name string, size int64, at time.Time) *tar.Header {
	return &tar.Header{Name: name, Mode: 0o600, Size: size, ModTime: at.UTC().Truncate(time.Second), Format: tar.FormatPAX}
}

// unpack extracts the archive to dir and verifies the checksums of the manifest.
// It returns errDamaged unless all of them match.
func (a Archive) unpack(dir string) (manifest, error) {
	f, err := os.Open(a.File)
	if err != nil {
		return manifest{}, fmt.Errorf("read the backup: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return manifest{}, fmt.Errorf("read the backup: %w", err)
	}
	bar := a.Console.Progress("checking "+filepath.Base(a.File), info.Size())
	defer bar.Done()
	z, err := gzip.NewReader(io.TeeReader(f, &counter{bar: bar}))
	if err != nil {
		return manifest{}, fmt.Errorf("%w (%w)", errDamaged, err)
	}
	m, sums, err := unpackAll(tar.NewReader(z), dir)
	if err == nil {
		_, err = io.Copy(io.Discard, z) // gzip verifies its checksum at the end
	}
	switch {
	case err != nil && errors.As(err, new(*os.PathError)):
		return m, fmt.Errorf("unpack the backup: %w", err)
	case err != nil:
		return m, fmt.Errorf("%w (%w)", errDamaged, err)
	case m.Format != 1 || len(sums) == 0 || !maps.Equal(sums, m.SHA256):
		return m, fmt.Errorf("%w (the checksums do not match)", errDamaged)
	}
	return m, nil
}

func unpackAll(t *tar.Reader, dir string) (m manifest, sums map[string]string, err error) {
	sums = map[string]string{}
	for {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return m, sums, nil
		}
		if err != nil {
			return m, sums, err
		}
		switch {
		case h.Name == manifestFile:
			err = json.NewDecoder(io.LimitReader(t, maxManifest)).Decode(&m)
		case h.Name == databaseFile, h.Name == dumpFile, h.Name == keysFile, uploadName.MatchString(h.Name):
			sums[h.Name], err = unpackFile(t, filepath.Join(dir, filepath.FromSlash(h.Name)))
		default:
			err = fmt.Errorf("it contains an unknown file %q", h.Name)
		}
		if err != nil {
			return m, sums, err
		}
	}
}

func unpackFile(r io.Reader, path string) (string, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(io.MultiWriter(f, h), r)
	if err == nil {
		err = f.Sync()
	}
	return hex.EncodeToString(h.Sum(nil)), errors.Join(err, f.Close())
}

// counter is a writer that advances a progress bar by the bytes written.
type counter struct {
	bar *console.Bar
	n   int64
}

func (c *counter) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	c.bar.Set(c.n)
	return len(p), nil
}
