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

// Thumb is the size parameter of a thumbnail URL.
const Thumb = "thumb"

// Signed URLs are valid for lifetime plus up to rounding. The expiry is rounded, so
// that repeated requests get the same URL and clients can cache it.
const (
	lifetime = time.Hour
	rounding = 10 * time.Minute
)

const purpose = "file"

var (
	errExpired = fault.Denied("This link has expired. Reload the record with the file to get a new link.")
	errEnded   = fault.Denied("The session of this link has ended. Sign in and reload the record with the file to get a new link.")
	errForged  = fault.Denied("This link is not valid. Reload the record with the file to get a new link.")
)

// URL returns a signed URL of a file. It names the user and the session that it was
// issued to, whose rights are checked on download. A URL for nobody works for logos
// only. The file need not exist.
func (s *Service) URL(who actor.Actor, school, file id.ID, size string) string {
	expires := strconv.FormatInt(s.Now().Add(lifetime+rounding).Truncate(rounding).Unix(), 10)
	q := url.Values{"school": {string(school)}, "expires": {expires}}
	home := who.School
	if home == school {
		home = "" // everyone except super-administrators
	}
	for name, v := range map[string]string{"size": size, "user": string(who.User), "session": string(who.Session), "home": string(home)} {
		if v != "" {
			q.Set(name, v)
		}
	}
	q.Set("signature", s.Keys.MAC(purpose, signedParts(string(file), q)...))
	return s.Base + "/file/" + string(file) + "?" + q.Encode()
}

// signedParts are the values that the signature covers.
func signedParts(file string, q url.Values) []string {
	return []string{q.Get("school"), file, q.Get("size"), q.Get("expires"), q.Get("user"), q.Get("session"), q.Get("home")}
}

// reader returns the current actor of the user that a URL was issued to.
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

// signed reports whether the URL has a signature, and an error if it is not valid.
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
