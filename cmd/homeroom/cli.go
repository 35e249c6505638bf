package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/alecthomas/kong"

	"homeroom/internal/app"
	"homeroom/internal/platform/console"
)

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2 // wrong arguments or settings
)

// std is the environment of the process: streams, variables and exit.
type std struct {
	in  *os.File
	out io.Writer
	err io.Writer
	env func(string) (string, bool)

	environ func() []string

	exit func(code int) // called by kong after printing help
}

func (s std) getenv(name string) string {
	v, _ := s.env(name)
	return v
}

// cli is the command line.
type cli struct {
	Serve   serveCmd   `cmd:"" help:"Run the service."`
	Migrate migrateCmd `cmd:"" help:"Migrate the database schema."`
	Admin   adminCmd   `cmd:"" help:"Manage super-administrators."`
	Import  importCmd  `cmd:"" help:"Import students or employees from a CSV file."`
	School  schoolCmd  `cmd:"" help:"Move a school to another installation."`
	Backup  backupCmd  `cmd:"" help:"Back up the database, the keys and uploaded files to one file. The service may be running."`
	Restore restoreCmd `cmd:"" help:"Restore a backup. The service must be stopped."`
	Doctor  doctorCmd  `cmd:"" help:"Examine the set-up, and say what to change."`
	Keys    keysCmd    `cmd:"" help:"Manage the keys that sign tokens."`
	Version versionCmd `cmd:"" help:"Print the version."`
	Help    helpCmd    `cmd:"" help:"Show the help of a command."`

	Complete completeCmd `cmd:"" hidden:"" help:"Print completions of a command line, for shells."`
	Man      manCmd      `cmd:"" hidden:"" help:"Print the manual page."`

	VersionFlag kong.VersionFlag `name:"version" help:"Print the version."`
}

// command is the argument of a command's Run.
type command struct {
	std
	context.Context
	parser *kong.Kong
}

func (c *command) console() *console.Console { return console.New(c.err, c.getenv) }

// usage is an error in the arguments or settings.
type usage struct{ error }

// run runs the program and returns its exit code.
func run(ctx context.Context, args []string, s std) int {
	problems := app.Problems{}
	s.exit = os.Exit
	if len(args) == 0 { // show help, but exit with an error
		args, s.exit = []string{"--help"}, func(int) { os.Exit(exitUsage) }
	}
	parser, err := newParser(&cli{}, s, problems)
	if err != nil {
		return report(s, err)
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		return report(s, usage{err})
	}
	check(parsed, problems)
	if len(problems) > 0 {
		return report(s, usage{list(problems)})
	}
	warnMisspelt(parsed, s)
	return report(s, parsed.Run(&command{std: s, Context: ctx, parser: parser}))
}

// report prints an error and returns the exit code for it.
func report(s std, err error) int {
	con := console.New(s.err, s.getenv)
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, new(usage)):
		con.Printf("%s %v\n%s\n", con.Red("homeroom:"), err, con.Dim("See homeroom help."))
		return exitUsage
	case errors.Is(err, context.Canceled):
		con.Printf("%s interrupted\n", con.Red("homeroom:"))
	default:
		con.Printf("%s %v\n", con.Red("homeroom:"), err)
	}
	return exitFailed
}

// list formats the problems, sorted by flag.
func list(problems app.Problems) error {
	text := "invalid settings:"
	for _, flag := range slices.Sorted(maps.Keys(problems)) {
		text += fmt.Sprintf("\n  --%s (%s) %s.", flag, app.EnvName(flag), problems[flag])
	}
	return errors.New(text)
}

// check adds the invalid settings of the selected command to problems.
func check(parsed *kong.Context, problems app.Problems) {
	if n := parsed.Selected(); n != nil {
		if c, ok := n.Target.Addr().Interface().(interface{ Check(app.Problems) }); ok {
			c.Check(problems)
		}
	}
}

// versionCmd prints the version.
type versionCmd struct{}

// Run writes to standard output.
func (versionCmd) Run(c *command) error {
	_, err := fmt.Fprintln(c.out, app.Version())
	return err
}

// helpCmd is --help as a command.
type helpCmd struct {
	Command []string `arg:"" optional:"" help:"The command."`
}

// Run prints the help of the command.
func (h helpCmd) Run(c *command) error {
	if _, err := c.parser.Parse(append(h.Command, "--help")); err != nil {
		return usage{err}
	}
	return nil // not reached: printing help exits
}
