package text_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"homeroom/internal/platform/browsertest"
	"homeroom/internal/platform/text"
)

var update = flag.Bool("update", false, "write the golden files anew")

func reset() text.Letter {
	return text.Letter{Brand: text.Brand{School: "Greenfield & Söhne", Color: "#ffcc00", Footer: "Mill Lane 1\n\nGreenfield"},
		Locale: "en-GB", Name: "Ada <script>alert(1)</script>", URL: "https://school.test/reset?token=a&b=1",
		Title: text.T("identity.reset.subject"), Before: []text.Text{text.T("identity.reset.body")}, Button: text.T("identity.reset.button"),
		After: []text.Text{text.T("identity.reset.ignore"), text.Plain("One line\nand another")}}
}

func TestLetter(t *testing.T) {
	t.Parallel()
	plain, html := text.Standard().Write(reset())
	const want = `Hello Ada <script>alert(1)</script>,

Open this link to choose a new password. It works once, for one hour.

https://school.test/reset?token=a&b=1

If you did not ask for it, ignore this message: your password stays as it is.

One line

and another

-- 
Mill Lane 1
Greenfield
Sent by Greenfield & Söhne with Homeroom.
`
	if plain != want {
		t.Errorf("plain text:\n%s", plain)
	}
	const golden = "testdata/letter.html"
	if *update {
		if err := os.WriteFile(golden, []byte(html), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(golden)
	if err != nil || string(kept) != html {
		t.Errorf("the HTML differs from %s (%v); run with -update to write it:\n%s", golden, err, html)
	}
}

func TestLetterIsSafe(t *testing.T) {
	t.Parallel()
	l := reset()
	l.School, l.Footer, l.Color = `"><img src=x onerror=alert(1)>`, "</div><style>*{display:none}</style>", "red;background:url(//evil.test)"
	l.Logo, l.URL = `javascript:alert(1)`, `javascript:alert(1)`
	l.Before = []text.Text{text.Plain("<b>bold</b>")}
	_, html := text.Standard().Write(l)
	for _, never := range []string{"<script", "<img src=x", "<style>*", "evil.test", `href="javascript:`, `src="javascript:`, "<b>"} {
		if strings.Contains(html, never) {
			t.Errorf("the HTML contains %s:\n%s", never, html)
		}
	}
	if !strings.Contains(html, "background:#2f4db5; color:#ffffff") {
		t.Error("an invalid colour was not replaced by the default")
	}
}

func TestLetterWithoutMuch(t *testing.T) {
	t.Parallel()
	plain, html := text.Standard().Write(text.Letter{Brand: text.Brand{School: "North"}, Locale: "es",
		Title: text.Plain("Hola"), Before: []text.Text{text.Plain("Uno")}})
	if plain != "Uno\n\n-- \nEnviado por North con Homeroom.\n" || strings.Contains(html, "<a ") ||
		strings.Contains(html, "<img") || !strings.Contains(html, `<html lang="es">`) {
		t.Errorf("letter without a button: %q\n%s", plain, html)
	}
}

// TestLetterInABrowser opens the HTML on a phone, in light and dark mode: all text is
// readable, no script runs, nothing is loaded.
func TestLetterInABrowser(t *testing.T) {
	t.Parallel()
	l := reset()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		one := l
		one.Color = "#" + strings.TrimPrefix(r.URL.Path, "/")
		_, html := text.Standard().Write(one)
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, html)
	}))
	t.Cleanup(srv.Close)
	tab := browsertest.Tab(t, browsertest.New(t))
	seen := browsertest.Watch(t, tab)
	if err := chromedp.Do(tab, chromedp.EmulateViewport(360, 640)); err != nil {
		t.Fatal(err)
	}
	for _, scheme := range []string{"light", "dark"} {
		_, err := chromedp.Call(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		if err != nil {
			t.Fatal(err)
		}
		for _, color := range []string{"ffcc00", "777777", "000000", "ffffff", "2f4db5"} {
			if err := chromedp.Do(tab, chromedp.Navigate(srv.URL+"/"+color)); err != nil {
				t.Fatal(err)
			}
			raw, err := chromedp.Run(tab, chromedp.Evaluate[string](readable))
			if err != nil {
				t.Fatal(err)
			}
			var got struct {
				TooWide  bool
				Worst    float64
				WorstOf  string
				Elements int
				Link     string
			}
			if err := json.Unmarshal([]byte(raw), &got); err != nil {
				t.Fatal(err)
			}
			if got.TooWide || got.Worst < 4.3 || got.Elements < 8 || got.Link != l.URL {
				t.Errorf("letter in %s mode with %s: %+v", scheme, color, got)
			}
		}
		browsertest.Screenshot(t, tab, "letter-"+scheme)
	}
	if p := seen.Problems(); len(p) > 0 {
		t.Errorf("browser console: %v", p)
	}
	for _, u := range seen.Abroad(srv.URL) {
		t.Errorf("the letter loads %s", u)
	}
}

// readable measures the contrast of every text with its background.
const readable = `(() => {
	const rgb = s => (s.match(/[\d.]+/g) || []).map(Number);
	const lum = c => { const f = v => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
		return 0.2126 * f(c[0]) + 0.7152 * f(c[1]) + 0.0722 * f(c[2]); };
	let worst = 99, worstOf = "", n = 0;
	for (const e of document.body.querySelectorAll("*")) {
		if (![...e.childNodes].some(c => c.nodeType == 3 && c.textContent.trim())) continue;
		n++;
		let at = e, back;
		do { back = rgb(getComputedStyle(at).backgroundColor); at = at.parentElement; } while (at && back.length == 4 && back[3] == 0);
		const a = lum(rgb(getComputedStyle(e).color)), b = lum(back);
		const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (contrast < worst) { worst = contrast; worstOf = e.tagName + " " + e.textContent; }
	}
	return JSON.stringify({TooWide: document.documentElement.scrollWidth > innerWidth, Worst: worst, WorstOf: worstOf, Elements: n,
		Link: document.querySelector("a").href});
})()`
