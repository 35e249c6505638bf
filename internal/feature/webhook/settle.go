package webhook

import (
	"context"
	"errors"
	"strings"
	"time"

	"homeroom/internal/feature/notification"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/notify/wire"
	"homeroom/internal/platform/text"
)

// shown is the maximum length of an answer that administrators see, in characters.
const shown = 1000

// Changed is the type of the notices that a webhook was added, sends to another URL, or was
// disabled. Only administrators get them.
const Changed notification.Type = "WEBHOOK"

var errPaused = errors.New("paused")

// attempt is the outcome of an attempt.
type attempt struct {
	status string
	due    time.Time
	answer *int
	text   string
}

func outcome(status string, at time.Time, a wire.Answer, failure error) attempt {
	out := attempt{status: status, due: at}
	if failure != nil {
		out.text = failure.Error()
	} else {
		out.answer, out.text = &a.Status, string(a.Body)
	}
	out.text = strings.Join(strings.Fields(strings.ToValidUTF8(strings.ReplaceAll(out.text, "\x00", " "), "�")), " ")
	if r := []rune(out.text); len(r) > shown {
		out.text = string(r[:shown])
	}
	return out
}

// put writes an attempt. The delivery may have been sent again since: then it stays PENDING.
func (s *Service) put(ctx context.Context, tx *db.Tx, j sender, d due, a attempt) error {
	args := db.Args{"webhook": j.webhook, "event": d.EventID, "status": a.status, "due": a.due, "answer": a.answer, "text": a.text,
		"tries": d.Attempts, "finished": nil}
	if a.status != "PENDING" {
		args["finished"] = s.Now()
	}
	_, err := db.Exec(ctx, tx, `
		UPDATE webhook_deliveries SET status = :status, attempts = attempts + 1, due_at = :due, answer = :answer, response = :text,
			finished_at = :finished
		WHERE school_id = :school AND webhook_id = :webhook AND event_id = :event AND attempts = :tries`, args)
	return fault.Wrap("record attempt", err)
}

func (s *Service) delivered(ctx context.Context, j sender, d due, a wire.Answer) error {
	return s.DB.InSchool(ctx, j.school, func(ctx context.Context, tx *db.Tx) error {
		if d.FailingSince != nil {
			_, err := db.Exec(ctx, tx, `UPDATE webhooks SET failing_since = NULL, failures = 0 WHERE school_id = :school AND id = :id`,
				db.Args{"id": j.webhook})
			if err != nil {
				return fault.Wrap("forget failures", err)
			}
		}
		return s.put(ctx, tx, j, d, outcome("DELIVERED", s.Now(), a, nil))
	})
}

// refused retries this delivery later, and the others now.
func (s *Service) refused(ctx context.Context, j sender, d due, a wire.Answer) error {
	return s.DB.InSchool(ctx, j.school, func(ctx context.Context, tx *db.Tx) error {
		_, err := db.Exec(ctx, tx, `UPDATE webhooks SET failing_since = COALESCE(failing_since, :now) WHERE school_id = :school AND id = :id`,
			db.Args{"id": j.webhook, "now": s.Now()})
		if err != nil {
			return fault.Wrap("record failure", err)
		}
		at := s.Now().Add(pause(d.Attempts + 1))
		return s.retry(ctx, tx, j, d, outcome("PENDING", at, a, nil), at)
	})
}

