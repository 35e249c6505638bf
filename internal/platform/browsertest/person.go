package browsertest

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Person uses a page as a person does: finds things by role and name, as screen
// readers announce them, and uses the mouse and the keyboard. Every step waits
// until it is possible, and fails the test with the page's text if it never is.
type Person struct {
	T    testing.TB
	Tab  context.Context
	Seen *Seen
	Site string // such as "http://127.0.0.1:4000"
}

// patience is how long a step waits for what it needs, also on a busy machine.
const patience = time.Minute

// NewPerson opens a tab for a person.
func NewPerson(t testing.TB, browser context.Context, site string) *Person {
	t.Helper()
	tab := Tab(t, browser)
	return &Person{T: t, Tab: tab, Seen: Watch(t, tab), Site: site}
}

// Opens navigates to a path.
func (p *Person) Opens(path string) {
	p.T.Helper()
	p.do("open "+path, chromedp.Navigate(p.Site+path))
}

// Clicks clicks the element with this role and accessible name.
func (p *Person) Clicks(role, name string) {
	p.T.Helper()
	p.Until(fmt.Sprintf("click %s %q", role, name), func() bool { return p.click(role, name) == nil })
}

// Fills replaces the text of a field.
func (p *Person) Fills(label, text string) {
	p.T.Helper()
	p.Until(fmt.Sprintf("fill %q", label), func() bool {
		for _, role := range []string{"textbox", "searchbox", "spinbutton", "combobox", "Date", "InputTime"} {
			if node, err := p.find(role, label); err == nil {
				return p.fill(node, text) == nil
			}
		}
		return false
	})
}

// Chooses picks an option of a select by its text.
func (p *Person) Chooses(label, option string) {
	p.T.Helper()
	p.Until(fmt.Sprintf("choose %q in %q", option, label), func() bool {
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
	p.Until(fmt.Sprintf("attach to %q", label), func() bool {
		node, err := p.find("button", label)
		if err != nil {
			return false
		}
		_, err = chromedp.Call(p.Tab, dom.SetFileInputFiles, dom.SetFileInputFilesParams{Files: files, BackendNodeID: node})
		return err == nil
	})
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
	p.Until(fmt.Sprintf("find %s %q", role, name), func() bool { _, err := p.find(role, name); return err == nil })
}

// Has reports whether an element with this role and name is there now.
func (p *Person) Has(role, name string) bool {
	_, err := p.find(role, name)
	return err == nil
}

// Text returns the visible text of the page, with its spaces made single.
func (p *Person) Text() string {
	text, err := chromedp.Run(p.Tab, chromedp.Evaluate[string](`document.body.innerText.replace(/\s+/g, " ")`))
	if err != nil {
		return ""
	}
	return text
}

// Looks sets the window's width and the colour scheme ("light", "dark").
func (p *Person) Looks(width int64, scheme string) {
	p.T.Helper()
	p.do("resize", chromedp.EmulateViewport(width, 1000))
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"}}}
	if _, err := chromedp.Call(p.Tab, emulation.SetEmulatedMedia, media); err != nil {
		p.T.Fatal(err)
	}
	drawn := `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(0), 50))))`
	if _, err := chromedp.Run(p.Tab, chromedp.Evaluate[int](drawn, chromedp.EvalAwaitPromise)); err != nil {
		p.T.Fatal(err)
	}
}

// FitsWidth fails the test if the page scrolls sideways.
func (p *Person) FitsWidth() {
	p.T.Helper()
	over, err := chromedp.Run(p.Tab, chromedp.Evaluate[int](`document.documentElement.scrollWidth - innerWidth`))
	if err != nil || over > 0 {
		p.T.Errorf("the page is %d pixels wider than the window: %v", over, err)
	}
}

// axeRun returns the violations in words.
const axeRun = `axe.run(document, {resultTypes: ["violations"]}).then((r) => r.violations.flatMap((v) => {
	const nodes = v.nodes.filter((n) => v.id !== "label-content-name-mismatch" || !n.html.includes('role="gridcell"'))
	return nodes.slice(0, 3).map((n) => v.id + ": " + v.help + " " + n.html.slice(0, 160) + " " + n.failureSummary)
}))`

// PassesAxe runs axe-core, whose file is given, and fails the test for each violation. The
// name of a grid's cell may say what its letters mean, so that it need not contain them.
func (p *Person) PassesAxe(file string) {
	p.T.Helper()
	script, err := os.ReadFile(file)
	if err != nil {
		p.T.Fatal(err)
	}
	if _, err := chromedp.Run(p.Tab, chromedp.Evaluate[int](string(script)+"\n;0")); err != nil {
		p.T.Fatalf("load axe: %v", err)
	}
	found, err := chromedp.Run(p.Tab, chromedp.Evaluate[[]string](axeRun, chromedp.EvalAwaitPromise))
	if err != nil {
		p.T.Fatal(err)
	}
	for _, violation := range found {
		p.T.Errorf("axe: %s", violation)
	}
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
	for end := time.Now().Add(patience); !happens(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			p.T.Fatalf("can't %s\nthe page says: %s\nconsole: %q", what, p.Text(), p.Seen.Problems())
		}
	}
}

func (p *Person) find(role, name string) (cdp.BackendNodeID, error) {
	doc, err := chromedp.Call(p.Tab, dom.GetDocument, dom.GetDocumentParams{})
	if err != nil {
		return 0, err
	}
	found, err := chromedp.Call(p.Tab, accessibility.QueryAXTree,
		accessibility.QueryAXTreeParams{BackendNodeID: doc.Root.BackendNodeID, Role: role, AccessibleName: name})
	if err != nil {
		return 0, err
	}
	for _, n := range found.Nodes {
		if !n.Ignored && n.BackendDOMNodeID != 0 {
			return n.BackendDOMNodeID, nil
		}
	}
	return 0, fmt.Errorf("no %s %q", role, name)
}

// click moves the mouse to the middle of an element, and clicks if nothing covers it.
func (p *Person) click(role, name string) error {
	node, err := p.find(role, name)
	if err != nil {
		return err
	}
	if _, err := chromedp.Call(p.Tab, dom.ScrollIntoViewIfNeeded, dom.ScrollIntoViewIfNeededParams{BackendNodeID: node}); err != nil {
		return err
	}
	spot, err := callOn[[]float64](p.Tab, node, `function() {
		const r = this.getBoundingClientRect(), x = r.x + r.width / 2, y = r.y + r.height / 2
		const top = document.elementFromPoint(x, y)
		return top && (this.contains(top) || top.contains(this)) && !this.disabled ? [x, y] : []
	}`)
	if err != nil {
		return err
	}
	if len(spot) != 2 {
		return fmt.Errorf("%s %q is covered or disabled", role, name)
	}
	return chromedp.Do(p.Tab, chromedp.MouseClickXY(spot[0], spot[1]))
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
	object, err := chromedp.Call(ctx, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: node})
	if err != nil {
		return out, err
	}
	on := func(c *runtime.CallFunctionOnParams) { c.ObjectID = object.Object.ObjectID }
	return chromedp.Run(ctx, chromedp.CallFunctionOn[T](function, on, args...))
}
