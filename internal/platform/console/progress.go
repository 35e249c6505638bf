package console

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// redraw is the minimum time between two draws of a bar.
const redraw = 100 * time.Millisecond

// Bar is a progress bar. It is not safe for concurrent use.
type Bar struct {
	c     *Console
	label string
	total int64
	drawn time.Time
	shown bool
}

// Progress starts a bar of total bytes. Nothing is drawn until Set.
func (c *Console) Progress(label string, total int64) *Bar {
	return &Bar{c: c, label: label, total: total}
}

// Set draws the bar at n, if the output is a terminal.
func (b *Bar) Set(n int64) {
	if !b.c.terminal || time.Since(b.drawn) < redraw {
		return
	}
	b.drawn, b.shown = time.Now(), true
	b.c.Printf("\r\x1b[K%s", b.line(n))
}

// Done removes the bar.
func (b *Bar) Done() {
	if b.shown {
		b.c.Printf("\r\x1b[K")
	}
}

// line returns the bar, at most one terminal line long, so that it can be redrawn.
func (b *Bar) line(n int64) string {
	if b.total <= 0 {
		return fmt.Sprintf("%s %s", b.label, Bytes(n))
	}
	part := min(max(float64(n)/float64(b.total), 0), 1)
	end := fmt.Sprintf(" %3d%%  %s", int(part*100), Bytes(n))
	room := b.c.columns - utf8.RuneCountInString(b.label) - len(end) - 4
	if room < 5 {
		return b.label + end
	}
	full := int(part * float64(min(room, 40)))
	return fmt.Sprintf("%s [%s%s]%s", b.label, strings.Repeat("#", full), strings.Repeat(".", min(room, 40)-full), end)
}

// Bytes formats a size: 1.5 MiB.
func Bytes(n int64) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	size, units := float64(n)/unit, "KMGTPE"
	for size >= unit && len(units) > 1 {
		size, units = size/unit, units[1:]
	}
	return fmt.Sprintf("%.1f %ciB", size, units[0])
}