// pause stops sending to the webhook for a while: it can't be reached or has a problem.
// Deliveries keep their order.
func (s *Service) pause(ctx context.Context, j sender, d due, a wire.Answer, failure error) error {
	until := s.Now().Add(max(pause(d.Failures+1), jobs.Pause(a.Again(errPaused, s.Now()))))
	return s.DB.InSchool(ctx, j.school, func(ctx context.Context, tx *db.Tx) error {
		n, err := db.Exec(ctx, tx, `
			UPDATE webhooks SET failing_since = COALESCE(failing_since, :now), failures = failures + 1, paused_until = :until,
				sender = NULL, sender_until = NULL
			WHERE school_id = :school AND id = :id AND version = :version`,
			db.Args{"id": j.webhook, "now": s.Now(), "until": until, "version": d.Version})
		switch {
		case err != nil:
			return fault.Wrap("pause webhook", err)
		case n == 0:
			return s.outdated(ctx, tx, j, d, outcome("PENDING", d.DueAt, a, failure))
		}
		return s.retry(ctx, tx, j, d, outcome("PENDING", d.DueAt, a, failure), until)
	})
}

// retry records a failed attempt, and sends again later. It gives the delivery up after the
// last one.
func (s *Service) retry(ctx context.Context, tx *db.Tx, j sender, d due, a attempt, at time.Time) error {
	if d.Attempts+1 >= maxTries {
		a.status = "FAILED"
	}
	if err := s.put(ctx, tx, j, d, a); err != nil {
		return err
	}
	return jobs.Enqueue(ctx, tx, s.Now(), send{j.webhook}, jobs.At(at))
}

// outdated records a failed attempt to send to a webhook that was changed meanwhile, which says
// nothing about it as it is now: it is sent again at once.
func (s *Service) outdated(ctx context.Context, tx *db.Tx, j sender, d due, a attempt) error {
	if err := release(ctx, tx, j); err != nil {
		return err
	}
	return s.retry(ctx, tx, j, d, a, s.Now())
}

// disable stops sending for good, and tells the office.
func (s *Service) disable(ctx context.Context, j sender, d due, a wire.Answer, failure error, problem string) error {
	return s.DB.InSchool(ctx, j.school, func(ctx context.Context, tx *db.Tx) error {
		before, err := lock(ctx, tx, j.webhook)
		switch {
		case err != nil:
			return err
		case before.Version != d.Version:
			return s.outdated(ctx, tx, j, d, outcome("PENDING", d.DueAt, a, failure))
		}
		if err := s.put(ctx, tx, j, d, outcome("FAILED", s.Now(), a, failure)); err != nil {
			return err
		}
		_, err = db.Exec(ctx, tx, `UPDATE webhook_deliveries SET status = 'FAILED', finished_at = :now
			WHERE school_id = :school AND webhook_id = :id AND status = 'PENDING'`, db.Args{"id": j.webhook, "now": s.Now()})
		if err != nil {
			return fault.Wrap("give deliveries up", err)
		}
		_, err = db.Exec(ctx, tx, `
			UPDATE webhooks SET status = 'DISABLED', problem = :problem, sender = NULL, sender_until = NULL, version = version + 1
			WHERE school_id = :school AND id = :id`, db.Args{"id": j.webhook, "problem": problem})
		if err != nil {
			return fault.Wrap("disable webhook", err)
		}
		after, err := get(ctx, tx, j.webhook)
		if err != nil {
			return err
		}
		if err := s.changed(ctx, tx, actor.Actor{}, "webhook.disable", j.webhook, before, after); err != nil {
			return err
		}
		return s.tell(ctx, tx, actor.Actor{School: j.school}, after, "disabled")
	})
}

// tell notifies the other administrators: what is "added", "moved" or "disabled". The
// platform has no notifications; its log has it.
func (s *Service) tell(ctx context.Context, tx *db.Tx, who actor.Actor, w Webhook, what string) error {
	if who.School == school.PlatformID {
		s.Log.WarnContext(ctx, "a webhook of the platform was "+what, "webhook", w.ID, "host", hostOf(w.URL), "problem", w.Problem)
		return nil
	}
	n := notification.Notice{Type: Changed, Record: w.ID, Title: text.T("webhook." + what + ".title"),
		Body: text.T("webhook."+what+".body", "name", w.Name, "host", hostOf(w.URL))}
	return s.Notify.Office(ctx, tx, who, "setting.write", n)
}
