package main

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

const webSlow = 4 // times slower CPU

// netLimits are the limits of a network; -1 is none.
type netLimits struct {
	name    string
	target  string
	latency float64 // ms
	down    float64 // bytes/s
	up      float64
}

// networks are none and Lighthouse's fast 3G.
var networks = []netLimits{
	{"local", "1s", 0, -1, -1},
	{"fast 3G", "3s", 150, 1.6e6 / 8, 750e3 / 8},
}

// webTab is a tab with storage and a cache of its own.
type webTab struct {
	ctx   context.Context
	close func()

	mu       sync.Mutex
	received float64 // bytes
}

// newTab opens a tab with limits.
func newTab(browser context.Context, n netLimits, slower float64) (*webTab, error) {
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	t := &webTab{ctx: ctx, close: cancel}
	if err := chromedp.Do(ctx); err != nil {
		cancel()
		return nil, err
	}
	ended := chromedp.Events(ctx, network.LoadingFinished)
	go func() {
		for e, err := range ended {
			if err != nil {
				return
			}
			t.mu.Lock()
			t.received += e.EncodedDataLength
			t.mu.Unlock()
		}
	}()
	err := t.limit(n)
	if err == nil {
		_, err = chromedp.Call(ctx, emulation.SetCPUThrottlingRate, emulation.SetCPUThrottlingRateParams{Rate: slower})
	}
	if err == nil {
		_, err = chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: webWatch})
	}
	if err != nil {
		cancel()
		return nil, err
	}
	return t, nil
}

// limit makes the network of the tab as slow as n.
func (t *webTab) limit(n netLimits) error {
	limits := &network.Conditions{Latency: n.latency, DownloadThroughput: n.down, UploadThroughput: n.up}
	_, err := chromedp.Call(t.ctx, network.EmulateNetworkConditionsByRule,
		network.EmulateNetworkConditionsByRuleParams{MatchedNetworkConditions: []*network.Conditions{limits}})
	return err
}

// webWatch looks at each frame whether a page is ready. It is interactive as soon as a
// timer gets its turn after that.
const webWatch = `window.whenReady = (want) => new Promise((done, fail) => {
	const began = performance.now()
	const look = () => {
		const main = document.querySelector("main")
		const is = main && !document.querySelector(".bones, [aria-busy=true]")
			&& (!want.heading || main.querySelector("h1")?.textContent === want.heading)
			&& (!want.text || main.innerText.includes(want.text))
			&& (!want.rows || document.querySelectorAll("tbody tr").length >= want.rows)
		if (is) setTimeout(() => done(performance.now()))
		else if (performance.now() - began > 60000) fail(new Error("not ready: " + document.body.innerText.slice(0, 300)))
		else requestAnimationFrame(look)
	}
	look()
})`

// ready is how a page looks that can be used.
type ready struct {
	heading, text string
	rows          int
}

func (r ready) js() string {
	return fmt.Sprintf(`whenReady({heading: %q, text: %q, rows: %d})`, r.heading, r.text, r.rows)
}

// webStep is one thing that is timed.
type webStep struct {
	name string
	warm bool
	do   func() (time.Duration, error)
}

// times does the steps one after another.
func (t *webTab) times(steps ...webStep) ([]webLoad, error) {
	var out []webLoad
	for _, s := range steps {
		t.mu.Lock()
		t.received = 0
		t.mu.Unlock()
		took, err := s.do()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		t.mu.Lock()
		out = append(out, webLoad{s.name, s.warm, took, t.received / 1000})
		t.mu.Unlock()
	}
	return out, nil
}

// open navigates, and measures from the start of the navigation.
func (t *webTab) open(url string, want ready) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		if _, err := chromedp.Call(t.ctx, page.Navigate, page.NavigateParams{URL: url}); err != nil {
			return 0, err
		}
		return t.evaluate(want.js())
	}
}

// click clicks the link or button that has the text, and measures from the click.
func (t *webTab) click(text string, want ready) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		return t.evaluate(fmt.Sprintf(`(async () => {
			const began = performance.now()
			;[...document.querySelectorAll("a, button")].find((e) => e.textContent.includes(%q)).click()
			return await %s - began
		})()`, text, want.js()))
	}
}

// follow goes to an address within the app.
func (t *webTab) follow(path string, want ready) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		return t.evaluate(fmt.Sprintf(`(async () => {
			const began = performance.now()
			const a = document.createElement("a")
			a.href = %q
			document.body.append(a)
			a.click()
			a.remove()
			return await %s - began
		})()`, path, want.js()))
	}
}

// scroll scrolls to the end and back, 60 pixels a frame, once the page is drawn, and returns the longest frame.
func (t *webTab) scroll() (longest time.Duration, frames int, err error) {
	found, err := chromedp.Run(t.ctx, chromedp.Evaluate[[]float64](`new Promise((done) => {
		const times = []
		let last = 0, way = 60
		const step = (now) => {
			if (last) times.push(now - last)
			last = now
			const at = scrollY
			scrollBy(0, way)
			if (scrollY === at && way < 0) { done(times); return }
			if (scrollY === at) way = -60
			requestAnimationFrame(step)
		}
		requestAnimationFrame(() => requestIdleCallback(() => requestAnimationFrame(step)))
	})`, chromedp.EvalAwaitPromise))
	if err != nil {
		return 0, 0, err
	}
	for _, ms := range found {
		longest = max(longest, time.Duration(ms*float64(time.Millisecond)))
	}
	return longest, len(found), nil
}

func (t *webTab) evaluate(js string) (time.Duration, error) {
	ms, err := chromedp.Run(t.ctx, chromedp.Evaluate[float64](js, chromedp.EvalAwaitPromise))
	return time.Duration(ms * float64(time.Millisecond)), err
}
