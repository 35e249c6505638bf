// Package wire is what the providers that speak HTTP share: a client that is
// careful, and what a failed answer means for the next try.
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
)

const (
	timeout    = 10 * time.Second
	maxAnswer  = 64 << 10
	maxPause   = 24 * time.Hour
	unhurried  = time.Minute // after "too many requests" that does not say when
	maxPrinted = 500
)

// Client is an HTTP client that keeps up to conns connections to a host, follows
// no redirect (a provider that moved is for a person to look at) and gives up
// after ten seconds.
func Client(conns int) *http.Client {
	return &http.Client{
		Timeout:       timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:                 http.ProxyFromEnvironment,
			DialContext:           (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
			ForceAttemptHTTP2:     true,
			MaxConnsPerHost:       conns,
			MaxIdleConnsPerHost:   conns,
			IdleConnTimeout:       90 * time.Second,
			TLSHandshakeTimeout:   5 * time.Second,
			ResponseHeaderTimeout: timeout,
		},
	}
}

// Answer is what a server said.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// OK holds for a status of success.
func (a Answer) OK() bool { return a.Status >= 200 && a.Status < 300 }

// Text is the answer as a person reads it: short, and on one line.
func (a Answer) Text() string {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(a.Body), "�")), " ")
	if r := []rune(text); len(r) > maxPrinted {
		text = string(r[:maxPrinted]) + "…"
	}
	return text
}

// Do sends a request and reads the answer. Its errors don't quote the address,
// which may hold a key.
func Do(client *http.Client, req *http.Request) (Answer, error) {
	res, err := client.Do(req)
	if err != nil {
		return Answer{}, bare(req, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return Answer{}, bare(req, err)
	}
	return Answer{res.StatusCode, res.Header, body}, nil
}

// bare is err with the host alone.
func bare(req *http.Request, err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if t, ok := errors.AsType[net.Error](err); ok && t.Timeout() && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("%s did not answer in time: %w", req.URL.Host, err)
	}
	return fmt.Errorf("%s can't be reached: %w", req.URL.Host, err)
}

// Again is err with the verdict of an answer that asks for patience: a pause
// where it names one. Everything else is tried again after the usual pauses.
func (a Answer) Again(err error, now time.Time) error {
	wait := a.retryAfter(now)
	if wait == 0 && a.Status == http.StatusTooManyRequests {
		wait = unhurried
	}
	if wait == 0 {
		return err
	}
	return jobs.Later(err, min(wait, maxPause))
}

// retryAfter is seconds or a date.
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

// Address checks that text is an https address, or an http one of this machine
// itself, with no query, and returns it without a slash at its end.
func Address(text string) (string, error) {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return "", errors.New("write it as https://HOST")
	case u.Scheme == "https" || u.Scheme == "http" && Loopback(u.Hostname()):
		return strings.TrimSuffix(text, "/"), nil
	}
	return "", errors.New("use https: what is sent is private, and so is the key")
}

// Loopback holds for names of this machine itself.
func Loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
