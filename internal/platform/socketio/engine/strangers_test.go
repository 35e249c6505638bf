package engine_test

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/socketio/engine"
)

// from opens a session from an address and returns the answer.
func (l *lab) from(ip string) (status int, retryAfter string) {
	l.Helper()
	req, err := http.NewRequestWithContext(l.Context(), http.MethodGet, l.http.URL+"/engine.io/?"+polling, nil)
	if err != nil {
		l.Fatal(err)
	}
	req.Header.Set("From", ip)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		l.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode, res.Header.Get("Retry-After")
}

// addressLab keeps strangers as they are until they are trusted by hand.
func addressLab(t *testing.T, change func(*engine.Config)) (*lab, chan *engine.Session) {
	t.Helper()
	opened := make(chan *engine.Session, 10_000)
	return newLab(t, func(c *engine.Config) {
		c.ClientIP = func(r *http.Request) string { return r.Header.Get("From") }
		c.Open = func(s *engine.Session) engine.Receiver { opened <- s; return &echo{s: s} }
		change(c)
	}), opened
}

func TestAnAddressHasAShare(t *testing.T) {
	t.Parallel()
	l, opened := addressLab(t, func(c *engine.Config) { c.MaxStrangers, c.MaxPerAddress = 7, 2 })
	for i, x := range []struct {
		ip   string
		want int
	}{
		{"192.0.2.1", 200}, {"192.0.2.1", 200}, {"192.0.2.1", 429}, {"::ffff:192.0.2.1", 429},
		{"192.0.2.2", 200}, // the next one is another's
		{"2001:db8:0:1::1", 200}, {"2001:db8:0:1:ffff::9", 200}, {"2001:db8:0:1::5%eth0", 429}, {"2001:db8:0:2::1", 200},
		{"not an address", 200}, {"192.0.2.9", 503},
	} {
		if got, retry := l.from(x.ip); got != x.want || got != 200 && retry == "" {
			t.Errorf("%d: from %s: %d, Retry-After %q, want %d", i, x.ip, got, retry, x.want)
		}
	}
	(<-opened).Trust()       // of the first address
	(<-opened).Close("done") // and its other one
	for range 2 {
		if got, _ := l.from("192.0.2.1"); got != 200 {
			t.Errorf("after places were given back: %d", got)
		}
	}
	if got, _ := l.from("192.0.2.1"); got == 200 {
		t.Error("more places than there are")
	}
}

func TestAnAddressHasAPace(t *testing.T) {
	t.Parallel()
	l, opened := addressLab(t, func(c *engine.Config) { c.HandshakeRate = 1 })
	taken, refused := 0, 0
	for range 40 {
		switch got, retry := l.from("192.0.2.1"); got {
		case 200:
			taken++
			(<-opened).Close("done") // that places are free does not help
		case 429:
			refused++
			if s, err := strconv.Atoi(retry); err != nil || s < 1 || s > 11 {
				t.Errorf("Retry-After %q", retry)
			}
		default:
			t.Fatal(got)
		}
	}
	if taken < 10 || refused == 0 {
		t.Errorf("%d taken, %d refused, with ten allowed at once", taken, refused)
	}
	for range 40 { // who is known does not count
		if got, _ := l.from("192.0.2.2"); got != 200 {
			t.Fatalf("a school that signs in: %d", got)
		}
		(<-opened).Trust()
	}
}

func TestAddressesAreForgotten(t *testing.T) {
	t.Parallel()
	l, opened := addressLab(t, func(c *engine.Config) { c.MaxStrangers, c.MaxPerAddress, c.HandshakeRate = 20, 2, 1 })
	for i := range 500 {
		if got, _ := l.from(fmt.Sprintf("2001:db8:%x::1", i)); got != 200 {
			t.Fatalf("address %d: %d", i, got)
		}
		(<-opened).Close("done")
		if n := l.srv.Origins(); n > 40 {
			t.Fatalf("%d addresses are remembered", n)
		}
	}
	if got, _ := l.from("192.0.2.1"); got != 200 {
		t.Fatal(got)
	}
	(<-opened).Trust()
	await.Until(t, "an address without a trace to be forgotten", func() bool { return l.srv.Origins() <= 40 })
}
