package webpush

import (
	"crypto/ecdh"
	"encoding/base64"
	"errors"
	"net/url"
	"strings"

	"homeroom/internal/platform/notify/wire"
)

// The faults of a subscription.
var (
	ErrEndpoint = errors.New("the endpoint is not the https URL of a public push service")
	ErrKey      = errors.New("p256dh is not a public key of the curve P-256")
	ErrAuth     = errors.New("auth is not a secret of 16 bytes")
)

// Subscription is a browser's push subscription.
type Subscription struct {
	Endpoint string // canonical URL
	P256DH   string // public key of the browser, base64url
	Auth     string // shared secret, base64url

	key  *ecdh.PublicKey
	auth []byte
}

// Subscribe validates what PushSubscription.toJSON() of a browser returns. loopback also
// allows a push service on this machine.
func Subscribe(endpoint, p256dh, auth string, loopback bool) (s Subscription, err error) {
	if s.Endpoint, err = canonical(endpoint, loopback); err != nil {
		return s, err
	}
	raw, err := decode(p256dh)
	if err != nil {
		return s, ErrKey
	}
	if s.key, err = ecdh.P256().NewPublicKey(raw); err != nil {
		return s, ErrKey
	}
	if s.auth, err = decode(auth); err != nil || len(s.auth) != 16 {
		return s, ErrAuth
	}
	s.P256DH, s.Auth = base64.RawURLEncoding.EncodeToString(raw), base64.RawURLEncoding.EncodeToString(s.auth)
	return s, nil
}

// Address is the subscription as the recipient of a message: the endpoint with the keys
// as its fragment.
func (s Subscription) Address() string { return s.Endpoint + "#" + s.P256DH + "." + s.Auth }

// IsAddress reports whether the recipient of a push is a subscription, and not a token.
func IsAddress(to string) bool { return strings.Contains(to, "://") }

// Endpoint returns the endpoint of an address. Any other recipient is returned unchanged.
func Endpoint(to string) string {
	if !IsAddress(to) {
		return to
	}
	endpoint, _, _ := strings.Cut(to, "#")
	return endpoint
}

func parse(address string, loopback bool) (Subscription, error) {
	endpoint, keys, _ := strings.Cut(address, "#")
	p256dh, auth, _ := strings.Cut(keys, ".")
	return Subscribe(endpoint, p256dh, auth, loopback)
}

// decode accepts base64url and base64, with or without padding.
func decode(text string) ([]byte, error) {
	text = strings.NewReplacer("+", "-", "/", "_").Replace(strings.TrimRight(text, "="))
	return base64.RawURLEncoding.DecodeString(text)
}

// canonical returns the one form of an endpoint's URL. It refuses hosts that are plainly
// not public; the others are checked when they are dialled.
func canonical(text string, loopback bool) (string, error) {
	u, err := url.Parse(text)
	if err != nil || u.Opaque != "" || u.User != nil || strings.Contains(text, "#") || u.Path == "" {
		return "", ErrEndpoint
	}
	host := strings.ToLower(u.Hostname())
	if loopback && wire.Loopback(host) && (u.Scheme == "https" || u.Scheme == "http") {
		return u.String(), nil
	}
	if u.Scheme != "https" || u.Port() != "" && u.Port() != "443" || !wire.MayBePublic(host) {
		return "", ErrEndpoint
	}
	u.Host = host
	if strings.Contains(host, ":") {
		u.Host = "[" + host + "]"
	}
	return u.String(), nil
}
