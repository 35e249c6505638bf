package main

import (
	"fmt"
	"time"

	"homeroom/internal/app"
)

// schoolCmd moves a school between installations.
type schoolCmd struct {
	Export schoolExport `cmd:"" help:"Write a school with all its rows and files to a file. The service may be running."`
	Import schoolImport `cmd:"" help:"Read a school from such a file. The service may be running."`
}

// movable has the settings of both commands.
type movable struct {
	store
	app.Files
	FileProvider string `group:"sending" default:"local" placeholder:"NAME" help:"File storage: local (the data directory) or s3."`
}

// Check adds every invalid setting to p.
func (m movable) Check(p app.Problems) {
	m.store.Check(p)
	m.storage().Check(p)
}

func (m movable) storage() app.FileStorage {
	return app.FileStorage{Provider: m.FileProvider, Files: m.Files}
}

type schoolExport struct {
	movable
	Code  string        `arg:"" help:"Code of the school."`
	File  string        `arg:"" help:"File to write, such as school.zip."`
	Close bool          `help:"Suspend the school first, and hold its messages for the installation that resumes it."`
	Wait  time.Duration `placeholder:"TIME" help:"With --close, how long requests that have begun may take (default: as long as any may, 11m). What is written later is not in the file."`
	Force bool          `help:"Overwrite an existing file."`
}

// Help is shown above the flags.
func (schoolExport) Help() string {
	return `The file is a zip file of all rows of the school at one moment, its uploaded files, and checksums.
It can be imported on either engine, by the same version of the program. Protect it like the database.
Without --close it is a copy: changes after it, and messages that wait to be sent, are not in it.
With --close it waits 11 minutes, or --wait, in which requests that have begun end.`
}

// Run exports the school.
func (s *schoolExport) Run(c *command) error {
	text, err := app.ExportSchool(c, s.Store, app.Move{School: s.Code, File: s.File, Close: s.Close, Wait: s.Wait, Force: s.Force,
		Storage: s.storage(), Log: s.Logger(c.err), Console: c.console()})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.out, text)
	return err
}

type schoolImport struct {
	movable
	File string `arg:"" help:"A file that homeroom school export wrote."`
}

// Help is shown above the flags.
func (schoolImport) Help() string {
	return `The whole file is checked before anything is written. After an interruption, the same command continues.
The school is suspended until a super-administrator resumes it.`
}

// Run imports the school.
func (s *schoolImport) Run(c *command) error {
	text, err := app.ImportSchool(c, s.Store, app.Move{File: s.File, Storage: s.storage(), Log: s.Logger(c.err), Console: c.console()})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.out, text)
	return err
}
