// Package siotest is a minimal Socket.IO client for tests and benchmarks. It does not
// upgrade, reconnect or keep state.
package siotest

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"homeroom/internal/platform/socketio/ws"
)

// Conn is a WebSocket connection to an Engine.IO server.
type Conn struct {
	NC net.Conn
	br *bufio.Reader
}

// Dial opens a WebSocket to a server such as http://127.0.0.1:3000/socket.io/. query,
// such as "sid=…", is added to the URL. The error of a refusal has the status.
func Dial(ctx context.Context, server, query string, header http.Header) (*Conn, error) {
	u, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	nc, err := d.DialContext(ctx, "tcp", u.Host)
	if err != nil {
		return nil, err
	}
	c, err := upgrade(nc, u, "EIO=4&transport=websocket&"+query, header)
	if err != nil {
		nc.Close()
		return nil, err
	}
	return c, nil
}

func upgrade(nc net.Conn, u *url.URL, query string, header http.Header) (*Conn, error) {
	var key [16]byte
	if _, err := rand.Read(key[:]); err != nil {
		return nil, err
	}
	req := &http.Request{Method: http.MethodGet, URL: &url.URL{Path: u.Path, RawQuery: query}, Host: u.Host, Header: header.Clone()}
	if req.Header == nil {
		req.Header = http.Header{}
	}
	text := base64.StdEncoding.EncodeToString(key[:])
	for name, value := range map[string]string{"Connection": "Upgrade", "Upgrade": "websocket",
		"Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": text} {
		req.Header.Set(name, value)
	}
	if err := req.Write(nc); err != nil {
		return nil, err
	}
	br := bufio.NewReaderSize(nc, 1024)
	res, err := http.ReadResponse(br, req)
	if err != nil {
		return nil, err
	}
	if res.StatusCode != http.StatusSwitchingProtocols {
		return nil, fmt.Errorf("refused: %s", res.Status)
	}
	if got := res.Header.Get("Sec-Websocket-Accept"); got != ws.AcceptKey(text) {
		return nil, fmt.Errorf("Sec-WebSocket-Accept is %q", got)
	}
	return &Conn{NC: nc, br: br}, nil
}

// Upgrade opens a WebSocket on an existing connection, such as TLS.
func Upgrade(nc net.Conn, server string) (*Conn, error) {
	u, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	return upgrade(nc, u, "EIO=4&transport=websocket", nil)
}

// Close closes the connection.
func (c *Conn) Close() { c.NC.Close() }

// Send sends a text frame.
func (c *Conn) Send(text string) error { return c.WriteFrame(ws.Text, []byte(text)) }

// WriteFrame sends one complete, masked frame.
func (c *Conn) WriteFrame(op ws.Op, payload []byte) error {
	_, err := c.NC.Write(MaskedFrame(0x80|byte(op), payload))
	return err
}

// MaskedFrame returns a client's frame with the given first byte.
func MaskedFrame(first byte, payload []byte) []byte {
	key := [4]byte{0x37, 0xfa, 0x21, 0x3d}
	frame := ws.Append(nil, 0, payload)
	head := len(frame) - len(payload)
	frame[0] = first
	frame[1] |= 0x80
	out := append(append([]byte{}, frame[:head]...), key[:]...)
	for i, b := range payload {
		out = append(out, b^key[i&3])
	}
	return out
}

// ReadFrame waits for the next frame, up to a limit.
func (c *Conn) ReadFrame(wait time.Duration) (ws.Op, []byte, error) {
	if err := c.NC.SetReadDeadline(time.Now().Add(wait)); err != nil {
		return 0, nil, err
	}
	return c.Next(nil)
}

// Next waits for the next frame without a limit. The payload uses buf if it fits.
func (c *Conn) Next(buf []byte) (ws.Op, []byte, error) {
	var head [8]byte
	if _, err := io.ReadFull(c.br, head[:2]); err != nil {
		return 0, nil, err
	}
	op, size := ws.Op(head[0]&0x0f), uint64(head[1])
	var err error
	switch size {
	case 126:
		_, err = io.ReadFull(c.br, head[:2])
		size = uint64(binary.BigEndian.Uint16(head[:2]))
	case 127:
		_, err = io.ReadFull(c.br, head[:])
		size = binary.BigEndian.Uint64(head[:])
	}
	if err != nil {
		return 0, nil, err
	}
	if uint64(cap(buf)) < size {
		buf = make([]byte, size)
	}
	buf = buf[:size]
	_, err = io.ReadFull(c.br, buf)
	return op, buf, err
}

// Text waits for a text frame that is not a ping.
func (c *Conn) Text(wait time.Duration) (string, error) {
	end := time.Now().Add(wait)
	for {
		op, payload, err := c.ReadFrame(time.Until(end))
		if err != nil {
			return "", err
		}
		switch {
		case op == ws.Text && string(payload) == "2":
			if err := c.Send("3"); err != nil {
				return "", err
			}
		case op == ws.Text:
			return string(payload), nil
		case op == ws.Close:
			return "", fmt.Errorf("closed by the server: %x", payload)
		}
	}
}

// Await waits for a text with the prefix and skips others.
func (c *Conn) Await(prefix string, wait time.Duration) (string, error) {
	end := time.Now().Add(wait)
	for {
		text, err := c.Text(time.Until(end))
		if err != nil {
			return "", fmt.Errorf("wait for %q: %w", prefix, err)
		}
		if strings.HasPrefix(text, prefix) {
			return text, nil
		}
	}
}
