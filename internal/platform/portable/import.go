package portable

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"homeroom/internal/platform/blob"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
)

// batchRows and batchBytes bound a transaction, so that others need not wait long on SQLite,
// which has one writer.
const (
	batchRows  = 2000
	batchBytes = 1 << 20
)

// Import reads a file of Export into the database. Nothing is written before the whole file
// is checked. Then rows are written in small transactions, each compared with what the
// database stored: after an interruption the same file continues where it ended. The school
// is suspended until someone resumes it, which is refused before the end.
func (m *Mover) Import(ctx context.Context, path string) (Summary, error) {
	a, err := openArchive(path)
	if err != nil {
		return Summary{}, err
	}
	defer a.file.Close()
	in := &importing{Mover: m, archive: a}
	if in.tables, err = m.tables(ctx); err != nil {
		return Summary{}, err
	}
	if err := in.check(ctx); err != nil {
		return Summary{}, err
	}
	if err := in.begin(ctx); err != nil {
		return Summary{}, err
	}
	for _, t := range in.tables[1:] {
		if err := in.table(ctx, t); err != nil {
			return Summary{}, in.hint(err)
		}
	}
	if err := in.files(ctx); err != nil {
		return Summary{}, in.hint(err)
	}
	if err := m.DB.Optimize(ctx); err != nil {
		return Summary{}, in.hint(err)
	}
	sum := a.summary()
	sum.Missing = in.lost
	return sum, in.hint(in.end(context.WithoutCancel(ctx))) // once begun it is not interrupted: its outcome must be known
}

// importing is a running Import.
type importing struct {
	*Mover
	*archive
	tables []db.Table
	at     step
	passed bool // the table of at has been reached
	done   int64
	lost   []string // keys of content that the file lacks
}

// step is how far the import has come.
type step struct {
	File  string
	Entry string
	Count int64
}

// hint says what to do after an error in the middle.
func (in *importing) hint(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%w\nThe import is not finished: import the same file again to continue, or delete the suspended school %s",
		err, in.School.Code)
}

// begin writes the school and the e-mail addresses of its sign-ins, or finds how far an
// earlier import of this file has come.
func (in *importing) begin(ctx context.Context) error {
	return in.DB.InAll(ctx, unscoped.Permit{}, func(ctx context.Context, all *db.Tx) error {
		found, err := db.All[School](ctx, all, `SELECT id, code, name FROM schools WHERE id = :id OR code = :code`,
			db.Args{"id": in.School.ID, "code": in.School.Code})
		if err != nil {
			return err
		}
		for _, s := range found {
			if s.ID == in.School.ID {
				return in.resume(ctx, all.School(s.ID), s)
			}
		}
		if len(found) > 0 {
			return fmt.Errorf("another school here, %s, has the code %s: change the code of one of them first", found[0].Name, found[0].Code)
		}
		if err := in.checkEmails(ctx, all); err != nil {
			return err
		}
		if err := in.Begin(ctx, all, in.School); err != nil {
			return err
		}
		return in.create(ctx, all)
	})
}

func (in *importing) resume(ctx context.Context, tx *db.Tx, s School) (err error) {
	in.at, err = db.One[step](ctx, tx, `SELECT file, entry, count FROM school_imports WHERE school_id = :school`, nil)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return fmt.Errorf("the school %s (%s) is here already: delete it first, if the file has to replace it", s.Name, s.Code)
	case err == nil && in.at.File != in.digest:
		return fmt.Errorf("another export of %s is being imported: finish that, or delete the suspended school %s first", s.Name, s.Code)
	}
	return err
}

func (in *importing) create(ctx context.Context, all *db.Tx) error {
	err := in.lines(ctx, in.tables[0], func(line []byte) error {
		suspended, err := in.tables[0].Edit(line, "status", func(func(string) string) (string, error) { return "SUSPENDED", nil })
		if err != nil {
			return err
		}
		return in.load(ctx, all, in.tables[0], [][]byte{suspended})
	}, nil)
	if err != nil {
		return err
	}
	own := all.School(in.School.ID)
	mails := in.tableOf("email_logins")
	var lines [][]byte
	if err := in.lines(ctx, mails, func(line []byte) error { lines = append(lines, bytes.Clone(line)); return nil }, nil); err != nil {
		return err
	}
	if err := in.load(ctx, own, mails, lines); err != nil {
		return err
	}
	in.at = step{File: in.digest}
	_, err = db.Exec(ctx, own, `
		INSERT INTO school_imports (school_id, file, entry, count, updated_at) VALUES (:school, :file, '', 0, :now)`,
		db.Args{"file": in.digest, "now": in.Now()})
	return err
}

