package web_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/openapi"
	"homeroom/internal/platform/web"
)

type uploadIn struct {
	File   web.Upload `json:"-"`
	DryRun bool       `json:"dryRun"`
	Mode   string     `json:"mode" enum:"create,upsert" default:"create"`
}

type uploadOut struct {
	Name   string `json:"name"`
	Text   string `json:"text"`
	Size   int64  `json:"size"`
	DryRun bool   `json:"dryRun"`
	Mode   string `json:"mode"`
}

const uploadMax = 1 << 20

func upload(_ context.Context, _ actor.Actor, in uploadIn) (uploadOut, error) {
	text, err := io.ReadAll(in.File)
	if len(text) > 100 {
		text = text[:100]
	}
	return uploadOut{Name: in.File.Name, Text: string(text), Size: in.File.Size, DryRun: in.DryRun, Mode: in.Mode}, err
}

type downloadIn struct {
	Fail string `json:"fail"`
}

func download(_ context.Context, _ actor.Actor, in downloadIn) (web.File, error) {
	if in.Fail == "at once" {
		return web.File{}, fault.Missing("thing")
	}
	return web.File{Name: `Zoë "1".csv`, Type: "text/csv", Write: func(_ context.Context, w io.Writer) error {
		if in.Fail == "early" {
			_, _ = io.WriteString(w, "some")
			return fault.Missing("thing")
		}
		if _, err := io.WriteString(w, "a,b\n"); err != nil {
			return err
		}
		if in.Fail == "late" {
			_, _ = w.Write(bytes.Repeat([]byte("x"), 100<<10))
			return errors.New("the disk is gone")
		}
		return nil
	}}, nil
}

func fileRoutes() []web.Route {
	return []web.Route{
		web.Handle("POST /teacher/thing/import", upload, web.Write("thing"), web.TakesFile("text/csv", uploadMax, "application/csv"),
			web.Within(time.Minute), web.Doc("Import.")),
		web.Handle("GET /teacher/thing/export", download, web.Read("thing"), web.GivesFile("text/csv"), web.Doc("Export.")),
	}
}

func serveFiles(t *testing.T) *httptest.Server {
	t.Helper()
	return serve(t, func(c *web.Config) { c.Routes = fileRoutes() })
}

