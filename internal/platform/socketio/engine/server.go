package engine

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"homeroom/internal/platform/socketio/ws"
)

// linger is how long a closing session may flush its queue.
const linger = 2 * time.Second

// strangerLimit is the largest message before authentication: enough for a token, too
// little to exhaust the memory.
const strangerLimit = 16 << 10

// Config configures a server. Open is required; the comments give the defaults.
type Config struct {
	// Open creates the receiver of a new session, before any packet.
	Open func(*Session) Receiver
	// Origins are allowed CORS origins besides the server's own; "localhost" allows
	// every port of this machine.
	Origins  []string
	ClientIP func(*http.Request) string // default: the peer's address
	Rand     io.Reader                  // for session ids

	PingInterval   time.Duration // 25 s
	PingTimeout    time.Duration // 20 s: for the pong
	UpgradeTimeout time.Duration // 10 s
	WriteTimeout   time.Duration // 10 s: a client that reads nothing for this long is disconnected
	MaxPayload     int           // 1,000,000 bytes: a message, or all messages of a post
	MaxQueue       int           // 256 KiB: send queue of one client
	MaxStrangers   int           // 10,000: sessions that are not trusted yet
	MaxPerAddress  int           // a tenth of MaxStrangers: the same, per address
	HandshakeRate  int           // sessions per second from one address, with a burst of ten times as many; 0: no limit
}

// Receiver receives a client's packets, one at a time. The bytes are valid only during
// the call. An error closes the session.
type Receiver interface {
	Text(packet []byte) error
	Binary(data []byte) error
	// Alarm is called at the time that Session.AlarmAt set.
	Alarm()
	// Closed is called once, when the session has ended.
	Closed(reason string)
}

// Stats are the counters of a server.
type Stats struct {
	Sessions int   // open now
	Dropped  int64 // messages dropped for slow clients
	Slow     int64 // sessions closed because their queue overflowed
}

// Server is an http.Handler for one path.
type Server struct {
	cfg  Config
	crew Crew
	ping *Message

	strangers     strangers
	dropped, slow atomic.Int64

	mu       sync.RWMutex
	sessions map[string]*Session
	stopping bool
}

// New returns a server.
func New(c Config) *Server {
	c.PingInterval = cmp.Or(c.PingInterval, 25*time.Second)
	c.PingTimeout = cmp.Or(c.PingTimeout, 20*time.Second)
	c.UpgradeTimeout = cmp.Or(c.UpgradeTimeout, 10*time.Second)
	c.WriteTimeout = cmp.Or(c.WriteTimeout, 10*time.Second)
	c.MaxPayload = cmp.Or(c.MaxPayload, 1_000_000)
	c.MaxQueue = cmp.Or(c.MaxQueue, 256<<10)
	c.MaxStrangers = cmp.Or(c.MaxStrangers, 10_000)
	c.MaxPerAddress = cmp.Or(c.MaxPerAddress, max(1, c.MaxStrangers/10))
	if c.Rand == nil {
		c.Rand = rand.Reader
	}
	if c.ClientIP == nil {
		c.ClientIP = peer
	}
	return &Server{cfg: c, sessions: map[string]*Session{}, ping: signal(typePing),
		strangers: strangers{most: c.MaxStrangers, share: c.MaxPerAddress, rate: c.HandshakeRate, origin: map[netip.Prefix]origin{}}}
}

func peer(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

// ServeHTTP serves a request of either transport.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if done := s.cors(w, r); done {
		return
	}
	q := r.URL.Query()
	transport, sid := q.Get("transport"), q.Get("sid")
	if q.Get("EIO") != "4" {
		refuse(w, http.StatusBadRequest, 5, "Unsupported protocol version")
		return
	}
	if transport != "polling" && transport != "websocket" {
		refuse(w, http.StatusBadRequest, 0, "Transport unknown")
		return
	}
	if sid == "" {
		s.handshake(w, r, transport)
		return
	}
	s.mu.RLock()
	se := s.sessions[sid]
	s.mu.RUnlock()
	switch {
	case se == nil:
		refuse(w, http.StatusBadRequest, 1, "Session ID unknown")
	case transport == "websocket":
		se.serveUpgrade(w, r)
	case r.Method == http.MethodGet:
		se.servePoll(w, r)
	case r.Method == http.MethodPost:
		se.servePost(w, r)
	default:
		refuse(w, http.StatusBadRequest, 2, "Bad handshake method")
	}
}

