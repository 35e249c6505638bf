package main

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"time"
)

// morningRun is one morning, played at some speed.
type morningRun struct {
	*dayWorld
	ctx    context.Context
	speed  float64
	began  time.Time
	today  string
	people sync.WaitGroup

	mu     sync.Mutex
	routes map[string]*dayRoute
	counts []int // answers by second
	faults []string
}

// dayRoute is what people asked for, with the times of its answers.
type dayRoute struct {
	name  string
	write bool
	times []time.Duration
}

// play plays a morning from nothing marked to everybody served, and checks what is in the
// database then.
func (w *dayWorld) play(ctx context.Context, speed float64) (dayResult, error) {
	today := time.Now().UTC().Format(time.DateOnly)
	if err := w.forget(ctx, today); err != nil {
		return dayResult{}, err
	}
	m := &morningRun{dayWorld: w, ctx: ctx, speed: speed, today: today, began: time.Now(), routes: map[string]*dayRoute{}}
	before, err := w.measure(ctx)
	if err != nil {
		return dayResult{}, err
	}
	w.arrivals(m)
	if w.soak {
		go m.report()
	}
	buses, err := m.drive()
	if err != nil {
		return dayResult{}, err
	}
	m.people.Wait()
	after, err := w.measure(ctx)
	if err != nil {
		return dayResult{}, err
	}
	r := dayResult{speed: speed, took: time.Since(m.began), peak: m.peak(), buses: buses, before: before, after: after, failed: len(m.faults)}
	for _, route := range m.routes {
		slices.Sort(route.times)
		r.routes = append(r.routes, route)
	}
	for _, f := range m.faults[:min(len(m.faults), 5)] {
		fmt.Println("failed:", f)
	}
	r.wrong, err = w.check(ctx, today)
	return r, err
}

// drive lets the buses report every two seconds, and the parents watch them. Nobody watches
// for more than ten minutes: tokens expire.
func (m *morningRun) drive() (all sample, err error) {
	d := m.dialect()
	for left := m.real(m.long); left > 0; left -= 10 * time.Minute {
		f, err := newFleet(m.ctx, d, len(m.schools)*m.buses, m.watchers)
		if err != nil {
			return all, err
		}
		rate := float64(len(f.drivers)) / 2 * m.speed
		one := f.measure(func() float64 { return 0 }, int(rate), min(left, 10*time.Minute))
		f.close()
		all.sent, all.wanted, all.got = all.sent+one.sent, all.wanted+one.wanted, all.got+one.got
		all.faults, all.p99 = all.faults.plus(one.faults), max(all.p99, one.p99)
	}
	return all, nil
}

// peak is the number of answers a second in the busiest ten seconds.
func (m *morningRun) peak() (most float64) {
	for i := range m.counts {
		sum := 0
		for _, n := range m.counts[i:min(i+10, len(m.counts))] {
			sum += n
		}
		most = max(most, float64(sum)/10)
	}
	return most
}

// forget deletes the marks of today and what families were told about them.
func (w *dayWorld) forget(ctx context.Context, today string) error {
	own := `school_id IN (SELECT id FROM schools WHERE code LIKE 'DAY-%')`
	return w.t.exec(ctx, `DELETE FROM attendance WHERE date = '`+today+`' AND `+own, `DELETE FROM notifications WHERE `+own,
		`DELETE FROM attendance_alerts WHERE date = '`+today+`' AND `+own)
}

// check counts what is wrong after a morning: students without a mark, absent ones whose
// parent was not told exactly once.
func (w *dayWorld) check(ctx context.Context, today string) (wrong int64, err error) {
	marked, err := count(ctx, w.t, `SELECT COUNT(*) FROM attendance WHERE date = '`+today+`'
		AND school_id IN (SELECT id FROM schools WHERE code LIKE 'DAY-%')`)
	if err != nil {
		return 0, err
	}
	told, err := count(ctx, w.t, `SELECT COUNT(*) FROM attendance a WHERE date = '`+today+`' AND status = 'ABSENT'
		AND school_id IN (SELECT id FROM schools WHERE code LIKE 'DAY-%') AND 1 = (
			SELECT COUNT(*) FROM notifications n WHERE n.school_id = a.school_id AND n.student_id = a.student_id AND n.type = 'ATTENDANCE')`)
	all := int64(len(w.schools) * w.divisions)
	return all*markStudents - marked + all*dayAbsent - told, err
}

