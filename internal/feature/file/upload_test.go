package file_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"syscall"
	"testing"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/feature/file"
	"homeroom/internal/feature/file/filetest"
	"homeroom/internal/platform/blob/s3fake"
	"homeroom/internal/platform/web"
)

// TestUpload uploads a file of each type as each role, and downloads it.
func TestUpload(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, tt := range []struct {
			by       *apptest.Account
			name     string
			content  []byte
			typ      string
			shown    string // Content-Disposition
			thumb    bool
			verbatim bool
		}{
			{w.North.Parent, "letter.pdf", filetest.PDF(4000), "application/pdf", "attachment", false, true},
			{w.North.Teacher, "photo.jpg", filetest.WithExif(filetest.JPEG(600, 400), 6), "image/jpeg", "inline", true, false},
			{w.North.Driver, "sketch.png", filetest.PNG(20, 20), "image/png", "inline", true, true},
			{w.North.Admin, "liste.csv", []byte("name\nGrün\n"), "text/csv; charset=utf-8", "attachment", false, true},
			{w.North.Admin, "brief.docx", filetest.DOCX(), "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "attachment",
				false, true},
		} {
			v := w.kept(tt.by, tt.name, tt.content)
			if v.Text("name") != tt.name || !strings.HasPrefix(tt.typ, v.Text("contentType")) || (v["thumbnailUrl"] != nil) != tt.thumb {
				t.Errorf("%s: %v", tt.name, v)
			}
			for _, r := range []apptest.Reply{w.get(v.Text("url")), w.As(tt.by, "GET", "/file/"+v.Text("id"), nil)} {
				h := r.Header
				if r.Status != 200 || h.Get("Content-Type") != tt.typ || tt.verbatim && !bytes.Equal(r.Body, tt.content) ||
					!strings.HasPrefix(h.Get("Content-Disposition"), tt.shown+"; ") || h.Get("X-Content-Type-Options") != "nosniff" ||
					!strings.HasPrefix(h.Get("Content-Security-Policy"), "sandbox;") || !strings.HasPrefix(h.Get("Cache-Control"), "private") {
					t.Errorf("%s: %d %v", tt.name, r.Status, h)
				}
				if float64(len(r.Body)) != v["size"] || bytes.Contains(r.Body, []byte("GPS")) {
					t.Errorf("%s: %d bytes of %v, or it says where it was taken", tt.name, len(r.Body), v["size"])
				}
			}
			if tt.thumb {
				if r := w.get(v.Text("thumbnailUrl")); r.Status != 200 || !strings.HasPrefix(r.Header.Get("Content-Type"), "image/") {
					t.Errorf("%s: thumbnail %d", tt.name, r.Status)
				}
			} else {
				w.As(tt.by, "GET", "/file/"+v.Text("id")+"?size=thumb", nil).Want(404, "Not Found")
			}
		}
		w.kept(w.North.Parent, "a.pdf", filetest.PDF(300), "purpose", "") // not chosen, as forms and generated clients send it
		v := w.kept(w.North.Parent, "Grüße 日本.pdf", filetest.PDF(300))
		want := `attachment; filename="Gr__e __.pdf"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%E6%97%A5%E6%9C%AC.pdf`
		apptest.Eq(t, "file", w.get(v.Text("url")).Header.Get("Content-Disposition"), want)
	})
}

