package identity

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"homeroom/internal/feature/access"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/token"
)

// Topic announces changes of accounts and sessions in their transaction: "user:" and
// the id.
const Topic = "identity"

const ofUser = "user:"

// principal is the holder of a session: an Actor, or why it was refused and its school.
type principal struct {
	actor   actor.Actor
	refused error
}

// Authenticate returns the holder of an access token. Its errors are faults, in
// the order token, user, school. It reads the database only for a session that
// this node has not seen since it last changed.
func (s *Service) Authenticate(ctx context.Context, raw string) (actor.Actor, error) {
	t, err := s.tokens.VerifyAccess(raw)
	if err != nil {
		return actor.Actor{}, err
	}
	who, err := s.Holder(ctx, t.School, t.User, t.Session)
	if err == nil && who.Role != t.Role { // a refreshed token has the new role
		return actor.Actor{}, errToken
	}
	return who, err
}

// Holder returns the holder of a session, as Authenticate does. Without a session it is
// the owner of the account, signed in or not.
func (s *Service) Holder(ctx context.Context, school, user, session id.ID) (actor.Actor, error) {
	k := key{string(user), string(session), string(school)}
	p, ok := s.principals.get(k)
	if !ok {
		var err error
		p, err = s.principals.fetch(ctx, k, func(ctx context.Context) (principal, error) {
			return s.load(ctx, token.Access{School: school, User: user, Session: session})
		})
		if err != nil {
			return actor.Actor{}, fmt.Errorf("read session: %w", err)
		}
	}
	if p.refused != nil {
		return actor.Actor{}, p.refused
	}
	return p.actor, nil
}

// standing is a session with its user and school, as read from the database.
type standing struct {
	SchoolStatus string
	Zone         string
	Evaluation   bool
	Language     string
	Locale       string // the school's
	UserStatus   *Status
	Role         *actor.Role
	RoleID       *id.ID
	Live         bool // there is such a session, and it is not revoked
}

func (s *Service) load(ctx context.Context, t token.Access) (principal, error) {
	nobody := actor.Actor{School: t.School}
	st, err := getStanding(ctx, s.DB.School(t.School), t.User, t.Session, s.Now())
	switch {
	case errors.Is(err, db.ErrNotFound):
		return principal{nobody, errNoSchool}, nil
	case err != nil:
		return principal{}, err
	}
	st.Live = st.Live || t.Session == ""
	if err := st.refusal(); err != nil {
		return principal{nobody, err}, nil
	}
	grants, err := s.grantsOf(ctx, t.School, *st.RoleID)
	if err != nil {
		return principal{}, err
	}
	return principal{actor: actor.Actor{
		User: t.User, School: t.School, Session: t.Session, Role: *st.Role, RoleID: *st.RoleID,
		Grants: grants, Evaluation: st.Evaluation, Zone: st.Zone, Language: st.Language, Locale: st.Locale,
	}}, nil
}

// refusal returns why the session may not be used, or nil.
func (st standing) refusal() error {
	switch {
	case !st.Live, st.UserStatus == nil, *st.UserStatus != Active:
		return errToken
	case st.SchoolStatus != "ACTIVE":
		return errSuspended
	}
	return nil
}

func (s *Service) grantsOf(ctx context.Context, school, role id.ID) (actor.Grants, error) {
	k := key{group: string(school), member: string(role)}
	if g, ok := s.grants.get(k); ok {
		return g, nil
	}
	return s.grants.fetch(ctx, k, func(ctx context.Context) (actor.Grants, error) {
		return access.Grants(ctx, s.DB.School(school), role)
	})
}

// onAccess handles changed roles and schools. It drops grants first: a principal read
// in between then gets the new ones.
func (s *Service) onAccess(sig db.Signal) {
	school, one := access.Concerns(sig)
	if !one {
		s.forgetAll()
		return
	}
	s.grants.drop(string(school))
	s.principals.dropIf(func(p principal) bool { return p.actor.School == school })
}

// onUser handles changed accounts and ended sessions.
func (s *Service) onUser(sig db.Signal) {
	user, ok := strings.CutPrefix(sig.Payload, ofUser)
	if sig.Lost || !ok {
		s.forgetAll()
		return
	}
	s.principals.drop(user)
}

func (s *Service) forgetAll() {
	s.grants.dropAll()
	s.principals.dropAll()
}

// announce invalidates the user's cache entries on every node after tx commits, on this
// node before the response.
func announce(ctx context.Context, tx *db.Tx, user id.ID) error {
	return tx.Notify(ctx, Topic, ofUser+string(user))
}
