package web

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"sync/atomic"

	"homeroom/internal/platform/fault"
)

// A request with both Content-Length and Transfer-Encoding is how requests are
// smuggled past a proxy that believes the other header than we do. net/http takes
// it and drops Content-Length before a handler could see it, so that the headers
// are read along here, where the bytes come in.

var errFraming = fault.New(fault.Malformed, "", "The request has both Content-Length and Transfer-Encoding, or a Content-Length that is no number. Send one of them.")

// Watch has the connections of ln followed for Framed.
func Watch(ln net.Listener) net.Listener { return watching{ln} }

type watching struct{ net.Listener }

// Accept implements net.Listener.
func (l watching) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &watched{Conn: c, length: -1}, nil
}

type watchedKey struct{}

// ConnContext belongs into the http.Server whose listener is watched.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, watchedKey{}, c)
}

// Framed refuses a request that says its length twice and closes its connection. It
// also closes the connection after a chunked request: nobody follows its chunks to
// where the next request begins.
func (s *Server) Framed(next http.Handler) http.Handler {
	refuse := s.outer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fail(w, r, s.Log, errFraming) }))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, ok := r.Context().Value(watchedKey{}).(*watched)
		if !ok || r.ProtoMajor > 1 && r.Method != "PRI" || !c.lost.Load() { // HTTP/2 has frames
			next.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Connection", "close")
		if c.refused.Load() {
			refuse.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// maxLine is how much of a header line is looked at.
const maxLine = 64

// watched is a connection that reads along which headers come in. It is always
// ahead of net/http: what it notes holds for the request that is served or for one
// behind it.
type watched struct {
	net.Conn
	skip    int64  // of a body
	line    []byte // the start of the header line that comes in
	begun   bool   // the request line was read
	length  int64  // Content-Length, or -1
	coded   bool   // there is a Transfer-Encoding
	lost    atomic.Bool
	refused atomic.Bool
}

// Read implements net.Conn.
func (c *watched) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.follow(p[:n])
	return n, err
}

func (c *watched) follow(b []byte) {
	for len(b) > 0 && !c.lost.Load() {
		if c.skip > 0 {
			n := min(c.skip, int64(len(b)))
			c.skip, b = c.skip-n, b[n:]
			continue
		}
		part, rest, ended := bytes.Cut(b, []byte("\n"))
		c.line = append(c.line, part[:min(len(part), maxLine-len(c.line))]...)
		if !ended {
			return
		}
		c.header(bytes.TrimSuffix(c.line, []byte("\r")))
		c.line, b = c.line[:0], rest
	}
}

// header takes a line without its end. What net/http refuses itself need not be told.
func (c *watched) header(line []byte) {
	switch {
	case !c.begun:
		c.begun = true
		return
	case len(line) == 0:
		c.body()
		return
	}
	name, value, _ := bytes.Cut(line, []byte(":"))
	switch {
	case bytes.EqualFold(name, []byte("Transfer-Encoding")):
		c.coded = true
	case bytes.EqualFold(name, []byte("Content-Length")):
		n, err := strconv.ParseUint(string(bytes.TrimSpace(value)), 10, 63)
		if err != nil || len(line) >= maxLine || c.length >= 0 && c.length != int64(n) {
			c.refuse()
		}
		c.length = int64(n)
	}
}

// body finds out what follows the headers.
func (c *watched) body() {
	switch {
	case c.coded && c.length >= 0:
		c.refuse()
	case c.coded:
		c.lost.Store(true)
	}
	c.skip, c.begun, c.length, c.coded = max(c.length, 0), false, -1, false
}

func (c *watched) refuse() {
	c.refused.Store(true)
	c.lost.Store(true)
}

// ReadFrom lets the system send a file.
func (c *watched) ReadFrom(r io.Reader) (int64, error) { return io.Copy(c.Conn, r) }

// CloseWrite lets net/http end an answer to a client that is still sending.
func (c *watched) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// Watched is the connection itself, for whoever takes it over.
func (c *watched) Watched() net.Conn { return c.Conn }
