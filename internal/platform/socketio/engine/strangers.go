package engine

import (
	"net/netip"
	"sync"
	"time"
)

// burst is how many seconds' worth of handshakes an address may do at once.
const burst = 10 * time.Second

// strangers limits sessions that are not authenticated yet: in total, and per address
// in number and handshake rate. An address is an IPv4 address or an IPv6 /64, which one
// subscriber has.
type strangers struct {
	most  int // sessions in total
	share int // sessions per address
	rate  int // handshakes per second and address; 0: no limit

	mu     sync.Mutex
	total  int
	origin map[netip.Prefix]origin
}

// origin is the state of an address.
type origin struct {
	places int
	until  time.Time // when its handshakes would end at the rate (GCRA)
}

// addressOf returns the address that an IP counts against. Invalid IPs share one.
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
	p, _ := a.Prefix(bits) // fails only for too many bits
	return p
}

// enter reserves a place. full: there is none left at all. wait: how long the address
// must wait.
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

// leave frees a place. The handshake of an authenticated client does not count for the
// rate: many phones connect from the address of one school.
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

// makeRoom limits memory: it forgets addresses without a place, first those below the
// rate. s.mu is held.
func (s *strangers) makeRoom(now time.Time) {
	most := 2 * s.most // at most half of them hold a place
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
