package webpush_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/notify/fake"
	"homeroom/internal/platform/notify/webpush"
	"homeroom/internal/platform/token"
	"homeroom/internal/schema"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func key(kid string) token.Key {
	return token.Key{ID: kid, Secret: []byte(strings.Repeat(kid, 32)[:32])}
}

func ring(t *testing.T, keys ...token.Key) *token.Ring {
	t.Helper()
	r, err := token.NewRing(keys...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// keys returns the stored key of a new school.
func keys(t *testing.T, d *db.DB) *webpush.Keys {
	t.Helper()
	k := &webpush.Keys{DB: d, Home: id.New(), Seal: ring(t, key("a")), Now: time.Now, NewID: id.New}
	_, err := db.Exec(t.Context(), d.Across(unscoped.Permit{}), `
		INSERT INTO schools (id, name, code, timezone, currency, locale, status, created_at, updated_at)
		VALUES (:id, 'Alpha', 'ALPHA', 'UTC', 'USD', 'en', 'ACTIVE', :now, :now)`, db.Args{"id": k.Home, "now": time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func start(t *testing.T) (*fake.PushService, *webpush.Provider, *fake.Browser) {
	t.Helper()
	f := fake.NewPushService(time.Now)
	t.Cleanup(f.Close)
	p := webpush.New(webpush.Options{Keys: keys(t, dbtest.Open(t, "sqlite", schema.FS)), Contact: "mailto:office@example.org", Loopback: true,
		Now: time.Now, Manner: func(notify.Message) webpush.Manner {
			return webpush.Manner{TTL: time.Hour, Urgency: "high", Topic: "a-topic", Path: "/fees"}
		}})
	public, err := p.PublicKey(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return f, p, f.Subscribe(public)
}

func message(b *fake.Browser) notify.Message {
	keys := b.JSON()["keys"].(map[string]any)
	return notify.Message{ID: id.New(), Channel: notify.Push, Device: true,
		To:      fmt.Sprintf("%s#%s.%s", b.Endpoint, keys["p256dh"], keys["auth"]),
		Subject: "Fees", Body: "Due", Lang: "es", Badge: new(2), HTML: "<b>never</b>", User: id.New(),
		Data: map[string]string{"type": "FEE", "id": "r1", "studentId": "7"}}
}

// TestPush: the service accepts the request, and the browser reads the payload.
func TestPush(t *testing.T) {
	t.Parallel()
	f, p, b := start(t)
	m := message(b)
	if answer, err := p.Send(t.Context(), m); err != nil || answer != "201 Created" {
		t.Fatalf("Send: got %q, %v", answer, err)
	}
	got := f.Got(b)
	if len(got) != 1 {
		t.Fatalf("pushes: got %d, want 1", len(got))
	}
	want := fake.Push{ID: m.ID.String(), Title: "Fees", Body: "Due", Lang: "es", Path: "/fees", Tag: "FEE/r1", Badge: got[0].Badge,
		Data: m.Data, TTL: "3600", Urgency: "high", Topic: "a-topic", Size: 1024 + 102}
	if fmt.Sprint(got[0]) != fmt.Sprint(want) || *got[0].Badge != 2 {
		t.Errorf("push: got %+v, want %+v", got[0], want)
	}
	r := f.Requests()[0]
	if strings.Contains(r.Body, "Fees") || strings.Contains(fmt.Sprint(r), "FEE") {
		t.Error("the request shows what it is about")
	}
}

// TestLongTexts: every text fits, whatever it has to escape.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	f, p, b := start(t)
	for _, one := range []string{"a", `"`, "語", "\x01", "<"} {
		m := message(b)
		m.Subject, m.Body = strings.Repeat(one, 3000), strings.Repeat(one, 9000)
		if _, err := p.Send(t.Context(), m); err != nil {
			t.Fatalf("%q: %v", one, err)
		}
		all := f.Got(b)
		got := all[len(all)-1]
		if got.Size != 3072+102 || len(got.Body) < 250 || len(got.Title) > 200 || !strings.HasSuffix(got.Body, one+"…") ||
			strings.Contains(got.Body, "�") {
			t.Errorf("%q: %d bytes, title of %d, body of %d", one, got.Size, len(got.Title), len(got.Body))
		}
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answers   []fake.Answer
		sent      bool
		gone      bool
		permanent bool
		after     time.Duration
		requests  int
	}{
		"created":      {answers: []fake.Answer{{Status: 201}}, sent: true},
		"ok":           {answers: []fake.Answer{{Status: 200}}, sent: true},
		"accepted":     {answers: []fake.Answer{{Status: 202}}, sent: true},
		"not found":    {answers: []fake.Answer{{Status: 404}}, gone: true, permanent: true},
		"gone":         {answers: []fake.Answer{{Status: 410}}, gone: true, permanent: true},
		"quota":        {answers: []fake.Answer{{Status: 429, Header: map[string]string{"Retry-After": "77"}}}, after: 77 * time.Second},
		"quota, then":  {answers: []fake.Answer{{Status: 429}}, after: time.Minute},
		"busy":         {answers: []fake.Answer{{Status: 503, Header: map[string]string{"Retry-After": "5"}}}, after: 5 * time.Second},
		"broken":       {answers: []fake.Answer{{Status: 500}}},
		"forbidden":    {answers: []fake.Answer{{Status: 403}}, after: 10 * time.Minute},
		"unauthorized": {answers: []fake.Answer{{Status: 401}}, after: 10 * time.Minute},
		"bad request":  {answers: []fake.Answer{{Status: 400}}, permanent: true},
		"redirect":     {answers: []fake.Answer{{Status: 307, Header: map[string]string{"Location": "/push/v1/1"}}}},
		"large once":   {answers: []fake.Answer{{Status: 413}}, sent: true, requests: 2},
		"large":        {answers: []fake.Answer{{Status: 413}, {Status: 413}}, requests: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, p, b := start(t)
			f.Next(tt.answers...)
			_, err := p.Send(t.Context(), message(b))
			if (err == nil) != tt.sent || notify.IsGone(err) != tt.gone || jobs.IsPermanent(err) != tt.permanent || jobs.Pause(err) != tt.after {
				t.Errorf("got %v, gone %v, permanent %v, pause %s", err, notify.IsGone(err), jobs.IsPermanent(err), jobs.Pause(err))
			}
			if n := len(f.Requests()); n != max(tt.requests, 1) {
				t.Errorf("%d requests", n)
			}
			if err != nil && strings.Contains(err.Error(), "/push/v1") {
				t.Errorf("the error shows the endpoint: %v", err)
			}
		})
	}
}

// TestPrivateEndpoints: a push service on this machine is refused when it is dialled, and a
// redirect to one is not followed.
func TestPrivateEndpoints(t *testing.T) {
	t.Parallel()
	f, p, b := start(t)
	strict := webpush.New(webpush.Options{Keys: p.Keys, Now: time.Now, Manner: p.Manner})
	m := message(b)
	for _, to := range []string{m.To, strings.Replace(m.To, "http://", "https://", 1), "https://127.0.0.1/x",
		strings.Replace(m.To, b.Endpoint, "https://[::1]/x", 1)} {
		m.To = to
		if _, err := strict.Send(t.Context(), m); err == nil {
			t.Errorf("%s was accepted", to)
		}
	}
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed") }))
	defer inside.Close()
	f.Next(fake.Answer{Status: 308, Header: map[string]string{"Location": inside.URL}})
	if _, err := p.Send(t.Context(), message(b)); err == nil {
		t.Error("a redirect was accepted")
	}
	if n := len(f.Requests()); n != 1 {
		t.Errorf("%d requests, want 1", n)
	}
}

// TestKey: nodes that start at once have the same key, which survives a rotation of the
// signing keys and is encrypted.
func TestKey(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema.FS, func(t *testing.T, d *db.DB) {
		first := keys(t, d)
		node := func(r *token.Ring) *webpush.Keys {
			return &webpush.Keys{DB: d, Home: first.Home, Seal: r, Now: time.Now, NewID: id.New}
		}
		var wg sync.WaitGroup
		var got [4]string
		for i := range got {
			wg.Go(func() {
				k, err := node(ring(t, key("a"))).Get(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				got[i] = k.Public
			})
		}
		wg.Wait()
		public := func(k *webpush.Keys) string {
			t.Helper()
			got, err := k.Get(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if text := fmt.Sprintf("%v %+v %#v", got, got, got); !strings.Contains(text, got.Public) || strings.Contains(text, "private") {
				t.Errorf("a printed key shows more than its public part: %s", text)
			}
			return got.Public
		}
		for _, one := range got {
			if one != public(first) {
				t.Errorf("keys of nodes: got %v", got)
			}
		}
		if public(node(ring(t, key("b"), key("a")))) != got[0] || public(node(ring(t, key("b")))) != got[0] {
			t.Error("the key was lost with the old signing key")
		}
		if _, err := node(ring(t, key("c"))).Get(t.Context()); err == nil {
			t.Error("a node without the signing key has a key")
		}
		var rotated *webpush.Key
		err := d.InAll(t.Context(), unscoped.Permit{}, func(ctx context.Context, tx *db.Tx) (err error) {
			rotated, err = node(ring(t, key("c"))).Rotate(ctx, tx)
			return err
		})
		if err != nil || rotated.Public == got[0] || public(node(ring(t, key("c")))) != rotated.Public {
			t.Errorf("rotated key: %v, %v", rotated, err)
		}
	})
}
