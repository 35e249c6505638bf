package openapi

import (
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/web"
)

func (g *generator) operation(r *web.Route) object {
	op := object{
		{"operationId", g.operationID(r)},
		{"tags", []string{tagOf(r)}},
		{"summary", r.Summary},
		{"description", describe(r)},
		{"x-rate-class", string(r.Class)},
	}
	switch {
	case r.Standard != nil:
		op = append(op, member{"security", []any{object{{r.Standard.Security, []any{}}}}})
	case r.Public != "":
		op = append(op, member{"security", []any{}})
	case r.IsSigned():
		op = append(op, member{"security", []any{object{{"bearer", []any{}}}, object{{"signedURL", []any{}}}}})
	}
	if r.Module != "" {
		op = append(op, member{"x-permission", permission(r)})
	}
	if params := g.parameters(r); len(params) > 0 {
		op = append(op, member{"parameters", params})
	}
	switch {
	case r.Standard != nil && r.Standard.Form:
		op = append(op, member{"requestBody", g.standardForm(r)})
	case r.Takes != nil && r.Takes.OrJSON:
		op = append(op, member{"requestBody", g.eitherBody(r)})
	case r.Takes != nil && r.Takes.Types == nil:
		op = append(op, member{"requestBody", g.formBody(r)})
	case r.Takes != nil:
		op = append(op, member{"requestBody", g.fileBody(r)})
	case takesBody(r):
		op = append(op, member{"requestBody", g.requestBody(r)})
	}
	return append(op, member{"responses", g.responses(r)})
}

var verbs = map[actor.Verb]string{actor.Read: "canRead", actor.Write: "canWrite", actor.Delete: "canDelete"}

// permission is the permission that a route needs; "or" are modules that do in place of the first.
func permission(r *web.Route) object {
	of := object{{"module", r.Module}, {"verb", verbs[r.Verb]}}
	if len(r.Or) > 0 {
		of = append(of, member{"or", r.Or})
	}
	return of
}

func describe(r *web.Route) string {
	var parts []string
	switch {
	case r.Public != "":
		parts = append(parts, "Public: "+r.Public+".")
	case len(r.Roles) == len(actor.Roles):
		parts = append(parts, "For every role.")
	default:
		names := make([]string, len(r.Roles))
		for i, role := range r.Roles {
			names[i] = string(role)
		}
		parts = append(parts, "For "+strings.Join(names, ", ")+".")
	}
	if r.Module != "" {
		modules := append([]string{r.Module}, r.Or...)
		parts = append(parts, fmt.Sprintf("Requires %s on the module `%s`.", verbs[r.Verb], strings.Join(modules, "` or `")))
	}
	if r.ReadOnlyInEvaluation() {
		parts = append(parts, "Refused for teachers while the school is in evaluation mode.")
	}
	if r.IsSigned() {
		parts = append(parts, "A valid signed URL needs no token and is not rate limited.")
	}
	parts = append(parts, fmt.Sprintf("Rate limit class: %s.", r.Class))
	return strings.Join(parts, " ")
}

var pathParam = regexp.MustCompile(`\{(\w+)\}`)

// parameters lists the path parameters, and the query parameters of GET and DELETE.
func (g *generator) parameters(r *web.Route) []any {
	var out []any
	for _, m := range pathParam.FindAllStringSubmatch(r.Path, -1) {
		out = append(out, object{{"name", m[1]}, {"in", "path"}, {"required", true},
			{"schema", pathSchema(r.In, m[1])}})
	}
	if r.ReadsIfMatch() {
		out = append(out, versionHeader(r))
	}
	if r.Cookie != nil {
		out = append(out, browserParameters(r)...)
	}
	if r.Body == nil || takesBody(r) || r.Takes != nil && r.Takes.Types == nil {
		return out
	}
	for _, f := range r.Body.Fields {
		switch {
		case r.IsSigned() && f.Name == "signature": // a security scheme
		case r.List && f.Name == "filters":
			for _, ff := range f.Schema.Fields {
				out = append(out, g.query(ff))
			}
		case r.List && f.Name == "sort":
			out = append(out, g.query(web.Field{Name: "sort", Schema: f.Schema.Field("field").Schema}), g.query(*f.Schema.Field("order")))
		default:
			out = append(out, g.query(f))
		}
	}
	return out
}

