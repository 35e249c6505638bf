package main

import (
	"fmt"
	"time"

	"homeroom/internal/app"
)

// store is the settings of the commands that only touch what is kept.
type store struct {
	app.Store
	app.Logs
}

// Check adds what is wrong with the settings.
func (s store) Check(p app.Problems) {
	s.Store.Check(p)
	s.Logs.Check(p)
}

// migrateCmd looks after the schema.
type migrateCmd struct {
	Up     migrateUp     `cmd:"" help:"Apply what is pending. The service does this itself when it starts."`
	Status migrateStatus `cmd:"" help:"List what is applied and what is pending."`
}

type migrateUp struct{ store }

// Run applies what is pending.
func (m *migrateUp) Run(c *command) error {
	d, err := m.Open(c, m.Logger(c.err))
	if err != nil {
		return err
	}
	defer d.Close()
	applied, err := d.Migrate(c)
	for _, name := range applied {
		fmt.Fprintln(c.out, "applied", name)
	}
	if err != nil {
		return fmt.Errorf("migrate: %w", err)
	}
	if len(applied) == 0 {
		fmt.Fprintln(c.out, "the schema is current")
	}
	return nil
}

type migrateStatus struct{ store }

// Run lists the migrations.
func (m *migrateStatus) Run(c *command) error {
	d, err := m.Open(c, m.Logger(c.err))
	if err != nil {
		return err
	}
	defer d.Close()
	all, err := d.Migrations(c)
	if err != nil {
		return fmt.Errorf("read the schema's state: %w", err)
	}
	for _, one := range all {
		state := "pending"
		if one.AppliedAt != nil {
			state = "applied " + one.AppliedAt.UTC().Format(time.RFC3339)
		}
		fmt.Fprintf(c.out, "%-30s %s\n", one.Name, state)
	}
	return nil
}

// keysCmd looks after the keys.
type keysCmd struct {
	Rotate keysRotate `cmd:"" help:"Put a new key first in the keys file. Tokens signed by the others stay good until they expire."`
}

type keysRotate struct{ store }

// Run rotates, and tells a running server.
func (k *keysRotate) Run(c *command) error {
	report, err := app.RotateKeys(k.Store)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.out, report)
	return err
}
