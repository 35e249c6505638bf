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

// This file prevents HTTP request smuggling: a request with both Content-Length and
// Transfer-Encoding may be framed differently by a proxy. net/http accepts it and
// drops Content-Length, so the headers are parsed here, as the bytes arrive.

var errFraming = fault.New(fault.Malformed, "",
	"The request has both Content-Length and Transfer-Encoding, or an invalid Content-Length. Send one of them.")

// Watch wraps ln so that Framed can check the headers of its connections.
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

// ConnContext is for http.Server.ConnContext of a server whose listener is wrapped by Watch.
func ConnContext(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, watchedKey{}, c)
}

// Framed rejects a request with ambiguous framing and closes its connection. It
// also closes the connection after a chunked request, since watched does not parse
// chunks and so does not know where the next request begins.
func (s *Server) Framed(next http.Handler) http.Handler {
	refuse := s.outer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fail(w, r, s.Log, errFraming) }))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, ok := r.Context().Value(watchedKey{}).(*watched)
		if !ok || r.ProtoMajor > 1 && r.Method != "PRI" || !c.lost.Load() { // HTTP/2 has its own framing
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

// maxLine is how many bytes of a header line are parsed.
const maxLine = 64

// watched is a connection that parses request headers as they are read. It is ahead
// of net/http: its findings are about the current request or a pipelined one.
type watched struct {
	net.Conn
	skip    int64       // remaining bytes of the body
	line    []byte      // the start of the current header line
	begun   bool        // the request line was read
	length  int64       // Content-Length, or -1
	coded   bool        // has Transfer-Encoding
	lost    atomic.Bool // no longer knows where requests begin
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

// header parses a line without its line break. Other invalid headers are left to net/http.
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

// body decides, at the end of the headers, how the body is framed.
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

// ReadFrom lets the connection use sendfile.
func (c *watched) ReadFrom(r io.Reader) (int64, error) { return io.Copy(c.Conn, r) }

// CloseWrite lets net/http half-close the connection after a response.
func (c *watched) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// Watched returns the underlying connection, for hijackers.
func (c *watched) Watched() net.Conn { return c.Conn }
