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

// File is a reply that is no JSON. Its handler is declared with GivesFile.
type File struct {
	Name   string // that it is saved under
	Type   string // media type, as the route declares it
	Inline bool   // shown rather than saved
	// Write writes the content as it comes. An error before the first 32 KiB are
	// full is answered as any other; after that the connection is cut, so that
	// nobody takes half a file for a whole one.
	Write func(ctx context.Context, w io.Writer) error
	// Content, in place of Write, can be had in parts as well, and is not sent
	// again to who has it. It is closed in the end.
	Content *Content
}

// Content is what is in a file that is kept, and never changes.
type Content struct {
	io.ReadSeekCloser
	Tag    string // what tells it from any other
	At     time.Time
	Header http.Header // more of it
}

var fileType = reflect.TypeFor[File]()

// GivesFile says which media type a handler that returns a File has.
func GivesFile(mediaType string) Option { return func(r *Route) { r.Gives = mediaType } }

// fileBuffer is what may be taken back when writing fails.
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
		out.begin() // an empty file is one too
	case !out.begun:
		fail(w, r, s.Log, err)
	case !errors.Is(r.Context().Err(), context.Canceled):
		s.Log.ErrorContext(r.Context(), "a file was cut off", "requestId", RequestID(r.Context()), "file", f.Name, "error", err)
		panic(http.ErrAbortHandler)
	default: // the client is gone
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

// sendContent answers with all of a file, the part that was asked for, or 304.
func (f *File) sendContent(w http.ResponseWriter, r *http.Request) {
	defer f.Content.Close()
	h := w.Header()
	h.Set("Content-Type", f.contentType())
	h.Set("Content-Disposition", f.disposition())
	h.Set("ETag", `"`+f.Content.Tag+`"`)
	for key, values := range f.Content.Header {
		h[key] = values
	}
	r.Header.Del("If-Match") // what never changes needs no such condition
	r.Header.Del("If-Unmodified-Since")
	out := &rangeWriter{ResponseWriter: w}
	http.ServeContent(out, r, "", f.Content.At, f.Content)
	if out.outside {
		body, _ := json.Marshal(ErrorBody{StatusCode: http.StatusRequestedRangeNotSatisfiable,
			Message: "The file has no such part. Content-Range says how long it is.", Error: "Range Not Satisfiable"})
		h.Del("Content-Disposition")
		h.Del("ETag")
		write(w, answer{status: http.StatusRequestedRangeNotSatisfiable, body: append(body, '\n')})
	}
}

// rangeWriter keeps back the answer to a part that is not there, which has to look
// like all other errors.
type rangeWriter struct {
	http.ResponseWriter
	outside bool
}

func (o *rangeWriter) WriteHeader(status int) {
	if o.outside = status == http.StatusRequestedRangeNotSatisfiable; !o.outside {
		o.ResponseWriter.WriteHeader(status)
	}
}

func (o *rangeWriter) Write(p []byte) (int, error) {
	if o.outside {
		return len(p), nil
	}
	return o.ResponseWriter.Write(p)
}

// ReadFrom lets a file go to the connection without a copy of ours.
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
