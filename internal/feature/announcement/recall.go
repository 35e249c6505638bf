package announcement

import (
	"context"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// Recalled returns those of some announcements that were deleted, or published and then withdrawn: nobody is told of
// them any more.
func (s *Service) Recalled(ctx context.Context, q db.Q, some []id.ID) (map[id.ID]bool, error) {
	gone := map[id.ID]bool{}
	for _, a := range some {
		gone[a] = true
	}
	return gone, db.Each(ctx, q, `
		SELECT id FROM announcements WHERE school_id = :school AND id IN (:some)
			AND (published_at IS NULL OR expires_at IS NULL OR expires_at > :now)`,
		db.Args{"some": some, "now": s.Now()}, func(a id.ID) error {
			delete(gone, a)
			return nil
		})
}
