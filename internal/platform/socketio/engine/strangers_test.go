package engine_test

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/socketio/engine"
)

// from opens a session from an address and returns the reply.
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

// addressLab returns a server whose sessions are trusted by hand.
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
		{"192.0.2.2", 200}, // another address
		{"2001:db8:0:1::1", 200}, {"2001:db8:0:1:ffff::9", 200}, {"2001:db8:0:1::5%eth0", 429}, {"2001:db8:0:2::1", 200},
		{"not an address", 200}, {"192.0.2.9", 503},
	} {
		if got, retry := l.from(x.ip); got != x.want || got != 200 && retry == "" {
			t.Errorf("session %d from %s: status %d, Retry-After %q, want %d", i, x.ip, got, retry, x.want)
		}
	}
	(<-opened).Trust()       // a session of the first address
	(<-opened).Close("done") // and its other one
	for range 2 {
		if got, _ := l.from("192.0.2.1"); got != 200 {
			t.Errorf("session after places were freed: status %d", got)
		}
	}
	if got, _ := l.from("192.0.2.1"); got == 200 {
		t.Error("more sessions than MaxStrangers")
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
			(<-opened).Close("done") // a free place does not change the rate
		case 429:
			refused++
			if s, err := strconv.Atoi(retry); err != nil || s < 1 || s > 11 {
				t.Errorf("Retry-After %q", retry)
			}
		default:
			t.Fatalf("session: status %d", got)
		}
	}
	if taken < 10 || refused == 0 {
		t.Errorf("%d accepted, %d refused, with a burst of ten", taken, refused)
	}
	for range 40 { // authenticated sessions don't count
		if got, _ := l.from("192.0.2.2"); got != 200 {
			t.Fatalf("authenticated session: status %d", got)
		}
		(<-opened).Trust()
	}
}

func TestAddressesAreForgotten(t *testing.T) {
	t.Parallel()
	l, opened := addressLab(t, func(c *engine.Config) { c.MaxStrangers, c.MaxPerAddress, c.HandshakeRate = 20, 2, 1 })
	for i := range 500 {
		if got, _ := l.from(fmt.Sprintf("2001:db8:%x::1", i)); got != 200 {
			t.Fatalf("session from address %d: status %d", i, got)
		}
		(<-opened).Close("done")
		if n := l.srv.Origins(); n > 40 {
			t.Fatalf("remembered addresses: got %d", n)
		}
	}
	if got, _ := l.from("192.0.2.1"); got != 200 {
		t.Fatalf("session: status %d", got)
	}
	(<-opened).Trust()
	await.Until(t, "an address without a trace to be forgotten", func() bool { return l.srv.Origins() <= 40 })
}
