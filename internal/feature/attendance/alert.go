package attendance

import (
	"strings"
	"time"

	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/text"
)

// Parents get one alert a day if their child is absent or late: for the first such
// mark, of the day or of a period. A correction of that mark is sent too, and a new
// alert may follow. Old marks send no alert; corrections always do.

// maxAlertDays is how many days back an absence still sends an alert.
const maxAlertDays = 1

// unmarkedDay is stored as the last alert of a mark that was taken back.
const unmarkedDay = "UNMARKED"

// addNotice adds the alert or correction for a changed mark.
func (c *changes) addNotice(l line, m mark, today clock.Date, now time.Time) {
	told := m.summary()
	if told == "" {
		told = unmarkedDay
	}
	n := notification.Notice{Topic: notification.StudentAttendanceTopic(m.StudentID), Type: notification.Attendance,
		Record: m.ID, Student: m.StudentID}
	switch {
	case !isAlert(l.Told): // no alert in effect
		if !isAlert(told) || l.Told == "" && m.Date < today.AddDays(-maxAlertDays) {
			return
		}
		n.Title = map[string]text.Text{absent: text.T("attendance.absent.title"), late: text.T("attendance.late.title")}[m.Status]
		n.Body = text.T("attendance.marked", "student", l.name(), "mark", m.words(), "date", m.Date)
	case l.ToldPeriod == m.PeriodNo && told == unmarkedDay:
		n.Title = text.T("attendance.corrected.title")
		n.Body = text.T("attendance.corrected.removed", "student", l.name(), "date", m.Date, "before", summaryText(l.Told))
	case l.ToldPeriod == m.PeriodNo && l.Told != told:
		n.Title = text.T("attendance.corrected.title")
		n.Body = text.T("attendance.corrected.body", "student", l.name(), "mark", m.words(), "date", m.Date, "before", summaryText(l.Told))
	default:
		return
	}
	c.notices = append(c.notices, n)
	c.alerts = append(c.alerts, alert{m.StudentID, m.Date, m.PeriodNo, told, now})
}

func isAlert(told string) bool {
	return strings.HasPrefix(told, absent) || strings.HasPrefix(told, late)
}

// summary is the mark as stored with an alert.
func (s said) summary() string { return strings.TrimSpace(s.Status + " " + s.HalfDay) }

// summaryText is a stored summary as a text for people.
func summaryText(summary string) text.Text {
	status, half, _ := strings.Cut(summary, " ")
	words := text.T("attendance.status." + status)
	if half != "" {
		words = text.T("attendance.half."+half, "mark", words)
	}
	return words
}

// words is the mark as a text for people.
func (m mark) words() text.Text {
	words := summaryText(m.summary())
	if m.MinutesLate > 0 {
		words = text.T("attendance.minutes", "mark", words, "minutes", m.MinutesLate)
	}
	if m.PeriodNo != wholeDay {
		words = text.T("attendance.period", "mark", words, "period", m.PeriodNo)
	}
	return words
}

func (l line) name() string { return strings.TrimSpace(l.FirstName + " " + l.LastName) }
