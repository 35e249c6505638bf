package app

import (
	"context"
	"slices"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/announcement"
	"homeroom/internal/feature/attendance"
	"homeroom/internal/feature/elective"
	"homeroom/internal/feature/exam"
	"homeroom/internal/feature/fee"
	"homeroom/internal/feature/leave"
	"homeroom/internal/feature/library"
	"homeroom/internal/feature/message"
	"homeroom/internal/feature/notification"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/report"
	"homeroom/internal/feature/timetable"
	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/text"
)

// connect registers functions of later features with school, people and academics:
// what follows a new academic year, the sections of a student's profile, what prevents
// deleting a student or a class, and what erases a person.
func (s services) connect() {
	s.school.Activated = append(s.school.Activated, s.people.SeatYear, s.leave.MarkYear)
	s.school.Ended = s.people.MoveGraduation
	s.people.Entered, s.school.Opened = s.leave.MarkEntered, s.leave.MarkDays
	s.academics.Uses = slices.Concat(timetable.Uses(), attendance.Uses(), exam.Uses(), fee.Uses())
	s.academics.CopyTimetable, s.academics.CopyFees, s.academics.CopyElectives = s.timetable.Copy, s.fee.Copy, s.elective.Copy
	s.people.Electives = s.elective
	s.timetable.Occasions = occasions
	s.people.HasHistory = []people.History{s.transport.HasHistory, s.attendance.HasHistory, s.leave.HasHistory, exam.HasHistory,
		s.fee.HasHistory, s.library.HasHistory, message.HasHistory}
	s.people.Sections = []people.Section{s.elective.Section(), s.transport.Section(), s.attendance.Section(), s.leave.Section(),
		s.exam.Section(), s.fee.Section(), s.library.Section(), message.Section()}
	s.people.YearRecords = []people.YearRecords{s.attendance.YearRecords(), exam.YearRecords(), fee.YearRecords()}
	s.people.Asked = s.contactNews
	s.notification.Recalled = map[notification.Type]notification.Recalled{
		notification.Announcement: s.announcement.Recalled, notification.Result: exam.Recalled}
	s.people.Duties = slices.Concat([]people.Duties{s.academics.Duties(), s.timetable.Duties()}, s.transport.Duties(),
		[]people.Duties{library.Duties(), leave.Duties()})
	s.people.Holds = slices.Concat(academics.Holds(), elective.Holds(), notification.Holds(), transport.Holds(), timetable.Holds(),
		attendance.Holds(), leave.Holds(), exam.Holds(), fee.Holds(), library.Holds(), message.Holds())
	s.people.Mergers = []people.Merger{notification.Merge, announcement.Merge, message.Merge, leave.Merge}
	s.people.Erasers = []people.Eraser{notification.Erase, s.erasePhoto, s.transport.Erase, s.attendance.Erase, s.leave.Erase,
		exam.Erase, s.fee.Erase, s.message.Erase}
}

// contactNews tells the office of a parent's proposal, and the parent of the decision.
func (s services) contactNews(ctx context.Context, tx *db.Tx, who actor.Actor, c people.ContactChange) error {
	n := notification.Notice{Type: notification.Contact, Record: c.ID}
	switch c.Status {
	case "PENDING":
		n.Title, n.Body = text.T("contact.proposed.title"), text.T("contact.proposed.body", "name", c.GuardianName)
		return s.notification.Office(ctx, tx, who, "student.write", n)
	case "ACCEPTED":
		n.Title, n.Body = text.T("contact.accepted.title"), text.T("contact.accepted.body")
	default:
		n.Title, n.Body = text.T("contact.rejected.title"), text.T("contact.rejected.body", "reason", c.Reason)
	}
	n.Users, n.Devices = []id.ID{c.UserID}, true
	return s.notification.Send(ctx, tx, who.School, []notification.Notice{n})
}

// leaveMarks implements leave.Marks with the attendance service.
type leaveMarks struct{ *attendance.Service }

// MarkLeave marks the days of an approved leave. The embedded service has TakeBack.
func (m leaveMarks) MarkLeave(ctx context.Context, tx *db.Tx, who actor.Actor, a leave.Absence) error {
	return m.Service.MarkLeave(ctx, tx, who, a.Leave, a.Student, a.From, a.To, a.Half)
}

// FillLeave marks those of its days on which nobody has said anything.
func (m leaveMarks) FillLeave(ctx context.Context, tx *db.Tx, who actor.Actor, a leave.Absence) error {
	return m.Service.FillLeave(ctx, tx, who, a.Leave, a.Student, a.From, a.To, a.Half)
}

// lessonsToCover lists the lessons that need a substitute, for the office's day.
type lessonsToCover struct{ *timetable.Service }

func (l lessonsToCover) list(ctx context.Context, who actor.Actor) (things []report.Thing, err error) {
	lessons, err := l.NeedCover(ctx, who)
	for _, p := range lessons {
		things = append(things, report.Thing{ID: p.ID, Name: opt.Text(p.ClassName + " " + p.DivisionName), Note: opt.Text(p.SubjectName),
			Time: &p.StartTime})
	}
	return things, err
}

// reportAttendance implements exam.Attendance with the attendance service.
type reportAttendance struct{ marks *attendance.Service }

// Totals counts the attendance of students between two dates.
func (r reportAttendance) Totals(ctx context.Context, q db.Q, students []id.ID, from, to clock.Date) (map[id.ID]exam.Totals, error) {
	counted, err := r.marks.Totals(ctx, q, students, from, to)
	out := make(map[id.ID]exam.Totals, len(counted))
	for student, t := range counted {
		out[student] = exam.Totals(t)
	}
	return out, err
}

// libraryFines implements library.Fines with the fee service.
type libraryFines struct{ fees *fee.Service }

// Fine charges a student's fee account.
func (l libraryFines) Fine(ctx context.Context, tx *db.Tx, who actor.Actor, f library.Fine) error {
	return l.fees.LibraryFine(ctx, tx, who, fee.Fine{Student: f.Student, Reference: "loan/" + f.Loan.String(),
		Amount: money.Money(f.Minor), Note: f.Narration})
}

// present reports whether a user has a socket on this node.
func (a *App) present(_, user id.ID) bool {
	return a.sockets != nil && len(a.sockets.UserSockets(user.String())) > 0
}
