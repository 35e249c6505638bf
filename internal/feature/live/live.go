// Package live manages the Socket.IO connections of the apps: their accounts, the
// rooms that they may be in, and events to a user's devices.
//
// A socket authenticates with an access token (Authenticate) and joins a room of its
// account for each module that it may read (room.go). The right to be in a room is
// checked again on every signal that may have ended it (right.go). Other features
// have rooms of their own and check rights to them with a Guard.
package live

import (
	"context"
	"errors"
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

// Gate verifies access tokens.
type Gate interface {
	Authenticate(ctx context.Context, token string) (actor.Actor, error)
}

// Options are the dependencies of a Service.
type Options struct {
	DB     *db.DB
	Gate   Gate
	Expiry func(token string) (time.Time, error) // of an access token
	Now    clock.Now
	Log    *slog.Logger
}

// Service manages the sockets. Create it with New, call Serve to attach the sockets,
// and keep Run running.
type Service struct {
	Options
	sockets *socketio.Server // nil before Serve
	guards  []Guard
	returns []func(context.Context, Present) error
	queue   checkQueue
}

// New returns a service without sockets.
func New(o Options) *Service {
	return &Service{Options: o, queue: checkQueue{wake: make(chan struct{}, 1)}}
}

// Serve attaches the sockets. Call it before they accept connections.
func (s *Service) Serve(sockets *socketio.Server) {
	s.sockets = sockets
	sockets.OnConnect(s.onConnect)
	sockets.OnRenew(s.checkOne)
	s.DB.Listen(identity.Topic, s.onUser)
	s.DB.Listen(access.Topic, s.onAccess)
	s.DB.Listen(people.ReachTopic, s.onReach)
}

// OnReturn adds a hook for sockets that are connected again and still in their rooms. Call
// it before Serve.
func (s *Service) OnReturn(f func(context.Context, Present) error) { s.returns = append(s.returns, f) }

// onConnect joins the account's rooms. A recovered socket leaves those that it may no
// longer be in, before it gets what was sent to them meanwhile.
func (s *Service) onConnect(ctx context.Context, so *socketio.Socket) error {
	if err := s.checkOne(ctx, so); err != nil || !so.Recovered() {
		return err
	}
	who, err := s.Who(ctx, so)
	for _, f := range s.returns {
		err = errors.Join(err, f(ctx, Present{so, who}))
	}
	return err
}

// Authenticate implements socketio's Config.Authenticate. The socket keeps its token,
// and every event verifies it again.
func (s *Service) Authenticate(ctx context.Context, h socketio.Handshake) (socketio.Identity, error) {
	who, err := s.Gate.Authenticate(ctx, h.Token)
	if err != nil {
		return socketio.Identity{}, err
	}
	expires, err := s.Expiry(h.Token)
	if err != nil {
		return socketio.Identity{}, err
	}
	return socketio.Identity{User: string(who.User), Session: string(who.Session), Language: who.Language, Expires: expires,
		Principal: pass{h.Token, who.School}}, nil
}

// pass is the token and the school of a socket.
type pass struct {
	token  string
	school id.ID
}

func passOf(so *socketio.Socket) pass {
	p, _ := so.Principal().(pass)
	return p
}

// Who returns the current account of a socket.
func (s *Service) Who(ctx context.Context, so *socketio.Socket) (actor.Actor, error) {
	who, err := s.Gate.Authenticate(ctx, passOf(so).token)
	who.IP = so.IP()
	return who, err
}

// Run removes sockets from rooms when they lose the right, until ctx ends.
func (s *Service) Run(ctx context.Context) error {
	if s.sockets != nil {
		s.keepRights(ctx)
	}
	return nil
}
