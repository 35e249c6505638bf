package tracking_test

import (
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

// TestOldLinks follows the links to a bus that schools have passed on.
func TestOldLinks(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, "sqlite")
	for path, want := range map[string]string{
		"/live": "/app/live", "/live/": "/app/live", "/live?bus=1": "/app/live?bus=1", "/live?bus=//evil.test": "/app/live?bus=//evil.test",
	} {
		res := get(t, s.URL+path, "")
		policy := res.Header.Get("Content-Security-Policy")
		if res.StatusCode != 200 || !strings.HasPrefix(res.Header.Get("Content-Type"), "text/html") ||
			!strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
			t.Errorf("GET %s: %d %v", path, res.StatusCode, res.Header)
		}
		apptest.Eq(t, fmt.Sprint("GET ", path, " leads to"), res.Request.URL.String(), s.URL+want)
		apptest.Eq(t, fmt.Sprint("GET ", path, " with ETag"), get(t, s.URL+path, res.Header.Get("ETag")).StatusCode, 304)
	}
	for _, path := range []string{"/live/sw.js", "/live/nothing"} {
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

// place returns where the bus is drawn.
func place(p *browsertest.Person) string {
	p.T.Helper()
	text, err := chromedp.Run(p.Tab, chromedp.Evaluate[string](`document.querySelector(".map .bus")?.style.transform ?? ""`))
	if err != nil {
		p.T.Fatal(err)
	}
	return text
}

// TestPage signs a parent in and watches the bus move.
func TestPage(t *testing.T) {
	t.Parallel()
	w := newWorld(apptest.Start(t, "sqlite").World(t))
	w.Notify.KeepSecrets = true // so that the test can read the code
	w.Work(t)
	trip := w.begin("pickup")
	driver := w.Dial(w.North.Driver)
	w.join(driver)
	p := browsertest.NewPerson(t, browsertest.New(t), w.URL)
	p.Looks(390, "light")
	p.Opens("/live?bus=" + w.bus)
	p.Fills("Phone", w.North.Parent.Phone)
	p.Presses(kb.Enter)
	code := "Code sent to " + w.North.Parent.Phone
	p.Fills(code, "000000")
	p.Presses(kb.Enter)
	p.Finds("alert", "")
	p.Fills(code, w.code(w.North.Parent.Phone))
	p.Presses(kb.Enter)
	p.Sees("On its way", "No recent position", "Live", "Mia", "Mia gets on here", "Mill, your stop")
	if text := p.Text(); strings.Contains(text, "Zoe") {
		t.Error("a parent sees another parent's child:", text)
	}

	w.Clock.Add(10 * time.Second)
	driver.OK("update-location", at(-0.3, w.Now()))
	p.Sees("Blue bus is at Mill")
	p.SeesNo("No recent position")
	before := place(p)
	for i := range 12 {
		w.Clock.Add(10 * time.Second)
		driver.OK("update-location", at(-0.2+float64(i)*0.1, w.Now()))
	}
	p.Sees("Blue bus is at Church")
	p.Until("the bus to move", func() bool { return place(p) != before })
	w.act(trip, "students/"+w.mia+"/status", m{"status": "boarded"}).OK()
	p.Sees("on board")
	w.As(w.North.Driver, "POST", "/driver/incident/report", m{"type": "traffic_jam", "description": "The bridge is closed."}).OK()
	p.Sees("Traffic jam: The bridge is closed.")
	browsertest.Screenshot(t, p.Tab, "live-incident")
	w.Clock.Add(2 * time.Minute)
	p.Sees("No recent position") // at the next question
	w.act(trip, "end", m{}).OK()
	p.Sees("Arrived")
	quiet(p, "")
	if err := w.lose("canViewData is false"); err != nil {
		t.Fatal(err)
	}
	p.Sees("You can no longer watch this bus")
	if left := p.Text(); strings.Contains(left, "Mia") || strings.Contains(left, "Mill") || strings.Contains(left, "bridge") {
		t.Errorf("the page still shows the child or the stops after the right is lost: %s", left)
	}
	browsertest.Screenshot(t, p.Tab, "live-left")
	p.Clicks("button", "Cancel") // a PIN is offered
	p.Clicks("link", "Me")
	p.Clicks("button", "Sign out")
	p.Finds("heading", "Sign in")
	if abroad := p.Seen.Abroad(w.URL); len(abroad) > 0 && !onlySockets(abroad, w.URL) {
		t.Errorf("the page loaded other hosts: %q", abroad)
	}
	quiet(p, "/bus-tracking/") // a request that was under way when the right was lost is 403
}

// quiet checks that the console has no errors, except those of the wrong code and of
// paths with also.
func quiet(p *browsertest.Person, also string) {
	p.T.Helper()
	for _, problem := range p.Seen.Problems() {
		if !strings.Contains(problem, "/auth/verify-otp") && (also == "" || !strings.Contains(problem, also)) {
			p.T.Errorf("console: %s", problem)
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
