package engine

import "slices"

// overhead is what a queued message costs beside its bytes.
const overhead = 64

// queue is what a client has yet to take, the oldest first.
type queue struct {
	rest  []byte // of a message that has begun: it can't be left out any more
	items []*Message
	bytes int // of items
}

func (m *Message) cost() int { return len(m.frames) + overhead }

func (q *queue) empty() bool { return len(q.rest) == 0 && len(q.items) == 0 }

// push adds a message and keeps within limit by dropping the oldest that may be
// dropped, the new one last of all. It does not fit where only messages that
// must arrive are left. An empty queue takes a message of any size.
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

// take moves about size bytes of whole messages to dst.
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
		q.items = nil // an idle client holds no memory
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