// refuse replies in the format of the official server.
func refuse(w http.ResponseWriter, status, code int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"code": code, "message": message}) // the client may be gone
}

// handshake opens a session.
func (s *Server) handshake(w http.ResponseWriter, r *http.Request, transport string) {
	if r.Method != http.MethodGet {
		refuse(w, http.StatusBadRequest, 2, "Bad handshake method")
		return
	}
	ip := s.cfg.ClientIP(r)
	from := addressOf(ip)
	if !s.hasRoom(w, from) {
		return
	}
	se := &Session{srv: s, id: NewID(s.cfg.Rand), ip: strings.Clone(ip), from: from,
		authorization: strings.Clone(r.Header.Get("Authorization")), languages: strings.Clone(r.Header.Get("Accept-Language"))}
	if transport == "polling" {
		if !s.admit(se) {
			refuse(w, http.StatusServiceUnavailable, 3, "The server is stopping; connect again")
			return
		}
		_ = reply(w, []byte(se.opening(`["websocket"]`))) // the client may be gone
		return
	}
	nc, early, err := ws.Accept(w, r)
	if err != nil {
		s.strangers.leave(from, false)
		refuseUpgrade(w, err)
		return
	}
	se.wire = newWire(nc, early, se.limit)
	se.wire.active = true
	if !s.admit(se) {
		nc.Close()
		return
	}
	se.Send(text(se.opening("[]"))) // [] because clients can't parse null
	s.crew.Go(se.read)              // in a goroutine, so that the HTTP server frees its buffers
}

// hasRoom reserves a place for a session of the address, or refuses the request.
func (s *Server) hasRoom(w http.ResponseWriter, from netip.Prefix) bool {
	wait, full := time.Duration(0), s.isStopping()
	if !full {
		wait, full = s.strangers.enter(from, time.Now())
	}
	switch {
	case full:
		w.Header().Set("Retry-After", "5")
		refuse(w, http.StatusServiceUnavailable, 3, "The server is stopping, or too many clients are connecting; try again in a moment")
	case wait > 0:
		w.Header().Set("Retry-After", strconv.Itoa(int((wait+time.Second-1)/time.Second)))
		refuse(w, http.StatusTooManyRequests, 3, "Too many connections from your address; try again in a moment")
	}
	return !full && wait == 0
}

func (s *Server) isStopping() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.stopping
}

// admit adds a session and starts its timer, unless the server is stopping.
func (s *Server) admit(se *Session) bool {
	se.start()
	s.mu.Lock()
	stopping := s.stopping
	if !stopping {
		s.sessions[se.id] = se
	}
	s.mu.Unlock()
	if stopping {
		se.close(ending{reason: "server shutting down"})
	}
	return !stopping
}

func (s *Server) forget(se *Session) {
	s.mu.Lock()
	delete(s.sessions, se.id)
	s.mu.Unlock()
}

// NewID returns a random id, as long as the official ones.
func NewID(source io.Reader) string {
	var b [15]byte
	if _, err := io.ReadFull(source, b[:]); err != nil {
		panic(err) // crypto/rand never fails
	}
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// Stats returns the counters.
func (s *Server) Stats() Stats {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return Stats{Sessions: len(s.sessions), Dropped: s.dropped.Load(), Slow: s.slow.Load()}
}

// Shutdown refuses new sessions, flushes the send queues and closes the sessions. It
// returns when all have ended, at the latest when ctx ends.
func (s *Server) Shutdown(ctx context.Context) error {
	s.mu.Lock()
	s.stopping = true
	all := slices.Collect(maps.Values(s.sessions))
	s.mu.Unlock()
	grace := linger
	if end, ok := ctx.Deadline(); ok {
		grace = max(time.Millisecond, min(grace, time.Until(end)*9/10))
	}
	for _, se := range all {
		se.close(ending{reason: "server shutting down", code: ws.GoingAway, last: typeClose, grace: grace})
	}
	return s.crew.Wait(ctx)
}
