// Package icaltest parses iCalendar files for tests, without Go's time zones.
package icaltest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Happening is one occurrence of an event.
type Happening struct {
	UID, Summary, Location, Description string
	Start, End                          time.Time // UTC
}

// component is BEGIN:name … END:name.
type component struct {
	name  string
	lines []line
	parts []component
}

type line struct{ name, params, value string }

func (c component) get(name string) line {
	for _, l := range c.lines {
		if l.name == name {
			return l
		}
	}
	return line{}
}

// Read returns all occurrences of a calendar by time, or what is invalid in it.
func Read(text string) ([]Happening, error) {
	cal, err := parse(text)
	if err != nil {
		return nil, err
	}
	zones := map[string][]component{}
	var out []Happening
	seen := map[string]bool{}
	for _, c := range cal.parts {
		switch c.name {
		case "VTIMEZONE":
			zones[c.get("TZID").value] = c.parts
		case "VEVENT":
			uid := c.get("UID").value
			if uid == "" || seen[uid] {
				return nil, fmt.Errorf("UID %q is empty or used twice", uid)
			}
			seen[uid] = true
			if _, err := time.Parse("20060102T150405Z", c.get("DTSTAMP").value); err != nil {
				return nil, err
			}
			times, err := happenings(c, zones)
			if err != nil {
				return nil, err
			}
			out = append(out, times...)
		}
	}
	slices.SortFunc(out, func(a, b Happening) int { return a.Start.Compare(b.Start) })
	return out, nil
}

// parse validates the lines and nests the components.
func parse(text string) (component, error) {
	if !strings.HasSuffix(text, "\r\n") || strings.Contains(strings.ReplaceAll(text, "\r\n", ""), "\n") {
		return component{}, fmt.Errorf("lines must end in CRLF")
	}
	for l := range strings.SplitSeq(text, "\r\n") {
		if len(l) > 75 {
			return component{}, fmt.Errorf("a line has %d octets: %s", len(l), l)
		}
	}
	stack := []component{{}}
	for l := range strings.SplitSeq(strings.TrimSuffix(strings.ReplaceAll(text, "\r\n ", ""), "\r\n"), "\r\n") {
		head, value, ok := strings.Cut(l, ":")
		if !ok {
			return component{}, fmt.Errorf("not a property: %q", l)
		}
		name, params, _ := strings.Cut(head, ";")
		top := len(stack) - 1
		switch name {
		case "BEGIN":
			stack = append(stack, component{name: value})
		case "END":
			if stack[top].name != value || top == 0 {
				return component{}, fmt.Errorf("END:%s ends %s", value, stack[top].name)
			}
			stack[top-1].parts = append(stack[top-1].parts, stack[top])
			stack = stack[:top]
		default:
			stack[top].lines = append(stack[top].lines, line{name, params, value})
		}
	}
	if len(stack) != 1 || len(stack[0].parts) != 1 || stack[0].parts[0].name != "VCALENDAR" {
		return component{}, fmt.Errorf("not one calendar")
	}
	return stack[0].parts[0], nil
}

// happenings expands the recurrences of an event.
func happenings(c component, zones map[string][]component) ([]Happening, error) {
	if c.get("DTSTART").params == "VALUE=DATE" {
		return wholeDays(c)
	}
	zone, ok := zones[strings.TrimPrefix(c.get("DTSTART").params, "TZID=")]
	if !ok {
		return nil, fmt.Errorf("no VTIMEZONE for %s", c.get("DTSTART").params)
	}
	start, err := time.Parse("20060102T150405", c.get("DTSTART").value)
	if err != nil {
		return nil, err
	}
	end, err := time.Parse("20060102T150405", c.get("DTEND").value)
	if err != nil {
		return nil, err
	}
	until := instant(start, zone)
	if rule := c.get("RRULE").value; rule != "" {
		if until, err = time.Parse("FREQ=WEEKLY;UNTIL=20060102T150405Z", rule); err != nil {
			return nil, err
		}
	}
	except := strings.Split(c.get("EXDATE").value, ",")
	var out []Happening
	for ; !instant(start, zone).After(until); start, end = start.AddDate(0, 0, 7), end.AddDate(0, 0, 7) {
		if slices.Contains(except, start.Format("20060102T150405")) {
			continue
		}
		out = append(out, Happening{UID: c.get("UID").value, Summary: plain(c.get("SUMMARY").value), Location: plain(c.get("LOCATION").value),
			Description: plain(c.get("DESCRIPTION").value), Start: instant(start, zone), End: instant(end, zone)})
	}
	return out, nil
}

// wholeDays is an event of whole days, from midnight to midnight UTC.
func wholeDays(c component) ([]Happening, error) {
	start, err := time.Parse("20060102", c.get("DTSTART").value)
	if err != nil {
		return nil, err
	}
	end, err := time.Parse("20060102", c.get("DTEND").value)
	if err != nil || !end.After(start) || c.get("DTEND").params != "VALUE=DATE" {
		return nil, fmt.Errorf("DTEND of a whole day: %v %w", c.get("DTEND"), err)
	}
	return []Happening{{UID: c.get("UID").value, Summary: plain(c.get("SUMMARY").value), Location: plain(c.get("LOCATION").value),
		Description: plain(c.get("DESCRIPTION").value), Start: start, End: end}}, nil
}

// instant converts a local time to UTC with the latest rule that applies.
func instant(clock time.Time, rules []component) time.Time {
	var latest time.Time
	offset := 0
	for i, r := range rules {
		onset, err := time.Parse("20060102T150405", r.get("DTSTART").value)
		if err == nil && !onset.After(clock) && (i == 0 || onset.After(latest)) {
			latest, offset = onset, seconds(r.get("TZOFFSETTO").value)
		}
	}
	return clock.Add(-time.Duration(offset) * time.Second)
}

func seconds(offset string) int {
	n, _ := strconv.Atoi(offset[1:])
	if len(offset) == 5 {
		n *= 100
	}
	s := n/10000*3600 + n/100%100*60 + n%100
	if offset[0] == '-' {
		return -s
	}
	return s
}

func plain(s string) string {
	return strings.NewReplacer(`\\`, `\`, `\;`, ";", `\,`, ",", `\n`, "\n").Replace(s)
}
