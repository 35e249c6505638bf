package ws

import (
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"
)

// ErrHandshake is a request that is not a valid WebSocket handshake.
var ErrHandshake = errors.New("not a WebSocket handshake")

const acceptSalt = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11" // of RFC 6455

// Accept answers the handshake and hijacks the connection, without deadlines. early is
// what the client sent right after its request. The caller replies to a bad request
// (ErrHandshake); after other errors no reply is possible.
func Accept(w http.ResponseWriter, r *http.Request) (nc net.Conn, early []byte, err error) {
	key := r.Header.Get("Sec-WebSocket-Key")
	if raw, err := base64.StdEncoding.DecodeString(key); err != nil || len(raw) != 16 || !asksFor(r) {
		return nil, nil, ErrHandshake
	}
	nc, rw, err := http.NewResponseController(w).Hijack()
	if errors.Is(err, http.ErrNotSupported) { // HTTP/2, or a wrapper that hides the connection
		return nil, nil, fmt.Errorf("%w: %w", ErrHandshake, err)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("hijack the connection: %w", err)
	}
	if c, ok := nc.(interface{ Watched() net.Conn }); ok { // unwrap the HTTP server's connection
		nc = c.Watched()
	}
	if n := rw.Reader.Buffered(); n > 0 {
		early = make([]byte, n)
		_, err = rw.Reader.Read(early)
	}
	if err == nil {
		err = answer(nc, key)
	}
	if err != nil {
		nc.Close()
		return nil, nil, fmt.Errorf("write handshake: %w", err)
	}
	return nc, early, nil
}

func answer(nc net.Conn, key string) error {
	if err := nc.SetDeadline(time.Time{}); err != nil { // clears those of the HTTP server
		return err
	}
	_, err := nc.Write([]byte("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		"Sec-WebSocket-Accept: " + AcceptKey(key) + "\r\n\r\n"))
	return err
}

// AcceptKey returns Sec-WebSocket-Accept for a client's key.
func AcceptKey(key string) string {
	sum := sha1.Sum([]byte(key + acceptSalt))
	return base64.StdEncoding.EncodeToString(sum[:])
}

func asksFor(r *http.Request) bool {
	return r.Method == http.MethodGet && r.Header.Get("Sec-WebSocket-Version") == "13" &&
		lists(r.Header, "Connection", "upgrade") && lists(r.Header, "Upgrade", "websocket")
}

// lists reports whether a comma-separated header contains a word.
func lists(h http.Header, name, word string) bool {
	for _, line := range h.Values(name) {
		for item := range strings.SplitSeq(line, ",") {
			if strings.EqualFold(strings.TrimSpace(item), word) {
				return true
			}
		}
	}
	return false
}
