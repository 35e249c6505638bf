package app

import (
	"context"
	"slices"

	"homeroom/internal/feature/attendance"
	"homeroom/internal/feature/exam"
	"homeroom/internal/feature/fee"
	"homeroom/internal/feature/leave"
	"homeroom/internal/feature/library"
	"homeroom/internal/feature/message"
	"homeroom/internal/feature/notification"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/timetable"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
)

// join tells the services of people and of classes what the features above them
// know: what a student's profile shows and what keeps it from being lost, what
// forgets a person, and what uses a class.
func (s services) join() {
	s.academics.Uses = slices.Concat(timetable.Uses(), attendance.Uses(), exam.Uses(), fee.Uses())
	s.people.HasHistory = []people.History{s.transport.HasHistory, s.attendance.HasHistory, s.leave.HasHistory, exam.HasHistory, s.fee.HasHistory, s.library.HasHistory, message.HasHistory}
	s.people.Sections = []people.Section{s.transport.Section(), s.attendance.Section(), s.leave.Section(), s.exam.Section(), s.fee.Section(), s.library.Section(), message.Section()}
	s.people.Erasers = []people.Eraser{notification.Erase, s.erasePhoto, s.transport.Erase, s.attendance.Erase, s.leave.Erase, exam.Erase, s.fee.Erase, s.message.Erase}
}

// leaveMarks joins leave to attendance.
type leaveMarks struct{ *attendance.Service }

// MarkLeave implements leave.Marks, as TakeBack does.
func (m leaveMarks) MarkLeave(ctx context.Context, tx *db.Tx, who actor.Actor, a leave.Absence) error {
	return m.Service.MarkLeave(ctx, tx, who, a.Leave, a.Student, a.From, a.To, a.Half)
}

// reportAttendance joins report cards to attendance.
type reportAttendance struct{ marks *attendance.Service }

// Totals implements exam.Attendance.
func (r reportAttendance) Totals(ctx context.Context, q db.Q, students []id.ID, from, to clock.Date) (map[id.ID]exam.Totals, error) {
	counted, err := r.marks.Totals(ctx, q, students, from, to)
	out := make(map[id.ID]exam.Totals, len(counted))
	for student, t := range counted {
		out[student] = exam.Totals(t)
	}
	return out, err
}

// libraryFines joins the library to the students' accounts.
type libraryFines struct{ fees *fee.Service }

// Fine implements library.Fines.
func (l libraryFines) Fine(ctx context.Context, tx *db.Tx, who actor.Actor, f library.Fine) error {
	return l.fees.LibraryFine(ctx, tx, who, fee.Fine{Student: f.Student, Reference: "loan/" + f.Loan.String(), Amount: money.Money(f.Minor), Note: f.Narration})
}

// present tells whether a user has a socket on this node.
func (a *App) present(_, user id.ID) bool {
	return a.sockets != nil && len(a.sockets.UserSockets(user.String())) > 0
}
