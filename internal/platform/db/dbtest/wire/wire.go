// Package wire has a proxy in front of PostgreSQL that cuts connections at a chosen
// moment of the protocol, as a network or a dying server does.
package wire

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"
)

// Moment is when a connection is cut.
type Moment int

// The moments of a statement.
const (
	Never   Moment = iota
	Before         // the statement does not reach the server
	Unheard        // the server runs it and its answer does not arrive
)

// Proxy passes connections on to a server.
type Proxy struct {
	server   *pgconn.Config
	url      string
	listener net.Listener

	mu     sync.Mutex
	moment Moment
	sql    string
	cuts   int               // how often it still cuts
	conns  map[net.Conn]bool // whether it is a client's
	ends   sync.WaitGroup
}

// Open starts a proxy for the server of a URL.
func Open(server string) (*Proxy, error) {
	config, err := pgconn.ParseConfig(server)
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	p := &Proxy{server: config, conns: map[net.Conn]bool{}}
	if p.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	u.Host, u.RawQuery = p.listener.Addr().String(), "sslmode=disable&connect_timeout=30" // connecting takes long on a busy machine
	p.url = u.String()
	go p.accept()
	return p, nil
}

// URL leads to the same database through the proxy.
func (p *Proxy) URL() string { return p.url }

// Cut cuts the next n connections that run a statement which begins with this SQL.
func (p *Proxy) Cut(n int, at Moment, sql string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cuts, p.moment, p.sql = n, at, sql
}

// Left is how many of these cuts have not happened.
func (p *Proxy) Left() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cuts
}

// Drop cuts all clients off, which the server does not notice.
func (p *Proxy) Drop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c, isClient := range p.conns {
		if isClient {
			_ = c.Close()
		}
	}
}

// Close ends all connections.
func (p *Proxy) Close() {
	_ = p.listener.Close()
	p.mu.Lock()
	for c := range p.conns {
		_ = c.Close()
	}
	p.mu.Unlock()
	p.ends.Wait()
}

func (p *Proxy) accept() {
	for {
		c, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.ends.Go(func() { p.serve(c) })
	}
}

func (p *Proxy) serve(client net.Conn) {
	defer client.Close()
	var d net.Dialer
	network, addr := pgconn.NetworkAddress(p.server.Host, p.server.Port)
	server, err := d.DialContext(context.Background(), network, addr)
	if err != nil {
		return
	}
	defer server.Close()
	p.mu.Lock()
	p.conns[client], p.conns[server] = true, false
	p.mu.Unlock()
	s := &stream{p: p, client: client, server: server, statements: map[string]string{}, answered: make(chan struct{})}
	p.ends.Go(s.back)
	s.forth()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, client)
	delete(p.conns, server)
}

// stream is one connection.
type stream struct {
	p              *Proxy
	client, server net.Conn
	statements     map[string]string // SQL by the name of the prepared statement
	mu             sync.Mutex
	deaf           bool // answers are dropped
	answered       chan struct{}
	once           sync.Once
}

// back passes the server's answers on.
func (s *stream) back() {
	buf := make([]byte, 64<<10)
	for {
		n, err := s.server.Read(buf)
		s.mu.Lock()
		deaf := s.deaf
		s.mu.Unlock()
		if deaf && n > 0 {
			s.once.Do(func() { close(s.answered) })
		} else if n > 0 {
			if _, err := s.client.Write(buf[:n]); err != nil {
				return
			}
		}
		if err != nil {
			s.once.Do(func() { close(s.answered) })
			_ = s.client.Close()
			return
		}
	}
}

// forth passes the client's messages on, one by one, until it cuts.
func (s *stream) forth() {
	if err := s.pass(s.message(0)); err != nil { // the first message has no type
		return
	}
	for {
		m, err := s.message(1)
		if err != nil {
			return
		}
		switch at := s.moment(m); at {
		case Never:
			if s.pass(m, nil) != nil {
				return
			}
		case Before:
			return
		default:
			s.drop(m)
			return
		}
	}
}

// drop lets the server run the statement but keeps its answer.
func (s *stream) drop(m []byte) {
	s.mu.Lock()
	s.deaf = true
	s.mu.Unlock()
	if s.pass(m, nil) != nil {
		return
	}
	for { // until Sync, which makes the server run and answer
		m, err := s.message(1)
		if err != nil || s.pass(m, nil) != nil {
			return
		}
		if m[0] == 'S' {
			break
		}
	}
	<-s.answered
}

func (s *stream) pass(m []byte, err error) error {
	if err == nil {
		_, err = s.server.Write(m)
	}
	return err
}

// message reads one message: its type, if it has one, its length and its content.
func (s *stream) message(kind int) ([]byte, error) {
	head := make([]byte, kind+4)
	if _, err := io.ReadFull(s.client, head); err != nil {
		return nil, err
	}
	m := make([]byte, kind+int(binary.BigEndian.Uint32(head[kind:])))
	copy(m, head)
	_, err := io.ReadFull(s.client, m[len(head):])
	return m, err
}

// moment reads Parse messages, which name statements, and Bind messages, which run them.
func (s *stream) moment(m []byte) Moment {
	parts := bytes.SplitN(m[5:], []byte{0}, 3)
	switch {
	case len(parts) < 3:
		return Never
	case m[0] == 'P':
		s.statements[string(parts[0])] = string(parts[1])
	case m[0] == 'B':
		return s.p.claim(s.statements[string(parts[1])])
	}
	return Never
}

// claim takes one of the cuts if they are about this statement.
func (p *Proxy) claim(sql string) Moment {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cuts == 0 || !strings.HasPrefix(strings.TrimSpace(sql), p.sql) {
		return Never
	}
	p.cuts--
	return p.moment
}
