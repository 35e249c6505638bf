package web_test

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

// gate knows tokens that name a role: "TEACHER", "TEACHER-evaluation", "TEACHER-nothing".
type gate struct{}

func (gate) Authenticate(_ context.Context, token string) (actor.Actor, error) {
	name, mode, _ := strings.Cut(token, "-")
	for _, r := range actor.Roles {
		if string(r) != name {
			continue
		}
		a := actor.Actor{User: "0199f3a2-7c4e-7b11-9d52-3f6a0c8e1b47", Role: r, Evaluation: mode == "evaluation"}
		if mode != "nothing" {
			a.Grants = actor.Grants{"thing": actor.Read | actor.Write | actor.Delete, "exam": actor.Read | actor.Write}
		}
		return a, nil
	}
	return actor.Actor{}, fault.New(fault.Unauthenticated, "", "Not a token.")
}

type thing struct {
	ID   id.ID  `json:"id"`
	Name string `json:"name"`
}

type part struct {
	Status string `json:"status" required:"true" enum:"PRESENT,ABSENT"`
}

type filters struct {
	ClassID id.ID  `json:"classId"`
	Search  string `json:"search"`
	Active  *bool  `json:"active"`
}

type echoIn struct {
	Name   string            `json:"name" required:"true" minLength:"2"`
	Kind   string            `json:"kind" enum:"A,B"`
	Day    clock.Date        `json:"day"`
	At     *time.Time        `json:"at"`
	Count  int               `json:"count" minimum:"1" maximum:"9"`
	Share  float64           `json:"share" minimum:"0"`
	Other  id.ID             `json:"otherId"`
	Mail   string            `json:"email" format:"email"`
	Phone  string            `json:"phone" format:"phone"`
	On     bool              `json:"on"`
	Parts  []part            `json:"records" maxItems:"3"`
	Extra  web.Opt[int]      `json:"extra"`
	Notes  string            `json:"notes" multiline:"true"`
	Tags   []string          `json:"tags"`
	Secret string            `json:"password" format:"password"`
	Labels map[string]string `json:"labels"`
	Any    json.RawMessage   `json:"any"`
	Level  string            `json:"level" enum:"LOW,HIGH" default:"LOW"`
}

func echo(_ context.Context, _ actor.Actor, in echoIn) (echoIn, error) { return in, nil }

type listOut struct {
	Page    int     `json:"page"`
	Limit   int     `json:"limit"`
	Sort    string  `json:"sort"`
	Filters filters `json:"filters"`
}

func list(_ context.Context, _ actor.Actor, in page.Ask[filters]) (listOut, error) {
	r := in.Clamp()
	out := listOut{Page: r.Page, Limit: r.Limit, Filters: in.Filters}
	if r.Sort != nil {
		out.Sort = r.Sort.Field + " " + r.Sort.Order
	}
	return out, nil
}

type oneIn struct {
	ID id.ID `path:"id"`
}

func routes() []web.Route {
	ok := func(context.Context, actor.Actor, web.None) (thing, error) { return thing{Name: "ok"}, nil }
	return []web.Route{
		web.Handle("POST /teacher/thing/echo", echo, web.Write("thing"), web.Doc("Echo.")),
		web.Handle("POST /teacher/thing/stream", echo, web.Write("thing"), web.Stream(), web.Doc("Stream.")),
		web.Handle("POST /teacher/thing/create", echo, web.Write("thing"), web.Created(), web.Doc("Create.")),
		web.Handle("POST /teacher/exam/upload", ok, web.Write("exam"), web.InEvaluation(), web.Doc("Upload.")),
		web.Handle("GET /teacher/thing/list", list, web.Read("thing"), web.List("name", "createdAt"), web.Doc("List.")),
		web.Handle("GET /teacher/thing/{id}", func(_ context.Context, _ actor.Actor, in oneIn) (thing, error) {
			return thing{ID: in.ID}, nil
		}, web.Read("thing"), web.Doc("One.")),
		web.Handle("DELETE /teacher/thing/{id}", func(context.Context, actor.Actor, oneIn) (web.None, error) {
			return web.None{}, nil
		}, web.Delete("thing"), web.Doc("Delete.")),
		web.Handle("GET /teacher/thing/panic", func(context.Context, actor.Actor, web.None) (thing, error) {
			panic("boom with a secret")
		}, web.Read("thing"), web.Doc("Panic.")),
		web.Handle("GET /thing/open", ok, web.Public("everybody may"), web.Doc("Open.")),
		web.Handle("POST /auth/login", func(_ context.Context, _ actor.Actor, in struct {
			Email string `json:"email" required:"true" format:"email"`
		}) (thing, error) {
			return thing{Name: in.Email}, nil
		}, web.SignIn(), web.Doc("Sign in.")),
	}
}

func serve(t testing.TB, change func(*web.Config)) *httptest.Server {
	t.Helper()
	c := web.Config{Routes: routes(), Gate: gate{}, Now: clock.System, NewID: id.New,
		Log: slog.New(slog.DiscardHandler), Metrics: web.NewMetrics(prometheus.NewRegistry()),
		Limiter: web.NewMemory(clock.System), AuthLimiter: web.NewMemory(clock.System), Timeout: 5 * time.Second}
	if change != nil {
		change(&c)
	}
	s, err := web.New(c)
	if err != nil {
		t.Fatal(err)
	}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	return srv
}

type reply struct {
	*http.Response
	text string
}

func call(t testing.TB, srv *httptest.Server, token, method, path, body string, headers ...string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, srv.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := srv.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res, string(text)}
}

func wantError(t *testing.T, r reply, status int, name string) web.ErrorBody {
	t.Helper()
	var e web.ErrorBody
	if err := json.Unmarshal([]byte(r.text), &e); err != nil {
		t.Fatalf("not an error body: %s", r.text)
	}
	if r.StatusCode != status || e.StatusCode != status || e.Error != name || e.Message == "" {
		t.Fatalf("%d %s, want %d %s", r.StatusCode, r.text, status, name)
	}
	if r.Header.Get("X-Request-Id") == "" || !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		t.Fatalf("headers: %v", r.Header)
	}
	return e
}
