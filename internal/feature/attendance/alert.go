package attendance

import (
	"strings"
	"time"

	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/text"
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
		n.Title = map[string]text.Text{absent: text.T("attendance.absent.title"), late: text.T("attendance.late.title")}[m.Status]
		n.Body = text.T("attendance.marked", "student", l.name(), "mark", m.words(), "date", m.Date)
	case l.ToldPeriod == m.PeriodNo && l.Told != told:
		n.Title = text.T("attendance.corrected.title")
		n.Body = text.T("attendance.corrected.body", "student", l.name(), "mark", m.words(), "date", m.Date, "before", spoken(l.Told))
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
func spoken(summary string) text.Text {
	status, half, _ := strings.Cut(summary, " ")
	words := text.T("attendance.status." + status)
	if half != "" {
		words = text.T("attendance.half."+half, "mark", words)
	}
	return words
}

// words is the mark in words.
func (m mark) words() text.Text {
	words := spoken(m.summary())
	if m.MinutesLate > 0 {
		words = text.T("attendance.minutes", "mark", words, "minutes", m.MinutesLate)
	}
	if m.PeriodNo != wholeDay {
		words = text.T("attendance.period", "mark", words, "period", m.PeriodNo)
	}
	return words
}

func (l line) name() string { return strings.TrimSpace(l.FirstName + " " + l.LastName) }
