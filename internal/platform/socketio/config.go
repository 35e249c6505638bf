package socketio

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/fault"
)

// Config sets a server up. Authenticate and Log are needed; zero values become
// those in the comments.
type Config struct {
	// Authenticate says who a client is, or why it may not connect.
	Authenticate func(context.Context, Handshake) (Identity, error)
	// ErrorBody is what a client is shown of an error; nil: its message alone.
	ErrorBody func(error) any
	Log       *slog.Logger
	// Origins are the web sites whose pages may connect beside those of the
	// server itself; "localhost" is every port of the own machine.
	Origins  []string
	ClientIP func(*http.Request) string // nil: the peer's address
	Relay    Relay                      // nil: one node
	Now      clock.Now                  // for the expiry of tokens
	Rand     io.Reader

	PerUser         int // sockets of one user on this node; 0: no limit
	HandshakeRate   int // connections a second from one address, of clients that are not known yet, and ten times as many at once; 0: no limit
	EventsPerSecond int // of one connection, and as many at once; 0: no limit

	PingInterval   time.Duration // 25 s
	PingTimeout    time.Duration // 20 s
	UpgradeTimeout time.Duration // 10 s
	ConnectTimeout time.Duration // 10 s: for a connection to get into a namespace
	HandlerTimeout time.Duration // 15 s: for one event
	WriteTimeout   time.Duration // 10 s: a client that takes nothing for so long is cut off
	MaxPayload     int           // 1,000,000 bytes: of one event with its attachments
	MaxQueue       int           // 256 KiB: what may wait for one client
}

// Handshake is what a client brings to be known by.
type Handshake struct {
	Token string          // auth.token, else the bearer token of the Authorization header
	Auth  json.RawMessage // the whole auth object
	IP    string
}

// Identity is who a client is.
type Identity struct {
	User      string    // whom connections are counted by; "": they are not
	Expires   time.Time // zero: never
	Principal any       // what handlers are to know
}

var (
	errExpired   = fault.New(fault.Unauthenticated, "", "Your token has expired. Get a fresh one and connect again, or send it with the event authenticate before the old one expires.")
	errCutOff    = fault.New(fault.Unauthenticated, "", "You were disconnected while you connected. Get a fresh token and connect again.")
	errTwice     = fault.New(fault.TooMany, "", "Too many connections of this account are open. Close one of them and try again.")
	errFast      = fault.New(fault.TooMany, "", "Too many events. Wait a second, then go on more slowly.").After(time.Second)
	errOtherUser = fault.New(fault.Forbidden, "", "This token is of another user. Disconnect, then connect with it.")
	errNoToken   = fault.New(fault.Malformed, "", `Send the fresh access token as {"token": "…"}.`)
	errNoEvent   = fault.New(fault.NotFound, "", "There is no such event. See the documentation for those that there are.")
	errBadArgs   = fault.New(fault.Malformed, "", "The event's argument can't be read. See the documentation for its form.")
)

// ErrGone is the error of a socket that has been disconnected.
var ErrGone = errors.New("the socket is disconnected")

func (c Config) withDefaults() (Config, error) {
	if c.Authenticate == nil || c.Log == nil {
		return c, errors.New("socketio: Authenticate and Log must be set")
	}
	if c.ErrorBody == nil {
		c.ErrorBody = func(err error) any { return map[string]string{"message": fault.From(err).Message} }
	}
	if c.Now == nil {
		c.Now = clock.System
	}
	if c.Rand == nil {
		c.Rand = rand.Reader
	}
	c.ConnectTimeout = cmp.Or(c.ConnectTimeout, 10*time.Second)
	c.HandlerTimeout = cmp.Or(c.HandlerTimeout, 15*time.Second)
	c.MaxPayload = cmp.Or(c.MaxPayload, 1_000_000)
	return c, nil
}
