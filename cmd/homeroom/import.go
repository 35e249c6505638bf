package main

import (
	"errors"
	"fmt"
	"strconv"

	"homeroom/internal/app"
)

// importCmd imports people into a school.
type importCmd struct {
	Students  importStudents  `cmd:"" help:"Import students with their guardians from a CSV file."`
	Employees importEmployees `cmd:"" help:"Import employees from a CSV file."`
}

type importFile struct {
	store
	File    string `arg:"" help:"A CSV file. Its first row names the columns."`
	School  string `required:"" placeholder:"CODE" help:"Code of the school."`
	DryRun  bool   `help:"Validate only: nothing is written."`
	Mode    string `enum:"create,upsert" default:"create" placeholder:"create|upsert" help:"upsert also updates existing people. Default: create."`
	Partial bool   `help:"Import the valid rows even if others are invalid."`
}

type importStudents struct{ importFile }

type importEmployees struct{ importFile }

const importHelp = `The whole file is validated first. Nothing is written unless every row is valid (or with --partial).
GET /school-admin/%s/import/template has the columns. The service may be running.`

// Help is shown above the flags.
func (importStudents) Help() string { return fmt.Sprintf(importHelp, "student") }

// Help is shown above the flags.
func (importEmployees) Help() string { return fmt.Sprintf(importHelp, "employee") }

// Run imports students.
func (i *importStudents) Run(c *command) error { return i.run(c, "students") }

// Run imports employees.
func (i *importEmployees) Run(c *command) error { return i.run(c, "employees") }

func (i *importFile) run(c *command, what string) error {
	con := c.console()
	out, err := app.ImportPeople(c, i.Store, app.Import{People: what, File: i.File, School: i.School,
		DryRun: i.DryRun, Upsert: i.Mode == "upsert", Partial: i.Partial, Log: i.Logger(c.err), Console: con})
	if err != nil {
		return err
	}
	for _, w := range out.Warnings {
		con.Printf("%s\n", con.Dim(w))
	}
	var rows [][]string
	for _, e := range out.Errors {
		rows = append(rows, []string{strconv.Itoa(e.Row), string(e.Field), e.Message})
	}
	if len(rows) > 0 {
		con.Table([]string{"Row", "Field", "What to do"}, rows)
	}
	if out.NotShown > 0 {
		con.Printf("  and %d more errors: %d rows in all\n", out.NotShown, out.Failed)
	}
	if _, err := fmt.Fprintf(c.out, "%d rows: %d created, %d updated, %d unchanged, %d failed\n",
		out.Total, out.Created, out.Updated, out.Unchanged, out.Failed); err != nil {
		return err
	}
	if out.Failed > 0 {
		return errors.New(out.Message())
	}
	_, err = fmt.Fprintln(c.out, out.Message())
	return err
}
