package fake

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
)

// The credentials of the Twilio account.
const (
	TwilioSID   = "AC00112233445566778899aabbccddeeff"
	TwilioToken = "twilio-auth-token"
)

// Twilio is a fake of Twilio's Messages API.
type Twilio struct {
	server
	refusals map[string]int // error code by phone number
}

// NewTwilio starts a server. Close it.
func NewTwilio() *Twilio {
	t := &Twilio{refusals: map[string]int{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /2010-04-01/Accounts/{sid}/Messages.json", t.messages)
	t.Server = httptest.NewServer(mux)
	return t
}

// Refuse rejects messages to the number with the error code.
func (t *Twilio) Refuse(to string, code int) { t.mu.Lock(); defer t.mu.Unlock(); t.refusals[to] = code }

var e164 = regexp.MustCompile(`^\+[1-9][0-9]{6,14}$`)

func (t *Twilio) messages(w http.ResponseWriter, r *http.Request) {
	user, password, _ := r.BasicAuth()
	if user != TwilioSID || password != TwilioToken || r.PathValue("sid") != TwilioSID {
		twilioError(w, http.StatusUnauthorized, 20003, "Authenticate")
		return
	}
	got, told := t.take(r)
	if told != nil {
		told.say(w, r)
		return
	}
	form, err := url.ParseQuery(got.Body)
	t.mu.Lock()
	refusal := t.refusals[form.Get("To")]
	t.mu.Unlock()
	switch {
	case err != nil || !strings.HasPrefix(got.Header.Get("Content-Type"), "application/x-www-form-urlencoded"):
		twilioError(w, http.StatusBadRequest, 20001, "Bad request")
	case refusal != 0:
		twilioError(w, http.StatusBadRequest, refusal, "Refused: "+form.Get("To"))
	case !e164.MatchString(form.Get("To")):
		twilioError(w, http.StatusBadRequest, 21211, "The 'To' number is not a valid phone number.")
	case form.Get("From") == "" && form.Get("MessagingServiceSid") == "":
		twilioError(w, http.StatusBadRequest, 21603, "A 'From' phone number is required.")
	case form.Get("Body") == "":
		twilioError(w, http.StatusBadRequest, 21602, "Message body is required.")
	default:
		reply(w, http.StatusCreated, map[string]any{"sid": "SM0123", "status": "queued", "to": form.Get("To"), "error_code": nil})
	}
}

func twilioError(w http.ResponseWriter, status, code int, message string) {
	reply(w, status, map[string]any{"code": code, "message": message, "status": status,
		"more_info": fmt.Sprintf("https://www.twilio.com/docs/errors/%d", code)})
}
