package engine

import (
	"net"
	"slices"

	"homeroom/internal/platform/socketio/ws"
)

// bufferSize is that of the buffers that are read into. They are shared.
const bufferSize = 8 << 10

// wire is a WebSocket connection. One goroutine reads it; writers hold the
// session's lock. While it is in use it is closed only after the session was, or
// was doomed, under that lock.
type wire struct {
	plain  bool // raw can be used, which TLS and Windows don't have
	raw    raw
	nc     net.Conn
	srv    *Server
	parser ws.Parser
	part   []byte // the start of a frame that has not arrived whole
	active bool   // it is the session's transport; of the reader alone
}

func (s *Server) newWire(nc net.Conn, early []byte) *wire {
	w := &wire{nc: nc, srv: s, part: early}
	w.plain = w.raw.take(nc)
	return w
}

// try writes as much of b as goes without waiting.
func (w *wire) try(b []byte) (int, error) {
	if !w.plain {
		return 0, nil
	}
	return w.raw.try(b)
}

// read calls handle for every frame until one of both fails.
func (w *wire) read(handle func(ws.Op, []byte) error) error {
	if len(w.part) > 0 { // it came right after the handshake
		if err := w.parse(w.part, handle); err != nil {
			return err
		}
	}
	for {
		if err := w.readOnce(handle); err != nil {
			return err
		}
	}
}

func (w *wire) readOnce(handle func(ws.Op, []byte) error) error {
	if len(w.part) >= bufferSize/2 {
		return w.readLarge(handle)
	}
	if !w.plain {
		shared := w.srv.buffers.Get().(*[]byte)
		defer w.srv.buffers.Put(shared)
		have := copy(*shared, w.part)
		n, err := w.nc.Read((*shared)[have:])
		if err != nil {
			return err
		}
		return w.parse((*shared)[:have+n], handle)
	}
	shared, n, err := w.raw.read(&w.srv.buffers, w.part)
	if err != nil {
		return err
	}
	defer w.srv.buffers.Put(shared)
	return w.parse((*shared)[:n], handle)
}

// readLarge reads on with a frame that is too large for a shared buffer, into
// one that grows with what has come: a mere promise of size takes no memory.
func (w *wire) readLarge(handle func(ws.Op, []byte) error) error {
	w.part = slices.Grow(w.part, bufferSize)
	n, err := w.nc.Read(w.part[len(w.part):cap(w.part)])
	if err != nil {
		return err
	}
	return w.parse(w.part[:len(w.part)+n], handle)
}

func (w *wire) parse(b []byte, handle func(ws.Op, []byte) error) error {
	rest, err := w.parser.Parse(b, handle)
	switch {
	case err != nil:
		return err
	case len(rest) == 0:
		w.part = nil
	case len(w.part) >= bufferSize/2 && len(rest) == len(b):
		w.part = rest // it is growing already
	default:
		w.part = slices.Clone(rest)
	}
	return nil
}

// drain reads on to nowhere, until the client hangs up or the deadline of the
// end comes: closing with bytes unread would take back what was just written.
func (w *wire) drain() {
	shared := w.srv.buffers.Get().(*[]byte)
	defer w.srv.buffers.Put(shared)
	for {
		if _, err := w.nc.Read(*shared); err != nil {
			return
		}
	}
}

func (w *wire) closeWrite() {
	if half, ok := w.nc.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite() // it is closed already
	}
}
