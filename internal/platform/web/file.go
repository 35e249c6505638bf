package web

import (
	"bufio"
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strings"
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
}

var fileType = reflect.TypeFor[File]()

// GivesFile says which media type a handler that returns a File has.
func GivesFile(mediaType string) Option { return func(r *Route) { r.gives = mediaType } }

// fileBuffer is what may be taken back when writing fails.
const fileBuffer = 32 << 10

// send streams a file.
func (s *Server) send(w http.ResponseWriter, r *http.Request, f *File) {
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
