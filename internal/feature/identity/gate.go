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

// Topic is where changes of accounts and sessions are announced, in the
// transaction that makes them: "user:" and the id.
const Topic = "identity"

const ofUser = "user:"

// principal is who holds a session: an Actor, or the reason why it is nobody and
// no more than its school.
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
	if err == nil && who.Role != t.Role { // refreshing gives a token with the new one
		return actor.Actor{}, errToken
	}
	return who, err
}

// Holder returns whoever holds a session, as Authenticate does. Without a session
// it is the holder of the account, signed in or not.
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

// standing is what the database says about a session, its user and its school.
type standing struct {
	SchoolStatus string
	Zone         string
	Evaluation   bool
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
		Grants: grants, Evaluation: st.Evaluation, Zone: st.Zone,
	}}, nil
}

// refusal is why nobody may act with this session, if that is so.
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

// onAccess hears of changed roles and schools. Grants go first: a principal that
// is read in between then finds the new ones.
func (s *Service) onAccess(sig db.Signal) {
	school, one := access.Concerns(sig)
	if !one {
		s.forgetAll()
		return
	}
	s.grants.drop(string(school))
	s.principals.dropIf(func(p principal) bool { return p.actor.School == school })
}

// onUser hears of changed accounts and ended sessions.
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

// announce makes every node forget what it knows of the user once tx commits,
// and this one before the caller gets its answer.
func announce(ctx context.Context, tx *db.Tx, user id.ID) error {
	return tx.Notify(ctx, Topic, ofUser+string(user))
}
