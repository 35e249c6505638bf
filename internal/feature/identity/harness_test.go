package identity_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"homeroom/internal/feature/access"
	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/identity"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/token"
	"homeroom/internal/platform/web"
	"homeroom/internal/schema"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

// each runs a test on each engine, with a new world.
func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	dbtest.Each(t, schema.FS, func(t *testing.T, d *db.DB) { test(t, start(t, d, newClock())) })
}

// clk is a fake clock.
type clk struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clk { return &clk{now: time.Date(2026, 11, 16, 8, 0, 0, 0, time.UTC)} }

func (c *clk) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clk) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// outbox is a fake provider that keeps the messages.
type outbox struct {
	mu   sync.Mutex
	sent []notify.Message
}

func (*outbox) Name() string { return "test" }

func (o *outbox) Send(_ context.Context, m notify.Message) (string, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.sent = append(o.sent, m)
	return "ok", nil
}

func (o *outbox) to(addr string) []notify.Message {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(o.sent), func(m notify.Message) bool { return m.To != addr })
}

// lockedBuffer collects a log.
type lockedBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// world is one node: real routes behind the real gate, on a real database.
type world struct {
	testing.TB
	*clk
	db      *db.DB
	keys    *token.Ring
	people  *identity.Service
	schools *school.Service
	roles   *access.Service
	queue   *jobs.Queue
	server  *web.Server
	outbox  *outbox
	log     *lockedBuffer
	ip      string
}

const secretKey = "test:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

func start(t testing.TB, d *db.DB, c *clk) *world {
	t.Helper()
	keys, err := token.ParseRing(secretKey)
	check(t, err)
	w := &world{TB: t, clk: c, db: d, keys: keys, outbox: &outbox{}, log: &lockedBuffer{}, ip: "192.0.2.1"}
	log := slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	trail := &audit.Service{DB: d, Now: c.Now, NewID: id.New}
	w.roles = &access.Service{DB: d, Audit: trail, Now: c.Now, NewID: id.New}
	notifier := &notify.Notifier{DB: d, Now: c.Now, NewID: id.New, Seal: keys, Log: log,
		Providers: map[notify.Channel]notify.Provider{notify.SMS: w.outbox, notify.Email: w.outbox}}
	w.people = identity.New(identity.Options{DB: d, Audit: trail, Notify: notifier, Keys: keys, Hasher: cheap,
		Now: c.Now, NewID: id.New, Rand: rand.Reader, OTPPerHour: 10, PublicURL: "https://homeroom.test/"})
	w.roles.Users = w.people
	w.schools = &school.Service{DB: d, Audit: trail, Access: w.roles, Admins: w.people, Now: c.Now, NewID: id.New}
	w.people.Schools = w.schools
	check(t, w.schools.Platform(t.Context()))
	w.queue, err = jobs.New(jobs.Options{DB: d, Now: c.Now, NewID: id.New, Chance: func() float64 { return 0 }, Log: log,
		Workers: slices.Concat(notifier.Workers(), w.people.Workers())})
	check(t, err)
	w.server, err = web.New(web.Config{
		Routes: slices.Concat(trail.Routes(), w.roles.Routes(), w.schools.Routes(), w.people.Routes()),
		Gate:   w.people, DB: d, Now: c.Now, NewID: id.New,
		Log: log, Metrics: web.NewMetrics(prometheus.NewRegistry()), Timeout: time.Minute, Limiter: web.NewMemory(c.Now),
		AuthLimiter: web.NewMemory(c.Now),
	})
	check(t, err)
	return w
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// m is a JSON object.
type m = map[string]any

// answer is a decoded response.
type answer struct {
	t      testing.TB
	call   string
	status int
	header http.Header
	text   string
	all    m
}

// call sends a body: flat to sign-in endpoints, in a data object to the others.
func (w *world) call(bearer, method, path string, body m, headers ...string) answer {
	w.Helper()
	var raw []byte
	if body != nil {
		var v any = body
		if !strings.HasPrefix(path, "/auth/") && !strings.Contains(path, "/user-auth/") {
			v = m{"data": body}
		}
		var err error
		raw, err = json.Marshal(v)
		check(w, err)
	}
	r := httptest.NewRequestWithContext(w.Context(), method, path, bytes.NewReader(raw))
	r.RemoteAddr = w.ip + ":4711"
	if bearer != "" {
		r.Header.Set("Authorization", "Bearer "+bearer)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	w.server.ServeHTTP(rec, r)
	a := answer{t: w.TB, call: method + " " + path, status: rec.Code, header: rec.Header(), text: rec.Body.String()}
	if rec.Body.Len() > 0 && strings.HasPrefix(a.header.Get("Content-Type"), "application/json") {
		check(w, json.Unmarshal(rec.Body.Bytes(), &a.all))
	}
	return a
}

func (w *world) post(path string, body m) answer { w.Helper(); return w.call("", "POST", path, body) }

// is asserts the status and, for a failure, the error code and the field of a 422.
func (a answer) is(status int, more ...string) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("%s: status %d, want %d: %s", a.call, a.status, status, a.text)
	}
	if len(more) > 0 && a.all["error"] != more[0] {
		a.t.Fatalf("%s: error %v, want %q: %s", a.call, a.all["error"], more[0], a.text)
	}
	if len(more) > 1 && !strings.Contains(fmt.Sprint(a.all["details"]), "field:"+more[1]+" ") {
		a.t.Fatalf("%s: no detail on %q: %s", a.call, more[1], a.text)
	}
	return a
}

