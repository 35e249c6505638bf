package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/console"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
)

// Import is a file of people to import into a school.
type Import struct {
	People  string // students or employees
	File    string
	School  string // its code
	DryRun  bool
	Upsert  bool
	Partial bool
	Log     *slog.Logger
	Console *console.Console
}

// ImportPeople imports the people of a file, as the import routes do. The
// service may be running.
func ImportPeople(ctx context.Context, s Store, in Import) (people.Imported, error) {
	f, err := os.Open(in.File)
	if err != nil {
		return people.Imported{}, fmt.Errorf("read the file: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return people.Imported{}, fmt.Errorf("read the file: %w", err)
	}
	c := Default()
	c.Store = s
	a, err := New(ctx, c, Deps{Log: in.Log})
	if err != nil {
		return people.Imported{}, err
	}
	who, err := a.commandActor(ctx, in.School)
	if err != nil {
		return people.Imported{}, errors.Join(err, a.Close())
	}
	total := info.Size()
	if !in.DryRun {
		total *= 2 // the file is read twice: to check it, then to write it
	}
	bar := in.Console.Progress(filepath.Base(in.File), total)
	ask := people.Import{File: filepath.Base(in.File), DryRun: in.DryRun, Upsert: in.Upsert, Partial: in.Partial, Progress: bar.Set}
	run := a.services.people.ImportStudents
	if in.People == "employees" {
		run = a.services.people.ImportEmployees
	}
	out, err := run(ctx, who, f, ask)
	bar.Done()
	return out, errors.Join(plainError(err), a.Close())
}

// commandActor is the actor of the command line in the school with that code.
func (a *App) commandActor(ctx context.Context, code string) (actor.Actor, error) {
	type found struct {
		ID               id.ID
		Timezone, Locale string
	}
	at, err := db.One[found](ctx, a.DB.Across(unscoped.Permit{}),
		`SELECT id, timezone, locale FROM schools WHERE code = :code AND NOT is_platform`, db.Args{"code": code})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return actor.Actor{}, fmt.Errorf("there is no school with the code %s: GET /super-admin/school/list lists the schools", code)
	case err != nil:
		return actor.Actor{}, fmt.Errorf("look for the school: %w", err)
	}
	return actor.Actor{School: at.ID, Role: actor.SchoolAdmin, Zone: at.Timezone, Locale: at.Locale}, nil
}
