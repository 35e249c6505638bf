package engine

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"
	"unicode/utf8"

	"homeroom/internal/platform/socketio/ws"
)

// crossing is how long a poll waits for an upgrade in progress.
const crossing = 100 * time.Millisecond

var (
	errUnknown = errors.New("Session ID unknown")
	errOverlap = errors.New("Bad request")
)

// servePoll answers a poll with queued packets, or as soon as there are some.
func (s *Session) servePoll(w http.ResponseWriter, r *http.Request) {
	c := http.NewResponseController(w)
	// The server's write timeout may be shorter than a poll.
	d := s.srv.cfg.PingInterval + s.srv.cfg.PingTimeout + s.srv.cfg.WriteTimeout
	_ = c.SetWriteDeadline(time.Now().Add(d)) // not supported by every wrapper
	_ = c.SetReadDeadline(time.Time{})
	body, err := s.await(r.Context())
	switch {
	case errors.Is(err, errUnknown):
		refuse(w, http.StatusBadRequest, 1, err.Error())
	case errors.Is(err, errOverlap):
		s.close(ending{reason: "transport error", last: typeClose})
		refuse(w, http.StatusBadRequest, 3, err.Error())
	case err != nil:
		s.close(ending{reason: "transport close"})
	default:
		if err := errors.Join(reply(w, body), c.Flush()); err != nil {
			s.close(ending{reason: "transport error"}) // its packets are lost
		}
	}
	_ = c.SetWriteDeadline(time.Time{})
}

// await returns the body of a poll.
func (s *Session) await(ctx context.Context) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.wire != nil || s.closed && s.last == 0:
		return nil, errUnknown
	case s.poll != nil:
		return nil, errOverlap
	case !s.closed && (s.candidate != nil || s.out.empty()):
		if err := s.sleep(ctx); err != nil {
			return nil, err
		}
	}
	switch {
	case s.wire != nil:
		return nil, errUnknown
	case s.candidate != nil && !s.closed:
		return []byte{typeNoop}, nil // queued packets use the new transport
	}
	body := s.out.takePolling()
	switch {
	case s.closed && len(body) > 0:
		body = append(body, separator, typeClose)
	case s.closed && s.last == typeNoop:
		body = []byte{typeNoop}
	case s.closed:
		body = []byte{typeClose}
	case len(body) == 0:
		body = []byte{typeNoop}
	}
	if s.last = 0; s.lingers {
		s.timer.Reset(0) // the client knows of the close
	}
	return body, nil
}

// sleep waits until the session is woken, without s.mu, which is held before and
// after. During an upgrade it waits for its end, not for messages.
func (s *Session) sleep(ctx context.Context) error {
	awake := make(chan struct{})
	s.poll = awake
	var over <-chan time.Time
	if s.candidate != nil {
		over = time.After(crossing)
	}
	s.mu.Unlock()
	var err error
	select {
	case <-awake:
	case <-over:
	case <-ctx.Done():
		err = ctx.Err()
	}
	s.mu.Lock()
	if s.poll == awake {
		s.poll = nil
	}
	return err
}

// servePost handles the packets in the body of a post.
func (s *Session) servePost(w http.ResponseWriter, r *http.Request) {
	c := http.NewResponseController(w)
	_ = c.SetReadDeadline(time.Now().Add(s.srv.cfg.WriteTimeout)) // not supported by every wrapper
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, int64(s.limit())))
	if err != nil {
		s.close(ending{reason: "transport error"})
		refuse(w, http.StatusRequestEntityTooLarge, 3, "Bad request")
		return
	}
	switch err := s.packets(body); {
	case err == nil:
	case errors.Is(err, io.EOF):
		s.close(ending{reason: "transport close", last: typeNoop})
	case errors.Is(err, errUnknown):
		refuse(w, http.StatusBadRequest, 1, err.Error())
		return
	default:
		s.close(ending{reason: "parse error"})
		refuse(w, http.StatusBadRequest, 3, "Bad request")
		return
	}
	_ = reply(w, []byte("ok")) // the client may be gone
}

func (s *Session) packets(body []byte) error {
	if !utf8.Valid(body) {
		return &ws.Error{Code: ws.InvalidText, Text: "the text is not UTF-8"}
	}
	s.reading.Lock()
	defer s.reading.Unlock()
	s.mu.Lock()
	gone := s.wire != nil || s.closed
	s.mu.Unlock()
	if gone {
		return errUnknown
	}
	for p := range bytes.SplitSeq(body, []byte{separator}) {
		if err := s.postedPacket(p); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) postedPacket(p []byte) error {
	if len(p) == 0 || p[0] != 'b' {
		return s.packet(p)
	}
	data, err := base64.StdEncoding.AppendDecode(nil, p[1:])
	if err != nil {
		return ErrFormat
	}
	return s.up.Binary(data)
}

func reply(w http.ResponseWriter, body []byte) error {
	w.Header().Set("Content-Type", "text/plain; charset=UTF-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, err := w.Write(body)
	return err
}
