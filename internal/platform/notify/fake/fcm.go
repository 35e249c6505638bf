package fake

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"

	"github.com/golang-jwt/jwt/v5"
)

const (
	fcmProject = "homeroom-test"
	fcmAccount = "pusher@homeroom-test.iam.gserviceaccount.com"
	fcmKeyID   = "key-1"
	fcmScope   = "https://www.googleapis.com/auth/firebase.messaging"
)

// FCM is a fake of Firebase Cloud Messaging and of Google's token endpoint. It has
// one service account, whose signature it verifies, and accepts only its own tokens.
type FCM struct {
	server
	key    *rsa.PrivateKey
	tokens map[string]bool // valid access tokens
	given  int
	refuse int // token requests
	seen   map[string]int
	gone   map[string]bool

	// Before, if set, is called with the id of a message before it is answered.
	Before func(id string)
	idMu   sync.Mutex
}

// NewFCM starts a server. Close it.
func NewFCM() (*FCM, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, err
	}
	f := &FCM{key: key, tokens: map[string]bool{}, seen: map[string]int{}, gone: map[string]bool{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /token", f.token)
	mux.HandleFunc("POST /v1/projects/{project}/{call}", f.send)
	f.Server = httptest.NewServer(mux)
	return f, nil
}

// Credentials is the key file of the service account.
func (f *FCM) Credentials() ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(f.key)
	if err != nil {
		return nil, err
	}
	return json.Marshal(map[string]string{
		"type": "service_account", "project_id": fcmProject, "private_key_id": fcmKeyID, "client_email": fcmAccount, "client_id": "1",
		"private_key": string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})),
		"token_uri":   f.URL + "/token",
	})
}

// Forget invalidates all access tokens.
func (f *FCM) Forget() { f.idMu.Lock(); defer f.idMu.Unlock(); clear(f.tokens) }

// RefuseTokens answers the next n token requests with 503.
func (f *FCM) RefuseTokens(n int) { f.idMu.Lock(); defer f.idMu.Unlock(); f.refuse = n }

// Tokens returns the number of issued tokens.
func (f *FCM) Tokens() int { f.idMu.Lock(); defer f.idMu.Unlock(); return f.given }

// Unregister makes a device token UNREGISTERED.
func (f *FCM) Unregister(token string) { f.idMu.Lock(); defer f.idMu.Unlock(); f.gone[token] = true }

// Seen returns how often each message arrived, by the id of its delivery.
func (f *FCM) Seen() map[string]int {
	f.idMu.Lock()
	defer f.idMu.Unlock()
	out := make(map[string]int, len(f.seen))
	for id, n := range f.seen {
		out[id] = n
	}
	return out
}

// token implements OAuth's JWT bearer flow.
func (f *FCM) token(w http.ResponseWriter, r *http.Request) {
	fail := func(why string) {
		reply(w, http.StatusBadRequest, map[string]string{"error": "invalid_grant", "error_description": why})
	}
	if r.FormValue("grant_type") != "urn:ietf:params:oauth:grant-type:jwt-bearer" {
		fail("wrong grant_type")
		return
	}
	claims := jwt.MapClaims{}
	_, err := jwt.ParseWithClaims(r.FormValue("assertion"), claims, func(t *jwt.Token) (any, error) {
		if t.Header["kid"] != fcmKeyID {
			return nil, fmt.Errorf("unknown key %v", t.Header["kid"])
		}
		return &f.key.PublicKey, nil
	}, jwt.WithValidMethods([]string{"RS256"}), jwt.WithIssuer(fcmAccount), jwt.WithAudience(f.URL+"/token"),
		jwt.WithExpirationRequired(), jwt.WithIssuedAt())
	if err != nil {
		fail(err.Error())
		return
	}
	if claims["scope"] != fcmScope {
		fail("wrong scope")
		return
	}
	f.idMu.Lock()
	defer f.idMu.Unlock()
	if f.refuse > 0 {
		f.refuse--
		reply(w, http.StatusServiceUnavailable, map[string]string{"error": "temporarily_unavailable"})
		return
	}
	f.given++
	token := fmt.Sprintf("ya29.%d", f.given)
	f.tokens[token] = true
	reply(w, http.StatusOK, map[string]any{"access_token": token, "token_type": "Bearer", "expires_in": 3600})
}

var topicName = regexp.MustCompile(`^[a-zA-Z0-9-_.~%]{1,900}$`)

// fcmMessage is the part of a message that the fake needs.
type fcmMessage struct {
	Message struct {
		Topic, Token string
		Data         map[string]string // other value types are rejected
		Android      struct {
			Notification struct{ Tag string }
		}
	}
}

// send implements projects.messages.send.
func (f *FCM) send(w http.ResponseWriter, r *http.Request) {
	if !f.known(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")) {
		fcmError(w, http.StatusUnauthorized, "UNAUTHENTICATED", "Request had invalid authentication credentials.", "")
		return
	}
	if r.PathValue("project") != fcmProject || r.PathValue("call") != "messages:send" {
		fcmError(w, http.StatusNotFound, "NOT_FOUND", "Requested entity was not found.", "")
		return
	}
	got, told := f.take(r)
	var m fcmMessage
	err := json.Unmarshal([]byte(got.Body), &m)
	f.count(m.Message.Android.Notification.Tag)
	switch to := m.Message; {
	case told != nil:
		told.say(w, r)
	case err != nil || len(got.Body) > 4096 || (to.Topic == "") == (to.Token == "") || to.Topic != "" && !topicName.MatchString(to.Topic):
		fcmError(w, http.StatusBadRequest, "INVALID_ARGUMENT", "Request contains an invalid argument.", "INVALID_ARGUMENT")
	case to.Token == "not a token":
		fcmError(w, http.StatusBadRequest, "INVALID_ARGUMENT", "The registration token is not a valid FCM registration token", "INVALID_ARGUMENT")
	case to.Token != "" && f.isGone(to.Token):
		fcmError(w, http.StatusNotFound, "NOT_FOUND", "Requested entity was not found.", "UNREGISTERED")
	default:
		reply(w, http.StatusOK, map[string]string{"name": "projects/" + fcmProject + "/messages/" + m.Message.Android.Notification.Tag})
	}
}

func (f *FCM) known(token string) bool { f.idMu.Lock(); defer f.idMu.Unlock(); return f.tokens[token] }
func (f *FCM) isGone(token string) bool {
	f.idMu.Lock()
	defer f.idMu.Unlock()
	return f.gone[token]
}

func (f *FCM) count(id string) {
	f.idMu.Lock()
	f.seen[id]++
	f.idMu.Unlock()
	if f.Before != nil {
		f.Before(id)
	}
}

func fcmError(w http.ResponseWriter, code int, status, message, errorCode string) {
	body := map[string]any{"code": code, "status": status, "message": message}
	if errorCode != "" {
		body["details"] = []map[string]string{{"@type": "type.googleapis.com/google.firebase.fcm.v1.FcmError", "errorCode": errorCode}}
	}
	reply(w, code, map[string]any{"error": body})
}
