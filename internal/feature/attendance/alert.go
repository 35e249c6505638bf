package attendance

import (
	"fmt"
	"strings"
	"time"

	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/clock"
)

// Parents hear of a day that their child is missing or late, once, from the
// first mark that says so: the day's or a period's. When that same mark turns
// out to be wrong they hear that, too, and an alert may come again. Marks that
// come in later than the day after are no news; corrections always are.

// news is how many days back an absence is still news.
const news = 1

// tell adds what parents are to hear of a mark that says something new.
func (c *changes) tell(l line, m mark, today clock.Date, now time.Time) {
	told := m.summary()
	n := notification.Notice{Topic: notification.StudentAttendanceTopic(m.StudentID), Type: notification.Attendance,
		Record: m.ID, Student: m.StudentID}
	switch {
	case !alarming(l.Told): // nothing that stands
		if !alarming(told) || l.Told == "" && m.Date < today.AddDays(-news) {
			return
		}
		n.Title = map[string]string{absent: "Absent from school", late: "Late for school"}[m.Status]
		n.Body = fmt.Sprintf("%s was marked %s.", l.name(), m.words())
	case l.ToldPeriod == m.PeriodNo && l.Told != told:
		n.Title = "Attendance corrected"
		n.Body = fmt.Sprintf("%s is now marked %s. The earlier message said %s.", l.name(), m.words(), spoken(l.Told))
	default:
		return
	}
	c.notices = append(c.notices, n)
	c.alerts = append(c.alerts, alert{m.StudentID, m.Date, m.PeriodNo, told, now})
}

func alarming(told string) bool {
	return strings.HasPrefix(told, absent) || strings.HasPrefix(told, late)
}

// summary is what parents are told, as it is remembered.
func (s said) summary() string { return strings.TrimSpace(s.Status + " " + s.HalfDay) }

// spoken is a summary in words.
func spoken(summary string) string {
	status, half, _ := strings.Cut(summary, " ")
	words := map[string]string{present: "present", absent: "absent", late: "late", leave: "on leave", holiday: "free"}[status]
	if half != "" {
		words += " for the " + strings.ToLower(half) + " half of the day"
	}
	return words
}

// words is the mark in words, with its day.
func (m mark) words() string {
	words := spoken(m.summary())
	if m.MinutesLate > 0 {
		words += fmt.Sprintf(" by %d min", m.MinutesLate)
	}
	if m.PeriodNo != wholeDay {
		words += fmt.Sprintf(" in period %d", m.PeriodNo)
	}
	return words + " on " + string(m.Date)
}

func (l line) name() string { return strings.TrimSpace(l.FirstName + " " + l.LastName) }
