package clock

import (
	"fmt"
	"strings"
	"time"
)

// DateFormat is the order in which a school writes dates.
type DateFormat string

// The formats.
const (
	ISO      DateFormat = "YYYY-MM-DD"
	DayFirst DateFormat = "DD/MM/YYYY"
	USFormat DateFormat = "MM/DD/YYYY"
)

// layout is the format for package time; ISO if it is unknown.
func (f DateFormat) layout() string {
	switch f {
	case DayFirst:
		return "02/01/2006"
	case USFormat:
		return "01/02/2006"
	}
	return time.DateOnly
}

// Format writes a day; an invalid one as it is.
func (f DateFormat) Format(d Date) string {
	if _, err := ParseDate(string(d)); err != nil {
		return string(d)
	}
	return d.Time().Format(f.layout())
}

// Parse reads a day in this format, also with single digits or dashes, or as YYYY-MM-DD.
func (f DateFormat) Parse(s string) (Date, error) {
	if d, err := ParseDate(s); err == nil {
		return d, nil
	}
	layout := strings.NewReplacer("02", "2", "01", "1").Replace(f.layout())
	t, err := time.Parse(layout, strings.ReplaceAll(s, "-", "/"))
	if err != nil {
		return "", fmt.Errorf("not a date: %q", s)
	}
	return ParseDate(t.Format(time.DateOnly))
}