func pathSchema(in reflect.Type, name string) object {
	for i := range in.NumField() {
		if f := in.Field(i); f.Tag.Get("path") == name {
			return append(object{{"type", "string"}}, limits(web.SchemaOf(f.Type), true)...)
		}
	}
	return object{{"type", "string"}}
}

func (g *generator) query(f web.Field) object {
	p := object{{"name", f.Name}, {"in", "query"}, {"required", f.Required}}
	if f.Schema.Doc != "" {
		p = append(p, member{"description", f.Schema.Doc})
	}
	return append(p, member{"schema", g.schema(f.Schema, false)})
}

func (g *generator) requestBody(r *web.Route) object {
	name, schema := g.input(r)
	example := any(trial(r.Body))
	required := slices.ContainsFunc(r.Body.Fields, func(f web.Field) bool { return f.Required })
	if !r.SignIn {
		data := schema
		schema = g.component(name+"Request", of(r, false), func() object {
			return object{{"type", "object"}, {"required", []string{"data"}}, {"properties", object{{"data", data}}}}
		})
		example = object{{"data", example}}
	}
	return object{{"required", required}, {"content", object{{"application/json",
		object{{"schema", schema}, {"example", example}}}}}}
}

// fileBody documents an upload as a form. The service takes the file as the body, too.
func (g *generator) fileBody(r *web.Route) object {
	t := r.Takes
	form := g.component(g.bodyName(r, r.In)+"Form", of(r, false), func() object {
		return object{{"type", "object"}, {"required", []string{"file"}}, {"properties", object{{"file", binary(t.Types[0])}}}}
	})
	return object{{"required", true},
		{"description", fmt.Sprintf("A file (%s) of up to %d MiB, as the part `file` of a form.", t.Types[0], t.Max>>20)},
		{"content", object{{"multipart/form-data", object{{"schema", form}}}}}}
}

// binary is the schema of a file's content; generators of clients know it by its format.
func binary(mediaType string) object {
	o := object{{"type", "string"}, {"format", "binary"}}
	if strings.Contains(mediaType, "*") { // a range of types
		return o
	}
	return append(o, member{"contentMediaType", mediaType})
}

// formBody documents a form with a file.
func (g *generator) formBody(r *web.Route) object {
	props, required := object{{"file", binary("application/octet-stream")}}, []string{"file"}
	if r.Body != nil {
		for _, f := range r.Body.Fields {
			props = append(props, member{f.Name, g.schema(f.Schema, false)})
			if f.Required {
				required = append(required, f.Name)
			}
		}
	}
	form := g.component(g.bodyName(r, r.In)+"Form", of(r, false), func() object {
		return object{{"type", "object"}, {"required", required}, {"properties", props}}
	})
	return object{{"required", true}, {"description", fmt.Sprintf("A form with a file of up to %d MiB.", r.Takes.Max>>20)},
		{"content", object{{"multipart/form-data", object{{"schema", form}}}}}}
}

// eitherBody documents a body of JSON, or a file with the other input in the query.
func (g *generator) eitherBody(r *web.Route) object {
	media := g.requestBody(r)[1].value.(object)
	for _, m := range g.fileBody(r) {
		if m.key == "content" {
			media = append(media, m.value.(object)...)
		}
	}
	return object{{"required", true},
		{"description", "JSON, or a file; with a file, send the other parameters in the query string."}, {"content", media}}
}

func (g *generator) responses(r *web.Route) object {
	if r.Standard != nil {
		return g.standardResponses(r)
	}
	out := object{{strconv.Itoa(r.Status), g.success(r)}}
	if r.IsSigned() { // supports range requests
		out = append(out, member{"206", object{{"description", "The part of the file that was asked for."}}},
			member{"304", object{{"description", "The file that the client has already."}}})
	}
	codes := []int{400, 401, 403, 404, 409, 413, 415, 422, 429, 500, 503}
	if r.IsSigned() {
		codes = []int{400, 401, 403, 404, 416, 422, 429, 500, 503}
	}
	if r.Public != "" && !r.SignIn {
		codes = []int{400, 404, 413, 415, 422, 429, 500, 503}
	}
	for _, c := range codes {
		out = append(out, member{strconv.Itoa(c), object{{"$ref", "#/components/responses/" + strconv.Itoa(c)}}})
	}
	return out
}

