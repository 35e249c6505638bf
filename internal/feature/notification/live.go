package notification

import (
	"context"
	"fmt"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// Live reaches the sockets of a user, on every node.
type Live interface {
	EmitTo(school, user id.ID, event string, payload any) error
}

// mostLive is how many entries of one call reach sockets. When a whole school is
// told something, apps find it when they next look.
const mostLive = 1000

// liveNotification is the payload of the event "notification".
type liveNotification struct {
	Notification
	UnreadCount int `json:"unreadCount"`
}

func (s *Service) isLive(entries []entry) bool { return s.Live != nil && len(entries) <= mostLive }

// unread counts, with one statement, what those have not read who are told how
// much it is: on a socket, or on the icon of the app.
func (s *Service) unread(ctx context.Context, q db.Q, notices []Notice, entries []entry) (map[id.ID]int, error) {
	var users []id.ID
	if s.isLive(entries) {
		for _, e := range entries {
			users = append(users, e.UserID)
		}
	} else {
		for _, n := range notices {
			if n.Devices {
				users = append(users, n.Users...)
			}
		}
	}
	counts := map[id.ID]int{}
	if len(users) == 0 {
		return counts, nil
	}
	type count struct {
		UserID id.ID
		N      int
	}
	err := db.Each(ctx, q, `
		SELECT user_id, COUNT(*) AS n FROM notifications
		WHERE school_id = :school AND user_id IN (:users) AND read_at IS NULL GROUP BY user_id`,
		db.Args{"users": users}, func(c count) error {
			counts[c.UserID] = c.N
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("count unread notifications: %w", err)
	}
	return counts, nil
}

// emit has the entries sent to the sockets of their users once they stand.
func (s *Service) emit(tx *db.Tx, school id.ID, entries []entry, unread map[id.ID]int) {
	if !s.isLive(entries) {
		return
	}
	tx.AfterCommit(func() {
		for _, e := range entries {
			n := Notification{ID: e.ID, Title: e.Title, Body: e.Body, Type: e.Type, CreatedAt: e.CreatedAt,
				About: About{RecordID: e.RecordID, StudentID: e.StudentID}}
			// The entry is in the log: a socket that misses it shows it later.
			_ = s.Live.EmitTo(school, e.UserID, "notification", liveNotification{n, unread[e.UserID]})
		}
	})
}
