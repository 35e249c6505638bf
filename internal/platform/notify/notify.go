// Package notify sends text messages, e-mail and push notifications.
//
// Send writes a delivery and its job in the caller's transaction: what is not
// committed is not sent, and what is committed is tried until a provider takes
// it or it fails for good. Each channel has one Provider; the local one, which
// stands in until another is configured, sends nothing, and what it "sent" is
// read in the outbox page.
package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
)

// Channel is a way to reach someone.
type Channel string

// The channels.
const (
	SMS   Channel = "sms"
	Email Channel = "email"
	Push  Channel = "push"
)

// Channels lists them all.
var Channels = []Channel{SMS, Email, Push}

// Message is what is sent.
type Message struct {
	ID       id.ID // the delivery's; Send gives it, and a provider passes it on so that nothing is sent twice
	Channel  Channel
	To       string // a phone, an e-mail address or, for a push, a topic
	Device   bool   // To is the token of one device and not a topic
	Subject  string // kept in clear even if the message is secret
	Body     string
	HTML     string
	Data     map[string]string
	Badge    *int      // the number on the app's icon, where a push goes to one device
	Lang     string    // of the text, as en or pt-BR
	Secret   bool      // body, HTML and data are encrypted at rest and forgotten once sent
	User     id.ID     // whom it is for, if that is known
	At       time.Time // not before; zero = now
	Recheck  bool      // asks Lapsed before each try
	Uncapped bool      // does not count towards the school's daily limit, as secret ones don't
}

// Provider hands messages on to the world.
//
// An error means that the message was not taken. It is tried again later, no
// sooner than jobs.Later says, unless it is jobs.Permanent: no such number, or
// Gone: no such device any more. The answer, or the text of the error, is kept
// for an administrator to read. Send is called from many goroutines.
type Provider interface {
	Name() string
	Send(ctx context.Context, m Message) (answer string, err error)
}

// Sealer encrypts under a purpose and decrypts only under the same.
type Sealer interface {
	Seal(purpose string, plain []byte) (string, error)
	Open(purpose, sealed string) ([]byte, error)
}

// Status is how far a delivery has come.
type Status string

// The states of a delivery.
const (
	Queued Status = "QUEUED"
	Sent   Status = "SENT"
	Failed Status = "FAILED"
)

// Notifier sends messages.
type Notifier struct {
	DB          *db.DB
	Now         clock.Now
	NewID       id.Source
	Seal        Sealer
	Log         *slog.Logger
	Providers   map[Channel]Provider // a channel without one has the local provider
	KeepSecrets bool                 // secret messages can be read, still encrypted at rest, after they were sent: demo mode

	// Gone, if set, is told of a device that a provider knows no more.
	Gone func(ctx context.Context, school id.ID, c Channel, address string) error
	// Lapsed, if set, is asked right before messages marked Recheck are sent, and
	// names those that must not be any more: whom they are for may have lost the
	// right to them while they waited. They fail without being tried.
	Lapsed func(ctx context.Context, school id.ID, some []Message) (map[id.ID]bool, error)
	// Quota, if set, says how many messages a school may send in a day, and
	// OverQuota is told once a day and channel, in a transaction of the school,
	// that it wants to send more.
	Quota     func(ctx context.Context, school id.ID, c Channel) (Quota, error)
	OverQuota func(ctx context.Context, tx *db.Tx, school id.ID, c Channel, most int) error

	allowances allowances
}

// A secret message is tried for less than five minutes: then its code has expired.
// A provider that asks for a longer pause than secretPatience is asked sooner.
const (
	secretAttempts = 4
	secretPatience = 2 * time.Minute
)

// Send writes the delivery and its job in tx, in the school.
func (n *Notifier) Send(ctx context.Context, tx *db.Tx, school id.ID, m Message) error {
	return n.SendAll(ctx, tx, school, []Message{m})
}

