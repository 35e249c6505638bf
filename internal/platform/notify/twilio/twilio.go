// Package twilio sends text messages through Twilio's REST API.
package twilio

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/notify/wire"
)

// Endpoint is the URL of Twilio's API.
const Endpoint = "https://api.twilio.com"

const conns = 16

// Options configure a Provider.
type Options struct {
	URL   string // empty: Endpoint
	SID   string // of the account, AC…
	Token string // of the account
	From  string // phone number, alphanumeric sender, or messaging service (MG…)
	Now   clock.Now
}

// Provider sends text messages.
type Provider struct {
	Options
	send   string
	client *http.Client
}

var (
	accountSID = regexp.MustCompile(`^AC[0-9a-fA-F]{32}$`)
	serviceSID = regexp.MustCompile(`^MG[0-9a-fA-F]{32}$`)
	sender     = regexp.MustCompile(`^(\+[0-9]{7,15}|[0-9]{3,8}|[A-Za-z0-9 ]{2,11})$`)
)

// IsSID reports whether s is a valid account SID.
func IsSID(s string) bool { return accountSID.MatchString(s) }

// IsFrom reports whether s is a valid sender.
func IsFrom(s string) bool { return serviceSID.MatchString(s) || sender.MatchString(s) }

// New makes a Provider. It does not connect yet.
func New(o Options) *Provider {
	if o.URL == "" {
		o.URL = Endpoint
	}
	return &Provider{Options: o, client: wire.Client(conns),
		send: strings.TrimSuffix(o.URL, "/") + "/2010-04-01/Accounts/" + o.SID + "/Messages.json"}
}

// Name implements notify.Provider.
func (*Provider) Name() string { return "twilio" }

// Send implements notify.Provider. Its answer is the message's SID and status.
func (p *Provider) Send(ctx context.Context, m notify.Message) (string, error) {
	form := url.Values{"To": {m.To}, "Body": {m.Body}}
	if serviceSID.MatchString(p.From) {
		form.Set("MessagingServiceSid", p.From)
	} else {
		form.Set("From", p.From)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.send, strings.NewReader(form.Encode()))
	if err != nil {
		return "", jobs.Permanent(err)
	}
	req.SetBasicAuth(p.SID, p.Token)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("I-Twilio-Idempotency-Token", m.ID.String())
	a, err := wire.Do(p.client, req)
	if err != nil {
		return "", err
	}
	if !a.OK() {
		return "", p.refused(a)
	}
	var sent struct{ SID, Status string }
	if err := json.Unmarshal(a.Body, &sent); err != nil || sent.SID == "" {
		return "", fmt.Errorf("twilio answered %d with no message: is --twilio-url right?", a.Status)
	}
	return strings.TrimSpace(sent.SID + " " + sent.Status), nil
}

// ours are the error codes of a wrong configuration (account or sender). Such
// messages are retried, since they can be sent once the configuration is fixed.
var ours = map[int]bool{
	20003: true, // wrong SID or token
	20005: true, // the account is suspended
	20404: true, // no such account
	21212: true, // From is not a phone number
	21603: true, // From is missing
	21606: true, // From is not a number of the account
	21660: true, // From is not of the messaging service
	21703: true, // the messaging service has no numbers
	30002: true, // the account is suspended
}

const tooMany = 20429

// refused decides by the response whether and when to retry.
func (p *Provider) refused(a wire.Answer) error {
	var f struct {
		Code    int
		Message string
	}
	_ = json.Unmarshal(a.Body, &f) // an error page of a proxy is not JSON
	if f.Message == "" {
		f.Message = a.Text()
	}
	err := fmt.Errorf("twilio answered %d (code %d): %s", a.Status, f.Code, f.Message)
	switch {
	case f.Code == tooMany || a.Status == http.StatusTooManyRequests:
		a.Status = http.StatusTooManyRequests
		return a.Again(err, p.Now())
	case ours[f.Code] || a.Status == http.StatusUnauthorized || a.Status == http.StatusForbidden || a.Status == http.StatusNotFound:
		return jobs.Later(fmt.Errorf("%w; check --twilio-sid, --twilio-token and --twilio-from", err), 10*time.Minute)
	case a.Status >= 400 && a.Status < 500: // invalid number or text
		return jobs.Permanent(err)
	}
	return a.Again(err, p.Now())
}
