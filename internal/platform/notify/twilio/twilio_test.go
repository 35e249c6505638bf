package twilio_test

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/notify/fake"
	"homeroom/internal/platform/notify/twilio"
)

func start(t *testing.T, from string) (*fake.Twilio, *twilio.Provider) {
	t.Helper()
	f := fake.NewTwilio()
	t.Cleanup(f.Close)
	return f, twilio.New(twilio.Options{URL: f.URL + "/", SID: fake.TwilioSID, Token: fake.TwilioToken, From: from, Now: time.Now})
}

func message() notify.Message {
	return notify.Message{ID: id.New(), Channel: notify.SMS, To: "+15550100001", Subject: "never sent", Body: "Hi & bye = 1+1 ü",
		HTML: "<b>never</b>", Data: map[string]string{"type": "never"}}
}

func TestRequest(t *testing.T) {
	t.Parallel()
	for from, key := range map[string]string{
		"+15550100009": "From", "Greenfield": "From", "MG00112233445566778899aabbccddeeff": "MessagingServiceSid",
	} {
		f, p := start(t, from)
		m := message()
		answer, err := p.Send(t.Context(), m)
		if err != nil || answer != "SM0123 queued" {
			t.Fatalf("Send: answer %q, %v", answer, err)
		}
		r := f.Requests()[0]
		want := url.Values{"To": {"+15550100001"}, "Body": {"Hi & bye = 1+1 ü"}, key: {from}}.Encode()
		if r.Method != "POST" || r.Path != "/2010-04-01/Accounts/"+fake.TwilioSID+"/Messages.json" || r.Query != "" || r.Body != want ||
			r.Header.Get("I-Twilio-Idempotency-Token") != m.ID.String() || strings.Contains(r.Body, "never") {
			t.Errorf("request: got %+v, want the body %s", r, want)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	f, p := start(t, "+15550100009")
	for code, permanent := range map[int]bool{
		21211: true, 21214: true, 21408: true, 21610: true, 21612: true, 21614: true, 21617: true, 21606: false, 21603: false, 20429: false,
	} {
		f.Refuse("+15550100001", code)
		_, err := p.Send(t.Context(), message())
		if err == nil || jobs.IsPermanent(err) != permanent || !permanent && jobs.Pause(err) == 0 {
			t.Errorf("code %d: %v, permanent %v, pause %s", code, err, jobs.IsPermanent(err), jobs.Pause(err))
		}
	}
	m := message()
	m.To = "12"
	if _, err := p.Send(t.Context(), m); !jobs.IsPermanent(err) || !strings.Contains(err.Error(), "21211") {
		t.Errorf("no number: %v", err)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer fake.Answer
		after  time.Duration
	}{
		"too many":       {fake.Answer{Status: 429, Body: `{"code":20429,"message":"Too Many Requests"}`}, time.Minute},
		"told when":      {fake.Answer{Status: 429, Header: map[string]string{"Retry-After": "5"}}, 5 * time.Second},
		"broken":         {fake.Answer{Status: 500, Body: "oops"}, 0},
		"unavailable":    {fake.Answer{Status: 503, Header: map[string]string{"Retry-After": "30"}}, 30 * time.Second},
		"nothing of use": {fake.Answer{Status: 200, Body: "hello"}, 0},
	} {
		f, p := start(t, "+15550100009")
		f.Next(tt.answer)
		_, err := p.Send(t.Context(), message())
		if err == nil || jobs.IsPermanent(err) || jobs.Pause(err) != tt.after || strings.Contains(err.Error(), fake.TwilioToken) {
			t.Errorf("%s: %v, pause %s", name, err, jobs.Pause(err))
		}
		if _, err := p.Send(t.Context(), message()); err != nil {
			t.Errorf("%s: afterwards %v", name, err)
		}
	}
	f, p := start(t, "+15550100009")
	f.Next(fake.Answer{Hang: true})
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := p.Send(ctx, message()); err == nil || jobs.IsPermanent(err) {
		t.Errorf("time-out: %v", err)
	}
	f.Next() // on a busy machine the request may not have come
	wrong := twilio.New(twilio.Options{URL: f.URL, SID: fake.TwilioSID, Token: "wrong-token", From: "+15550100009", Now: time.Now})
	_, err := wrong.Send(t.Context(), message())
	if err == nil || jobs.IsPermanent(err) || !strings.Contains(err.Error(), "--twilio-token") ||
		strings.Contains(err.Error(), "wrong-token") {
		t.Errorf("wrong token: %v", err)
	}
}
