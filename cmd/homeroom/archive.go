package main

import (
	"fmt"

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
	File  string `arg:"" help:"A file that homeroom backup wrote."`
	Force bool   `help:"Replace existing data."`
}

// Help is shown above the flags.
func (restoreCmd) Help() string {
	return `The whole file is verified before anything changes. An SQLite database is replaced
atomically; the old one is kept with the suffix .before-restore. PostgreSQL needs the
program pg_restore and is restored in one transaction.`
}

// Run restores the backup.
func (r *restoreCmd) Run(c *command) error {
	sum, err := app.Restore(c, r.Store, app.Archive{File: r.File, Force: r.Force, Log: r.Logger(c.err), Console: c.console()})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.out, sum)
	return err
}
