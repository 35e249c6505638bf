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

// account is the file of a service account, as the Google Cloud console gives it.
type account struct {
	Type         string `json:"type"`
	ProjectID    string `json:"project_id"`
	PrivateKeyID string `json:"private_key_id"`
	PrivateKey   string `json:"private_key"`
	ClientEmail  string `json:"client_email"`
	TokenURI     string `json:"token_uri"`
}

// parse reads the file and says what is wrong with it, without quoting it.
func parse(file []byte) (account, error) {
	var a account
	if json.Unmarshal(file, &a) != nil {
		return a, errors.New("is not JSON: name the key file of a service account")
	}
	if a.Type != "service_account" {
		return a, errors.New("is not the key of a service account: make one under Project settings, Service accounts")
	}
	for name, value := range map[string]string{"project_id": a.ProjectID, "client_email": a.ClientEmail, "token_uri": a.TokenURI} {
		if value == "" {
			return a, fmt.Errorf("lacks %s: download the key file again", name)
		}
	}
	if _, err := wire.Address(a.TokenURI); err != nil {
		return a, fmt.Errorf("has a token_uri that can't be used: %w", err)
	}
	block, _ := pem.Decode([]byte(a.PrivateKey))
	if block == nil {
		return a, errors.New("has no private_key in it: download the key file again")
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

// tokens keeps the access token until it expires. One question serves all who
// wait for the answer.
type tokens struct {
	client *http.Client
	config jwt.Config

	mu      sync.Mutex
	current *oauth2.Token
}

// get is a token that is valid and is not the stale one.
func (t *tokens) get(ctx context.Context, stale string) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current.Valid() && t.current.AccessToken != stale {
		return t.current.AccessToken, nil
	}
	if err := ctx.Err(); err != nil { // it waited too long for its turn
		return "", fmt.Errorf("get an access token: %w", err)
	}
	fresh, err := t.config.TokenSource(context.WithValue(context.WithoutCancel(ctx), oauth2.HTTPClient, t.client)).Token()
	if err != nil {
		return "", fmt.Errorf("get an access token for FCM: %w", brief(err))
	}
	t.current = fresh
	return fresh.AccessToken, nil
}

// brief is the part of an OAuth error that says why.
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
