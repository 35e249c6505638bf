package web_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/url"
	"strings"
	"testing"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/web"
)

// formOf returns a multipart form: "name=value" is a field, "/name" a file.
func formOf(parts ...string) string {
	var b strings.Builder
	for _, p := range parts {
		name, value, ok := strings.Cut(p, "=")
		if !ok {
			b.WriteString("--cut\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + strings.TrimPrefix(p, "/") + "\"\r\n\r\nhello\r\n")
			continue
		}
		b.WriteString("--cut\r\nContent-Disposition: form-data; name=\"" + name + "\"\r\n\r\n" + value + "\r\n")
	}
	return b.String() + "--cut--\r\n"
}

func TestForm(t *testing.T) {
	t.Parallel()
	srv := serve(t, func(c *web.Config) {
		c.Routes = []web.Route{web.Handle("POST /teacher/thing/send", upload, web.Write("thing"), web.TakesForm(uploadMax), web.Doc("Send."))}
	})
	const form = "multipart/form-data; boundary=cut"
	for _, tt := range []struct {
		name, body, contentType string
		status                  int
		want                    string
	}{
		{"fields before", formOf("dryRun=true", "mode=upsert", "/a.txt"), form, 200,
			`"name":"a.txt","text":"hello","size":5,"dryRun":true,"mode":"upsert"`},
		{"fields behind", formOf("/a.txt", "dryRun=true", "mode=upsert"), form, 200, `"size":5,"dryRun":true,"mode":"upsert"`},
		{"no fields", formOf("/a.txt"), form, 200, `"dryRun":false,"mode":"create"`},
		{"a field nobody knows", formOf("colour=red", "/a.txt"), form, 200, `"size":5`},
		{"a wrong field", formOf("mode=replace", "/a.txt"), form, 422, `"field":"mode"`},
		{"a field twice", formOf("mode=upsert", "/a.txt", "mode=create"), form, 400, "twice"},
		{"an empty field, and the same again", formOf("mode=", "mode=upsert", "/a.txt"), form, 200, `"mode":"upsert"`},
		{"a long field", formOf("mode="+strings.Repeat("x", 5<<10), "/a.txt"), form, 400, "4 KiB"},
		{"a path, which is for the handler to refuse", formOf("/../../a.txt"), form, 200, `"name":"../../a.txt"`},
		{"two files", formOf("/a.txt", "/b.txt"), form, 422, "one file per request"},
		{"no file", formOf("mode=upsert"), form, 422, `"field":"file"`},
		{"a form that breaks off", strings.TrimSuffix(formOf("/a.txt", "mode=upsert"), "--cut--\r\n"), form, 400, "again"},
		{"a bare body", "hello", "text/plain", 415, "multipart/form-data"},
		{"too large", strings.Replace(formOf("/a.txt"), "hello", strings.Repeat("x", uploadMax+1), 1), form, 413, "up to 1 MiB"},
	} {
		r := call(t, srv, "TEACHER", "POST", "/teacher/thing/send", tt.body, "Content-Type", tt.contentType)
		if r.StatusCode != tt.status || !strings.Contains(r.text, tt.want) {
			t.Errorf("%s: %d %s, want %d with %s", tt.name, r.StatusCode, r.text, tt.status, tt.want)
		}
	}
}

type nopClose struct{ io.ReadSeeker }

func (nopClose) Close() error { return nil }

// Signed routes accept a token or a signed URL. Invalid signatures are rate limited.
func TestSigned(t *testing.T) {
	t.Parallel()
	give := func(_ context.Context, who actor.Actor, _ struct {
		Sign string `json:"sign"`
	}) (web.File, error) {
		return web.File{Name: "a.txt", Type: "text/plain", Content: &web.Content{
			ReadSeekCloser: nopClose{bytes.NewReader([]byte("for " + string(who.Role)))}, Tag: "t", At: time.Unix(1, 0)}}, nil
	}
	wrong := fault.Denied("wrong")
	srv := serve(t, func(c *web.Config) {
		c.Rates.Read = 3
		c.Routes = []web.Route{web.Handle("GET /thing", give, web.GivesFile("text/plain"), web.Doc("Thing."),
			web.Signed(func(u *url.URL) (bool, error) {
				switch u.Query().Get("sign") {
				case "":
					return false, errors.New("not asked for")
				case "good":
					return true, nil
				}
				return true, wrong
			}))}
	})
	for _, tt := range []struct {
		token, query string
		status       int
		want         string
	}{
		{"TEACHER", "", 200, "for TEACHER"}, {"PARENT", "", 200, "for PARENT"}, {"", "", 401, "Unauthorized"},
		{"", "?sign=good", 200, "for "}, {"TEACHER", "?sign=good", 200, "for "}, {"", "?sign=good", 200, "for "}, {"", "?sign=good", 200, "for "},
		{"", "?sign=bad", 403, "wrong"}, {"TEACHER", "?sign=bad", 403, "wrong"},
		{"", "?sign=bad", 403, "wrong"}, {"", "?sign=bad", 429, "Too many"},
		{"", "?sign=good", 200, "for "},
	} {
		if r := call(t, srv, tt.token, "GET", "/thing"+tt.query, ""); r.StatusCode != tt.status || !strings.Contains(r.text, tt.want) {
			t.Errorf("%s %s: %d %s, want %d with %s", tt.token, tt.query, r.StatusCode, r.text, tt.status, tt.want)
		}
	}
}
