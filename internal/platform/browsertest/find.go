package browsertest

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

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

func (p *Person) find(role, name string) (cdp.BackendNodeID, error) {
	for _, n := range p.query(role, name) {
		return n.BackendDOMNodeID, nil
	}
	return 0, fmt.Errorf("no %s %q", role, name)
}

// field finds what text can be filled into.
func (p *Person) field(label string) (cdp.BackendNodeID, error) {
	for _, n := range p.query("", label) {
		if slices.Contains([]string{"textbox", "searchbox", "spinbutton", "combobox", "Date", "InputTime"}, textOf(n.Role)) {
			return n.BackendDOMNodeID, nil
		}
	}
	return 0, fmt.Errorf("no field %q", label)
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

// names returns the names of what has a role.
func (p *Person) names(role string) []string {
	var out []string
	for _, n := range p.query(role, "") {
		out = append(out, textOf(n.Name))
	}
	return out
}

// fileField finds a file field. A query by name does not find it, because Chromium adds the chosen file to the name.
func (p *Person) fileField(label string) (cdp.BackendNodeID, error) {
	for _, n := range p.query("button", "") {
		if textOf(n.Name) == label {
			return n.BackendDOMNodeID, nil
		}
	}
	return 0, fmt.Errorf("no file field %q", label)
}

// query returns everything with a role and a name; either may be empty, for any.
func (p *Person) query(role, name string) []*accessibility.Node {
	root, err := p.root()
	if err != nil || role == "" && name == "" {
		return nil
	}
	found, err := chromedp.Call(p.Tab, accessibility.QueryAXTree,
		accessibility.QueryAXTreeParams{BackendNodeID: root, Role: role, AccessibleName: name})
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(found.Nodes, func(n *accessibility.Node) bool { return n.Ignored || n.BackendDOMNodeID == 0 })
}

func textOf(v *accessibility.Value) (text string) {
	if v != nil {
		_ = json.Unmarshal(v.Value, &text) // without a name it is empty
	}
	return text
}
