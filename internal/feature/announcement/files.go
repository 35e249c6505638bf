package announcement

import (
	"context"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/id"
)

// Sees checks that a parent, teacher or driver may open an announcement, and so its
// files.
func (s *Service) Sees(ctx context.Context, who actor.Actor, announcement id.ID) error {
	module := "announcement"
	if who.Role == actor.Driver { // drivers don't have this module: see Routes
		module = "notification"
	}
	if !who.Can(module, actor.Read) {
		return errNoReader
	}
	q := s.DB.School(who.School)
	r, err := readerOf(ctx, q, who)
	if err != nil {
		return err
	}
	_, err = getShown(ctx, q, r, announcement, s.Now())
	return err
}
