package fcm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/notify/fake"
	"homeroom/internal/platform/notify/fcm"
)

func start(t *testing.T) (*fake.FCM, *fcm.Provider) {
	t.Helper()
	f, err := fake.NewFCM()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	credentials, err := f.Credentials()
	if err != nil {
		t.Fatal(err)
	}
	p, err := fcm.New(fcm.Options{Credentials: credentials, URL: f.URL, Now: time.Now,
		ChannelID: func(kind string) string { return "service_" + strings.ToLower(kind) }})
	if err != nil {
		t.Fatal(err)
	}
	return f, p
}

func topic() notify.Message {
	return notify.Message{ID: id.New(), Channel: notify.Push, To: "student_7_fee", Subject: "Fees", Body: "Due", Badge: new(9), Secret: false,
		HTML: "<b>never</b>", Lang: "en", User: id.New(), Data: map[string]string{"type": "FEE", "id": "r1", "studentId": "7"}}
}

func device(token string) notify.Message {
	m := topic()
	m.To, m.Device = token, true
	return m
}

// TestRequest compares the whole request of a push notification.
func TestRequest(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		m    notify.Message
		want func(id string) string
	}{
		"topic": {topic(), func(id string) string {
			return `{"message":{"topic":"student_7_fee","notification":{"title":"Fees","body":"Due"},"data":{"type":"FEE","id":"r1","studentId":"7"},
				"android":{"notification":{"channel_id":"service_fee","tag":"` + id + `"}},
				"apns":{"headers":{"apns-collapse-id":"` + id + `"},"payload":{"aps":{"sound":"default"}}}}}`
		}},
		"device": {device("tok:en"), func(id string) string {
			return `{"message":{"token":"tok:en","notification":{"title":"Fees","body":"Due"},"data":{"type":"FEE","id":"r1","studentId":"7"},
				"android":{"notification":{"channel_id":"service_fee","tag":"` + id + `"}},
				"apns":{"headers":{"apns-collapse-id":"` + id + `"},"payload":{"aps":{"sound":"default","badge":9}}}}}`
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, p := start(t)
			answer, err := p.Send(t.Context(), tt.m)
			if err != nil || answer != "projects/homeroom-test/messages/"+tt.m.ID.String() {
				t.Fatalf("Send: answer %q, %v", answer, err)
			}
			all := f.Requests()
			if len(all) != 1 || all[0].Path != "/v1/projects/homeroom-test/messages:send" ||
				all[0].Header.Get("Content-Type") != "application/json" ||
				all[0].Header.Get("Authorization") != "Bearer ya29.1" {
				t.Fatalf("requests: got %+v", all)
			}
			var got, want any
			if err := errors.Join(json.Unmarshal([]byte(all[0].Body), &got), json.Unmarshal([]byte(tt.want(tt.m.ID.String())), &want)); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("body: - want, + got:\n%s", diff)
			}
		})
	}
}

func TestLongTextsFit(t *testing.T) {
	t.Parallel()
	f, p := start(t)
	m := topic()
	m.Subject, m.Body = strings.Repeat("ü", 3000), strings.Repeat("語", 3000)
	if _, err := p.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	if body := f.Requests()[0].Body; len(body) > 4096 || strings.Contains(body, "�") || !strings.Contains(body, "…") {
		t.Errorf("body of %d bytes, want at most 4096, shortened with …: %s", len(body), body)
	}
}

