// Package fake has servers on loopback that speak the protocols of the real
// providers, as strictly as they do. Tests and benchmarks send to them and read
// what arrived.
package fake

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
)

// Request is what a server was sent.
type Request struct {
	Method string
	Path   string
	Query  string
	Header http.Header
	Body   string
}

// Answer is what a server is told to say in place of its own answer.
type Answer struct {
	Status int
	Header map[string]string
	Body   string
	Hang   bool // say nothing until the caller gives up
}

// server is what the HTTP fakes share: it records, and answers as it is told.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	requests []Request
	script   []Answer
}

// Next has the server give these answers to the next requests, one each.
func (s *server) Next(a ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = append(s.script, a...)
}

// Requests is what arrived so far.
func (s *server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// take records a request and returns the answer that it is to get, if it was told one.
func (s *server) take(r *http.Request) (got Request, told *Answer) {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20)) // what can't be read is not there
	got = Request{r.Method, r.URL.Path, r.URL.RawQuery, r.Header.Clone(), string(body)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, got)
	if len(s.script) > 0 {
		told, s.script = &s.script[0], s.script[1:]
	}
	return got, told
}

// say gives the answer that was told.
func (a *Answer) say(w http.ResponseWriter, r *http.Request) {
	if a.Hang {
		<-r.Context().Done()
		return
	}
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(a.Status)
	_, _ = io.WriteString(w, a.Body) // the reader is gone: nothing is left to tell it
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // as above
}

// Gateway takes anything, as gateways for text messages do.
type Gateway struct{ server }

// NewGateway starts one. Close it.
func NewGateway() *Gateway {
	g := &Gateway{}
	g.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, told := g.take(r); told != nil {
			told.say(w, r)
			return
		}
		_, _ = io.WriteString(w, "OK queued") // as above
	}))
	return g
}
