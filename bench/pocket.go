package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"

	"homeroom/internal/apptest/process"
	"homeroom/internal/platform/browsertest"
)

const (
	pocketPhones = 30 // that mark at once
	pocketLosses = 100
)

// pocket measures a parent's phone, and then lets teachers' phones lose their network and their tabs.
func pocket(ctx context.Context, l *lab) error {
	if err := installPackages(ctx, "web"); err != nil { // axe
		return err
	}
	if err := parentLoads(ctx, l); err != nil {
		return err
	}
	fmt.Println("\n| Story | Engine | Result |")
	fmt.Println("|---|---|---|")
	stories := []struct {
		name, test string
		args       []string
	}{
		{fmt.Sprintf("%d divisions marked at once, half of them offline for a minute", pocketPhones), "TestTeachersMorning",
			[]string{fmt.Sprint("-phones=", pocketPhones), "-offline=1m"}},
		{fmt.Sprintf("%d tabs lost while a class is marked", pocketLosses), "TestLosesNoTap", []string{fmt.Sprint("-losses=", pocketLosses)}},
		{"an hour's trip through three tunnels", "TestTripWithTunnels", nil},
		{"every page holds still while it loads", "Test(Every(Teacher|Parent|Driver)Page|SharedPages)", []string{"-still"}},
	}
	for _, s := range stories {
		if err := playStory(ctx, s.name, s.test, s.args); err != nil {
			return err
		}
	}
	return nil
}

var (
	logged = regexp.MustCompile(`^\s+\w+_test\.go:\d+: (.*)`)
	ended  = regexp.MustCompile(`^\s+--- PASS: \w+/(\w+) \(([\d.]+)s\)`)
)

// playStory runs a test of the web app, on both engines, and prints what it has logged. A failure is an error.
func playStory(ctx context.Context, name, test string, args []string) error {
	all := append([]string{"test", "-count=1", "-timeout=2h", "-parallel=2", "-v", "-run=^" + test + "$", "./web", "-args"}, args...)
	cmd := exec.CommandContext(ctx, "go", all...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w\n%s", test, err, out.String())
	}
	var said []string
	for line := range strings.Lines(out.String()) {
		if m := logged.FindStringSubmatch(line); m != nil {
			said = append(said, m[1])
		}
	}
	for line := range strings.Lines(out.String()) {
		if m := ended.FindStringSubmatch(line); m != nil {
			fmt.Printf("| %s | %s | passed in %s s |\n", name, m[1], m[2])
		}
	}
	for _, s := range said {
		fmt.Printf("| %s | | %s |\n", name, s)
	}
	return nil
}

// parentLoads measures a parent's first page over fast 3G, and later starts after the server has gone.
func parentLoads(ctx context.Context, l *lab) error {
	s, err := l.serve(ctx, l.targets[0])
	if err != nil {
		return err
	}
	kill := sync.OnceFunc(s.Kill)
	defer kill()
	browser, stop, err := browsertest.Start(ctx)
	if err != nil {
		return err
	}
	defer stop()
	fast3G := networks[len(networks)-1]
	took := map[string][]time.Duration{}
	received := map[string]float64{}
	var last *webTab
	for range webRounds {
		if last != nil {
			last.close() // its page would go on asking the service that is stopped below
		}
		t, err := newTab(browser, fast3G, webSlow)
		if err != nil {
			return err
		}
		defer t.close()
		loads, err := t.times(
			webStep{"sign-in page", false, t.open(s.URL+"/", ready{heading: "Sign in"})},
			webStep{"home, after the click on “Sign in”, with its code", false, t.click("+15550100002", parentHome)},
			webStep{"home, with a session and nothing in the cache", false, t.openEmpty(s)},
		)
		if err != nil {
			return err
		}
		for _, load := range loads {
			took[load.name] = append(took[load.name], load.took)
			received[load.name] = load.kB
		}
		last = t
	}
	if err := last.keepsFiles(); err != nil {
		return err
	}
	kill()
	if err := last.limit(networks[0]); err != nil { // Chromium would slow down what comes from the disk
		return err
	}
	for range webRounds {
		loads, err := last.times(webStep{"home, without a network", true, last.open(s.URL+"/app/home", parentHome)})
		if err != nil {
			return err
		}
		took[loads[0].name] = append(took[loads[0].name], loads[0].took)
	}
	fmt.Println("| A parent's load, 4 × slower CPU, fast 3G | Useful after | kB received | Target |")
	fmt.Println("|---|---:|---:|---:|")
	for _, row := range [][2]string{{"sign-in page", "-"}, {"home, after the click on “Sign in”, with its code", "-"},
		{"home, with a session and nothing in the cache", "< 2.5s"}, {"home, without a network", "< 1s"}} {
		times := took[row[0]]
		slices.Sort(times)
		fmt.Printf("| %s | %s | %.0f | %s |\n", row[0], times[len(times)/2].Round(time.Millisecond), received[row[0]], row[1])
	}
	return nil
}

// parentHome is the first page as soon as it says how the children are.
var parentHome = ready{text: "For you to do"}

// openEmpty opens the first page with the cookie of the session, but as a phone that has never seen the app.
func (t *webTab) openEmpty(s *process.Server) func() (time.Duration, error) {
	return func() (time.Duration, error) {
		if err := chromedp.Do(t.ctx, chromedp.Navigate("about:blank")); err != nil {
			return 0, err
		}
		_, err := chromedp.Call(t.ctx, storage.ClearDataForOrigin,
			storage.ClearDataForOriginParams{Origin: s.URL, StorageTypes: "service_workers,cache_storage,indexeddb"})
		if err == nil {
			_, err = chromedp.Call(t.ctx, network.ClearBrowserCache, cdp.Empty{})
		}
		if err != nil {
			return 0, err
		}
		return t.open(s.URL+"/app/home", parentHome)()
	}
}

// keepsFiles waits until the browser keeps the app's files.
func (t *webTab) keepsFiles() error {
	_, err := chromedp.Run(t.ctx, chromedp.Evaluate[bool](`new Promise(function look(done) {
		caches.match("/app/").then((page) => page ? done(true) : setTimeout(() => look(done), 100))
	})`, chromedp.EvalAwaitPromise))
	return err
}
