package webhook

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
)

const (
	maxReplay   = 30 * 24 * time.Hour
	replayBatch = 500
	firstID     = "00000000-0000-0000-0000-000000000000"
)

// replay is the job that sends again what happened since a time, from the audit log: also
// what happened while the webhook was disabled, or before it was registered.
type replay struct {
	Webhook id.ID     `json:"webhook"`
	At      time.Time `json:"at"` // of the last entry that was read
	After   id.ID     `json:"after"`
	Until   time.Time `json:"until"`
}

// Kind names the job.
func (replay) Kind() string { return "webhook.replay" }

// Workers returns the workers of the job queue.
func (s *Service) Workers() []jobs.Worker { return []jobs.Worker{jobs.Work(s.replayBatch)} }

// replaySince queues a replay.
func (s *Service) replaySince(ctx context.Context, who actor.Actor, webhook id.ID, since time.Time) error {
	now := s.Now()
	if since.After(now) || now.Sub(since) > maxReplay {
		return fault.OnField("since", "must be within the last 30 days")
	}
	return s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		w, err := lock(ctx, tx, webhook)
		switch {
		case err != nil:
			return err
		case w.Status != active:
			return errDisabled
		}
		if err := s.Audit.Record(ctx, tx, who, "webhook.replay", "webhook", webhook, nil, map[string]any{"since": since}); err != nil {
			return err
		}
		return jobs.Enqueue(ctx, tx, now, replay{webhook, since.Add(-time.Millisecond), firstID, now})
	})
}

// replayed is a delivery that a replay writes.
type replayed struct {
	WebhookID, EventID id.ID
	Type, Body         string
	Now                time.Time
}

// replayBatch writes the deliveries of some entries, and queues the next batch.
func (s *Service) replayBatch(ctx context.Context, at id.ID, a replay) error {
	from := at
	if at == school.PlatformID {
		from = ""
	}
	entries, err := s.Audit.Since(ctx, from, actions(), a.At, a.After, replayBatch)
	if err != nil {
		return err
	}
	return s.DB.InSchool(ctx, at, func(ctx context.Context, tx *db.Tx) error {
		w, err := lock(ctx, tx, a.Webhook)
		if err != nil || w.Status != active {
			return err
		}
		var rows []replayed
		for _, e := range entries {
			if e.At.After(a.Until) {
				break
			}
			row, ok, err := s.again(w, e)
			if err != nil {
				return err
			}
			if ok {
				rows = append(rows, row)
			}
		}
		if err := putReplayed(ctx, tx, rows); err != nil {
			return err
		}
		if err := jobs.Enqueue(ctx, tx, s.Now(), send{w.ID}); err != nil || len(entries) < replayBatch {
			return err
		}
		last := entries[len(entries)-1]
		return jobs.Enqueue(ctx, tx, s.Now(), replay{w.ID, last.At, last.ID, a.Until})
	})
}

// again returns the delivery of an entry, if the webhook has subscribed to its event.
func (s *Service) again(w Webhook, e audit.Entry) (row replayed, ok bool, err error) {
	var after audit.State
	if e.After != nil {
		after = e.After.V
	}
	m, ok := eventOf(e, after)
	if !ok || !slices.Contains(w.Events.V, m.Type) {
		return row, false, nil
	}
	body, err := json.Marshal(m)
	if err != nil {
		return row, false, fmt.Errorf("encode event: %w", err)
	}
	return replayed{w.ID, m.ID, m.Type, string(body), s.Now()}, true, nil
}

func putReplayed(ctx context.Context, tx *db.Tx, rows []replayed) error {
	if len(rows) == 0 {
		return nil
	}
	_, err := db.Insert(ctx, tx, `
		INSERT INTO webhook_deliveries (school_id, webhook_id, event_id, type, body, status, due_at, response, created_at)
		VALUES (:school, :webhook_id, :event_id, :type, :body, 'PENDING', :now, '', :now)
		ON CONFLICT (school_id, webhook_id, event_id) DO UPDATE SET status = 'PENDING', attempts = 0,
			due_at = excluded.due_at, finished_at = NULL`,
		rows)
	return fault.Wrap("write replay", err)
}
