// Package bus carries short-lived messages between nodes over NATS, such as positions.
// Messages that must not be lost go through the database.
//
// A single node has no bus. Several nodes embed a NATS server each, joined as a cluster,
// or all use one that the operator runs.
package bus

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

const (
	user      = "homeroom"
	startTime = 10 * time.Second
	pending   = 16 << 20 // bytes queued for a slow subscriber; beyond that the newest are dropped
)

// Options are how nodes find each other: by URL, or by Listen and Peers.
type Options struct {
	URL    string        // an external NATS server
	Listen string        // HOST:PORT for the other nodes
	Peers  []string      // HOST:PORT of some nodes, which announce the others
	Secret string        // shared by all nodes
	Wait   time.Duration // how long Open waits for the embedded server, which else starts later; 0: 10 s
	Log    *slog.Logger
}

// Bus is a connection to the other nodes.
type Bus struct {
	conn   *nats.Conn
	server *server.Server // nil if external
	closed chan struct{}
}

var errSecret = errors.New("nodes need a shared secret: set the same long random string on each")

// Open connects to the other nodes, and retries in the background. On a busy machine the
// embedded server may start after Open returns.
func Open(o Options) (*Bus, error) {
	if o.URL != "" {
		conn, err := connect(o.URL, o.Log)
		if err != nil {
			return nil, fmt.Errorf("connect to the bus: %w", err)
		}
		return &Bus{conn: conn, closed: make(chan struct{})}, nil
	}
	s, password, err := o.embedded()
	if err != nil {
		return nil, err
	}
	go s.Start()
	late := !s.ReadyForConnections(cmp.Or(o.Wait, startTime))
	conn, err := connect(nats.DefaultURL, o.Log, nats.InProcessServer(starting{s}), nats.UserInfo(user, password)) // the URL is not used
	if err != nil {
		s.Shutdown()
		return nil, fmt.Errorf("connect to the bus: %w", err)
	}
	b := &Bus{conn: conn, server: s, closed: make(chan struct{})}
	if late {
		go b.report(o)
	}
	return b, nil
}

// starting refuses connections until the server has started: earlier ones can hang.
type starting struct{ *server.Server }

func (s starting) InProcessConn() (net.Conn, error) {
	if !s.ReadyForConnections(time.Millisecond) {
		return nil, errors.New("the bus has not started yet")
	}
	return s.Server.InProcessConn()
}

// report logs that the server has not started yet, and when it has.
func (b *Bus) report(o Options) {
	start, told := time.Now(), time.Time{}
	for !b.server.ReadyForConnections(100 * time.Millisecond) {
		select {
		case <-b.closed:
			return
		default:
		}
		if time.Since(told) > time.Minute {
			told = time.Now()
			o.Log.Warn("the bus has not started yet; positions stay on their node until it has", "listen", o.Listen)
		}
	}
	o.Log.Info("the bus has started", "late", time.Since(start).Round(time.Millisecond))
}

// embedded starts a server that other nodes reach at Listen and only this process uses
// as a client.
func (o Options) embedded() (s *server.Server, password string, err error) {
	if o.Secret == "" {
		return nil, "", errSecret
	}
	host, port, err := net.SplitHostPort(o.Listen)
	if err != nil {
		return nil, "", fmt.Errorf("address for other nodes: %w", err)
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return nil, "", fmt.Errorf("address for other nodes: %w", err)
	}
	var routes []*url.URL
	for _, peer := range o.Peers {
		routes = append(routes, &url.URL{Scheme: "nats", User: url.UserPassword(user, o.Secret), Host: peer})
	}
	if err := free(o.Listen); err != nil {
		return nil, "", fmt.Errorf("address for other nodes: %w", err)
	}
	password = rand.Text()
	s, err = server.NewServer(&server.Options{
		ServerName: rand.Text(), Host: "127.0.0.1", Port: server.RANDOM_PORT, // cluster members need a port for clients
		Username: user, Password: password, NoSigs: true, NoLog: true, DisableShortFirstPing: true,
		Cluster: server.ClusterOpts{Name: "homeroom", Host: host, Port: number, Username: user, Password: o.Secret, ConnectRetries: -1},
		Routes:  routes,
	})
	if err != nil {
		return nil, "", fmt.Errorf("create the bus: %w", err)
	}
	return s, password, nil
}

// free returns an error if nothing can listen on the address: the server would not say so.
func free(address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	return l.Close()
}

func connect(address string, log *slog.Logger, opts ...nats.Option) (*nats.Conn, error) {
	return nats.Connect(address, append(opts, nats.Name("homeroom"), nats.NoEcho(), nats.MaxReconnects(-1),
		nats.RetryOnFailedConnect(true), nats.ReconnectBufSize(-1), // no buffer: late messages are worthless
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if err != nil {
				log.Warn("disconnected from other nodes; positions stay on their node until reconnected", "error", err)
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) { log.Info("reconnected to other nodes") }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { log.Warn("bus", "error", err) }))...)
}

// Publish sends to subscribers on all other nodes. Undeliverable messages are dropped.
func (b *Bus) Publish(subject string, payload []byte) error {
	if err := b.conn.Publish(subject, payload); err != nil && !errors.Is(err, nats.ErrReconnectBufExceeded) {
		return fmt.Errorf("publish: %w", err)
	}
	return nil
}

// Subscribe calls fn for messages of other nodes, one at a time.
func (b *Bus) Subscribe(subject string, fn func(payload []byte)) (cancel func(), err error) {
	sub, err := b.conn.Subscribe(subject, func(m *nats.Msg) { fn(m.Data) })
	if err != nil {
		return nil, fmt.Errorf("subscribe: %w", err)
	}
	if err := sub.SetPendingLimits(-1, pending); err != nil {
		return nil, errors.Join(fmt.Errorf("subscribe: %w", err), sub.Unsubscribe())
	}
	return func() { _ = sub.Unsubscribe() }, nil // fails only if the bus is closed
}

// Flush waits until the server has processed all publishes and subscriptions.
func (b *Bus) Flush() error { return b.conn.FlushTimeout(startTime) }

// Handled waits until the subscriptions have handled all messages received so far.
func (b *Bus) Handled() error {
	done := make(chan struct{})
	if err := b.conn.Barrier(func() { close(done) }); err != nil {
		return fmt.Errorf("wait for subscriptions: %w", err)
	}
	<-done
	return nil
}

// Nodes returns the number of connected nodes; 0 with an external server.
func (b *Bus) Nodes() int {
	if b.server == nil {
		return 0
	}
	names := map[string]bool{}
	routes, err := b.server.Routez(nil)
	if err != nil {
		return 0
	}
	for _, r := range routes.Routes {
		names[r.RemoteID] = true
	}
	return len(names)
}

// Close disconnects.
func (b *Bus) Close() {
	close(b.closed)
	b.conn.Close()
	if b.server != nil {
		b.server.Shutdown()
		b.server.WaitForShutdown()
	}
}
