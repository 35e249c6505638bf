package apidocs

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

var accounts = []Account{
	{Label: "Admin", Role: "SCHOOL_ADMIN", Email: "admin@greenfield.test", Password: "homeroom-demo", SchoolName: "Greenfield"},
	{Label: "Teacher", Role: "TEACHER", Phone: "+15550100001", SchoolName: "Greenfield"},
	{Label: "Parent", Role: "PARENT", Phone: "+15550100002", SchoolName: "Greenfield"},
	{Label: "Driver", Role: "DRIVER", Phone: "+15550100003", SchoolName: "Greenfield"},
	{Label: "Admin", Role: "SCHOOL_ADMIN", Email: "admin@riverside.test", Password: "homeroom-demo", SchoolName: "Riverside"},
	{Label: "Teacher", Role: "TEACHER", Phone: "+15550200001", SchoolName: "Riverside"},
	{Label: "Parent", Role: "PARENT", Phone: "+15550200002", SchoolName: "Riverside"},
	{Label: "Driver", Role: "DRIVER", Phone: "+15550200003", SchoolName: "Riverside"},
	{Label: "Super admin", Role: "SUPER_ADMIN", Email: "super@homeroom.test", Password: "homeroom-demo"},
}

// service is a fake of the API.
type service struct {
	url string

	mu       sync.Mutex
	calls    []call
	outbox   []message // newest first
	codes    int
	tokens   int
	lifetime time.Duration // of the next access token; then 15 minutes again
	ended    bool          // refresh is refused
}

type call struct{ line, bearer, body string }

type message struct {
	ID   string    `json:"id"`
	To   string    `json:"to"`
	Body string    `json:"body"`
	due  time.Time // when it reaches the outbox
}

// serve starts the fake with the page under test.
func serve(t *testing.T, demo bool) *service {
	t.Helper()
	doc, err := os.ReadFile("testdata/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	s := &service{}
	mux := http.NewServeMux()
	docs := Handler(func() []byte { return doc }, func() []byte { return doc }, Options{Demo: demo, Accounts: accounts, Version: "0.1.0"})
	mux.Handle("/api-docs", docs)
	mux.Handle("/api-docs/", docs)
	mux.HandleFunc("GET /dev/outbox", s.listOutbox)
	mux.HandleFunc("/", s.answer)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.url = server.URL
	// An old code is in the outbox: the page must not use it.
	s.outbox = []message{{ID: "m0", To: "+15550100001", Body: "Your code is 000000."}}
	return s
}

func (s *service) listOutbox(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	items := []message{}
	for _, m := range s.outbox {
		if m.To == r.URL.Query().Get("to") && time.Now().After(m.due) && r.URL.Query().Get("channel") == "sms" {
			items = append(items, m)
		}
	}
	reply(w, 200, map[string]any{"data": map[string]any{"items": items}})
}

// answer handles all other endpoints and records the call.
func (s *service) answer(w http.ResponseWriter, r *http.Request) {
	var in struct{ Phone, OTP, Email, Password, RefreshToken string }
	raw := json.RawMessage{}
	if json.NewDecoder(r.Body).Decode(&raw) == nil {
		_ = json.Unmarshal(raw, &in) // an app endpoint's body has other fields
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, call{r.Method + " " + r.URL.Path, strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), string(raw)})
	switch action := r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]; {
	case action == "send-otp":
		s.codes++
		s.outbox = append([]message{{
			ID: fmt.Sprint("m", s.codes), To: in.Phone, Body: fmt.Sprintf("Your code is %06d. It is good for 5 minutes.", 123450+s.codes),
			due: time.Now().Add(300 * time.Millisecond),
		}}, s.outbox...)
		reply(w, 200, map[string]any{"data": map[string]any{}, "message": "Sent."})
	case action == "verify-otp" && in.OTP != fmt.Sprintf("%06d", 123450+s.codes):
		refuseWith(w, 400, "OTP_INVALID", "This code is not right. Look again or ask for a new one.")
	case action == "login" && in.Password != "homeroom-demo":
		refuseWith(w, 401, "Unauthorized", "Wrong e-mail or password.")
	case action == "verify-otp" || action == "login":
		s.signIn(w, in.Phone, in.Email)
	case action == "refresh" && s.ended:
		refuseWith(w, 401, "REFRESH_TOKEN_EXPIRED", "Sign in again.")
	case action == "refresh":
		time.Sleep(100 * time.Millisecond) // long enough for a concurrent caller
		reply(w, 200, map[string]any{"accessToken": s.token("TEACHER"), "refreshToken": fmt.Sprint("refresh-", s.tokens)})
	case action == "logout":
		reply(w, 200, map[string]any{"message": "Signed out."})
	default:
		reply(w, 200, map[string]any{"message": "Here.",
			"data": map[string]any{"items": []any{map[string]string{"name": "Grade 4 by " + r.Method}}}})
	}
}

func (s *service) signIn(w http.ResponseWriter, phone, email string) {
	for _, a := range accounts {
		if a.Phone == phone && a.Email == email {
			user := map[string]string{"id": "u1", "role": a.Role, "schoolId": "s1", "phone": phone, "email": email}
			if phone == "" {
				delete(user, "phone")
			}
			reply(w, 200, map[string]any{"accessToken": s.token(a.Role), "refreshToken": fmt.Sprint("refresh-", s.tokens), "user": user})
			return
		}
	}
	refuseWith(w, 401, "Unauthorized", "Nobody has this phone.")
}

// token returns a token like the service's; the page reads only iat and exp.
func (s *service) token(role string) string {
	life := s.lifetime
	if life == 0 {
		life = 15 * time.Minute
	}
	s.lifetime = 0
	s.tokens++
	claims := fmt.Sprintf(`{"sub":"u1","role":%q,"iat":1000,"exp":%d}`, role, 1000+int(life.Seconds()))
	return fmt.Sprintf("head.%s.sign-%d", base64.RawURLEncoding.EncodeToString([]byte(claims)), s.tokens)
}

func (s *service) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// called returns the calls to "METHOD /path" so far.
func (s *service) called(line string) []call {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []call
	for _, c := range s.calls {
		if c.line == line {
			out = append(out, c)
		}
	}
	return out
}

func reply(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the test fails if it is missing
}

func refuseWith(w http.ResponseWriter, status int, code, message string) {
	reply(w, status, map[string]any{"statusCode": status, "error": code, "message": message})
}
