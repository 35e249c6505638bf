package socketio

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"homeroom/internal/platform/socketio/engine"
)

// Server is an http.Handler for /socket.io/. The embedded Namespace is the main one.
type Server struct {
	*Namespace
	cfg        Config
	engine     *engine.Server
	crew       engine.Crew   // the workers
	ready      chan *client  // clients with events, for idle workers
	idle       atomic.Int32  // number of idle workers
	done       chan struct{} // closed at shutdown: workers stop waiting
	ctx        context.Context
	stop       context.CancelFunc
	namespaces map[string]*Namespace

	mu      sync.Mutex
	users   map[string][]*Socket
	count   int                  // number of sockets
	parked  map[string][]*Socket // by user, oldest first; see recovery.go
	waiting int                  // number of parked sockets
	ending  bool
}

// Stats are the counters of a server.
type Stats struct {
	engine.Stats
	Sockets int
	Parked  int // sockets that can recover
	Rooms   int
}

// New returns a server. Set its handlers before use, and stop it with Shutdown.
func New(c Config) (*Server, error) {
	c, err := c.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: c, namespaces: map[string]*Namespace{}, users: map[string][]*Socket{},
		parked: map[string][]*Socket{}, ready: make(chan *client), done: make(chan struct{})}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.engine = engine.New(engine.Config{
		Open: s.open, Origins: c.Origins, ClientIP: c.ClientIP, Rand: c.Rand,
		PingInterval: c.PingInterval, PingTimeout: c.PingTimeout, UpgradeTimeout: c.UpgradeTimeout,
		WriteTimeout: c.WriteTimeout, MaxPayload: c.MaxPayload, MaxQueue: c.MaxQueue,
		HandshakeRate: c.HandshakeRate,
	})
	s.Namespace = s.Of("/")
	return s, nil
}

// Of returns a namespace, creating it if needed. Clients can connect only to
// namespaces created this way.
func (s *Server) Of(name string) *Namespace {
	n := s.namespaces[name]
	if n == nil {
		n = &Namespace{srv: s, name: name, handlers: map[string]Handler{}, rooms: map[string]*room{}}
		n.history = &history{epoch: engine.NewID(s.cfg.Rand)[:8], began: time.Now(), keep: s.cfg.RecoverFor + time.Minute}
		s.namespaces[name] = n
	}
	return n
}

// ServeHTTP serves a request under /socket.io/.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.engine.ServeHTTP(w, r) }

// Shutdown refuses new connections, waits for running handlers, flushes the send
// queues and disconnects the clients, which then reconnect. It returns at the latest
// when ctx ends. Call it before shutting down the HTTP server, which waits for polls.
func (s *Server) Shutdown(ctx context.Context) error {
	defer s.stop()
	s.end()
	err := s.engine.Shutdown(ctx)
	if err != nil {
		s.stop()
	}
	return errors.Join(err, s.crew.Wait(ctx))
}

// end stops idle workers and removes parked sockets.
func (s *Server) end() {
	s.mu.Lock()
	if !s.ending {
		close(s.done)
	}
	s.ending = true
	parked := slices.Concat(slices.Collect(maps.Values(s.parked))...)
	s.mu.Unlock()
	for _, so := range parked {
		so.client.drop(so, "server shutting down", 0)
	}
}

// maxIdle is the most idle workers.
const maxIdle = 32

// dispatch gives a client's events to an idle worker, whose stack has already grown,
// or else to a new one. It never blocks.
func (s *Server) dispatch(c *client) {
	select {
	case s.ready <- c:
	default:
		s.crew.Go(func() { s.work(c) })
	}
}

// work handles the events of clients, one after another.
func (s *Server) work(c *client) {
	for {
		c.work()
		if s.idle.Add(1) > maxIdle {
			s.idle.Add(-1)
			return
		}
		select {
		case c = <-s.ready:
			s.idle.Add(-1)
		case <-s.done:
			s.idle.Add(-1)
			return
		}
	}
}

// UserSockets returns a user's sockets on this node.
func (s *Server) UserSockets(user string) []*Socket {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.users[user])
}

// Sockets returns all sockets on this node, also those that can recover.
func (s *Server) Sockets() []*Socket {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]*Socket, 0, s.count+s.waiting)
	for _, of := range s.users {
		all = append(all, of...)
	}
	for _, of := range s.parked {
		all = append(all, of...)
	}
	return all
}

// Stats returns the counters.
func (s *Server) Stats() Stats {
	st := Stats{Stats: s.engine.Stats()}
	s.mu.Lock()
	st.Sockets, st.Parked = s.count, s.waiting
	s.mu.Unlock()
	for _, n := range s.namespaces {
		n.mu.RLock()
		st.Rooms += len(n.rooms)
		n.mu.RUnlock()
	}
	return st
}

// register counts a socket against its user's limit.
func (s *Server) register(so *Socket) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	user := so.who.User
	if user != "" {
		if s.cfg.PerUser > 0 && len(s.users[user]) >= s.cfg.PerUser {
			return errTwice
		}
		s.users[user] = append(s.users[user], so)
	}
	s.count++
	return nil
}

func (s *Server) unregister(so *Socket) {
	user := so.User()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remove(so, user)
}

// remove is unregister with s.mu held.
func (s *Server) remove(so *Socket, user string) {
	s.count--
	if user == "" {
		return
	}
	i := slices.Index(s.users[user], so)
	if s.users[user] = slices.Delete(s.users[user], i, i+1); len(s.users[user]) == 0 {
		delete(s.users, user)
	}
}
