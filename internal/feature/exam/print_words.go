package exam

import (
	"strings"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/text"
)

func (p *printed) verdict(passed *bool) string {
	switch {
	case passed == nil:
		return ""
	case *passed:
		return p.say(text.T("print.card.pass"))
	}
	return p.say(text.T("print.card.fail"))
}

func percentText(m *Marks) string {
	if m == nil {
		return ""
	}
	return m.fixed(2) + " %"
}

func (p *printed) place(rank *int, of int) string {
	if rank == nil {
		return ""
	}
	return p.say(text.T("print.card.of", "some", *rank, "all", of))
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

func (p *printed) span(from, to *clock.Date) string {
	switch {
	case from == nil || to == nil:
		return ""
	case *from == *to:
		return p.day(*from)
	}
	return p.day(*from) + " – " + p.day(*to)
}
