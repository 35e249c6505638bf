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

// unread counts what those have not read who hear of the entries at once.
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

// countMore adds those whose devices show a number and who are not counted yet.
func (s *Service) countMore(ctx context.Context, q db.Q, tokens map[id.ID][]string, counts map[id.ID]int) error {
	var users []id.ID
	for user := range tokens {
		if _, ok := counts[user]; !ok {
			users = append(users, user)
		}
	}
	return countUnreadOf(ctx, q, users, counts)
}

// countUnreadOf counts, with one statement, what the users have not read of what
// they may see.
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
