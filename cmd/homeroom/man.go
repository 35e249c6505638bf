package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"

	"homeroom/internal/app"
)

// manCmd prints the manual page, which packages install.
type manCmd struct{}

// Run writes the page in the macros of man(7).
func (manCmd) Run(c *command) error {
	root := c.parser.Model.Node
	var b strings.Builder
	fmt.Fprintf(&b, ".TH HOMEROOM 1 \"\" \"homeroom\"\n.SH NAME\nhomeroom \\- school platform in one program\n")
	fmt.Fprintf(&b, ".SH SYNOPSIS\n.B homeroom\n.I command\n[flags]\n.SH DESCRIPTION\n%s\n", roff(root.Help))
	fmt.Fprintf(&b, ".SH COMMANDS\n")
	for _, leaf := range root.Leaves(true) {
		manCommand(&b, leaf)
	}
	fmt.Fprintf(&b, ".SH SETTINGS\nEach setting is a flag of commands that need it, and an environment variable. The flag wins.\n")
	for _, child := range root.Children {
		if child.Name == "serve" { // it has all of them
			manSettings(&b, child.Flags)
		}
	}
	fmt.Fprintf(&b, ".SH EXIT STATUS\n%d: success. %d: the command failed. %d: wrong arguments or settings.\n", exitOK, exitFailed, exitUsage)
	fmt.Fprintf(&b, ".SH FILES\n.TP\n.I /etc/homeroom/homeroom.env\nSettings of the service that a package installs.\n")
	fmt.Fprintf(&b, ".TP\n.I /var/lib/homeroom\nIts data: the embedded database, the keys, uploaded files.\n")
	_, err := fmt.Fprint(c.out, b.String())
	return err
}

// manCommand writes a command with the flags that are no settings.
func manCommand(b *strings.Builder, leaf *kong.Node) {
	usage, _, _ := strings.Cut(leaf.Summary(), " [flags]")
	fmt.Fprintf(b, ".TP\n.B homeroom %s\n%s\n", roff(usage), roff(leaf.Help))
	if leaf.Detail != "" {
		fmt.Fprintf(b, "%s\n", roff(leaf.Detail))
	}
	for _, f := range leaf.Flags {
		if !isSetting(f.Value) {
			fmt.Fprintf(b, ".br\n%s: %s\n", roff(f.Summary()), roff(f.Help))
		}
	}
}

// manSettings writes the settings under the headings of the help.
func manSettings(b *strings.Builder, flags []*kong.Flag) {
	heading := ""
	for _, f := range flags {
		if !isSetting(f.Value) {
			continue
		}
		if f.Group.Title != heading {
			heading = f.Group.Title
			fmt.Fprintf(b, ".SS %s\n", roff(heading))
		}
		fmt.Fprintf(b, ".TP\n.B %s, %s\n%s\n", roff(f.Summary()), app.EnvName(f.Name), roff(f.Help))
		if f.HasDefault {
			fmt.Fprintf(b, "Default: %s\n", roff(f.Default))
		}
	}
}

// roff escapes what man(7) would take for a macro, an escape or a typographic dash.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'").Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		return `\&` + text
	}
	return text
}