// str walks into the reply: str("user", "id").
func (a answer) str(path ...string) string {
	a.t.Helper()
	var v any = a.all
	for _, p := range path {
		o, ok := v.(m)
		if !ok {
			a.t.Fatalf("%s: no %v in %s", a.call, path, a.text)
		}
		v = o[p]
	}
	s, ok := v.(string)
	if !ok {
		a.t.Fatalf("%s: no text %v in %s", a.call, path, a.text)
	}
	return s
}

func (a answer) access() string  { a.t.Helper(); return a.str("accessToken") }
func (a answer) refresh() string { a.t.Helper(); return a.str("refreshToken") }

// items are the records of a list.
func (a answer) items() []m {
	a.t.Helper()
	list, ok := a.is(200).all["data"].(m)["items"].([]any)
	if !ok {
		a.t.Fatalf("%s: no items in %s", a.call, a.text)
	}
	out := make([]m, len(list))
	for i, v := range list {
		out[i] = v.(m)
	}
	return out
}

func (w *world) super() actor.Actor {
	return actor.Actor{School: school.PlatformID, Role: actor.SuperAdmin, User: id.New()}
}

// school makes a school.
func (w *world) school(code string) id.ID {
	w.Helper()
	s, err := w.schools.Create(w.Context(), w.super(), school.New{Name: "School " + code, Code: code, Timezone: "Europe/Berlin",
		Currency: "EUR", Locale: "en"})
	check(w, err)
	return s.ID
}

// in runs fn in a transaction of a school.
func (w *world) in(at id.ID, fn func(ctx context.Context, tx *db.Tx) error) {
	w.Helper()
	check(w, w.db.InSchool(w.Context(), at, fn))
}

// account makes an account that signs in by phone.
func (w *world) account(at id.ID, role actor.Role, phone string) (user id.ID) {
	w.Helper()
	w.in(at, func(ctx context.Context, tx *db.Tx) (err error) {
		user, err = w.people.CreateAccount(ctx, tx, w.super(), identity.NewAccount{Role: role, Name: "Some " + string(role), Phone: phone})
		return err
	})
	return user
}

const password = "correct horse battery"

// cheap hashes at minimal cost: the tests of the token package have the real one.
var cheap = &token.Hasher{Rand: rand.Reader, Cheap: true}

// admin makes an administrator with a password; at the platform, a super-administrator.
func (w *world) admin(at id.ID, email string) (user id.ID) {
	w.Helper()
	hash, err := cheap.Hash(w.Context(), password)
	check(w, err)
	role := actor.SchoolAdmin
	if at == school.PlatformID {
		role = actor.SuperAdmin
	}
	w.in(at, func(ctx context.Context, tx *db.Tx) (err error) {
		user, err = w.people.CreateAccount(ctx, tx, w.super(), identity.NewAccount{Role: role, Name: "Ada Min", Email: email, PasswordHash: hash})
		return err
	})
	return user
}

