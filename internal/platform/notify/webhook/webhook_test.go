package webhook_test

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/notify/fake"
	"homeroom/internal/platform/notify/webhook"
)

const hard = "Say \"hi\" \\ & a=b ?#/% \r\nX-Evil: 1 <ü>"

func message() notify.Message {
	return notify.Message{ID: id.New(), To: "+15550100001", Body: hard, Subject: "never", HTML: "never"}
}

func start(t *testing.T, o webhook.Options) (*fake.Gateway, *webhook.Provider) {
	t.Helper()
	g := fake.NewGateway()
	t.Cleanup(g.Close)
	o.URL, o.Now = g.URL+o.URL, time.Now
	p, err := webhook.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return g, p
}

// send sends a message and returns the request that the gateway received.
func send(t *testing.T, o webhook.Options) (notify.Message, fake.Request) {
	t.Helper()
	g, p := start(t, o)
	m := message()
	answer, err := p.Send(t.Context(), m)
	if err != nil || answer != "200 OK queued" {
		t.Fatalf("Send: answer %q, %v", answer, err)
	}
	r := g.Requests()[0]
	if r.Header.Get("X-Evil") != "" || strings.Contains(r.Body+r.Query, "never") {
		t.Errorf("request: got %+v", r)
	}
	return m, r
}

func TestJSON(t *testing.T) {
	t.Parallel()
	m, r := send(t, webhook.Options{Method: "POST", URL: "/send/{{ id }}",
		Body:    `{"messages":[{"to":"{{to}}","text":"{{body}}"}],"ref":"{{id}}"}`,
		Headers: `Authorization: Bearer secret-key\nX-Ref: {{id}} {{body}}`})
	var got struct {
		Messages []struct{ To, Text string }
		Ref      string
	}
	err := json.Unmarshal([]byte(r.Body), &got)
	if err != nil || got.Messages[0].To != m.To || got.Messages[0].Text != hard || got.Ref != m.ID.String() {
		t.Errorf("JSON body: got %s, %v", r.Body, err)
	}
	if r.Method != "POST" || r.Path != "/send/"+m.ID.String() || r.Header.Get("Authorization") != "Bearer secret-key" ||
		r.Header.Get("Content-Type") != "application/json" ||
		!strings.HasPrefix(r.Header.Get("X-Ref"), m.ID.String()+" Say") {
		t.Errorf("request: got %+v", r)
	}
}

func TestForm(t *testing.T) {
	t.Parallel()
	m, r := send(t, webhook.Options{Method: "PUT", URL: "/x",
		Headers: "content-type: application/x-www-form-urlencoded", Body: "to={{to}}&text={{body}}&key=k"})
	got, err := url.ParseQuery(r.Body)
	if err != nil || got.Get("to") != m.To || got.Get("text") != hard || got.Get("key") != "k" || len(got) != 3 {
		t.Errorf("form body: got %s, %v", r.Body, err)
	}
	if types := r.Header.Values("Content-Type"); len(types) != 1 || types[0] != "application/x-www-form-urlencoded" {
		t.Errorf("Content-Type: got %q", types)
	}
}

