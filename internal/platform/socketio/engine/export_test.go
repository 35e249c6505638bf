package engine

import "homeroom/internal/platform/socketio/ws"

// NewBinary is a lone binary message, which Socket.IO never sends.
func NewBinary(data []byte) *Message { return &Message{frames: ws.Append(nil, ws.Binary, data)} }

// Polled reports whether a poll is waiting.
func (s *Session) Polled() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.poll != nil
}

// Upgrading reports whether a WebSocket has been probed.
func (s *Session) Upgrading() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.candidate != nil
}

// Queue exports queue.
type Queue struct{ queue }

// Push is push.
func (q *Queue) Push(m *Message, limit int) (int, bool) { return q.push(m, limit) }

// Take is take.
func (q *Queue) Take(size int) []byte { return q.take(nil, size) }

// Bytes returns the counted size.
func (q *Queue) Bytes() int { return q.bytes }

// Origins counts the remembered addresses.
func (s *Server) Origins() int {
	s.strangers.mu.Lock()
	defer s.strangers.mu.Unlock()
	return len(s.strangers.origin)
}
