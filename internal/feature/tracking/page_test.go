package tracking_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"homeroom/internal/apptest"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/browsertest"
	"homeroom/internal/platform/db"
)

func TestPageFiles(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, "sqlite")
	for path, want := range map[string]string{
		"/live": "text/html", "/live/live.css": "text/css", "/live/live.js": "text/javascript", "/live/session.js": "text/javascript",
		"/live/map.js": "text/javascript", "/live/sw.js": "text/javascript", "/live/socket.io.min.js": "text/javascript",
		"/live/icon.svg": "image/svg+xml", "/live/live.webmanifest": "application/manifest+json", "/live/socket.io.LICENSE.txt": "text/plain",
	} {
		res := get(t, s.URL+path, "")
		policy := res.Header.Get("Content-Security-Policy")
		if res.StatusCode != 200 || !strings.HasPrefix(res.Header.Get("Content-Type"), want) ||
			!strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
			t.Errorf("GET %s: %d %v", path, res.StatusCode, res.Header)
		}
		apptest.Eq(t, fmt.Sprint("GET ", path, " with ETag"), get(t, s.URL+path, res.Header.Get("ETag")).StatusCode, 304)
	}
	for _, path := range []string{"/live/page.go", "/live/nothing"} {
		apptest.Eq(t, fmt.Sprint("GET ", path), get(t, s.URL+path, "").StatusCode, 404)
	}
}

