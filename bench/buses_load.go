package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/bits"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"homeroom/internal/platform/socketio/siotest"
	"homeroom/internal/platform/socketio/ws"
)

// faults are deliveries that went wrong.
type faults struct{ lost, twice, wrong, gone int64 }

func (f faults) plus(o faults) faults {
	return faults{f.lost + o.lost, f.twice + o.twice, f.wrong + o.wrong, f.gone + o.gone}
}

func (f faults) String() string {
	s := fmt.Sprintf("%d, %d, %d", f.lost, f.twice, f.wrong)
	if f.gone > 0 {
		s += fmt.Sprintf(" (%d connections ended)", f.gone)
	}
	return s
}

// dialect is the protocol of a server: how drivers report and how deliveries look.
type dialect struct {
	dial func(ctx context.Context, i, bus int, drives bool) (*member, error)
	say  func(f *fleet, dst []byte, bus int) []byte          // appends the driver's next fix as a text frame
	read func(f *fleet, payload []byte) (sent, number int64) // parses a delivery: µs since f.start, and number of the fix
}

// fleet is buses with their drivers and watchers.
type fleet struct {
	dialect
	start   time.Time
	drivers []*member
	all     []*member
	sent    []int64 // fixes of each bus
	next    int     // the driver whose turn it is
	frame   []byte
	wg      sync.WaitGroup
	closing atomic.Bool

	got, twice, wrong, gone atomic.Int64
	delays                  [64 * 32]atomic.Int64 // of deliveries, by bucket
}

// member is one connection in the room of one bus.
type member struct {
	conn *siotest.Client
	bus  string // text that each delivery must contain
	last int64  // number of the last fix
}

// newFleet connects rooms drivers and rooms × size watchers, and joins their rooms.
func newFleet(ctx context.Context, d dialect, rooms, size int) (*fleet, error) {
	f := &fleet{dialect: d, start: time.Now(), drivers: make([]*member, rooms), all: make([]*member, rooms*(size+1)),
		sent: make([]int64, rooms)}
	work := make(chan int)
	errs := make(chan error, len(f.all))
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			for i := range work {
				m, err := d.dial(ctx, i, i%rooms, i < rooms)
				if err != nil {
					errs <- fmt.Errorf("connection %d: %w", i, err)
					continue
				}
				f.all[i] = m
			}
		})
	}
	for i := range f.all {
		work <- i
	}
	close(work)
	wg.Wait()
	select {
	case err := <-errs:
		return nil, err
	default:
	}
	copy(f.drivers, f.all)
	for _, m := range f.all {
		f.wg.Go(func() { f.watch(m) })
	}
	return f, nil
}

// simple is the dialect of serveBuses and of bench/node.
func simple(url string) dialect {
	return dialect{
		dial: func(ctx context.Context, i, bus int, drives bool) (*member, error) {
			role := "rider"
			if drives {
				role = "driver"
			}
			token, err := busToken("u"+strconv.Itoa(i), role)
			if err != nil {
				return nil, err
			}
			return newMember(ctx, url, token, "s1", "bus-"+strconv.Itoa(bus))
		},
		say: func(f *fleet, dst []byte, bus int) []byte {
			return fmt.Appendf(dst, `42["update-location",{"lat":41.31%03d,"lng":69.2401,"speed":34.5,"heading":182,"timestamp":%d,"seq":%d}]`,
				f.next%1000, time.Since(f.start).Microseconds(), f.sent[bus])
		},
		read: func(_ *fleet, payload []byte) (int64, int64) {
			return numberAfter(payload, `"timestamp":`), numberAfter(payload, `"seq":`)
		},
	}
}

// newMember connects and joins the room of the bus.
func newMember(ctx context.Context, url, token, school, name string) (*member, error) {
	c, err := siotest.Connect(ctx, url, map[string]string{"token": token}, nil)
	if err != nil {
		return nil, err
	}
	answer, err := c.Call("join-bus-room", map[string]string{"schoolId": school, "busId": name})
	var in struct{ OK bool }
	if err == nil && (json.Unmarshal(answer, &in) != nil || !in.OK) {
		err = fmt.Errorf("join: %s", answer)
	}
	if err == nil {
		err = c.NC.SetReadDeadline(time.Time{})
	}
	return &member{conn: c, bus: `"busId":"` + name + `"`}, err
}

