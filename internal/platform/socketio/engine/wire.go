package engine

import (
	"net"
	"slices"

	"homeroom/internal/platform/socketio/ws"
)

// readSize is the read buffer of an idle connection.
const readSize = 1 << 10

// wire is a WebSocket connection. One goroutine reads it; writers hold the session's
// lock or are its flush.
type wire struct {
	tryWriter
	nc     net.Conn
	parser ws.Parser
	buf    []byte // the start of an incomplete frame
	active bool   // the session's transport; belongs to the reader
}

func newWire(nc net.Conn, early []byte, limit func() int) *wire {
	w := &wire{nc: nc, buf: early, parser: ws.Parser{Limit: limit}}
	w.init(nc)
	return w
}

// read calls handle for every frame until either fails. Bytes that came right after
// the handshake are in buf already.
func (w *wire) read(handle func(ws.Op, []byte) error) error {
	for {
		rest, err := w.parser.Parse(w.buf, handle)
		if err != nil {
			return err
		}
		w.keep(rest)
		n, err := w.nc.Read(w.buf[len(w.buf):cap(w.buf)])
		if err != nil {
			return err
		}
		w.buf = w.buf[:len(w.buf)+n]
	}
}

// keep moves the rest to the start of the buffer and makes room for more. The buffer
// grows with received bytes, not with announced sizes. It shrinks after a large
// message.
func (w *wire) keep(rest []byte) {
	if len(rest) < readSize && cap(w.buf) > 4*readSize {
		w.buf = make([]byte, 0, 2*readSize)
	}
	w.buf = slices.Grow(append(w.buf[:0], rest...), readSize)
}

// drain discards input until the client disconnects or the deadline: closing with
// unread bytes would reset the connection and lose what was just written.
func (w *wire) drain() {
	nowhere := make([]byte, readSize)
	for {
		if _, err := w.nc.Read(nowhere); err != nil {
			return
		}
	}
}

func (w *wire) closeWrite() {
	if half, ok := w.nc.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // fails only if closed
	}
}
