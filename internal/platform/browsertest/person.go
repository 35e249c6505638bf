package browsertest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"homeroom/internal/platform/await"
)

// Person uses a page as a person does: finds things by role and name, as screen
// readers announce them, and uses the mouse and the keyboard. Every step waits
// until it is possible, and fails the test with the page's text if it never is.
type Person struct {
	T    testing.TB
	Tab  context.Context
	Seen *Seen
	Site string // such as "http://127.0.0.1:4000"

	within func() (cdp.BackendNodeID, error) // where things are looked for; nil: the whole page
}

// patience is how long a step waits for what it needs, also on a busy machine.
const patience = await.Limit

// NewPerson opens a tab for a person.
func NewPerson(t testing.TB, browser context.Context, site string) *Person {
	t.Helper()
	tab := Tab(t, browser)
	return &Person{T: t, Tab: tab, Seen: Watch(t, tab), Site: site}
}

// SecondTab opens another tab with the same cookies and storage. lose closes it at once,
// at whatever moment: the page is not asked.
func (p *Person) SecondTab() (second *Person, lose func()) {
	p.T.Helper()
	tab, lose := openTab(p.T, p.Tab)
	return &Person{T: p.T, Tab: tab, Seen: Watch(p.T, tab), Site: p.Site}, lose
}

// Opens navigates to a path.
func (p *Person) Opens(path string) {
	p.T.Helper()
	p.do("open "+path, chromedp.Navigate(p.Site+path))
}

// Clicks clicks the element with this role and accessible name.
func (p *Person) Clicks(role, name string) {
	p.T.Helper()
	p.wait(fmt.Sprintf("click %s %q", role, name), role, func() bool { return p.click(role, name) == nil })
}

// Follows clicks a link to another document and waits until that has loaded. Chromium
// may crash if something is looked for while a document is being replaced.
func (p *Person) Follows(link string) {
	p.T.Helper()
	const born = `performance.timeOrigin`
	old, err := chromedp.Run(p.Tab, chromedp.Evaluate[float64](born))
	if err != nil {
		p.T.Fatal(err)
	}
	p.Clicks("link", link)
	loaded := `document.readyState === "complete" ? ` + born + ` : 0`
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		if now, err := chromedp.Run(p.Tab, chromedp.Evaluate[float64](loaded)); err == nil && now != 0 && now != old {
			return
		}
		if time.Now().After(end) {
			p.T.Fatalf("the link %q opened no other page", link)
		}
	}
}

// Fills replaces the text of a field.
func (p *Person) Fills(label, text string) {
	p.T.Helper()
	p.wait(fmt.Sprintf("fill %q", label), "textbox", func() bool {
		node, err := p.field(label)
		return err == nil && p.fill(node, text) == nil
	})
}

// Chooses picks an option of a select by its text.
func (p *Person) Chooses(label, option string) {
	p.T.Helper()
	p.wait(fmt.Sprintf("choose %q in %q", option, label), "combobox", func() bool {
		node, err := p.find("combobox", label)
		if err != nil {
			return false
		}
		chosen, err := callOn[bool](p.Tab, node, `function(text) {
			const o = [...this.options].find((o) => o.text === text)
			if (!o) return false
			this.value = o.value
			this.dispatchEvent(new Event("input", {bubbles: true}))
			this.dispatchEvent(new Event("change", {bubbles: true}))
			return true
		}`, option)
		return err == nil && chosen
	})
}

// Attaches gives files to a file field.
func (p *Person) Attaches(label string, files ...string) {
	p.T.Helper()
	p.wait(fmt.Sprintf("attach to %q", label), "button", func() bool {
		node, err := p.fileField(label)
		if err != nil {
			return false
		}
		_, err = chromedp.Call(p.Tab, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: files, BackendNodeID: node})
		return err == nil
	})
}

// Focuses puts the keyboard on the element with this role and name.
func (p *Person) Focuses(role, name string) {
	p.T.Helper()
	p.wait(fmt.Sprintf("focus %s %q", role, name), role, func() bool {
		node, err := p.find(role, name)
		if err != nil {
			return false
		}
		_, err = chromedp.Call(p.Tab, dom.Focus, dom.FocusParams{BackendNodeID: node})
		return err == nil
	})
}

// SavesTo saves the files that the person downloads in a directory.
func (p *Person) SavesTo(dir string) {
	p.T.Helper()
	_, err := chromedp.CallBrowser(p.Tab, browser.SetDownloadBehavior, browser.SetDownloadBehaviorParams{
		Behavior: browser.SetDownloadBehaviorBehaviorAllow, BrowserContextID: chromedp.FromContext(p.Tab).BrowserContextID, DownloadPath: dir})
	if err != nil {
		p.T.Fatal(err)
	}
}

// Presses sends keys, such as "n", kb.Enter or text.
func (p *Person) Presses(keys ...string) {
	p.T.Helper()
	p.do(fmt.Sprintf("press %q", keys), chromedp.KeyEvent(strings.Join(keys, "")))
}

// PressesCtrl sends a key with Ctrl.
func (p *Person) PressesCtrl(key string) {
	p.T.Helper()
	p.do("press Ctrl "+key, chromedp.KeyEvent(key, chromedp.KeyModifiers(kb.ModifierCtrl)))
}

// Sees waits for a visible text.
func (p *Person) Sees(texts ...string) {
	p.T.Helper()
	for _, text := range texts {
		p.Until(fmt.Sprintf("see %q", text), func() bool { return strings.Contains(p.Text(), text) })
	}
}

// SeesNo waits until a text is gone.
func (p *Person) SeesNo(text string) {
	p.T.Helper()
	p.Until(fmt.Sprintf("no longer see %q", text), func() bool { return !strings.Contains(p.Text(), text) })
}

