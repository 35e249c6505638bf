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
	exitUsage  = 2 // the command or its settings must be changed
)

// std is what surrounds the process.
type std struct {
	in  *os.File
	out io.Writer
	err io.Writer
	env func(string) (string, bool)

	exit func(code int) // help ends the process from within
}

func (s std) getenv(name string) string {
	v, _ := s.env(name)
	return v
}

// cli is the command line.
type cli struct {
	Serve   serveCmd   `cmd:"" help:"Run the service."`
	Migrate migrateCmd `cmd:"" help:"Look after the database's schema."`
	Admin   adminCmd   `cmd:"" help:"Look after super-administrators."`
	Import  importCmd  `cmd:"" help:"Bring people into a school from a CSV file."`
	Backup  backupCmd  `cmd:"" help:"Copy the database and the keys into one file, while the service runs."`
	Restore restoreCmd `cmd:"" help:"Put a backup in place, while the service does not run."`
	Keys    keysCmd    `cmd:"" help:"Look after the keys that sign tokens."`
	Version versionCmd `cmd:"" help:"Print the version."`
	Help    helpCmd    `cmd:"" help:"Show the help of a command."`
}

// command is what kong hands to a command's Run.
type command struct {
	std
	context.Context
	parser *kong.Kong
}

func (c *command) console() *console.Console { return console.New(c.err, c.getenv) }

// usage is an error of how the command was called.
type usage struct{ error }

// run is the whole program but for its exit.
func run(ctx context.Context, args []string, s std) int {
	problems := app.Problems{}
	s.exit = os.Exit
	if len(args) == 0 { // help, and no success: a script that forgot the command should notice
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
	return report(s, parsed.Run(&command{std: s, Context: ctx, parser: parser}))
}

// report tells a person what went wrong, once.
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

// list writes the problems in the order of their names.
func list(problems app.Problems) error {
	text := "the settings need a change:"
	for _, flag := range slices.Sorted(maps.Keys(problems)) {
		text += fmt.Sprintf("\n  --%s (%s) %s.", flag, app.EnvName(flag), problems[flag])
	}
	return errors.New(text)
}

// check asks the chosen command's settings what is wrong with them, once each.
func check(parsed *kong.Context, problems app.Problems) {
	if n := parsed.Selected(); n != nil {
		if c, ok := n.Target.Addr().Interface().(interface{ Check(app.Problems) }); ok {
			c.Check(problems)
		}
	}
}

// versionCmd prints what was built.
type versionCmd struct{}

// Run writes to standard output.
func (versionCmd) Run(c *command) error {
	_, err := fmt.Fprintln(c.out, app.Version())
	return err
}

// helpCmd is --help, for those who write it as a word.
type helpCmd struct {
	Command []string `arg:"" optional:"" help:"The command."`
}

// Run prints the help of the command.
func (h helpCmd) Run(c *command) error {
	if _, err := c.parser.Parse(append(h.Command, "--help")); err != nil {
		return usage{err}
	}
	return nil // not reached: help that was found ends the process
}
