package portable

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"homeroom/internal/platform/db"
)

// Limits of a file. A line is a row: the longest ones are e-mails.
const (
	maxManifest = 256 << 20
	maxLine     = 16 << 20
)

var errDamaged = errors.New("the file is damaged, incomplete or not the export of a school: use another copy")

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w (%w)", errDamaged, fmt.Errorf(format, args...))
}

// archive is an open export.
type archive struct {
	manifest
	digest  string // of the manifest
	file    *os.File
	entries map[string]*zip.File
	sizes   map[string]int64 // of the content, by key
}

func openArchive(path string) (*archive, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the file: %w", err)
	}
	a := &archive{file: f, entries: map[string]*zip.File{}, sizes: map[string]int64{}}
	if err := a.read(); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return a, nil
}

// read reads the directory and the manifest, which have to list the same files.
func (a *archive) read() error {
	info, err := a.file.Stat()
	if err != nil {
		return fmt.Errorf("read the file: %w", err)
	}
	z, err := zip.NewReader(a.file, info.Size())
	if err != nil {
		return damaged("%w", err)
	}
	for _, f := range z.File {
		if a.entries[f.Name] != nil {
			return damaged("it has two files %q", f.Name)
		}
		a.entries[f.Name] = f
	}
	if err := a.readManifest(); err != nil {
		return err
	}
	named := map[string]bool{manifestName: true}
	for _, e := range a.Tables {
		named[e.table()] = true
	}
	for _, e := range a.Files {
		named[e.file()], a.sizes[e.Name] = true, e.Bytes
		if f := a.entries[e.file()]; f != nil && f.Method != zip.Store {
			return damaged("the file %q is compressed", f.Name)
		}
	}
	for name := range named {
		if a.entries[name] == nil {
			return damaged("%q is missing", name)
		}
	}
	for name := range a.entries {
		if !named[name] {
			return damaged("it has an unknown file %q", name)
		}
	}
	return nil
}

func (a *archive) readManifest() error {
	f := a.entries[manifestName]
	if f == nil {
		return damaged("it has no manifest")
	}
	r, err := f.Open()
	if err != nil {
		return damaged("%w", err)
	}
	text, err := io.ReadAll(io.LimitReader(r, maxManifest))
	if err == nil {
		err = json.Unmarshal(text, &a.manifest)
	}
	if err != nil {
		return damaged("the manifest: %w", err)
	}
	sum := sha256.Sum256(text)
	a.digest = hex.EncodeToString(sum[:])
	if a.Format != 1 {
		return fmt.Errorf("the file was written by version %s in another format: import it with that version", a.Version)
	}
	return r.Close()
}

// fits refuses a file of another schema.
func (a *archive) fits(ours []migration) error {
	for i, s := range a.Schema {
		switch {
		case i >= len(ours):
			return fmt.Errorf("the file was written by a newer version, %s: update this installation first", a.Version)
		case s != ours[i]:
			return fmt.Errorf("the file was written by version %s, which has other tables: "+
				"both installations need the same version", a.Version)
		}
	}
	if len(a.Schema) < len(ours) {
		return fmt.Errorf("the file was written by an older version, %s: update that installation, and export the school again", a.Version)
	}
	return nil
}

// verify reads all of the file and compares it with the manifest. look gets the lines of the
// tables that it is for.
func (a *archive) verify(ctx context.Context, tables []db.Table, look map[string]func([]byte) error, progress func(int64)) error {
	if len(a.Tables) != len(tables) {
		return damaged("it has %d tables, not %d", len(a.Tables), len(tables))
	}
	var done int64
	for i, e := range a.Tables {
		if e.Name != tables[i].Name {
			return damaged("the table %q is not in its place", e.Name)
		}
		if err := a.verifyTable(ctx, tables[i], e, look[e.Name]); err != nil {
			return err
		}
		done += e.Bytes
		progress(done)
	}
	for _, e := range a.Files {
		sum := sha256.New()
		r, err := a.open(e.file())
		if err == nil {
			_, err = io.CopyN(sum, r, e.Bytes)
		}
		if err != nil || hex.EncodeToString(sum.Sum(nil)) != e.SHA256 || a.entries[e.file()].UncompressedSize64 != uint64(e.Bytes) {
			return damaged("the content of the file %q", e.Name)
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		done += e.Bytes
		progress(done)
	}
	return nil
}

func (a *archive) verifyTable(ctx context.Context, t db.Table, e entry, look func([]byte) error) error {
	sum := &counter{w: io.Discard, sum: sha256.New()}
	rows := int64(0)
	err := a.lines(ctx, t, func(line []byte) error {
		rows++
		if rows > e.Rows {
			return damaged("%s has more rows than its manifest says", e.Name)
		}
		if look != nil {
			if err := look(line); err != nil {
				return err
			}
		}
		return sum.line(line)
	}, sum.line)
	switch {
	case err != nil:
		return err
	case rows != e.Rows || sum.n != e.Bytes || sum.hex() != e.SHA256:
		return damaged("the rows of %s", e.Name)
	}
	return nil
}

// lines passes the rows of a table to f, after its first line to first. f must not keep them.
func (a *archive) lines(ctx context.Context, t db.Table, f, first func([]byte) error) error {
	r, err := a.open(entry{Name: t.Name}.table())
	if err != nil {
		return err
	}
	defer r.Close()
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 64<<10), maxLine)
	if !s.Scan() || !bytes.Equal(s.Bytes(), header(t)) {
		return damaged("the columns of %s", t.Name)
	}
	if first != nil {
		if err := first(s.Bytes()); err != nil {
			return err
		}
	}
	for s.Scan() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := f(s.Bytes()); err != nil {
			return err
		}
	}
	if err := s.Err(); err != nil {
		return damaged("%s: %w", t.Name, err)
	}
	return nil
}

func (a *archive) open(name string) (io.ReadCloser, error) {
	r, err := a.entries[name].Open()
	if err != nil {
		return nil, damaged("%w", err)
	}
	return r, nil
}

// content returns the content of a file, which is in the zip file as it is.
func (a *archive) content(key string) (*io.SectionReader, bool, error) {
	size, ok := a.sizes[key]
	if !ok {
		return nil, false, nil
	}
	at, err := a.entries[entry{Name: key}.file()].DataOffset()
	if err != nil {
		return nil, false, damaged("%w", err)
	}
	return io.NewSectionReader(a.file, at, size), true, nil
}
