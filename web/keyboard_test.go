package webapp_test

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// hands are a person without a mouse, whose keys are counted.
type hands struct {
	*demo
	keys int
}

// types presses keys one by one.
func (h *hands) types(text string) {
	h.T.Helper()
	h.keys += len([]rune(text))
	h.Presses(text)
}

func (h *hands) ctrl(key string) {
	h.T.Helper()
	h.keys++
	h.PressesCtrl(key)
}

// tabTo presses Tab until the focus is on what is called name.
func (h *hands) tabTo(name string) {
	h.T.Helper()
	h.tabUntil(name, func() bool { return h.focused() == name })
}

func (h *hands) tabUntil(what string, reached func() bool) {
	h.T.Helper()
	for range 80 {
		if reached() {
			return
		}
		h.types(kb.Tab)
	}
	h.T.Fatalf("Tab never reaches %q\nthe page says: %s", what, h.Text())
}

// focused is the name of what has the focus: its label, its aria-label or its text.
func (h *hands) focused() string {
	h.T.Helper()
	return h.js(`(() => {
		const e = document.activeElement
		const label = e.labels?.[0]?.firstChild?.textContent
		return (e.getAttribute("aria-label") ?? label ?? [...e.childNodes].filter((n) => !n.ariaHidden).map((n) => n.textContent).join("")).trim()
	})()`)
}

// TestByKeyboard does the office's day without a mouse. docs/web-app.md has the counts.
func TestByKeyboard(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		d.signIn()
		for _, story := range []struct {
			name string
			do   func(h *hands)
			most int
		}{
			{"admit a student", admit, 60},
			{"mark a division", mark, 60},
			{"take a payment", pay, 25},
			{"publish results", publish, 80},
		} {
			h := &hands{demo: d}
			d.goes("/app/today")
			d.settles()
			d.Finds("heading", "Needs you")
			story.do(h)
			d.T.Logf("%s: %d keys", story.name, h.keys)
			if h.keys > story.most {
				d.T.Errorf("%s takes %d keys, more than %d", story.name, h.keys, story.most)
			}
		}
		d.clean()
	})
}

func admit(h *hands) {
	h.types("gs")
	h.Finds("heading", "Students")
	h.settles()
	h.types("n")
	h.Finds("heading", "Admit a student")
	h.settles()
	h.tabTo("First name")
	h.types("Ada")
	h.tabTo("Last name")
	h.types("Lovelace")
	h.ctrl(kb.Enter)
	h.Finds("heading", "Ada Lovelace")
}

func mark(h *hands) {
	h.types("ga")
	h.Until("the school's day", func() bool {
		return h.js(`[...document.querySelectorAll("main a")].some((a) => a.textContent.includes("Not marked"))`) == "true"
	})
	h.tabUntil("a division that is not marked", func() bool {
		return h.js(`document.activeElement.matches("a") && document.activeElement.textContent.includes("Not marked")`) == "true"
	})
	h.types(kb.Enter)
	h.Until("the register", func() bool { return h.js(`document.querySelector("[data-mark]") !== null`) == "true" })
	h.tabUntil("the first child", func() bool { return h.js(`document.activeElement.matches("[data-mark]")`) == "true" })
	for range 3 {
		h.types("p" + kb.ArrowDown)
	}
	h.types("a")
	h.ctrl("s")
	h.Sees("4 of 15 are marked")
}

func pay(h *hands) {
	h.types("f")
	h.Finds("heading", "Fee counter")
	h.settles()
	h.types("Carlos")
	h.Finds("listbox", "Families")
	h.Until("the family to be found", func() bool {
		return h.js(`document.querySelectorAll("#families [role=option], #families a").length > 0`) == "true"
	})
	h.types(kb.Enter)
	h.Finds("region", "Receipt")
	h.settles()
	h.js(`window.print = () => { document.title = "printed" }`)
	h.ctrl(kb.Enter)
	h.Until("the receipt to be printed", func() bool { return h.js(`document.title`) == "printed" })
}

func publish(h *hands) {
	h.ctrl("k")
	h.Finds("combobox", "Search people, receipts, pages and actions")
	h.types("Exams" + kb.Enter)
	h.Finds("heading", "Exams")
	h.settles()
	h.tabTo("First term exam")
	h.types(kb.Enter)
	h.Finds("heading", "First term exam")
	h.settles()
	h.tabTo("More")
	h.types(kb.Enter)
	h.Until("the menu", func() bool { return h.focused() == "Report cards as PDF" })
	h.types(kb.ArrowDown + kb.Enter)
	h.Finds("dialog", "Take the results back")
	h.tabTo("Reason")
	h.types("Typo")
	h.ctrl(kb.Enter)
	h.Finds("button", "Publish…")
	h.settles()
	h.tabTo("Publish…")
	h.types(kb.Enter)
	h.Until("the preview", func() bool { return strings.Contains(h.Text(), "Publish to ") })
	h.tabTo("Publish to 30 families")
	h.types(kb.Enter)
	h.Until("the results to be published", func() bool { return !h.Has("button", "Publish…") && !strings.Contains(h.Text(), "Publish to ") })
}
