package apptest

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/text"
	"homeroom/internal/platform/web"
)

// Reply is a response of the service, already validated against the OpenAPI document.
type Reply struct {
	t      testing.TB
	what   string
	Status int
	Header http.Header
	Body   []byte
}

// Call sends a request as who; a nil Account sends no token. The body is nil, a
// string sent as it is, or a value that becomes the data object. Headers are
// pairs of name and value.
func (s *Service) Call(t testing.TB, who *Account, method, path string, body any, headers ...string) Reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, strings.NewReader(encode(t, path, body)))
	if err != nil {
		t.Fatal(err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if who != nil {
		req.Header.Set("Authorization", "Bearer "+who.Access)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := s.client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.contract.check(method, req.URL.Path, res.StatusCode, res.Header.Get("Content-Type"), raw); err != nil {
		t.Error(err)
	}
	checkTranslated(t, res, raw)
	return Reply{t: t, what: method + " " + path, Status: res.StatusCode, Header: res.Header, Body: raw}
}

// checkTranslated fails the test if the message of a response, or a detail, has no
// translation. It sees messages as they are put together at run time.
func checkTranslated(t testing.TB, res *http.Response, body []byte) {
	t.Helper()
	var e web.ErrorBody
	if res.StatusCode < 400 || json.Unmarshal(body, &e) != nil || res.Header.Get("Content-Language") != text.Default {
		return
	}
	for _, f := range append(e.Details, fault.Field{Message: e.Message}) {
		if text.Standard().Error("es", f.Message) == f.Message {
			t.Errorf("platform/text/errors/es.yaml has no translation of %s %q", f.Field, f.Message)
		}
	}
}

// encode wraps a value in a data object, except for sign-in paths.
func encode(t testing.TB, path string, body any) string {
	t.Helper()
	if body == nil {
		return ""
	}
	if s, ok := body.(string); ok {
		return s
	}
	if !strings.HasPrefix(path, "/auth/") && !strings.Contains(path, "/user-auth/") {
		body = map[string]any{"data": body}
	}
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// OK ends the test unless the status is a success, and returns the data object.
func (r Reply) OK() Object {
	r.t.Helper()
	if r.Status >= 300 {
		r.t.Fatalf("%s: %d %s", r.what, r.Status, r.Body)
	}
	var v struct{ Data Object }
	if r.Status != http.StatusNoContent {
		if err := json.Unmarshal(r.Body, &v); err != nil {
			r.t.Fatal(err)
		}
	}
	return v.Data
}

// Want ends the test unless the response is an error with this status and code.
func (r Reply) Want(status int, name string) web.ErrorBody {
	r.t.Helper()
	var e web.ErrorBody
	if err := json.NewDecoder(bytes.NewReader(r.Body)).Decode(&e); err != nil || r.Status != status || e.Error != name {
		r.t.Fatalf("%s: %d %s, want %d %s", r.what, r.Status, r.Body, status, name)
	}
	return e
}

// Object is a JSON object of a reply.
type Object map[string]any

// Text returns a string member, or "" if it is no string.
func (o Object) Text(key string) string {
	s, _ := o[key].(string)
	return s
}

// Object returns a member that is an object, or nil.
func (o Object) Object(key string) Object {
	m, _ := o[key].(map[string]any)
	return m
}

// Objects returns a member that is a list of objects.
func (o Object) Objects(key string) []Object {
	list, _ := o[key].([]any)
	out := make([]Object, len(list))
	for i, v := range list {
		m, _ := v.(map[string]any)
		out[i] = m
	}
	return out
}

// Items returns the "items" of a list.
func (o Object) Items() []Object { return o.Objects("items") }
