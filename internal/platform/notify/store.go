package notify

import (
	"context"
	"strings"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
)

// newDelivery is a delivery to insert.
type newDelivery struct {
	ID        id.ID
	Channel   Channel
	ToAddr    string
	Device    bool
	Subject   string
	Body      string
	HTML      string `db:"html"`
	Data      db.JSON[map[string]string]
	Badge     *int
	Lang      string
	Sealed    bool
	UserID    *id.ID
	NotBefore *time.Time
	Recheck   bool
	CreatedAt time.Time
}

// reserve is the first value of provider_answer. A row that grows when its result is
// stored makes SQLite move rows between pages, and leaves copies that erasure can't
// reach. So the usual length is reserved.
var reserve = strings.Repeat(" ", 80)

func putNew(ctx context.Context, tx *db.Tx, rows []newDelivery) error {
	_, err := db.Insert(ctx, tx.Later(), `
		INSERT INTO deliveries (school_id, id, channel, to_addr, device, subject, body, html, data, badge, lang, sealed, user_id,
			status, not_before, recheck, created_at, provider_answer)
		VALUES (:school, :id, :channel, :to_addr, :device, :subject, :body, :html, :data, :badge, :lang, :sealed, :user_id,
			'QUEUED', :not_before, :recheck, :created_at, '`+reserve+`')`, rows)
	return err
}

// delivery is a row for the worker and the outbox.
type delivery struct {
	newDelivery
	Status Status
}

const deliveryColumns = `id, channel, to_addr, device, subject, body, html, data, badge, lang, sealed, user_id,
	not_before, recheck, created_at, status`

func listDeliveries(ctx context.Context, q db.Q, ids []id.ID) ([]delivery, error) {
	return db.All[delivery](ctx, q,
		`SELECT `+deliveryColumns+` FROM deliveries WHERE school_id = :school AND id IN (:ids)`, db.Args{"ids": ids})
}

// tried is the result of an attempt.
type tried struct {
	ID       id.ID
	Provider string
	Answer   string
	SentAt   time.Time // zero if not sent
	Forget   bool      // delete the secret content
	Held     bool      // held back: not an attempt
}

// putTried skips deliveries that were erased in the meantime.
func putTried(ctx context.Context, tx *db.Tx, t tried) error {
	_, err := db.Exec(ctx, tx, `
		UPDATE deliveries SET provider = :provider, provider_answer = :answer`+
		db.When(!t.Held, `, attempts = attempts + 1`)+
		db.When(!t.SentAt.IsZero(), `, status = 'SENT', sent_at = :sent_at`)+
		db.When(t.Forget, `, body = ''`)+`
		WHERE school_id = :school AND id = :id AND status <> 'SENT' AND to_addr <> ''`,
		db.Args{"id": t.ID, "provider": t.Provider, "answer": t.Answer, "sent_at": t.SentAt})
	return err
}

func putFailed(ctx context.Context, tx *db.Tx, delivered id.ID, cause string, forget bool) error {
	_, err := db.Exec(ctx, tx, `
		UPDATE deliveries SET status = 'FAILED', provider_answer = :cause`+
		db.When(forget, `, body = CASE WHEN sealed THEN '' ELSE body END`)+`
		WHERE school_id = :school AND id = :id AND status <> 'SENT' AND to_addr <> ''`,
		db.Args{"id": delivered, "cause": cause})
	return err
}

// putLapsed marks deliveries as failed without an attempt.
func putLapsed(ctx context.Context, q db.Q, ids []id.ID) error {
	_, err := db.Exec(ctx, q, `
		UPDATE deliveries SET status = 'FAILED', provider_answer = :why WHERE school_id = :school AND id IN (:ids) AND status = 'QUEUED'`,
		db.Args{"ids": ids, "why": "not sent: it was taken back, or the recipient no longer has access to this or has signed out"})
	return err
}

