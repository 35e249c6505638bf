package notification

import (
	"context"
	"fmt"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/socketio"
)

// Live sends events to a user's sockets on every node.
type Live interface {
	EmitTo(school, user id.ID, event string, payload any) error
}

// mostLive is the most entries of one call that are sent to sockets. Notices to a
// whole school are not: apps load them later.
const mostLive = 1000

const liveEvent = "notification"

// Events are the events that are sent to sockets.
func Events() []socketio.Declared {
	return []socketio.Declared{socketio.Sends[event](liveEvent, "A new notification, to its user's sockets.")}
}

// event is the payload of the event.
type event struct {
	Notification
	UnreadCount int `json:"unreadCount"`
}

func (s *Service) isLive(entries []entry) bool { return s.Live != nil && len(entries) <= mostLive }

// unread counts the unread entries of each user to be notified by socket.
func (s *Service) unread(ctx context.Context, q db.Q, entries []entry) (map[id.ID]int, error) {
	counts := map[id.ID]int{}
	if !s.isLive(entries) {
		return counts, nil
	}
	users := make([]id.ID, len(entries))
	for i, e := range entries {
		users[i] = e.UserID
	}
	return counts, countUnreadOf(ctx, q, users, counts)
}

// countMore adds the unread counts (badges) of users with devices that have none yet.
func (s *Service) countMore(ctx context.Context, q db.Q, devices map[id.ID][]device, counts map[id.ID]int) error {
	var users []id.ID
	for user := range devices {
		if _, ok := counts[user]; !ok {
			users = append(users, user)
		}
	}
	return countUnreadOf(ctx, q, users, counts)
}

// countUnreadOf counts the users' unread visible entries, with one query.
func countUnreadOf(ctx context.Context, q db.Q, users []id.ID, counts map[id.ID]int) error {
	if len(users) == 0 {
		return nil
	}
	type count struct {
		UserID id.ID
		N      int
	}
	err := db.Each(ctx, q, `
		SELECT n.user_id, COUNT(*) AS n FROM notifications n
		WHERE n.school_id = :school AND n.user_id IN (:users) AND n.read_at IS NULL AND `+visible+` GROUP BY n.user_id`,
		db.Args{"users": users}, func(c count) error {
			counts[c.UserID] = c.N
			return nil
		})
	if err != nil {
		return fmt.Errorf("count unread notifications: %w", err)
	}
	return nil
}

// emit sends the entries to their users' sockets after the commit.
func (s *Service) emit(tx *db.Tx, school id.ID, entries []entry, unread map[id.ID]int) {
	if !s.isLive(entries) {
		return
	}
	tx.AfterCommit(func() {
		for _, e := range entries {
			n := Notification{ID: e.ID, Title: e.Title, Body: opt.Text(e.Body), Type: e.Type, CreatedAt: e.CreatedAt,
				About: About{RecordID: e.RecordID, StudentID: e.StudentID}}
			// Best effort: the entry is in the log, where the app finds it later.
			_ = s.Live.EmitTo(school, e.UserID, liveEvent, event{n, unread[e.UserID]})
		}
	})
}
