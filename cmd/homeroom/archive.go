package main

import (
	"fmt"

	"homeroom/internal/app"
)

type backupCmd struct {
	store
	File  string `arg:"" help:"File to write, such as homeroom.tar.gz."`
	Force bool   `help:"Write over a file that is there."`
}

// Help is shown above the flags.
func (backupCmd) Help() string {
	return `The file is a compressed archive of the database as it was at one moment, the keys, and
their checksums. It holds everything there is to know about the schools: keep it as safe as
the database. On PostgreSQL the program pg_dump is needed.`
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
	Force bool   `help:"Replace the data that is there."`
}

// Help is shown above the flags.
func (restoreCmd) Help() string {
	return `The whole file is checked before anything is changed. The embedded database is then put in
place in one step; the one that was there is kept beside it, with the ending .before-restore.
On PostgreSQL the program pg_restore is needed, and all is done in one transaction.`
}

// Run puts the backup in place.
func (r *restoreCmd) Run(c *command) error {
	sum, err := app.Restore(c, r.Store, app.Archive{File: r.File, Force: r.Force, Log: r.Logger(c.err), Console: c.console()})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.out, sum)
	return err
}
