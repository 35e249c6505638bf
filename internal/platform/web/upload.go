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

// Upload is a file that a client sends: the part "file" of a multipart form, or
// the body itself. An input has it as a field tagged `json:"-"`, and its route
// the option TakesFile. It has been received whole, on disk rather than in
// memory, and is gone once the handler returns.
type Upload struct {
	Name string // as the client calls it; "" for a bare body
	Size int64
	*os.File
}

var uploadType = reflect.TypeFor[Upload]()

// FileBody is what a route takes for a file.
type FileBody struct {
	Types  []string // of a bare body; none: a form alone
	Max    int64
	OrJSON bool
}

// TakesFile lets a route take one file of up to max bytes. mediaType is what a
// bare body says that it is; others may say the same in other words. The rest of
// the input comes from path and query.
func TakesFile(mediaType string, max int64, others ...string) Option {
	return func(r *Route) { r.Takes = &FileBody{Types: append([]string{mediaType}, others...), Max: max} }
}

// TakesForm lets a route take one file of up to max bytes as the part "file" of a
// form, whose other parts are the rest of the input. The file's name is as the
// client sent it, path and all.
func TakesForm(max int64) Option { return func(r *Route) { r.Takes = &FileBody{Max: max} } }

// OrJSON lets a route that takes a file take its input as JSON instead: then there
// is no file.
func OrJSON() Option { return func(r *Route) { r.Takes.OrJSON = true } }

// formRoom is what a form may have around the file.
const formRoom = 64 << 10

var (
	errNoFile  = fault.OnField("file", "is required: send the file as the part \"file\" of a form (multipart/form-data)")
	errForm    = fault.New(fault.Malformed, "", "The form can't be read to its end. Send the file again.")
	errTwice   = fault.OnField("file", "is there twice: send one file a call")
	errBody    = fault.New(fault.Malformed, "", "The file did not arrive whole. Send it again.")
	errNotFile = fault.New(fault.Unsupported, "", "")

	// ErrNoRoom is the fault of a disk that is full.
	ErrNoRoom = fault.New(fault.Unavailable, "", "The service has no room left for files. Nothing was kept: tell who runs it, and send the file again later.").After(time.Minute)
)

func (t *FileBody) tooLarge() error {
	if len(t.Types) == 0 {
		return errTooLarge.Saying("The file is too large. It may have up to %d MiB: make it smaller.", t.Max>>20)
	}
	return errTooLarge.Saying("The file is too large. It may have up to %d MiB: split it.", t.Max>>20)
}

// receive puts the file on disk, within its limit, and takes its hash.
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
	_ = os.Remove(f.Name()) // where the system lets us: no crash leaves it behind then
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
		src.upload.drop()
		return source{req: r}, t.fault(err, errBody)
	}
	src.form = in.fields
	src.body = []byte(hex.EncodeToString(h.Sum(nil)) + in.fields.Encode()) // stands for the file where the request is told from others
	return src, nil
}

// incoming is a file on its way in, and what comes around it.
type incoming struct {
	name    string
	content io.Reader
	form    *multipart.Reader // nil: the body is the file
	fields  url.Values
}

// maxField is what another part of a form may have.
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
		return nil, errNotFile.Saying("Send the file as the part \"file\" of a form (multipart/form-data), or as the body with Content-Type: %s.", t.Types[0])
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

// next reads the form's fields up to the part that is the file, or to io.EOF.
func (in *incoming) next() (*multipart.Part, error) {
	for {
		part, err := in.form.NextPart()
		if err != nil || part.FormName() == "file" {
			return part, err
		}
		value, err := io.ReadAll(io.LimitReader(part, maxField))
		if err != nil {
			return nil, err
		}
		name := part.FormName()
		if !utf8.ValidString(name) || !utf8.Valid(value) {
			return nil, errFormUTF8
		}
		if name != "" {
			in.fields.Set(name, string(value))
		}
	}
}

// rest reads the fields behind the file.
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

// rawName is a file's name with the path that some clients send before it.
func rawName(part *multipart.Part) string {
	_, params, err := mime.ParseMediaType(part.Header.Get("Content-Disposition"))
	if err != nil {
		return part.FileName()
	}
	return params["filename"]
}

// fault says what went wrong while a file came in.
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
	if _, ok := errors.AsType[*os.PathError](err); ok { // ours: the disk
		return fmt.Errorf("keep an upload: %w", err)
	}
	return otherwise.Because(err)
}

// drop removes the file.
func (u Upload) drop() {
	if u.File != nil {
		_ = u.Close() // a copy of what the client has
		_ = os.Remove(u.File.Name())
	}
}

// give hands the file to the input's field.
func (s source) give(dst reflect.Value) {
	for _, f := range reflect.VisibleFields(dst.Type()) {
		if f.Type == uploadType {
			dst.FieldByIndex(f.Index).Set(reflect.ValueOf(s.upload))
		}
	}
}

// filesFit reports a route whose types and options about files disagree.
func (r *Route) filesFit() error {
	field := r.In.Kind() == reflect.Struct && slices.ContainsFunc(reflect.VisibleFields(r.In), func(f reflect.StructField) bool { return f.Type == uploadType })
	switch {
	case field != (r.Takes != nil):
		return errors.New("web.TakesFile goes with a field of type web.Upload")
	case (r.Out == fileType) != (r.Gives != ""):
		return errors.New("web.GivesFile goes with a reply of type web.File")
	case (r.Gives != "" || r.OrFile != nil) && r.Method != http.MethodGet:
		return errors.New("a file is given to GET")
	case r.Out.Implements(reflect.TypeFor[eitherReply]()) != (r.OrFile != nil):
		return errors.New("web.OrFile goes with a reply of type web.Either")
	case r.OrFile != nil && (r.Body == nil || r.Body.Field("format") == nil):
		return errors.New("web.OrFile wants a field \"format\" in the input")
	}
	return nil
}
