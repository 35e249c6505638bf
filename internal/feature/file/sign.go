package file

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// Thumb is the size of a small picture, where an address names one.
const Thumb = "thumb"

// Addresses live from lifetime to lifetime and rounding: one that is asked for
// twice in a short time is the same, so that it is not fetched twice.
const (
	lifetime = time.Hour
	rounding = 10 * time.Minute
)

const purpose = "file"

var (
	errExpired = fault.Denied("This address has expired. Read the record that has the file again for a new one.")
	errEnded   = fault.Denied("The sign-in that this address was given to has ended. Sign in, and read the record that has the file again for a new one.")
	errForged  = fault.Denied("This address is not one that the service has given, or was changed. Read the record that has the file again for a new one.")
)

// URL is an address at which a file of a school can be had without a token, while
// who may see it: it names the account and, if there is one, the session that it
// was given to. One for nobody serves logos alone. The file need not be there.
func (s *Service) URL(who actor.Actor, school, file id.ID, size string) string {
	expires := strconv.FormatInt(s.Now().Add(lifetime+rounding).Truncate(rounding).Unix(), 10)
	q := url.Values{"school": {string(school)}, "expires": {expires}}
	home := who.School
	if home == school {
		home = "" // as with everyone but super-administrators
	}
	for name, v := range map[string]string{"size": size, "user": string(who.User), "session": string(who.Session), "home": string(home)} {
		if v != "" {
			q.Set(name, v)
		}
	}
	q.Set("signature", s.Keys.MAC(purpose, signedParts(string(file), q)...))
	return s.Base + "/file/" + string(file) + "?" + q.Encode()
}

// signedParts is what a signature covers.
func signedParts(file string, q url.Values) []string {
	return []string{q.Get("school"), file, q.Get("size"), q.Get("expires"), q.Get("user"), q.Get("session"), q.Get("home")}
}

// reader is whom an address was given to, as of now.
func (s *Service) reader(ctx context.Context, in getIn) (actor.Actor, error) {
	if in.User == "" {
		return actor.Actor{}, nil
	}
	home := in.School
	if in.Home != "" {
		home = in.Home
	}
	who, err := s.Reader(ctx, home, in.User, in.Session)
	if f, ok := errors.AsType[*fault.Fault](err); ok && f.Kind != fault.Internal {
		return who, errEnded.Because(err)
	}
	return who, err
}

// signed checks an address; false where it does not claim to be signed.
func (s *Service) signed(u *url.URL) (bool, error) {
	q := u.Query()
	if !q.Has("signature") {
		return false, nil
	}
	file := u.Path[strings.LastIndexByte(u.Path, '/')+1:]
	if !s.Keys.CheckMAC(purpose, q.Get("signature"), signedParts(file, q)...) {
		return true, errForged
	}
	expires, err := strconv.ParseInt(q.Get("expires"), 10, 64)
	if err != nil || !s.Now().Before(time.Unix(expires, 0)) {
		return true, errExpired
	}
	return true, nil
}
