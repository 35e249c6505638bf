package socketio

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"homeroom/internal/platform/socketio/engine"
)

const (
	maxHistory      = 10_000    // events of a namespace
	maxHistoryBytes = 16 << 20  // of a namespace
	maxReplay       = 500       // events for one client, half of maxEarly
	maxReplayBytes  = 128 << 10 // for one client, half of its send queue
	pastCost        = 128       // bytes of an event besides its own
)

// history is the latest events of a namespace that were sent to clients that can recover,
// but for volatile ones.
type history struct {
	epoch string        // in every offset, because clients keep the offsets of other servers
	began time.Time     // offsets count from here
	keep  time.Duration // age up to which a client may have missed an event

	mu      sync.Mutex // held while an event is added and sent, so that every client gets them in this order
	events  []past
	bytes   int
	last    int64 // offset of the newest event
	dropped int64 // offset of the newest event that was removed because of the limits
}

// past is an event of the history.
type past struct {
	at   int64 // its offset: microseconds, which don't tell clients how much others are sent
	room string
	only string // instead of the room, the id of a socket
	m    *engine.Message
}

// send adds an event and sends it to the members of the room that can recover.
func (h *history) send(r *room, m *engine.Message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	m = h.add(past{room: r.name, m: m})
	for _, so := range r.everyone().recovering {
		so.send(r, m)
	}
}

// sendOne adds an event and sends it to one socket.
func (h *history) sendOne(so *Socket, m *engine.Message) {
	h.mu.Lock()
	defer h.mu.Unlock()
	so.send(nil, h.add(past{only: so.id, m: m}))
}

func (h *history) now() int64 { return time.Since(h.began).Microseconds() }

func (h *history) offset(at int64) string { return h.epoch + "." + strconv.FormatInt(at, 36) }

// parse returns the position of an offset; 0 if it is not one of this server.
func (h *history) parse(offset string) int64 {
	epoch, rest, _ := strings.Cut(offset, ".")
	at, err := strconv.ParseInt(rest, 36, 64)
	if err != nil || epoch != h.epoch {
		return 0
	}
	return at
}

// newest returns the position of the newest event.
func (h *history) newest() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last
}

// add returns the event's message with its offset.
func (h *history) add(e past) *engine.Message {
	e.at = max(h.last+1, h.now())
	e.m = e.m.WithText(func(text []byte) []byte { // the offset is the last element of the array
		array, _ := bytes.CutSuffix(text, []byte{']'})
		return append(bytes.Clone(array), `,"`+h.offset(e.at)+`"]`...)
	})
	h.events, h.bytes, h.last = append(h.events, e), h.bytes+e.cost(), e.at
	h.prune()
	return e.m
}

// prune removes old events, and the oldest ones above the limits.
func (h *history) prune() {
	for len(h.events) > 0 {
		first := h.events[0]
		old := h.old(first.at)
		if !old && len(h.events) <= maxHistory && h.bytes <= maxHistoryBytes {
			return
		}
		if !old {
			h.dropped = first.at
		}
		h.bytes -= first.cost()
		h.events[0] = past{} // frees the message
		h.events = h.events[1:]
	}
}

func (p past) cost() int { return len(p.m.Frames()) + pastCost }

// old reports whether every client has got the events of that time, or can't recover.
func (h *history) old(at int64) bool { return h.now()-at > h.keep.Microseconds() }

// missed returns the events after a position that were sent to a socket or its rooms, in
// order. It is false if some are no longer kept or outdated, or if they are too many. h.mu
// and so.mu are held.
func (h *history) missed(so *Socket, after int64) (list []held, ok bool) {
	if h.dropped > after && !h.old(h.dropped) {
		return nil, false
	}
	since := map[string]membership{}
	for _, in := range so.rooms {
		since[in.name] = in
	}
	first, _ := slices.BinarySearchFunc(h.events, after+1, func(p past, at int64) int { return cmp.Compare(p.at, at) })
	size := 0
	for _, p := range h.events[first:] {
		if in, was := since[p.room]; p.only == so.id || was && in.since < p.at {
			if p.at <= in.stale {
				return nil, false
			}
			list = append(list, held{in.room, p.m})
			size += len(p.m.Frames())
		}
	}
	return list, len(list) <= maxReplay && size <= maxReplayBytes
}
