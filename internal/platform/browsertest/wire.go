package browsertest

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"
)

// Wire is a network between a browser and a server that can be cut, also for service
// workers, which a tab's emulated network does not reach.
type Wire struct {
	URL string

	server string
	mu     sync.Mutex
	cut    bool
	deaf   bool          // requests arrive, answers do not
	delay  time.Duration // before each chunk of an answer
	held   chan struct{} // answers wait until it is closed; nil: they don't
	open   map[net.Conn]bool
}

// NewWire lays a wire to the server at site and returns it with an address of its own.
func NewWire(t testing.TB, site string) *Wire {
	t.Helper()
	to, err := url.Parse(site)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &Wire{URL: "http://" + listener.Addr().String(), server: to.Host, open: map[net.Conn]bool{}}
	t.Cleanup(func() { _ = listener.Close(); w.Cut() })
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go w.carry(client)
		}
	}()
	return w
}

// Cut closes every connection and refuses new ones.
func (w *Wire) Cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = true
	w.release()
	for c := range w.open {
		_ = c.Close()
	}
}

// LoseAnswers carries requests to the server and closes the connection at its answer.
func (w *Wire) LoseAnswers() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deaf = true
}

// HoldAnswers carries requests to the server and holds its answers back until Mend.
func (w *Wire) HoldAnswers() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.release()
	w.held = make(chan struct{})
}

func (w *Wire) release() {
	if w.held != nil {
		close(w.held)
	}
	w.held = nil
}

// Mend lets connections through again, each chunk of an answer after a delay.
func (w *Wire) Mend(delay time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut, w.deaf, w.delay = false, false, delay
	w.release()
}

func (w *Wire) carry(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("tcp", w.server)
	if err != nil {
		return
	}
	defer server.Close()
	if !w.enter(client, server) {
		return
	}
	defer w.leave(client, server)
	go func() { _, _ = io.Copy(server, client); _ = server.Close() }()
	_, _ = io.Copy(slowly{client, w}, server)
}

func (w *Wire) enter(conns ...net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range conns {
		w.open[c] = true
	}
	return !w.cut
}

func (w *Wire) leave(conns ...net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range conns {
		delete(w.open, c)
	}
}

// slowly waits before each chunk, or until answers are no longer held.
type slowly struct {
	net.Conn
	w *Wire
}

func (s slowly) Write(b []byte) (int, error) {
	s.w.mu.Lock()
	delay, deaf, held := s.w.delay, s.w.deaf, s.w.held
	s.w.mu.Unlock()
	if held != nil {
		<-held
	}
	if deaf {
		return 0, io.ErrClosedPipe
	}
	time.Sleep(delay)
	return s.Conn.Write(b)
}
