package webhook

import (
	"context"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
)

const columns = `id, name, url, events, status, problem, failing_since, paused_until, old_until, version, created_at, updated_at`

func get(ctx context.Context, q db.Q, webhook id.ID) (Webhook, error) {
	w, err := db.One[Webhook](ctx, q, `SELECT `+columns+` FROM webhooks WHERE school_id = :school AND id = :id`, db.Args{"id": webhook})
	return w, db.Found("read webhook", err, errNone)
}

func lock(ctx context.Context, tx *db.Tx, webhook id.ID) (Webhook, error) {
	w, err := db.One[Webhook](ctx, tx, `SELECT `+columns+` FROM webhooks WHERE school_id = :school AND id = :id`+db.ForUpdate(tx),
		db.Args{"id": webhook})
	return w, db.Found("lock webhook", err, errNone)
}

func put(ctx context.Context, tx *db.Tx, w Webhook, sealed string) error {
	_, err := db.Exec(ctx, tx, `
		INSERT INTO webhooks (school_id, id, name, url, events, secret, old_secret, status, problem, created_at, updated_at)
		VALUES (:school, :id, :name, :url, :events, :secret, '', :status, '', :now, :now)`,
		db.Args{"id": w.ID, "name": w.Name, "url": w.URL, "events": w.Events, "secret": sealed, "status": w.Status, "now": w.CreatedAt})
	return fault.Wrap("write webhook", err)
}

// update also ends a pause: the URL may be another, or work again.
func update(ctx context.Context, tx *db.Tx, w Webhook) error {
	_, err := db.Exec(ctx, tx, `
		UPDATE webhooks SET name = :name, url = :url, events = :events, status = :status, problem = :problem, failing_since = :since,
			failures = 0, paused_until = NULL, version = version + 1, updated_at = :now
		WHERE school_id = :school AND id = :id`,
		db.Args{"id": w.ID, "name": w.Name, "url": w.URL, "events": w.Events, "status": w.Status, "problem": w.Problem,
			"since": w.FailingSince, "now": w.UpdatedAt})
	return fault.Wrap("change webhook", err)
}

// Delivery is an event for a webhook.
type Delivery struct {
	ID         id.ID      `json:"id" doc:"The id of the event, which the receiver gets as webhook-id."`
	Type       string     `json:"type" example:"student.created"`
	Status     string     `json:"status" enum:"PENDING,DELIVERED,FAILED"`
	Attempts   int        `json:"attempts"`
	DueAt      *time.Time `json:"dueAt" doc:"Time of the next attempt, if PENDING."`
	Answer     *int       `json:"answer" doc:"HTTP status of the last answer; null if there was none."`
	Response   opt.Text   `json:"response" doc:"Start of the last answer, at most 1,000 characters, or the error."`
	CreatedAt  time.Time  `json:"createdAt"`
	FinishedAt *time.Time `json:"finishedAt"`
}

const deliveryColumns = `event_id AS id, type, status, attempts, CASE WHEN status = 'PENDING' THEN due_at END AS due_at, answer, response,
	created_at, finished_at`

// putDeliveries writes the deliveries of an event. A webhook that was just deleted gets
// none.
func putDeliveries(ctx context.Context, tx *db.Tx, m message, body string, to []id.ID, now time.Time) error {
	_, err := db.Exec(ctx, tx.Later(), `
		INSERT INTO webhook_deliveries (school_id, webhook_id, event_id, type, body, status, due_at, response, created_at)
		SELECT school_id, id, :event, :type, :body, 'PENDING', :now, '', :now FROM webhooks WHERE school_id = :school AND id IN (:to)`,
		db.Args{"event": m.ID, "type": m.Type, "body": body, "to": to, "now": now})
	return fault.Wrap("write webhook deliveries", err)
}

func getDelivery(ctx context.Context, q db.Q, webhook, event id.ID) (Delivery, error) {
	d, err := db.One[Delivery](ctx, q, `SELECT `+deliveryColumns+` FROM webhook_deliveries
		WHERE school_id = :school AND webhook_id = :webhook AND event_id = :event`, db.Args{"webhook": webhook, "event": event})
	return d, db.Found("read delivery", err, errNoDelivery)
}

func listDeliveries(ctx context.Context, q db.Q, webhook id.ID, f deliveryFilters, r page.Request) (page.Of[Delivery], error) {
	return db.Page[Delivery](ctx, q, db.List{
		Columns: deliveryColumns,
		From: `webhook_deliveries WHERE school_id = :school AND webhook_id = :webhook` +
			db.When(f.Status != "", ` AND status = :status`) + db.When(f.Event != "", ` AND type = :type`),
		Sorts:   map[string]string{"createdAt": "created_at", "id": "event_id"},
		Default: "-createdAt",
	}, r, db.Args{"webhook": webhook, "status": f.Status, "type": f.Event})
}

// putPending lets a delivery be sent again, and ends a pause.
func putPending(ctx context.Context, tx *db.Tx, webhook, event id.ID, now time.Time) error {
	_, err := db.Exec(ctx, tx, `
		UPDATE webhook_deliveries SET status = 'PENDING', attempts = 0, due_at = :now, finished_at = NULL
		WHERE school_id = :school AND webhook_id = :webhook AND event_id = :event`,
		db.Args{"webhook": webhook, "event": event, "now": now})
	if err == nil {
		_, err = db.Exec(ctx, tx, `UPDATE webhooks SET paused_until = NULL WHERE school_id = :school AND id = :webhook`,
			db.Args{"webhook": webhook})
	}
	return fault.Wrap("send a delivery again", err)
}
