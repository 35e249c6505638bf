package portable

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"

	"homeroom/internal/platform/blob"
	"homeroom/internal/platform/db"
)

// Export writes the school to a zip file. The rows are of one moment, while others write.
func (m *Mover) Export(ctx context.Context, school School, to io.Writer) (Summary, error) {
	tables, err := m.tables(ctx)
	if err != nil {
		return Summary{}, err
	}
	x := &export{Mover: m, zip: zip.NewWriter(to), has: manifest{Format: 1, Version: m.Version, CreatedAt: m.Now(), Demo: m.Demo,
		School: school}}
	if x.has.Schema, err = m.migrations(); err != nil {
		return Summary{}, err
	}
	err = m.DB.Snapshot(ctx, school.ID, func(ctx context.Context, tx *db.Tx) error {
		for _, t := range tables {
			if err := x.table(ctx, tx, t); err != nil {
				return fmt.Errorf("export %s: %w", t.Name, err)
			}
			m.progress(x.has.summary().Bytes)
		}
		var blobs []Blob
		err := m.Blobs(ctx, tx, func(b Blob) error {
			blobs = append(blobs, b)
			return nil
		})
		if err != nil {
			return err
		}
		for _, b := range blobs {
			if err := x.blob(ctx, b); err != nil {
				return fmt.Errorf("export the file %s: %w", b.Key, err)
			}
			m.progress(x.has.summary().Bytes)
		}
		return nil
	})
	if err != nil {
		return Summary{}, err
	}
	return x.has.summary(), x.end()
}

// export is a running Export.
type export struct {
	*Mover
	has manifest
	zip *zip.Writer
}

func (x *export) table(ctx context.Context, tx *db.Tx, t db.Table) error {
	e := entry{Name: t.Name}
	w, err := x.zip.CreateHeader(&zip.FileHeader{Name: e.table(), Method: zip.Deflate, Modified: x.has.CreatedAt})
	if err != nil {
		return err
	}
	sum := &counter{w: w, sum: sha256.New()}
	if err := sum.line(header(t)); err != nil {
		return err
	}
	err = t.Dump(ctx, tx, x.Only[t.Name], func(line []byte) error {
		line, err := x.reveal(t, line, opened)
		if err != nil {
			return err
		}
		e.Rows++
		return sum.line(line)
	})
	e.Bytes, e.SHA256 = sum.n, sum.hex()
	x.has.Tables = append(x.has.Tables, e)
	return err
}

// header is the first line of a table: its columns.
func header(t db.Table) []byte {
	var names []string
	for _, c := range t.Lined() {
		names = append(names, c.Name)
	}
	line, _ := json.Marshal(names) // names of columns can't fail
	return line
}

// blob adds content as it is, so that Import can read it without unpacking it first.
func (x *export) blob(ctx context.Context, b Blob) error {
	r, err := x.openWhole(ctx, b)
	if errors.Is(err, blob.ErrNotFound) {
		x.has.Missing = append(x.has.Missing, b.Key)
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close()
	e := entry{Name: b.Key}
	w, err := x.zip.CreateHeader(&zip.FileHeader{Name: e.file(), Method: zip.Store, Modified: x.has.CreatedAt})
	if err != nil {
		return err
	}
	sum := &counter{w: w, sum: sha256.New()}
	if _, err := io.Copy(sum, r); err != nil {
		return err
	}
	e.Bytes, e.SHA256 = sum.n, sum.hex()
	x.has.Files = append(x.has.Files, e)
	return nil
}

// openWhole opens content. What is not as long as its row says counts as missing.
func (m *Mover) openWhole(ctx context.Context, b Blob) (io.ReadCloser, error) {
	r, err := m.Store.Open(ctx, b.Key, b.Size)
	if err != nil {
		return nil, err
	}
	n, err := r.Seek(0, io.SeekEnd)
	if err == nil && n != b.Size {
		err = blob.ErrNotFound
	}
	if err == nil {
		_, err = r.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// end writes the manifest and the directory of the zip file.
func (x *export) end() error {
	text, err := json.MarshalIndent(x.has, "", "  ")
	if err != nil {
		return err
	}
	w, err := x.zip.CreateHeader(&zip.FileHeader{Name: manifestName, Method: zip.Deflate, Modified: x.has.CreatedAt})
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	return x.zip.Close()
}

func (m manifest) summary() Summary {
	s := Summary{School: m.School, Files: len(m.Files), Missing: m.Missing}
	for _, e := range m.Tables {
		s.Rows, s.Bytes = s.Rows+e.Rows, s.Bytes+e.Bytes
	}
	for _, e := range m.Files {
		s.Bytes += e.Bytes
	}
	return s
}

// counter counts and hashes what it writes.
type counter struct {
	w   io.Writer
	sum hash.Hash
	n   int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	_, _ = c.sum.Write(p[:n]) // never fails
	return n, err
}

func (c *counter) line(line []byte) error {
	if _, err := c.Write(line); err != nil {
		return err
	}
	_, err := c.Write([]byte{'\n'})
	return err
}

func (c *counter) hex() string { return hex.EncodeToString(c.sum.Sum(nil)) }
