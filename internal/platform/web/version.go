package web

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"homeroom/internal/platform/db"
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

// ifMatch returns the version in If-Match; false if any will do.
func (s source) ifMatch() (int64, bool, error) {
	sent := s.req.Header.Values("If-Match")
	if len(sent) == 0 || len(sent) == 1 && sent[0] == "*" {
		return 0, false, nil
	}
	tag := entityTag.FindStringSubmatch(sent[0])
	if len(sent) > 1 || tag == nil {
		return 0, false, errIfMatch
	}
	n, err := strconv.ParseInt(tag[1], 10, 64)
	if err != nil {
		return 0, false, errIfMatch.Because(err)
	}
	return n, true, nil
}

// addVersion adds the version in If-Match to the input.
func (s source) addVersion(obj map[string]any) error {
	n, only, err := s.ifMatch()
	if err != nil || !only {
		return err
	}
	version := json.Number(strconv.FormatInt(n, 10))
	if given := obj["version"]; given != nil && given != version {
		return errVersions
	}
	obj["version"] = version
	return nil
}

// recordOf returns the route that reads the record with a version which a DELETE or an action
// such as POST /record/{id}/cancel changes, or nil: the GET of the longest beginning of its path
// that has the same parameters.
func recordOf(rt *Route, gets map[string]*Route) *Route {
	if !rt.changes() || rt.TakesVersion() {
		return nil
	}
	for at := rt.Path; strings.Contains(at, "{"); at = at[:strings.LastIndex(at, "/")] {
		if get := gets[at]; get != nil && get.Reply != nil && get.Reply.Versioned() {
			return get
		}
		if strings.HasSuffix(at, "}") {
			break
		}
	}
	return nil
}

// ReadsIfMatch reports whether the route compares If-Match with the version of the record.
func (r *Route) ReadsIfMatch() bool { return r.record != nil || r.TakesVersion() }

// run calls the handler. With If-Match it does so in the transaction that compares the version.
// Such calls of one record run one after the other: of two with the same version one succeeds.
func (k *work) run(ctx context.Context, in any) (a answer, err error) {
	if !k.rt.ReadsIfMatch() {
		return k.handle(ctx, in)
	}
	version, only, err := k.src.ifMatch()
	switch {
	case err != nil:
		return a, err
	case !only:
		return k.handle(ctx, in)
	}
	record := strings.Join(chi.RouteContext(ctx).URLParams.Values, "/")
	err = k.s.DB.InSchool(ctx, k.who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.Lock(ctx, "If-Match "+record); err != nil {
			return err
		}
		ctx = tx.Share(ctx)
		if err := k.match(ctx, version); err != nil {
			return err
		}
		a, err = k.handle(ctx, in)
		return err
	})
	return a, err
}

// match refuses a call for another version of the record. Routes that take a version compare it
// themselves.
func (k *work) match(ctx context.Context, version int64) error {
	get := k.rt.record
	if get == nil {
		return nil
	}
	bare := k.src.req.Clone(ctx)
	bare.URL.RawQuery = ""
	in, err := get.bind(source{req: bare})
	if err != nil {
		return err
	}
	out, err := get.run(ctx, k.who, in)
	if err != nil {
		return err
	}
	if get.entityTag(out) != quoted(version) {
		return fault.ErrChanged
	}
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