// putQueued queues a failed delivery again, unless its content was deleted.
func putQueued(ctx context.Context, tx *db.Tx, delivered id.ID) (int64, error) {
	return db.Exec(ctx, tx, `
		UPDATE deliveries SET status = 'QUEUED', not_before = NULL
		WHERE school_id = :school AND id = :id AND status = 'FAILED' AND to_addr <> '' AND NOT (sealed AND body = '')`,
		db.Args{"id": delivered})
}

// Delivery is a delivery as shown to administrators. The text of secret messages and
// device tokens are hidden.
type Delivery struct {
	ID        id.ID      `json:"id"`
	Channel   Channel    `json:"channel"`
	To        opt.Text   `json:"to" db:"to_addr" doc:"A phone number, an e-mail address, a topic, or the word device."`
	Subject   opt.Text   `json:"subject"`
	Body      opt.Text   `json:"body"`
	Secret    bool       `json:"secret" db:"sealed"`
	UserID    *id.ID     `json:"userId"`
	Status    Status     `json:"status"`
	Attempts  int        `json:"attempts"`
	Provider  *string    `json:"provider"`
	Answer    *string    `json:"providerAnswer" db:"provider_answer"`
	NotBefore *time.Time `json:"notBefore" doc:"While it is queued: the earliest time it is sent."`
	CreatedAt time.Time  `json:"createdAt"`
	SentAt    *time.Time `json:"sentAt"`

	Data db.JSON[map[string]string] `json:"-"` // of the message
}

const shownColumns = `id, channel, CASE WHEN device THEN 'device' ELSE to_addr END AS to_addr, subject,
	CASE WHEN sealed THEN '' ELSE body END AS body, data, sealed, user_id, status, attempts, provider,
	NULLIF(TRIM(provider_answer), '') AS provider_answer, not_before, created_at, sent_at`

func getShown(ctx context.Context, q db.Q, delivered id.ID) (Delivery, error) {
	return db.One[Delivery](ctx, q,
		`SELECT `+shownColumns+` FROM deliveries WHERE school_id = :school AND id = :id`, db.Args{"id": delivered})
}

// Filter filters deliveries by its fields that are not empty.
type Filter struct {
	Channel Channel
	Status  Status
	To      string
}

// Deliveries returns a page of a school's deliveries, newest first.
func (n *Notifier) Deliveries(ctx context.Context, school id.ID, f Filter, r page.Request) (page.Of[Delivery], error) {
	return db.Page[Delivery](ctx, n.DB.School(school), db.List{
		Columns: shownColumns,
		From: `deliveries WHERE school_id = :school` +
			db.When(f.Channel != "", ` AND channel = :channel`) +
			db.When(f.Status != "", ` AND status = '`+f.Status.known()+`'`) +
			db.When(f.To != "", ` AND lower(to_addr) = :to`),
		Sorts:   map[string]string{"createdAt": "created_at"},
		Default: "-createdAt",
	}, r, db.Args{"channel": f.Channel, "to": address(f.To)})
}

// known returns the status if it is valid, else "". It is a literal in the SQL, so
// that the partial index on failed deliveries is used.
func (s Status) known() string {
	switch s {
	case Queued, Sent, Failed:
		return string(s)
	}
	return ""
}

// newest returns the newest deliveries of all schools.
func (n *Notifier) newest(ctx context.Context, c Channel, to string, limit int) ([]delivery, error) {
	return db.All[delivery](ctx, n.DB.Across(unscoped.Permit{}), `
		SELECT `+deliveryColumns+` FROM deliveries WHERE TRUE`+
		db.When(c != "", ` AND channel = :channel`)+
		db.When(to != "", ` AND lower(to_addr) = :to`)+`
		ORDER BY created_at DESC, id DESC LIMIT :limit`,
		db.Args{"channel": c, "to": to, "limit": limit})
}

// one returns a delivery of any school.
func (n *Notifier) one(ctx context.Context, delivered id.ID) (delivery, error) {
	return db.One[delivery](ctx, n.DB.Across(unscoped.Permit{}),
		`SELECT `+deliveryColumns+` FROM deliveries WHERE id = :id`, db.Args{"id": delivered})
}
