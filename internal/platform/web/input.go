package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"strings"

	"github.com/go-chi/chi/v5"

	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// maxBody limits the size of a JSON body.
const maxBody = 1 << 20

var (
	errNoData   = fault.New(fault.Malformed, "", `The body must be a JSON object with an object "data": {"data": {...}}.`)
	errNotFlat  = fault.New(fault.Malformed, "", "The body must be a JSON object.")
	errTooLarge = fault.New(fault.TooLarge, "", "The body is too large. JSON bodies may have up to 1 MiB.")
	errMedia    = fault.New(fault.Unsupported, "", "Send the body as Content-Type: application/json.")
	errNoRecord = fault.New(fault.NotFound, "", "There is no such record in this school.")
)

// source is the request that a handler's input is bound from. Path, query and body
// are merged into one object.
type source struct {
	req    *http.Request
	body   []byte
	upload Upload     // of a route that takes a file
	form   url.Values // the other fields of a multipart form
}

// read reads the body, up to its size limit.
func read(w http.ResponseWriter, r *http.Request, rt *Route) (source, error) {
	if rt.Takes != nil && !(rt.Takes.OrJSON && isJSON(r.Header.Get("Content-Type"))) {
		return rt.Takes.receive(w, r)
	}
	if rt.Standard != nil && rt.Standard.Form {
		return readForm(w, r)
	}
	src := source{req: r}
	if r.ContentLength > maxBody {
		return src, errTooLarge
	}
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		return src, nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return src, errTooLarge
	}
	if err != nil {
		return src, errNotJSON.Because(err)
	}
	src.body = body
	if len(bytes.TrimSpace(body)) > 0 && !isJSON(r.Header.Get("Content-Type")) {
		return src, errMedia
	}
	return src, nil
}

func isJSON(contentType string) bool {
	if contentType == "" {
		return true
	}
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && (media == "application/json" || strings.HasSuffix(media, "+json"))
}

// bind fills dst from path, query and body, and validates it.
func (s source) bind(rt *Route, dst reflect.Value) (err error) {
	obj := map[string]any{}
	if s.upload.File != nil {
		s.setUpload(dst)
	} else if obj, err = s.object(rt.SignIn); err != nil {
		return err
	}
	if err := s.params(dst); err != nil {
		return err
	}
	query, err := s.query()
	if err != nil {
		return err
	}
	if rt.Body == nil {
		return nil
	}
	for key, values := range s.form {
		if f := rt.Body.Field(key); f != nil {
			obj[key] = coerce(f.Schema, values)
		}
	}
	flat := len(query) > 0 || obj["filters"] == nil
	if rt.List {
		rt.gatherFilters(obj)
	}
	if rt.Standard == nil || !rt.Standard.Form {
		rt.addQuery(obj, query)
	}
	if rt.TakesVersion() {
		if err := s.addVersion(obj); err != nil {
			return err
		}
	}
	if rt.OrFile != nil {
		rt.OrFile.negotiate(s.req, obj)
	}
	var b binder
	b.object("", rt.Body, obj, dst)
	if flat {
		for i, f := range b.fields { // use the name that the client sent it by
			b.fields[i].Field = strings.TrimPrefix(f.Field, "filters.")
		}
	}
	if err := b.err(); err != nil {
		return err
	}
	if c, ok := dst.Addr().Interface().(interface{ Check() error }); ok {
		return c.Check()
	}
	return nil
}

// object decodes the body and returns its data, or all of it if flat.
func (s source) object(flat bool) (map[string]any, error) {
	if len(bytes.TrimSpace(s.body)) == 0 {
		return map[string]any{}, nil
	}
	v, err := decode(s.body)
	if err != nil {
		return nil, err
	}
	obj, ok := v.(map[string]any)
	switch {
	case !ok && flat:
		return nil, errNotFlat
	case !ok:
		return nil, errNoData
	case flat:
		return obj, nil
	}
	data, ok := obj["data"].(map[string]any)
	if !ok {
		return nil, errNoData
	}
	return data, nil
}

