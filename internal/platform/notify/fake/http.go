// Package fake has fake servers of the providers on loopback, for tests and
// benchmarks. They are as strict as the real ones, and record what they receive.
package fake

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
)

// Request is a received request.
type Request struct {
	Method string
	Path   string
	Query  string
	Header http.Header
	Body   string
}

// Answer is a scripted response, sent in place of the usual one.
type Answer struct {
	Status int
	Header map[string]string
	Body   string
	Hang   bool // don't respond until the client disconnects
}

// server records requests and sends scripted responses.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	requests []Request
	script   []Answer
}

// Next sets the responses to the next requests. Earlier ones that were not used are dropped.
func (s *server) Next(a ...Answer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = a
}

// Requests returns the received requests.
func (s *server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.requests...)
}

// take records a request and returns its scripted response, if any.
func (s *server) take(r *http.Request) (got Request, told *Answer) {
	body, _ := io.ReadAll(io.LimitReader(r.Body, 1<<20)) // an error leaves a shorter body
	got = Request{r.Method, r.URL.Path, r.URL.RawQuery, r.Header.Clone(), string(body)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, got)
	if len(s.script) > 0 {
		told, s.script = &s.script[0], s.script[1:]
	}
	return got, told
}

// say sends the scripted response.
func (a *Answer) say(w http.ResponseWriter, r *http.Request) {
	if a.Hang {
		<-r.Context().Done()
		return
	}
	for name, value := range a.Header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(a.Status)
	_, _ = io.WriteString(w, a.Body) // fails only if the client disconnected
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // as above
}

// Gateway is an SMS gateway that accepts any request.
type Gateway struct{ server }

// NewGateway starts a server. Close it.
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
