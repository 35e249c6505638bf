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

// Config configures a server. Authenticate and Log are required; the comments give
// the defaults of zero values.
type Config struct {
	// Authenticate identifies a client, or refuses it with an error.
	Authenticate func(context.Context, Handshake) (Identity, error)
	// ErrorBody returns the message of an error for a client, and the object to send.
	// Default: the fault's own message, alone.
	ErrorBody func(error, Reader) (message string, body any)
	Log       *slog.Logger
	// Origins are allowed CORS origins besides the server's own; "localhost" allows
	// every port of this machine.
	Origins  []string
	ClientIP func(*http.Request) string // default: the peer's address
	Relay    Relay                      // nil with a single node
	Now      clock.Now                  // for the expiry of tokens
	Rand     io.Reader

	PerUser int // most sockets of one user on this node; 0: no limit
	// HandshakeRate limits connections per second from one address before authentication,
	// with a burst of ten times as many; 0: no limit.
	HandshakeRate   int
	EventsPerSecond int // per connection, with a burst of as many; 0: no limit

	RecoverFor     time.Duration // 2 minutes: to connect again and get missed events
	PingInterval   time.Duration // 25 s
	PingTimeout    time.Duration // 20 s
	UpgradeTimeout time.Duration // 10 s
	ConnectTimeout time.Duration // 10 s: to connect to a namespace
	HandlerTimeout time.Duration // 15 s: for one event
	ExpiryNotice   time.Duration // 60 s: the client is told this long before its token expires
	WriteTimeout   time.Duration // 10 s: a client that reads nothing for this long is disconnected
	MaxPayload     int           // 1,000,000 bytes: one event with its attachments
	MaxQueue       int           // 256 KiB: send queue of one client
}

// Handshake is the credentials of a client.
type Handshake struct {
	Token string          // auth.token, else the bearer token of the Authorization header
	Auth  json.RawMessage // the whole auth object
	IP    string
}

// Identity is the authenticated user of a client.
type Identity struct {
	User      string    // PerUser counts by this; "" is not counted
	Session   string    // of the sign-in; only a client of the same one recovers, "" never does
	Language  string    // the account's own; "" if none
	Expires   time.Time // zero if never
	Principal any       // available to handlers
}

// Reader is who reads an error message.
type Reader struct {
	Language string // of the account; "" if it has none, or is unknown
	Accepts  string // the Accept-Language header of the handshake
}

var (
	errExpired   = fault.New(fault.Unauthenticated, "", "Your token has expired. Get a new token and connect again.")
	errCutOff    = fault.New(fault.Unauthenticated, "", "You were disconnected while connecting. Get a new token and connect again.")
	errTwice     = fault.New(fault.TooMany, "", "Too many connections of this account are open. Close one of them and try again.")
	errFast      = fault.New(fault.TooMany, "", "Too many events. Wait a second and send fewer.").After(time.Second)
	errOtherUser = fault.New(fault.Forbidden, "", "This token belongs to another user. Disconnect, then connect with it.")
	errNoToken   = fault.New(fault.Malformed, "", `Send the new access token as {"token": "…"}.`)
	errNoEvent   = fault.New(fault.NotFound, "", "There is no such event. See the documentation.")
	errBadArgs   = fault.New(fault.Malformed, "", "The event's argument is invalid. See the documentation for its format.")
)

// ErrGone is the error of a disconnected socket.
var ErrGone = errors.New("the socket is disconnected")

func (c Config) withDefaults() (Config, error) {
	if c.Authenticate == nil || c.Log == nil {
		return c, errors.New("socketio: Authenticate and Log are required")
	}
	if c.ErrorBody == nil {
		c.ErrorBody = func(err error, _ Reader) (string, any) {
			message := fault.From(err).Message
			return message, map[string]string{"message": message}
		}
	}
	if c.Now == nil {
		c.Now = clock.System
	}
	if c.Rand == nil {
		c.Rand = rand.Reader
	}
	c.RecoverFor = cmp.Or(c.RecoverFor, 2*time.Minute)
	c.ConnectTimeout = cmp.Or(c.ConnectTimeout, 10*time.Second)
	c.ExpiryNotice = cmp.Or(c.ExpiryNotice, time.Minute)
	c.HandlerTimeout = cmp.Or(c.HandlerTimeout, 15*time.Second)
	c.MaxPayload = cmp.Or(c.MaxPayload, 1_000_000)
	return c, nil
}