// TestRefused uploads invalid files and checks that nothing is stored.
func TestRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		jpg := filetest.JPEG(8, 8)
		for what, tt := range map[string]struct {
			name    string
			content []byte
			fields  []string
			status  int
			says    string
		}{
			"a renamed program": {"photo.jpg", []byte("MZ\x90\x00this program"), nil, 422, "program"},
			"a renamed script":  {"note.txt", []byte("#!/bin/sh\nid\n"), nil, 422, "script"},
			"a page":            {"note.txt", []byte("<!DOCTYPE html><p>"), nil, 422, "web page"},
			"a drawing":         {"logo.svg", []byte("<svg/>"), nil, 422, "SVG"},
			"a polyglot": {"photo.jpg", append(bytes.Clone(jpg), filetest.Zip(filetest.Part{Name: "a.class"})...), nil, 422,
				"after the end"},
			"a PDF and a page":      {"a.pdf", append(filetest.PDF(300), "<script>"...), nil, 422, "after the end"},
			"a path":                {"../../a.pdf", filetest.PDF(300), nil, 422, "path"},
			"a path of Windows":     {`..\a.pdf`, filetest.PDF(300), nil, 422, "path"},
			"a bomb of pixels":      {"a.png", filetest.PNGBomb(60_000, 60_000), nil, 422, "pixels"},
			"a bomb of a zip":       {"a.docx", filetest.ZipBomb(), nil, 422, "unpacks"},
			"half a picture":        {"a.jpg", jpg[:len(jpg)-40], nil, 422, "incomplete"},
			"nothing":               {"a.pdf", nil, nil, 422, "empty"},
			"what the name is not":  {"a.pdf", jpg, nil, 422, "its content is"},
			"an archive":            {"a.zip", filetest.Zip(filetest.Part{Name: "x"}), nil, 422, "archive"},
			"a letter for a photo":  {"a.pdf", filetest.PDF(300), []string{"purpose", "STUDENT_PHOTO"}, 422, "picture"},
			"no such purpose":       {"a.pdf", filetest.PDF(300), []string{"purpose", "FUN"}, 422, "purpose"},
			"too large":             {"a.pdf", filetest.PDF(1<<20 + 1), nil, 413, "up to 1 MiB"},
			"far too large":         {"a.pdf", filetest.PDF(3 << 20), nil, 413, "up to 1 MiB"},
			"a school of its own":   {"a.pdf", []byte("MZ"), []string{"schoolId", string(w.South.ID)}, 422, "program"},
			"a field that is large": {"a.pdf", []byte("MZ"), []string{"other", strings.Repeat("x", 60<<10)}, 400, "4 KiB"},
		} {
			r := w.send(w.North.Teacher, tt.name, tt.content, tt.fields...)
			if r.Status != tt.status || !strings.Contains(string(r.Body), tt.says) {
				t.Errorf("%s: %d %s, want %d %q", what, r.Status, r.Body, tt.status, tt.says)
			}
		}
		for typ, body := range map[string]string{"application/pdf": "%PDF-1.4", "application/json": `{"data":{}}`} {
			w.As(w.North.Teacher, "POST", "/teacher/file/upload", body, "Content-Type", typ).Want(415, "Unsupported Media Type")
		}
		body, typ := filetest.Form("a.txt", []byte("a"))
		w.As(w.North.Teacher, "POST", "/teacher/file/upload", strings.ReplaceAll(body, `name="file"`, `name="files"`), "Content-Type",
			typ).Want(422, "Unprocessable Entity")
		w.As(w.North.Teacher, "POST", "/teacher/file/upload", body[:len(body)-20], "Content-Type", typ).Want(400, "Bad Request")
		w.As(nil, "POST", "/teacher/file/upload", body, "Content-Type", typ).Want(401, "Unauthorized")
		if w.rows() != 0 || len(w.disk()) != 0 {
			t.Errorf("something was kept: %d rows, %q", w.rows(), w.disk())
		}
	}, func(c *app.Config) { c.MaxUpload = 1 })
}

type full struct{ w io.Writer }

func (f full) Write(p []byte) (int, error) {
	n, _ := f.w.Write(p[:len(p)/2])
	return n, &os.PathError{Op: "write", Path: "files", Err: syscall.ENOSPC}
}

// TestNoRoom stores nothing on a full disk.
func TestNoRoom(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		s := w.service(func(to io.Writer) io.Writer { return full{to} })
		content := filetest.PDF(4000)
		in := file.Sent{Name: "a.pdf", Size: 4000, Content: bytes.NewReader(content)}
		_, err := s.Stage(t.Context(), who(w.North.Admin), w.North.ID, in)
		said := web.BodyOf(err, "", "")
		if !errors.Is(err, web.ErrNoRoom) || said.StatusCode != 503 || !strings.Contains(said.Message, "room") {
			t.Errorf("a full disk: %v", err)
		}
		if w.rows() != 0 || len(w.disk()) != 0 {
			t.Errorf("something was kept: %d rows, %q", w.rows(), w.disk())
		}
	})
}

