package engine

import "time"

// batchSize is how much a slow client's queue gives to the network at a time.
// It is small, so that what is newer can still be preferred to what is older.
const batchSize = 16 << 10

// Send hands a message to the client's transport. It never waits: what the
// network does not take at once is queued.
func (s *Session) Send(m *Message) {
	s.mu.Lock()
	s.send(m)
	s.mu.Unlock()
}

// send is Send; s.mu is held.
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

// wake releases the poll that waits; s.mu is held.
func (s *Session) wake() {
	if s.poll != nil {
		close(s.poll)
		s.poll = nil
	}
}

// startFlush writes the queue in a goroutine of its own; s.mu is held.
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
				s.wire.closeWrite() // without the lock: TLS may have to wait for it
			}
			return
		}
		if _, err := s.wire.nc.Write(batch); err != nil {
			s.mu.Lock()
			s.flushing = false
			s.doom("transport error")
			s.mu.Unlock()
			s.wire.nc.Close() // one that is being closed has no timer any more
			return
		}
	}
}

// nextBatch is what is to be written now; nothing means that the flush is over,
// and last that the session is too.
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
	if !s.closed { // then the deadline of the end holds
		_ = s.wire.nc.SetWriteDeadline(deadline) // fails on a closed connection only
	}
	return batch, s.closed
}
