package notification

import (
	"context"
	"fmt"
	"slices"
	"time"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
)

var errNoNotification = fault.Missing("notification")

// Notification is an entry in the log of one user.
type Notification struct {
	ID        id.ID      `json:"id"`
	Title     string     `json:"title"`
	Body      opt.Text   `json:"body"`
	Type      Type       `json:"type" example:"ANNOUNCEMENT"`
	ReadAt    *time.Time `json:"readAt" doc:"Null while it is unread."`
	CreatedAt time.Time  `json:"createdAt"`
	About     `json:"data"`
}

// About names the records that a notification is about.
type About struct {
	RecordID  *id.ID `json:"recordId" doc:"The record the notification is about: an announcement, exam or leave request, depending on the type."`
	StudentID *id.ID `json:"studentId" doc:"The student it is about; null if none."`
}

const notificationColumns = `id, title, body, type, read_at, created_at, record_id, student_id`

// listNotifications returns a page of a user's log, newest first. Ids sort by
// creation time, so one index serves both filter and order.
func listNotifications(ctx context.Context, q db.Q, user id.ID, r page.Request) (page.Of[Notification], error) {
	return db.Page[Notification](ctx, q, db.List{
		Columns: notificationColumns,
		Few:     true,
		From:    `notifications n WHERE n.school_id = :school AND n.user_id = :user AND ` + visible,
		Sorts:   map[string]string{"createdAt": "id"},
		Default: "-createdAt",
	}, r, db.Args{"user": user, "users": []id.ID{user}})
}

const unreadOf = `SELECT COUNT(*) FROM notifications n WHERE n.school_id = :school AND n.user_id = :user AND n.read_at IS NULL AND ` +
	visible

func countUnread(ctx context.Context, q db.Q, user id.ID) (int, error) {
	n, err := db.One[int](ctx, q, unreadOf, db.Args{"user": user, "users": []id.ID{user}})
	if err != nil {
		return 0, fmt.Errorf("count unread notifications: %w", err)
	}
	return n, nil
}

// putRead marks one of the user's entries as read; the first read time is kept.
func putRead(ctx context.Context, q db.Q, user, notification id.ID, now time.Time) (Notification, error) {
	n, err := db.One[Notification](ctx, q, `
		UPDATE notifications AS n SET read_at = COALESCE(read_at, :now)
		WHERE n.school_id = :school AND n.id = :id AND n.user_id = :user AND `+visible+`
		RETURNING `+notificationColumns, db.Args{"id": notification, "user": user, "users": []id.ID{user}, "now": now})
	return n, db.Found("mark a notification as read", err, errNoNotification)
}

func putAllRead(ctx context.Context, q db.Q, user id.ID, now time.Time) (int64, error) {
	n, err := db.Exec(ctx, q, `
		UPDATE notifications AS n SET read_at = :now
		WHERE n.school_id = :school AND n.user_id = :user AND n.read_at IS NULL AND `+visible,
		db.Args{"user": user, "users": []id.ID{user}, "now": now})
	if err != nil {
		return 0, fmt.Errorf("mark all notifications as read: %w", err)
	}
	return n, nil
}

// topic is a push topic and the types sent to it.
type topic struct {
	name  string
	types []Type
}

// Topics lists the push topics that the caller's app should subscribe to: those
// with at least one type the caller has not switched off.
func (s *Service) Topics(ctx context.Context, who actor.Actor) ([]string, error) {
	q := s.DB.School(who.School)
	all := []topic{{SchoolTopic(who.School), []Type{Announcement}}}
	switch who.Role {
	case actor.Teacher:
		all = append(all, topic{TeacherTopic(who.User), []Type{Announcement, Leave, Message, Library, Timetable}})
	case actor.Driver:
		all = append(all, topic{DriverTopic(who.User), []Type{Announcement, Leave, Message, Transport, Library}})
	case actor.Parent:
		children, err := people.ChildrenOf(ctx, q, who.User)
		if err != nil {
			return nil, err
		}
		closed, err := closedTopics(ctx, q, children)
		if err != nil {
			return nil, err
		}
		for _, c := range children {
			if closed[c] {
				continue
			}
			all = append(all, topic{StudentTopic(c), []Type{Announcement, Leave, Message, Transport, Library}},
				topic{StudentAttendanceTopic(c), []Type{Attendance}}, topic{StudentResultTopic(c), []Type{Result}},
				topic{StudentFeeTopic(c), []Type{Fee}})
		}
	}
	r, err := getReader(ctx, q, who.User)
	if err != nil {
		return nil, err
	}
	wanted := []string{}
	for _, t := range all {
		if slices.ContainsFunc(t.types, func(of Type) bool { return r.wants(of).Push }) {
			wanted = append(wanted, t.name)
		}
	}
	return wanted, nil
}

// Periodics delete old deliveries and signed-out devices, and keep the Web Push key.
func (s *Service) Periodics() []jobs.Periodic {
	return []jobs.Periodic{
		{Name: "notification.sweep", Every: 24 * time.Hour, Run: s.Out.Sweep},
		{Name: "notification.devices", Every: time.Hour, Run: s.sweepDevices},
		{Name: "notification.push-key", Every: time.Hour, Run: s.keepKey},
	}
}

// Erase deletes the notifications about a student, and the logs, devices and
// preferences of the erased accounts.
func Erase(ctx context.Context, tx *db.Tx, e people.Erased) error {
	for _, forget := range []struct {
		what, sql string
		a         db.Args
	}{
		{"notifications", `DELETE FROM notifications WHERE school_id = :school AND (student_id = :student OR user_id IN (:users))`,
			db.Args{"student": e.Student, "users": e.Users}},
		{"push digests", `DELETE FROM push_digests WHERE school_id = :school AND student_id = :student`, db.Args{"student": e.Student}},
		{"devices", `DELETE FROM devices WHERE school_id = :school AND user_id IN (:users)`, db.Args{"users": e.Users}},
		{"preferences", `DELETE FROM notification_preferences WHERE school_id = :school AND user_id IN (:users)`, db.Args{"users": e.Users}},
	} {
		if _, err := db.Exec(ctx, tx, forget.sql, forget.a); err != nil {
			return fmt.Errorf("erase %s: %w", forget.what, err)
		}
	}
	return nil
}

// Sent names a user and the record that a notification was about.
type Sent struct{ UserID, RecordID id.ID }

// SentSince returns which notifications of a type some users got after a time.
func SentSince(ctx context.Context, q db.Q, of Type, users []id.ID, since time.Time) (map[Sent]bool, error) {
	out := map[Sent]bool{}
	err := db.Each(ctx, q, `SELECT user_id, record_id FROM notifications
		WHERE school_id = :school AND user_id IN (:users) AND type = :type AND created_at > :since AND record_id IS NOT NULL`,
		db.Args{"users": users, "type": of, "since": since}, func(s Sent) error {
			out[s] = true
			return nil
		})
	return out, fault.Wrap("read recent notifications", err)
}
