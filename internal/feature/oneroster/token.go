package oneroster

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/token"
	"homeroom/internal/platform/web"
)

// tokenLife is how long an access token is valid, if its key works so long.
const tokenLife = time.Hour

// sealed is the purpose of access tokens: they open nothing else, and nothing else opens as one.
const sealed = "oneroster-token"

// The scopes of OneRoster that a token can have. Both read the same here.
const (
	scopeAll  = "https://purl.imsglobal.org/spec/or/v1p2/scope/roster.readonly"
	scopeCore = "https://purl.imsglobal.org/spec/or/v1p2/scope/roster-core.readonly"
)

var (
	errClient  = fault.New(fault.Unauthenticated, "invalid_client", "The client id or the secret is not valid, or the key no longer works.")
	errGrant   = fault.New(fault.Malformed, "unsupported_grant_type", "grant_type must be client_credentials.")
	errNoGrant = fault.New(fault.Malformed, "invalid_request", "grant_type is missing.")
	errScope   = fault.New(fault.Malformed, "invalid_scope", "This service has the scopes roster.readonly and roster-core.readonly.")
	errTwice   = fault.New(fault.Malformed, "invalid_request", "Send the client id and the secret in one way: by HTTP Basic or in the form.")
	errToken   = fault.New(fault.Unauthenticated, "", "The access token is not valid, has expired, or its key no longer works. Get a new one.")
)

// oauth is the wire format of the token endpoint: RFC 6749, section 5.
var oauth = &web.Standard{
	Security: "oneRosterClient", Form: true, Challenge: `Basic realm="OneRoster"`, Problem: reflect.TypeFor[oauthProblem](),
	Error: func(b web.ErrorBody) (int, any) {
		status, code := b.StatusCode, b.Error
		switch {
		case code == http.StatusText(status) && status < http.StatusInternalServerError && status != http.StatusTooManyRequests:
			status, code = http.StatusBadRequest, "invalid_request"
		case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
			code = "temporarily_unavailable"
		case status >= http.StatusInternalServerError:
			code = "server_error"
		}
		return status, oauthProblem{code, b.Message}
	},
}

type oauthProblem struct {
	Error       string `json:"error" example:"invalid_client"`
	Description string `json:"error_description"`
}

type tokenIn struct {
	GrantType    string `json:"grant_type" example:"client_credentials"`
	Scope        string `json:"scope" maxLength:"1000" doc:"Default: all."`
	ClientID     string `json:"client_id" doc:"Unless sent by HTTP Basic."`
	ClientSecret string `json:"client_secret" doc:"Unless sent by HTTP Basic."`
	header       string
}

type tokenOut struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type" enum:"Bearer"`
	ExpiresIn   int    `json:"expires_in" doc:"Seconds."`
	Scope       string `json:"scope"`
}

// Header forbids caches, which the RFC wants for HTTP/1.0, too.
func (tokenOut) Header() http.Header { return http.Header{"Pragma": {"no-cache"}} }

// clientID names the school and the key, so that the key can be looked up in its school.
func clientID(school, key id.ID) string { return school.String() + "." + key.String() }

// idsOf parses a client id.
func idsOf(client string) (school, key id.ID, ok bool) {
	first, second, _ := strings.Cut(client, ".")
	school, e1 := id.Parse(first)
	key, e2 := id.Parse(second)
	return school, key, e1 == nil && e2 == nil
}

// credentials returns the client id and the secret, of the header or of the form.
func (in tokenIn) credentials() (client, secret string, err error) {
	scheme, value, _ := strings.Cut(in.header, " ")
	if !strings.EqualFold(scheme, "Basic") {
		return in.ClientID, in.ClientSecret, nil
	}
	if in.ClientSecret != "" {
		return "", "", errTwice
	}
	raw, e1 := base64.StdEncoding.DecodeString(strings.TrimSpace(value))
	client, secret, _ = strings.Cut(string(raw), ":")
	client, e2 := url.QueryUnescape(client)
	secret, e3 := url.QueryUnescape(secret)
	if err := errors.Join(e1, e2, e3); err != nil {
		return "", "", errClient.Because(err)
	}
	return client, secret, nil
}

