// Package wire is shared by the HTTP providers: an HTTP client with timeouts, and
// the interpretation of Retry-After.
package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/trace"
)

const (
	timeout      = 10 * time.Second
	maxAnswer    = 64 << 10
	maxPause     = 24 * time.Hour
	defaultPause = time.Minute // after 429 without Retry-After
	maxPrinted   = 500
)

// Client returns an HTTP client with up to conns connections per host and a timeout
// of ten seconds. It does not follow redirects: the configuration should be fixed.
func Client(conns int) *http.Client { return client(transport(conns)) }

func client(t *http.Transport) *http.Client {
	return &http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     trace.Outgoing(t),
	}
}

func transport(conns int) *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		ForceAttemptHTTP2:     true,
		MaxConnsPerHost:       conns,
		MaxIdleConnsPerHost:   conns,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   5 * time.Second,
		ResponseHeaderTimeout: timeout,
	}
}

// Answer is an HTTP response.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// OK reports whether the status is 2xx.
func (a Answer) OK() bool { return a.Status >= 200 && a.Status < 300 }

// Text returns the body shortened to one line, for people to read.
func (a Answer) Text() string {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(a.Body), "�")), " ")
	if r := []rune(text); len(r) > maxPrinted {
		text = string(r[:maxPrinted]) + "…"
	}
	return text
}

// Do sends a request and reads the response. Its errors don't contain the URL, which
// may contain a key.
func Do(client *http.Client, req *http.Request) (Answer, error) {
	res, err := client.Do(req)
	if err != nil {
		return Answer{}, withHost(req, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return Answer{}, withHost(req, err)
	}
	return Answer{res.StatusCode, res.Header, body}, nil
}

// withHost replaces the URL in err by its host.
func withHost(req *http.Request, err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if t, ok := errors.AsType[net.Error](err); ok && t.Timeout() && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("%s did not answer in time: %w", req.URL.Host, err)
	}
	return fmt.Errorf("%s can't be reached: %w", req.URL.Host, err)
}

// Again wraps err in jobs.Later if the response has Retry-After or is a 429. Without
// that, the usual backoff applies.
func (a Answer) Again(err error, now time.Time) error {
	wait := a.retryAfter(now)
	if wait == 0 && a.Status == http.StatusTooManyRequests {
		wait = defaultPause
	}
	if wait == 0 {
		return err
	}
	return jobs.Later(err, min(wait, maxPause))
}

// retryAfter parses the Retry-After header: seconds or a date.
func (a Answer) retryAfter(now time.Time) time.Duration {
	text := a.Header.Get("Retry-After")
	if s, err := strconv.Atoi(text); err == nil && s > 0 {
		return time.Duration(min(s, int(maxPause/time.Second))) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(at.Sub(now), 0)
	}
	return 0
}

// Address validates a base URL: https, or http on loopback, without a query. It
// returns it without a trailing slash.
func Address(text string) (string, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return "", errors.New("write it as https://HOST")
	case u.Scheme == "https" || u.Scheme == "http" && Loopback(u.Hostname()):
		return strings.TrimSuffix(text, "/"), nil
	}
	return "", errors.New("use https: messages and keys must be encrypted")
}

// Loopback reports whether host is this machine.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
