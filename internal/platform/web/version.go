package web

import (
	"encoding/json"
	"net/http"
	"reflect"
	"regexp"
	"strconv"

	"homeroom/internal/platform/fault"
)

var (
	errIfMatch  = fault.New(fault.Malformed, "", `If-Match must be one version in quotes, such as "7", or *.`)
	errVersions = fault.New(fault.Malformed, "", "If-Match and the version in the input differ. Send one of them, or the same in both.")
)

var entityTag = regexp.MustCompile(`^(?:W/)?"([0-9]{1,15})"$`)

// TakesVersion reports whether the route is a PUT with optimistic locking. The client
// sends the version in the input or in If-Match.
func (r *Route) TakesVersion() bool {
	return r.Method == http.MethodPut && r.Body != nil && r.Body.Versioned()
}

// addVersion adds the version in If-Match to the input.
func (s source) addVersion(obj map[string]any) error {
	sent := s.req.Header.Values("If-Match")
	if len(sent) == 0 || len(sent) == 1 && sent[0] == "*" { // any version
		return nil
	}
	tag := entityTag.FindStringSubmatch(sent[0])
	if len(sent) > 1 || tag == nil {
		return errIfMatch
	}
	n, err := strconv.ParseInt(tag[1], 10, 64)
	if err != nil {
		return errIfMatch.Because(err)
	}
	version := json.Number(strconv.FormatInt(n, 10))
	if given := obj["version"]; given != nil && given != version {
		return errVersions
	}
	obj["version"] = version
	return nil
}

// entityTag returns the ETag of a reply with a version, or "".
func (r *Route) entityTag(out any) string {
	v := reflect.Indirect(reflect.ValueOf(out))
	if r.Reply == nil || !r.Reply.Versioned() || !v.IsValid() || v.Type() != r.Reply.Type {
		return ""
	}
	at, err := v.FieldByIndexErr(r.Reply.Field("version").index)
	if err != nil || !at.CanInt() {
		return ""
	}
	return quoted(at.Int())
}

// storedTag returns the ETag of a stored response.
func storedTag(body string) string {
	var reply struct{ Data struct{ Version *int64 } }
	if err := json.Unmarshal([]byte(body), &reply); err != nil || reply.Data.Version == nil {
		return ""
	}
	return quoted(*reply.Data.Version)
}

func quoted(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }
