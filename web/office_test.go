package webapp_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/platform/browsertest"
	"homeroom/internal/platform/db/dbtest"
)

const axe = "node_modules/axe-core/axe.min.js"

// demo is a demo school in a browser.
type demo struct {
	*apptest.Service
	*browsertest.Person

	looks    []look // that pages are checked in
	language string // that pages are checked in
	problems int    // of the console, already reported
	finger   int    // pixels that a target has on a phone; 0: not a phone
}

// How a page looks does not depend on the engine, so each shows one look and one language.
var (
	looks     = map[string][]look{"sqlite": {{1440, "light"}}, "postgres": {{390, "dark"}}}
	languages = map[string]string{"sqlite": "en", "postgres": "es"}
)

// eachDemo runs a test on the demo of each engine.
func eachDemo(t *testing.T, test func(d *demo)) {
	t.Helper()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(newDemo(t, engine))
		})
	}
}

// inDemo runs a test of what the app does in the browser: what a person does, offline, by keyboard, in two tabs.
// That does not depend on the engine; the API tests show that the engines answer alike.
func inDemo(t *testing.T, test func(d *demo)) {
	t.Helper()
	test(newDemo(t, "sqlite"))
}

func newDemo(t *testing.T, engine string) *demo {
	t.Helper()
	s := apptest.Start(t, engine, func(c *app.Config) {
		c.Demo, c.PrivateWebhooks = true, true
		c.RateRead, c.RateWrite = 100_000, 100_000
		c.MetricsToken = scrapeToken
	})
	p := browsertest.NewPerson(t, browsertest.New(t), s.URL)
	return &demo{Service: s, Person: p, looks: looks[engine], language: languages[engine]}
}

const scrapeToken = "a-token-for-the-tests"

// listens waits until the page is connected: from now on it hears of what others do.
func (d *demo) listens() {
	d.T.Helper()
	d.Until("have a socket", func() bool {
		metrics := d.Call(d.T, nil, "GET", "/metrics", nil, "Authorization", "Bearer "+scrapeToken)
		return !strings.Contains(string(metrics.Body), "\nhomeroom_sockets 0\n")
	})
}

// wired lays a wire between the browser and the service.
func (d *demo) wired() *browsertest.Wire {
	wire := browsertest.NewWire(d.T, d.Service.URL)
	d.Site = wire.URL
	return wire
}

// speaks opens the page again in a language.
func (d *demo) speaks(language string) {
	d.T.Helper()
	if d.js(`document.documentElement.lang`) == language {
		return
	}
	d.js(fmt.Sprintf(`localStorage.setItem("language", %q)`, language))
	d.Opens(d.js(`location.pathname`))
	d.settles()
	apptest.Eq(d.T, "language of the page", d.js(`document.documentElement.lang`), language)
}

// signIn signs the principal in with one click.
func (d *demo) signIn() {
	d.T.Helper()
	d.Opens("/")
	d.Clicks("button", "Administrator admin@greenfield.test")
	d.Finds("heading", "Needs you")
	d.listens()
}

// clean fails the test for what the browser complained about, and for requests to other machines.
func (d *demo) clean() {
	d.T.Helper()
	for _, problem := range d.Seen.Problems()[d.problems:] {
		d.T.Errorf("console: %s", problem)
	}
	for _, url := range d.Seen.Abroad(d.Site) {
		d.T.Errorf("the page asked %s", url)
	}
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		d.Opens("/")
		d.Fills("E-mail", "admin@greenfield.test")
		d.Fills("Password", "not the password")
		d.Clicks("button", "Sign in")
		d.Finds("alert", "")
		d.Fills("Password", "homeroom-demo")
		d.Presses(kb.Enter)
		d.Finds("heading", "Needs you")
		d.Clicks("link", "Students")
		d.Finds("heading", "Students")
		d.Opens("/app/students") // loads the page anew: the cookie keeps the session
		d.Finds("heading", "Students")
		d.Clicks("button", "Your account, Grace Whitfield")
		d.Clicks("button", "Sign out")
		d.Finds("heading", "Sign in")
		d.Opens("/app/students")
		d.Finds("heading", "Sign in")
	})
}

// TestScreenshots draws the pages that README.md shows: make screenshots.
func TestScreenshots(t *testing.T) {
	if os.Getenv("HOMEROOM_SCREENSHOTS") == "" {
		t.Setenv("HOMEROOM_SCREENSHOTS", t.TempDir())
	}
	s := apptest.Start(t, "sqlite", func(c *app.Config) { c.Demo = true })
	d := &demo{Service: s, Person: browsertest.NewPerson(t, browsertest.New(t), s.URL)}
	d.Looks(1440, "light")
	d.signIn()
	student := d.ids()["students {id}"]
	for _, page := range [][2]string{{"today", "/app/today"}, {"students", "/app/students"}, {"student", "/app/students/" + student},
		{"attendance", "/app/attendance"}, {"fees", "/app/fees"}, {"timetable", "/app/timetable"}} {
		d.goes(page[1])
		d.Finds("main", "")
		d.settles()
		browsertest.Screenshot(t, d.Tab, page[0])
	}
}
