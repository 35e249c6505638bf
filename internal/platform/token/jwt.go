package token

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// Lifetimes of tokens.
const (
	AccessLife  = 15 * time.Minute
	RefreshLife = 7 * 24 * time.Hour
)

const (
	maxToken = 1024 // bytes; ours are below 500
	maxSkew  = time.Minute
	jtiSize  = 16 // bytes

	access  kind = "access"
	refresh kind = "refresh" // also its claim "type"
)

// kind is a kind of token. Each has its own signing keys.
type kind string

func (k kind) life() time.Duration {
	if k == access {
		return AccessLife
	}
	return RefreshLife
}

// Errors of verification. ErrExpired means that the token is valid otherwise.
var (
	ErrInvalid = fault.New(fault.Unauthenticated, "", "The token is not valid. Sign in again.")
	ErrExpired = fault.New(fault.Unauthenticated, "", "The token has expired. Refresh it or sign in again.")
)

// Access is the content of an access token.
type Access struct {
	User, School, Session id.ID
	Role                  actor.Role
	IssuedAt, ExpiresAt   time.Time // whole seconds; set by SignAccess
}

// Refresh is the content of a refresh token.
type Refresh struct {
	User, Session       id.ID
	IssuedAt, ExpiresAt time.Time // whole seconds; set by SignRefresh
}

// Signer signs and verifies tokens. The claims are exactly those of the specification;
// other data is in the JOSE header.
type Signer struct {
	Ring *Ring
	Now  clock.Now
	Rand io.Reader
}

// claims are the claims of both tokens; empty ones are omitted.
type claims struct {
	Role   actor.Role `json:"role,omitempty"`
	School id.ID      `json:"schoolId,omitempty"`
	Type   string     `json:"type,omitempty"`
	jwt.RegisteredClaims
}

// SignAccess signs an access token issued now.
func (s *Signer) SignAccess(a Access) (string, error) { return s.sign(access, a) }

// SignRefresh signs a refresh token issued now.
func (s *Signer) SignRefresh(r Refresh) (string, error) {
	return s.sign(refresh, Access{User: r.User, Session: r.Session})
}

// SignSuccessor signs the refresh token that replaces old, issued at a time. Old token, key
// and time decide what it is: an answer that got lost can be given again without storing it.
func (s *Signer) SignSuccessor(old, key string, r Refresh, at time.Time) (string, error) {
	set := s.Ring.set.Load()
	return set.successor(set.keys[0].ID, old, key, r, at)
}

// FindSuccessor returns the successor with this Digest, or "". The keys may have been rotated
// since it was signed.
func (s *Signer) FindSuccessor(digest, old, key string, r Refresh, at time.Time) (string, error) {
	set := s.Ring.set.Load()
	for _, k := range set.keys {
		again, err := set.successor(k.ID, old, key, r, at)
		if err != nil || Digest(again) == digest {
			return again, err
		}
	}
	return "", nil
}

func (set *keyset) successor(kid, old, key string, r Refresh, at time.Time) (string, error) {
	mac := hmac.New(sha256.New, set.signing[refresh][kid])
	fmt.Fprintf(mac, "successor of %s by %s", old, key)
	jti := base64.RawURLEncoding.EncodeToString(mac.Sum(nil)[:jtiSize])
	return set.encode(refresh, kid, jti, Access{User: r.User, Session: r.Session, IssuedAt: at})
}

// VerifyAccess verifies an access token: ErrInvalid, ErrExpired or nil.
func (s *Signer) VerifyAccess(raw string) (Access, error) {
	set, now := s.Ring.set.Load(), s.Now()
	a, known := set.verified.get(raw, now)
	if !known {
		var err error
		if a, err = set.parse(access, raw); err != nil {
			return Access{}, ErrInvalid.Because(err)
		}
	}
	if err := a.current(now); err != nil {
		return Access{}, err
	}
	if !known {
		set.verified.put(raw, a, now)
	}
	return a, nil
}

