package web

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"reflect"
	"slices"
	"syscall"
	"time"
	"unicode/utf8"

	"homeroom/internal/platform/fault"
)

// Upload is an uploaded file: the part "file" of a multipart form, or the body. It
// is a field of the input tagged `json:"-"`; the route needs the option TakesFile.
// It is a complete temporary file, deleted when the handler returns.
type Upload struct {
	Name string // as sent by the client; "" if the body is the file
	Size int64
	*os.File
}

var uploadType = reflect.TypeFor[Upload]()

// FileBody is the upload that a route accepts.
type FileBody struct {
	Types  []string // media types of the body as file; empty: multipart form only
	Max    int64
	OrJSON bool
}

// TakesFile lets a route accept one file of up to max bytes, as multipart form or as
// body with the Content-Type mediaType or one of others. The rest of the input comes
// from path and query.
func TakesFile(mediaType string, max int64, others ...string) Option {
	return func(r *Route) { r.Takes = &FileBody{Types: append([]string{mediaType}, others...), Max: max} }
}

// TakesForm lets a route accept one file of up to max bytes as the part "file" of a
// multipart form. The other parts are the rest of the input. The name of the file is
// not sanitized: it may contain a path.
func TakesForm(max int64) Option { return func(r *Route) { r.Takes = &FileBody{Max: max} } }

// OrJSON lets a route that takes a file accept a JSON body without a file instead.
func OrJSON() Option { return func(r *Route) { r.Takes.OrJSON = true } }

// formRoom is the size limit of a form without the file.
const formRoom = 64 << 10

var (
	errNoFile  = fault.OnField("file", "is required: send the file as the part \"file\" of a form (multipart/form-data)")
	errForm    = fault.New(fault.Malformed, "", "The form is incomplete. Send the file again.")
	errTwice   = fault.OnField("file", "can be sent only once: send one file per request")
	errBody    = fault.New(fault.Malformed, "", "The file is incomplete. Send it again.")
	errNotFile = fault.New(fault.Unsupported, "", "")

	// ErrNoRoom is returned when the disk is full.
	ErrNoRoom = fault.New(fault.Unavailable, "",
		"The service has no room left for files, so this one was not saved. Tell the administrator, and send it again later.").After(time.Minute)
)

func (t *FileBody) tooLarge() error {
	if len(t.Types) == 0 {
		return errTooLarge.Saying("The file is too large. It may have up to %d MiB: make it smaller.", t.Max>>20)
	}
	return errTooLarge.Saying("The file is too large. It may have up to %d MiB: split it.", t.Max>>20)
}

// receive saves the upload to a temporary file, up to its size limit, and hashes it.
func (t *FileBody) receive(w http.ResponseWriter, r *http.Request) (source, error) {
	src := source{req: r}
	if r.ContentLength > t.Max+formRoom {
		return src, t.tooLarge()
	}
	r.Body = http.MaxBytesReader(w, r.Body, t.Max+formRoom)
	in, err := t.open(r)
	if err != nil {
		return src, t.fault(err, errForm)
	}
	f, err := os.CreateTemp("", "homeroom-upload-")
	if err != nil {
		return src, t.fault(err, errForm)
	}
	_ = os.Remove(f.Name()) // an open file can be deleted on Unix, so that a crash leaves nothing behind
	src.upload = Upload{Name: in.name, File: f}
	h := sha256.New()
	var to io.Writer = f
	if r.Header.Get("Idempotency-Key") != "" {
		to = io.MultiWriter(f, h)
	}
	src.upload.Size, err = io.Copy(to, io.LimitReader(in.content, t.Max+1))
	if err == nil && src.upload.Size > t.Max {
		err = t.tooLarge()
	}
	if err == nil {
		err = in.rest()
	}
	if err == nil {
		_, err = f.Seek(0, io.SeekStart)
	}
	if err != nil {
		src.upload.remove()
		return source{req: r}, t.fault(err, errBody)
	}
	src.form = in.fields
	src.body = []byte(hex.EncodeToString(h.Sum(nil)) + in.fields.Encode()) // for the hash of Idempotency-Key
	return src, nil
}

// incoming is an upload while it is read.
type incoming struct {
	name    string
	content io.Reader
	form    *multipart.Reader // nil: the body is the file
	fields  url.Values
}

// maxField is the size limit of other parts of a form.
const maxField = 4 << 10

