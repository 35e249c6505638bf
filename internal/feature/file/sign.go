package file

import (
	"net/url"
	"strconv"
	"strings"
	"time"

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
	errForged  = fault.Denied("This address is not one that the service has given, or was changed. Read the record that has the file again for a new one.")
)

// URL is an address at which a file can be had without a token. It need not be there.
func (s *Service) URL(school, file id.ID, size string) string {
	expires := strconv.FormatInt(s.Now().Add(lifetime+rounding).Truncate(rounding).Unix(), 10)
	q := "?school=" + string(school) + "&expires=" + expires
	if size != "" {
		q += "&size=" + size
	}
	return s.Base + "/file/" + string(file) + q + "&signature=" + s.Keys.MAC(purpose, string(school), string(file), size, expires)
}

// signed checks an address; false where it does not claim to be signed.
func (s *Service) signed(u *url.URL) (bool, error) {
	q := u.Query()
	if !q.Has("signature") {
		return false, nil
	}
	file := u.Path[strings.LastIndexByte(u.Path, '/')+1:]
	if !s.Keys.CheckMAC(purpose, q.Get("signature"), q.Get("school"), file, q.Get("size"), q.Get("expires")) {
		return true, errForged
	}
	expires, err := strconv.ParseInt(q.Get("expires"), 10, 64)
	if err != nil || !s.Now().Before(time.Unix(expires, 0)) {
		return true, errExpired
	}
	return true, nil
}
