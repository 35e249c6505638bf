package identity_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/browsertest"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/schema"
)

func TestResetPageFiles(t *testing.T) {
	t.Parallel()
	w := start(t, dbtest.Open(t, "sqlite", schema.FS), newClock())
	for path, want := range map[string]string{
		"/reset": "text/html", "/reset?token=x": "text/html", "/reset/reset.css": "text/css", "/reset/reset.js": "text/javascript",
	} {
		a := w.call("", "GET", path, nil).is(200)
		policy := a.header.Get("Content-Security-Policy")
		if !strings.HasPrefix(a.header.Get("Content-Type"), want) || !strings.Contains(policy, "default-src 'none'") ||
			strings.Contains(policy, "unsafe") {
			t.Errorf("%s: %v", path, a.header)
		}
		if a.header.Get("Referrer-Policy") != "no-referrer" || a.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %v", path, a.header)
		}
	}
	for _, path := range []string{"/reset/", "/reset/page.go", "/reset/../reset.js"} {
		w.call("", "GET", path, nil).is(404, "Not Found")
	}
	w.call("", "POST", "/reset", m{}).is(405, "Method Not Allowed")
}

// TestResetPageLanguage: the page is in the browser's language, like the API's messages.
func TestResetPageLanguage(t *testing.T) {
	t.Parallel()
	w := start(t, dbtest.Open(t, "sqlite", schema.FS), newClock())
	for accept, want := range map[string]string{"": "en", "fr": "en", "en-GB,es;q=0.5": "en", "es-MX,en;q=0.5": "es", "fr, es": "es"} {
		a := w.call("", "GET", "/reset", nil, "Accept-Language", accept).is(200)
		title := map[string]string{"en": "<h1 id=\"title\">Choose a password</h1>", "es": "<h1 id=\"title\">Elija una contraseña</h1>"}
		for lang, heading := range title {
			if strings.Contains(a.text, heading) != (lang == want) {
				t.Errorf("%q: %s", accept, a.text)
			}
		}
		if !strings.Contains(a.text, `<html lang="`+want+`">`) || a.header.Get("Content-Language") != want ||
			!strings.Contains(a.header.Get("Vary"), "Accept-Language") || strings.Contains(a.text, "identity.page") {
			t.Errorf("%q: %v %s", accept, a.header, a.text)
		}
	}
}

// shown is what a person finds on the page.
type shown struct {
	Title, Says, Focus, Address string
	Form, TooWide               bool
}

const lookAround = `JSON.stringify({
	Title: document.querySelector("h1").textContent, Says: document.getElementById("say").textContent,
	Focus: document.activeElement.id, Address: location.href, Form: !document.getElementById("form").hidden,
	TooWide: document.documentElement.scrollWidth > innerWidth})`

// TestResetPage chooses a password in a browser, by keyboard alone, on a phone.
func TestResetPage(t *testing.T) {
	t.Parallel()
	w := start(t, dbtest.Open(t, "sqlite", schema.FS), newClock())
	w.admin(w.school("GREEN"), email)
	w.post("/auth/forgot-password", m{"email": email}).is(200)
	link := w.link(email)
	server := httptest.NewServer(w.server)
	t.Cleanup(server.Close)
	tab := browsertest.Tab(t, browsertest.New(t))
	seen := browsertest.Watch(t, tab)
	page := server.URL + "/reset"
	check(t, chromedp.Do(tab, chromedp.EmulateViewport(390, 844)))

	for _, step := range []struct {
		name string
		do   chromedp.Action[chromedp.Void]
		want shown
	}{
		{"opened", chromedp.Navigate(page + "?token=" + link), shown{"Choose a password", "", "password", page, true, false}},
		{"too short", chromedp.KeyEvent("short\r"),
			shown{"Choose a password", "The password needs at least 10 characters.", "password", page, true, false}},
		{"not the same", chromedp.KeyEvent("er but long\tsomething\r"),
			shown{"Choose a password", "The two passwords are not the same.", "again", page, true, false}},
		{"saved", chromedp.KeyEvent(strings.Repeat(kb.Backspace, len("something")) + "shorter but long\r"),
			shown{"Your password is set", "You can close this page and sign in.", "say", page, false, false}},
		{"opened again", chromedp.Navigate(page + "?token=" + link), shown{"Choose a password", "", "password", page, true, false}},
		{"used", chromedp.KeyEvent("a long password\ta long password\r"),
			shown{"Choose a password", "This link was used already or is too old. Ask for a new one.", "say", page, true, false}},
		{"no link", chromedp.Navigate(page),
			shown{"Choose a password", "This link is not complete. Open it from the e-mail again, or ask for a new one.", "say", page, false,
				false}},
	} {
		check(t, chromedp.Do(tab, step.do))
		var got shown
		came := await.Comes(func() bool {
			text, err := chromedp.Run(tab, chromedp.Evaluate[string](lookAround))
			check(t, err)
			check(t, json.Unmarshal([]byte(text), &got))
			return got == step.want
		})
		if !came {
			t.Fatalf("%s: %+v, want %+v", step.name, got, step.want)
		}
		browsertest.Screenshot(t, tab, "reset-"+strings.ReplaceAll(step.name, " ", "-"))
	}
	w.post("/auth/login", m{"email": email, "password": "shorter but long"}).is(200)
	for _, problem := range seen.Problems() {
		if !strings.Contains(problem, "400 (Bad Request)") { // the used link
			t.Errorf("error in the browser: %s", problem)
		}
	}
	if got := seen.Abroad(server.URL); len(got) > 0 {
		t.Errorf("asked another origin: %q", got)
	}
}
