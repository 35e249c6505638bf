package main

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"homeroom/internal/platform/await"
)

// TestTwoLengths sends requests with both Content-Length and Transfer-Encoding
// (request smuggling), with and without TLS. Each must get a 400 and be disconnected.
func TestTwoLengths(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		h := newInstallation(t, "sqlite", true)
		var flags []string
		if secure {
			cert, key := filepath.Join(h.dir, "cert.pem"), filepath.Join(h.dir, "key.pem")
			writeCertificate(t, cert, key, 1)
			flags = []string{"--tls-cert=" + cert, "--tls-key=" + key}
		}
		s := h.serve(t, flags...)
		for _, path := range []string{"/auth/login", "/readyz", "/nowhere", "/api-docs", "/socket.io/?EIO=4&transport=polling"} {
			c := s.dial(t, secure)
			send(t, c, "POST "+path+" HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 5\r\n"+
				"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /readyz HTTP/1.1\r\nHost: x\r\n\r\n")
			r := bufio.NewReader(c)
			res, err := http.ReadResponse(r, nil)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			body, _ := io.ReadAll(res.Body)
			if res.StatusCode != 400 || !strings.Contains(string(body), `"error":"Bad Request"`) || res.Header.Get("X-Request-Id") == "" {
				t.Errorf("%s: got %d %s %v, want 400 with X-Request-Id", path, res.StatusCode, body, res.Header)
			}
			if _, err := r.ReadByte(); err == nil {
				t.Errorf("%s: the connection is still open", path)
			}
		}
		c := s.dial(t, secure) // a hijacked connection must still work
		send(t, c, "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
			"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
		r := bufio.NewReader(c)
		if res, err := http.ReadResponse(r, nil); err != nil || res.StatusCode != 101 {
			t.Fatalf("websocket upgrade: got %v, %v, want 101", res, err)
		}
		if hello, err := r.Peek(4); err != nil || hello[0] != 0x81 {
			t.Errorf("first websocket frame: got %x, %v, want a text frame", hello, err)
		}
		s.stop(t)
	}
}

// dial opens a connection that speaks HTTP/1.1.
func (s *server) dial(t *testing.T, secure bool) net.Conn {
	t.Helper()
	_, addr, _ := strings.Cut(s.url, "://")
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	if secure {
		c = tls.Client(c, &tls.Config{InsecureSkipVerify: true})
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(await.Limit)); err != nil {
		t.Fatal(err)
	}
	return c
}

func send(t *testing.T, c net.Conn, raw string) {
	t.Helper()
	if _, err := io.WriteString(c, raw); err != nil {
		t.Fatal(err)
	}
}
