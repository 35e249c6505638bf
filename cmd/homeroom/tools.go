package main

import (
	"fmt"
	"time"

	"homeroom/internal/app"
)

// store has the settings of commands that need only the database and the keys.
type store struct {
	app.Store
	app.Logs
}

// Check adds every invalid setting to p.
func (s store) Check(p app.Problems) {
	s.Store.Check(p)
	s.Logs.Check(p)
}

// migrateCmd migrates the schema.
type migrateCmd struct {
	Up     migrateUp     `cmd:"" help:"Apply pending migrations. The service does this itself at its start."`
	Status migrateStatus `cmd:"" help:"List applied and pending migrations."`
}

type migrateUp struct{ store }

// Run applies pending migrations.
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
		return fmt.Errorf("read the schema version: %w", err)
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

// keysCmd manages the keys.
type keysCmd struct {
	Rotate keysRotate `cmd:"" help:"Add a new signing key to the keys file. Tokens signed with the old keys stay valid until they expire."`

	RotatePush keysRotatePush `cmd:"" help:"Replace the key of Web Push. Browsers subscribe again when the app is next opened."`
}

type keysRotatePush struct{ store }

// Run replaces the key of Web Push.
func (k *keysRotatePush) Run(c *command) error {
	report, err := app.RotatePushKey(c, k.Store, k.Logger(c.err))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.out, report)
	return err
}

type keysRotate struct{ store }

// Run rotates the keys and reloads a running server.
func (k *keysRotate) Run(c *command) error {
	report, err := app.RotateKeys(k.Store)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(c.out, report)
	return err
}
