package apidocs

import (
	"context"
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/browsertest"
)

// page is the documentation in a tab, with a fake service.
type page struct {
	t    *testing.T
	tab  context.Context
	api  *service
	seen *browsertest.Seen
}

// open loads the page in its own tab; hash is "" or a deep link.
func open(t *testing.T, browser context.Context, demo bool, hash string) *page {
	t.Helper()
	tab := browsertest.Tab(t, browser)
	p := &page{t, tab, serve(t, demo), browsertest.Watch(t, tab)}
	p.do(chromedp.Navigate(p.api.url + "/api-docs" + hash))
	p.loaded()
	return p
}

func (p *page) loaded() {
	p.t.Helper()
	p.until(`document.querySelectorAll('.opblock-tag').length > 0 && !document.getElementById('status').textContent.startsWith('Loading')`)
}

func (p *page) do(steps ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.tab, steps...); err != nil {
		p.t.Fatal(err)
	}
}

// js evaluates an expression in the page and returns it as a string.
func (p *page) js(expression string) string {
	p.t.Helper()
	text, err := chromedp.Run(p.tab, chromedp.Evaluate[string](`String(`+expression+`)`))
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return text
}

// within waits for a condition, and fails the test on a timeout.
func (p *page) within(condition func() bool) {
	p.t.Helper()
	if !await.Comes(condition) {
		p.t.Fatalf("timeout; console: %q; operations: %s", p.seen.Problems(), p.shown(false))
	}
}

// until waits for a condition in the page.
func (p *page) until(condition string) {
	p.t.Helper()
	if !await.Comes(func() bool { return p.js(condition) == "true" }) {
		p.t.Fatalf("timeout waiting for: %s\nstatus: %s / %s\nconsole: %q", condition, p.js(`document.getElementById('status').textContent`),
			p.js(`document.getElementById('dialog-status').textContent`), p.seen.Problems())
	}
}

// says waits for a text in the element with that id.
func (p *page) says(id, text string) {
	p.t.Helper()
	p.until(fmt.Sprintf(`document.getElementById(%q).textContent.includes(%q)`, id, text))
}

// focus waits for the element to have the focus.
func (p *page) focus(selector string) {
	p.t.Helper()
	p.until(fmt.Sprintf(`document.activeElement.matches(%q)`, selector))
}

func (p *page) click(selector string) {
	p.t.Helper()
	p.do(chromedp.ScrollIntoView(chromedp.CSS(selector)), chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// press sends keys to whatever has the focus.
func (p *page) press(keys string) {
	p.t.Helper()
	p.do(chromedp.KeyEvent(keys))
}

// slash presses / like a keyboard: the character appears only if the page does not
// handle the key.
func (p *page) slash() {
	p.t.Helper()
	for _, kind := range []input.DispatchKeyEventType{input.DispatchKeyEventTypeKeyDown, input.DispatchKeyEventTypeKeyUp} {
		key := input.DispatchKeyEventParams{Type: kind, Key: "/", Code: "Slash", WindowsVirtualKeyCode: 191}
		if kind == input.DispatchKeyEventTypeKeyDown {
			key.Text = "/"
		}
		if _, err := chromedp.Call(p.tab, input.DispatchKeyEvent, key); err != nil {
			p.t.Fatal(err)
		}
	}
}

// as signs in with one click.
func (p *page) as(contact string) {
	p.t.Helper()
	p.click(fmt.Sprintf(`.account[title=%q]`, contact))
	p.says("status", "Every call now carries your token")
}

// token returns the access token stored by the tab.
func (p *page) token() string {
	p.t.Helper()
	return p.js(`JSON.parse(sessionStorage.getItem('homeroom.session')).accessToken`)
}

// unfold opens an operation and returns its selector.
func (p *page) unfold(tag, operation string) string {
	p.t.Helper()
	block := fmt.Sprintf("#operations-%s-%s", tag, operation)
	p.click("#operations-tag-" + tag + "[data-is-open=false] button")
	p.click(block + " .opblock-summary-control")
	p.do(chromedp.WaitVisible(chromedp.CSS(block + " .btn.execute")))
	p.until(`!document.querySelector('` + block + ` .opblock-loading-animation')`)
	return block
}

// execute runs an unfolded operation and waits for the reply.
func (p *page) execute(block string) {
	p.t.Helper()
	p.js(`document.querySelector('` + block + ` .btn-clear')?.click()`)
	p.click(block + " .btn.execute")
	p.do(chromedp.WaitVisible(chromedp.CSS(block + " .live-responses-table")))
}

// shown lists the operations on the page, optionally with every tag opened.
func (p *page) shown(unfold bool) string {
	p.t.Helper()
	if unfold {
		p.js(`document.querySelectorAll('.opblock-tag[data-is-open=false] button').forEach((b) => b.click())`)
	}
	return p.js(`[...document.querySelectorAll('.opblock-summary')].map((o) => o.querySelector('.opblock-summary-method').textContent +
		' ' + o.querySelector('.opblock-summary-path').dataset.path).join(', ')`)
}
