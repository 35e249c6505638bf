package notify_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"homeroom/internal/platform/notify"
)

func (k *kit) ask(method, target, accept string) *httptest.ResponseRecorder {
	k.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequest(method, target, nil)
	r.Header.Set("Accept", accept)
	notify.Outbox(k.Notifier).ServeHTTP(w, r)
	return w
}

// fill sends three messages; the first is secret.
func (k *kit) fill() {
	k.KeepSecrets = true
	k.send(secretMessage())
	k.send(notify.Message{Channel: notify.Email, To: "Ann@B.test", Subject: "<script>alert(1)</script>",
		Body: "see https://b.test/reset?token=x&y=2. <script>alert(2)</script>"})
	k.send(notify.Message{Channel: notify.Push, To: "topic", Body: "3", Data: map[string]string{"<script>": "<script>"}})
	k.drain()
}

type outboxReply struct {
	Data struct {
		Items []map[string]any `json:"items"`
	} `json:"data"`
	Message string `json:"message"`
}

func TestOutboxJSON(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		if body := k.ask("GET", "/dev/outbox", "").Body.String(); !strings.Contains(body, `"items":[]`) {
			t.Fatalf("empty: %s", body)
		}
		k.fill()
		for target, want := range map[string]int{
			"/dev/outbox":                                   3,
			"/dev/outbox?channel=sms":                       1,
			"/dev/outbox?channel=sms&to=%2B15550100001":     1,
			"/dev/outbox?channel=sms&to=+15550100001":       1,
			"/dev/outbox?to=%2B1%20(555)%20010-0001":        1,
			"/dev/outbox?to=15550100001":                    1,
			"/dev/outbox?to=ann@b.TEST":                     1,
			"/dev/outbox?channel=email&to=%2B15550100001":   0,
			"/dev/outbox?to=%25":                            0,
			"/dev/outbox?to=%27%20OR%20%271%27%3D%271":      0,
			"/dev/outbox?channel=push&to=topic&unknown=key": 1,
		} {
			w := k.ask("GET", target, "application/json")
			var reply outboxReply
			k.must(json.Unmarshal(w.Body.Bytes(), &reply))
			if w.Code != http.StatusOK || len(reply.Data.Items) != want || reply.Message == "" {
				t.Errorf("%s: %d with %d items, want %d", target, w.Code, len(reply.Data.Items), want)
			}
		}
		var reply outboxReply
		k.must(json.Unmarshal(k.ask("GET", "/dev/outbox", "*/*").Body.Bytes(), &reply))
		oldest := reply.Data.Items[2]
		want := map[string]any{"channel": "sms", "to": "+15550100001", "subject": "Sign in", "status": "SENT",
			"body": "Your code is " + otp, "createdAt": "2026-03-01T08:00:00.000Z"}
		for key, v := range want {
			if oldest[key] != v {
				t.Errorf("%s is %v, want %v", key, oldest[key], v)
			}
		}
		if len(oldest) != len(want)+1 || oldest["id"] == "" {
			t.Errorf("the oldest is %v", oldest)
		}
	})
}

func TestOutboxPage(t *testing.T) {
	const html = "text/html,application/xhtml+xml"
	each(t, func(t *testing.T, k *kit) {
		if body := k.ask("GET", "/dev/outbox", html).Body.String(); !strings.Contains(body, "Nothing has been sent yet.") {
			t.Fatalf("empty: %s", body)
		}
		k.fill()
		w := k.ask("GET", "/dev/outbox", html)
		page := w.Body.String()
		for _, want := range []string{
			"<code>" + otp + "</code>", `value="` + otp + `"`, "&lt;script&gt;alert(2)&lt;/script&gt;", "&lt;script&gt;alert(1)&lt;/script&gt;",
			`<a href="https://b.test/reset?token=x&amp;y=2" rel="noreferrer">`, `datetime="2026-03-01T08:00:00Z"`,
		} {
			if !strings.Contains(page, want) {
				t.Errorf("the page lacks %s", want)
			}
		}
		for _, never := range []string{"<script", "http-equiv=\"refresh\"", "ZgotmplZ"} {
			if strings.Contains(page, never) {
				t.Errorf("the page has %s", never)
			}
		}
		if newest, oldest := strings.Index(page, "topic"), strings.Index(page, otp); newest > oldest {
			t.Error("the newest is not first")
		}
		_, rest, _ := strings.Cut(page, "<style>")
		css, _, _ := strings.Cut(rest, "</style>")
		sum := sha256.Sum256([]byte(css))
		csp := w.Header().Get("Content-Security-Policy")
		if !strings.Contains(csp, "default-src 'none'") || !strings.Contains(csp, base64.StdEncoding.EncodeToString(sum[:])) {
			t.Errorf("the policy %q does not allow the page's own style", csp)
		}
		filtered := k.ask("GET", `/dev/outbox?to=%22%3E%3Cscript%3E&channel=email&refresh=1`, html).Body.String()
		for _, want := range []string{"Nothing here yet", `value="email" selected`, `content="5"`, "checked", "&#34;&gt;&lt;script&gt;"} {
			if !strings.Contains(filtered, want) {
				t.Errorf("the filtered page lacks %s", want)
			}
		}
		if strings.Contains(filtered, "<script") || strings.Contains(filtered, otp) {
			t.Error("the filtered page shows too much")
		}
	})
}

