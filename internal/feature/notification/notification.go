// Package notification notifies people: by push to a topic or device, by socket, by
// text message and e-mail, and with an entry in each recipient's log.
//
// A feature sends Notices in the transaction of its change. Send (send.go) writes the
// log entries, each in the recipient's language, and queues the pushes, which are sent
// after the commit. push.go builds pushes, preference.go has the users' preferences,
// right.go checks permissions again before sending, digest.go combines many pushes
// into one. Write (write.go) sends text messages and e-mail. log.go is the log,
// device.go the registered devices, live.go the sockets.
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
)

// Types lists them all.
var Types = []Type{Announcement, Attendance, Result, Fee, Leave, Message, Transport, Library}

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
	Urgent  bool  // ignores quiet hours, as Attendance always does
	Title   text.Text
	Body    text.Text
	Users   []id.ID // who gets a log entry
	Readers []id.ID // subscribers of the topic, if another notice writes their log entries
}

// listeners are the users whose preferences apply to a push to the topic.
func (n Notice) listeners() []id.ID {
	if len(n.Readers) > 0 {
		return n.Readers
	}
	return n.Users
}

func (n Notice) urgent() bool { return n.Urgent || n.Type == Attendance }
