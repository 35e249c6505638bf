package notify

import (
	"context"
	"fmt"
	"strings"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// Health is how a channel works. It has no setting of its provider but the name.
type Health struct {
	Channel     Channel    `json:"channel" enum:"sms,email,push"`
	Provider    string     `json:"provider" example:"twilio" doc:"local: messages are only recorded, and reach nobody."`
	Configured  bool       `json:"configured" doc:"The provider is not local."`
	Waiting     int        `json:"waiting" doc:"Messages of the last 24 hours that are not sent yet."`
	Sent        int        `json:"sentLastDay"`
	Failed      int        `json:"failedLastDay" doc:"Messages that the provider refused for good."`
	LastSentAt  *time.Time `json:"lastSentAt"`
	LastFailure *Failure   `json:"lastFailure" doc:"The newest message that the provider did not accept, for good or so far."`
}

// Failure is an attempt that failed.
type Failure struct {
	At     time.Time `json:"at" doc:"When the message was written."`
	Reason opt.Text  `json:"reason" doc:"The provider's answer, without the recipient."`
}

// Health describes the channels of one school, or ("") of all.
func (n *Notifier) Health(ctx context.Context, school id.ID) ([]Health, error) {
	h := healths{q: n.DB.Across(unscoped.Permit{}), of: `WHERE TRUE`, since: n.Now().Add(-24 * time.Hour)}
	if school != "" {
		h.q, h.of = n.DB.School(school), `WHERE s.id = :school`
	}
	out := make([]Health, len(Channels))
	for i, c := range Channels {
		name := n.provider(Message{Channel: c}).Name()
		out[i] = Health{Channel: c, Provider: name, Configured: name != Local{}.Name()}
	}
	tried, err := h.count(ctx, out)
	if err != nil {
		return nil, fmt.Errorf("count deliveries: %w", err)
	}
	for i := range out {
		if err := h.newest(ctx, &out[i], tried[out[i].Channel]); err != nil {
			return nil, fmt.Errorf("read the newest deliveries: %w", err)
		}
	}
	return out, nil
}

// healths reads deliveries school by school, because their indexes start with the school.
type healths struct {
	q     db.Q
	of    string // condition on schools s
	since time.Time
}

// count counts the deliveries of the last day, and returns how many wait after a failed attempt.
func (h healths) count(ctx context.Context, out []Health) (tried map[Channel]int, err error) {
	tried = map[Channel]int{}
	type row struct {
		Channel Channel
		Status  Status
		Tried   bool
		Count   int
	}
	return tried, db.Each(ctx, h.q, `
		SELECT d.channel, d.status, d.attempts > 0 AS tried, COUNT(*) AS count FROM schools s CROSS JOIN deliveries d `+h.of+`
			AND d.school_id = s.id AND d.created_at >= :since
		GROUP BY d.channel, d.status, d.attempts > 0`, db.Args{"since": h.since}, func(r row) error {
		for i := range out {
			switch c := &out[i]; {
			case c.Channel != r.Channel:
			case r.Status == Sent:
				c.Sent += r.Count
			case r.Status == Queued:
				c.Waiting += r.Count
				if r.Tried {
					tried[r.Channel] += r.Count
				}
			case r.Tried: // others were not given to the provider
				c.Failed += r.Count
			}
		}
		return nil
	})
}

// newest reads the newest success and failure of a channel.
func (h healths) newest(ctx context.Context, out *Health, tried int) error {
	sent, err := db.One[struct{ At *time.Time }](ctx, h.q, `
		SELECT MAX(x.at) AS at FROM (SELECT (
			SELECT d.sent_at FROM deliveries d WHERE d.school_id = s.id AND d.channel = :channel AND d.status = 'SENT'
			ORDER BY d.created_at DESC, d.id DESC LIMIT 1) AS at FROM schools s `+h.of+`) x`, db.Args{"channel": out.Channel})
	if err != nil {
		return err
	}
	out.LastSentAt = sent.At
	if out.LastFailure, err = h.failure(ctx, out.Channel, `f.status = 'FAILED' AND f.attempts > 0`, nil); err != nil || tried == 0 {
		return err
	}
	waits, err := h.failure(ctx, out.Channel, `f.status = 'QUEUED' AND f.attempts > 0 AND f.created_at >= :since`, db.Args{"since": h.since})
	if waits != nil && (out.LastFailure == nil || waits.At.After(out.LastFailure.At)) {
		out.LastFailure = waits
	}
	return err
}

func (h healths) failure(ctx context.Context, c Channel, which string, a db.Args) (*Failure, error) {
	args := db.Args{"channel": c}
	for name, v := range a {
		args[name] = v
	}
	list, err := db.All[struct {
		CreatedAt      time.Time
		ToAddr         string
		ProviderAnswer *string
	}](ctx, h.q, `
		SELECT d.created_at, d.to_addr, d.provider_answer FROM schools s JOIN deliveries d ON d.school_id = s.id AND d.id = (
			SELECT f.id FROM deliveries f WHERE f.school_id = s.id AND f.channel = :channel AND `+which+`
			ORDER BY f.created_at DESC, f.id DESC LIMIT 1)
		`+h.of+` ORDER BY d.created_at DESC LIMIT 1`, args)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	why := strings.TrimSpace(opt.Value(list[0].ProviderAnswer))
	if list[0].ToAddr != "" {
		why = strings.ReplaceAll(why, list[0].ToAddr, "•••")
	}
	return &Failure{At: list[0].CreatedAt, Reason: opt.Text(why)}, nil
}

// Own returns a delivery to the user.
func (n *Notifier) Own(ctx context.Context, q db.Q, user, delivered id.ID) (Delivery, error) {
	d, err := db.One[Delivery](ctx, q,
		`SELECT `+shownColumns+` FROM deliveries WHERE school_id = :school AND id = :id AND user_id = :user`,
		db.Args{"id": delivered, "user": user})
	return d, db.Found("read a delivery", err, ErrNoDelivery)
}
