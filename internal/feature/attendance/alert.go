package attendance

import (
	"cmp"
	"context"
	"strings"
	"time"

	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/text"
)

// Parents get one alert a day if their child is absent or late: for the first such
// mark, of the day or of a period. A correction of that mark is sent too, and a new
// alert may follow. Old marks send no alert; corrections always do.

// maxAlertDays is how many days back an absence still sends an alert.
const maxAlertDays = 1

// unmarkedDay is stored as the last alert of a mark that was taken back.
const unmarkedDay = "UNMARKED"

// readOthers reads, for each child whose alert the marks may end, the first other mark of the day that
// is an alert: that of the day, else of a period.
func (in NewMarks) readOthers(ctx context.Context, q db.Q, lines map[id.ID]line) error {
	var students []id.ID
	for _, r := range in.Records {
		if l := lines[r.StudentID]; isAlert(l.Told) && l.ToldPeriod == in.period() && l.Told != r.said().summary() {
			students = append(students, r.StudentID)
		}
	}
	if len(students) == 0 {
		return nil
	}
	err := db.Each(ctx, q, `
		SELECT id, student_id, date, period_no, `+stateColumns+` FROM attendance
		WHERE school_id = :school AND student_id IN (:students) AND date = :date AND period_no <> :period AND status IN ('ABSENT', 'LATE')
		ORDER BY period_no DESC`, db.Args{"students": students, "date": in.Date, "period": in.period()}, func(m mark) error {
		l := lines[m.StudentID]
		l.other = m
		lines[m.StudentID] = l
		return nil
	})
	return fault.Wrap("read other marks of the day", err)
}

// addNotice adds the alert or correction for a changed mark.
func (c *changes) addNotice(l line, m mark, today clock.Date, now time.Time) {
	if isAlert(l.Told) {
		c.addCorrection(l, m, now)
		return
	}
	if !isAlert(m.told()) || l.Told == "" && m.Date < today.AddDays(-maxAlertDays) {
		return
	}
	title := map[string]text.Text{absent: text.T("attendance.absent.title"), late: text.T("attendance.late.title")}[m.Status]
	c.tell(m, now, title, text.T("attendance.marked", "student", l.name(), "mark", m.words(), "date", m.Date))
}

// addCorrection adds the correction for the mark of the alert. Parents hear of another absence of the day
// instead, if there is one; nothing if that is the day's and they were told so.
func (c *changes) addCorrection(l line, m mark, now time.Time) {
	if l.ToldPeriod != m.PeriodNo || l.Told == m.told() {
		return
	}
	if l.other.ID != "" && (l.other.PeriodNo == wholeDay || !isAlert(m.told())) {
		m = l.other
	}
	title, before := text.T("attendance.corrected.title"), summaryText(l.Told)
	switch {
	case m.PeriodNo == wholeDay && l.Told == m.told():
		c.alerts = append(c.alerts, m.alert(now))
	case m.told() == unmarkedDay:
		c.tell(m, now, title, text.T("attendance.corrected.removed", "student", l.name(), "date", m.Date, "before", before))
	default:
		c.tell(m, now, title, text.T("attendance.corrected.body", "student", l.name(), "mark", m.words(), "date", m.Date, "before", before))
	}
}

// tell adds a message about a mark and makes it the alert of the day.
func (c *changes) tell(m mark, now time.Time, title, body text.Text) {
	c.alerts = append(c.alerts, m.alert(now))
	c.notices = append(c.notices, notification.Notice{Topic: notification.StudentAttendanceTopic(m.StudentID),
		Type: notification.Attendance, Record: m.ID, Student: m.StudentID, Title: title, Body: body})
}

func (m mark) alert(now time.Time) alert {
	return alert{m.StudentID, m.Date, m.PeriodNo, m.told(), now}
}

// told is the mark as stored with an alert.
func (m mark) told() string { return cmp.Or(m.summary(), unmarkedDay) }

func isAlert(told string) bool {
	return strings.HasPrefix(told, absent) || strings.HasPrefix(told, late)
}

// summary is the status, and the half of the day.
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
