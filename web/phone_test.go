package webapp_test

import (
	"flag"
	"fmt"
	"image/png"
	"net/http"
	"slices"
	"strconv"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// mostShift is the limit of what moves while a page loads, as browsers measure it.
const mostShift = 0.1

// watchShifts adds up how far things move from now on.
const watchShifts = `(() => {
	if (!globalThis.shifted) new PerformanceObserver((list) => {
		for (const e of list.getEntries()) if (!e.hadRecentInput) {
			shifted.sum += e.value
			shifted.what.push(e.value.toFixed(3) + " " + e.sources.map((s) => s.node?.outerHTML?.slice(0, 80)).join(" "))
		}
	}).observe({type: "layout-shift", buffered: false})
	globalThis.shifted = {sum: 0, what: []}
})()`

// smallTargets lists what is smaller than a finger: %d pixels, unless it is a link in a sentence, or nothing else is near. A driver
// does not aim: targets of 56 pixels are not smaller because nothing is near.
const smallTargets = `(() => {
	const least = %d - 0.5
	const boxOf = (e) => (e.matches("input") && e.closest("label") || e).getBoundingClientRect()
	const all = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [role=button], [role=tab], [role=option]")]
		.filter((e) => e.checkVisibility({visibilityProperty: true}) && !e.closest(".sr, .skip, [inert], [aria-hidden=true]"))
		.map((e) => ({e, r: boxOf(e)})).filter(({r}) => r.width > 1 && r.height > 1)
	const inSentence = (e) => getComputedStyle(e).display.startsWith("inline") && !e.matches(".btn, input") &&
		[...e.parentElement.childNodes].some((n) => n !== e && n.textContent.trim().length > 1)
	const apart = ({e, r}) => least < 55 && all.every((o) => o.e === e || o.e.contains(e) || e.contains(o.e) || (() => {
		const x = r.x + r.width / 2, y = r.y + r.height / 2
		const dx = Math.max(o.r.x - x, 0, x - o.r.right), dy = Math.max(o.r.y - y, 0, y - o.r.bottom)
		return Math.hypot(dx, dy) >= least / 2
	})())
	return all.filter((t) => (t.r.width < least || t.r.height < least) && !inSentence(t.e) && !apart(t))
		.map(({e, r}) => Math.round(r.width) + " × " + Math.round(r.height) + " " + e.outerHTML.slice(0, 120)).slice(0, 5).join("\n")
})()`

// suitsPhone fails the test for a page with targets that are too small for a finger, or that is too wide for a tablet.
func (d *demo) suitsPhone() {
	d.T.Helper()
	for _, width := range []int64{390, 768} {
		d.Looks(width, "light")
		if small := d.js(fmt.Sprintf(smallTargets, d.finger)); small != "" {
			d.T.Errorf("at %d, smaller than %d pixels: %s", width, d.finger, small)
		}
		d.FitsWidth()
	}
}

// still also checks that pages hold still while they load. How far they move depends on how fast answers
// come, so go run ./bench pocket asks for it, on a quiet machine.
var still = flag.Bool("still", false, "fail pages that move while they load")

// holdsStill fails the test if things have moved since watchShifts.
func (d *demo) holdsStill() {
	d.T.Helper()
	if !*still {
		return
	}
	if sum, err := strconv.ParseFloat(d.js(`shifted.sum`), 64); err != nil || sum > mostShift {
		d.T.Errorf("things move by %.3f while the page loads (%v): %s", sum, err, d.js(`shifted.what.join("; ")`))
	}
}

// TestInstallable asks the browser whether it would install the app, and opens it from the home screen without a network.
func TestInstallable(t *testing.T) {
	t.Parallel()
	inDemo(t, func(d *demo) {
		wire := d.wired()
		d.teaches()
		d.keeps()
		d.Opens("/app/")
		d.Until("the service worker controls the page", func() bool { return d.js(`navigator.serviceWorker.controller !== null`) == "true" })
		found, err := chromedp.Call(d.Tab, page.GetInstallabilityErrors, cdp.Empty{})
		if err != nil {
			d.T.Fatal(err)
		}
		for _, e := range found.InstallabilityErrors {
			if e.ErrorID != "in-incognito" { // each test has a context of its own
				d.T.Errorf("the browser does not install it: %s %v", e.ErrorID, e.ErrorArguments)
			}
		}
		wire.Cut()
		d.Opens("/app/") // start_url
		d.Finds("heading", "Hello, Astrid Takahashi")
		var manifest struct {
			ID, Name, Display, Scope string
			ShortName                string `json:"short_name"`
			Start                    string `json:"start_url"`
			Icons                    []struct{ Src, Sizes, Purpose string }
		}
		d.read(d.Call(d.T, nil, "GET", "/app/manifest.webmanifest", nil), &manifest)
		if manifest.Name == "" || manifest.ShortName == "" || manifest.ID == "" || manifest.Display != "standalone" ||
			manifest.Start != manifest.Scope {
			d.T.Errorf("the manifest is %+v", manifest)
		}
		var icons []string
		for _, i := range manifest.Icons {
			r, err := http.Get(d.Service.URL + i.Src)
			if err != nil {
				d.T.Fatal(err)
			}
			picture, err := png.DecodeConfig(r.Body)
			_ = r.Body.Close()
			if size := fmt.Sprintf("%dx%d", picture.Width, picture.Height); err != nil || size != i.Sizes {
				d.T.Errorf("%s is %s, not %s: %v", i.Src, size, i.Sizes, err)
			}
			icons = append(icons, i.Sizes+" "+i.Purpose)
		}
		for _, want := range []string{"192x192 ", "512x512 ", "512x512 maskable"} {
			if !slices.Contains(icons, want) {
				d.T.Errorf("no icon %q in %q", want, icons)
			}
		}
	})
}
