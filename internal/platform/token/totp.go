package token

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // required by RFC 6238 and authenticator apps
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"io"
	"net/url"
	"time"
)

// TOTP codes of RFC 6238, as in authenticator apps: six digits that change every 30
// seconds.
const (
	totpStep   = 30 * time.Second
	totpSecret = 20 // bytes
)

var base32Text = base32.StdEncoding.WithPadding(base32.NoPadding)

// NewTOTP returns a new secret in base32.
func NewTOTP(rand io.Reader) (string, error) {
	b := make([]byte, totpSecret)
	if _, err := io.ReadFull(rand, b); err != nil {
		return "", fmt.Errorf("random secret: %w", err)
	}
	return base32Text.EncodeToString(b), nil
}

// TOTPURI returns the otpauth URI for a QR code.
func TOTPURI(issuer, account, secret string) string {
	q := url.Values{"secret": {secret}, "issuer": {issuer}}
	return (&url.URL{Scheme: "otpauth", Host: "totp", Path: "/" + issuer + ":" + account, RawQuery: q.Encode()}).String()
}

// CheckTOTP returns the time step of a valid code, or 0. Clocks may be one step off. The
// caller must refuse a step that was used before.
func CheckTOTP(secret, code string, now time.Time) (step int64) {
	key, err := base32Text.DecodeString(secret)
	if err != nil {
		return 0
	}
	at := now.Unix() / int64(totpStep/time.Second)
	for _, s := range []int64{at - 1, at, at + 1} {
		if subtle.ConstantTimeCompare([]byte(totp(key, s)), []byte(code)) == 1 {
			step = s
		}
	}
	return step
}

// TOTP returns the code of a secret at a time.
func TOTP(secret string, now time.Time) string {
	key, err := base32Text.DecodeString(secret)
	if err != nil {
		return ""
	}
	return totp(key, now.Unix()/int64(totpStep/time.Second))
}

func totp(key []byte, step int64) string {
	h := hmac.New(sha1.New, key)
	_ = binary.Write(h, binary.BigEndian, step) // never fails
	sum := h.Sum(nil)
	at := sum[len(sum)-1] & 0x0f
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[at:])&0x7fffffff%1_000_000)
}