// Finds waits for an element with this role and name.
func (p *Person) Finds(role, name string) {
	p.T.Helper()
	p.wait(fmt.Sprintf("find %s %q", role, name), role, func() bool { _, err := p.find(role, name); return err == nil })
}

// Has reports whether an element with this role and name is there now.
func (p *Person) Has(role, name string) bool {
	_, err := p.find(role, name)
	return err == nil
}

// Text returns the visible text, with its spaces made single.
func (p *Person) Text() string {
	if p.within != nil {
		node, err := p.root()
		if err != nil {
			return ""
		}
		text, _ := callOn[string](p.Tab, node, `function() { return this.innerText.replace(/\s+/g, " ") }`) // gone: nothing is seen
		return text
	}
	text, err := chromedp.Run(p.Tab, chromedp.Evaluate[string](`document.body.innerText.replace(/\s+/g, " ")`))
	if err != nil {
		return ""
	}
	return text
}

func (p *Person) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	p.T.Helper()
	if err := chromedp.Do(p.Tab, steps...); err != nil {
		p.T.Fatalf("%s: %v", what, err)
	}
}

// Until waits until something happens.
func (p *Person) Until(what string, happens func() bool) {
	p.T.Helper()
	p.wait(what, "", happens)
}

// wait waits until something happens. If it never does, the failure names what has the role.
func (p *Person) wait(what, role string, happens func() bool) {
	p.T.Helper()
	for end := time.Now().Add(patience); !happens(); p.waitForChange() {
		if time.Now().After(end) {
			Screenshot(p.T, p.Tab, strings.ReplaceAll(p.T.Name(), "/", "-"))
			if _, err := p.root(); err != nil {
				what += ": " + err.Error()
			}
			p.T.Fatalf("can't %s\nthe page says: %.1500s\n%s: %q\nconsole: %q", what, p.Text(), role, p.names(role), p.Seen.Problems())
		}
	}
}

// waitForChange waits until the page changes, but not for long: what a test waits for need
// not be on the page. Looking for something again in a page that is the same costs CPU.
func (p *Person) waitForChange() {
	time.Sleep(10 * time.Millisecond)
	_, err := chromedp.Run(p.Tab, chromedp.Evaluate[int](`new Promise((done) => {
		const observer = new MutationObserver(end), timer = setTimeout(end, 100)
		function end() { observer.disconnect(); clearTimeout(timer); done(0) }
		observer.observe(document, {subtree: true, childList: true, attributes: true, characterData: true})
	})`, chromedp.EvalAwaitPromise))
	if err != nil { // another document is loading
		time.Sleep(20 * time.Millisecond)
	}
}

// click moves the mouse to the middle of an element, and clicks if nothing covers it. The
// page may move or draw it anew in between: then the click misses, and that is an error.
func (p *Person) click(role, name string) error {
	node, err := p.find(role, name)
	if err != nil {
		return err
	}
	if _, err := chromedp.Call(p.Tab, dom.ScrollIntoViewIfNeeded, dom.ScrollIntoViewIfNeededParams{BackendNodeID: node}); err != nil {
		return err
	}
	held, err := hold(p.Tab, node)
	if err != nil {
		return err
	}
	spot, err := callHeld[[]float64](p.Tab, held, `function() {
		const r = this.getBoundingClientRect(), x = r.x + r.width / 2, y = r.y + r.height / 2
		const top = document.elementFromPoint(x, y)
		const its = (node) => this.contains(node) || (this.matches("input") && node.contains(this)) // the label around an input takes its clicks
		if (!top || !its(top) || this.disabled) return []
		this.missed = true
		top.addEventListener("click", () => { this.missed = false }, {once: true, capture: true})
		const acts = (e) => { if (e.defaultPrevented && its(e.target)) this.missed = false } // as an option of a list does
		addEventListener("pointerdown", acts, {once: true})
		return [x, y]
	}`)
	if err != nil {
		return err
	}
	if len(spot) != 2 {
		return fmt.Errorf("%s %q is covered or disabled", role, name)
	}
	if err := chromedp.Do(p.Tab, chromedp.MouseClickXY(spot[0], spot[1])); err != nil {
		return err
	}
	missed, err := callHeld[bool](p.Tab, held, `function() { return this.missed }`)
	if err == nil && missed { // an error: the click led to another document
		return fmt.Errorf("the click on %s %q missed", role, name)
	}
	return nil
}

// fill types into a field. Date and time fields take their value as it is.
func (p *Person) fill(node cdp.BackendNodeID, text string) error {
	_, err := callOn[bool](p.Tab, node, `function(text) {
		this.focus()
		const set = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(this), "value").set
		set.call(this, text)
		this.dispatchEvent(new Event("input", {bubbles: true}))
		this.dispatchEvent(new Event("change", {bubbles: true}))
		return true
	}`, text)
	return err
}

// callOn calls a function on a node.
func callOn[T any](ctx context.Context, node cdp.BackendNodeID, function string, args ...any) (out T, err error) {
	held, err := hold(ctx, node)
	if err != nil {
		return out, err
	}
	return callHeld[T](ctx, held, function, args...)
}

// hold keeps a node for as long as its document lives, even if the page drops it.
func hold(ctx context.Context, node cdp.BackendNodeID) (runtime.RemoteObjectID, error) {
	object, err := chromedp.Call(ctx, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: node})
	if err != nil {
		return "", err
	}
	return object.Object.ObjectID, nil
}

func callHeld[T any](ctx context.Context, held runtime.RemoteObjectID, function string, args ...any) (T, error) {
	on := func(c *runtime.CallFunctionOnParams) { c.ObjectID = held }
	return chromedp.Run(ctx, chromedp.CallFunctionOn[T](function, on, args...))
}
