// Package live keeps the sockets that apps hold open: who is behind each, which
// rooms it may be in, and what is sent to a user's devices.
//
// A socket signs in with an access token (Authenticate) and joins a room of its
// account for each module that it may read (room.go). The right to be in a room is
// checked again on every signal that it could have ended, and those who lost it
// leave (right.go). Other features open rooms of their own and check the rights to
// them with a Guard.
package live

import (
	"context"
	"log/slog"
	"time"

	"homeroom/internal/feature/access"
	"homeroom/internal/feature/identity"
	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/socketio"
)

// Gate knows who a token belongs to, and until when.
type Gate interface {
	Authenticate(ctx context.Context, token string) (actor.Actor, error)
}

// Options are what a Service stands on.
type Options struct {
	DB     *db.DB
	Gate   Gate
	Expiry func(token string) (time.Time, error) // of an access token
	Now    clock.Now
	Log    *slog.Logger
}

// Service keeps the sockets. Make it with New, give it its sockets with Serve, and
// have Run going.
type Service struct {
	Options
	sockets *socketio.Server // nil: nobody listens
	guards  []Guard
	doubts  doubts
}

// New makes a service without sockets.
func New(o Options) *Service {
	return &Service{Options: o, doubts: doubts{wake: make(chan struct{}, 1)}}
}

// Serve gives the service its sockets. Call it before they are used.
func (s *Service) Serve(sockets *socketio.Server) {
	s.sockets = sockets
	sockets.OnConnect(s.checkOne) // and so joins its own rooms
	sockets.OnRenew(s.checkOne)
	s.DB.Listen(identity.Topic, s.onUser)
	s.DB.Listen(access.Topic, s.onAccess)
	s.DB.Listen(people.ReachTopic, s.onReach)
}

// Authenticate is the Config.Authenticate of the sockets. The token stays with the
// socket: every event asks again whether it is good.
func (s *Service) Authenticate(ctx context.Context, h socketio.Handshake) (socketio.Identity, error) {
	who, err := s.Gate.Authenticate(ctx, h.Token)
	if err != nil {
		return socketio.Identity{}, err
	}
	expires, err := s.Expiry(h.Token)
	if err != nil {
		return socketio.Identity{}, err
	}
	return socketio.Identity{User: string(who.User), Expires: expires, Principal: pass{h.Token, who.School}}, nil
}

// pass is what a socket is known by.
type pass struct {
	token  string
	school id.ID
}

func passOf(so *socketio.Socket) pass {
	p, _ := so.Principal().(pass)
	return p
}

// Who is whose socket it is, as of now.
func (s *Service) Who(ctx context.Context, so *socketio.Socket) (actor.Actor, error) {
	who, err := s.Gate.Authenticate(ctx, passOf(so).token)
	who.IP = so.IP()
	return who, err
}

// Run keeps rooms to those who may be there, until ctx ends.
func (s *Service) Run(ctx context.Context) error {
	if s.sockets != nil {
		s.keepRights(ctx)
	}
	return nil
}
