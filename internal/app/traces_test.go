package app_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/trace/tracetest"
)

// traced is an option that traces all requests and jobs to c.
func traced(c *tracetest.Collector) apptest.Option {
	return func(o *app.Config) { o.Traces = app.Traces{TracesURL: c.URL, TracesShare: 1} }
}

// find waits for a span of that name, failed or not, and returns it with the spans of its trace.
func find(t *testing.T, c *tracetest.Collector, name string, failed bool) (found tracetest.Span, trace []tracetest.Span) {
	t.Helper()
	if !await.Comes(func() bool {
		all := c.Spans()
		i := slices.IndexFunc(all, func(s tracetest.Span) bool { return s.Name == name && s.Failed == failed })
		if i < 0 {
			return false
		}
		found = all[i]
		trace = slices.DeleteFunc(all, func(s tracetest.Span) bool { return s.Trace != found.Trace })
		return true
	}) {
		t.Fatalf("no span %s", name)
	}
	return found, trace
}

// TestTraces makes a request that writes, and looks at its trace.
func TestTraces(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			c := tracetest.New(t)
			s := apptest.Start(t, engine, traced(c))
			r := s.Call(t, s.North.Admin, "PUT", "/school-admin/setting", m{"name": "Ada Lovelace School"}, "X-Request-Id", "request-4711",
				"traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
			r.OK()
			root, spans := find(t, c, "PUT /school-admin/setting", false)
			want := map[string]string{"http.request.method": "PUT", "http.route": "/school-admin/setting", "http.response.status_code": "200",
				"homeroom.request_id": "request-4711"}
			for key, value := range want {
				if root.Attributes[key] != value {
					t.Errorf("%s is %q, want %q", key, root.Attributes[key], value)
				}
			}
			if root.Parent != "" || root.Kind != 2 || root.Trace == "0af7651916cd43dd8448eb211c80319c" {
				t.Errorf("the root is %+v: strangers must not choose its trace", root)
			}
			checkStatements(t, engine, root, spans)
		})
	}
}

// checkStatements checks that the spans of a request have its transaction, with statements and COMMIT.
func checkStatements(t *testing.T, engine string, root tracetest.Span, spans []tracetest.Span) {
	t.Helper()
	system := map[string]string{"sqlite": "sqlite", "postgres": "postgresql"}[engine]
	byID := map[string]tracetest.Span{}
	for _, s := range spans {
		byID[s.ID] = s
	}
	statements, commits := 0, 0
	for _, s := range spans {
		if s.ID != root.ID && byID[s.Parent].ID == "" {
			t.Errorf("%s has no parent in its trace", s.Name)
		}
		if s.Kind != 3 {
			continue
		}
		if s.Attributes["db.system.name"] != system {
			t.Errorf("the system of %s is %q", s.Name, s.Attributes["db.system.name"])
		}
		switch inside := byID[s.Parent].Name == "transaction"; {
		case s.Name == "COMMIT" && inside:
			commits++
		case inside && strings.Contains(s.Attributes["db.query.text"], ":school"):
			statements++
		}
	}
	if statements == 0 || commits != 1 {
		t.Errorf("%d statements and %d commits in a transaction: %+v", statements, commits, spans)
	}
}

