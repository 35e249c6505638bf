package notification

import (
	"context"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/web"
)

func (s *Service) retryRoute(pattern string) web.Route {
	return web.Handle(pattern, s.retry, web.Write("notification"), web.Says("The message is queued again."),
		web.Doc("Sends a FAILED message again. 409 if it has not failed, or if its text is not kept (sign-in codes)."))
}

type retryIn struct {
	ID id.ID `path:"id"`
}

func (s *Service) retry(ctx context.Context, who actor.Actor, in retryIn) (d notify.Delivery, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if d, err = s.Out.Retry(ctx, tx, in.ID); err != nil {
			return err
		}
		return s.Audit.Record(ctx, tx, who, "delivery.retry", "delivery", d.ID, nil, map[string]any{"channel": d.Channel, "attempts": d.Attempts})
	})
	return redacted(who, d), err
}
