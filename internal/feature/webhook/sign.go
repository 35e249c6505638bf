package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"homeroom/internal/platform/id"
)

const (
	purpose = "webhook" // of the keys that seal secrets
	prefix  = "whsec_"
	size    = 32
)

// newSecret returns a secret, and the same sealed.
func (s *Service) newSecret() (secret, sealed string, err error) {
	raw := make([]byte, size)
	if _, err := io.ReadFull(s.Rand, raw); err != nil {
		return "", "", fmt.Errorf("make a secret: %w", err)
	}
	secret = prefix + base64.StdEncoding.EncodeToString(raw)
	sealed, err = s.SealSecret(secret)
	return secret, sealed, err
}

// OpenSecret and SealSecret decrypt and encrypt the secret of a webhook, for a school that
// moves to an installation with other keys. An empty one stays empty.
func (s *Service) OpenSecret(sealed string) (string, error) {
	if sealed == "" {
		return "", nil
	}
	plain, err := s.Keys.Open(purpose, sealed)
	return string(plain), err
}

// SealSecret is the reverse of OpenSecret.
func (s *Service) SealSecret(plain string) (string, error) {
	if plain == "" {
		return "", nil
	}
	return s.Keys.Seal(purpose, []byte(plain))
}

// sign adds the headers of Standard Webhooks (standardwebhooks.com). Each secret signs
// the id, the time and the body.
func sign(h http.Header, event id.ID, at time.Time, body string, secrets []string) error {
	stamp := strconv.FormatInt(at.Unix(), 10)
	var signatures []string
	for _, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, prefix))
		if err != nil {
			return fmt.Errorf("decode secret: %w", err)
		}
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(event.String() + "." + stamp + "." + body))
		signatures = append(signatures, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	h.Set("Webhook-Id", event.String())
	h.Set("Webhook-Timestamp", stamp)
	h.Set("Webhook-Signature", strings.Join(signatures, " "))
	return nil
}
