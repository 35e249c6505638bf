package identity

import (
	"context"
	"errors"
	"fmt"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/token"
)

// refreshGrace is how long a refresh token that was just exchanged may come
// again, from a phone that did not get the answer, without being taken for stolen.
const refreshGrace = 10 * time.Second

// way is how someone signed in.
type way string

const (
	byCode     way = "otp"
	byPIN      way = "pin"
	byPassword way = "password"
	bySwitch   way = "switch"
)

// lastUsed orders a person's accounts.
func (a account) lastUsed() time.Time {
	if a.LastSeenAt != nil {
		return *a.LastSeenAt
	}
	return time.Time{}
}

// start begins a session of the account. who tells where the call came from.
func (s *Service) start(ctx context.Context, who actor.Actor, a account, device string, how way) (out signedIn, err error) {
	now, session := s.Now(), s.NewID()
	out = signedIn{User: a.shown()}
	if out.tokens, err = s.sign(a, session); err != nil {
		return out, err
	}
	err = s.DB.InSchool(ctx, a.SchoolID, func(ctx context.Context, tx *db.Tx) error {
		if err := putSeen(ctx, tx, a.ID, now, how == byCode || how == bySwitch); err != nil {
			return fmt.Errorf("note sign-in: %w", err)
		}
		err := putSession(ctx, tx, newSession{ID: session, UserID: a.ID, RefreshHash: token.Digest(out.RefreshToken),
			Device: device, IP: who.IP, Now: now, ExpiresAt: now.Add(token.RefreshLife)})
		if err != nil {
			return fmt.Errorf("begin session: %w", err)
		}
		if !byEmail(a.Role) {
			return nil
		}
		by := actor.Actor{User: a.ID, School: a.SchoolID, Role: a.Role, RequestID: who.RequestID, IP: who.IP}
		return s.Audit.Record(ctx, tx, by, "session.start", "session", session, nil, map[string]any{"by": how, "device": device})
	})
	return out, err
}

func (s *Service) sign(a account, session id.ID) (t tokens, err error) {
	t.AccessToken, err = s.tokens.SignAccess(token.Access{User: a.ID, School: a.SchoolID, Session: session, Role: a.Role})
	if err == nil {
		t.RefreshToken, err = s.tokens.SignRefresh(token.Refresh{User: a.ID, Session: session})
	}
	return t, err
}

// refresh exchanges a refresh token for a new pair.
func (s *Service) refresh(ctx context.Context, who actor.Actor, raw string) (out tokens, err error) {
	t, err := s.tokens.VerifyRefresh(raw)
	switch {
	case errors.Is(err, token.ErrExpired):
		return out, errStale.Because(err)
	case err != nil:
		return out, errRefresh.Because(err)
	}
	at, err := getSchoolOfSession(ctx, s.across(), t.Session, t.User)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return out, errRefresh
	case err != nil:
		return out, fmt.Errorf("find session: %w", err)
	}
	var refused error
	err = s.DB.InSchool(ctx, at, func(ctx context.Context, tx *db.Tx) error {
		out, refused, err = s.exchange(ctx, tx, who, t, raw)
		return err
	})
	if err == nil {
		err = refused
	}
	return out, err
}

func (s *Service) exchange(ctx context.Context, tx *db.Tx, who actor.Actor, t token.Refresh, raw string) (out tokens, refused, err error) {
	now := s.Now()
	a, err := s.holder(ctx, tx, t)
	if err != nil {
		return out, nil, err
	}
	if out, err = s.sign(a, t.Session); err != nil {
		return out, nil, err
	}
	won, err := rotate(ctx, tx, t.Session, token.Digest(raw), token.Digest(out.RefreshToken), now, now.Add(token.RefreshLife))
	switch {
	case err != nil:
		return out, nil, fmt.Errorf("exchange refresh token: %w", err)
	case !won:
		return tokens{}, errRefresh, s.suspect(ctx, tx, who, t, raw)
	}
	return out, nil, putSeen(ctx, tx, a.ID, now, false)
}

