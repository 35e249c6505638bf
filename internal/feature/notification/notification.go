// Package notification tells people what happened: a push to a topic, and an
// entry in the log of everyone whom it is for.
//
// A feature makes Notices in the transaction of what it tells of; Send writes
// the entries of the log and the pushes, which leave the house after the commit.
// log.go is what people read of it, device.go where push messages arrive.
package notification

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify"
)

// Service writes and reads notifications.
type Service struct {
	DB    *db.DB
	Out   *notify.Notifier
	Now   clock.Now
	NewID id.Source
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
	Type    Type
	Record  id.ID // what it is about: an announcement, an exam, a leave
	Student id.ID // whom it is about, if it is a student
	Title   string
	Body    string
	Users   []id.ID // in whose logs it is kept
}

// entry is a row of the log.
type entry struct {
	ID        id.ID
	UserID    id.ID
	Type      Type
	Title     string
	Body      string
	RecordID  id.ID
	StudentID id.ID
	CreatedAt time.Time
}

// Send writes the log entries and the pushes of the notices in tx, in few
// statements.
func (s *Service) Send(ctx context.Context, tx *db.Tx, school id.ID, notices []Notice) error {
	now := s.Now()
	var entries []entry
	var pushes []notify.Message
	for _, n := range notices {
		for _, user := range n.Users {
			entries = append(entries, entry{s.NewID(), user, n.Type, n.Title, n.Body, n.Record, n.Student, now})
		}
		if n.Topic != "" {
			data := map[string]string{"type": string(n.Type), "id": n.Record.String()}
			if n.Student != "" {
				data["studentId"] = n.Student.String()
			}
			pushes = append(pushes, notify.Message{Channel: notify.Push, To: n.Topic, Subject: n.Title, Body: n.Body, Data: data})
		}
	}
	_, err := db.Insert(ctx, tx, `
		INSERT INTO notifications (school_id, id, user_id, type, title, body, record_id, student_id, created_at)
		VALUES (:school, :id, :user_id, :type, :title, :body, :record_id, :student_id, :created_at)`, entries)
	if err != nil {
		return fmt.Errorf("write notifications: %w", err)
	}
	if len(pushes) == 0 {
		return nil
	}
	return s.Out.SendAll(ctx, tx, school, pushes)
}

// SendToParents sends notices about students (each must name its Student) to the
// parents who may see them; Users is filled in here, with one statement for all.
func (s *Service) SendToParents(ctx context.Context, tx *db.Tx, school id.ID, notices []Notice) error {
	students := make([]id.ID, len(notices))
	for i, n := range notices {
		students[i] = n.Student
	}
	parents, err := ParentsOf(ctx, tx, students)
	if err != nil {
		return err
	}
	for i := range notices {
		notices[i].Users = parents[notices[i].Student]
	}
	return s.Send(ctx, tx, school, notices)
}

// ParentsOf maps students to the accounts of the parents who may see them.
func ParentsOf(ctx context.Context, q db.Q, students []id.ID) (map[id.ID][]id.ID, error) {
	out := map[id.ID][]id.ID{}
	if len(students) == 0 {
		return out, nil
	}
	type link struct{ StudentID, UserID id.ID }
	err := db.Each(ctx, q, `
		SELECT l.student_id, g.user_id FROM student_guardians l
		JOIN guardians g ON g.school_id = l.school_id AND g.id = l.guardian_id
		WHERE l.school_id = :school AND l.student_id IN (:students) AND l.can_view_data AND g.user_id IS NOT NULL
		ORDER BY l.student_id, g.user_id`, db.Args{"students": students}, func(l link) error {
		out[l.StudentID] = append(out[l.StudentID], l.UserID)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("find parents: %w", err)
	}
	return out, nil
}
