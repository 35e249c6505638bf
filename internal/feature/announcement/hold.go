package announcement

import (
	"context"
	"errors"
	"fmt"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/access"
	"homeroom/internal/feature/notification"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/text"
)

// mayPublish reports whether a teacher who scheduled an announcement may still publish it: a class, the permission or
// the account may be gone since. What the office saved last is the office's.
func (s *Service) mayPublish(ctx context.Context, q db.Q, m Managed) (bool, error) {
	if m.ByOffice {
		return true, nil
	}
	author, err := db.One[struct {
		Role   actor.Role
		RoleID id.ID
	}](ctx, q, `SELECT role, role_id FROM users WHERE school_id = :school AND id = :user AND status = 'ACTIVE'`, db.Args{"user": m.CreatedBy})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return false, nil
	case err != nil:
		return false, fmt.Errorf("read author: %w", err)
	}
	grants, err := access.Grants(ctx, q, author.RoleID)
	if err != nil || grants["announcement"]&actor.Write == 0 {
		return false, err
	}
	_, err = s.targets(ctx, q, actor.Actor{User: m.CreatedBy, Role: author.Role}, m.Announcement)
	if errors.Is(err, academics.ErrNotAssigned) {
		return false, nil
	}
	return err == nil, err
}

// holdBack ends an announcement unpublished, and tells its author and the office. The office publishes it by
// changing expiresAt.
func (s *Service) holdBack(ctx context.Context, tx *db.Tx, school id.ID, m Managed) error {
	now := s.Now()
	_, err := db.Exec(ctx, tx, `UPDATE announcements SET expires_at = :now, version = version + 1, updated_at = :now
		WHERE school_id = :school AND id = :id`, db.Args{"id": m.ID, "now": now})
	if err != nil {
		return fmt.Errorf("hold announcement back: %w", err)
	}
	n := notification.Notice{Type: notification.Announcement, Record: m.ID,
		Title: text.T("announcement.held.title"), Body: text.T("announcement.held.body", "title", m.Title)}
	if err := s.Notify.Office(ctx, tx, actor.Actor{School: school}, "announcement.write", n); err != nil {
		return err
	}
	n.Users, n.Devices = []id.ID{m.CreatedBy}, true
	if err := s.Notify.Send(ctx, tx, school, []notification.Notice{n}); err != nil {
		return fmt.Errorf("tell author: %w", err)
	}
	return s.Audit.Record(ctx, tx, actor.Actor{}, "announcement.hold", "announcement", m.ID,
		map[string]any{"expiresAt": m.ExpiresAt}, map[string]any{"expiresAt": now})
}