// holder is whom the session belongs to, if that user may still act.
func (s *Service) holder(ctx context.Context, tx *db.Tx, t token.Refresh) (account, error) {
	st, err := getStanding(ctx, tx, t.User, t.Session)
	if err != nil {
		return account{}, fmt.Errorf("read session: %w", err)
	}
	switch refused := st.refusal(); {
	case errors.Is(refused, errToken):
		return account{}, errRefresh
	case refused != nil:
		return account{}, refused
	}
	return own(ctx, tx, t.User)
}

// own is the account of someone who is signed in.
func own(ctx context.Context, q db.Q, user id.ID) (account, error) {
	a, err := getAccount(ctx, q, user)
	switch {
	case errors.Is(err, db.ErrNotFound): // disabled a moment ago
		return a, errToken
	case err != nil:
		return a, fmt.Errorf("read account: %w", err)
	}
	return a, nil
}

// suspect ends a session whose dead refresh token is used again, unless it is
// the last one that was exchanged and that was a moment ago.
func (s *Service) suspect(ctx context.Context, tx *db.Tx, who actor.Actor, t token.Refresh, raw string) error {
	last, err := getRotated(ctx, tx, t.Session)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return nil // ended already
	case err != nil:
		return fmt.Errorf("read session: %w", err)
	case last.PreviousHash == token.Digest(raw) && s.Now().Sub(last.LastUsedAt) <= refreshGrace:
		return nil
	}
	// Who did it is not known, only whose session it was and where the call came from.
	by := actor.Actor{RequestID: who.RequestID, IP: who.IP}
	if err := s.Audit.Record(ctx, tx, by, "session.theft", "session", t.Session, nil, map[string]any{"userId": t.User}); err != nil {
		return err
	}
	return s.end(ctx, tx, t.User, t.Session)
}

// end revokes a session, if it lives.
func (s *Service) end(ctx context.Context, tx *db.Tx, user, session id.ID) error {
	if _, err := revoke(ctx, tx, user, session, s.Now()); err != nil {
		return fmt.Errorf("end session: %w", err)
	}
	return announce(ctx, tx, user)
}

// logout ends the caller's session and that of the refresh token. There is
// nothing to end for whoever has neither, and no reason to complain.
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

// Session is one sign-in, as its user sees it.
type Session struct {
	ID         id.ID     `json:"id"`
	Device     string    `json:"device" doc:"As the client named itself when it signed in."`
	IP         string    `json:"ip"`
	Current    bool      `json:"current" doc:"The one that asks."`
	CreatedAt  time.Time `json:"createdAt"`
	LastUsedAt time.Time `json:"lastUsedAt" doc:"When it was begun or last refreshed."`
	ExpiresAt  time.Time `json:"expiresAt"`
}

func (s *Service) sessions(ctx context.Context, who actor.Actor, in page.Ask[struct{}]) (page.Of[Session], error) {
	list, err := db.Page[Session](ctx, s.DB.School(who.School), db.List{
		Columns: `id, device, ip, created_at, last_used_at, expires_at`,
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

// switchTo signs the caller in to another account of the phone that is proven
// to be the caller's.
func (s *Service) switchTo(ctx context.Context, who actor.Actor, in switchIn) (signedIn, error) {
	mine, err := own(ctx, s.DB.School(who.School), who.User)
	switch {
	case err != nil:
		return signedIn{}, err
	case mine.Phone == nil || !mine.PhoneProven:
		return signedIn{}, errUnproven
	}
	accounts, err := listByPhone(ctx, s.across(), *mine.Phone)
	if err != nil {
		return signedIn{}, fmt.Errorf("read accounts: %w", err)
	}
	accounts = fitting(accounts, "")
	for _, a := range accounts {
		if a.ID == in.AccountID {
			out, err := s.start(ctx, who, a, in.Device, bySwitch)
			out.Accounts = others(accounts, a)
			return out, err
		}
	}
	return signedIn{}, errNoAccount
}