func form(t *testing.T, field, name, text string) (body, contentType string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if err := w.WriteField("note", "comes before"); err != nil {
		t.Fatal(err)
	}
	p, err := w.CreateFormFile(field, name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(p, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String(), w.FormDataContentType()
}

func TestUpload(t *testing.T) {
	t.Parallel()
	srv := serveFiles(t)
	sheet, sheetType := form(t, "file", "pupils.csv", "a,b\n1,2\n")
	other, otherType := form(t, "sheet", "pupils.csv", "a,b\n1,2\n")
	full, fullType := form(t, "file", "full.csv", strings.Repeat("x", uploadMax))
	over, overType := form(t, "file", "over.csv", strings.Repeat("x", uploadMax+1))
	for _, tt := range []struct {
		name, query, body, contentType string
		status                         int
		want                           string // in the answer
	}{
		{"a form", "?dryRun=true&mode=upsert", sheet, sheetType, 200,
			`"name":"pupils.csv","text":"a,b\n1,2\n","size":8,"dryRun":true,"mode":"upsert"`},
		{"a bare body", "", "a;b\n", "text/csv; charset=utf-8", 200, `"name":"","text":"a;b\n","size":4,"dryRun":false,"mode":"create"`},
		{"another word for it", "", "a;b\n", "application/csv", 200, `"size":4`},
		{"as large as may be", "", full, fullType, 200, `"size":1048576`},
		{"too large a part", "", over, overType, 413, "up to 1 MiB"},
		{"too large a body", "", strings.Repeat("x", uploadMax+1), "text/csv", 413, "up to 1 MiB"},
		{"far too large", "", strings.Repeat("x", 3*uploadMax), "text/csv", 413, "up to 1 MiB"},
		{"JSON", "", `{"data":{}}`, "application/json", 415, "text/csv"},
		{"no type", "", "a,b\n", " ", 415, "text/csv"},
		{"no such part", "", other, otherType, 422, `"field":"file"`},
		{"a form that breaks off", "", sheet[:len(sheet)-30], sheetType, 400, "again"},
		{"a form without its boundary", "", sheet, "multipart/form-data", 400, "again"},
		{"a parameter that is wrong", "?mode=replace", "a,b\n", "text/csv", 422, `"field":"mode"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := call(t, srv, "TEACHER", "POST", "/teacher/thing/import"+tt.query, tt.body, "Content-Type", tt.contentType)
			if r.StatusCode != tt.status || !strings.Contains(r.text, tt.want) {
				t.Errorf("%d %s, want %d with %s", r.StatusCode, r.text, tt.status, tt.want)
			}
		})
	}
}

func TestUploadLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	srv := serveFiles(t)
	for _, body := range []string{"a,b\n", strings.Repeat("x", uploadMax+1)} {
		call(t, srv, "TEACHER", "POST", "/teacher/thing/import", body, "Content-Type", "text/csv")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// The size limit applies without Content-Length too.
func TestUploadChunked(t *testing.T) {
	t.Parallel()
	srv := serveFiles(t)
	req, err := http.NewRequestWithContext(t.Context(), "POST", srv.URL+"/teacher/thing/import",
		io.MultiReader(strings.NewReader(strings.Repeat("x", 2*uploadMax))))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer TEACHER")
	req.Header.Set("Content-Type", "text/csv")
	res, err := srv.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d, want 413", res.StatusCode)
	}
}

func TestFile(t *testing.T) {
	t.Parallel()
	srv := serveFiles(t)
	r := call(t, srv, "TEACHER", "GET", "/teacher/thing/export", "")
	if r.StatusCode != 200 || r.text != "a,b\n" {
		t.Fatalf("file: status %d, body %q", r.StatusCode, r.text)
	}
	for key, want := range map[string]string{
		"Content-Type":           "text/csv; charset=utf-8",
		"Content-Disposition":    `attachment; filename="Zo_ _1_.csv"; filename*=UTF-8''Zo%C3%AB%20%221%22.csv`,
		"X-Content-Type-Options": "nosniff",
	} {
		if got := r.Header.Get(key); got != want {
			t.Errorf("%s: %q, want %q", key, got, want)
		}
	}
	for _, when := range []string{"at once", "early"} {
		r := call(t, srv, "TEACHER", "GET", "/teacher/thing/export?fail="+strings.ReplaceAll(when, " ", "+"), "")
		wantError(t, r, 404, "Not Found")
		if r.Header.Get("Content-Disposition") != "" || strings.Contains(r.text, "some") {
			t.Errorf("%s: headers or content of the file are left: %v %s", when, r.Header, r.text)
		}
	}
}

func TestFileIsCutOff(t *testing.T) {
	t.Parallel()
	srv := serveFiles(t)
	req, err := http.NewRequestWithContext(t.Context(), "GET", srv.URL+"/teacher/thing/export?fail=late", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer TEACHER")
	res, err := srv.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if text, err := io.ReadAll(res.Body); err == nil {
		t.Errorf("the client did not notice that the file is incomplete after %d bytes", len(text))
	}
}

func TestFileDocumentation(t *testing.T) {
	t.Parallel()
	raw, err := openapi.JSON(fileRoutes(), openapi.Info{})
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]struct {
			Parameters []struct {
				Name, In string
			}
			RequestBody struct{ Content map[string]any }
			Responses   map[string]struct{ Content map[string]any }
		}
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	in := doc.Paths["/teacher/thing/import"]["post"]
	if len(in.RequestBody.Content) != 1 || in.RequestBody.Content["multipart/form-data"] == nil { // one documented way
		t.Errorf("the body: %v", in.RequestBody.Content)
	}
	if len(in.Parameters) != 2 || in.Parameters[0].In != "query" {
		t.Errorf("the parameters: %v", in.Parameters)
	}
	out := doc.Paths["/teacher/thing/export"]["get"].Responses["200"].Content
	if len(out) != 1 || out["text/csv"] == nil {
		t.Errorf("the reply: %v", out)
	}
}

func TestFilesMustFit(t *testing.T) {
	t.Parallel()
	for name, declare := range map[string]func() web.Route{
		"no option for an upload": func() web.Route { return web.Handle("POST /teacher/thing/import", upload, web.Write("thing")) },
		"no option for a file":    func() web.Route { return web.Handle("GET /teacher/thing/export", download, web.Read("thing")) },
		"a file given to POST": func() web.Route {
			return web.Handle("POST /teacher/thing/export", download, web.Read("thing"), web.GivesFile("text/csv"))
		},
		"a file without its type": func() web.Route {
			return web.Handle("GET /teacher/thing/{id}", func(context.Context, actor.Actor, oneIn) (thing, error) { return thing{}, nil },
				web.Read("thing"), web.GivesFile("text/csv"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			defer func() {
				if recover() == nil {
					t.Error("the route was accepted")
				}
			}()
			declare()
		})
	}
}

type eitherIn struct {
	Format string `json:"format" enum:"json,csv" default:"json"`
}

func either(_ context.Context, _ actor.Actor, in eitherIn) (web.Either[uploadOut], error) {
	out := web.Either[uploadOut]{JSON: uploadOut{Text: in.Format}}
	if in.Format == "csv" {
		out.File = &web.File{Name: "a.csv", Type: "text/csv", Write: func(_ context.Context, w io.Writer) error {
			_, err := io.WriteString(w, "a,b\n")
			return err
		}}
	}
	return out, nil
}

// A route can respond with JSON or a file, and accept JSON or a file.
func TestEither(t *testing.T) {
	t.Parallel()
	srv := serve(t, func(c *web.Config) {
		c.Routes = []web.Route{
			web.Handle("GET /teacher/thing/either", either, web.Read("thing"), web.OrFile("text/csv", "csv"), web.Doc("Either.")),
			web.Handle("POST /teacher/thing/import", func(ctx context.Context, who actor.Actor, in uploadIn) (uploadOut, error) {
				if in.File.File == nil {
					return uploadOut{Mode: in.Mode, DryRun: in.DryRun}, nil
				}
				return upload(ctx, who, in)
			}, web.Write("thing"), web.TakesFile("text/csv", uploadMax), web.OrJSON(), web.Doc("Import.")),
		}
	})
	for _, tt := range []struct{ query, accept, want string }{
		{"", "", `"text":"json"`}, {"", "*/*", `"text":"json"`}, {"", "application/json", `"text":"json"`},
		{"?format=csv", "application/json", "a,b\n"}, {"?format=json", "text/csv", `"text":"json"`},
		{"", "text/csv", "a,b\n"}, {"", "application/json;q=0.5, text/csv", "a,b\n"}, {"", "text/csv;q=0.5, application/json", `"text":"json"`},
		{"", "text/csv, application/json", `"text":"json"`}, {"?format=xml", "", `"field":"format"`},
	} {
		r := call(t, srv, "TEACHER", "GET", "/teacher/thing/either"+tt.query, "", "Accept", tt.accept)
		if !strings.Contains(r.text, tt.want) {
			t.Errorf("%s Accept %q: %d %s, want %s", tt.query, tt.accept, r.StatusCode, r.text, tt.want)
		}
	}
	for _, tt := range []struct{ body, contentType, want string }{
		{`{"data":{"mode":"upsert","dryRun":true}}`, "application/json", `"dryRun":true,"mode":"upsert"`},
		{"a;b\n", "text/csv", `"size":4`}, {"a;b\n", "text/plain", `"statusCode":415`},
	} {
		r := call(t, srv, "TEACHER", "POST", "/teacher/thing/import", tt.body, "Content-Type", tt.contentType)
		if !strings.Contains(r.text, tt.want) {
			t.Errorf("%s: %d %s, want %s", tt.contentType, r.StatusCode, r.text, tt.want)
		}
	}
}
