// Package privilege searches the whole service for privilege escalation, with a
// randomised model test.
//
// A Sequence has a few schools with accounts of all roles. An attacker controls
// some of them (people.go, start.go). The attacker and others call random routes,
// one or two at a time (generate.go, knowledge.go, move.go). After each step, what
// the attacker's sessions can do is compared with the start (power.go). Run plays
// many sequences and shrinks those with a violation (run.go).
//
// Races runs each way to sign in at the same time as each change of the same
// account (races.go).
//
// The tests run a few sequences and rounds, bench/privileges.go many.
package privilege

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"homeroom/internal/app"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/token"
	"homeroom/internal/platform/web"
)

// World is a running service without rate limits, with cheap password hashes and
// a clock that only the test moves.
type World struct {
	app    *app.App
	clock  *clock
	mail   *mailbox
	routes []web.Route

	signing sync.Mutex // serialises sign-in of the super-administrator
	queue   sync.Mutex // one drain at a time: when it returns, everything is sent
	mu      sync.Mutex
	numbers int               // used so far, for unique phones and codes
	super   session           // of the super-administrator
	modules map[string]string // ids by name
	tally   map[string][2]int // calls and successful calls, by route
}

type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

const (
	superEmail = "root@platform.test"
	password   = "correct horse battery"     // initial password of every account
	newSecret  = "quite another long secret" // password that the attacker sets
	keys       = "test:dGhlIHRlc3RzJyBvd24ga2V5LCBrbm93biB0byBldmVyeW9uZSE="
)

// Open starts the service on the database of url, with its own data directory.
func Open(ctx context.Context, url, data string, opts ...func(*app.Config)) (*World, error) {
	store := app.Store{Data: data, DatabaseURL: app.DSN(url), Keys: keys, DBMaxConns: 8}
	log := slog.New(slog.DiscardHandler)
	if err := app.CreateAdmin(ctx, store, log, app.Admin{Email: superEmail, Name: "Root", Password: password}); err != nil {
		return nil, err
	}
	c := app.Default()
	c.Store, c.Workers = store, 1
	c.Rates = app.Rates{}
	for _, o := range opts {
		o(&c)
	}
	w := &World{clock: &clock{now: time.Now().UTC().Truncate(time.Second)}, tally: map[string][2]int{}}
	var err error
	w.app, err = app.New(ctx, c, app.Deps{Now: w.clock.Now, Log: log, Hasher: &token.Hasher{Rand: rand.Reader, Cheap: true}})
	if err != nil {
		return nil, err
	}
	w.routes, w.mail = web.Expand(w.app.Routes), &mailbox{sent: map[string][]string{}}
	for _, c := range notify.Channels {
		w.app.Notify.Providers[c] = w.mail
	}
	return w, nil
}

// Close stops the service.
func (w *World) Close() error { return w.app.Close() }

// home is the client IP address of calls, except those of callFrom.
const home = "192.0.2.1"

// reply is a response of the service.
type reply struct {
	status int
	header http.Header
	all    map[string]any // the body; nil unless it is a JSON object
}

func (r reply) ok() bool { return r.status/100 == 2 }

// data returns the data object of the response.
func (r reply) data() object {
	d, _ := r.all["data"].(map[string]any)
	return d
}

type object = map[string]any

func str(o object, key string) string {
	s, _ := o[key].(string)
	return s
}

// call sends a request. A string body is sent as it is; an object is wrapped in a
// data object, except for sign-in routes.
func (w *World) call(ctx context.Context, bearer, method, path string, body any) reply {
	return w.callFrom(ctx, home, bearer, method, path, body)
}

func (w *World) callFrom(ctx context.Context, ip, bearer, method, path string, body any) reply {
	text, kind := encode(path, body)
	r := httptest.NewRequestWithContext(ctx, method, path, strings.NewReader(text))
	r.RemoteAddr = ip + ":4711"
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	if bearer != "" {
		r.Header.Set("Authorization", "Bearer "+bearer)
	}
	rec := httptest.NewRecorder()
	w.app.Handler.ServeHTTP(rec, r)
	out := reply{status: rec.Code, header: rec.Header()}
	_ = json.Unmarshal(rec.Body.Bytes(), &out.all) // fails for a file
	return out
}

