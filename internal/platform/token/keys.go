// Package token signs and verifies JSON Web Tokens, hashes passwords and PINs, creates
// one-time secrets, and encrypts secrets at rest. Start with a Ring, from LoadFile or
// ParseRing; everything with a key uses it. A Hasher needs none.
package token

import (
	"bytes"
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"
)

const minSecret = 32 // bytes: the output size of SHA-256, required for HS256

// Without the characters that separate a key's ID from what follows.
var keyID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Key is a secret of the service. Printing and marshalling omit the Secret.
type Key struct {
	ID        string
	Secret    []byte    `json:"-"`
	CreatedAt time.Time // zero for a key from configuration
}

// Format hides the secret from all verbs of package fmt.
func (k Key) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "key "+k.ID) }

// derive derives the key of one purpose with HKDF, so that no two purposes share key
// material.
func (k Key) derive(purpose string) []byte {
	sub, err := hkdf.Key(sha256.New, k.Secret, nil, "homeroom/1/"+purpose, sha256.Size)
	if err != nil { // impossible: one block is within HKDF's limit
		panic("token: " + err.Error())
	}
	return sub
}

// Ring is the service's keys: the first signs, all verify. It is safe for concurrent
// use, and the keys can be replaced at any time.
type Ring struct{ set atomic.Pointer[keyset] }

// keyset is immutable. It holds the cache of verified tokens, so that a change of keys
// clears it.
type keyset struct {
	keys     []Key
	signing  map[kind]map[string][]byte // by key ID
	verified cache
}

// NewRing returns a Ring of the keys.
func NewRing(keys ...Key) (*Ring, error) {
	r := new(Ring)
	if err := r.Set(keys...); err != nil {
		return nil, err
	}
	return r, nil
}

// Set replaces the keys. On an error the Ring is unchanged.
func (r *Ring) Set(keys ...Key) error {
	if err := checkKeys(keys); err != nil {
		return err
	}
	set := &keyset{signing: map[kind]map[string][]byte{access: {}, refresh: {}}}
	set.verified.gen.Store(newGeneration(nil, time.Time{}))
	for _, k := range keys {
		k.Secret = bytes.Clone(k.Secret)
		set.keys = append(set.keys, k)
		for kind, byID := range set.signing {
			byID[k.ID] = k.derive("jwt/" + string(kind))
		}
	}
	r.set.Store(set)
	return nil
}

// Reload reads the keys file again and reports whether the keys changed. On an error
// the Ring is unchanged.
func (r *Ring) Reload(path string) (changed bool, err error) {
	keys, err := readKeys(path)
	if err != nil {
		return false, err
	}
	same := func(a, b Key) bool { return a.ID == b.ID && bytes.Equal(a.Secret, b.Secret) }
	if slices.EqualFunc(keys, r.set.Load().keys, same) {
		return false, nil
	}
	return true, r.Set(keys...)
}

// ParseRing parses "kid:secret,kid:secret" with secrets in base64. Its errors refer to
// keys by position: with kid and secret swapped, quoting would log the secret.
func ParseRing(s string) (*Ring, error) {
	var keys []Key
	for i, entry := range strings.Split(s, ",") {
		kid, text, ok := strings.Cut(strings.TrimSpace(entry), ":")
		if !ok {
			return nil, fmt.Errorf("HOMEROOM_KEYS: key %d is not of the form kid:secret; %s", i+1, makeOne)
		}
		secret, err := decodeSecret(text)
		if err != nil {
			return nil, fmt.Errorf("HOMEROOM_KEYS: the secret of key %d is not base64; %s", i+1, makeOne)
		}
		keys = append(keys, Key{ID: kid, Secret: secret})
	}
	r, err := NewRing(keys...)
	if err != nil {
		return nil, fmt.Errorf("HOMEROOM_KEYS: %w", err)
	}
	return r, nil
}

const makeOne = "make a secret with: openssl rand -base64 32"

// decodeSecret accepts all four base64 variants.
func decodeSecret(s string) ([]byte, error) {
	s = strings.NewReplacer("+", "-", "/", "_").Replace(strings.TrimRight(s, "="))
	return base64.RawURLEncoding.DecodeString(s)
}

func checkKeys(keys []Key) error {
	if len(keys) == 0 {
		return errors.New("at least one key is required")
	}
	seen := map[string]bool{}
	for i, k := range keys {
		switch {
		case !keyID.MatchString(k.ID):
			return fmt.Errorf("the kid of key %d must be 1 to 64 letters, digits, - or _", i+1)
		case seen[k.ID]:
			return fmt.Errorf("key %d has the same kid as an earlier one; each key needs its own", i+1)
		case len(k.Secret) < minSecret:
			return fmt.Errorf("the secret of key %d has %d bytes and needs at least %d; %s",
				i+1, len(k.Secret), minSecret, makeOne)
		}
		seen[k.ID] = true
	}
	return nil
}
