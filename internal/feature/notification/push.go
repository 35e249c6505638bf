package notification

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/text"
)

// A push shows on a locked screen, and anyone who ever subscribed to a topic keeps
// receiving it. So a push to a topic only says what kind of news there is. If the
// school wants details in pushes, or the student's topics are closed, the push goes
// to the recipients' devices instead. Browsers have no topics (browser.go).

// pushed is a notice to push, not before at.
type pushed struct {
	Notice
	at   time.Time
	sums window // the news of a digest; nil: not a digest
}

// pushWords are the title and body of a push.
func (a audience) pushWords(p pushed, details bool) (title, body text.Text) {
	switch {
	case p.sums != nil:
		return neutral(p.Type), digestOf(p.Type, len(p.sums))
	case details:
		return p.Title, p.Body
	}
	return neutral(p.Type), text.T("push.neutral." + string(p.Type) + ".body")
}

func neutral(of Type) text.Text { return text.T("push.neutral." + string(of) + ".title") }

// when returns when a push may be sent (zero: now), and whether to send it at all.
func (a audience) when(n Notice) (at time.Time, send bool) {
	if !n.Urgent && a.allSwitchedOff(n.listeners(), n.Type) {
		return at, false
	}
	if n.prompt() {
		return at, true
	}
	at = a.quietEnd(n.listeners())
	// Bus positions are useless hours later.
	return at, n.Type != Transport || at.IsZero()
}

// pushes returns the messages to queue now; the rest waits in a digest.
func (s *Service) pushes(ctx context.Context, tx *db.Tx, a audience, notices []Notice, unread map[id.ID]int) ([]notify.Message, error) {
	var due, direct []pushed
	for _, n := range notices {
		switch at, send := a.when(n); {
		case n.Devices:
			direct = append(direct, pushed{Notice: n})
		case n.Topic != "" && send:
			due = append(due, pushed{Notice: n, at: at})
		}
	}
	now, err := s.gather(ctx, tx, a, due)
	if err != nil {
		return nil, err
	}
	return s.addressed(ctx, tx, a, append(now, direct...), unread)
}

// addressed turns pushes into messages: to devices, in each user's language and with
// a badge, or to a topic in the school's language and to its readers' browsers.
func (s *Service) addressed(ctx context.Context, tx *db.Tx, a audience, some []pushed, unread map[id.ID]int) ([]notify.Message, error) {
	a, err := s.withEveryone(ctx, tx, a, some)
	if err != nil {
		return nil, err
	}
	var users []id.ID
	for _, p := range some {
		if a.school.PushDetails || a.private(p) {
			users = append(users, p.listeners()...)
		}
		users = append(users, a.browsers(p)...)
	}
	devices, err := s.liveDevices(ctx, tx, id.Unique(users))
	if err != nil {
		return nil, err
	}
	if err := s.countMore(ctx, tx, devices, unread); err != nil {
		return nil, err
	}
	var out []notify.Message
	for _, p := range some {
		reached := func(u id.ID) bool { return len(devices[u]) > 0 }
		if a.private(p) || a.school.PushDetails && slices.ContainsFunc(p.listeners(), reached) {
			out = append(out, a.toDevices(p, p.listeners(), devices, unread)...)
			continue
		}
		title, body := a.pushWords(p, false)
		m := a.message(p.Topic, p, title, body, a.school.Locale)
		m.At, m.Recheck = p.at, p.Student == "" || len(p.listeners()) > 0 || p.sums != nil
		out = append(append(out, m), a.toBrowsers(p, devices, unread)...)
	}
	return out, nil
}

// private reports whether a push goes to devices and never to a topic.
func (a audience) private(p pushed) bool {
	return p.Devices || a.closed[p.Student] && strings.HasPrefix(p.Topic, StudentTopic(p.Student))
}

// toDevices returns the messages of one push to users' devices.
func (a audience) toDevices(p pushed, users []id.ID, devices map[id.ID][]device, unread map[id.ID]int) []notify.Message {
	title, body := a.pushWords(p, a.school.PushDetails)
	return a.toEach(p, users, title, body, unread, func(user id.ID) []device { return devices[user] })
}

// toBrowsers returns the messages of a push to a topic to its readers' browsers, as
// neutral as the push to the topic.
func (a audience) toBrowsers(p pushed, devices map[id.ID][]device, unread map[id.ID]int) []notify.Message {
	title, body := a.pushWords(p, false)
	return a.toEach(p, a.browsers(p), title, body, unread, func(user id.ID) (some []device) {
		for _, d := range devices[user] {
			if d.browser() {
				some = append(some, d)
			}
		}
		return some
	})
}

// toEach returns the messages to users' devices, each in its user's language and at its
// user's time.
func (a audience) toEach(p pushed, users []id.ID, title, body text.Text, unread map[id.ID]int,
	devices func(user id.ID) []device) (out []notify.Message) {
	for _, user := range users {
		one := p.Notice
		one.Users, one.Readers = []id.ID{user}, nil
		at, send := a.when(one)
		if !send {
			continue
		}
		for _, d := range devices(user) {
			m := a.message(d.address(), p, title, body, a.lang(user))
			m.User, m.Device, m.Badge, m.At, m.Recheck = user, true, new(unread[user]), at, true
			out = append(out, m)
		}
	}
	return out
}

func (a audience) message(to string, p pushed, title, body text.Text, lang string) notify.Message {
	data := map[string]string{"type": string(p.Type), "id": p.Record.String()}
	if p.Student != "" {
		data["studentId"] = p.Student.String()
	}
	if p.office != "" {
		data["permission"] = p.office // checked again before it is sent
	}
	if p.sums != nil {
		data[tallied] = p.sums.tally()
	}
	c := text.Standard()
	return notify.Message{Channel: notify.Push, To: to, Subject: c.Say(lang, title), Body: c.Say(lang, body), Data: data, Lang: lang,
		Urgent: p.Urgent}
}

// liveDevices returns the users' signed-in devices.
func (s *Service) liveDevices(ctx context.Context, q db.Q, users []id.ID) (map[id.ID][]device, error) {
	devices := map[id.ID][]device{}
	if len(users) == 0 {
		return devices, nil
	}
	err := db.Each(ctx, q, `
		SELECT d.user_id, d.token, d.p256dh, d.auth FROM `+liveDevices+`
		WHERE d.school_id = :school AND d.user_id IN (:users) ORDER BY d.user_id, d.id`,
		db.Args{"users": users, "now": s.Now()}, func(d device) error {
			devices[d.UserID] = append(devices[d.UserID], d)
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("read devices: %w", err)
	}
	return devices, nil
}