// VerifyRefresh verifies a refresh token: ErrInvalid, ErrExpired (with its content) or
// nil. The caller checks whether it was used before.
func (s *Signer) VerifyRefresh(raw string) (Refresh, error) {
	a, err := s.Ring.set.Load().parse(refresh, raw)
	if err != nil {
		return Refresh{}, ErrInvalid.Because(err)
	}
	t, err := Refresh{a.User, a.Session, a.IssuedAt, a.ExpiresAt}, a.current(s.Now())
	if err != nil && !errors.Is(err, ErrExpired) {
		return Refresh{}, err
	}
	return t, err
}

func (a Access) current(now time.Time) error {
	switch {
	case a.IssuedAt.After(now.Add(maxSkew)):
		return ErrInvalid.Because(errors.New("issued in the future"))
	case !now.Before(a.ExpiresAt):
		return ErrExpired
	}
	return nil
}

func (s *Signer) sign(k kind, a Access) (string, error) {
	jti := make([]byte, jtiSize)
	if _, err := io.ReadFull(s.Rand, jti); err != nil {
		return "", fmt.Errorf("sign a token: %w", err)
	}
	set := s.Ring.set.Load()
	a.IssuedAt = s.Now()
	raw, err := set.encode(k, set.keys[0].ID, base64.RawURLEncoding.EncodeToString(jti), a)
	if err != nil {
		return "", fmt.Errorf("sign a token: %w", err)
	}
	return raw, nil
}

// encode encodes a token and refuses incomplete ones.
func (set *keyset) encode(k kind, kid, jti string, a Access) (string, error) {
	ids := []id.ID{a.User, a.Session}
	c := claims{Type: string(k)}
	if k == access {
		ids = append(ids, a.School)
		c = claims{Role: a.Role, School: a.School}
		if !slices.Contains(actor.Roles, a.Role) {
			return "", errors.New("unknown role")
		}
	}
	for _, i := range ids {
		if canonical, err := id.Parse(string(i)); err != nil || canonical != i {
			return "", errors.New("missing user, session or (for access) school id")
		}
	}
	c.Subject = string(a.User)
	c.IssuedAt, c.ExpiresAt = jwt.NewNumericDate(a.IssuedAt), jwt.NewNumericDate(a.IssuedAt.Add(k.life()))
	t := jwt.NewWithClaims(jwt.SigningMethodHS256, c)
	t.Header["kid"], t.Header["jti"], t.Header["sid"] = kid, jti, a.Session
	return t.SignedString(set.signing[k][kid])
}

// parse verifies the signature of a token of a kind and returns its content.
func (set *keyset) parse(k kind, raw string) (Access, error) {
	if len(raw) > maxToken {
		return Access{}, errors.New("too long")
	}
	var c claims
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"HS256"}), jwt.WithStrictDecoding(), jwt.WithoutClaimsValidation())
	t, err := parser.ParseWithClaims(raw, &c, func(t *jwt.Token) (any, error) {
		if key, ok := set.signing[k][text(t, "kid")]; ok {
			return key, nil
		}
		return nil, errors.New("unknown kid")
	})
	if err != nil {
		return Access{}, err
	}
	if c.IssuedAt == nil || len(text(t, "jti")) != 22 {
		return Access{}, errors.New("no iat or jti")
	}
	issued := c.IssuedAt.UTC()
	a := Access{id.ID(c.Subject), c.School, id.ID(text(t, "sid")), c.Role, issued, issued.Add(k.life())}
	// The token must be byte-identical to our own encoding of its content. This excludes
	// duplicate and unknown members, other spellings, non-canonical base64 and other
	// kinds of tokens.
	if again, err := set.encode(k, text(t, "kid"), text(t, "jti"), a); err != nil || again != raw {
		return Access{}, errors.New("not in canonical form")
	}
	return a, nil
}

// text returns a string member of the token's header, or "".
func text(t *jwt.Token, member string) string {
	s, _ := t.Header[member].(string)
	return s
}
