package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

// end revokes a session if it is active.
func (s *Service) end(ctx context.Context, tx *db.Tx, user, session id.ID) error {
	if _, err := revoke(ctx, tx, user, session, s.Now()); err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	return announce(ctx, tx, user)
}

// logout ends the caller's session and that of the refresh token. Without either it
// does nothing.
func (s *Service) logout(ctx context.Context, who actor.Actor, raw string) error {
	if who.Session != "" {
		err := s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
			return s.end(ctx, tx, who.User, who.Session)
		})
		if err != nil {
			return err
		}
	}
	t, err := s.tokens.VerifyRefresh(raw)
	if err != nil {
		return nil
	}
	at, err := getSchoolOfSession(ctx, s.across(), t.Session, t.User)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return nil
	case err != nil:
		return fmt.Errorf("find session: %w", err)
	}
	return s.DB.InSchool(ctx, at, func(ctx context.Context, tx *db.Tx) error { return s.end(ctx, tx, t.User, t.Session) })
}

// Session is a session as its user sees it.
type Session struct {
	ID         id.ID     `json:"id"`
	Device     opt.Text  `json:"device" doc:"The name the client sent when it signed in."`
	IP         opt.Text  `json:"ip"`
	Current    bool      `json:"current" doc:"Whether it is the session of this request."`
	OpenedBy   way       `json:"openedBy" enum:"otp,pin,password,switch"`
	CreatedAt  time.Time `json:"createdAt"`
	LastUsedAt time.Time `json:"lastUsedAt" doc:"When it was opened or last refreshed."`
	ExpiresAt  time.Time `json:"expiresAt" doc:"When it ends unless refreshed before."`
	EndsAt     time.Time `json:"endsAt" doc:"When it ends even if refreshed."`
}

func (s *Service) sessions(ctx context.Context, who actor.Actor, in page.Ask[struct{}]) (page.Of[Session], error) {
	list, err := db.Page[Session](ctx, s.DB.School(who.School), db.List{
		Columns: `id, device, ip, opened_by, created_at, last_used_at, expires_at, ends_at`,
		From:    `sessions WHERE school_id = :school AND user_id = :user AND revoked_at IS NULL AND expires_at > :now`,
		Sorts:   map[string]string{"lastUsedAt": "last_used_at", "createdAt": "created_at"},
		Default: "-lastUsedAt",
	}, in.Request, db.Args{"user": who.User, "now": s.Now()})
	for i := range list.Items {
		list.Items[i].Current = list.Items[i].ID == who.Session
	}
	return list, err
}

func (s *Service) endSession(ctx context.Context, who actor.Actor, session id.ID) error {
	return s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		ended, err := revoke(ctx, tx, who.User, session, s.Now())
		switch {
		case err != nil:
			return fmt.Errorf("end session: %w", err)
		case !ended:
			return errNoSession
		}
		return announce(ctx, tx, who.User)
	})
}

// endOthers ends the caller's other sessions and removes the PIN.
func (s *Service) endOthers(ctx context.Context, who actor.Actor) error {
	return s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		return s.endAll(ctx, tx, who.User, who.Session)
	})
}

// endAll ends the user's sessions, except one if given, and removes the PIN. It locks
// the user's row first, so that a concurrent sign-in is ended too or starts after.
func (s *Service) endAll(ctx context.Context, tx *db.Tx, user, but id.ID) error {
	if err := putPIN(ctx, tx, user, ""); err != nil {
		return fmt.Errorf("remove PIN: %w", err)
	}
	if err := revokeAll(ctx, tx, user, but, s.Now()); err != nil {
		return fmt.Errorf("end sessions: %w", err)
	}
	return announce(ctx, tx, user)
}

// endOf ends all sessions of a user of the caller's school and removes the PIN. For an
// administrator the caller needs every permission of that role.
func (s *Service) endOf(ctx context.Context, who actor.Actor, in adminIn) (web.None, error) {
	return web.None{}, s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		u, err := s.Get(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := s.MayAppoint(ctx, tx, who, adminRoles(u)...); err != nil {
			return err
		}
		if err := s.endAll(ctx, tx, u.ID, ""); err != nil {
			return err
		}
		return s.Audit.Record(ctx, tx, who, "user.sign-out", "user", u.ID, nil, nil)
	})
}
