// Package webtest calls the routes of a handler in a test, without a network.
package webtest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"homeroom/internal/platform/fault"
)

// Client calls a handler within a test.
type Client struct {
	testing.TB
	Handler http.Handler
}

// Answer is a decoded response.
type Answer struct {
	t       testing.TB
	Request string // method and path
	Status  int
	Header  http.Header
	Text    string         // the body
	Data    map[string]any `json:"data"`
	Error   string         `json:"error"`
	Message string         `json:"message"`
	Details []fault.Field  `json:"details"`
}

// Call sends a request with the bearer token. data becomes the data object; nil sends
// no body. Headers are pairs of name and value.
func (c Client) Call(token, method, path string, data any, headers ...string) Answer {
	c.Helper()
	body := ""
	if m, ok := data.(map[string]any); data != nil && (!ok || m != nil) {
		raw, err := json.Marshal(map[string]any{"data": data})
		if err != nil {
			c.Fatal(err)
		}
		body = string(raw)
	}
	return c.Send(token, method, path, body, headers...)
}

// Send is Call with a body that is sent as it is.
func (c Client) Send(token, method, path, body string, headers ...string) Answer {
	c.Helper()
	r := httptest.NewRequestWithContext(c.Context(), method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+token)
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	rec := httptest.NewRecorder()
	c.Handler.ServeHTTP(rec, r)
	a := Answer{t: c.TB, Request: method + " " + path, Status: rec.Code, Header: rec.Header(), Text: rec.Body.String()}
	if strings.HasPrefix(rec.Header().Get("Content-Type"), "application/json") {
		if err := json.Unmarshal(rec.Body.Bytes(), &a); err != nil {
			c.Fatalf("%s: %v: %s", a.Request, err, a.Text)
		}
		if at := Blank(a.Data); at != "" {
			c.Errorf("%s: data%s is \"\": what is missing must be null (opt.Text)", a.Request, dot(at))
		}
	}
	return a
}

// Is checks the status and, if given, the error code and a field of the details.
func (a Answer) Is(status int, more ...string) Answer {
	a.t.Helper()
	if a.Status != status || len(more) > 0 && a.Error != more[0] || len(more) > 1 && !a.About(more[1]) {
		a.t.Fatalf("%s: %d %q, want %d %q: %s", a.Request, a.Status, a.Error, status, more, a.Text)
	}
	return a
}

// About reports whether the details name the field.
func (a Answer) About(field string) bool {
	return slices.ContainsFunc(a.Details, func(f fault.Field) bool { return f.Field == field })
}

// ID returns the id of the record.
func (a Answer) ID() string { return fmt.Sprint(a.Data["id"]) }

// All returns one field of each record in the list under key.
func (a Answer) All(key, field string) []string {
	a.t.Helper()
	list, ok := a.Data[key].([]any)
	if !ok || a.Status >= http.StatusMultipleChoices {
		a.t.Fatalf("%s: no list %q: %s", a.Request, key, a.Text)
	}
	out := []string{}
	for _, item := range list {
		out = append(out, fmt.Sprint(item.(map[string]any)[field]))
	}
	return out
}
