package web

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/go-chi/chi/v5"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/trace"
)

// Config configures a Server.
type Config struct {
	Routes         []Route
	Mounts         map[string]http.Handler // GET handlers outside the API, by chi pattern: "/readyz", "/api-docs/*"
	Gate           Gate
	DB             *db.DB
	Now            clock.Now
	NewID          id.Source
	Log            *slog.Logger
	Metrics        *Metrics
	Tracer         *trace.Tracer // nil: off
	ProxyTraces    bool          // trusted proxies decide what is traced
	Rates          Rates
	Limiter        Limiter // for reads and writes, per user
	AuthLimiter    Limiter // for sign-in, per IP
	TrustedProxies []netip.Prefix
	Origins        []string // allowed by CORS; "localhost" allows all its ports
	Timeout        time.Duration
	TLS            bool

	// Saw records each view of a record on a route with Shows, before the response
	// is sent. If it fails, so does the request.
	Saw func(ctx context.Context, who actor.Actor, entity string, record id.ID) error
}

// Server serves the routes.
type Server struct {
	Config
	mux     *chi.Mux
	handler http.Handler
	running running
}

var (
	errNoPath = fault.New(fault.NotFound, "", "There is no such path. See /api-docs for those there are.")
	errMethod = fault.New(fault.NotAllowed, "", "This path does not support that method. The Allow header lists the ones it does.")
)

// NoPath writes the 404 response of an unknown path.
func NoPath(w http.ResponseWriter, r *http.Request) { Refuse(w, r, errNoPath) }

// New builds the server. It returns an error for duplicate routes.
func New(c Config) (*Server, error) {
	s := &Server{Config: c, mux: chi.NewMux()}
	s.Routes = Expand(c.Routes)
	seen := map[string]bool{}
	for i := range s.Routes {
		rt := &s.Routes[i]
		if seen[rt.Pattern()] {
			return nil, fmt.Errorf("web: %s is declared twice", rt.Pattern())
		}
		seen[rt.Pattern()] = true
		if err := rt.Shows.fits(rt.In); err != nil {
			return nil, fmt.Errorf("web: %s: %w", rt.Pattern(), err)
		}
		s.mux.Method(rt.Method, rt.Path, s.endpoint(rt))
	}
	for path, h := range c.Mounts {
		s.mux.Method(http.MethodGet, path, h)
	}
	s.mux.NotFound(func(w http.ResponseWriter, r *http.Request) { fail(w, r, s.Log, errNoPath) })
	s.mux.MethodNotAllowed(s.methodNotAllowed)
	s.handler = s.outer(s.mux)
	return s, nil
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// endpoint returns the handler of a route.
func (s *Server) endpoint(rt *Route) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), s.timeFor(w, rt))
		defer cancel()
		r = r.WithContext(ctx)
		setRoute(ctx, rt)
		a, err := s.answer(w, r, rt)
		if err != nil {
			s.dropCookie(w, r, rt, err)
			failAs(w, r, s.Log, err, rt.Standard)
			return
		}
		if a.file != nil {
			s.send(w, r, a.file)
			return
		}
		write(w, a)
	}
}

// timeFor returns the timeout of the route. For a route with its own (Within), it
// extends the deadlines of the connection, with a margin for slow clients.
func (s *Server) timeFor(w http.ResponseWriter, rt *Route) time.Duration {
	if rt.limit == 0 {
		return s.Timeout
	}
	conn, end := http.NewResponseController(w), time.Now().Add(rt.limit)
	_ = conn.SetReadDeadline(end) // a writer that doesn't support deadlines has none to extend
	_ = conn.SetWriteDeadline(end.Add(time.Minute))
	return rt.limit
}

func (s *Server) answer(w http.ResponseWriter, r *http.Request, rt *Route) (answer, error) {
	who, err := s.admit(w, r, rt)
	if err != nil {
		return answer{}, err
	}
	browser, err := rt.fromBrowser(r)
	if err != nil {
		return answer{}, err
	}
	src, err := read(w, r, rt)
	if err != nil {
		bad := &work{s: s, rt: rt, src: source{req: r}, w: w}
		return answer{}, cmp.Or(bad.count(r.Context(), nil, err), err)
	}
	defer src.upload.remove()
	work := &work{s, rt, who, src, w, Language(r), browser}
	if key := r.Header.Get("Idempotency-Key"); key != "" && rt.repeatable() && who.User != "" {
		return s.once(w, r, call{who: who, key: key, hash: src.hash()}, work)
	}
	return work.do(r.Context(), work.run)
}

// work is a call that passed the gate.
type work struct {
	s   *Server
	rt  *Route
	who actor.Actor
	src source
	w   http.ResponseWriter // for headers

	lang    string // of the messages in the response
	browser bool   // keeps the session's secret in a cookie
}

// do binds the input, runs Before and then run.
func (k *work) do(ctx context.Context, run func(ctx context.Context, in any) (answer, error)) (answer, error) {
	in, err := k.rt.bind(k.src)
	if err == nil {
		err = k.fillSecret(in)
	}
	if err == nil {
		err = k.fillKey(in)
	}
	err = cmp.Or(k.count(ctx, in, err), err)
	if err != nil {
		return answer{}, err
	}
	k.fillAuthorization(in)
	if k.rt.before == nil {
		return run(ctx, in)
	}
	undo, err := k.rt.before(ctx, k.who, in)
	if err != nil {
		return answer{}, err
	}
	a, err := run(ctx, in)
	if err != nil && !errors.Is(err, db.ErrUnknown) { // which may have been saved
		undo()
	}
	return a, err
}

// handle calls the handler.
func (k *work) handle(ctx context.Context, in any) (answer, error) {
	out, err := k.rt.run(ctx, k.who, in)
	if err == nil {
		err = k.s.recordView(ctx, k.rt, k.who, in)
	}
	if err != nil {
		return answer{}, err
	}
	out, cookie := k.keepSecret(out)
	a, err := k.rt.success(out, k.lang)
	a.cookie = cookie
	return a, err
}

func (s *Server) methodNotAllowed(w http.ResponseWriter, r *http.Request) {
	var allow []string
	for _, m := range []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"} {
		probe := m
		if m == "HEAD" {
			probe = "GET"
		}
		if s.mux.Match(chi.NewRouteContext(), probe, r.URL.Path) {
			allow = append(allow, m)
		}
	}
	w.Header().Set("Allow", strings.Join(append(allow, "OPTIONS"), ", "))
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	fail(w, r, s.Log, errMethod)
}