func (g *generator) success(r *web.Route) object {
	if r.Status == http.StatusNoContent {
		return object{{"description", "Done. No body."}}
	}
	if r.Gives != "" {
		return object{{"description", "The file."}, {"content", object{{r.Gives, object{{"schema", binary(r.Gives)}}}}}}
	}
	content := object{{"application/json", object{{"schema", g.envelope(r)}}}}
	if r.OrFile != nil {
		content = append(content, member{r.OrFile.Type, object{{"schema", binary(r.OrFile.Type)}}})
	}
	out := object{{"description", r.Message}}
	if r.Reply != nil && r.Reply.Versioned() {
		out = append(out, member{"headers", tagHeader()})
	}
	return append(out, member{"content", content})
}

// errorResponses describes each status once, for references by operations.
func errorResponses(info Info) object {
	words := []struct {
		code int
		what string
	}{
		{400, "Not JSON, a duplicate key, no data object, or an invalid one-time password (OTP_INVALID, OTP_EXPIRED)."},
		{401, "No token, or an invalid or expired one (WWW-Authenticate has error=\"invalid_token\": renew it); a wrong password, PIN or code; " +
			"REFRESH_TOKEN_EXPIRED."},
		{403, "Wrong role, or missing permission (PERMISSION_DENIED, EVALUATION_MODE_READONLY)."},
		{404, info.NotFound},
		{409, "It exists already (DUPLICATE_ENTRY), the record's state does not allow it, or the record has changed since it was read."},
		{413, "The body is too large."},
		{415, "The content type is not supported."},
		{416, "The requested range is not satisfiable."},
		{422, "Validation failed; details has one item per field."},
		{429, "Too many requests; Retry-After is the number of seconds to wait."},
		{500, "Internal error. Report the X-Request-Id."},
		{503, "The database can't be reached; Retry-After says when to try again."},
	}
	var out object
	for _, w := range words {
		out = append(out, member{strconv.Itoa(w.code), object{{"description", w.what},
			{"content", object{{"application/json", object{
				{"schema", object{{"$ref", "#/components/schemas/Error"}}},
				{"example", web.ErrorBody{StatusCode: w.code, Message: w.what, Error: http.StatusText(w.code)}}}}}}}})
	}
	return out
}

func takesBody(r *web.Route) bool {
	return (r.Takes == nil || r.Takes.OrJSON) && r.Body != nil && len(r.Body.Fields) > 0 &&
		(r.Method == http.MethodPost || r.Method == http.MethodPut)
}

// versionHeader documents If-Match.
func versionHeader(r *web.Route) object {
	of := "the reply's `ETag` and in `version` of the body"
	if !r.TakesVersion() {
		of = "the `ETag` of the record"
	}
	return object{{"name", "If-Match"}, {"in", "header"}, {"required", false},
		{"description", "The version you read, in quotes, as in " + of + ". 409 if the record has changed since; `*` matches any version."},
		{"schema", object{{"type", "string"}, {"pattern", `^((W/)?"[0-9]{1,15}"|\*)$`}}}}
}

// browserParameters document the header and the cookie of the web app.
func browserParameters(r *web.Route) []any {
	header := object{{"name", web.BrowserHeader}, {"in", "header"}, {"required", false},
		{"description", "1 in the web app: the refresh token is in the cookie `" + r.Cookie.Name +
			"` and not in the body. Pages of other origins can't send it."},
		{"schema", object{{"type", "string"}, {"enum", []string{"1"}}}}}
	if !r.ReadsCookie() {
		return []any{header}
	}
	return []any{header, object{{"name", r.Cookie.Name}, {"in", "cookie"}, {"required", false},
		{"description", "In place of refreshToken. Read only with " + web.BrowserHeader + "."},
		{"schema", object{{"type", "string"}}}}}
}

// tagHeader documents ETag.
func tagHeader() object {
	return object{{"ETag", object{{"description", "The record's version, in quotes."}, {"schema", object{{"type", "string"}}}}}}
}
