package fcm

import (
	"context"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/jwt"

	"homeroom/internal/platform/notify/wire"
)

const scope = "https://www.googleapis.com/auth/firebase.messaging"

// account is the key file of a service account, as downloaded from Google Cloud.
type account struct {
	Type         string `json:"type"`
	ProjectID    string `json:"project_id"`
	PrivateKeyID string `json:"private_key_id"`
	PrivateKey   string `json:"private_key"`
	ClientEmail  string `json:"client_email"`
	TokenURI     string `json:"token_uri"`
}

// parse parses the key file. Its errors don't quote the file.
func parse(file []byte) (account, error) {
	var a account
	if json.Unmarshal(file, &a) != nil {
		return a, errors.New("is not JSON: use the key file of a service account")
	}
	if a.Type != "service_account" {
		return a, errors.New("is not the key of a service account: create one under Project settings, Service accounts")
	}
	for name, value := range map[string]string{"project_id": a.ProjectID, "client_email": a.ClientEmail, "token_uri": a.TokenURI} {
		if value == "" {
			return a, fmt.Errorf("has no %s: download the key file again", name)
		}
	}
	if _, err := wire.Address(a.TokenURI); err != nil {
		return a, fmt.Errorf("has a token_uri that can't be used: %w", err)
	}
	block, _ := pem.Decode([]byte(a.PrivateKey))
	if block == nil {
		return a, errors.New("has no private_key: download the key file again")
	}
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		key, err = x509.ParsePKCS1PrivateKey(block.Bytes)
	}
	if _, ok := key.(*rsa.PrivateKey); err != nil || !ok {
		return a, errors.New("has a private_key that is not an RSA key: download the key file again")
	}
	return a, nil
}

func (a account) tokens(client *http.Client) *tokens {
	return &tokens{client: client, config: jwt.Config{
		Email: a.ClientEmail, PrivateKey: []byte(a.PrivateKey), PrivateKeyID: a.PrivateKeyID,
		Scopes: []string{scope}, TokenURL: a.TokenURI,
	}}
}

// tokens caches the access token until it expires. Concurrent callers share one
// token request.
type tokens struct {
	client *http.Client
	config jwt.Config

	mu      sync.Mutex
	current *oauth2.Token
}

// get returns a valid token other than stale.
func (t *tokens) get(ctx context.Context, stale string) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current.Valid() && t.current.AccessToken != stale {
		return t.current.AccessToken, nil
	}
	if err := ctx.Err(); err != nil { // timed out while waiting for the lock
		return "", fmt.Errorf("get an access token: %w", err)
	}
	fresh, err := t.config.TokenSource(context.WithValue(context.WithoutCancel(ctx), oauth2.HTTPClient, t.client)).Token()
	if err != nil {
		return "", fmt.Errorf("get an access token for FCM: %w", brief(err))
	}
	t.current = fresh
	return fresh.AccessToken, nil
}

// brief shortens an OAuth error to its cause.
func brief(err error) error {
	r, ok := errors.AsType[*oauth2.RetrieveError](err)
	if !ok || r.Response == nil {
		return err
	}
	why := r.ErrorCode + " " + r.ErrorDescription
	if r.ErrorCode == "" {
		why = wire.Answer{Body: r.Body}.Text()
	}
	return fmt.Errorf("answered %d: %s", r.Response.StatusCode, why)
}
