// Package browsertest runs headless Chromium for tests of pages.
//
//	browser := browsertest.New(t)          // shared by tests that run at the same time
//	tab := browsertest.Tab(t, browser)     // a tab with its own storage
//	seen := browsertest.Watch(t, tab)      // console and requests of the page
//	err := chromedp.Do(tab, chromedp.Navigate(url), …)
//
// The browser resolves no host names: a page that loads from other machines fails its
// test.
package browsertest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Patience is the time limit of a test in a browser, also on a busy machine. A step has a limit of
// its own.
const Patience = 15 * time.Minute

// oneThread makes scripts compile and collect garbage in the threads that run them: several
// tests at a time keep the cores busy.
var oneThread = chromedp.Flag("js-flags", "--single-threaded")

// shared is the browser of all tests that run at this moment.
var shared struct {
	mu    sync.Mutex
	users int
	ctx   context.Context
	stop  func()
}

// New returns the context of a browser, until the end of the test. Tests that run at the
// same time share it. Without Chromium the test fails.
func New(t testing.TB) context.Context {
	t.Helper()
	shared.mu.Lock()
	defer shared.mu.Unlock()
	if shared.users == 0 {
		var err error
		if shared.ctx, shared.stop, err = Start(context.Background(), oneThread); err != nil {
			t.Fatal(err)
		}
	}
	shared.users++
	t.Cleanup(func() {
		shared.mu.Lock()
		defer shared.mu.Unlock()
		if shared.users--; shared.users == 0 {
			shared.stop()
		}
	})
	ctx, cancel := context.WithTimeout(shared.ctx, Patience)
	t.Cleanup(cancel)
	return ctx
}

// Start starts a browser with an empty profile until stop is called, and returns its context.
func Start(ctx context.Context, more ...chromedp.ExecAllocatorOption) (browser context.Context, stop func(), err error) {
	path, err := find()
	if err != nil {
		return nil, nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path),
		chromedp.NoSandbox,
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"),
		chromedp.WindowSize(1280, 900),
	)
	ctx, end := chromedp.NewExecAllocator(ctx, append(options, more...)...)
	ctx, leave := chromedp.NewContext(ctx)
	stop = func() { leave(); end() }
	if err := chromedp.Do(ctx); err != nil {
		stop()
		return nil, nil, fmt.Errorf("start Chromium: %w", err)
	}
	return ctx, stop, nil
}

// find prefers the headless shell: Chromium without the windows of a desktop, which needs
// half the CPU.
func find() (string, error) {
	for _, name := range []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("Chromium is needed, and none is on the PATH; install it: apt-get install chromium-headless-shell")
}

// Tab opens a tab with its own cookies and storage until the end of the test. A crash of
// the page fails the test at once.
func Tab(t testing.TB, browser context.Context) context.Context {
	t.Helper()
	ctx, _ := openTab(t, browser, chromedp.WithNewBrowserContext())
	return ctx
}

// openTab opens a tab that the test closes at its end, or earlier by the function returned.
func openTab(t testing.TB, parent context.Context, options ...chromedp.ContextOption) (tab context.Context, cancel func()) {
	t.Helper()
	ctx, cancel := chromedp.NewContext(parent, options...)
	t.Cleanup(cancel) // also if it does not open
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	if _, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		t.Fatal(err) // without it the pages of several tests take the focus from each other
	}
	crashes := chromedp.Events(ctx, inspector.TargetCrashed)
	var reader sync.WaitGroup
	reader.Go(func() {
		for _, err := range crashes {
			if err == nil {
				t.Error("Chromium crashed")
				cancel()
			}
			return
		}
	})
	t.Cleanup(func() { cancel(); reader.Wait() })
	return ctx, cancel
}

// Seen records the activity of a tab.
type Seen struct {
	mu       sync.Mutex
	problems []string
	requests []string
}

// Watch records console output and network requests of the tab from now on. Questions that
// block the page, such as confirm(), are problems; they are answered with yes.
func Watch(t testing.TB, tab context.Context) *Seen {
	t.Helper()
	ctx, cancel := context.WithCancel(tab)
	console := chromedp.Console(ctx)
	requests := chromedp.Events(ctx, network.RequestWillBeSent)
	s := &Seen{}
	var readers sync.WaitGroup
	readers.Go(func() {
		for m, err := range console {
			if err != nil {
				return
			}
			if m.IsException() || m.Type == chromedp.ConsoleError || m.Type == chromedp.ConsoleWarning {
				s.add(&s.problems, m.String()+" "+m.URL)
			}
		}
	})
	readers.Go(func() {
		for r, err := range requests {
			if err != nil {
				return
			}
			s.add(&s.requests, r.Request.URL)
		}
	})
	dialogs := chromedp.Events(ctx, page.JavascriptDialogOpening)
	readers.Go(func() {
		for d, err := range dialogs {
			if err != nil {
				return
			}
			s.add(&s.problems, "the page asked: "+d.Message)
			_, _ = chromedp.Call(ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true}) // the tab may be closed
		}
	})
	t.Cleanup(func() { cancel(); readers.Wait() })
	return s
}

func (s *Seen) add(list *[]string, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*list = append(*list, text)
}

// Problems returns the errors, warnings and uncaught exceptions so far.
func (s *Seen) Problems() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.problems)
}

// Requests returns the requested URLs so far.
func (s *Seen) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Abroad returns the requested URLs outside of the origin, such as
// "http://127.0.0.1:4000". data: and blob: URLs never leave the page.
func (s *Seen) Abroad(origin string) []string {
	var out []string
	for _, u := range s.Requests() {
		if !strings.HasPrefix(u, origin+"/") && !strings.HasPrefix(u, "data:") && !strings.HasPrefix(u, "blob:") {
			out = append(out, u)
		}
	}
	return out
}

// Screenshot saves a screenshot as name.png in the directory HOMEROOM_SCREENSHOTS; if
// that is not set it does nothing.
func Screenshot(t testing.TB, tab context.Context, name string) {
	t.Helper()
	dir := os.Getenv("HOMEROOM_SCREENSHOTS")
	if dir == "" {
		return
	}
	png, err := chromedp.Run(tab, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatalf("screenshot %s: %v", name, err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o600); err != nil {
		t.Fatalf("screenshot %s: %v", name, err)
	}
}