// open finds the file in the request.
func (t *FileBody) open(r *http.Request) (*incoming, error) {
	media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case err == nil && slices.Contains(t.Types, media):
		return &incoming{content: r.Body}, nil
	case (err != nil || media != "multipart/form-data") && len(t.Types) == 0:
		return nil, errNotFile.Saying("Send the file as the part \"file\" of a form (multipart/form-data).")
	case err != nil || media != "multipart/form-data":
		return nil, errNotFile.Saying("Send the file as the part \"file\" of a form (multipart/form-data), "+
			"or as the body with Content-Type: %s.", t.Types[0])
	}
	in := &incoming{fields: url.Values{}}
	if in.form, err = r.MultipartReader(); err != nil {
		return nil, errForm.Because(err)
	}
	part, err := in.next()
	switch {
	case errors.Is(err, io.EOF):
		return nil, errNoFile
	case err != nil:
		return nil, err
	}
	if in.content, in.name = part, part.FileName(); len(t.Types) == 0 {
		in.name = rawName(part)
	}
	return in, nil
}

// next reads form fields until the file, or until io.EOF.
func (in *incoming) next() (*multipart.Part, error) {
	for {
		part, err := in.form.NextPart()
		if err != nil || part.FormName() == "file" {
			return part, err
		}
		value, err := io.ReadAll(io.LimitReader(part, maxField+1))
		if err != nil {
			return nil, err
		}
		name := part.FormName()
		switch {
		case len(value) > maxField:
			return nil, errFieldLong
		case !utf8.ValidString(name) || !utf8.Valid(value):
			return nil, errFormUTF8
		case in.fields.Has(name):
			return nil, errFieldTwice
		case name != "" && len(value) > 0: // an empty field counts as not sent, as null does in JSON
			in.fields.Set(name, string(value))
		}
	}
}

// rest reads the form fields after the file.
func (in *incoming) rest() error {
	if in.form == nil {
		return nil
	}
	switch _, err := in.next(); {
	case err == nil:
		return errTwice
	case !errors.Is(err, io.EOF):
		return err
	}
	return nil
}

// rawName returns the file name as sent, with its path.
func rawName(part *multipart.Part) string {
	_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil {
		return part.FileName()
	}
	return params["filename"]
}

// fault returns the fault for an error while receiving a file.
func (t *FileBody) fault(err error, otherwise *fault.Fault) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return t.tooLarge()
	}
	if _, ok := errors.AsType[*fault.Fault](err); ok {
		return err
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return ErrNoRoom.Because(err)
	}
	if _, ok := errors.AsType[*os.PathError](err); ok { // of the temporary file
		return fmt.Errorf("save an upload: %w", err)
	}
	return otherwise.Because(err)
}

// remove closes and deletes the temporary file.
func (u Upload) remove() {
	if u.File != nil {
		_ = u.Close() // it is deleted anyway
		_ = os.Remove(u.File.Name())
	}
}

// setUpload sets the Upload field of the input.
func (s source) setUpload(dst reflect.Value) {
	for _, f := range reflect.VisibleFields(dst.Type()) {
		if f.Type == uploadType {
			dst.FieldByIndex(f.Index).Set(reflect.ValueOf(s.upload))
		}
	}
}

// checkFiles returns an error if the types and file options of the route don't match.
func (r *Route) checkFiles() error {
	field := r.In.Kind() == reflect.Struct && slices.ContainsFunc(reflect.VisibleFields(r.In),
		func(f reflect.StructField) bool { return f.Type == uploadType })
	switch {
	case field != (r.Takes != nil):
		return errors.New("web.TakesFile needs a field of type web.Upload, and vice versa")
	case (r.Out == fileType) != (r.Gives != ""):
		return errors.New("web.GivesFile needs a reply of type web.File, and vice versa")
	case (r.Gives != "" || r.OrFile != nil) && r.Method != http.MethodGet:
		return errors.New("files can be returned by GET only")
	case r.Out.Implements(reflect.TypeFor[eitherReply]()) != (r.OrFile != nil):
		return errors.New("web.OrFile needs a reply of type web.Either, and vice versa")
	case r.OrFile != nil && (r.Body == nil || r.Body.Field("format") == nil):
		return errors.New("web.OrFile needs a field \"format\" in the input")
	}
	return nil
}
