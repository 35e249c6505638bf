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

// ErrSealed says that a sealed text was changed, is of another purpose, or that
// its key has left the Ring.
var ErrSealed = errors.New("the sealed text cannot be opened: it was changed, or its key is gone")

// Digits makes n random decimal digits, each as likely as any other.
func Digits(rand io.Reader, n int) (string, error) {
	out := make([]byte, 0, n)
	for b := make([]byte, n); len(out) < n; {
		if _, err := io.ReadFull(rand, b); err != nil {
			return "", fmt.Errorf("make random digits: %w", err)
		}
		for _, v := range b {
			if v < 250 && len(out) < n { // 250 to 255 would favour 0 to 5
				out = append(out, '0'+v%10)
			}
		}
	}
	return string(out), nil
}

// Opaque makes a random string of 256 bits that is safe in a URL.
func Opaque(rand io.Reader) (string, error) {
	b := make([]byte, 32)
	if _, err := io.ReadFull(rand, b); err != nil {
		return "", fmt.Errorf("make a random string: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(b), nil
}

// Digest is what is stored of a token in place of the token. It is enough for
// what nobody can guess; a short secret wants a MAC or a Hasher.
func Digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// MAC authenticates the parts for one purpose, with the first key. A purpose is
// a constant of the program, such as "otp".
func (r *Ring) MAC(purpose string, parts ...string) string {
	return r.set.Load().keys[0].mac(purpose, parts)
}

// CheckMAC reports whether mac was made by MAC of the same purpose and parts,
// with any key of the Ring.
func (r *Ring) CheckMAC(purpose, mac string, parts ...string) bool {
	match := 0
	for _, k := range r.set.Load().keys {
		match |= subtle.ConstantTimeCompare([]byte(mac), []byte(k.mac(purpose, parts)))
	}
	return match == 1
}

func (k Key) mac(purpose string, parts []string) string {
	h := hmac.New(sha256.New, k.derive("mac/"+purpose))
	for _, p := range parts { // the length first: ("ab","c") is not ("a","bc")
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(p))))
		h.Write([]byte(p))
	}
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil))
}

// Seal encrypts and authenticates plain for one purpose, with the first key. It
// can be opened as long as that key is in the Ring: at least KeepKeys.
func (r *Ring) Seal(purpose string, plain []byte) (string, error) {
	k := r.set.Load().keys[0]
	aead, err := k.aead(purpose)
	if err != nil {
		return "", err
	}
	return k.ID + "." + base64.RawURLEncoding.EncodeToString(aead.Seal(nil, nil, plain, []byte(k.ID))), nil
}

// Open returns what was sealed for the purpose, or ErrSealed.
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

// Reseal seals anew what an older key has sealed; changed is false if the first key has.
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

// aead makes its nonces itself: one used twice would give the key away, so they
// are the one kind of randomness that nobody may pass in.
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
