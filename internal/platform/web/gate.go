package web

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strings"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
)

// Gate authenticates access tokens. Its errors are faults: 401 for an invalid token
// or user, SCHOOL_NOT_FOUND, a suspended school.
type Gate interface {
	Authenticate(ctx context.Context, token string) (actor.Actor, error)
}

var (
	errNoToken    = fault.New(fault.Unauthenticated, "", "Sign in first: this call needs a valid access token.")
	errRole       = fault.Denied("Your role can't use this part of the service.")
	errNoGrant    = fault.Denied("Your role does not have this permission. Ask your school's administrator.")
	errEvaluation = fault.New(fault.Forbidden, fault.EvaluationModeReadonly,
		"The school is in evaluation mode: teachers can't change this now.")
)

// admit runs the checks that need no body, in this order: rate limit by IP, token,
// user, school, role, rate limit by user, evaluation mode, permission.
func (s *Server) admit(w http.ResponseWriter, r *http.Request, rt *Route) (actor.Actor, error) {
	ip := s.clientIP(r)
	if rt.Class == ClassAuth && rt.counts == nil {
		if err := checkLimit(r.Context(), w, s.AuthLimiter, "ip:"+limitKey(ip), s.Rates.Auth); err != nil {
			return actor.Actor{}, err
		}
	}
	if rt.signed != nil {
		if signed, err := rt.signed(r.URL); signed {
			return s.admitSigned(w, r, rt, ip, err)
		}
	}
	who, err := s.who(r, rt)
	if err != nil {
		return who, err
	}
	who.RequestID, who.IP = RequestID(r.Context()), ip.String()
	setActor(r.Context(), who)
	if rt.Public != "" {
		return who, s.limitPublic(r, w, rt, ip)
	}
	if !slices.Contains(rt.Roles, who.Role) {
		return who, errRole
	}
	if rt.Class != ClassAuth {
		if err := checkLimit(r.Context(), w, s.Limiter, string(rt.Class)+":"+string(who.User), s.Rates.of(rt.Class)); err != nil {
			return who, err
		}
	}
	return who, rt.permits(who)
}

// admitSigned admits a request with a valid signed URL. Invalid ones count against
// the rate limit.
func (s *Server) admitSigned(w http.ResponseWriter, r *http.Request, rt *Route, ip netip.Addr, wrong error) (actor.Actor, error) {
	if wrong == nil {
		return actor.Actor{RequestID: RequestID(r.Context()), IP: ip.String()}, nil
	}
	if err := s.limitPublic(r, w, rt, ip); err != nil {
		return actor.Actor{}, err
	}
	return actor.Actor{}, wrong
}

// limitPublic applies the rate limit by IP to a call without a user.
func (s *Server) limitPublic(r *http.Request, w http.ResponseWriter, rt *Route, ip netip.Addr) error {
	if rt.Class == ClassAuth { // already counted in admit
		return nil
	}
	return checkLimit(r.Context(), w, s.Limiter, string(rt.Class)+":ip:"+limitKey(ip), s.Rates.of(rt.Class))
}

// CountsBy counts a sign-in route's calls by what key returns, such as a session, and by
// IP address if that is "". A whole school may share one address.
func CountsBy[In any](key func(*In) string) Option {
	return func(r *Route) {
		mustBe[In](r, r.In, "CountsBy")
		r.counts = func(in any) string { return key(in.(*In)) }
	}
}

// count applies the rate limit of a route with CountsBy. Calls with bad input count by IP.
func (k *work) count(ctx context.Context, in any, bad error) error {
	if k.rt.counts == nil {
		return nil
	}
	key := "ip:" + limitKey(k.s.clientIP(k.src.req))
	if bad == nil {
		key = cmp.Or(k.rt.counts(in), key)
	}
	return checkLimit(ctx, k.w, k.s.AuthLimiter, key, k.s.Rates.Auth)
}

// who authenticates the caller. On a public route the token is optional.
func (s *Server) who(r *http.Request, rt *Route) (actor.Actor, error) {
	token, ok := bearer(r)
	switch {
	case rt.authorization != nil: // the handler checks it
		return actor.Actor{}, nil
	case !ok && rt.Public != "":
		return actor.Actor{}, nil
	case !ok:
		return actor.Actor{}, errNoToken
	}
	who, err := s.Gate.Authenticate(r.Context(), token)
	switch {
	case err == nil:
		return who, nil
	case rt.Public != "" && !errors.Is(err, db.ErrUnavailable):
		return actor.Actor{}, nil
	}
	return who, refusedToken{err}
}

// refusedToken is why the gate refused the token that was sent.
type refusedToken struct{ error }

func (e refusedToken) Unwrap() error { return e.error }

// challenge returns the WWW-Authenticate of a 401. It tells clients to get a new token only if the
// token was refused, and not, for example, the password sent with it.
func challenge(err error) string {
	if _, refused := errors.AsType[refusedToken](err); refused {
		return `Bearer error="invalid_token"`
	}
	return "Bearer"
}

func bearer(r *http.Request) (string, bool) {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	return token, ok && strings.EqualFold(scheme, "Bearer") && token != ""
}

// permits checks evaluation mode and the module's permission.
func (r *Route) permits(who actor.Actor) error {
	if r.ReadOnlyInEvaluation() && who.Evaluation && who.Role == actor.Teacher {
		return errEvaluation
	}
	if r.Module != "" && !who.Can(r.Module, r.Verb) &&
		!slices.ContainsFunc(r.Or, func(module string) bool { return who.Can(module, r.Verb) }) {
		return errNoGrant
	}
	return nil
}

// ReadOnlyInEvaluation reports whether teachers can't call the route in evaluation
// mode: all writes, except sign-in and routes with InEvaluation.
func (r *Route) ReadOnlyInEvaluation() bool {
	return slices.Contains(r.Roles, actor.Teacher) && r.Public == "" && !r.SignIn && r.changes() && !r.exempt
}
