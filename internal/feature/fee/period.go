package fee

import (
	"fmt"
	"regexp"
	"strconv"
	"time"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/fault"
)

// defaultDueDay is the day on which an item falls due that names none.
const defaultDueDay = 10

// span is a period for which an item is charged once. Quarters and terms are
// counted from the first month of the academic year.
type span struct {
	key   string     // 2026-11, Q2, T1, YEAR or ONCE
	label string     // November 2026; quarter 2 of 2026/27
	start clock.Date // its first day
}

// asked is what a call for charges names: a month, in which case each item is
// charged for its own period around that month, or a period of one kind.
type asked struct {
	year      school.Year
	month     int    // counted from the first of the year
	frequency string // only items of this one; "" for all
	no        int    // the quarter or term; 0 for that around the month
}

var periodForm = regexp.MustCompile(`^(?:(\d{4})-(0[1-9]|1[0-2])|Q([1-4])|T([1-4])|YEAR)$`)

// ask reads a period: "" is the month of today, or the nearest one of the year.
func ask(period string, year school.Year, today clock.Date) (asked, error) {
	a := asked{year: year}
	m := periodForm.FindStringSubmatch(period)
	switch {
	case period == "":
		a.month = min(max(monthsBetween(year.StartDate, today), 0), a.months()-1)
	case m == nil:
		return a, fault.OnField("period", "must be a month as 2026-11, a quarter as Q2, a term as T1, or YEAR")
	case m[1] != "":
		a.month = monthsBetween(year.StartDate, clock.Date(period+"-01"))
		if a.month < 0 || a.month >= a.months() {
			return a, fault.OnField("period", "must be a month of the academic year %s", year.Name)
		}
	case m[3] != "":
		a.frequency, a.no = "QUARTERLY", atoi(m[3])
		if (a.no-1)*3 >= a.months() {
			return a, fault.OnField("period", "is no quarter of the academic year %s", year.Name)
		}
	case m[4] != "":
		a.frequency, a.no = "TERM", atoi(m[4])
	default:
		a.frequency = "YEARLY"
	}
	return a, nil
}

func atoi(digit string) int {
	n, _ := strconv.Atoi(digit) // by the form, it is one
	return n
}

// months is how many the academic year has, or begins.
func (a asked) months() int { return monthsBetween(a.year.StartDate, a.year.EndDate) + 1 }

func monthsBetween(from, to clock.Date) int {
	f, t := from.Time(), to.Time()
	return (t.Year()-f.Year())*12 + int(t.Month()) - int(f.Month())
}

// of is the period for which an item is charged, and false if it is not.
func (a asked) of(i Item, terms int) (span, bool) {
	once := i.Frequency == "ONCE" && a.frequency == "YEARLY"
	if a.frequency != "" && a.frequency != i.Frequency && !once {
		return span{}, false
	}
	var s span
	switch i.Frequency {
	case "MONTHLY":
		first := a.first(a.month)
		s = span{first.Format("2006-01"), first.Format("January 2006"), a.day(a.month)}
	case "QUARTERLY":
		s = a.part("Q", "quarter", 3)
	case "TERM":
		size := (a.months() + terms - 1) / terms
		if (a.no-1)*size >= a.months() {
			return s, false
		}
		s = a.part("T", "term", size)
	case "YEARLY":
		s = span{"YEAR", a.year.Name, a.year.StartDate}
	default:
		s = span{"ONCE", a.year.Name, a.year.StartDate}
	}
	outside := i.StartDate != nil && s.start < *i.StartDate || i.EndDate != nil && s.start > *i.EndDate
	return s, !outside
}

// part is the quarter or term that was asked for, of so many months.
func (a asked) part(letter, word string, months int) span {
	no := a.no
	if no == 0 {
		no = a.month/months + 1
	}
	return span{fmt.Sprint(letter, no), fmt.Sprintf("%s %d of %s", word, no, a.year.Name), a.day((no - 1) * months)}
}

// first is the first of a month of the year.
func (a asked) first(month int) time.Time {
	t := a.year.StartDate.Time()
	return time.Date(t.Year(), t.Month()+time.Month(month), 1, 0, 0, 0, 0, time.UTC)
}

// day is the first day of the year in that month.
func (a asked) day(month int) clock.Date {
	return max(clock.Date(a.first(month).Format(time.DateOnly)), a.year.StartDate)
}

// dueDate is when an item is due that is charged for the span.
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