// TestTracesHaveNothingPersonal plays requests and jobs with names, phones, codes, tokens and ids, and looks
// for them in all that was sent to the collector.
func TestTracesHaveNothingPersonal(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			c := tracetest.New(t)
			s := apptest.Start(t, engine, traced(c))
			s.Work(t)
			admin := s.North.Admin
			id := s.Call(t, admin, "POST", "/school-admin/event/create", m{"title": "Ada Lovelace is ten", "eventDate": schoolDay},
				"Idempotency-Key", "key-of-ada-1").OK().Text("id")
			s.Call(t, admin, "GET", "/school-admin/event/"+id, nil).OK()
			s.Call(t, admin, "GET", "/school-admin/event/list?search=lovelace", nil).OK()
			s.Call(t, nil, "GET", "/nowhere/"+id+"/ada.lovelace", nil)
			s.Call(t, nil, "ADA", "/auth/login", nil)
			s.Call(t, nil, "POST", "/auth/login", m{"email": admin.Email, "password": "hunter22hunter22"})
			s.Call(t, nil, "POST", "/parent/user-auth/send-otp", m{"phone": s.North.Parent.Phone})
			find(t, c, "local", false) // the message with the code
			find(t, c, "GET /school-admin/event/{id}", false)
			find(t, c, "_OTHER", false)
			raw := c.Raw()
			for what, bad := range map[string]string{"a name": "ovelace", "a title": "is ten",
				"a phone":   strings.TrimPrefix(s.North.Parent.Phone, "+"),
				"an e-mail": admin.Email, "a password": "hunter22", "a token": admin.Access, "an id in a path": id,
				"a school": string(s.North.ID), "a user": string(admin.ID), "a path": "/nowhere", "a method": `"ADA"`, "a key": "key-of-ada"} {
				if strings.Contains(raw, bad) {
					t.Errorf("%s is in a span: %q", what, bad)
				}
			}
			noRequestIDs := regexp.MustCompile(`"homeroom.request_id","value":\{"stringValue":"[^"]*"`).ReplaceAllString(raw, "")
			if uuid := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}`).FindString(noRequestIDs); uuid != "" {
				t.Errorf("an id is in a span: %s…", uuid)
			}
		})
	}
}

// TestTracesOfProxies lets a trusted proxy decide what is traced, and nobody else.
func TestTracesOfProxies(t *testing.T) {
	t.Parallel()
	const id = "0af7651916cd43dd8448eb211c80319c"
	for name, tt := range map[string]struct {
		change func(*app.Config)
		joined bool
	}{
		"a trusted proxy": {func(o *app.Config) { o.TracesFromProxies = true }, true},
		"a stranger": {func(o *app.Config) {
			o.TracesFromProxies, o.TrustedProxies = true, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
		}, false},
		"a proxy that is only trusted for addresses": {func(*app.Config) {}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := tracetest.New(t)
			s := apptest.Start(t, "sqlite", func(o *app.Config) {
				o.Traces = app.Traces{TracesURL: c.URL, TracesShare: 0}
				o.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
				tt.change(o)
			})
			for _, flags := range []string{"00", "01"} {
				s.Call(t, s.North.Admin, "GET", "/school-admin/setting", nil, "traceparent", "00-"+id+"-b7ad6b7169203331-"+flags).OK()
			}
			if err := s.Close(); err != nil { // sends the last spans
				t.Fatal(err)
			}
			roots := 0
			for _, span := range c.Spans() {
				if span.Trace != id {
					t.Errorf("another trace: %+v", span)
				}
				if span.Parent == "b7ad6b7169203331" {
					roots++
				}
			}
			if joined := roots == 1; joined != tt.joined || !joined && len(c.Spans()) > 0 {
				t.Errorf("%d requests were traced: %+v", roots, c.Spans())
			}
		})
	}
}

// TestTracesOfProvidersAndErrors traces the calls of a provider that fails.
func TestTracesOfProvidersAndErrors(t *testing.T) {
	t.Parallel()
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }))
	defer gateway.Close()
	c := tracetest.New(t)
	s := apptest.Start(t, "sqlite", traced(c), func(o *app.Config) {
		o.SMSProvider, o.Webhook = "webhook", app.Webhook{WebhookURL: app.Secret(gateway.URL + "/{{to}}?text={{body}}"), WebhookMethod: "GET"}
	})
	s.Work(t)
	s.Call(t, nil, "POST", "/parent/user-auth/send-otp", m{"phone": s.North.Parent.Phone})
	job, spans := find(t, c, "notify.deliver", true)
	named := map[string]tracetest.Span{}
	for _, span := range spans {
		named[span.Name] = span
	}
	send, call := named["webhook"], named["GET"]
	if job.Kind != 5 || !send.Failed || send.Parent != job.ID || send.Attributes["homeroom.channel"] != "sms" ||
		!call.Failed || call.Parent != send.ID || call.Attributes["http.response.status_code"] != "502" {
		t.Errorf("job %+v, provider %+v, call %+v", job, send, call)
	}
	if raw := c.Raw(); strings.Contains(raw, strings.TrimPrefix(s.North.Parent.Phone, "+")) || strings.Contains(raw, "text=") {
		t.Error("the URL of the gateway is in a span")
	}
}

// TestTracesCollectorDown answers requests while the collector can't be reached, refuses or hangs, and stops in time.
func TestTracesCollectorDown(t *testing.T) {
	t.Parallel()
	hang, refuse := make(chan struct{}), tracetest.New(t)
	refuse.Answer(http.StatusUnauthorized, "")
	hanging := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-hang }))
	t.Cleanup(hanging.Close)
	t.Cleanup(func() { close(hang) })
	for name, url := range map[string]string{"down": "http://127.0.0.1:1/v1/traces", "refuses": refuse.URL,
		"hangs": hanging.URL + "/v1/traces"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := apptest.Start(t, "sqlite", func(o *app.Config) {
				o.Traces, o.MetricsToken = app.Traces{TracesURL: url, TracesShare: 1}, "a-token-for-the-tests"
				o.ShutdownTimeout = time.Second
			})
			for range 20 {
				s.Call(t, s.North.Admin, "GET", "/school-admin/setting", nil).OK()
			}
			if err := s.Close(); err != nil { // await.Limit and a collector that hangs would outlast the test
				t.Fatal(err)
			}
			w, r := httptest.NewRecorder(), httptest.NewRequestWithContext(context.Background(), http.MethodGet, "/metrics", nil)
			r.Header.Set("Authorization", "Bearer a-token-for-the-tests")
			s.Handler.ServeHTTP(w, r)
			dropped := regexp.MustCompile(`homeroom_trace_spans_total\{result="dropped"\} ([0-9]+)`).FindStringSubmatch(w.Body.String())
			if dropped == nil || len(dropped[1]) < 2 || !strings.Contains(w.Body.String(), `homeroom_trace_spans_total{result="sent"} 0`) {
				t.Errorf("spans are not counted as dropped: %v", dropped)
			}
		})
	}
}
