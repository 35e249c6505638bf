package main

import (
	"errors"
	"fmt"

	"homeroom/internal/app"
)

// doctorCmd examines the set-up with the settings of serve.
type doctorCmd struct{ app.Config }

// Help is shown above the flags.
func (doctorCmd) Help() string {
	return `Looks at clock, keys, database, disk, backups, TLS and providers, and says what to change. It takes the settings of
serve, changes nothing and sends nothing. The service may be running. Exit code 1: something is wrong.`
}

// Run prints the findings.
func (d *doctorCmd) Run(c *command) error {
	wrong := 0
	for _, f := range app.Examine(c, d.Config, d.Logger(c.err)) {
		if f.Severity == app.Wrong {
			wrong++
		}
		if _, err := fmt.Fprintf(c.out, "%-8s %-9s %s\n", f.Severity, f.Area, f.Text); err != nil {
			return err
		}
	}
	if wrong > 0 {
		return errors.New(plural(wrong, "thing is", "things are") + " wrong: see above")
	}
	return nil
}

func plural(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
