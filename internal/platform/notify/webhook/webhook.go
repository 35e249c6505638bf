// Package webhook sends text messages through any SMS gateway with an HTTP API. URL,
// headers and body are templates with the placeholders {{to}}, {{body}} and {{id}}.
package webhook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/textproto"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/notify/wire"
)

const conns = 8

// Options configure a Provider.
type Options struct {
	Method  string // GET, POST or PUT
	URL     string // a template, as are the headers and the body
	Headers string // one per line, Name: value
	Body    string
	Success string // text that a successful response contains; empty: only the status counts
	Status  string // success statuses, such as 200,202; empty: any 2xx
	Now     clock.Now
}

// Wrong is the error of an invalid option, by its field name. It does not quote the
// value, which may contain a key.
type Wrong struct {
	Field string
	error
}

type header struct {
	name  string
	value template
}

// Provider sends text messages.
type Provider struct {
	now      clock.Now
	method   string
	url      template
	headers  []header
	body     template
	success  string
	statuses []int
	secrets  []string // masked in responses
	client   *http.Client
}

// New parses the templates and validates them with a message that needs escaping
// everywhere.
func New(o Options) (*Provider, error) {
	p := &Provider{now: o.Now, method: o.Method, success: o.Success, client: wire.Client(conns)}
	if !slices.Contains([]string{http.MethodGet, http.MethodPost, http.MethodPut}, o.Method) {
		return nil, Wrong{"Method", errors.New("must be GET, POST or PUT")}
	}
	steps := []struct {
		field string
		read  func() error
	}{
		{"URL", func() (err error) { p.url, err = parseURL(o.URL); return err }},
		{"Headers", func() error { return p.readHeaders(o.Headers) }},
		{"Body", func() error { return p.readBody(o.Body) }},
		{"Status", func() error { return p.readStatuses(o.Status) }},
		{"URL", p.tryURL},
		{"Body", p.tryBody},
	}
	for _, s := range steps {
		if err := s.read(); err != nil {
			return nil, Wrong{s.field, err}
		}
	}
	if !p.mentions("to") || !p.mentions("body") {
		return nil, Wrong{"Body", errors.New("and the URL must contain {{to}} and {{body}}")}
	}
	return p, nil
}

func (p *Provider) mentions(name string) bool {
	return p.url.has(name) || p.body.has(name) || slices.ContainsFunc(p.headers, func(h header) bool { return h.value.has(name) })
}

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_|~-]+$")

func (p *Provider) readHeaders(text string) error {
	for line := range strings.Lines(strings.ReplaceAll(text, `\n`, "\n")) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		if !ok || !headerName.MatchString(name) || escapeHeader(value) != value {
			return errors.New("has a line that is not Name: value")
		}
		t, err := parse(value, escapeHeader)
		if err != nil {
			return err
		}
		p.headers = append(p.headers, header{textproto.CanonicalMIMEHeaderKey(name), t})
		if len(value) >= 8 && !strings.Contains(value, "{{") && name != "Content-Type" {
			p.secrets = append(p.secrets, value)
		}
	}
	return nil
}

// contentType returns the Content-Type header, or JSON.
func (p *Provider) contentType() string {
	for _, h := range p.headers {
		if h.name == "Content-Type" {
			return h.value.fill(notify.Message{})
		}
	}
	return "application/json"
}

func (p *Provider) readBody(text string) error {
	if text == "" {
		return nil
	}
	if p.method == http.MethodGet {
		return errors.New("can't be combined with GET: use POST, or leave it out")
	}
	escape, err := escaperOf(p.contentType())
	if err == nil {
		p.body, err = parse(text, escape)
	}
	return err
}

func (p *Provider) readStatuses(text string) error {
	if text == "" {
		return nil
	}
	for part := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(part))
		if err != nil || n < 200 || n > 299 {
			return errors.New("must be statuses from 200 to 299, such as 200,202")
		}
		p.statuses = append(p.statuses, n)
	}
	return nil
}

// hard is a message with all characters that need escaping.
var hard = notify.Message{ID: "0", To: "+15550100001", Body: "a \"b\" \\ c & d=e?#/%\r\nX: y <z> ü"}

func (p *Provider) tryURL() error {
	text := p.url.fill(hard)
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return errors.New("must be the gateway's URL, such as https://sms.example.org/send?to={{to}}")
	}
	if u.Scheme == "http" && !wire.Loopback(u.Hostname()) && !private(u.Hostname()) {
		return errors.New("must be https (http is allowed for a gateway in your own network only)")
	}
	for _, values := range u.Query() {
		for _, v := range values {
			if len(v) >= 8 && v != hard.Body && v != hard.To {
				p.secrets = append(p.secrets, v)
			}
		}
	}
	return nil
}

// private reports whether host is in a private network.
func private(host string) bool {
	return regexp.MustCompile(`^(10\.|192\.168\.|172\.(1[6-9]|2[0-9]|3[01])\.)[0-9.]+$|^[a-z0-9-]+$|\.(local|lan|internal)$`).MatchString(host)
}

func (p *Provider) tryBody() error {
	if kind := p.contentType(); p.body != nil && strings.Contains(kind, "json") && !json.Valid([]byte(p.body.fill(hard))) {
		return errors.New(`is not JSON once filled in: write placeholders inside quotes, as {"to": "{{to}}", "text": "{{body}}"}`)
	}
	return nil
}

// Name implements notify.Provider.
func (*Provider) Name() string { return "webhook" }

// Send implements notify.Provider. Its answer is the gateway's.
func (p *Provider) Send(ctx context.Context, m notify.Message) (string, error) {
	var body io.Reader
	if p.body != nil {
		body = strings.NewReader(p.body.fill(m))
	}
	req, err := http.NewRequestWithContext(ctx, p.method, p.url.fill(m), body)
	if err != nil {
		return "", jobs.Permanent(errors.New("the URL of the gateway is invalid for this message"))
	}
	for _, h := range p.headers {
		req.Header.Add(h.name, h.value.fill(m))
	}
	if p.body != nil {
		req.Header.Set("Content-Type", p.contentType()) // replaces the value added above
	}
	a, err := wire.Do(p.client, req)
	if err != nil {
		return "", err
	}
	said := p.masked(strings.TrimSpace(fmt.Sprintf("%d %s", a.Status, a.Text())))
	switch {
	case !a.OK():
		return "", p.refused(a, errors.New("the gateway answered "+said))
	case p.statuses != nil && !slices.Contains(p.statuses, a.Status):
		return "", fmt.Errorf("the gateway answered %s, which is not a success status in --webhook-status", said)
	case !strings.Contains(string(a.Body), p.success):
		return "", fmt.Errorf("the gateway answered %s, which does not contain --webhook-success", said)
	}
	return said, nil
}

// refused decides by the response whether and when to retry.
func (p *Provider) refused(a wire.Answer, err error) error {
	switch a.Status {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusProxyAuthRequired:
		return jobs.Later(fmt.Errorf("%w; check --webhook-url and --webhook-headers", err), 10*time.Minute)
	case http.StatusRequestTimeout, http.StatusTooEarly, http.StatusTooManyRequests:
		return a.Again(err, p.now())
	}
	if a.Status >= 400 && a.Status < 500 {
		return jobs.Permanent(err)
	}
	return a.Again(err, p.now())
}

// masked masks keys in a response, since gateways may echo them.
func (p *Provider) masked(text string) string {
	for _, s := range p.secrets {
		text = strings.ReplaceAll(text, s, "•••")
	}
	return text
}
