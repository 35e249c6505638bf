package identity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/token"
)

// refreshGrace is how long an exchanged refresh token may be used again, by a phone that
// missed the response, without being treated as stolen.
const refreshGrace = 10 * time.Second

// way is how someone signed in.
type way string

const (
	byCode     way = "otp"
	byPIN      way = "pin"
	byPassword way = "password"
	bySwitch   way = "switch"
	byReset    way = "reset"   // a link sets a password; it opens no session
	byRefresh  way = "refresh" // continues a session
)

// lastUsed orders a person's accounts.
func (a account) lastUsed() time.Time {
	if a.LastSeenAt != nil {
		return *a.LastSeenAt
	}
	return time.Time{}
}

// proof is what a session was opened with.
type proof struct {
	phone string    // the one that the code was sent to; "" = no code
	at    time.Time // when the code or password was typed in; zero after a PIN
	ends  time.Time // maximum age of the session that it opened; zero if it has not yet opened one
}

// fresh reports whether the proof is recent enough for sensitive changes.
func (p proof) fresh(now time.Time) bool { return !p.at.IsZero() && now.Sub(p.at) <= freshFor }

const freshFor = 10 * time.Minute

// start opens a session of the attempt's account. It locks the account's row first: a
// concurrent change either commits before, and start refuses with no, or ends the
// session after. tx is over all schools.
func (s *Service) start(ctx context.Context, tx *db.Tx, a *attempt, p proof, no error) (out signedIn, refused, err error) {
	if a.at.SchoolStatus != string(school.Active) {
		return out, errSuspended, nil
	}
	now, session := s.Now(), s.NewID()
	out = signedIn{User: a.at.shown()}
	own := tx.School(a.at.SchoolID)
	out.SecondFactor, err = s.secondStep(ctx, own, a, p)
	if err != nil || out.SecondFactor != nil {
		return signedIn{SecondFactor: out.SecondFactor}, nil, err
	}
	if out.tokens, err = s.sign(a.at, session); err != nil {
		return out, nil, err
	}
	switch same, err := claim(ctx, own, a.at, a.way, now); {
	case err != nil:
		return signedIn{}, nil, fmt.Errorf("claim account: %w", err)
	case !same:
		return signedIn{}, no, nil
	}
	ends := now.Add(s.SessionLife)
	if !p.ends.IsZero() {
		ends = earlier(ends, p.ends) // switching prolongs no sign-in
	}
	err = putSession(ctx, own, newSession{ID: session, UserID: a.at.ID, RefreshHash: token.Digest(out.RefreshToken),
		Device: a.from.Device, IP: a.who.IP, OpenedBy: a.way, Phone: opt.Ptr(p.phone), ProvenAt: optionalTime(p.at),
		Now: now, ExpiresAt: earlier(now.Add(token.RefreshLife), ends), EndsAt: ends})
	if err != nil {
		return signedIn{}, nil, fmt.Errorf("begin session: %w", err)
	}
	if byEmail(a.at.Role) {
		by := actor.Actor{User: a.at.ID, School: a.at.SchoolID, Role: a.at.Role, RequestID: a.who.RequestID, IP: a.who.IP}
		err := s.Audit.Record(ctx, own, by, "session.start", "session", session, nil, map[string]any{"by": a.way, "device": a.from.Device})
		if err != nil {
			return signedIn{}, nil, err
		}
	}
	a.issued = true
	return out, nil, s.alertNewPlace(ctx, tx, *a)
}

