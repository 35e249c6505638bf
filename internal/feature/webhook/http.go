package webhook

import (
	"context"
	"time"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

// oldSecret is how long a replaced secret also signs.
const oldSecret = 24 * time.Hour

var errNoDelivery = fault.Missing("delivery")

type eventsOut struct {
	Events []Event `json:"events"`
}

func (s *Service) events(_ context.Context, who actor.Actor, _ web.None) (eventsOut, error) {
	out := eventsOut{[]Event{}}
	for _, e := range events {
		if who.Can(e.Module, actor.Read) && (!e.platform || who.School == school.PlatformID) {
			out.Events = append(out.Events, e)
		}
	}
	return out, nil
}

type filters struct {
	Status string `json:"status,omitempty" enum:"ACTIVE,DISABLED"`
}

func (s *Service) list(ctx context.Context, who actor.Actor, in page.Ask[filters]) (page.Of[Webhook], error) {
	return db.Page[Webhook](ctx, s.DB.School(who.School), db.List{
		Columns: columns,
		From:    `webhooks WHERE school_id = :school` + db.When(in.Filters.Status != "", ` AND status = :status`),
		Sorts:   map[string]string{"name": "name", "createdAt": "created_at"},
		Default: "name",
	}, in.Request, db.Args{"status": in.Filters.Status})
}

type newIn struct {
	Name   string   `json:"name" maxLength:"100" example:"Library system" doc:"Default: the host of the URL."`
	URL    string   `json:"url" required:"true" maxLength:"500" example:"https://example.org/homeroom"`
	Events []string `json:"events" required:"true" minItems:"1" maxItems:"100" example:"student.created"`
}

type createdOut struct {
	Webhook
	Secret string `json:"secret" doc:"Signs the requests. It is not shown again."`
}

type byID struct {
	ID id.ID `path:"id"`
}

func (s *Service) get(ctx context.Context, who actor.Actor, in byID) (Webhook, error) {
	return get(ctx, s.DB.School(who.School), in.ID)
}

type changeIn struct {
	ID      id.ID     `path:"id"`
	Name    *string   `json:"name" maxLength:"100" pattern:"\\S" patternHint:"must not be blank"`
	URL     *string   `json:"url" maxLength:"500" example:"https://example.org/homeroom"`
	Events  *[]string `json:"events" minItems:"1" maxItems:"100" example:"student.created"`
	Status  *string   `json:"status" enum:"ACTIVE,DISABLED"`
	Version *int      `json:"version" doc:"The version you read; 409 if it has changed since."`
}

func (s *Service) delete(ctx context.Context, who actor.Actor, in byID) (web.None, error) {
	return web.None{}, s.remove(ctx, who, in.ID)
}

// rotate needs the rights of the subscription: with the secret, its events can be forged.
func (s *Service) rotate(ctx context.Context, who actor.Actor, in byID) (out createdOut, err error) {
	secret, sealed, err := s.newSecret()
	if err != nil {
		return out, err
	}
	out.Secret = secret
	out.Webhook, err = s.write(ctx, who, in.ID, "webhook.rotate", func(ctx context.Context, tx *db.Tx, w *Webhook) error {
		if err := mayHear(who, w.Events.V); err != nil {
			return err
		}
		_, err := db.Exec(ctx, tx, `
			UPDATE webhooks SET old_secret = secret, old_until = :until, secret = :secret, version = version + 1, updated_at = :now
			WHERE school_id = :school AND id = :id`,
			db.Args{"id": w.ID, "secret": sealed, "until": s.Now().Add(oldSecret), "now": s.Now()})
		return fault.Wrap("replace secret", err)
	})
	return out, err
}

func (s *Service) test(ctx context.Context, who actor.Actor, in byID) (out Delivery, err error) {
	m := message{ID: s.NewID(), Type: ping, Timestamp: s.Now(), SchoolID: who.School, Data: map[string]any{}}
	err = s.sendable(ctx, who, in.ID, func(ctx context.Context, tx *db.Tx) error {
		if err := s.deliver(ctx, tx, m, []id.ID{in.ID}); err != nil {
			return err
		}
		if err := putPending(ctx, tx, in.ID, m.ID, s.Now()); err != nil {
			return err
		}
		out, err = getDelivery(ctx, tx, in.ID, m.ID)
		return err
	})
	return out, err
}

// sendable runs fn if the webhook exists and is active.
func (s *Service) sendable(ctx context.Context, who actor.Actor, webhook id.ID, fn func(ctx context.Context, tx *db.Tx) error) error {
	return s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		w, err := lock(ctx, tx, webhook)
		switch {
		case err != nil:
			return err
		case w.Status != active:
			return errDisabled
		}
		return fn(ctx, tx)
	})
}

type deliveryFilters struct {
	Status string `json:"status,omitempty" enum:"PENDING,DELIVERED,FAILED"`
	Event  string `json:"event,omitempty" example:"student.created" doc:"A type of event."`
}

type deliveriesIn struct {
	ID id.ID `path:"id"`
	page.Ask[deliveryFilters]
}

func (s *Service) deliveries(ctx context.Context, who actor.Actor, in deliveriesIn) (page.Of[Delivery], error) {
	q := s.DB.School(who.School)
	if _, err := get(ctx, q, in.ID); err != nil {
		return page.Of[Delivery]{}, err
	}
	return listDeliveries(ctx, q, in.ID, in.Filters, in.Request)
}

type resendIn struct {
	ID      id.ID `path:"id"`
	EventID id.ID `path:"eventId"`
}

func (s *Service) resend(ctx context.Context, who actor.Actor, in resendIn) (out Delivery, err error) {
	err = s.sendable(ctx, who, in.ID, func(ctx context.Context, tx *db.Tx) error {
		if _, err := getDelivery(ctx, tx, in.ID, in.EventID); err != nil {
			return err
		}
		if err := putPending(ctx, tx, in.ID, in.EventID, s.Now()); err != nil {
			return err
		}
		if err := jobs.Enqueue(ctx, tx, s.Now(), send{in.ID}); err != nil {
			return err
		}
		out, err = getDelivery(ctx, tx, in.ID, in.EventID)
		return err
	})
	return out, err
}

type replayIn struct {
	ID    id.ID     `path:"id"`
	Since time.Time `json:"since" required:"true" doc:"At most 30 days ago."`
}

func (s *Service) replay(ctx context.Context, who actor.Actor, in replayIn) (web.None, error) {
	return web.None{}, s.replaySince(ctx, who, in.ID, in.Since)
}
