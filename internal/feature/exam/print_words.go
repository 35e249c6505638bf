package exam

import (
	"fmt"
	"strings"

	"homeroom/internal/platform/clock"
)

const fail = "Fail"

func verdict(passed *bool) string {
	switch {
	case passed == nil:
		return ""
	case *passed:
		return "Pass"
	}
	return fail
}

func percentText(m *Marks) string {
	if m == nil {
		return ""
	}
	return m.fixed(2) + " %"
}

func place(rank *int, of int) string {
	if rank == nil {
		return ""
	}
	return fmt.Sprintf("%d of %d", *rank, of)
}

// joined joins the parts that are not empty.
func joined(by string, parts ...string) string {
	var out []string
	for _, s := range parts {
		if s != "" {
			out = append(out, s)
		}
	}
	return strings.Join(out, by)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func day(d clock.Date) string { return d.Time().Format("2 January 2006") }

func span(from, to *clock.Date) string {
	switch {
	case from == nil || to == nil:
		return ""
	case *from == *to:
		return day(*from)
	}
	return from.Time().Format("2 Jan") + " – " + to.Time().Format("2 Jan 2006")
}
