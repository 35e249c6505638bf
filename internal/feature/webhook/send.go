package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/notify/wire"
)

const (
	atOnce     = 20              // deliveries of one job; then others get their turn
	senderLife = 5 * time.Minute // longer than a job that sends atOnce
	giveUp     = 72 * time.Hour  // a webhook that fails this long is disabled
	maxTries   = 12              // of one delivery: about three days
)

// pauses are the waits after the first, second … failure; the last one repeats.
var pauses = [...]time.Duration{5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, time.Hour, 3 * time.Hour,
	6 * time.Hour, 12 * time.Hour}

func pause(failures int) time.Duration { return pauses[min(max(failures, 1), len(pauses))-1] }

// send is the job that sends what is due to a webhook. There is one for every delivery and
// every pause, so that none is forgotten. One job at a time sends: the others end at once.
type send struct {
	Webhook id.ID `json:"webhook"`
}

// Kind names the job.
func (send) Kind() string { return "webhook.send" }

// Lane separates slow receivers from other jobs.
func (send) Lane() string { return Lane }

// Senders are the workers of the Lane.
func (s *Service) Senders() []jobs.Worker {
	return []jobs.Worker{{Kind: send{}.Kind(), Timeout: senderLife, Work: func(ctx context.Context, j jobs.Job) error {
		var a send
		if err := json.Unmarshal(j.Payload, &a); err != nil {
			return jobs.Permanent(fmt.Errorf("decode payload of a %s job: %w", j.Kind, err))
		}
		return s.send(ctx, sender{j.School, a.Webhook, j.ID})
	}}}
}

// sender is a job that sends to a webhook.
type sender struct{ school, webhook, job id.ID }

// due is a delivery to send, with the state of its webhook.
type due struct {
	EventID      id.ID
	Body         string
	Attempts     int
	DueAt        time.Time
	URL          string
	Secret       string
	OldSecret    string
	OldUntil     *time.Time
	FailingSince *time.Time
	Failures     int
	Version      int
}

var errNothing = errors.New("nothing is due")

func (s *Service) send(ctx context.Context, j sender) error {
	taken, err := take(ctx, s.DB.School(j.school), j, s.Now())
	if err != nil || !taken { // paused, disabled or deleted; or another job sends, which looks for more when it is done
		return err
	}
	for range atOnce {
		d, err := s.next(ctx, j)
		if errors.Is(err, errNothing) {
			return nil
		}
		if err != nil {
			return fault.Wrap("read what to send", err)
		}
		a, failure := s.post(ctx, d)
		if ctx.Err() != nil { // stopped: not the receiver's fault
			return ctx.Err()
		}
		goOn, err := s.settle(ctx, j, d, a, failure)
		if err != nil || !goOn {
			return err
		}
	}
	return s.DB.InSchool(ctx, j.school, func(ctx context.Context, tx *db.Tx) error {
		if err := release(ctx, tx, j); err != nil {
			return err
		}
		return jobs.Enqueue(ctx, tx, s.Now(), send{j.webhook})
	})
}

// settle records an attempt, and reports whether the next delivery may be sent at once.
func (s *Service) settle(ctx context.Context, j sender, d due, a wire.Answer, failure error) (goOn bool, err error) {
	switch {
	case failure == nil && a.OK():
		return true, s.delivered(ctx, j, d, a)
	case failure == nil && a.Status == http.StatusGone:
		return false, s.disable(ctx, j, d, a, failure, "GONE")
	case d.FailingSince != nil && s.Now().Sub(*d.FailingSince) >= giveUp:
		return false, s.disable(ctx, j, d, a, failure, "FAILING")
	case failure == nil && refuses(a.Status):
		return true, s.refused(ctx, j, d, a)
	}
	return false, s.pause(ctx, j, d, a, failure)
}

// refuses reports whether a status is about this event alone: others may be accepted.
func refuses(status int) bool {
	return status >= 400 && status < 500 && status != http.StatusRequestTimeout && status != http.StatusTooManyRequests
}

// take makes the job the only one that sends to the webhook. A job that is run again after
// its node died takes it again.
func take(ctx context.Context, q db.Q, j sender, now time.Time) (bool, error) {
	n, err := db.Exec(ctx, q, `
		UPDATE webhooks SET sender = :job, sender_until = :until
		WHERE school_id = :school AND id = :id AND status = 'ACTIVE' AND (paused_until IS NULL OR paused_until <= :now)
			AND (sender IS NULL OR sender = :job OR sender_until <= :now)`,
		db.Args{"id": j.webhook, "job": j.job, "until": now.Add(senderLife), "now": now})
	return n == 1, fault.Wrap("take webhook", err)
}

func release(ctx context.Context, tx *db.Tx, j sender) error {
	_, err := db.Exec(ctx, tx, `UPDATE webhooks SET sender = NULL, sender_until = NULL
		WHERE school_id = :school AND id = :id AND sender = :job`, db.Args{"id": j.webhook, "job": j.job})
	return fault.Wrap("release webhook", err)
}

// oldest returns the oldest delivery that is due while the webhook is active.
func oldest(ctx context.Context, q db.Q, j sender, now time.Time) (due, error) {
	return db.One[due](ctx, q, `
		SELECT d.event_id, d.body, d.attempts, d.due_at, w.url, w.secret, w.old_secret, w.old_until, w.failing_since, w.failures, w.version
		FROM webhook_deliveries d JOIN webhooks w ON w.school_id = d.school_id AND w.id = d.webhook_id AND w.status = 'ACTIVE'
		WHERE d.school_id = :school AND d.webhook_id = :webhook AND d.status = 'PENDING' AND d.due_at <= :now
		ORDER BY d.due_at, d.event_id LIMIT 1`, db.Args{"webhook": j.webhook, "now": now})
}

// next returns the oldest delivery that is due, or releases the webhook. It looks once
// more after that: a job that came in between has ended because of this one.
func (s *Service) next(ctx context.Context, j sender) (d due, err error) {
	if d, err = oldest(ctx, s.DB.School(j.school), j, s.Now()); !errors.Is(err, db.ErrNotFound) {
		return d, err
	}
	found := true
	err = s.DB.InSchool(ctx, j.school, func(ctx context.Context, tx *db.Tx) (err error) {
		if err := release(ctx, tx, j); err != nil {
			return err
		}
		if d, err = oldest(ctx, tx, j, s.Now()); errors.Is(err, db.ErrNotFound) {
			found = false
			return nil
		}
		if err == nil {
			found, err = take(ctx, tx, j, s.Now())
		}
		return err
	})
	if err == nil && !found {
		err = errNothing
	}
	return d, err
}

// post sends a delivery.
func (s *Service) post(ctx context.Context, d due) (wire.Answer, error) {
	now := s.Now()
	sealed := []string{d.Secret}
	if d.OldUntil != nil && now.Before(*d.OldUntil) {
		sealed = append(sealed, d.OldSecret)
	}
	var secrets []string
	for _, one := range sealed {
		secret, err := s.OpenSecret(one)
		if err != nil {
			return wire.Answer{}, errors.New("its secret can't be decrypted: replace it")
		}
		secrets = append(secrets, secret)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, d.URL, strings.NewReader(d.Body))
	if err != nil {
		return wire.Answer{}, errors.New("its URL is invalid")
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "Homeroom")
	if err := sign(req.Header, d.EventID, now, d.Body, secrets); err != nil {
		return wire.Answer{}, err
	}
	return wire.Do(s.client, req)
}
