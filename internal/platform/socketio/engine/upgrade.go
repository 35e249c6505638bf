package engine

import (
	"errors"
	"io"
	"net/http"
	"time"

	"homeroom/internal/platform/socketio/ws"
)

func refuseUpgrade(w http.ResponseWriter, err error) {
	if errors.Is(err, ws.ErrHandshake) {
		refuse(w, http.StatusBadRequest, 3, "Bad request")
	}
}

// serveUpgrade accepts a WebSocket for a polling session. If there is one already, the
// connection is accepted and closed, like the official server does.
func (s *Session) serveUpgrade(w http.ResponseWriter, r *http.Request) {
	nc, early, err := ws.Accept(w, r)
	if err != nil {
		refuseUpgrade(w, err)
		return
	}
	s.mu.Lock()
	taken := s.wire != nil || s.candidate != nil || s.closed
	s.mu.Unlock()
	if taken {
		_, _ = nc.Write(ws.AppendClose(nil, ws.PolicyBroken)) // closed either way
		nc.Close()
		return
	}
	_ = nc.SetDeadline(time.Now().Add(s.srv.cfg.UpgradeTimeout)) // fails only if closed
	wi := newWire(nc, early, s.limit)
	s.srv.crew.Go(func() { s.probe(wi) })
}

// read reads the WebSocket of a session that started with it.
func (s *Session) read() { s.readWire(s.wire) }

// probe reads a new WebSocket during and after the upgrade.
func (s *Session) probe(w *wire) {
	s.readWire(w)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.candidate == w { // the upgrade was not completed
		s.candidate = nil
		s.wake()
	}
}

func (s *Session) readWire(w *wire) {
	err := w.read(func(op ws.Op, payload []byte) error { return s.frame(w, op, payload) })
	if w.active {
		bad, ok := errors.AsType[*ws.Error](err)
		switch {
		case ok:
			s.close(ending{reason: "parse error", code: bad.Code})
			w.drain()
		case errors.Is(err, ErrFormat):
			s.close(ending{reason: "parse error", code: ws.ProtocolError})
			w.drain()
		case errors.Is(err, io.EOF):
			s.close(ending{reason: "transport close", code: ws.Normal})
			w.drain()
		default:
			s.close(ending{reason: "transport close"})
		}
	}
	w.nc.Close()
}

// frame handles a frame.
func (s *Session) frame(w *wire, op ws.Op, payload []byte) error {
	switch op {
	case ws.Pong:
		return nil
	case ws.Close:
		return io.EOF
	case ws.Ping:
		if w.active {
			s.Send(&Message{frames: ws.Append(nil, ws.Pong, payload), droppable: true})
		}
		return nil
	}
	if !w.active {
		return s.move(w, op, payload)
	}
	s.reading.Lock()
	defer s.reading.Unlock()
	if s.isClosed() {
		return nil // the client does not know of the close yet
	}
	if op == ws.Binary {
		return s.up.Binary(payload)
	}
	return s.packet(payload)
}

// move handles the two steps of an upgrade: the probe and the upgrade packet.
func (s *Session) move(w *wire, op ws.Op, payload []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case op != ws.Text || s.closed:
		return ErrFormat
	case string(payload) == "2probe" && s.wire == nil && s.candidate == nil:
		s.candidate = w
		s.wake() // releases a waiting poll
		_, err := w.nc.Write(text("3probe").frames)
		return err
	case string(payload) == string(typeUpgrade) && s.candidate == w:
		s.candidate, s.wire, w.active = nil, w, true
		_ = w.nc.SetDeadline(time.Time{}) // fails only if closed
		s.wake()
		if !s.out.empty() {
			s.startFlush()
		}
		return nil
	}
	return ErrFormat
}
