package file_test

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/file/filetest"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/browsertest"
)

// trap is a hostile site that serves pages and records every script that ran.
type trap struct {
	*httptest.Server
	mu    sync.Mutex
	pages map[string]string // HTML, by path
	heard []string
}

func newTrap(t *testing.T) *trap {
	p := &trap{pages: map[string]string{}}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if page, ok := p.pages[r.URL.Path]; ok {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, page)
			return
		}
		p.heard = append(p.heard, r.URL.Path)
	}))
	t.Cleanup(p.Close)
	return p
}

func (p *trap) page(path, html string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pages[path] = html
	return p.URL + path
}

func (p *trap) told() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.heard)
}

// script reports to the trap that it ran.
func (p *trap) script(name string) string {
	return "new Image().src='" + p.URL + "/ran/" + name + "'"
}

// polyglot is valid as text, JavaScript and HTML with script.
func (p *trap) polyglot(name string) string {
	return "/* " + strings.Repeat("minutes of the meeting, ", 100) + "<svg onload=\"" + p.script(name) + "\"><script>" + p.script(name) +
		"</script> */\n" + p.script(name) + "\n"
}

// pdf runs a script when opened.
func (p *trap) pdf(name string) []byte {
	at := p.URL + "/ran/" + name
	doc := string(filetest.PDF(600))
	return []byte(strings.Replace(doc, "/Type/Catalog", "/Type/Catalog/OpenAction<</S/JavaScript/JS(app.launchURL\\('"+at+
		"'\\);this.submitForm\\('"+at+"'\\))>>", 1))
}

// TestNoScriptRuns opens files with scripts in a real browser, directly and embedded in
// a hostile page.
func TestNoScriptRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(apptest.Start(t, "sqlite").World(t))
	p := newTrap(t)
	browser := browsertest.New(t)
	for name, content := range map[string][]byte{
		"note.txt": []byte(p.polyglot("note.txt")), "list.csv": []byte(p.polyglot("list.csv")), "read.md": []byte(p.polyglot("read.md")),
		"form.pdf": p.pdf("form.pdf"),
	} {
		at := w.URL + w.kept(w.North.Parent, name, content).Text("url")
		tab := browsertest.Tab(t, browser)
		_ = chromedp.Do(tab, chromedp.Navigate(at)) // an error: the browser saves it instead
		e := html.EscapeString(at)
		host := p.page("/host-"+name, `<script src="`+e+`"></script><iframe src="`+e+`"></iframe><object data="`+e+`"></object><embed src="`+e+
			`"><link rel=stylesheet href="`+e+`">`+
			`<iframe sandbox="allow-scripts" src="`+e+`"></iframe><script>onload=()=>{`+p.script("end-"+name)+`}</script>`)
		if err := chromedp.Do(tab, chromedp.Navigate(host)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		await.Until(t, "the page to be done with "+name, func() bool { return slices.Contains(p.told(), "/ran/end-"+name) })
	}
	// The same text served as HTML does run: the trap works.
	if err := chromedp.Do(browsertest.Tab(t, browser), chromedp.Navigate(p.page("/control", p.polyglot("control")))); err != nil {
		t.Fatal(err)
	}
	await.Until(t, "the trap to hear of a script", func() bool { return slices.Contains(p.told(), "/ran/control") })
	for _, path := range p.told() {
		if strings.HasPrefix(path, "/ran/") && path != "/ran/control" && !strings.HasPrefix(path, "/ran/end-") {
			t.Errorf("a script ran: %s", path)
		}
	}
	for name, content := range map[string]string{"a.svg": "<svg xmlns='http://www.w3.org/2000/svg' onload='x()'/>", "a.html": "<p>",
		"a.txt": " \n<svg onload=x()>", "b.txt": "hello <script>x()</script>",
		"a.jpg": "<html><script>x()</script>", "c.txt": "<?xml version='1.0'?><x/>"} {
		if r := w.send(w.North.Parent, name, []byte(content)); r.Status != 422 {
			t.Errorf("%s: %d %s", name, r.Status, r.Body)
		}
	}
}