func TestOutboxSecretsNotKept(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		k.send(secretMessage())
		k.drain()
		body := k.ask("GET", "/dev/outbox", "").Body.String()
		if strings.Contains(body, otp) || !strings.Contains(body, "was deleted") {
			t.Fatalf("shows %s", body)
		}
	})
}

func TestOutboxErrors(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		for _, c := range []struct {
			method, target string
			status         int
			has            string
		}{
			{"POST", "/dev/outbox", http.StatusMethodNotAllowed, `"error":"Method Not Allowed"`},
			{"GET", "/dev/outbox?channel=fax", http.StatusUnprocessableEntity, `"field":"channel"`},
		} {
			w := k.ask(c.method, c.target, "")
			if w.Code != c.status || !strings.Contains(w.Body.String(), c.has) || !strings.Contains(w.Body.String(), `"statusCode":`) {
				t.Errorf("%s %s: %d %s", c.method, c.target, w.Code, w.Body)
			}
		}
		if allow := k.ask("DELETE", "/dev/outbox", "").Header().Get("Allow"); allow != "GET, HEAD" {
			t.Errorf("Allow is %q", allow)
		}
	})
}

// TestOutboxMail shows an e-mail as a mail program does, in a frame that can do nothing.
func TestOutboxMail(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		k.send(notify.Message{Channel: notify.Email, To: "ann@b.test", Subject: "Hello", Body: "Hello",
			HTML: "<p>Hello <b>Ann</b></p><script>1</script>"})
		secret := secretMessage()
		secret.Channel, secret.To, secret.HTML = notify.Email, "bob@b.test", "<p>"+otp+"</p>"
		k.send(secret)
		k.send(notify.Message{Channel: notify.SMS, To: "+15550100001", Body: "Hello"})
		k.drain()
		var reply outboxReply
		k.must(json.Unmarshal(k.ask("GET", "/dev/outbox", "").Body.Bytes(), &reply))
		ids := map[any]string{}
		for _, it := range reply.Data.Items {
			ids[it["to"]] = it["id"].(string)
		}
		page := k.ask("GET", "/dev/outbox", "text/html").Body.String()
		if strings.Count(page, "<iframe") != 1 || !strings.Contains(page, `<iframe src="?mail=`+ids["ann@b.test"]+`"`) ||
			!strings.Contains(page, " sandbox ") {
			t.Errorf("the page has no frame for the one e-mail that is kept: %s", page)
		}
		mail := k.ask("GET", "/dev/outbox?mail="+ids["ann@b.test"], "text/html")
		policy := mail.Header().Get("Content-Security-Policy")
		if mail.Code != 200 || !strings.Contains(mail.Body.String(), "<b>Ann</b>") || !strings.Contains(policy, "default-src 'none'") ||
			!strings.HasSuffix(policy, "; sandbox") || mail.Header().Get("X-Frame-Options") != "SAMEORIGIN" {
			t.Errorf("the e-mail: %d %v %s", mail.Code, mail.Header(), mail.Body)
		}
		for _, never := range []string{ids["bob@b.test"], ids["+15550100001"], "0199f3a2-7c4e-7b11-9d52-3f6a0c8e1b47", "x", "%27%20OR%201=1"} {
			if w := k.ask("GET", "/dev/outbox?mail="+never, ""); w.Code != 404 || strings.Contains(w.Body.String(), otp) {
				t.Errorf("?mail=%s: %d %s", never, w.Code, w.Body)
			}
		}
	})
}

func TestOutboxLanguage(t *testing.T) {
	each(t, func(t *testing.T, k *kit) {
		k.fill()
		w, r := httptest.NewRecorder(), httptest.NewRequest("GET", "/dev/outbox", nil)
		r.Header.Set("Accept", "text/html")
		r.Header.Set("Accept-Language", "es")
		notify.Outbox(k.Notifier).ServeHTTP(w, r)
		for _, want := range []string{`<html lang="es">`, "Bandeja de salida", "enviado", "Código enviado a"} {
			if !strings.Contains(w.Body.String(), want) {
				t.Errorf("the page lacks %q", want)
			}
		}
	})
}
