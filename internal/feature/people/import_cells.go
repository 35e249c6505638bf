package people

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/csv"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/web"
)

// cells parses the cells of one row by column index and collects the problems.
// Empty cells give zero values.
type cells struct {
	row      int
	columns  []csv.Column
	at       []string
	dates    clock.DateFormat // of the school
	problems []RowError
}

func (c *cells) bad(column int, format string, a ...any) {
	c.problems = append(c.problems, RowError{c.row, opt.Text(c.columns[column].Name), fmt.Sprintf(format, a...)})
}

// text reads a single-line string.
func (c *cells) text(column, longest int) string {
	s := c.at[column]
	if err := web.Line(s); err != nil {
		c.bad(column, "%s", err)
	}
	return c.short(column, longest, s)
}

// lines reads a multi-line string.
func (c *cells) lines(column, longest int) string {
	s, err := web.Lines(c.at[column])
	if err != nil {
		c.bad(column, "%s", err)
	}
	return c.short(column, longest, s)
}

func (c *cells) short(column, longest int, s string) string {
	if len(s) > longest && utf8.RuneCountInString(s) > longest {
		c.bad(column, "must have at most %d characters", longest)
	}
	return s
}

func (c *cells) number(column, highest int) *int {
	s := c.at[column]
	if s == "" {
		return nil
	}
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > highest {
		c.bad(column, "must be a whole number, 0 to %d", highest)
		return nil
	}
	return &n
}

// dateForms are the unambiguous formats: none can mistake the day for the month.
var dateForms = []string{"2006/01/02", "2.1.2006", "2-Jan-2006", "2 Jan 2006", "2 January 2006", "January 2, 2006"}

func (c *cells) date(column int) *clock.Date {
	s := c.at[column]
	if s == "" {
		return nil
	}
	if d, err := c.dates.Parse(s); err == nil {
		return &d
	}
	for _, form := range dateForms {
		t, err := time.Parse(form, s)
		if err != nil {
			continue
		}
		if d, err := clock.ParseDate(t.Format(time.DateOnly)); err == nil {
			return &d
		}
	}
	c.bad(column, "must be a date as %s", c.dates)
	return nil
}

func (c *cells) phone(column int) string {
	s := c.at[column]
	if s == "" {
		return ""
	}
	clean, err := web.Clean("phone", s)
	if err != nil {
		c.bad(column, "%s", err)
	}
	return clean
}

func (c *cells) email(column int) string {
	s := c.at[column]
	if s == "" {
		return ""
	}
	clean, err := web.Clean("email", s)
	if err != nil || len(clean) > 255 {
		c.bad(column, "must be an e-mail address, as name@example.org")
	}
	return clean
}

// oneOf accepts any case, and spaces or dashes for underscores.
func (c *cells) oneOf(column int, words ...string) string {
	s := c.at[column]
	if s == "" {
		return ""
	}
	for _, w := range words {
		if strings.EqualFold(s, w) || strings.EqualFold(strings.Map(underscore, s), w) {
			return w
		}
	}
	c.bad(column, "must be one of %s", strings.Join(words, ", "))
	return ""
}

// spelt accepts other spellings of words too: see web.Aliases.
func (c *cells) spelt(column int, words []string, alias string) string {
	s := strings.ToLower(c.at[column])
	if s == "" {
		return ""
	}
	if word, ok := web.Aliases(words, alias)[s]; ok {
		return word
	}
	c.bad(column, "must be one of %s", strings.Join(words, ", "))
	return ""
}

var (
	genders     = []string{"MALE", "FEMALE", "OTHER"}
	bloodGroups = []string{"A+", "A-", "B+", "B-", "AB+", "AB-", "O+", "O-"}
)

func (c *cells) gender(column int) string {
	return c.spelt(column, genders, "m=MALE,boy=MALE,f=FEMALE,girl=FEMALE")
}

func underscore(c rune) rune {
	if c == ' ' || c == '-' {
		return '_'
	}
	return c
}

func (c *cells) money(column int) *money.Money {
	s := c.at[column]
	if s == "" {
		return nil
	}
	m, err := money.Parse(s)
	if err != nil {
		c.bad(column, "%s", err)
		return nil
	}
	return &m
}