// scope returns what is granted of the requested scopes.
func (in tokenIn) scope() (string, error) {
	if strings.TrimSpace(in.Scope) == "" {
		return scopeAll + " " + scopeCore, nil
	}
	var granted []string
	for _, s := range strings.Fields(in.Scope) {
		if s == scopeAll || s == scopeCore {
			granted = append(granted, s)
		}
	}
	if granted == nil {
		return "", errScope
	}
	return strings.Join(granted, " "), nil
}

// getToken exchanges the secret of a key for an access token. The audit log has it, as it
// has each export of the files: with the token, a system reads all of that.
func (s *Service) getToken(ctx context.Context, who actor.Actor, in tokenIn) (out tokenOut, err error) {
	switch in.GrantType {
	case "client_credentials":
	case "":
		return out, errNoGrant
	default:
		return out, errGrant
	}
	client, secret, err := in.credentials()
	if err != nil {
		return out, err
	}
	if out.Scope, err = in.scope(); err != nil {
		return out, err
	}
	school, key, ok := idsOf(client)
	if !ok {
		return out, errClient
	}
	k, err := liveKey(ctx, s.DB.School(school), key)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return out, fault.Wrap("read key", err)
	}
	if subtle.ConstantTimeCompare([]byte(k.Hash), []byte(token.Digest(secret))) != 1 {
		return out, errClient
	}
	who.User, who.School, who.Role = k.UserID, school, actor.SchoolAdmin
	err = s.DB.InSchool(ctx, school, func(ctx context.Context, tx *db.Tx) error { return s.used(ctx, tx, who, k) })
	if err != nil {
		return out, err
	}
	out.TokenType, out.ExpiresIn = "Bearer", int(tokenLife.Seconds())
	out.AccessToken, err = s.sign(school, key)
	return out, err
}

// liveRow is a key that works.
type liveRow struct {
	ID         id.ID
	UserID     id.ID
	Hash       string
	LastUsedOn *clock.Date
}

func liveKey(ctx context.Context, q db.Q, key id.ID) (liveRow, error) {
	return db.One[liveRow](ctx, q, `SELECT k.id, k.user_id, k.hash, k.last_used_on FROM `+keys+` AND k.id = :id AND `+works,
		db.Args{"id": key})
}

// used logs that a key got a token, and writes the day of its last use.
func (s *Service) used(ctx context.Context, tx *db.Tx, who actor.Actor, k liveRow) error {
	today := clock.Date(s.Now().UTC().Format(time.DateOnly))
	if k.LastUsedOn == nil || *k.LastUsedOn != today {
		_, err := db.Exec(ctx, tx, `UPDATE oneroster_keys SET last_used_on = :today WHERE school_id = :school AND id = :id`,
			db.Args{"id": k.ID, "today": today})
		if err != nil {
			return fault.Wrap("write last use", err)
		}
	}
	return s.Audit.Record(ctx, tx, who, "oneroster-key.use", "oneroster-key", k.ID, nil, nil)
}

// claims are the content of an access token.
type claims struct {
	School, Key id.ID
	Until       time.Time
}

func (s *Service) sign(school, key id.ID) (string, error) {
	raw, err := json.Marshal(claims{school, key, s.Now().Add(tokenLife)})
	if err != nil {
		return "", fault.Wrap("sign token", err)
	}
	return s.Keys.Seal(sealed, raw)
}

// authenticate returns the school of an access token whose key works now.
func (s *Service) authenticate(ctx context.Context, header string) (id.ID, error) {
	scheme, raw, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return "", errToken
	}
	plain, err := s.Keys.Open(sealed, strings.TrimSpace(raw))
	if err != nil {
		return "", errToken.Because(err)
	}
	var c claims
	if err := json.Unmarshal(plain, &c); err != nil || !s.Now().Before(c.Until) {
		return "", errToken
	}
	if _, err := liveKey(ctx, s.DB.School(c.School), c.Key); err != nil {
		return "", db.Found("read key", err, errToken)
	}
	return c.School, nil
}
