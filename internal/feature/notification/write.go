package notification

import (
	"context"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/text"
)

// Letter is a message to one person by SMS and e-mail.
type Letter struct {
	User    id.ID // empty: someone without an account
	Phone   string
	Email   string // either may be empty
	Type    Type
	Student id.ID
	Urgent  bool
	Subject text.Text
	Body    text.Text
}

// Written counts the queued messages.
type Written struct{ SMS, Email int }

// Write queues letters in tx, each in the recipient's language, by the channels not
// switched off and outside quiet hours.
func (s *Service) Write(ctx context.Context, tx *db.Tx, school id.ID, letters []Letter) (sent Written, err error) {
	var users []id.ID
	for _, l := range letters {
		if l.User != "" {
			users = append(users, l.User)
		}
	}
	a, err := audienceOf(ctx, tx, users, s.Now())
	if err != nil {
		return sent, err
	}
	var out []notify.Message
	for _, l := range letters {
		wants := a.readers[l.User].Channels.V[l.Type]
		if l.Phone != "" && !wants.SMS {
			out = append(out, a.sms(l))
			sent.SMS++
		}
		if l.Email != "" && !wants.Email {
			out = append(out, a.mail(l, s.PublicURL))
			sent.Email++
		}
	}
	return sent, s.sendAll(ctx, tx, school, out)
}

// envelope sets the fields common to SMS and e-mail.
func (a audience) envelope(l Letter) notify.Message {
	m := notify.Message{User: l.User, Lang: a.lang(l.User), Recheck: true, Data: map[string]string{"type": string(l.Type)}}
	m.Subject = text.Standard().Say(m.Lang, l.Subject)
	if l.Student != "" {
		m.Data["studentId"] = l.Student.String()
	}
	if !l.Urgent && l.Type != Attendance {
		m.At = a.readers[l.User].quietUntil(a.now, a.zone)
	}
	return m
}

func (a audience) sms(l Letter) notify.Message {
	m := a.envelope(l)
	m.Channel, m.To = notify.SMS, l.Phone
	m.Body = text.Standard().Say(m.Lang, text.T("sms.from", "school", a.school.Name, "words", l.Body))
	return m
}

func (a audience) mail(l Letter, base string) notify.Message {
	m := a.envelope(l)
	m.Channel, m.To = notify.Email, l.Email
	m.Body, m.HTML = text.Standard().Write(text.Letter{Brand: a.school.Brand(base), Locale: m.Lang, Title: l.Subject,
		Before: []text.Text{l.Body}})
	return m
}