func TestOneTokenForAll(t *testing.T) {
	t.Parallel()
	f, p := start(t)
	send := func() {
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				if _, err := p.Send(t.Context(), topic()); err != nil {
					t.Errorf("Send: %v", err)
				}
			})
		}
		wg.Wait()
	}
	send()
	if f.Tokens() != 1 {
		t.Errorf("%d tokens were asked for, want 1", f.Tokens())
	}
	f.Forget() // revokes the token: only one new token is requested
	send()
	if f.Tokens() != 2 {
		t.Errorf("%d tokens were asked for, want 2", f.Tokens())
	}
	for id, n := range f.Seen() {
		if n != 1 {
			t.Errorf("%s arrived %d times, want once", id, n)
		}
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	soon := time.Now().Add(10 * time.Minute).UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT")
	body := func(code string) string {
		return `{"error":{"status":"X","message":"what happened","details":[{"@type":"x","errorCode":"` + code + `"}]}}`
	}
	for name, tt := range map[string]struct {
		answer    fake.Answer
		device    bool
		gone      bool
		permanent bool
		after     time.Duration // at least
		within    time.Duration // allowed on top of after
		says      string
	}{
		"quota, told when": {answer: fake.Answer{Status: 429, Header: map[string]string{"Retry-After": "77"}, Body: body("QUOTA_EXCEEDED")},
			after: 77 * time.Second, says: "429 QUOTA_EXCEEDED: what happened"},
		"quota": {answer: fake.Answer{Status: 429, Body: body("QUOTA_EXCEEDED")}, after: time.Minute, says: "429"},
		"unavailable, at": {answer: fake.Answer{Status: 503, Header: map[string]string{"Retry-After": soon}, Body: body("UNAVAILABLE")},
			after: 5 * time.Minute, within: 5 * time.Minute, says: "503"},
		"unavailable":    {answer: fake.Answer{Status: 503, Body: body("UNAVAILABLE")}, says: "503"},
		"internal":       {answer: fake.Answer{Status: 500, Body: body("INTERNAL")}, says: "500"},
		"a proxy's page": {answer: fake.Answer{Status: 502, Body: "<html>\nbad gateway"}, says: "502 : <html> bad gateway"},
		"moved":          {answer: fake.Answer{Status: 302, Header: map[string]string{"Location": "/elsewhere"}}, says: "302"},
		"no name":        {answer: fake.Answer{Status: 200, Body: "{}"}, says: "--fcm-url"},
		"a bad message":  {answer: fake.Answer{Status: 400, Body: body("INVALID_ARGUMENT")}, device: true, permanent: true, says: "400"},
		"another sender": {answer: fake.Answer{Status: 403, Body: body("SENDER_ID_MISMATCH")}, device: true, permanent: true, says: "403"},
		"no right": {answer: fake.Answer{Status: 403, Body: body("PERMISSION_DENIED")},
			after: 10 * time.Minute, says: "--fcm-credentials"},
		"Apple refuses": {answer: fake.Answer{Status: 401, Body: body("THIRD_PARTY_AUTH_ERROR")}, after: 10 * time.Minute, says: "401"},
		"unregistered": {answer: fake.Answer{Status: 404, Body: body("UNREGISTERED")},
			device: true, gone: true, permanent: true, says: "404 UNREGISTERED"},
		"unregistered, topic?": {answer: fake.Answer{Status: 404, Body: body("UNREGISTERED")}, after: 10 * time.Minute, says: "404"},
		"a field is wrong": {answer: fake.Answer{Status: 400,
			Body: `{"error":{"status":"INVALID_ARGUMENT","message":"m","details":[{"fieldViolations":[{"field":"message.token"}]}]}}`},
			device: true, gone: true, permanent: true, says: "400"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, p := start(t)
			f.Next(tt.answer)
			m := topic()
			if tt.device {
				m = device("tok")
			}
			_, err := p.Send(t.Context(), m)
			if err == nil || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "ya29") {
				t.Fatalf("%v, want %q in it", err, tt.says)
			}
			if notify.IsGone(err) != tt.gone || jobs.IsPermanent(err) != tt.permanent {
				t.Errorf("%v: gone %v, permanent %v", err, notify.IsGone(err), jobs.IsPermanent(err))
			}
			if wait := jobs.Pause(err); wait < tt.after || wait > tt.after+tt.within {
				t.Errorf("pause %s, want %s", wait, tt.after)
			}
			if n := len(f.Requests()); n != 1 {
				t.Errorf("%d requests, want 1", n)
			}
		})
	}
}

func TestTokensThatAreNoTokens(t *testing.T) {
	t.Parallel()
	f, p := start(t)
	f.Unregister("old")
	for token, gone := range map[string]bool{"old": true, "not a token": true, "good": false} {
		if _, err := p.Send(t.Context(), device(token)); notify.IsGone(err) != gone || (err != nil) != gone {
			t.Errorf("%s: %v", token, err)
		}
	}
}

func TestTimeOut(t *testing.T) {
	t.Parallel()
	f, p := start(t)
	if _, err := p.Send(t.Context(), topic()); err != nil { // caches a token
		t.Fatal(err)
	}
	f.Next(fake.Answer{Hang: true})
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := p.Send(ctx, topic()); err == nil || jobs.IsPermanent(err) || !strings.Contains(err.Error(), "did not answer in time") {
		t.Errorf("no response: got %v", err)
	}
	f.Next() // on a busy machine the request may not have come
	f.RefuseTokens(1)
	f.Forget()
	if _, err := p.Send(t.Context(), topic()); err == nil || jobs.IsPermanent(err) || !strings.Contains(err.Error(), "access token") {
		t.Errorf("without a token: %v", err)
	}
	if _, err := p.Send(t.Context(), topic()); err != nil {
		t.Errorf("afterwards: %v", err)
	}
	f.Close()
	if _, err := p.Send(t.Context(), topic()); err == nil || jobs.IsPermanent(err) || strings.Contains(err.Error(), "/v1/projects") {
		t.Errorf("server down: %v", err)
	}
}

func TestCredentials(t *testing.T) {
	t.Parallel()
	f, _ := start(t)
	good, err := f.Credentials()
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ old, with, says string }{
		"type":    {`"service_account"`, `"authorized_user"`, "service account"},
		"project": {`"homeroom-test"`, `""`, "project_id"},
		"uri":     {f.URL, "http://example.org", "https"},
		"key":     {"BEGIN PRIVATE", "BEGIN PUBLIC", "private_key"},
		"json":    {`{`, ``, "JSON"},
	} {
		_, err := fcm.New(fcm.Options{Credentials: bytes.Replace(good, []byte(tt.old), []byte(tt.with), 1)})
		if err == nil || !strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "PRIVATE KEY-") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
