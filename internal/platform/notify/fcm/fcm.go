// Package fcm sends push notifications through Firebase Cloud Messaging (HTTP v1),
// with the key of a service account.
package fcm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/notify/wire"
)

// Endpoint is the URL of the FCM API.
const Endpoint = "https://fcm.googleapis.com"

// Limits of the text in bytes. FCM accepts 4,096 bytes per message.
const (
	maxTitle = 200
	maxBody  = 1500
)

// conns is the maximum number of connections: enough for all concurrent messages of
// a node without HTTP/2.
const conns = 256

// Options configure a Provider.
type Options struct {
	Credentials []byte // the service account's JSON file
	URL         string // empty: Endpoint
	Now         clock.Now

	// ChannelID returns the Android notification channel for the type of a message
	// (data.type).
	ChannelID func(kind string) string
}

// Provider sends push notifications.
type Provider struct {
	Options
	send   string
	client *http.Client
	tokens *tokens
}

// New parses the credentials. It does not connect yet.
func New(o Options) (*Provider, error) {
	account, err := parse(o.Credentials)
	if err != nil {
		return nil, err
	}
	if o.URL == "" {
		o.URL = Endpoint
	}
	client := wire.Client(conns)
	return &Provider{
		Options: o, client: client, tokens: account.tokens(client),
		send: strings.TrimSuffix(o.URL, "/") + "/v1/projects/" + account.ProjectID + "/messages:send",
	}, nil
}

// Name implements notify.Provider.
func (*Provider) Name() string { return "fcm" }

// Send implements notify.Provider. Its answer is the name of the message at FCM.
func (p *Provider) Send(ctx context.Context, m notify.Message) (string, error) {
	body, err := json.Marshal(p.request(m))
	if err != nil {
		return "", jobs.Permanent(fmt.Errorf("encode a push notification: %w", err))
	}
	used, err := p.tokens.get(ctx, "")
	if err != nil {
		return "", err
	}
	a, err := p.post(ctx, used, body)
	if err == nil && a.Status == http.StatusUnauthorized && failure(a).code() != thirdParty {
		// The token was revoked: get a new one, shared by all waiting messages.
		if used, err = p.tokens.get(ctx, used); err != nil {
			return "", err
		}
		a, err = p.post(ctx, used, body)
	}
	if err != nil {
		return "", err
	}
	if !a.OK() {
		return "", p.refused(a, m)
	}
	var sent struct{ Name string }
	if err := json.Unmarshal(a.Body, &sent); err != nil || sent.Name == "" {
		return "", fmt.Errorf("FCM answered %d without a message name: is --fcm-url right?", a.Status)
	}
	return sent.Name, nil
}

func (p *Provider) post(ctx context.Context, token string, body []byte) (wire.Answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.send, bytes.NewReader(body))
	if err != nil {
		return wire.Answer{}, jobs.Permanent(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	return wire.Do(p.client, req)
}

// request is the body of messages:send.
type request struct {
	Message message `json:"message"`
}

type message struct {
	Topic        string            `json:"topic,omitempty"`
	Token        string            `json:"token,omitempty"`
	Notification text              `json:"notification"`
	Data         map[string]string `json:"data,omitempty"`
	Android      android           `json:"android"`
	APNS         apns              `json:"apns"`
}

type text struct {
	Title string `json:"title"`
	Body  string `json:"body"`
}

// The tag and the collapse id are the delivery's id, so that a phone shows a repeated
// message only once. No collapse_key: FCM stores only four of them per offline
// device and drops the other messages.
type android struct {
	Notification struct {
		ChannelID string `json:"channel_id"`
		Tag       string `json:"tag"`
	} `json:"notification"`
}

type apns struct {
	Headers map[string]string `json:"headers"`
	Payload struct {
		APS struct {
			Sound string `json:"sound"`
			Badge *int   `json:"badge,omitempty"`
		} `json:"aps"`
	} `json:"payload"`
}

func (p *Provider) request(m notify.Message) request {
	out := message{Notification: text{clip(m.Subject, maxTitle), clip(m.Body, maxBody)}, Data: m.Data}
	out.Android.Notification.ChannelID = p.ChannelID(m.Data["type"])
	out.Android.Notification.Tag = m.ID.String()
	out.APNS.Headers = map[string]string{"apns-collapse-id": m.ID.String()}
	out.APNS.Payload.APS.Sound = "default"
	if m.Device {
		out.Token, out.APNS.Payload.APS.Badge = m.To, m.Badge
	} else {
		out.Topic = m.To
	}
	return request{out}
}

func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

// Error codes of FCM that are handled specially.
const (
	unregistered = "UNREGISTERED"
	thirdParty   = "THIRD_PARTY_AUTH_ERROR"
	invalid      = "INVALID_ARGUMENT"
)

// fault is the body of an error response.
type fault struct {
	Error struct {
		Message string
		Status  string
		Details []struct {
			ErrorCode       string
			FieldViolations []struct{ Field string }
		}
	}
}

func failure(a wire.Answer) (f fault) {
	_ = json.Unmarshal(a.Body, &f) // an error page of a proxy is not JSON
	return f
}

func (f fault) code() string {
	for _, d := range f.Error.Details {
		if d.ErrorCode != "" {
			return d.ErrorCode
		}
	}
	return f.Error.Status
}

// blamesToken reports whether the device token is invalid, and not the message.
func (f fault) blamesToken() bool {
	for _, d := range f.Error.Details {
		if slices.ContainsFunc(d.FieldViolations, func(v struct{ Field string }) bool { return v.Field == "message.token" }) {
			return true
		}
	}
	return strings.Contains(f.Error.Message, "registration token")
}

// refused decides by the response whether and when to retry.
func (p *Provider) refused(a wire.Answer, m notify.Message) error {
	f := failure(a)
	said := f.Error.Message
	if said == "" {
		said = a.Text()
	}
	err := errors.New(strings.TrimSpace(fmt.Sprintf("FCM answered %d %s: %s", a.Status, f.code(), said)))
	switch {
	case f.code() == unregistered && m.Device:
		return notify.Gone(err)
	case f.code() == invalid && m.Device && f.blamesToken():
		return notify.Gone(err)
	case a.Status == http.StatusBadRequest || a.Status == http.StatusRequestEntityTooLarge:
		return jobs.Permanent(err)
	case f.code() == "SENDER_ID_MISMATCH": // the device token belongs to another project
		return jobs.Permanent(err)
	case a.Status == http.StatusForbidden || a.Status == http.StatusUnauthorized || a.Status == http.StatusNotFound:
		return jobs.Later(fmt.Errorf("%w; check the project and the permissions of --fcm-credentials", err), 10*time.Minute)
	}
	return a.Again(err, p.Now())
}
