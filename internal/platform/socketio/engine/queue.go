package engine

import "slices"

// overhead is the cost of a queued message besides its bytes.
const overhead = 64

// queue is the send queue of a client, oldest first.
type queue struct {
	rest  []byte // of a partly written message, which can't be dropped
	items []*Message
	bytes int // of items
}

func (m *Message) cost() int { return len(m.frames) + overhead }

func (q *queue) empty() bool { return len(q.rest) == 0 && len(q.items) == 0 }

// push adds a message and drops the oldest droppable ones to stay within limit, the
// new one last. fits is false if only messages that must arrive are left. An empty
// queue accepts any size.
func (q *queue) push(m *Message, limit int) (dropped int, fits bool) {
	for len(q.items) > 0 && q.bytes+m.cost() > limit {
		i := slices.IndexFunc(q.items, func(m *Message) bool { return m.droppable })
		if i < 0 && m.droppable {
			return dropped + 1, true
		}
		if i < 0 {
			return dropped, false
		}
		q.bytes -= q.items[i].cost()
		q.items = slices.Delete(q.items, i, i+1)
		dropped++
	}
	q.items = append(q.items, m)
	q.bytes += m.cost()
	return dropped, true
}

// take moves about size bytes of complete messages to dst.
func (q *queue) take(dst []byte, size int) []byte {
	dst = append(dst, q.rest...)
	q.rest = nil
	n := 0
	for n < len(q.items) && (len(dst) == 0 || len(dst)+len(q.items[n].frames) <= size) {
		dst = append(dst, q.items[n].frames...)
		q.bytes -= q.items[n].cost()
		n++
	}
	if q.items = slices.Delete(q.items, 0, n); len(q.items) == 0 {
		q.items = nil // frees the memory of an idle client
	}
	return dst
}

// takePolling empties the queue into the body of a poll.
func (q *queue) takePolling() []byte {
	var body []byte
	for _, m := range q.items {
		body = m.appendPolling(body)
	}
	*q = queue{}
	return body
}
