package engine

import (
	"net/netip"
	"sync"
	"time"
)

// burst is how many seconds' worth of handshakes an address may make at once.
const burst = 10 * time.Second

// strangers keeps the places for sessions that are not trusted yet. An address
// has a share of them, so that none can take them all, and a pace at which it
// may ask for one. An address is an IPv4 address or the first 64 bits of an IPv6
// address, all of which one subscriber has.
type strangers struct {
	most  int // sessions in all
	share int // of one address
	rate  int // handshakes a second of one address; 0: no limit

	mu     sync.Mutex
	total  int
	origin map[netip.Prefix]origin
}

// origin is what is known of an address.
type origin struct {
	places int
	until  time.Time // when all its handshakes would have been made at the rate
}

// addressOf is the address that an IP counts for. What is no IP counts for one.
func addressOf(ip string) netip.Prefix {
	a, err := netip.ParseAddr(ip)
	if err != nil {
		return netip.Prefix{}
	}
	a = a.Unmap()
	bits := 64
	if a.Is4() {
		bits = 32
	}
	p, _ := a.Prefix(bits) // fails for more bits than there are
	return p
}

// enter takes a place; full: there is none left for anyone; wait: the address
// must wait for so long.
func (s *strangers) enter(from netip.Prefix, now time.Time) (wait time.Duration, full bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.total >= s.most {
		return 0, true
	}
	o, known := s.origin[from]
	if o.places >= s.share {
		return time.Second, false
	}
	if s.rate > 0 {
		if o.until.Before(now) {
			o.until = now
		}
		o.until = o.until.Add(s.pace())
		if early := o.until.Sub(now) - burst; early > 0 {
			return early, false
		}
	}
	if !known {
		s.makeRoom(now)
	}
	o.places++
	s.origin[from] = o
	s.total++
	return 0, false
}

func (s *strangers) pace() time.Duration { return time.Second / time.Duration(s.rate) }

// leave gives a place back. The handshake of a client that is known by now does
// not count for the rate: many phones connect from the address of one school.
func (s *strangers) leave(from netip.Prefix, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o := s.origin[from]
	o.places--
	if known && s.rate > 0 {
		o.until = o.until.Add(-s.pace())
	}
	if o.places == 0 && !o.until.After(time.Now()) {
		delete(s.origin, from)
	} else {
		s.origin[from] = o
	}
	s.total--
}

// makeRoom bounds the memory: it forgets addresses that hold no place, first
// those that were slow. s.mu is held.
func (s *strangers) makeRoom(now time.Time) {
	most := 2 * s.most // no more than half of them hold a place
	if len(s.origin) < most {
		return
	}
	for from, o := range s.origin {
		if o.places == 0 && !o.until.After(now) {
			delete(s.origin, from)
		}
	}
	for from, o := range s.origin {
		if len(s.origin) <= most-most/8 {
			return
		}
		if o.places == 0 {
			delete(s.origin, from)
		}
	}
}
