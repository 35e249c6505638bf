package engine

import (
	"net"
	"slices"

	"homeroom/internal/platform/socketio/ws"
)

// readSize is how much is read at once. An idle connection holds a buffer of this size.
const readSize = 1 << 10

// wire is a WebSocket connection. One goroutine reads it; writers hold the
// session's lock or are its flush.
type wire struct {
	tryWriter
	nc     net.Conn
	parser ws.Parser
	buf    []byte // the start of a frame that has not arrived whole
	active bool   // it is the session's transport; of the reader alone
}

func newWire(nc net.Conn, early []byte, limit func() int) *wire {
	w := &wire{nc: nc, buf: early, parser: ws.Parser{Limit: limit}}
	w.init(nc)
	return w
}

// read calls handle for every frame until one of both fails. Bytes that came
// right after the handshake are in buf already.
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

// keep moves the rest to the start of the buffer and makes room for more. The
// buffer grows with what has come: a mere promise of size takes no memory. It
// shrinks again after a large message.
func (w *wire) keep(rest []byte) {
	if len(rest) < readSize && cap(w.buf) > 4*readSize {
		w.buf = make([]byte, 0, 2*readSize)
	}
	w.buf = slices.Grow(append(w.buf[:0], rest...), readSize)
}

// drain reads on to nowhere, until the client hangs up or the deadline of the
// end comes: closing with bytes unread would take back what was just written.
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
		_ = half.CloseWrite() // it is closed already
	}
}