// load writes lines and compares each with what the database stored.
func (in *importing) load(ctx context.Context, tx *db.Tx, t db.Table, lines [][]byte) error {
	written := make([][]byte, len(lines))
	for i, line := range lines {
		var err error
		if written[i], err = in.reveal(t, line, sealed); err != nil {
			return err
		}
	}
	i := 0
	return t.Load(ctx, tx, written, func(stored []byte) error {
		stored, err := in.reveal(t, stored, opened)
		if err != nil {
			return err
		}
		if i >= len(lines) || !bytes.Equal(stored, lines[i]) {
			return damaged("a row of %s is not stored as it is in the file", t.Name)
		}
		i++
		return nil
	})
}

// table writes the rows of a table that are not there yet.
func (in *importing) table(ctx context.Context, t db.Table) error {
	if t.Name == "email_logins" { // written by create
		return nil
	}
	skip, ok := in.reach(t.Name)
	if !ok {
		return nil
	}
	var batch [][]byte
	size, row := 0, int64(0)
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		err := in.DB.InSchool(ctx, in.School.ID, func(ctx context.Context, tx *db.Tx) error {
			if err := in.load(ctx, tx, t, batch); err != nil {
				return err
			}
			return in.move(ctx, tx, step{in.digest, t.Name, row})
		})
		if err != nil {
			return err
		}
		in.at = step{in.digest, t.Name, row}
		in.done += int64(size)
		in.progress(in.done)
		batch, size = batch[:0], 0
		return nil
	}
	err := in.lines(ctx, t, func(line []byte) error {
		if row++; row <= skip {
			return nil
		}
		batch, size = append(batch, bytes.Clone(line)), size+len(line)
		if len(batch) < batchRows && size < batchBytes {
			return nil
		}
		return flush()
	}, nil)
	if err != nil {
		return err
	}
	return flush()
}

// reach returns how many items of an entry are done, or false if all are.
func (in *importing) reach(entry string) (done int64, ok bool) {
	switch {
	case in.passed || in.at.Entry == "":
		in.passed = true
		return 0, true
	case in.at.Entry == entry:
		in.passed = true
		return in.at.Count, true
	}
	return 0, false
}

// move records the progress in the transaction that made it. It fails if another import of
// the file runs at the same time.
func (in *importing) move(ctx context.Context, tx *db.Tx, to step) error {
	n, err := db.Exec(ctx, tx, `
		UPDATE school_imports SET entry = :entry, count = :count, updated_at = :now
		WHERE school_id = :school AND file = :file AND entry = :was AND count = :had`,
		db.Args{"entry": to.Entry, "count": to.Count, "now": in.Now(), "file": in.digest,
			"was": in.at.Entry, "had": in.at.Count})
	if err == nil && n != 1 {
		err = errors.New("another import of this file is running")
	}
	return err
}

// files stores the content that the imported rows refer to, unless an interrupted import has
// stored it. Names in the file are only compared, never used as paths.
func (in *importing) files(ctx context.Context) error {
	var all []Blob
	err := in.Blobs(ctx, in.DB.School(in.School.ID), func(b Blob) error { all = append(all, b); return nil })
	if err != nil {
		return err
	}
	for _, b := range all {
		r, ok, err := in.content(b.Key)
		switch {
		case err != nil:
			return err
		case !ok || r.Size() != b.Size:
			in.lost = append(in.lost, b.Key)
		default:
			if err := in.put(ctx, b, r); err != nil {
				return err
			}
		}
		in.done += b.Size
		in.progress(in.done)
	}
	return nil
}

// put stores content that is not there yet: a put is all or nothing.
func (in *importing) put(ctx context.Context, b Blob, r *io.SectionReader) error {
	there, err := in.openWhole(ctx, b)
	if err == nil {
		return there.Close()
	}
	if !errors.Is(err, blob.ErrNotFound) {
		return err
	}
	return in.Store.Put(ctx, b.Key, r)
}

// end completes the import.
func (in *importing) end(ctx context.Context) error {
	return in.DB.InAll(ctx, unscoped.Permit{}, func(ctx context.Context, all *db.Tx) error {
		n, err := db.Exec(ctx, all.School(in.School.ID), `DELETE FROM school_imports WHERE school_id = :school AND file = :file`,
			db.Args{"file": in.digest})
		switch {
		case err != nil:
			return err
		case n != 1:
			return errors.New("another import of this file is running")
		}
		return in.Done(ctx, all, in.School)
	})
}
