package web_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

const shown = "0199f3a2-7c4e-7b11-9d52-000000000001"

type showIn struct {
	ID   id.ID `path:"id"`
	Fail bool  `json:"fail"`
}

func show(_ context.Context, _ actor.Actor, in showIn) (thing, error) {
	if in.Fail {
		return thing{}, errors.New("no")
	}
	return thing{}, nil
}

// Views of records are recorded on routes with Shows.
func TestShows(t *testing.T) {
	t.Parallel()
	var told []string
	var refuse error
	srv := serve(t, func(c *web.Config) {
		c.Routes = []web.Route{
			web.Handle("GET /teacher/thing/{id}", show, web.Read("thing"), web.Shows("thing", "id")),
			web.Handle("GET /teacher/thing/{id}/plain", show, web.Read("thing")),
		}
		c.Saw = func(_ context.Context, who actor.Actor, entity string, record id.ID) error {
			if who.User == "" || who.RequestID == "" || who.IP == "" {
				t.Errorf("viewer: got %v", who)
			}
			told = append(told, entity+" "+string(record))
			return refuse
		}
	})
	for _, tt := range []struct {
		token, path, body string
		status            int
		want              []string
	}{
		{"TEACHER", "/teacher/thing/" + shown, "", 200, []string{"thing " + shown}},
		{"TEACHER", "/teacher/thing/" + strings.ToUpper(shown), "", 200, []string{"thing " + shown}},
		{"TEACHER", "/teacher/thing/x", "", 404, nil},
		{"TEACHER", "/teacher/thing/" + shown + "/plain", "", 200, nil},
		{"TEACHER", "/teacher/thing/" + shown + "?fail=true", "", 500, nil},
		{"TEACHER-nothing", "/teacher/thing/" + shown, "", 403, nil},
		{"", "/teacher/thing/" + shown, "", 401, nil},
	} {
		told = nil
		if r := call(t, srv, tt.token, "GET", tt.path, tt.body); r.StatusCode != tt.status || !slices.Equal(told, tt.want) {
			t.Errorf("%s: %d, told %v, want %d, %v: %s", tt.path, r.StatusCode, told, tt.status, tt.want, r.text)
		}
	}
	refuse = db.ErrUnavailable
	wantError(t, call(t, srv, "TEACHER", "GET", "/teacher/thing/"+shown, ""), 503, "Service Unavailable")
}

// Shows finds the id in the query and in the body.
func TestShowsByParameter(t *testing.T) {
	t.Parallel()
	type in struct {
		OtherID *id.ID `json:"otherId"`
	}
	var told []id.ID
	srv := serve(t, func(c *web.Config) {
		c.Routes = []web.Route{web.Handle("GET /teacher/thing/other",
			func(context.Context, actor.Actor, in) (thing, error) { return thing{}, nil }, web.Read("thing"), web.Shows("other", "otherId"))}
		c.Saw = func(_ context.Context, _ actor.Actor, _ string, record id.ID) error {
			told = append(told, record)
			return nil
		}
	})
	call(t, srv, "TEACHER", "GET", "/teacher/thing/other?otherId="+shown, "")
	call(t, srv, "TEACHER", "GET", "/teacher/thing/other", `{"data":{"otherId":"`+shown+`"}}`)
	call(t, srv, "TEACHER", "GET", "/teacher/thing/other", "") // without an id
	if !slices.Equal(told, []id.ID{shown, shown}) {
		t.Errorf("recorded views: got %v, want %s twice", told, shown)
	}
}

// New returns an error for a route with Shows whose input has no such id.
func TestShowsNothing(t *testing.T) {
	t.Parallel()
	for _, rt := range []web.Route{
		web.Handle("GET /teacher/thing/{id}", show, web.Read("thing"), web.Shows("thing", "fail")),
		web.Handle("GET /teacher/thing/{id}", show, web.Read("thing"), web.Shows("thing", "thingId")),
	} {
		_, err := web.New(web.Config{Routes: []web.Route{rt}, Gate: gate{}, Now: clock.System, NewID: id.New,
			Log: slog.New(slog.DiscardHandler), Metrics: web.NewMetrics(prometheus.NewRegistry())})
		if err == nil || !strings.Contains(err.Error(), rt.Shows.Param) {
			t.Errorf("%s: %v", rt.Shows.Param, err)
		}
	}
}

// The access log masks tokens in known and unknown paths.
func TestLogHidesTokens(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	srv := serve(t, func(c *web.Config) { c.Log = slog.New(slog.NewTextHandler(&log, nil)) })
	secret := strings.Repeat("s3cret", 8)
	for _, path := range []string{"/teacher/thing/" + secret, "/nowhere/" + secret + ".ics", "/teacher/thing/" + shown} {
		call(t, srv, "TEACHER", "GET", path, "")
	}
	srv.Close()
	if s := log.String(); strings.Contains(s, "s3cret") || !strings.Contains(s, "/teacher/thing/…") || !strings.Contains(s, shown) {
		t.Errorf("the log shows a token, or hides an id: %s", s)
	}
}
