package browsertest

import (
	"os"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

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
		wide, _ := chromedp.Run(p.Tab, chromedp.Evaluate[string](tooWide)) // beside the error
		p.T.Errorf("the page is %d pixels wider than the window: %v %s", over, err, wide)
	}
}

// tooWide is the address of the page and the elements that end beyond the window.
const tooWide = `location.pathname + " " + [...document.querySelectorAll("body *")]
	.filter((e) => e.getBoundingClientRect().right > innerWidth + 1)
	.slice(-3).map((e) => e.outerHTML.slice(0, 150)).join(" ")`

// axeRun returns the violations in words.
const axeRun = `axe.run(document, {resultTypes: ["violations"]}).then((r) => r.violations.flatMap((v) => {
	const nodes = v.nodes.filter((n) => v.id !== "label-content-name-mismatch" || !n.html.includes('role="gridcell"'))
	return nodes.slice(0, 3).map((n) => v.id + ": " + v.help + " " + n.html.slice(0, 160) + " " + n.failureSummary)
}))`

// PassesAxe runs axe-core, whose file is given, and fails the test for each violation. The
// name of a grid's cell may say what its letters mean, so that it need not contain them.
func (p *Person) PassesAxe(file string) {
	p.T.Helper()
	p.loadAxe(file)
	found, err := chromedp.Run(p.Tab, chromedp.Evaluate[[]string](axeRun, chromedp.EvalAwaitPromise))
	if err != nil {
		p.T.Fatal(err)
	}
	for _, violation := range found {
		p.T.Errorf("axe: %s", violation)
	}
}

// loadAxe loads axe-core unless the document has it.
func (p *Person) loadAxe(file string) {
	p.T.Helper()
	if has, err := chromedp.Run(p.Tab, chromedp.Evaluate[bool](`"axe" in window`)); err == nil && has {
		return
	}
	script, err := os.ReadFile(file)
	if err != nil {
		p.T.Fatal(err)
	}
	if _, err := chromedp.Run(p.Tab, chromedp.Evaluate[int](string(script)+"\n;0")); err != nil {
		p.T.Fatalf("load axe: %v", err)
	}
}