// head makes an administrator with every permission by a role of its own.
func (w *world) head(at id.ID) (user id.ID) {
	w.Helper()
	user = w.admin(at, "head@"+string(at)+".test")
	w.in(at, func(ctx context.Context, tx *db.Tx) error {
		role, now := id.New(), w.Now()
		if _, err := db.Exec(ctx, tx, `INSERT INTO roles (school_id, id, name, search, type, created_at, updated_at)
			VALUES (:school, :id, 'Head', 'head', 'SCHOOL_ADMIN', :now, :now)`, db.Args{"id": role, "now": now}); err != nil {
			return err
		}
		modules, err := db.All[id.ID](ctx, tx, `SELECT m.id FROM modules m JOIN schools s ON s.id = :school`, nil)
		for _, module := range modules {
			if err == nil {
				_, err = db.Exec(ctx, tx, `INSERT INTO role_permissions (school_id, id, role_id, module_id, can_read, can_write, can_delete)
					VALUES (:school, :id, :role, :module, TRUE, TRUE, TRUE)`, db.Args{"id": id.New(), "role": role, "module": module})
			}
		}
		if err != nil {
			return err
		}
		return w.people.SetRole(ctx, tx, actor.Actor{}, user, role)
	})
	return user
}

func (w *world) login(email string) answer {
	w.Helper()
	return w.post("/auth/login", m{"email": email, "password": password}).is(200)
}

func (w *world) drain() { w.Helper(); check(w, w.queue.Drain(w.Context())) }

var sixDigits = regexp.MustCompile(`\b[0-9]{6}\b`)

// code asks for a code at the path's prefix and reads it from the phone.
func (w *world) code(prefix, phone string) string {
	w.Helper()
	w.post(prefix+"/send-otp", m{"phone": phone}).is(200)
	w.drain()
	sent := w.outbox.to(phone)
	for _, message := range slices.Backward(sent) { // a warning may have been sent beside the code
		if code := sixDigits.FindString(message.Body); code != "" {
			return code
		}
	}
	w.Fatalf("no code was sent to %s: %v", phone, sent)
	return ""
}

// wrong is another code.
func wrong(code string) string {
	return code[:5] + string('0'+(code[5]-'0'+1)%10)
}

// signIn signs in by a code.
func (w *world) signIn(prefix, phone string) answer {
	w.Helper()
	return w.post(prefix+"/verify-otp", m{"phone": phone, "otp": w.code(prefix, phone)}).is(200)
}

var linkToken = regexp.MustCompile(`https://homeroom\.test/reset\?token=([A-Za-z0-9_-]{43})\b`)

// link is the secret of the last link that was mailed to the address.
func (w *world) link(email string) string {
	w.Helper()
	w.drain()
	sent := w.outbox.to(email)
	for _, mail := range slices.Backward(sent) {
		if found := linkToken.FindStringSubmatch(mail.Body); found != nil {
			return found[1]
		}
	}
	w.Fatalf("no link was sent to %s: %v", email, sent)
	return ""
}

// me reports whether a token works, by the status of a call.
func (w *world) me(bearer string) int {
	w.Helper()
	return w.call(bearer, "GET", "/auth/me", nil).status
}

// fault unwraps the fault of a service's error.
func kind(err error) (fault.Kind, string) { f := fault.From(err); return f.Kind, f.Code }

func (w *world) across() db.Q { return w.db.Across(unscoped.Permit{}) }

// guess tries wrong passwords.
func (w *world) guess(email string, n int) {
	w.Helper()
	for range n {
		w.post("/auth/login", m{"email": email, "password": "not the password"}).is(401)
	}
}

// forgetSent ends the counts of codes sent, so that a test may ask for more.
func (w *world) forgetSent() {
	w.Helper()
	_, err := db.Exec(w.Context(), w.across(), `DELETE FROM tries WHERE key LIKE 'sms%'`, nil)
	check(w, err)
}
