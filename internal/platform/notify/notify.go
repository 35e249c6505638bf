// Package notify sends text messages, e-mail and push notifications.
//
// Send inserts a delivery and its job in the caller's transaction (transactional
// outbox). The job is retried until a provider accepts the message or it fails
// permanently. Each channel has one Provider. The default, Local, sends nothing;
// its messages can be read on the outbox page.
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

// Message is a message to one recipient.
type Message struct {
	ID      id.ID // by default set by Send; the idempotency key for providers
	Channel Channel
	To      string // a phone, an e-mail address or, for a push, a topic
	Device  bool   // To is the token of one device, or a browser's subscription, and not a topic
	Subject string // not encrypted, even if the message is secret
	Body    string
	HTML    string
	Data    map[string]string
	Badge   *int      // number on the app's icon, for a push to one device
	Lang    string    // language tag, such as en or pt-BR
	Secret  bool      // body, HTML and data are encrypted at rest and deleted once sent
	User    id.ID     // recipient, if known
	At      time.Time // not before; zero = now
	Recheck bool      // call Lapsed before each attempt
	Urgent  bool      // sent before others, and not counted in the school's daily limit (nor are secret ones)
	Once    bool      // not retried, for a test
}

// Provider sends messages through an external service.
//
// An error means that the message was not accepted. It is retried, after the pause
// of jobs.Later if set, unless the error is jobs.Permanent (no such number) or Gone
// (the device is no longer registered). The answer or the error text is stored for
// administrators. Send must be safe for concurrent use.
type Provider interface {
	Name() string
	Send(ctx context.Context, m Message) (answer string, err error)
}

// Sealer encrypts with a purpose, which is needed to decrypt (associated data).
type Sealer interface {
	Seal(purpose string, plain []byte) (string, error)
	Open(purpose, sealed string) ([]byte, error)
}

// Status is the status of a delivery.
type Status string

// The statuses.
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
	Providers   map[Channel]Provider // default: Local
	Browsers    Provider             // pushes to browsers; nil: none
	Keep        Keep
	KeepSecrets bool // don't delete secret messages once sent, for demo mode

	// Gone, if set, is called when a device is no longer registered at the provider.
	Gone func(ctx context.Context, school id.ID, c Channel, address string) error
	// Lapsed, if set, is called right before messages with Recheck are sent. It
	// returns those that must not be sent any more, because the recipient has lost
	// access since. They fail without an attempt. It may change the others.
	Lapsed func(ctx context.Context, school id.ID, some []Message) (map[id.ID]bool, error)
	// Quota, if set, returns the daily limit of a school. OverQuota is called once
	// per day and channel when it is exceeded, in a transaction of the school.
	Quota     func(ctx context.Context, school id.ID, c Channel) (Quota, error)
	OverQuota func(ctx context.Context, tx *db.Tx, school id.ID, c Channel, most int) error

	allowances allowances
}

// Secret messages are retried for less than five minutes, until their code expires.
// A longer pause than secretPatience (Retry-After) is ignored.
const (
	secretAttempts = 4
	secretPatience = 2 * time.Minute
)

// Send inserts the delivery and its job in tx, in the school.
func (n *Notifier) Send(ctx context.Context, tx *db.Tx, school id.ID, m Message) error {
	return n.SendAll(ctx, tx, school, []Message{m})
}

// SendAll is Send for many messages, with few statements.
func (n *Notifier) SendAll(ctx context.Context, tx *db.Tx, school id.ID, messages []Message) error {
	type manner struct {
		secret, urgent, once bool
		at                   time.Time
	}
	now := n.Now()
	rows := make([]newDelivery, 0, len(messages))
	work := map[manner][]deliver{}
	for _, m := range messages {
		if m.ID == "" {
			m.ID = n.NewID()
		}
		if !m.At.After(now) {
			m.At = time.Time{}
		}
		row, err := n.row(m, now)
		if err != nil {
			return err
		}
		rows = append(rows, row)
		how := manner{m.Secret, m.Urgent, m.Once, m.At}
		work[how] = append(work[how], deliver{m.ID, m.Urgent})
	}
	tx = tx.School(school) // tx may be across schools
	if err := putNew(ctx, tx, rows); err != nil {
		return fmt.Errorf("write deliveries: %w", err)
	}
	for how, some := range work {
		var opts []jobs.Option
		if !how.at.IsZero() {
			opts = append(opts, jobs.At(how.at))
		}
		if how.secret || how.urgent {
			opts = append(opts, jobs.Urgent())
		}
		switch {
		case how.once:
			opts = append(opts, jobs.Attempts(1))
		case how.secret:
			opts = append(opts, jobs.Attempts(secretAttempts))
		}
		if err := jobs.EnqueueAll(ctx, tx, now, some, opts...); err != nil {
			return err
		}
	}
	return nil
}

// row returns the database row of m.
func (n *Notifier) row(m Message, now time.Time) (newDelivery, error) {
	to := strings.TrimSpace(m.To)
	switch m.Channel {
	case SMS:
		to = compactPhone(to)
	case Email, Push:
	default:
		return newDelivery{}, fmt.Errorf("notify: unknown channel %q", m.Channel)
	}
	if to == "" {
		return newDelivery{}, fmt.Errorf("notify: a message by %s has no recipient", m.Channel)
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
		return newDelivery{}, fmt.Errorf("notify: encrypt a secret message: %w", err)
	}
	return d, nil
}

// content is the encrypted part of a secret message.
type content struct {
	Body string            `json:"body"`
	HTML string            `json:"html,omitempty"`
	Data map[string]string `json:"data,omitempty"`
}

// purpose binds the encrypted content to its row.
func purpose(delivery id.ID) string { return "notify.delivery/" + delivery.String() }

// OpenBody decrypts the content of a secret message that has not been sent, for a school that
// moves to an installation with other keys. SealBody is the reverse.
func (n *Notifier) OpenBody(delivery id.ID, sealed string) (string, error) {
	plain, err := n.Seal.Open(purpose(delivery), sealed)
	return string(plain), err
}

// SealBody encrypts what OpenBody has decrypted.
func (n *Notifier) SealBody(delivery id.ID, plain string) (string, error) {
	return n.Seal.Seal(purpose(delivery), []byte(plain))
}

// compactPhone removes spaces, dashes and brackets.
func compactPhone(s string) string {
	return strings.Map(func(r rune) rune {
		switch r {
		case ' ', '-', '(', ')', '\u00a0':
			return -1
		}
		return r
	}, s)
}

// gone is the error type of Gone.
type gone struct{ error }

func (g gone) Unwrap() error { return g.error }

// Gone marks err of a provider as permanent for the address, not only for this
// message: the app was removed from the device.
func Gone(err error) error { return gone{jobs.Permanent(err)} }

// IsGone reports whether err was marked by Gone.
func IsGone(err error) bool {
	_, ok := errors.AsType[gone](err)
	return ok
}

// Local is the default provider. It sends nothing.
type Local struct{}

// Name implements Provider.
func (Local) Name() string { return "local" }

// Send implements Provider.
func (Local) Send(context.Context, Message) (string, error) { return "kept in the local outbox", nil }

func (n *Notifier) provider(m Message) Provider {
	if n.Browsers != nil && m.toBrowser() {
		return n.Browsers
	}
	if p := n.Providers[m.Channel]; p != nil {
		return p
	}
	return Local{}
}

// toBrowser reports whether To is a browser's subscription: a URL, and not a token.
func (m Message) toBrowser() bool { return m.Device && strings.Contains(m.To, "://") }
