package fake

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// PushService is a fake of the push service of a browser's maker. It verifies requests as
// RFC 8030 and RFC 8292 say, and decrypts them as the browser would.
type PushService struct {
	server
	now      func() time.Time
	browsers map[string]*Browser // by path; guarded by mu
}

// NewPushService starts a server. Close it.
func NewPushService(now func() time.Time) *PushService {
	f := &PushService{now: now, browsers: map[string]*Browser{}}
	f.Server = httptest.NewServer(http.HandlerFunc(f.push))
	return f
}

// Subscribe subscribes a new browser with the key of an application server.
func (f *PushService) Subscribe(server string) *Browser {
	f.mu.Lock()
	defer f.mu.Unlock()
	path := fmt.Sprintf("/push/v1/%d", len(f.browsers)+1)
	f.browsers[path] = newBrowser(f.URL+path, server)
	return f.browsers[path]
}

// Unsubscribe ends a subscription: pushes to it are answered with 410.
func (f *PushService) Unsubscribe(b *Browser) { f.mu.Lock(); defer f.mu.Unlock(); b.gone = true }

// Got returns the pushes that a browser received.
func (f *PushService) Got(b *Browser) []Push {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(b.got)
}

var (
	vapid     = regexp.MustCompile(`^vapid t=([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]{86}), k=([A-Za-z0-9_-]{87})$`)
	pushTopic = regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}$`)
)

func (f *PushService) push(w http.ResponseWriter, r *http.Request) {
	got, told := f.take(r)
	if told != nil {
		told.say(w, r)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	status, why := f.check(got, f.browsers[r.URL.Path])
	if status != http.StatusCreated {
		http.Error(w, why, status)
		return
	}
	w.Header().Set("Location", f.URL+"/message/1")
	w.WriteHeader(status)
}

// check returns the answer to a request, and passes the push to the browser.
func (f *PushService) check(r Request, b *Browser) (status int, why string) {
	ttl, err := strconv.Atoi(r.Header.Get("TTL"))
	topic, urgency := r.Header.Get("Topic"), r.Header.Get("Urgency")
	switch {
	case b == nil:
		return http.StatusNotFound, "no such subscription"
	case b.gone:
		return http.StatusGone, "unsubscribed"
	case r.Method != http.MethodPost:
		return http.StatusMethodNotAllowed, "use POST"
	case err != nil || ttl < 0:
		return http.StatusBadRequest, "no TTL"
	case topic != "" && !pushTopic.MatchString(topic):
		return http.StatusBadRequest, "a bad topic"
	case !slices.Contains([]string{"very-low", "low", "normal", "high"}, urgency):
		return http.StatusBadRequest, "a bad urgency"
	case r.Header.Get("Content-Encoding") != "aes128gcm":
		return http.StatusUnsupportedMediaType, "not encrypted"
	case len(r.Body) > 4096:
		return http.StatusRequestEntityTooLarge, "too large"
	}
	if status, err := f.authorized(r.Header.Get("Authorization"), b); err != nil {
		return status, err.Error()
	}
	if err := b.receive(r); err != nil {
		return http.StatusBadRequest, err.Error()
	}
	return http.StatusCreated, ""
}

// authorized verifies the token of RFC 8292.
func (f *PushService) authorized(header string, b *Browser) (status int, err error) {
	m := vapid.FindStringSubmatch(header)
	if m == nil {
		return http.StatusUnauthorized, errors.New("no vapid token")
	}
	if m[4] != b.server {
		return http.StatusForbidden, errors.New("the subscription belongs to another key")
	}
	decode := base64.RawURLEncoding.DecodeString
	point, err := decode(m[4])
	if err != nil {
		return http.StatusUnauthorized, errors.New("k is no key")
	}
	key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	if err != nil {
		return http.StatusUnauthorized, errors.New("k is no key")
	}
	signature, err := decode(m[3])
	if err != nil || len(signature) != 64 {
		return http.StatusUnauthorized, errors.New("t is not signed")
	}
	sum := sha256.Sum256([]byte(m[1] + "." + m[2]))
	if !ecdsa.Verify(key, sum[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
		return http.StatusUnauthorized, errors.New("t is not signed by k")
	}
	var head struct{ Typ, Alg string }
	var claims struct {
		Aud, Sub string
		Exp      int64
	}
	for i, into := range map[int]any{1: &head, 2: &claims} {
		raw, err := decode(m[i])
		if err != nil || json.Unmarshal(raw, into) != nil {
			return http.StatusUnauthorized, errors.New("t is no token")
		}
	}
	left := time.Unix(claims.Exp, 0).Sub(f.now())
	switch {
	case head.Alg != "ES256" || head.Typ != "JWT":
		return http.StatusUnauthorized, errors.New("t is not of ES256")
	case claims.Aud != f.URL:
		return http.StatusUnauthorized, fmt.Errorf("aud is %s", claims.Aud)
	case left <= 0 || left > 24*time.Hour:
		return http.StatusUnauthorized, fmt.Errorf("exp is in %s", left)
	case !strings.HasPrefix(claims.Sub, "mailto:") && !strings.HasPrefix(claims.Sub, "https:"):
		return http.StatusUnauthorized, fmt.Errorf("sub is %q", claims.Sub)
	}
	return 0, nil
}
