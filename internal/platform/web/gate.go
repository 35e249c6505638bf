package web

import (
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

// Gate knows who a token belongs to. Its errors are faults: 401 for a token or
// user that is not good, SCHOOL_NOT_FOUND, a suspended school.
type Gate interface {
	Authenticate(ctx context.Context, token string) (actor.Actor, error)
}

var (
	errNoToken    = fault.New(fault.Unauthenticated, "", "Sign in first: this call needs a valid access token.")
	errRole       = fault.Denied("Your role may not use this part of the service.")
	errNoGrant    = fault.Denied("Your role does not have this permission. Ask your school's administrator.")
	errEvaluation = fault.New(fault.Forbidden, fault.EvaluationModeReadonly,
		"The school is in evaluation mode: teachers can't change this now.")
)

// admit runs every check that stands before the body, in the order that
// decisions.md fixes: limit by IP, token, user, school, role, limit by user,
// evaluation mode, permission.
func (s *Server) admit(w http.ResponseWriter, r *http.Request, rt *Route) (actor.Actor, error) {
	ip := s.clientIP(r)
	if rt.Class == ClassAuth {
		if err := spend(r.Context(), w, s.AuthLimiter, "ip:"+limitKey(ip), s.Rates.Auth); err != nil {
			return actor.Actor{}, err
		}
	}
	if rt.signed != nil {
		if says, err := rt.signed(r.URL); says {
			return s.admitSigned(w, r, rt, ip, err)
		}
	}
	who, err := s.who(r, rt)
	if err != nil {
		return who, err
	}
	who.RequestID, who.IP = RequestID(r.Context()), ip.String()
	note(r.Context(), who)
	if rt.Public != "" {
		return who, s.spendPublic(r, w, rt, ip)
	}
	if !slices.Contains(rt.Roles, who.Role) {
		return who, errRole
	}
	if rt.Class != ClassAuth {
		if err := spend(r.Context(), w, s.Limiter, string(rt.Class)+":"+string(who.User), s.Rates.of(rt.Class)); err != nil {
			return who, err
		}
	}
	return who, rt.permits(who)
}

// admitSigned lets in whoever has an address that is signed. Who tries others is
// counted.
func (s *Server) admitSigned(w http.ResponseWriter, r *http.Request, rt *Route, ip netip.Addr, wrong error) (actor.Actor, error) {
	if wrong == nil {
		return actor.Actor{RequestID: RequestID(r.Context()), IP: ip.String()}, nil
	}
	if err := s.spendPublic(r, w, rt, ip); err != nil {
		return actor.Actor{}, err
	}
	return actor.Actor{}, wrong
}

// spendPublic counts a call of a route that knows no user by where it comes from.
func (s *Server) spendPublic(r *http.Request, w http.ResponseWriter, rt *Route, ip netip.Addr) error {
	if rt.Class == ClassAuth { // was counted before anything else
		return nil
	}
	return spend(r.Context(), w, s.Limiter, string(rt.Class)+":ip:"+limitKey(ip), s.Rates.of(rt.Class))
}

// who reads the caller from the token; a public route takes nobody as well.
func (s *Server) who(r *http.Request, rt *Route) (actor.Actor, error) {
	token, ok := bearer(r)
	switch {
	case !ok && rt.Public != "":
		return actor.Actor{}, nil
	case !ok:
		return actor.Actor{}, errNoToken
	}
	who, err := s.Gate.Authenticate(r.Context(), token)
	if err != nil && rt.Public != "" && !errors.Is(err, db.ErrUnavailable) {
		return actor.Actor{}, nil
	}
	return who, err
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
	if r.Module != "" && !who.Can(r.Module, r.Verb) {
		return errNoGrant
	}
	return nil
}

// ReadOnlyInEvaluation holds for a teacher's writes, whatever permission they need,
// but for signing in and what InEvaluation keeps open.
func (r *Route) ReadOnlyInEvaluation() bool {
	return slices.Contains(r.Roles, actor.Teacher) && r.Public == "" && !r.SignIn && r.changes() && !r.exempt
}
