package fee

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/text"
)

// defaultDueDay is the due day of items without one.
const defaultDueDay = 10

// span is one billing period. Quarters and terms count from the first month of the
// academic year.
type span struct {
	key   string     // 2026-11, Q2, T1, YEAR or ONCE
	label string     // November 2026; quarter 2 of 2026/27
	start clock.Date // its first day
}

// periodRequest is the period to charge for: a month, which selects for each item
// the month, quarter, term or year around it; or one quarter, term or year.
type periodRequest struct {
	year      school.Year
	month     int    // counted from the first of the year
	frequency string // only items with this frequency; "" for all
	no        int    // the quarter or term; 0 for the one around the month
	lang      string // of the labels
}

var periodForm = regexp.MustCompile(`^(?:(\d{4})-(0[1-9]|1[0-2])|Q([1-4])|T([1-4])|YEAR)$`)

// parsePeriod parses a period. "" is today's month, or the nearest month of the year.
func parsePeriod(period string, year school.Year, today clock.Date) (periodRequest, error) {
	a := periodRequest{year: year}
	m := periodForm.FindStringSubmatch(period)
	switch {
	case period == "":
		a.month = min(max(monthsBetween(year.StartDate, today), 0), a.months()-1)
	case m == nil:
		return a, fault.OnField("period", "must be a month such as 2026-11, a quarter such as Q2, a term such as T1, or YEAR")
	case m[1] != "":
		a.month = monthsBetween(year.StartDate, clock.Date(period+"-01"))
		if a.month < 0 || a.month >= a.months() {
			return a, fault.OnField("period", "must be a month in the academic year %s", year.Name)
		}
	case m[3] != "":
		a.frequency, a.no = "QUARTERLY", atoi(m[3])
		if (a.no-1)*3 >= a.months() {
			return a, fault.OnField("period", "is not a quarter of the academic year %s", year.Name)
		}
	case m[4] != "":
		a.frequency, a.no = "TERM", atoi(m[4])
	default:
		a.frequency = "YEARLY"
	}
	return a, nil
}

func atoi(digit string) int {
	n, _ := strconv.Atoi(digit) // periodForm matched a digit
	return n
}

// months is the number of calendar months in the academic year, partial ones included.
func (a periodRequest) months() int { return monthsBetween(a.year.StartDate, a.year.EndDate) + 1 }

// isNextYears reports whether the month is the last of 13, in the middle of which the year ends: the next year charges it as its first.
func (a periodRequest) isNextYears() bool {
	return a.months() == 13 && a.month == 12 && a.year.EndDate.AddDays(1).Time().Day() > 1
}

func monthsBetween(from, to clock.Date) int {
	f, t := from.Time(), to.Time()
	return (t.Year()-f.Year())*12 + int(t.Month()) - int(f.Month())
}

// spanOf returns the billing period of an item, and false if it is not charged.
func (a periodRequest) spanOf(i Item, terms int) (span, bool) {
	once := i.Frequency == "ONCE" && a.frequency == "YEARLY"
	if a.frequency != "" && a.frequency != i.Frequency && !once {
		return span{}, false
	}
	var s span
	switch i.Frequency {
	case "MONTHLY":
		if a.isNextYears() {
			return s, false
		}
		first := a.first(a.month)
		month := text.T("format.month." + strconv.Itoa(int(first.Month())))
		s = span{first.Format("2006-01"), a.say(text.T("fee.month", "month", month, "year", first.Year())), a.day(a.month)}
	case "QUARTERLY":
		s = a.part("Q", 3, 4)
	case "TERM":
		size := a.termMonths(terms)
		if a.no > terms || (a.no-1)*size >= a.months() {
			return s, false
		}
		s = a.part("T", size, terms)
	case "YEARLY":
		s = span{"YEAR", a.year.Name, a.year.StartDate}
	default:
		s = span{"ONCE", a.year.Name, a.year.StartDate}
	}
	outside := i.StartDate != nil && s.start < *i.StartDate || i.EndDate != nil && s.start > *i.EndDate
	return s, !outside
}

// termMonths is the length of a term, rounded up while that leaves months for the last term. A 13th month makes only the
// last term longer.
func (a periodRequest) termMonths(terms int) int {
	months := a.months()
	if months == 13 {
		months = 12
	}
	size := (months + terms - 1) / terms
	if (terms-1)*size >= months {
		size = max(1, months/terms)
	}
	return size
}

// part is the requested quarter or term, with its length in months and the number of the last. A year that begins in
// mid-month has a 13th month, which is in the last.
func (a periodRequest) part(letter string, months, last int) span {
	no := a.no
	if no == 0 {
		no = min(a.month/months+1, last)
	}
	return span{fmt.Sprint(letter, no), a.say(text.T("fee.period."+letter, "number", no, "year", a.year.Name)), a.day((no - 1) * months)}
}

func (a periodRequest) say(t text.Text) string { return text.Standard().Say(a.lang, t) }

// first is the first day of a month of the academic year.
func (a periodRequest) first(month int) time.Time {
	t := a.year.StartDate.Time()
	return time.Date(t.Year(), t.Month()+time.Month(month), 1, 0, 0, 0, 0, time.UTC)
}

// day is the first day of a month, or of the year if that begins later.
func (a periodRequest) day(month int) clock.Date {
	return max(clock.Date(a.first(month).Format(time.DateOnly)), a.year.StartDate)
}

// dueDate is the due date of an item in a billing period.
func (i Item) dueDate(s span) clock.Date {
	if i.DueDate != nil {
		return *i.DueDate
	}
	day := defaultDueDay
	if i.DueDay != nil {
		day = *i.DueDay
	}
	t := s.start.Time()
	last := time.Date(t.Year(), t.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
	due := time.Date(t.Year(), t.Month(), min(day, last), 0, 0, 0, 0, time.UTC)
	return max(clock.Date(due.Format(time.DateOnly)), s.start)
}
