package web

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"
)

// File is a response that is a file, not JSON. Its route needs the option GivesFile.
type File struct {
	Name   string // to save it under
	Type   string // media type, as the route declares it
	Inline bool   // Content-Disposition: inline
	// Write streams the content. An error within the first 32 KiB gets an error
	// response. After that the connection is aborted, so that the client notices
	// that the file is incomplete.
	Write func(ctx context.Context, w io.Writer) error
	// Content, in place of Write, supports range and conditional requests. It is
	// closed after the response.
	Content *Content
}

// Content is the content of a stored file that never changes.
type Content struct {
	io.ReadSeekCloser
	Tag    string // for the ETag
	At     time.Time
	Header http.Header // additional headers
}

var fileType = reflect.TypeFor[File]()

// GivesFile declares the media type of a handler that returns a File.
func GivesFile(mediaType string) Option { return func(r *Route) { r.Gives = mediaType } }

// fileBuffer is how much is buffered, so that an early error can still get an error response.
const fileBuffer = 32 << 10

// send streams a file.
func (s *Server) send(w http.ResponseWriter, r *http.Request, f *File) {
	if f.Content != nil {
		f.sendContent(w, r)
		return
	}
	out := &fileWriter{w: w, f: f}
	buf := bufio.NewWriterSize(out, fileBuffer)
	err := f.Write(r.Context(), buf)
	if err == nil {
		err = buf.Flush()
	}
	switch {
	case err == nil:
		out.begin() // an empty file needs headers too
	case !out.begun:
		fail(w, r, s.Log, err)
	case !errors.Is(r.Context().Err(), context.Canceled):
		s.Log.ErrorContext(r.Context(), "file response aborted", "requestId", RequestID(r.Context()), "file", f.Name, "error", err)
		panic(http.ErrAbortHandler)
	default: // the client disconnected
		panic(http.ErrAbortHandler)
	}
}

// fileWriter sends the headers before the first byte.
type fileWriter struct {
	w     http.ResponseWriter
	f     *File
	begun bool
}

func (o *fileWriter) begin() {
	if o.begun {
		return
	}
	o.begun = true
	h := o.w.Header()
	h.Set("Content-Type", o.f.contentType())
	h.Set("Content-Disposition", o.f.disposition())
	o.w.WriteHeader(http.StatusOK)
}

// Write implements io.Writer.
func (o *fileWriter) Write(p []byte) (int, error) {
	o.begin()
	return o.w.Write(p)
}

// sendContent responds with the file, the requested range, or 304.
func (f *File) sendContent(w http.ResponseWriter, r *http.Request) {
	defer f.Content.Close()
	h := w.Header()
	h.Set("Content-Type", f.contentType())
	h.Set("Content-Disposition", f.disposition())
	h.Set("ETag", `"`+f.Content.Tag+`"`)
	for key, values := range f.Content.Header {
		h[key] = values
	}
	r.Header.Del("If-Match") // the content never changes, so these always hold
	r.Header.Del("If-Unmodified-Since")
	out := &rangeWriter{ResponseWriter: w}
	http.ServeContent(out, r, "", f.Content.At, f.Content)
	if out.badRange {
		body, _ := json.Marshal(ErrorBody{StatusCode: http.StatusRequestedRangeNotSatisfiable, Error: "Range Not Satisfiable",
			Message: "The requested range is outside the file. Content-Range has the file's size."}.translate(Language(r)))
		h.Del("Content-Disposition")
		h.Del("ETag")
		write(w, answer{status: http.StatusRequestedRangeNotSatisfiable, body: append(body, '\n')})
	}
}

// rangeWriter suppresses the 416 response of http.ServeContent, so that it can be
// replaced by an error body.
type rangeWriter struct {
	http.ResponseWriter
	badRange bool
}

func (o *rangeWriter) WriteHeader(status int) {
	if o.badRange = status == http.StatusRequestedRangeNotSatisfiable; !o.badRange {
		o.ResponseWriter.WriteHeader(status)
	}
}

func (o *rangeWriter) Write(p []byte) (int, error) {
	if o.badRange {
		return len(p), nil
	}
	return o.ResponseWriter.Write(p)
}

// ReadFrom lets the connection use sendfile.
func (o *rangeWriter) ReadFrom(r io.Reader) (int64, error) { return io.Copy(o.ResponseWriter, r) }

func (f *File) contentType() string {
	if strings.HasPrefix(f.Type, "text/") {
		return mime.FormatMediaType(f.Type, map[string]string{"charset": "utf-8"})
	}
	return f.Type
}

// disposition names the file: in ASCII for old clients, and in full (RFC 5987).
func (f *File) disposition() string {
	how := "attachment"
	if f.Inline {
		how = "inline"
	}
	plain := strings.Map(func(c rune) rune {
		if c < ' ' || c > '~' || c == '"' || c == '\\' || c == '%' || c == '/' {
			return '_'
		}
		return c
	}, f.Name)
	return how + `; filename="` + plain + `"; filename*=UTF-8''` + strings.ReplaceAll(url.QueryEscape(f.Name), "+", "%20")
}