func encode(path string, body any) (text, kind string) {
	switch v := body.(type) {
	case nil:
		return "", ""
	case string:
		return v, "text/csv"
	case object:
		if v == nil {
			return "", ""
		}
		if !strings.HasPrefix(path, "/auth/") && !strings.Contains(path, "/user-auth/") {
			body = object{"data": v}
		}
	}
	raw, err := json.Marshal(body)
	if err != nil {
		panic(err) // bodies hold only strings and lists
	}
	return string(raw), "application/json"
}

// must is call for the setup of a sequence: it panics with a setupError on failure.
func (w *World) must(ctx context.Context, bearer, method, path string, body any) object {
	r := w.call(ctx, bearer, method, path, body)
	if !r.ok() {
		panic(setupError{fmt.Errorf("%s %s: %d %v", method, path, r.status, r.all)})
	}
	return r.data()
}

// setupError aborts the setup of a sequence; see recoverSetup.
type setupError struct{ error }

// recoverSetup turns a panic with a setupError into an error.
func recoverSetup(err *error) {
	if v := recover(); v != nil {
		e, ok := v.(setupError)
		if !ok {
			panic(v)
		}
		*err = errors.Join(*err, e.error)
	}
}

var (
	sixDigits = regexp.MustCompile(`\b[0-9]{6}\b`)
	linkToken = regexp.MustCompile(`token=([A-Za-z0-9_-]{43})`)
)

// mailbox is a notify provider that stores messages instead of sending them.
type mailbox struct {
	mu   sync.Mutex
	sent map[string][]string // by address, oldest first
}

// Name implements notify.Provider.
func (*mailbox) Name() string { return "mailbox" }

// Send implements notify.Provider.
func (b *mailbox) Send(_ context.Context, m notify.Message) (string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sent[m.To] = append(b.sent[m.To], m.Body)
	return "ok", nil
}

// sent returns the messages to a phone or e-mail address, newest first.
func (w *World) sent(ctx context.Context, to string) []string {
	w.queue.Lock()
	err := w.app.Queue.Drain(ctx)
	w.queue.Unlock()
	if err != nil {
		panic(setupError{err})
	}
	w.mail.mu.Lock()
	defer w.mail.mu.Unlock()
	out := slices.Clone(w.mail.sent[to])
	slices.Reverse(out)
	return out
}

// code returns the last sign-in code sent to a phone.
func (w *World) code(ctx context.Context, phone string) string {
	for _, body := range w.sent(ctx, phone) {
		if found := sixDigits.FindString(body); found != "" {
			return found
		}
	}
	return ""
}

// link returns the token of the last password link sent to an e-mail address.
func (w *World) link(ctx context.Context, email string) string {
	for _, body := range w.sent(ctx, email) {
		if found := linkToken.FindStringSubmatch(body); found != nil {
			return found[1]
		}
	}
	return ""
}

// sendCode requests a sign-in code for a phone. If that is too soon after the last
// one, it moves the clock and tries again.
func (w *World) sendCode(ctx context.Context, prefix, phone string) reply {
	body := object{"phone": phone}
	r := w.call(ctx, "", "POST", prefix+"/send-otp", body)
	if r.status == http.StatusTooManyRequests {
		w.clock.pass(time.Minute)
		r = w.call(ctx, "", "POST", prefix+"/send-otp", body)
	}
	return r
}

// asSuper returns an access token of the super-administrator.
func (w *World) asSuper(ctx context.Context) string {
	w.signing.Lock()
	defer w.signing.Unlock()
	if w.super.access != "" && w.call(ctx, w.super.access, "GET", "/auth/me", nil).ok() {
		return w.super.access
	}
	r := w.call(ctx, "", "POST", "/auth/login", object{"email": superEmail, "password": password})
	if !r.ok() {
		panic(setupError{fmt.Errorf("sign in as super-administrator: %d %v", r.status, r.all)})
	}
	w.super = newSession(r, false)
	return w.super.access
}

// nextNumber returns a unique number.
func (w *World) nextNumber() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.numbers++
	return w.numbers
}

// moduleIDs returns the ids of the modules by name.
func (w *World) moduleIDs(ctx context.Context) map[string]string {
	if w.modules == nil {
		w.modules = map[string]string{}
		list, _ := w.must(ctx, w.asSuper(ctx), "GET", "/super-admin/module/list?limit=100", nil)["items"].([]any)
		for _, v := range list {
			m, _ := v.(map[string]any)
			w.modules[str(m, "name")] = str(m, "id")
		}
	}
	return w.modules
}
