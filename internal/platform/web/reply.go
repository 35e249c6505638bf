package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"reflect"
	"strconv"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
)

// statuses maps each kind of fault to its HTTP status. The status text is the error
// code of faults without their own.
var statuses = map[fault.Kind]int{
	fault.Internal:        http.StatusInternalServerError,
	fault.Malformed:       http.StatusBadRequest,
	fault.Invalid:         http.StatusUnprocessableEntity,
	fault.Unauthenticated: http.StatusUnauthorized,
	fault.Forbidden:       http.StatusForbidden,
	fault.NotFound:        http.StatusNotFound,
	fault.NotAllowed:      http.StatusMethodNotAllowed,
	fault.Conflict:        http.StatusConflict,
	fault.TooLarge:        http.StatusRequestEntityTooLarge,
	fault.Unsupported:     http.StatusUnsupportedMediaType,
	fault.TooMany:         http.StatusTooManyRequests,
	fault.Unavailable:     http.StatusServiceUnavailable,
}

var errUnavailable = fault.New(fault.Unavailable, "",
	"The service can't reach its database right now. Try again in a moment.").After(time.Second)

// errUnknown is the answer if COMMIT was sent and the connection lost before its answer.
var errUnknown = errUnavailable.Saying("The connection to the database was lost while this was saved. " +
	"Look whether it was saved before you do it again.")

// answer is a response, to be written or stored for its Idempotency-Key.
type answer struct {
	status int
	body   []byte
	etag   string // of a record with a version
	cookie *http.Cookie
	header http.Header // additional headers
	file   *File       // in place of a body
}

// ErrorBody is the body of every error response.
type ErrorBody struct {
	StatusCode int           `json:"statusCode"`
	Message    string        `json:"message"`
	Error      string        `json:"error" doc:"The status in words, or a code such as PERMISSION_DENIED."`
	Details    []fault.Field `json:"details,omitempty" doc:"One item per invalid field."`
}

// success wraps the output of a handler in the envelope, with messages in a language.
func (r *Route) success(out any, lang string) (answer, error) {
	if r.Status == http.StatusNoContent {
		return answer{status: r.Status}, nil
	}
	if f, ok := out.(File); ok {
		return answer{status: r.Status, file: &f}, nil
	}
	if e, ok := out.(eitherReply); ok {
		var f *File
		if out, f = e.either(); f != nil {
			return answer{status: r.Status, file: f}, nil
		}
	}
	if r.Standard != nil {
		return r.plain(out)
	}
	tag := r.entityTag(out)
	out, says := translateReply(lang, out, r.messageOf(out))
	var buf bytes.Buffer
	data := []byte("{}")
	if _, none := out.(None); !none {
		if err := json.NewEncoder(&buf).Encode(out); err != nil {
			return answer{}, fmt.Errorf("encode reply: %w", err)
		}
		data = clock.Millis(bytes.TrimSuffix(buf.Bytes(), []byte("\n")))
	}
	message, err := json.Marshal(says)
	if err != nil {
		return answer{}, fmt.Errorf("encode message: %w", err)
	}
	body := make([]byte, 0, 2*len(data)+len(message)+32)
	body = append(body, `{"data":`...)
	body = append(body, data...)
	if r.SignIn && len(data) > 2 { // the same fields at the top level
		body = append(append(body, ','), data[1:len(data)-1]...)
	}
	body = append(body, `,"message":`...)
	body = append(append(body, message...), "}\n"...)
	return answer{status: r.Status, body: body, etag: tag}, nil
}

// messageOf returns the message of the output, if it has one, or the route's.
func (r *Route) messageOf(out any) string {
	if m, ok := out.(interface{ Message() string }); ok && !reflect.ValueOf(out).IsZero() {
		return m.Message()
	}
	return r.Message
}

func write(w http.ResponseWriter, a answer) {
	if len(a.body) > 0 {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
	}
	if a.etag != "" {
		w.Header().Set("ETag", a.etag)
	}
	if a.cookie != nil {
		http.SetCookie(w, a.cookie)
	}
	for name, values := range a.header {
		w.Header()[name] = values
	}
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // fails only if the client disconnected
}

// faultOf returns the fault to show for any error.
func faultOf(err error) *fault.Fault {
	switch {
	case errors.Is(err, db.ErrUnknown):
		return errUnknown.Because(err)
	case errors.Is(err, db.ErrUnavailable):
		return errUnavailable.Because(err)
	case errors.Is(err, context.DeadlineExceeded):
		return errUnavailable.Saying("This took too long. Try again in a moment.").Because(err)
	}
	return fault.From(err)
}

// BodyOf returns the error body for an error, for other transports than HTTP. It is in the
// account's language, else in one of an Accept-Language header, else English.
func BodyOf(err error, language, accept string) ErrorBody {
	return bodyOf(faultOf(err)).translate(chooseLanguage(language, accept))
}

func bodyOf(f *fault.Fault) ErrorBody {
	status, name := statuses[f.Kind], f.Code
	if name == "" {
		name = http.StatusText(status)
	}
	return ErrorBody{StatusCode: status, Message: f.Message, Error: name, Details: f.Fields[:min(len(f.Fields), maxDetails)]}
}

// Refuse writes the error response of a handler outside the routes, such as a page.
func Refuse(w http.ResponseWriter, r *http.Request, f *fault.Fault) { fail(w, r, slog.Default(), f) }

// Fail writes the error response of a handler outside the routes for any error, and logs
// the cause of a 5xx.
func Fail(w http.ResponseWriter, r *http.Request, log *slog.Logger, err error) { fail(w, r, log, err) }

// fail writes the error response, as a page for a browser, and logs the cause of a 5xx.
func fail(w http.ResponseWriter, r *http.Request, log *slog.Logger, err error) {
	failAs(w, r, log, err, nil)
}

// failAs is fail for a route whose errors have the form of a standard, if any.
func failAs(w http.ResponseWriter, r *http.Request, log *slog.Logger, err error, as *Standard) {
	f := faultOf(err)
	status := statuses[f.Kind]
	if status >= http.StatusInternalServerError && !errors.Is(err, context.Canceled) {
		log.ErrorContext(r.Context(), "request failed", "requestId", RequestID(r.Context()), "status", status, "error", err)
	}
	if as != nil {
		as.refuse(w, f)
		return
	}
	lang := Language(r)
	body := bodyOf(f).translate(lang)
	w.Header().Set("Content-Language", lang)
	w.Header().Add("Vary", "Accept, Accept-Language")
	if f.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(f.RetryAfter.Seconds()))))
	}
	if status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", challenge(err))
	}
	if wantsPage(r) {
		errorPage(w, r, body, lang)
		return
	}
	raw, _ := json.Marshal(body) // plain records can't fail
	write(w, answer{status: status, body: append(raw, '\n')})
}
