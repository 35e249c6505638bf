package webhook_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db/dbtest"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

type (
	m    = apptest.M
	list = apptest.List
)

const at = "/school-admin/webhook/"

// got is a request that the receiver got.
type got struct {
	id, stamp, signature, body string
	m
}

// receiver is another system.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	got    []got
	status int
	header http.Header
	answer string
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, _ := io.ReadAll(req.Body)
	g := got{id: req.Header.Get("webhook-id"), stamp: req.Header.Get("webhook-timestamp"), signature: req.Header.Get("webhook-signature"),
		body: string(body)}
	_ = json.Unmarshal(body, &g.m)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, g)
	for k, v := range r.header {
		w.Header()[k] = v
	}
	w.WriteHeader(r.status)
	_, _ = io.WriteString(w, r.answer)
}

// answers sets the next answers.
func (r *receiver) answers(status int, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status, r.answer = status, text
}

// taken returns the requests since the last call.
func (r *receiver) taken() []got {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.got
	r.got = nil
	return out
}

// types are the types of requests, in their order.
func types(all []got) string {
	var out []string
	for _, g := range all {
		out = append(out, g.m["type"].(string))
	}
	return strings.Join(out, " ")
}

// signedBy reports whether one of the signatures is that of the secret.
func (g got) signedBy(secret string) bool {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(g.id + "." + g.stamp + "." + g.body))
	want := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, s := range strings.Fields(g.signature) {
		if err == nil && len(key) == 32 && hmac.Equal([]byte(s), []byte(want)) {
			return true
		}
	}
	return false
}

type world struct {
	*apptest.World
	other *receiver
}

// each runs a test with webhooks to this machine allowed.
func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	apptest.Worlds(t, func(w *apptest.World) *world { return &world{w, newReceiver(w.TB)} }, test,
		func(c *app.Config) { c.PrivateWebhooks = true })
}

func newReceiver(t testing.TB) *receiver {
	r := &receiver{status: 204}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

// hook registers the receiver and returns the webhook.
func (w *world) hook(events ...any) apptest.Object {
	w.Helper()
	return w.Admin("POST", at+"create", m{"url": w.other.URL, "events": events}).OK()
}

// event creates a school event, the simplest record that has events.
func (w *world) event(who *apptest.Account) string {
	w.Helper()
	return w.As(who, "POST", "/school-admin/event/create", m{"title": "Secret party", "eventDate": w.Day(3)}).OK().Text("id")
}

// sends runs the due jobs and returns what the receiver got.
func (w *world) sends() []got {
	w.Helper()
	w.Drain()
	if err := w.Hooks.Drain(w.Context()); err != nil {
		w.Fatal(err)
	}
	return w.other.taken()
}

// later moves the clock and sends.
func (w *world) later(d time.Duration) []got {
	w.Helper()
	w.Pass(d)
	return w.sends()
}

// only lets administrators of North have a permission on one module alone, besides roles.
func (w *world) only(module string) *apptest.Account {
	w.Helper()
	role := w.Make("role/create", m{"name": "Only " + module, "type": "SCHOOL_ADMIN"})
	mod := w.One(`SELECT id FROM modules WHERE name = '`+module+`' AND :school <> ''`, nil)
	w.Admin("PUT", "/school-admin/role/"+role+"/permissions", m{"permissions": list{
		m{"moduleId": mod, "canRead": true, "canWrite": true, "canDelete": true}}}).OK()
	w.Make("employee/create", m{"firstName": "Ida", "roleId": role, "email": "ida@example.org"})
	return w.Account(actor.SchoolAdmin, "ida@example.org")
}