// alertNewPlace notifies the owner of a sign-in from an unknown network and device, and
// remembers them.
func (s *Service) alertNewPlace(ctx context.Context, tx *db.Tx, a attempt) error {
	if !a.known && a.at.LastSeenAt != nil {
		if err := s.alert(ctx, tx, a.at, a.way, newPlace, "ip", a.who.IP, "device", cmp.Or(a.from.Device, "–")); err != nil {
			return err
		}
	}
	return s.remember(ctx, tx, a)
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func optionalTime(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func (s *Service) sign(a account, session id.ID) (t tokens, err error) {
	t.AccessToken, err = s.tokens.SignAccess(token.Access{User: a.ID, School: a.SchoolID, Session: session, Role: a.Role})
	if err == nil {
		t.RefreshToken, err = s.tokens.SignRefresh(token.Refresh{User: a.ID, Session: session})
	}
	return t, err
}

// refresh exchanges a refresh token for a new pair.
func (s *Service) refresh(ctx context.Context, who actor.Actor, in refreshIn) (out tokens, err error) {
	t, err := s.tokens.VerifyRefresh(in.RefreshToken)
	switch {
	case errors.Is(err, token.ErrExpired):
		return out, errStale.Because(err)
	case err != nil:
		return out, errRefresh.Because(err)
	}
	at, err := getSchoolOfSession(ctx, s.across(), t.Session, t.User)
	if err != nil {
		return out, db.Found("find session", err, errRefresh)
	}
	var refused error
	err = s.DB.InSchool(ctx, at, func(ctx context.Context, tx *db.Tx) error {
		out, refused, err = s.exchange(ctx, tx, who, t, in)
		return err
	})
	if err == nil {
		err = refused
	}
	if err != nil {
		return tokens{}, err
	}
	return out, nil
}

func (s *Service) exchange(ctx context.Context, tx *db.Tx, who actor.Actor, t token.Refresh,
	in refreshIn) (out tokens, refused, err error) {
	now := s.Now()
	a, err := s.holder(ctx, tx, t)
	if err != nil {
		return out, nil, err
	}
	if out, err = s.sign(a, t.Session); err == nil && in.key != "" {
		out.RefreshToken, err = s.tokens.SignSuccessor(in.RefreshToken, in.key, t, now)
	}
	if err != nil {
		return out, nil, err
	}
	same, err := claim(ctx, tx, a, byRefresh, now)
	switch {
	case err != nil:
		return out, nil, fmt.Errorf("claim account: %w", err)
	case !same:
		return tokens{}, errRefresh, nil
	}
	won, err := rotate(ctx, tx, t.Session, token.Digest(in.RefreshToken), token.Digest(out.RefreshToken), now, now.Add(token.RefreshLife))
	switch {
	case err != nil:
		return out, nil, fmt.Errorf("exchange refresh token: %w", err)
	case !won:
		out.RefreshToken, refused, err = s.reused(ctx, tx, who, t, in)
		return out, refused, err
	}
	return out, nil, nil
}

// holder returns the account of the session, if it is still active.
func (s *Service) holder(ctx context.Context, tx *db.Tx, t token.Refresh) (account, error) {
	st, err := getStanding(ctx, tx, t.User, t.Session, s.Now())
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

// own reads the account of a signed-in user.
func own(ctx context.Context, q db.Q, user id.ID) (account, error) {
	a, err := getAccount(ctx, q, user)
	return a, db.Found("read account", err, errToken) // disabled a moment ago
}

// reused answers a refresh token that was exchanged before. The last one exchanged is given
// its successor again if the call is repeated with its key: the answer got lost. Within
// refreshGrace it is refused. Otherwise the session ends, because somebody has stolen it.
func (s *Service) reused(ctx context.Context, tx *db.Tx, who actor.Actor, t token.Refresh,
	in refreshIn) (again string, refused, err error) {
	last, err := getRotated(ctx, tx, t.Session)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return "", errRefresh, nil // ended already
	case err != nil:
		return "", nil, fmt.Errorf("read session: %w", err)
	}
	if last.PreviousHash == token.Digest(in.RefreshToken) {
		if in.key != "" {
			again, err = s.tokens.FindSuccessor(last.RefreshHash, in.RefreshToken, in.key, t, last.LastUsedAt)
		}
		switch {
		case err != nil || again != "":
			return again, nil, err
		case s.Now().Sub(last.LastUsedAt) <= refreshGrace:
			return "", errRaced, nil
		}
	}
	// The thief is unknown: the log has the session's owner and the client's IP.
	by := actor.Actor{RequestID: who.RequestID, IP: who.IP}
	if err := s.Audit.Record(ctx, tx, by, "session.theft", "session", t.Session, nil, map[string]any{"userId": t.User}); err != nil {
		return "", nil, err
	}
	return "", errRefresh, s.end(ctx, tx, t.User, t.Session)
}

// claimUnchanged locks the caller's account for a change; false if the account or the
// session has changed since the request began.
func (s *Service) claimUnchanged(ctx context.Context, tx *db.Tx, a account, by way, session id.ID) (bool, error) {
	same, err := claim(ctx, tx, a, by, s.Now())
	if err != nil || !same {
		return false, err
	}
	return lives(ctx, tx, session)
}
