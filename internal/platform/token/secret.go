package token

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrSealed means that a sealed text was changed or has another purpose, or that its key
// is no longer in the Ring.
var ErrSealed = errors.New("can't decrypt: the text was changed, or its key is gone")

// Digits returns n random decimal digits, uniformly distributed.
func Digits(rand io.Reader, n int) (string, error) {
	out := make([]byte, 0, n)
	for b := make([]byte, n); len(out) < n; {
		if _, err := io.ReadFull(rand, b); err != nil {
			return "", fmt.Errorf("random digits: %w", err)
		}
		for _, v := range b {
			if v < 250 && len(out) < n { // 250 to 255 would make 0 to 5 more likely
				out = append(out, '0'+v%10)
			}
		}
	}
	return string(out), nil
}

// Opaque returns a random URL-safe string of 256 bits.
func Opaque(rand io.Reader) (string, error) {
	b := make([]byte, 32)
	if _, err := io.ReadFull(rand, b); err != nil {
		return "", fmt.Errorf("random string: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

// Digest returns the SHA-256 to store instead of a token. It is only for unguessable
// values; short secrets need a MAC or a Hasher.
func Digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// MAC authenticates the parts for one purpose with the first key. A purpose is a
// constant such as "otp".
func (r *Ring) MAC(purpose string, parts ...string) string {
	return r.set.Load().keys[0].mac(purpose, parts)
}

// CheckMAC reports whether mac is the MAC of the purpose and parts, with any key of the
// Ring.
func (r *Ring) CheckMAC(purpose, mac string, parts ...string) bool {
	match := 0
	for _, k := range r.set.Load().keys {
		match |= subtle.ConstantTimeCompare([]byte(mac), []byte(k.mac(purpose, parts)))
	}
	return match == 1
}

func (k Key) mac(purpose string, parts []string) string {
	h := hmac.New(sha256.New, k.derive("mac/"+purpose))
	for _, p := range parts { // length-prefixed: ("ab","c") differs from ("a","bc")
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(p))))
		h.Write([]byte(p))
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// Seal encrypts plain for one purpose with the first key. Open works as long as that key
// is in the Ring: at least KeepKeys.
func (r *Ring) Seal(purpose string, plain []byte) (string, error) {
	k := r.set.Load().keys[0]
	aead, err := k.aead(purpose)
	if err != nil {
		return "", err
	}
	return k.ID + "." + base64.RawURLEncoding.EncodeToString(aead.Seal(nil, nil, plain, []byte(k.ID))), nil
}

// Open decrypts what was sealed for the purpose, or returns ErrSealed.
func (r *Ring) Open(purpose, sealed string) ([]byte, error) {
	kid, text, _ := strings.Cut(sealed, ".")
	box, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil {
		return nil, ErrSealed
	}
	for _, k := range r.set.Load().keys {
		if k.ID != kid {
			continue
		}
		aead, err := k.aead(purpose)
		if err != nil {
			return nil, err
		}
		plain, err := aead.Open([]byte{}, nil, box, []byte(kid))
		if err != nil {
			return nil, ErrSealed
		}
		return plain, nil
	}
	return nil, ErrSealed
}

// Reseal encrypts again with the first key; changed is false if it was already used.
func (r *Ring) Reseal(purpose, sealed string) (fresh string, changed bool, err error) {
	if kid, _, _ := strings.Cut(sealed, "."); kid == r.set.Load().keys[0].ID {
		return sealed, false, nil
	}
	plain, err := r.Open(purpose, sealed)
	if err != nil {
		return "", false, err
	}
	fresh, err = r.Seal(purpose, plain)
	return fresh, err == nil, err
}

// aead generates its nonces itself: a reused nonce would reveal the key, so no caller
// may supply the randomness.
func (k Key) aead(purpose string) (cipher.AEAD, error) {
	block, err := aes.NewCipher(k.derive("seal/" + purpose))
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("seal: %w", err)
	}
	return aead, nil
}
