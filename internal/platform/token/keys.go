// Package token proves who someone is: it signs and verifies JSON Web Tokens,
// hashes passwords and PINs, makes one-time secrets, and seals what must not be
// read at rest. Begin with a Ring, from LoadFile or ParseRing; everything keyed
// hangs on it. A Hasher stands alone.
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

const minSecret = 32 // bytes: the output of SHA-256, which HS256 asks for

// The characters leave out those that separate a key's ID from what follows it.
var keyID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// Key is one secret of the service. It prints and marshals without its Secret.
type Key struct {
	ID        string
	Secret    []byte    `json:"-"`
	CreatedAt time.Time // zero for a key from configuration
}

// Format keeps the secret out of every verb of package fmt.
func (k Key) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "key "+k.ID) }

// derive makes the key for one purpose, so that no two purposes share key
// material and none can be computed from another.
func (k Key) derive(purpose string) []byte {
	sub, err := hkdf.Key(sha256.New, k.Secret, nil, "homeroom/1/"+purpose, sha256.Size)
	if err != nil { // cannot be: one block is always within what HKDF can give
		panic("token: " + err.Error())
	}
	return sub
}

// Ring is the service's keys: the first signs, all verify. It is safe for
// concurrent use, and its keys can be exchanged while it is in use.
type Ring struct{ set atomic.Pointer[keyset] }

// keyset is never changed once it is in use. The verified tokens live here, so
// that a change of keys forgets them all.
type keyset struct {
	keys     []Key
	signing  map[kind]map[string][]byte // by key ID
	verified cache
}

// NewRing makes a Ring of the keys.
func NewRing(keys ...Key) (*Ring, error) {
	r := new(Ring)
	if err := r.Set(keys...); err != nil {
		return nil, err
	}
	return r, nil
}

// Set exchanges the keys. On an error the Ring stays as it was.
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

// Reload takes the keys from the file that LoadFile read, and reports whether
// they changed. On an error the Ring stays as it was.
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

// ParseRing reads the keys of a configuration: "kid:secret,kid:secret", the
// secrets in base64. Its errors count the keys instead of quoting them: who
// mixes up the two sides of a colon should not find the secret in a log.
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

// decodeSecret reads all four ways of writing base64.
func decodeSecret(s string) ([]byte, error) {
	s = strings.NewReplacer("+", "-", "/", "_").Replace(strings.TrimRight(s, "="))
	return base64.RawURLEncoding.DecodeString(s)
}

func checkKeys(keys []Key) error {
	if len(keys) == 0 {
		return errors.New("there is no key; at least one is needed to sign with")
	}
	seen := map[string]bool{}
	for i, k := range keys {
		switch {
		case !keyID.MatchString(k.ID):
			return fmt.Errorf("the kid of key %d must be 1 to 64 letters, digits, - or _", i+1)
		case seen[k.ID]:
			return fmt.Errorf("key %d has the kid of an earlier one; give each key a kid of its own", i+1)
		case len(k.Secret) < minSecret:
			return fmt.Errorf("the secret of key %d has %d bytes and needs at least %d; %s", i+1, len(k.Secret), minSecret, makeOne)
		}
		seen[k.ID] = true
	}
	return nil
}