// params fills the fields tagged path. An invalid id is a 404.
func (s source) params(dst reflect.Value) error {
	for i := range dst.NumField() {
		f := dst.Type().Field(i)
		name := f.Tag.Get("path")
		if name == "" {
			continue
		}
		v := chi.URLParam(s.req, name)
		if f.Type == reflect.TypeFor[id.ID]() {
			parsed, err := id.Parse(v)
			if err != nil {
				return errNoRecord.Because(err)
			}
			v = string(parsed)
		}
		if Line(v) != nil || v == "" {
			return errNoRecord
		}
		dst.Field(i).SetString(v)
	}
	return nil
}

// addQuery adds the query parameters to obj, converted to the types of the input.
func (r *Route) addQuery(obj map[string]any, query url.Values) {
	for key, values := range query {
		if values[0] == "" && len(values) == 1 {
			continue
		}
		if r.List {
			addListParam(r.Body, obj, key, values)
		} else if f := r.Body.Field(key); f != nil {
			obj[key] = coerce(f.Schema, values)
		}
	}
}

// gatherFilters moves the filters that a body has beside page and sort into filters, as in
// a query string. Filters may be missing, so that required ones are reported.
func (r *Route) gatherFilters(obj map[string]any) {
	if obj["filters"] == nil {
		obj["filters"] = map[string]any{}
	}
	filters, ok := obj["filters"].(map[string]any)
	if !ok {
		return // the binder reports it
	}
	for _, f := range r.Body.Field("filters").Schema.Fields {
		if v := obj[f.Name]; v != nil {
			filters[f.Name] = v
		}
	}
}

// addListParam adds page, limit, sort or order; any other parameter is a filter.
func addListParam(n *Schema, obj map[string]any, key string, values []string) {
	if inner, ok := bracketed(key, "filters"); ok {
		key = inner
	} else if inner, ok := bracketed(key, "sort"); ok {
		within(obj, "sort")[inner] = values[0]
		return
	} else if key == "page" || key == "limit" {
		obj[key] = coerce(n.Field(key).Schema, values)
		return
	} else if key == "sort" {
		within(obj, "sort")["field"] = values[0]
		return
	} else if key == "order" {
		within(obj, "sort")["order"] = values[0]
		return
	}
	filters := within(obj, "filters")
	filters[key] = values[0]
	if f := n.Field("filters").Schema.Field(key); f != nil {
		filters[key] = coerce(f.Schema, values)
	}
}

func bracketed(key, outer string) (string, bool) {
	inner, ok := strings.CutPrefix(key, outer+"[")
	if !ok || !strings.HasSuffix(inner, "]") {
		return "", false
	}
	return strings.TrimSuffix(inner, "]"), true
}

func within(obj map[string]any, key string) map[string]any {
	m, ok := obj[key].(map[string]any)
	if !ok {
		m = map[string]any{}
		obj[key] = m
	}
	return m
}

// Parse converts a string to the JSON type of the schema, or returns it as it is.
func (n *Schema) Parse(text string) any { return coerce(n, []string{text}) }

// coerce converts a query parameter to the JSON type of the schema. If it can't, it
// returns the string, for which the binder reports an error.
func coerce(n *Schema, values []string) any {
	v := values[0]
	switch n.Kind {
	case kindInt, kindFloat:
		if json.Valid([]byte(v)) && v != "true" && v != "false" && v != "null" {
			return json.Number(v)
		}
	case kindBool:
		switch v {
		case "true", "1":
			return true
		case "false", "0":
			return false
		}
	case kindArray:
		if len(values) == 1 {
			values = strings.Split(v, ",")
		}
		out := make([]any, len(values))
		for i, x := range values {
			out[i] = coerce(n.Elem, []string{x})
		}
		return out
	}
	return v
}