func get(t *testing.T, url, tag string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if tag != "" {
		req.Header.Set("If-None-Match", tag)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	return res
}

// screen is the page in a browser tab.
type screen struct {
	t    *testing.T
	tab  context.Context
	seen *browsertest.Seen
}

func (s *screen) do(steps ...chromedp.Action[chromedp.Void]) {
	s.t.Helper()
	if err := chromedp.Do(s.tab, steps...); err != nil {
		s.t.Fatal(err)
	}
}

func (s *screen) js(expression string) string {
	s.t.Helper()
	text, err := chromedp.Run(s.tab, chromedp.Evaluate[string](`String(`+expression+`)`))
	if err != nil {
		s.t.Fatalf("%s: %v", expression, err)
	}
	return text
}

// until waits for a condition in the page.
func (s *screen) until(condition string) {
	s.t.Helper()
	if !await.Comes(func() bool { return s.js(condition) == "true" }) {
		s.t.Fatalf("timeout waiting for: %s\npage: %s\nconsole: %q", condition, s.js(`document.body.innerText`), s.seen.Problems())
	}
}

// shows waits for a text in the visible element with this id.
func (s *screen) shows(id, text string) {
	s.t.Helper()
	s.until(fmt.Sprintf(`document.getElementById(%q).offsetParent !== null && `+
		`document.getElementById(%q).textContent.includes(%q)`, id, id, text))
}

// place returns where the bus is drawn.
func (s *screen) place() string {
	return s.js(`document.getElementById("bus-marker").getAttribute("transform")`)
}

// TestPage signs a parent in by keyboard and watches the bus move.
func TestPage(t *testing.T) {
	t.Parallel()
	w := newWorld(apptest.Start(t, "sqlite").World(t))
	w.Notify.KeepSecrets = true // so that the test can read the code
	w.Work(t)
	trip := w.begin("pickup")
	driver := w.Dial(w.North.Driver)
	w.join(driver)
	tab := browsertest.Tab(t, browsertest.New(t))
	s := &screen{t, tab, browsertest.Watch(t, tab)}
	s.do(chromedp.Navigate(w.URL + "/live"))
	s.until(`!document.getElementById("signin").hidden`)
	browsertest.Screenshot(t, tab, "live-signin")

	s.js(`document.getElementById("phone").focus()`)
	s.do(chromedp.KeyEvent(w.North.Parent.Phone + kb.Enter))
	s.until(`document.activeElement.id === "code"`)
	s.do(chromedp.KeyEvent("000000" + kb.Enter))
	s.until(`document.getElementById("signin-error").textContent !== ""`)
	s.js(`(document.getElementById("code").value = "", document.getElementById("code").focus())`)
	s.do(chromedp.KeyEvent(w.code(w.North.Parent.Phone) + kb.Enter))
	s.shows("status", "On its way")
	s.shows("stale", "No recent position")
	s.shows("link", "Live")
	s.shows("riders", "Mia")
	if rider := s.js(`document.getElementById("riders").textContent`); strings.Contains(rider, "Zoe") {
		t.Error("a parent sees another parent's child:", rider)
	}

	w.Clock.Add(10 * time.Second)
	driver.OK("update-location", at(-0.3, w.Now()))
	s.shows("next", "Mill")
	s.until(`document.getElementById("stale").hidden`)
	before := s.place()
	for i := range 12 {
		w.Clock.Add(10 * time.Second)
		driver.OK("update-location", at(-0.2+float64(i)*0.1, w.Now()))
	}
	s.shows("next", "Church")
	s.until(`document.querySelectorAll("#stops li.reached").length === 1 && document.querySelectorAll("#stops li.coming").length === 1`)
	s.until(fmt.Sprintf(`document.getElementById("bus-marker").getAttribute("transform") !== %q`, before))
	w.act(trip, "students/"+w.mia+"/status", m{"status": "boarded"}).OK()
	s.shows("riders", "on the bus")
	w.As(w.North.Driver, "POST", "/driver/incident/report", m{"type": "traffic_jam", "description": "The bridge is closed."}).OK()
	s.shows("incident", "The bridge is closed.")
	browsertest.Screenshot(t, tab, "live-incident")
	w.Clock.Add(2 * time.Minute)
	s.shows("stale", "No recent position") // at the next poll
	w.act(trip, "end", m{}).OK()
	s.shows("status", "Arrived")
	s.quiet("")
	if err := w.lose("canViewData is false"); err != nil {
		t.Fatal(err)
	}
	s.until(`document.body.innerText.includes("You can no longer watch this bus") && document.getElementById("board").hidden`)
	if left := s.js(`document.body.textContent`); strings.Contains(left, "Mia") || strings.Contains(left, "Mill") ||
		s.js(`document.getElementById("incident").hidden`) != "true" {
		t.Errorf("the page still shows the child or the stops after the right is lost: %s", left)
	}
	browsertest.Screenshot(t, tab, "live-left")

	s.until(`navigator.serviceWorker.controller !== null`)
	s.js(`document.getElementById("signout").click()`)
	s.until(`!document.getElementById("signin").hidden && sessionStorage.length === 0`)
	if abroad := s.seen.Abroad(w.URL); len(abroad) > 0 && !onlySockets(abroad, w.URL) {
		t.Errorf("the page loaded other hosts: %q", abroad)
	}
	s.quiet("/bus-tracking/") // a request that was under way when the right was lost is 403
}

// quiet checks that the console has no errors, except those of the wrong code and of
// paths with also.
func (s *screen) quiet(also string) {
	s.t.Helper()
	for _, p := range s.seen.Problems() {
		if !strings.Contains(p, "/auth/verify-otp") && (also == "" || !strings.Contains(p, also)) {
			s.t.Errorf("console: %s", p)
		}
	}
}

// lose takes a right of the table losses away.
func (w *world) lose(name string) error {
	for _, l := range losses {
		if l.name == name {
			l.lose(w)
			return nil
		}
	}
	return fmt.Errorf("no loss is named %q", name)
}

// onlySockets reports whether all addresses are the service's own socket.
func onlySockets(addresses []string, origin string) bool {
	for _, a := range addresses {
		if !strings.HasPrefix(a, strings.Replace(origin, "http", "ws", 1)+"/") {
			return false
		}
	}
	return true
}

// code returns the code last sent to a phone.
func (w *world) code(phone string) string {
	w.Helper()
	type row struct{ ID, Body string }
	var sent row
	await.Until(w, "a code for "+phone, func() bool {
		var err error
		sent, err = db.One[row](w.Context(), w.DB.School(w.North.ID), `
			SELECT id, body FROM deliveries WHERE school_id = :school AND channel = 'sms' AND to_addr = :phone
				ORDER BY id DESC LIMIT 1`, db.Args{"phone": phone})
		if err != nil && !errors.Is(err, db.ErrNotFound) {
			w.Fatal(err)
		}
		return err == nil
	})
	text, err := w.Keys.Open("notify.delivery/"+sent.ID, sent.Body)
	if err != nil {
		w.Fatal(err)
	}
	return regexp.MustCompile(`[0-9]{6}`).FindString(string(text))
}