func TestQueryAndXML(t *testing.T) {
	t.Parallel()
	m, r := send(t, webhook.Options{Method: "GET", URL: "/go/{{to}}?msg={{body}}&id={{id}}&key=1"})
	got, err := url.ParseQuery(r.Query)
	if err != nil || got.Get("msg") != hard || got.Get("id") != m.ID.String() || len(got) != 3 ||
		r.Path != "/go/+15550100001" || r.Body != "" {
		t.Errorf("GET request: got %+v, %v", r, err)
	}
	_, r = send(t, webhook.Options{Method: "POST", URL: "/", Headers: "Content-Type: text/xml", Body: "<sms to='{{to}}'>{{body}}</sms>"})
	if !strings.Contains(r.Body, "&lt;ü&gt;") || strings.Contains(r.Body, "<ü>") {
		t.Errorf("XML body: got %s", r.Body)
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		answer          fake.Answer
		status, success string
		ok, permanent   bool
		after           time.Duration
	}{
		"another status":    {answer: fake.Answer{Status: 202}, ok: true},
		"not that status":   {answer: fake.Answer{Status: 202}, status: "200, 201"},
		"that status":       {answer: fake.Answer{Status: 201}, status: "200, 201", ok: true},
		"the word":          {answer: fake.Answer{Status: 200, Body: `{"result":"sent"}`}, success: `"sent"`, ok: true},
		"not the word":      {answer: fake.Answer{Status: 200, Body: `{"result":"no credit"}`}, success: `"sent"`},
		"bad number":        {answer: fake.Answer{Status: 400, Body: "bad number"}, permanent: true},
		"wrong key":         {answer: fake.Answer{Status: 401, Body: "what is secret-key?"}, after: 10 * time.Minute},
		"busy":              {answer: fake.Answer{Status: 429}, after: time.Minute},
		"busy until":        {answer: fake.Answer{Status: 503, Header: map[string]string{"Retry-After": "9"}}, after: 9 * time.Second},
		"broken":            {answer: fake.Answer{Status: 500}},
		"moved":             {answer: fake.Answer{Status: 301, Header: map[string]string{"Location": "/"}}},
		"quotes the secret": {answer: fake.Answer{Status: 200, Body: "secret-key is fine"}, ok: true},
	} {
		g, p := start(t, webhook.Options{Method: "GET", URL: "/?t={{to}}&b={{body}}", Headers: "X-Key: secret-key",
			Status: tt.status, Success: tt.success})
		g.Next(tt.answer)
		answer, err := p.Send(t.Context(), message())
		if (err == nil) != tt.ok || jobs.IsPermanent(err) != tt.permanent || jobs.Pause(err) != tt.after {
			t.Errorf("%s: %q %v, permanent %v, pause %s", name, answer, err, jobs.IsPermanent(err), jobs.Pause(err))
		}
		if strings.Contains(answer, "secret-key") || err != nil && strings.Contains(err.Error(), "secret-key") {
			t.Errorf("%s: the key is not masked: %q %v", name, answer, err)
		}
	}
}

func TestBadTemplates(t *testing.T) {
	t.Parallel()
	good := webhook.Options{Method: "POST", URL: "https://sms.example.org/?key=hunter22", Body: `{"to":"{{to}}","text":"{{body}}"}`}
	if _, err := webhook.New(good); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		change func(*webhook.Options)
		field  string
	}{
		"method":         {func(o *webhook.Options) { o.Method = "DELETE" }, "Method"},
		"no address":     {func(o *webhook.Options) { o.URL = "sms.example.org/hunter22" }, "URL"},
		"clear text":     {func(o *webhook.Options) { o.URL = "http://sms.example.org/?key=hunter22" }, "URL"},
		"host":           {func(o *webhook.Options) { o.URL = "https://{{to}}.example.org/hunter22" }, "URL"},
		"open":           {func(o *webhook.Options) { o.URL = "https://sms.example.org/{{to" }, "URL"},
		"closed":         {func(o *webhook.Options) { o.Body = `{"a":1}}` }, "Body"},
		"unknown":        {func(o *webhook.Options) { o.Body = `{"to":"{{phone hunter22}}"}` }, "Body"},
		"no quotes":      {func(o *webhook.Options) { o.Body = `{"to":{{to}},"text":{{body}},"k":"hunter22"}` }, "Body"},
		"nobody":         {func(o *webhook.Options) { o.Body = `{"text":"{{body}}"}` }, "Body"},
		"nothing":        {func(o *webhook.Options) { o.Body = `{"to":"{{to}}"}` }, "Body"},
		"body of GET":    {func(o *webhook.Options) { o.Method = "GET" }, "Body"},
		"type":           {func(o *webhook.Options) { o.Headers = "Content-Type: image/png" }, "Body"},
		"header":         {func(o *webhook.Options) { o.Headers = "hunter22" }, "Headers"},
		"header's name":  {func(o *webhook.Options) { o.Headers = "a b: hunter22" }, "Headers"},
		"header unknown": {func(o *webhook.Options) { o.Headers = "A: {{hunter22}}" }, "Headers"},
		"status":         {func(o *webhook.Options) { o.Status = "404" }, "Status"},
	} {
		o := good
		tt.change(&o)
		_, err := webhook.New(o)
		wrong, ok := errors.AsType[webhook.Wrong](err)
		if !ok || wrong.Field != tt.field || strings.Contains(err.Error(), "hunter22") {
			t.Errorf("%s: field %q, %v, want %s", name, wrong.Field, err, tt.field)
		}
	}
}
