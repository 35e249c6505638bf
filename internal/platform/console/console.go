// Package console writes to a terminal: colours, tables and progress bars. If the output
// is not a terminal (a file, a pipe, a log) it writes plain text without progress.
package console

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"
)

// Console is an output stream.
type Console struct {
	w        io.Writer
	terminal bool
	colour   bool
	columns  int
}

// New detects whether w is a terminal. Colours are off if NO_COLOR is set or TERM is
// dumb. getenv is os.Getenv.
func New(w io.Writer, getenv func(string) string) *Console {
	c := &Console{w: w, columns: 80}
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return c
	}
	c.terminal = true
	c.colour = getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
	if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 0 {
		c.columns = n
	}
	return c
}

// Terminal reports whether the output is a terminal.
func (c *Console) Terminal() bool { return c.terminal }

// Printf writes to the stream and ignores errors.
func (c *Console) Printf(format string, a ...any) { _, _ = fmt.Fprintf(c.w, format, a...) }

// Bold returns s in bold.
func (c *Console) Bold(s string) string { return c.paint("1", s) }

// Dim returns s dimmed.
func (c *Console) Dim(s string) string { return c.paint("2", s) }

// Green returns s in green.
func (c *Console) Green(s string) string { return c.paint("32", s) }

// Red returns s in red.
func (c *Console) Red(s string) string { return c.paint("31", s) }

func (c *Console) paint(code, s string) string {
	if !c.colour || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// Table writes rows in columns under a header, indented by two.
func (c *Console) Table(header []string, rows [][]string) {
	width := make([]int, len(header))
	for _, row := range append([][]string{header}, rows...) {
		for i, cell := range row {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	c.row(width, header, c.Dim)
	for _, row := range rows {
		c.row(width, row, func(s string) string { return s })
	}
}

// row pads before it paints, because escape sequences have no width.
func (c *Console) row(width []int, cells []string, paint func(string) string) {
	var b strings.Builder
	for i, cell := range cells {
		b.WriteString("  ")
		b.WriteString(paint(cell))
		if i < len(cells)-1 {
			b.WriteString(strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell)))
		}
	}
	c.Printf("%s\n", b.String())
}