// watch reads one connection until it ends.
func (f *fleet) watch(m *member) {
	buf := make([]byte, 512)
	for {
		op, payload, err := m.conn.Next(buf)
		if err != nil || op == ws.Close {
			if !f.closing.Load() {
				f.gone.Add(1)
			}
			return
		}
		if string(payload) == "2" {
			if m.conn.Send("3") != nil {
				continue // the next read fails
			}
		}
		if bytes.HasPrefix(payload, []byte(`42["bus-location",`)) {
			f.delivered(m, payload)
		}
	}
}

// delivered checks a delivery: each fix must come once, and only to the bus's room.
func (f *fleet) delivered(m *member, payload []byte) {
	sent, seq := f.read(f, payload)
	delay := time.Since(f.start).Microseconds() - sent
	if !bytes.Contains(payload, []byte(m.bus)) {
		f.wrong.Add(1)
		return
	}
	if seq <= m.last {
		f.twice.Add(1) // or out of order
		return
	}
	m.last = seq
	f.got.Add(1)
	f.delays[bucket(delay)].Add(1)
}

func numberAfter(payload []byte, key string) int64 {
	_, rest, _ := bytes.Cut(payload, []byte(key))
	var n int64
	for _, c := range rest {
		if c < '0' || c > '9' {
			break
		}
		n = n*10 + int64(c-'0')
	}
	return n
}

// bucket returns the histogram bucket of a delay, with 32 buckets per power of two.
func bucket(us int64) int {
	us = max(us, 0)
	if us < 64 {
		return int(us)
	}
	exp := bits.Len64(uint64(us)) - 6
	return min(exp*32+int(us>>exp), 64*32-1)
}

func bucketFloor(i int) time.Duration {
	if i < 64 {
		return time.Duration(i) * time.Microsecond
	}
	exp := i/32 - 1
	return time.Duration(int64(i-exp*32)<<exp) * time.Microsecond
}

// quantile returns the q-quantile of the delays.
func (f *fleet) quantile(q float64) time.Duration {
	var total, seen int64
	for i := range f.delays {
		total += f.delays[i].Load()
	}
	for i := range f.delays {
		if seen += f.delays[i].Load(); seen > int64(q*float64(total)) {
			return bucketFloor(i)
		}
	}
	return 0
}

// measure publishes rate fixes a second, one bus after another, and waits for
// the last deliveries.
func (f *fleet) measure(cpu func() float64, rate int, window time.Duration) sample {
	for i := range f.delays {
		f.delays[i].Store(0)
	}
	before := faults{twice: f.twice.Load(), wrong: f.wrong.Load(), gone: f.gone.Load()}
	had, used, began := f.got.Load(), cpu(), time.Now()
	sent := f.publish(rate, window)
	m := sample{sent: sent, wanted: int64(sent * len(f.all) / len(f.drivers))}
	for end := time.Now().Add(5 * time.Second); f.got.Load()-had < m.wanted && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	took := time.Since(began).Seconds()
	used = cpu() - used
	m.got = f.got.Load() - had
	m.faults = faults{m.wanted - m.got, f.twice.Load() - before.twice, f.wrong.Load() - before.wrong, f.gone.Load() - before.gone}
	m.p50, m.p99 = f.quantile(0.5), f.quantile(0.99)
	m.perSecond, m.cpu, m.perCPU = float64(m.got)/took, used/took, float64(m.got)/used
	return m
}

func (f *fleet) publish(rate int, window time.Duration) (sent int) {
	began := time.Now()
	for elapsed := time.Duration(0); elapsed < window; elapsed = time.Since(began) {
		for due := int(elapsed.Seconds() * float64(rate)); sent < due; sent++ {
			f.report()
		}
		time.Sleep(200 * time.Microsecond)
	}
	return sent
}

// report sends a fix of the next driver.
func (f *fleet) report() {
	bus := f.next % len(f.drivers)
	f.next++
	f.sent[bus]++
	f.frame = f.say(f, f.frame[:0], bus)
	if f.drivers[bus].conn.WriteFrame(ws.Text, f.frame) != nil {
		f.gone.Add(1)
	}
}

func (f *fleet) close() {
	f.closing.Store(true)
	for _, m := range f.all {
		m.conn.Close()
	}
	f.wg.Wait()
}
