package webpush

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/url"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// tokenLife is how long a request's token is valid; a push service accepts up to 24 hours.
const tokenLife = 12 * time.Hour

// Key identifies this installation to push services (VAPID, RFC 8292). A subscription is
// bound to the public key that the browser was given.
type Key struct {
	Public  string // base64url of the uncompressed point
	private *ecdsa.PrivateKey
}

// NewKey generates a key.
func NewKey() (*Key, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("generate a Web Push key: %w", err)
	}
	return keyOf(private)
}

func parseKey(raw []byte) (*Key, error) {
	private, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), raw)
	if err != nil {
		return nil, fmt.Errorf("parse the Web Push key: %w", err)
	}
	return keyOf(private)
}

func keyOf(private *ecdsa.PrivateKey) (*Key, error) {
	public, err := private.PublicKey.Bytes()
	if err != nil {
		return nil, fmt.Errorf("encode the Web Push key: %w", err)
	}
	return &Key{base64.RawURLEncoding.EncodeToString(public), private}, nil
}

// Format hides the private key from all verbs of package fmt.
func (k *Key) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte("Web Push key " + k.Public)) }

// authorization returns the Authorization header of a request to an endpoint.
func (k *Key) authorization(endpoint *url.URL, contact string, now time.Time) (string, error) {
	claims := jwt.MapClaims{"aud": endpoint.Scheme + "://" + endpoint.Host, "exp": now.Add(tokenLife).Unix()}
	if contact != "" {
		claims["sub"] = contact
	}
	signed, err := jwt.NewWithClaims(jwt.SigningMethodES256, claims).SignedString(k.private)
	if err != nil {
		return "", fmt.Errorf("sign a push: %w", err)
	}
	return "vapid t=" + signed + ", k=" + k.Public, nil
}
