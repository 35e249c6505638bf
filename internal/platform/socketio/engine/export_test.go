package engine

import "homeroom/internal/platform/socketio/ws"

// NewBinary is a binary message alone, which Socket.IO never sends.
func NewBinary(data []byte) *Message { return &Message{frames: ws.Append(nil, ws.Binary, data)} }

// Polled tells whether a poll waits for something to send.
func (s *Session) Polled() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.poll != nil
}

// Upgrading tells whether a WebSocket is about to take over.
func (s *Session) Upgrading() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.candidate != nil
}

// Queue opens the queue to its tests.
type Queue struct{ queue }

// Push is push.
func (q *Queue) Push(m *Message, limit int) (int, bool) { return q.push(m, limit) }

// Take is take.
func (q *Queue) Take(size int) []byte { return q.take(nil, size) }

// Bytes is what the queue counts.
func (q *Queue) Bytes() int { return q.bytes }

// Origins counts the addresses that the server remembers.
func (s *Server) Origins() int {
	s.strangers.mu.Lock()
	defer s.strangers.mu.Unlock()
	return len(s.strangers.origin)
}
