package trace

import (
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"unicode"
)

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_|~-]+$")

// ParseHeaders parses headers as OTEL_EXPORTER_OTLP_HEADERS has them: NAME=VALUE, separated by
// commas, with % escapes in values. Its error does not quote them.
func ParseHeaders(text string) (http.Header, error) {
	h := http.Header{}
	for pair := range strings.SplitSeq(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		name = strings.TrimSpace(name)
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if !ok || err != nil || !headerName.MatchString(name) || strings.ContainsFunc(value, unicode.IsControl) {
			return nil, errors.New("write NAME=VALUE, separated by commas; escape a comma as %2C and a percent sign as %25")
		}
		h.Add(name, value)
	}
	return h, nil
}
