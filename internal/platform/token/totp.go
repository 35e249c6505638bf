package token

import (
	"crypto/hmac"
	"crypto/sha1" //nolint:gosec // what RFC 6238 and every authenticator app use
	"crypto/subtle"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"io"
	"net/url"
	"time"
)

// TOTP codes are those of RFC 6238 that authenticator apps show: six digits that
// change every 30 seconds.
const (
	totpStep   = 30 * time.Second
	totpSecret = 20 // bytes
)

var base32Text = base32.StdEncoding.WithPadding(base32.NoPadding)

// NewTOTP makes a secret, as people type it into their app.
func NewTOTP(rand io.Reader) (string, error) {
	b := make([]byte, totpSecret)
	if _, err := io.ReadFull(rand, b); err != nil {
		return "", fmt.Errorf("make a secret: %w", err)
	}
	return base32Text.EncodeToString(b), nil
}

// TOTPURI is the secret as a link that apps read from a QR code.
func TOTPURI(issuer, account, secret string) string {
	q := url.Values{"secret": {secret}, "issuer": {issuer}}
	return (&url.URL{Scheme: "otpauth", Host: "totp", Path: "/" + issuer + ":" + account, RawQuery: q.Encode()}).String()
}

// CheckTOTP returns the step of time that the code belongs to, or 0 if it is not
// right. A clock may be one step off. Whoever calls it refuses a step that was used before.
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

// TOTP is the code of a secret at a time.
func TOTP(secret string, now time.Time) string {
	key, err := base32Text.DecodeString(secret)
	if err != nil {
		return ""
	}
	return totp(key, now.Unix()/int64(totpStep/time.Second))
}

func totp(key []byte, step int64) string {
	h := hmac.New(sha1.New, key)
	_ = binary.Write(h, binary.BigEndian, step) // a hash takes everything
	sum := h.Sum(nil)
	at := sum[len(sum)-1] & 0x0f
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[at:])&0x7fffffff%1_000_000)
}
