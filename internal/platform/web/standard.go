package web

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strconv"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/fault"
)

// Standard is a wire format that is not ours: replies without the envelope, errors as the
// standard has them. Programs read them, so that messages are in English.
type Standard struct {
	Security  string                                   // the security scheme in the API documentation
	Form      bool                                     // the body is a form; nothing is read from the query
	Challenge string                                   // WWW-Authenticate of a 401
	Problem   reflect.Type                             // type of an error's body
	Error     func(b ErrorBody) (status int, body any) // body is a Problem
}

var (
	errNoForm  = fault.New(fault.Malformed, "", "Send the body as Content-Type: application/x-www-form-urlencoded.")
	errFormBad = fault.New(fault.Malformed, "", "The form can't be read.")
)

// Follows sets the wire format of a route. A reply may have a method Header, for additional
// headers.
func Follows(s *Standard) Option { return func(r *Route) { r.Standard = s } }

// ReadsAuthorization passes the Authorization header to a public route, which checks it
// itself. Access tokens of users have no meaning there.
func ReadsAuthorization[In any](header func(*In) *string) Option {
	return func(r *Route) {
		mustBe[In](r, r.In, "ReadsAuthorization")
		r.authorization = func(in any) *string { return header(in.(*In)) }
	}
}

func (k *work) fillAuthorization(in any) {
	if k.rt.authorization != nil {
		*k.rt.authorization(in) = k.src.req.Header.Get("Authorization")
	}
}

// readForm reads a body of type application/x-www-form-urlencoded.
func readForm(w http.ResponseWriter, r *http.Request) (source, error) {
	src := source{req: r}
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/x-www-form-urlencoded" {
		return src, errNoForm
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		return src, errTooLarge.Because(err)
	}
	if src.form, err = url.ParseQuery(string(body)); err != nil {
		return src, errFormBad.Because(err)
	}
	if !validUTF8(src.form) {
		return src, errFormUTF8
	}
	for _, values := range src.form {
		if len(values) > 1 {
			return src, errFieldTwice
		}
	}
	return src, nil
}

// plain encodes a reply without the envelope.
func (r *Route) plain(out any) (answer, error) {
	var buf bytes.Buffer
	if err := json.NewEncoder(&buf).Encode(out); err != nil {
		return answer{}, fmt.Errorf("encode reply: %w", err)
	}
	a := answer{status: r.Status, body: clock.Millis(buf.Bytes())}
	if h, ok := out.(interface{ Header() http.Header }); ok {
		a.header = h.Header()
	}
	return a, nil
}

// refuse writes an error as the standard has it.
func (s *Standard) refuse(w http.ResponseWriter, f *fault.Fault) {
	status, body := s.Error(bodyOf(f))
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(f.RetryAfter.Seconds()))))
	}
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", s.Challenge)
	}
	raw, _ := json.Marshal(body) // plain records can't fail
	write(w, answer{status: status, body: append(raw, '\n')})
}