// TestUploadTwice checks that a repeated upload returns the first file.
func TestUploadTwice(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		body, typ := filetest.Form("a.pdf", filetest.PDF(500), "purpose", "LEAVE")
		send := func(body string) apptest.Reply {
			return w.As(w.North.Parent, "POST", "/parent/file/upload", body, "Content-Type", typ, "Idempotency-Key", "once")
		}
		first, second := send(body).OK(), send(body)
		if second.OK().Text("id") != first.Text("id") || second.Header.Get("Idempotency-Replayed") != "true" || w.rows() != 1 {
			t.Errorf("%v then %s", first, second.Body)
		}
		send(strings.Replace(body, "LEAVE", "MESSAGE", 1)).Want(422, "Unprocessable Entity")
	})
}

// TestS3 stores files in an S3 service.
func TestS3(t *testing.T) {
	fake := s3fake.New()
	t.Cleanup(fake.Close)
	each(t, func(t *testing.T, w *world) {
		content := filetest.PDF(300_000)
		v := w.kept(w.North.Parent, "a.pdf", content)
		if r := w.get(v.Text("url")); r.Status != 200 || !bytes.Equal(r.Body, content) {
			t.Errorf("%d, %d bytes", r.Status, len(r.Body))
		}
		if r := w.get(v.Text("url"), "Range", "bytes=100-199"); r.Status != 206 || !bytes.Equal(r.Body, content[100:200]) {
			t.Errorf("a part: %d %q", r.Status, r.Body)
		}
		photo := w.kept(w.North.Parent, "a.jpg", filetest.JPEG(500, 300))
		if r := w.get(photo.Text("thumbnailUrl")); r.Status != 200 || len(r.Body) == 0 {
			t.Errorf("thumbnail: %d", r.Status)
		}
		w.send(w.North.Parent, "a.exe", []byte("MZ")).Want(422, "Unprocessable Entity")
		apptest.Eq(t, fmt.Sprint("blobs of North: ", fake.Keys()), strings.Count(strings.Join(fake.Keys(), "\n"), string(w.North.ID)), 3)
	}, func(c *app.Config) {
		c.FileProvider = "s3"
		c.Files = app.Files{S3Endpoint: fake.URL, S3Bucket: s3fake.Bucket, S3Region: s3fake.Region,
			S3AccessKey: s3fake.AccessKey, S3SecretKey: s3fake.SecretKey, S3PathStyle: true}
	})
}

// TestSuperAdmin uploads for a school.
func TestSuperAdmin(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		logo := filetest.PNG(64, 64)
		w.send(w.Super, "logo.png", logo).Want(422, "Unprocessable Entity")
		w.send(w.Super, "logo.png", logo, "schoolId", string(w.NewID())).Want(404, "Not Found")
		v := w.kept(w.Super, "logo.png", logo, "schoolId", string(w.North.ID), "purpose", "LOGO")
		w.As(w.Super, "PUT", "/super-admin/school/"+string(w.South.ID), m{"logoFileId": v["id"]}).Want(404, "Not Found")
		set := w.As(w.Super, "PUT", "/super-admin/school/"+string(w.North.ID), m{"logoFileId": v["id"]}).OK()
		if set.Text("logoFileId") != v.Text("id") || w.get(set.Text("logoUrl")).Status != 200 {
			t.Errorf("PUT /super-admin/school: got %v", set)
		}
		own := w.Admin("GET", "/school-admin/setting", nil).OK()
		if u, err := url.Parse(own.Text("logoUrl")); err != nil || u.Path != "/file/"+v.Text("id") {
			t.Errorf("GET /school-admin/setting: got %v", own)
		}
		for _, a := range []*apptest.Account{w.North.Parent, w.North.Driver} { // everyone at the school may see it
			w.mustSee(a, v.Text("id"), 200)
		}
		w.mustSee(w.South.Admin, v.Text("id"), 404)
		w.Admin("PUT", "/school-admin/setting", m{"logoFileId": nil}).OK()
		w.mustSee(w.North.Parent, v.Text("id"), 404)
	})
}

// TestTogether attaches one file to two records concurrently: one succeeds.
func TestTogether(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for range 5 {
			v := w.kept(w.North.Admin, "a.pdf", filetest.PDF(300))
			got := apptest.AtOnce(2, func(int) apptest.Reply {
				return w.Admin("POST", "/school-admin/announcement/create", m{"title": "T", "attachments": list{v["id"]}})
			})
			apptest.Eq(t, "both got", got, map[int]int{201: 1, 404: 1})
		}
	})
}
