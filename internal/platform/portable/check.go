package portable

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
)

// This file refuses files of schools that can't be imported here.

// check verifies the file, and refuses what can't be imported here.
func (in *importing) check(ctx context.Context) error {
	ours, err := in.migrations()
	if err != nil {
		return err
	}
	if err := in.fits(ours); err != nil {
		return err
	}
	switch {
	case in.archive.Demo && !in.Mover.Demo:
		return errors.New("the file has a demo school, whose passwords are public: it can't be imported here")
	case !in.archive.Demo && in.Mover.Demo:
		return errors.New("this is a demo, which shows everyone's sign-in codes: a real school can't be imported here")
	}
	var users []id.ID
	look := map[string]func([]byte) error{
		"schools": in.checkSchool,
		"users": func(line []byte) error {
			cells, err := in.tableOf("users").Texts(line, "id")
			if err == nil {
				users = append(users, id.ID(cells[0]))
			}
			return err
		},
	}
	for _, t := range in.tables {
		look[t.Name] = in.checkTexts(t, look[t.Name])
	}
	if err := in.verify(ctx, in.tables, look, in.progress); err != nil {
		return err
	}
	in.done = in.summary().Bytes
	return in.checkUsers(ctx, users)
}

func (in *importing) tableOf(name string) db.Table {
	for _, t := range in.tables {
		if t.Name == name {
			return t
		}
	}
	return db.Table{Name: name}
}

// checkTexts refuses rows with a text that no school has, or that this installation can't take,
// and passes the others to next, if any.
func (in *importing) checkTexts(t db.Table, next func([]byte) error) func([]byte) error {
	var columns []string
	var refuse []func(string) bool
	for _, c := range t.Lined() {
		if f := in.Refuse(t.Name, c); f != nil {
			columns, refuse = append(columns, c.Name), append(refuse, f)
		}
	}
	if len(columns) == 0 && len(in.localsOf(t.Name)) == 0 {
		return next
	}
	return func(line []byte) error {
		texts, err := t.Texts(line, columns...)
		if err != nil {
			return damaged("%w", err)
		}
		for i, text := range texts {
			if refuse[i](text) {
				return damaged("%s.%s is %.100q, as in no school", t.Name, columns[i], text)
			}
		}
		if _, err := in.reveal(t, line, sealed); err != nil || next == nil {
			return err
		}
		return next(line)
	}
}

// checkSchool compares the school's row with the manifest.
func (in *importing) checkSchool(line []byte) error {
	cells, err := in.tables[0].Texts(line, "id", "code", "is_platform", "is_demo")
	if err != nil {
		return damaged("%w", err)
	}
	want := []string{string(in.School.ID), in.School.Code, "false", "false"}
	if in.archive.Tables[0].Rows != 1 || !slices.Equal(cells, want) {
		return damaged("the row of the school")
	}
	return nil
}

// checkUsers refuses accounts whose ids another school has.
func (in *importing) checkUsers(ctx context.Context, users []id.ID) error {
	taken, err := db.All[string](ctx, in.DB.Across(unscoped.Permit{}), `
		SELECT s.name FROM users u JOIN schools s ON s.id = u.school_id
		WHERE u.id IN (:users) AND u.school_id <> :own ORDER BY s.name LIMIT 1`, db.Args{"users": users, "own": in.School.ID})
	if err == nil && len(taken) > 0 {
		err = fmt.Errorf("an account in the file has the id of an account of %s: the same people can't be in both", taken[0])
	}
	return err
}

// checkEmails refuses addresses that sign in to another school.
func (in *importing) checkEmails(ctx context.Context, all *db.Tx) error {
	var mails []string
	t := in.tableOf("email_logins")
	err := in.lines(ctx, t, func(line []byte) error {
		cells, err := t.Texts(line, "email")
		if err == nil {
			mails = append(mails, cells[0])
		}
		return err
	}, nil)
	if err != nil {
		return err
	}
	taken, err := db.All[string](ctx, all, `SELECT email FROM email_logins WHERE email IN (:mails) ORDER BY email LIMIT 5`,
		db.Args{"mails": mails})
	if err == nil && len(taken) > 0 {
		err = fmt.Errorf("these e-mail addresses sign in to other schools here: %s. Change them in one of the installations first",
			strings.Join(taken, ", "))
	}
	return err
}