// real is how long a part of the morning takes at this speed.
func (m *morningRun) real(d time.Duration) time.Duration { return time.Duration(float64(d) / m.speed) }

func (m *morningRun) sleep(d time.Duration) {
	select {
	case <-m.ctx.Done():
	case <-time.After(m.real(d)):
	}
}

// arrival is when somebody comes: around two fifths of the morning; in a soak at any time, so that the load stays the same.
func (m *morningRun) arrival() time.Duration {
	if m.soak {
		return rand.N(m.long - m.long/10)
	}
	at := time.Duration((0.4 + 0.15*rand.NormFloat64()) * float64(m.long))
	return min(max(at, 0), m.long-m.long/10)
}

// after is a time soon after now.
func (m *morningRun) after(from, to time.Duration) time.Duration {
	return time.Duration(float64(time.Since(m.began))*m.speed) + from + rand.N(to-from)
}

// comes lets a person use the app from a time of the morning on, however busy the service is.
func (m *morningRun) comes(at time.Duration, who *dayPerson, use func(*dayVisit)) {
	m.people.Add(1)
	time.AfterFunc(time.Until(m.began.Add(m.real(at))), func() {
		defer m.people.Done()
		v := &dayVisit{dayWorld: m.dayWorld, who: who, morn: m}
		if use(v); v.err != nil && m.ctx.Err() == nil {
			m.mu.Lock()
			m.faults = append(m.faults, v.err.Error())
			m.mu.Unlock()
		}
	})
}

// dayConn is a connection to the service.
type dayConn struct {
	net.Conn
	r    *bufio.Reader
	last time.Time // of its last answer
}

func (c *dayConn) close() { _ = c.Close() } // nothing was lost: every answer was read

// connect takes a connection that was used a moment ago, or opens one.
func (w *dayWorld) connect(ctx context.Context) (*dayConn, error) {
	for {
		select {
		case c := <-w.idle:
			if time.Since(c.last) < 20*time.Second { // the service closes idle ones
				return c, nil
			}
			c.close()
			continue
		default:
		}
		var d net.Dialer
		c, err := d.DialContext(ctx, "tcp", w.addr)
		if err != nil {
			return nil, err
		}
		return &dayConn{Conn: c, r: bufio.NewReaderSize(c, 16<<10)}, nil
	}
}

// ask sends a request, unless one failed before, and notes how long the answer took.
func (v *dayVisit) ask(name string, write bool, request func(token string) []byte) {
	if v.err != nil {
		return
	}
	token, err := v.token(v.who)
	if err != nil {
		v.err = err
		return
	}
	raw, start := request(token), time.Now()
	c, err := v.connect(v.morn.ctx)
	if err != nil {
		v.err = err
		return
	}
	if _, err = c.Write(raw); err == nil {
		_, err = answer(c.r)
	}
	if err != nil {
		c.close()
		v.err = fmt.Errorf("%s: %w", name, err)
		return
	}
	c.last = time.Now()
	took := c.last.Sub(start)
	select {
	case v.idle <- c:
	default:
		c.close()
	}
	v.morn.note(name, write, took)
}

func (m *morningRun) note(name string, write bool, took time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.routes[name]
	if r == nil {
		r = &dayRoute{name: name, write: write}
		m.routes[name] = r
	}
	r.times = append(r.times, took)
	second := int(time.Since(m.began).Seconds())
	for len(m.counts) <= second {
		m.counts = append(m.counts, 0)
	}
	m.counts[second]++
}
