package main

import (
	"errors"
	"fmt"
	"time"

	"homeroom/internal/app"
)

type backupCmd struct {
	store
	File  string `arg:"" help:"File to write, such as homeroom.tar.gz."`
	Force bool   `help:"Overwrite an existing file."`
}

// Help is shown above the flags.
func (backupCmd) Help() string {
	return `The file is a compressed archive of a consistent snapshot of the database, the keys, the
uploaded files of this machine, and checksums. Protect it like the database: it contains all
data of the schools. PostgreSQL needs the program pg_dump.`
}

// Run writes the backup.
func (b *backupCmd) Run(c *command) error {
	sum, err := app.Backup(c, b.Store, app.Archive{File: b.File, Force: b.Force, Log: b.Logger(c.err), Console: c.console()})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.out, sum)
	return err
}

type restoreCmd struct {
	store
	app.Backups
	File  string `arg:"" optional:"" help:"A file that homeroom backup wrote. Default: the continuous backup."`
	At    string `placeholder:"TIME" help:"Restore the continuous backup as it was at this time, such as 2026-03-01T09:30:00Z. Default: the last."`
	Force bool   `help:"Replace existing data."`
}

// Check adds every invalid setting to p.
func (r restoreCmd) Check(p app.Problems) {
	r.store.Check(p)
	r.Backups.Check(p)
}

// moment returns the time of --at; zero without it.
func (r restoreCmd) moment() (at time.Time, err error) {
	switch {
	case r.At == "":
		return at, nil
	case r.File != "":
		return at, usage{errors.New("--at is for the continuous backup: a file is of one moment. Leave one of them out")}
	}
	if at, err = time.Parse(time.RFC3339, r.At); err != nil {
		err = usage{fmt.Errorf("--at is %q: write a time such as 2026-03-01T09:30:00Z, or 2026-03-01T09:30:00+02:00", r.At)}
	}
	return at, err
}

// Help is shown above the flags.
func (restoreCmd) Help() string {
	return `The whole file is verified before anything changes. An SQLite database is replaced
atomically; the old one is kept with the suffix .before-restore. PostgreSQL needs the
program pg_restore and is restored in one transaction.

Without a file, the continuous backup in --backup-s3-bucket or --backup-dir is restored, as
it was at the time of --at.`
}

// Run restores the backup.
func (r *restoreCmd) Run(c *command) error {
	a := app.Archive{File: r.File, Force: r.Force, Log: r.Logger(c.err), Console: c.console()}
	at, err := r.moment()
	if err != nil {
		return err
	}
	var sum string
	if r.File == "" {
		sum, err = app.RestoreAt(c, r.Store, r.Backups, at, a)
	} else {
		sum, err = app.Restore(c, r.Store, a)
	}
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.out, sum)
	return err
}
