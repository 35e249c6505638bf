package browsertest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
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

	within func() (cdp.BackendNodeID, error) // where things are looked for; nil: the whole page
}

// patience is how long a step waits for what it needs, also on a busy machine.
const patience = time.Minute

// NewPerson opens a tab for a person.
func NewPerson(t testing.TB, browser context.Context, site string) *Person {
	t.Helper()
	tab := Tab(t, browser)
	return &Person{T: t, Tab: tab, Seen: Watch(t, tab), Site: site}
}

// In looks only inside the element with this role and name, such as a dialog or a table.
func (p *Person) In(role, name string) *Person {
	inside := *p
	inside.within = func() (cdp.BackendNodeID, error) { return p.find(role, name) }
	return &inside
}

// Beside looks only in the row, list item, card or dialog that has the element with this
// role and name, such as the row of the link "Ada Lovelace".
func (p *Person) Beside(role, name string) *Person {
	beside := *p
	beside.within = func() (cdp.BackendNodeID, error) {
		node, err := p.find(role, name)
		if err != nil {
			return 0, err
		}
		return p.around(node, `function() { return this.parentElement.closest(groups) }`)
	}
	return &beside
}

// Near looks only in the row, list item, card or dialog that has this text.
func (p *Person) Near(text string) *Person {
	near := *p
	near.within = func() (cdp.BackendNodeID, error) {
		root, err := p.root()
		if err != nil {
			return 0, err
		}
		return p.around(root, `function(text) {
			const texts = document.createTreeWalker(this, NodeFilter.SHOW_TEXT)
			for (let t = texts.nextNode(); t; t = texts.nextNode()) {
				if (t.textContent.trim() === text && t.parentElement.checkVisibility()) return t.parentElement.closest(groups)
			}
		}`, text)
	}
	return &near
}

// SecondTab opens another tab with the same cookies and storage.
func (p *Person) SecondTab() *Person {
	p.T.Helper()
	tab, cancel := chromedp.NewContext(p.Tab)
	p.T.Cleanup(cancel)
	if err := chromedp.Do(tab); err != nil {
		p.T.Fatalf("open a second tab: %v", err)
	}
	return &Person{T: p.T, Tab: tab, Seen: Watch(p.T, tab), Site: p.Site}
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

// Fills replaces the text of a field.
func (p *Person) Fills(label, text string) {
	p.T.Helper()
	p.wait(fmt.Sprintf("fill %q", label), "textbox", func() bool {
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
	p.wait(what, "", happens)
}

// wait waits until something happens. If it never does, the failure names what has the role.
func (p *Person) wait(what, role string, happens func() bool) {
	p.T.Helper()
	for end := time.Now().Add(patience); !happens(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			Screenshot(p.T, p.Tab, strings.ReplaceAll(p.T.Name(), "/", "-"))
			if _, err := p.root(); err != nil {
				what += ": " + err.Error()
			}
			p.T.Fatalf("can't %s\nthe page says: %.1500s\n%s: %q\nconsole: %q", what, p.Text(), role, p.names(role), p.Seen.Problems())
		}
	}
}

// names returns the names of what has a role.
func (p *Person) names(role string) []string {
	var out []string
	for _, n := range p.all(role) {
		out = append(out, nameOf(n))
	}
	return out
}

// fileField finds a file field. A query by name does not find it, because Chromium adds the chosen file to the name.
func (p *Person) fileField(label string) (cdp.BackendNodeID, error) {
	for _, n := range p.all("button") {
		if nameOf(n) == label {
			return n.BackendDOMNodeID, nil
		}
	}
	return 0, fmt.Errorf("no file field %q", label)
}

// all returns everything with a role.
func (p *Person) all(role string) []*accessibility.Node {
	root, err := p.root()
	if err != nil || role == "" {
		return nil
	}
	found, err := chromedp.Call(p.Tab, accessibility.QueryAXTree, accessibility.QueryAXTreeParams{BackendNodeID: root, Role: role})
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(found.Nodes, func(n *accessibility.Node) bool { return n.Ignored || n.BackendDOMNodeID == 0 })
}

func nameOf(n *accessibility.Node) string {
	var name string
	if n.Name != nil {
		_ = json.Unmarshal(n.Name.Value, &name) // without a name it is empty
	}
	return name
}

func (p *Person) find(role, name string) (cdp.BackendNodeID, error) {
	root, err := p.root()
	if err != nil {
		return 0, err
	}
	found, err := chromedp.Call(p.Tab, accessibility.QueryAXTree,
		accessibility.QueryAXTreeParams{BackendNodeID: root, Role: role, AccessibleName: name})
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

// root is the node that things are looked for in.
func (p *Person) root() (cdp.BackendNodeID, error) {
	if p.within != nil {
		return p.within()
	}
	doc, err := chromedp.Call(p.Tab, dom.GetDocument, dom.GetDocumentParams{})
	if err != nil {
		return 0, err
	}
	return doc.Root.BackendNodeID, nil
}

// around returns the node that a function, called on another node, returns. groups are the
// elements that people see as one thing.
func (p *Person) around(node cdp.BackendNodeID, function string, args ...string) (cdp.BackendNodeID, error) {
	object, err := chromedp.Call(p.Tab, dom.ResolveNode, dom.ResolveNodeParams{BackendNodeID: node})
	if err != nil {
		return 0, err
	}
	call := runtime.CallFunctionOnParams{ObjectID: object.Object.ObjectID, FunctionDeclaration: `function(...args) {
		const groups = "tr, li, section, article, fieldset, dialog, main"
		return (` + function + `).apply(this, args)
	}`}
	for _, a := range args {
		value, err := json.Marshal(a)
		if err != nil {
			return 0, err
		}
		call.Arguments = append(call.Arguments, &runtime.CallArgument{Value: value})
	}
	group, err := chromedp.Call(p.Tab, runtime.CallFunctionOn, call)
	if err != nil {
		return 0, err
	}
	if group.Result.ObjectID == "" {
		return 0, errors.New("nothing there")
	}
	found, err := chromedp.Call(p.Tab, dom.DescribeNode, dom.DescribeNodeParams{ObjectID: group.Result.ObjectID})
	if err != nil {
		return 0, err
	}
	return found.Node.BackendNodeID, nil
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
