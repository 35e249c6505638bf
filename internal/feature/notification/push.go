package notification

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/text"
)

// A push is shown on a locked screen. Unless the school wants the details there,
// it says no more than what it is about; the log has the rest.

// words are the title and body of a push.
func (a audience) words(n Notice) (title, body text.Text) {
	if a.school.PushDetails {
		return n.Title, n.Body
	}
	return neutral(n.Type), text.T("push.neutral." + string(n.Type) + ".body")
}

func neutral(of Type) text.Text { return text.T("push.neutral." + string(of) + ".title") }

// when is from when on a push may leave (the zero time: now), and whether it is
// to leave at all.
func (a audience) when(n Notice) (at time.Time, leaves bool) {
	if a.deaf(n.listeners(), n.Type) {
		return at, false
	}
	if n.urgent() {
		return at, true
	}
	at = a.hold(n.listeners())
	// Where the bus was hours ago is no news to wake up to.
	return at, n.Type != Transport || at.IsZero()
}

// pushes are those that topics are sent now. A topic has many readers, so that
// they are in the school's language.
func (s *Service) pushes(ctx context.Context, tx *db.Tx, a audience, notices []Notice) ([]notify.Message, error) {
	var due []pushed
	for _, n := range notices {
		if n.Topic == "" || n.Devices {
			continue
		}
		if at, leaves := a.when(n); leaves {
			due = append(due, pushed{n, at})
		}
	}
	now, err := s.gather(ctx, tx, a, due)
	out := make([]notify.Message, len(now))
	for i, p := range now {
		title, body := a.words(p.Notice)
		out[i] = a.message(p.Topic, p.Notice, title, body, a.school.Locale)
		out[i].At = p.at
	}
	return out, err
}

// pushed is a notice that is pushed no sooner than at.
type pushed struct {
	Notice
	at time.Time
}

func (a audience) message(to string, n Notice, title, body text.Text, lang string) notify.Message {
	data := map[string]string{"type": string(n.Type), "id": n.Record.String()}
	if n.Student != "" {
		data["studentId"] = n.Student.String()
	}
	c := text.Standard()
	return notify.Message{Channel: notify.Push, To: to, Subject: c.Say(lang, title), Body: c.Say(lang, body), Data: data, Lang: lang}
}

// devicePushes are those that go to people's own devices, in their language and
// with the number of what they have not read.
func devicePushes(ctx context.Context, q db.Q, a audience, notices []Notice, unread map[id.ID]int) ([]notify.Message, error) {
	var users []id.ID
	for _, n := range notices {
		if n.Devices {
			users = append(users, n.Users...)
		}
	}
	if len(users) == 0 {
		return nil, nil
	}
	type device struct {
		UserID id.ID
		Token  string
	}
	tokens := map[id.ID][]string{}
	err := db.Each(ctx, q, `SELECT user_id, token FROM devices WHERE school_id = :school AND user_id IN (:users) ORDER BY user_id, id`,
		db.Args{"users": users}, func(d device) error {
			tokens[d.UserID] = append(tokens[d.UserID], d.Token)
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("read devices: %w", err)
	}
	var out []notify.Message
	for _, n := range notices {
		if !n.Devices {
			continue
		}
		title, body := a.words(n)
		for _, user := range n.Users {
			one := n
			one.Users = []id.ID{user}
			at, leaves := a.when(one)
			if !leaves {
				continue
			}
			for _, token := range tokens[user] {
				m := a.message(token, n, title, body, a.lang(user))
				m.User, m.Device, m.Badge, m.At = user, true, new(unread[user]), at
				out = append(out, m)
			}
		}
	}
	return out, nil
}
