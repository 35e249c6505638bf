// Package webpush sends push notifications to browsers (Web Push, RFC 8030), through the
// push service of the browser's maker. Payloads are encrypted for the browser (RFC 8291,
// encrypt.go) and requests are signed (VAPID, RFC 8292, vapid.go), so that no account
// at any provider is needed.
//
// A Subscription is validated when it is registered (subscription.go), and its address
// again when it is used (wire.Guarded).
package webpush

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/notify/wire"
)

// Payloads are padded to one of two sizes, so that their length tells only whether the
// text is long. A push service accepts 4,096 bytes with header and tag.
const (
	shortSize = 1024
	longSize  = 3072
	maxTitle  = 200 // bytes
)

// conns is the maximum number of connections to one push service.
const conns = 64

// Options configure a Provider.
type Options struct {
	Keys     *Keys
	Contact  string // mailto: or https: URL of the operator, for push services; may be empty
	Loopback bool   // allow push services on this machine
	Now      clock.Now

	// Manner returns how a message is sent.
	Manner func(m notify.Message) Manner
}

// Manner is how a push service treats a message.
type Manner struct {
	TTL     time.Duration // how long it is kept for a browser that is offline
	Urgency string        // low, normal or high: whether it wakes a phone that saves power
	Topic   string        // at most 32 of A-Z a-z 0-9 _ -; replaces a waiting message with the same topic
	Path    string        // the screen to open
}

// Provider sends push notifications to browsers.
type Provider struct {
	Options
	client *http.Client
}

// New returns a Provider. It does not connect yet.
func New(o Options) *Provider { return &Provider{o, client(o.Loopback)} }

// client returns an HTTP client for endpoints, which anyone who signs in can register.
func client(loopback bool) *http.Client {
	return wire.Guarded(conns, func(to netip.AddrPort) bool {
		return wire.IsPublic(to.Addr()) && to.Port() == 443 || loopback && to.Addr().Unmap().IsLoopback()
	})
}

// Name implements notify.Provider.
func (*Provider) Name() string { return "webpush" }

// PublicKey is the key that browsers need to subscribe (applicationServerKey).
func (p *Provider) PublicKey(ctx context.Context) (string, error) {
	key, err := p.Keys.Get(ctx)
	if err != nil {
		return "", err
	}
	return key.Public, nil
}

// Subscribe validates a subscription.
func (p *Provider) Subscribe(endpoint, p256dh, auth string) (Subscription, error) {
	return Subscribe(endpoint, p256dh, auth, p.Loopback)
}

// Send implements notify.Provider.
func (p *Provider) Send(ctx context.Context, m notify.Message) (string, error) {
	to, err := parse(m.To, p.Loopback)
	if err != nil {
		return "", notify.Gone(err)
	}
	a, err := p.post(ctx, to, m, longSize)
	if err == nil && a.Status == http.StatusRequestEntityTooLarge {
		a, err = p.post(ctx, to, m, shortSize)
	}
	switch {
	case errors.Is(err, wire.ErrPrivate):
		return "", notify.Gone(err)
	case err != nil:
		return "", err
	case !a.OK():
		return "", p.refused(a)
	}
	return strconv.Itoa(a.Status) + " " + http.StatusText(a.Status), nil
}

// post sends a message whose payload has at most this size.
func (p *Provider) post(ctx context.Context, to Subscription, m notify.Message, most int) (wire.Answer, error) {
	how := p.Manner(m)
	plain, err := payload(m, how.Path, most-1)
	if err != nil {
		return wire.Answer{}, jobs.Permanent(err)
	}
	size := longSize
	if len(plain) < shortSize {
		size = shortSize
	}
	body, err := encrypt(plain, size, to)
	if err != nil {
		return wire.Answer{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.Endpoint, bytes.NewReader(body))
	if err != nil {
		return wire.Answer{}, jobs.Permanent(ErrEndpoint)
	}
	key, err := p.Keys.Get(ctx)
	if err != nil {
		return wire.Answer{}, err
	}
	signed, err := key.authorization(req.URL, p.Contact, p.Now())
	if err != nil {
		return wire.Answer{}, err
	}
	req.Header.Set("Authorization", signed)
	req.Header.Set("Content-Type", "application/octet-stream")
	req.Header.Set("Content-Encoding", "aes128gcm")
	req.Header.Set("TTL", strconv.Itoa(int(how.TTL/time.Second)))
	req.Header.Set("Urgency", how.Urgency)
	if how.Topic != "" {
		req.Header.Set("Topic", how.Topic)
	}
	return wire.Do(p.client, req)
}

// content is the payload, which the service worker of the app shows.
type content struct {
	ID    id.ID             `json:"id"`
	Title string            `json:"title"`
	Body  string            `json:"body"`
	Lang  string            `json:"lang"`
	Path  string            `json:"path"`
	Tag   string            `json:"tag"`
	Badge *int              `json:"badge"`
	Data  map[string]string `json:"data"`
}

// payload returns the JSON of a message in at most this many bytes.
func payload(m notify.Message, path string, most int) ([]byte, error) {
	c := content{ID: m.ID, Title: clip(m.Subject, maxTitle), Body: clip(m.Body, most), Lang: m.Lang, Path: path, Badge: m.Badge,
		Tag: m.Data["type"] + "/" + m.Data["id"], Data: m.Data}
	for {
		var out bytes.Buffer
		e := json.NewEncoder(&out)
		e.SetEscapeHTML(false)
		if err := e.Encode(c); err != nil {
			return nil, fmt.Errorf("encode a push: %w", err)
		}
		over := out.Len() - most
		switch {
		case over <= 0:
			return out.Bytes(), nil
		case c.Body == "":
			return nil, errors.New("the push is too long even without a body")
		}
		c.Body = clip(c.Body, len(c.Body)-(over+5)/6) // an escaped byte takes up to six
	}
}

// clip shortens s to at most this many bytes, with an ellipsis if there is room.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	most = max(0, most-len("…"))
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	if most == 0 {
		return ""
	}
	return s[:most] + "…"
}

// refused decides by the response whether and when to retry.
func (p *Provider) refused(a wire.Answer) error {
	err := errors.New(strings.TrimSpace(fmt.Sprintf("the push service answered %d: %s", a.Status, a.Text())))
	switch a.Status {
	case http.StatusNotFound, http.StatusGone:
		return notify.Gone(err)
	case http.StatusUnauthorized, http.StatusForbidden:
		return jobs.Later(fmt.Errorf("%w; the browser has subscribed with another key, or --web-push-contact or the clock is wrong", err),
			10*time.Minute)
	case http.StatusRequestTimeout, http.StatusRequestEntityTooLarge, http.StatusTooEarly, http.StatusTooManyRequests:
		return a.Again(err, p.Now())
	}
	if a.Status >= 400 && a.Status < 500 {
		return jobs.Permanent(err)
	}
	return a.Again(err, p.Now())
}
