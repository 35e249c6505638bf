// Package notification notifies people: by push to a topic or device, by socket, by
// text message and e-mail, and with an entry in each recipient's log.
//
// A feature sends Notices in the transaction of its change. Send (send.go) writes the
// log entries, each in the recipient's language, and queues the messages, which are sent
// after the commit. push.go builds pushes, letter.go decides who also gets an SMS or
// e-mail, preference.go has the users' preferences, right.go checks permissions again
// before sending, digest.go combines many pushes into one, tally.go counts what is left
// of them. Office (office.go) tells the administrators. log.go is the log, device.go the
// registered devices, browser.go those of Web Push, live.go the sockets, provider.go how
// the channels work.
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
	Audit *audit.Service
	Out   *notify.Notifier
	Live  Live // nil: no sockets

	Browsers Browsers          // Web Push; nil: off
	Recalled map[Type]Recalled // of the types that can be

	Now   clock.Now
	NewID id.Source

	PublicURL string // base URL of images in e-mails
}

// Type is the kind of a notification; it decides which screen the app opens.
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
	Timetable    Type = "TIMETABLE"
	Contact      Type = "CONTACT"
)

// Types lists them all.
var Types = []Type{Announcement, Attendance, Result, Fee, Leave, Message, Transport, Library, Timetable, Contact}

// The push topics that apps subscribe to. Those of teachers and drivers contain the
// account's id, which the app knows from signing in.
func SchoolTopic(school id.ID) string             { return "school_" + school.String() }
func TeacherTopic(user id.ID) string              { return "teacher_" + user.String() }
func DriverTopic(user id.ID) string               { return "driver_" + user.String() }
func StudentTopic(student id.ID) string           { return "student_" + student.String() }
func StudentAttendanceTopic(student id.ID) string { return StudentTopic(student) + "_attendance" }
func StudentResultTopic(student id.ID) string     { return StudentTopic(student) + "_result" }
func StudentFeeTopic(student id.ID) string        { return StudentTopic(student) + "_fee" }

// Notice is a notification to send to several users.
type Notice struct {
	Topic   string // push topic; empty: log only
	Devices bool   // push to the devices of Users, with a badge, instead of the topic
	Type    Type
	Record  id.ID // the announcement, exam or leave request it is about
	Student id.ID // the student it is about, if any
	Urgent  bool  // at once by push, SMS and e-mail, whatever preferences and limits say
	Title   text.Text
	Body    text.Text
	Mail    text.Text // of the e-mail, if it is longer than Body
	Users   []id.ID   // who gets a log entry, and an SMS and e-mail by policy and preferences
	Readers []id.ID   // subscribers of the topic, if another notice writes their log entries

	Guardians []id.ID // guardians of Student without an account, who get SMS and e-mail only

	office string // the permission that its readers need; see Office
}

// listeners are the users whose preferences apply to a push to the topic.
func (n Notice) listeners() []id.ID {
	if len(n.Readers) > 0 {
		return n.Readers
	}
	return n.Users
}

// prompt reports whether the notice ignores quiet hours.
func (n Notice) prompt() bool { return n.Urgent || n.Type == Attendance || n.Type == Limit }