// SendAll sends many messages in few statements.
func (n *Notifier) SendAll(ctx context.Context, tx *db.Tx, school id.ID, messages []Message) error {
	type manner struct {
		secret bool
		at     time.Time
	}
	now := n.Now()
	rows := make([]newDelivery, 0, len(messages))
	work := map[manner][]deliver{}
	for _, m := range messages {
		m.ID = n.NewID()
		if !m.At.After(now) {
			m.At = time.Time{}
		}
		row, err := n.row(m, now)
		if err != nil {
			return err
		}
		rows = append(rows, row)
		how := manner{m.Secret, m.At}
		work[how] = append(work[how], deliver{m.ID, m.Uncapped})
	}
	tx = tx.School(school) // the caller's may cross schools
	if err := putNew(ctx, tx, rows); err != nil {
		return fmt.Errorf("write deliveries: %w", err)
	}
	for how, some := range work {
		var opts []jobs.Option
		if !how.at.IsZero() {
			opts = append(opts, jobs.At(how.at))
		}
		if how.secret {
			opts = append(opts, jobs.Urgent(), jobs.Attempts(secretAttempts))
		}
		if err := jobs.EnqueueAll(ctx, tx, now, some, opts...); err != nil {
			return err
		}
	}
	return nil
}

// row is m as it is kept.
func (n *Notifier) row(m Message, now time.Time) (newDelivery, error) {
	to := strings.TrimSpace(m.To)
	switch m.Channel {
	case SMS:
		to = compactPhone(to)
	case Email, Push:
	default:
		return newDelivery{}, fmt.Errorf("notify: there is no channel %q", m.Channel)
	}
	if to == "" {
		return newDelivery{}, fmt.Errorf("notify: a message by %s names nobody to send it to", m.Channel)
	}
	d := newDelivery{ID: m.ID, Channel: m.Channel, ToAddr: to, Device: m.Device, Subject: m.Subject, Badge: m.Badge, Lang: m.Lang,
		Sealed: m.Secret, Recheck: m.Recheck, CreatedAt: now}
	if m.User != "" {
		d.UserID = &m.User
	}
	if !m.At.IsZero() {
		d.NotBefore = &m.At
	}
	d.Data.V = map[string]string{}
	if !m.Secret {
		d.Body, d.HTML = m.Body, m.HTML
		maps.Copy(d.Data.V, m.Data)
		return d, nil
	}
	plain, err := json.Marshal(content{m.Body, m.HTML, m.Data})
	if err != nil {
		return newDelivery{}, fmt.Errorf("notify: encode a secret message: %w", err)
	}
	if d.Body, err = n.Seal.Seal(purpose(m.ID), plain); err != nil {
		return newDelivery{}, fmt.Errorf("notify: seal a secret message: %w", err)
	}
	return d, nil
}

// content is the part of a secret message that is sealed.
type content struct {
	Body string            `json:"body"`
	HTML string            `json:"html,omitempty"`
	Data map[string]string `json:"data,omitempty"`
}

// purpose ties what is sealed to its row: it opens nowhere else.
func purpose(delivery id.ID) string { return "notify.delivery/" + delivery.String() }

// compactPhone drops what people write between digits.
func compactPhone(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case ' ', '-', '(', ')', '\u00a0':
			return -1
		}
		return r
	}, s)
}

// gone is the error of an address that is no more.
type gone struct{ error }

func (g gone) Unwrap() error { return g.error }

// Gone marks err, of a provider, as final for the address and not for this
// message alone: the app was removed from the device.
func Gone(err error) error { return gone{jobs.Permanent(err)} }

// IsGone reports whether err was marked by Gone.
func IsGone(err error) bool {
	_, ok := errors.AsType[gone](err)
	return ok
}

// Local is the provider of a channel that nobody configured. It only records.
type Local struct{}

// Name is what deliveries call it.
func (Local) Name() string { return "local" }

// Send takes every message.
func (Local) Send(context.Context, Message) (string, error) { return "kept in the local outbox", nil }

func (n *Notifier) provider(c Channel) Provider {
	if p := n.Providers[c]; p != nil {
		return p
	}
	return Local{}
}
