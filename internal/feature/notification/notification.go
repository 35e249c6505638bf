// Package notification tells people what happened: a push to a topic, and an
// entry in the log of everyone whom it is for.
//
// A feature makes Notices in the transaction of what it tells of; Send (send.go)
// writes the entries of the log, each in its reader's language, and the pushes,
// which leave the house after the commit. What a push may say, and when, is in
// push.go; what people want to hear in preference.go; who may still be told in
// right.go; how a flood becomes one push in digest.go. Write (write.go) sends text
// messages and e-mail. log.go is what people read of it, device.go where push
// messages arrive, live.go who hears at once.
package notification

import (
	"homeroom/internal/feature/audit"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/text"
)

// Service writes and reads notifications.
type Service struct {
	DB    *db.DB
	Audit *audit.Service // of preferences
	Out   *notify.Notifier
	Live  Live // nil: nobody is connected
	Now   clock.Now
	NewID id.Source

	PublicURL string // where the service can be reached, for what an e-mail shows
}

// Type is what a notification is about; an app opens the screen of its type.
type Type string

// The types.
const (
	Announcement Type = "ANNOUNCEMENT"
	Attendance   Type = "ATTENDANCE"
	Result       Type = "RESULT"
	Fee          Type = "FEE"
	Leave        Type = "LEAVE_REQUEST"
	Message      Type = "MESSAGE"
	Transport    Type = "TRANSPORT"
	Library      Type = "LIBRARY"
)

// Types lists them all.
var Types = []Type{Announcement, Attendance, Result, Fee, Leave, Message, Transport, Library}

// The topics that apps subscribe to. A teacher's is named by the account, which
// the app knows from signing in, and so is a driver's.
func SchoolTopic(school id.ID) string             { return "school_" + school.String() }
func TeacherTopic(user id.ID) string              { return "teacher_" + user.String() }
func DriverTopic(user id.ID) string               { return "driver_" + user.String() }
func StudentTopic(student id.ID) string           { return "student_" + student.String() }
func StudentAttendanceTopic(student id.ID) string { return StudentTopic(student) + "_attendance" }
func StudentResultTopic(student id.ID) string     { return StudentTopic(student) + "_result" }
func StudentFeeTopic(student id.ID) string        { return StudentTopic(student) + "_fee" }

// Notice is one thing to tell.
type Notice struct {
	Topic   string // where it is pushed to; empty: only the log
	Devices bool   // push it to the devices of Users, with the count of what each has not read, and to no topic
	Type    Type
	Record  id.ID // what it is about: an announcement, an exam, a leave
	Student id.ID // whom it is about, if it is a student
	Urgent  bool  // it does not wait for the end of anyone's quiet hours; Attendance never does
	Title   text.Text
	Body    text.Text
	Users   []id.ID // in whose logs it is kept
	Readers []id.ID // who listens to the topic, where the log is written by another notice
}

// listeners are those whose preferences a push to the topic goes by.
func (n Notice) listeners() []id.ID {
	if len(n.Readers) > 0 {
		return n.Readers
	}
	return n.Users
}

func (n Notice) urgent() bool { return n.Urgent || n.Type == Attendance }
