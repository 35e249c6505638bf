package engine

import "time"

// batchSize is the most that a flush writes at a time. It is small, so that newer
// messages can still replace older ones in the queue.
const batchSize = 16 << 10

// Send sends a message without blocking: what the network doesn't accept at once is
// queued.
func (s *Session) Send(m *Message) {
	s.mu.Lock()
	s.send(m)
	s.mu.Unlock()
}

// send is Send with s.mu held.
func (s *Session) send(m *Message) {
	if s.closed || s.doomed != "" {
		return
	}
	if s.wire != nil && !s.flushing {
		n, err := s.wire.try(m.frames)
		if err != nil {
			s.doom("transport error")
			return
		}
		if n == len(m.frames) {
			return
		}
		if n > 0 {
			s.out.rest = m.frames[n:]
			s.startFlush()
			return
		}
	}
	dropped, fits := s.out.push(m, s.srv.cfg.MaxQueue)
	if dropped > 0 {
		s.srv.dropped.Add(int64(dropped))
	}
	switch {
	case !fits:
		s.srv.slow.Add(1)
		s.doom("transport error")
	case s.wire != nil:
		s.startFlush()
	default:
		s.wake()
	}
}

// wake wakes the waiting poll; s.mu is held.
func (s *Session) wake() {
	if s.poll != nil {
		close(s.poll)
		s.poll = nil
	}
}

// startFlush writes the queue in a new goroutine; s.mu is held.
func (s *Session) startFlush() {
	if !s.flushing {
		s.flushing = true
		s.srv.crew.Go(s.flush)
	}
}

// flush writes until the queue is empty, then ends.
func (s *Session) flush() {
	var batch []byte
	for {
		var last bool
		if batch, last = s.nextBatch(batch[:0]); len(batch) == 0 {
			if last {
				s.wire.closeWrite() // without the lock: TLS may block
			}
			return
		}
		if _, err := s.wire.nc.Write(batch); err != nil {
			s.mu.Lock()
			s.flushing = false
			s.doom("transport error")
			s.mu.Unlock()
			s.wire.nc.Close() // a closing session has no timer
			return
		}
	}
}

// nextBatch returns what to write now. Empty ends the flush; last ends the session too.
func (s *Session) nextBatch(batch []byte) (next []byte, last bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	batch = s.out.take(batch, batchSize)
	var deadline time.Time
	if len(batch) > 0 {
		deadline = time.Now().Add(s.srv.cfg.WriteTimeout)
	} else {
		s.flushing = false
	}
	if !s.closed { // closing has its own deadline
		_ = s.wire.nc.SetWriteDeadline(deadline) // fails only if closed
	}
	return batch, s.closed
}
