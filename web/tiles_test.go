package webapp_test

import (
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/platform/browsertest"
)

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// TestMapTiles shows real maps from a server of tiles, and asks nobody else.
func TestMapTiles(t *testing.T) {
	t.Parallel()
	tile, err := base64.StdEncoding.DecodeString(pixel)
	if err != nil {
		t.Fatal(err)
	}
	var fetched atomic.Int64
	tiles := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fetched.Add(1)
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write(tile)
	}))
	t.Cleanup(tiles.Close)
	s := apptest.Start(t, "sqlite", func(c *app.Config) {
		c.Demo, c.RateRead = true, 100_000
		c.MapTiles, c.MapAttribution = tiles.URL+"/{z}/{x}/{y}.png", "© <b>Mapmakers</b>"
	})
	d := &demo{Service: s, Person: browsertest.NewPerson(t, browsertest.New(t), s.URL), looks: []look{{1440, "light"}, {390, "dark"}}}
	more := func(where string) {
		t.Helper()
		before := fetched.Load()
		d.goes(where)
		d.Until("tiles on "+where, func() bool { return fetched.Load() > before })
		d.Sees("© <b>Mapmakers</b>")
		d.Finds("link", "Leaflet")
		d.visit(where, where)
	}
	route := d.first(d.login("admin@greenfield.test"), "/school-admin/transport/route/list", "id")
	d.signIn()
	more("/app/transport")
	d.Looks(1440, "light")
	more("/app/transport/routes/" + route)
	d.Looks(1440, "light")
	rows := d.js(`document.querySelectorAll(".stoptable tbody tr").length`)
	d.js(`document.querySelector(".realmap").dispatchEvent(new MouseEvent("click", {
		bubbles: true, clientX: innerWidth - 60, clientY: 400 }))`)
	d.Until("a new stop", func() bool { return d.js(`document.querySelectorAll(".stoptable tbody tr").length`) != rows })
	d.Clicks("button", "Discard") // else the browser asks before it leaves the page
	before := fetched.Load()
	d.Opens("/live")
	d.Until("tiles on /live", func() bool { return fetched.Load() > before })
	abroad := d.Seen.Abroad(d.Site)
	if len(abroad) == 0 {
		t.Error("no request to the server of tiles was seen")
	}
	for _, url := range abroad {
		if !strings.HasPrefix(url, tiles.URL+"/") && !strings.HasPrefix(url, strings.Replace(d.Site, "http", "ws", 1)) {
			t.Errorf("the page asked %s", url)
		}
	}
}

// TestTilePolicy compares the Content-Security-Policy with and without a server of tiles.
func TestTilePolicy(t *testing.T) {
	t.Parallel()
	plain := apptest.Start(t, "sqlite")
	tiled := apptest.Start(t, "sqlite", func(c *app.Config) { c.MapTiles = "https://tiles.example:8443/{z}/{x}/{y}.png" })
	for _, path := range []string{"/", "/live", "/app/transport"} {
		was, is := policyOf(t, plain.URL+path), policyOf(t, tiled.URL+path)
		const with = "img-src 'self' blob: data: https://tiles.example:8443;"
		if strings.Replace(is, " https://tiles.example:8443;", ";", 1) != was || !strings.Contains(is, with) || strings.Contains(was, "http") {
			t.Errorf("%s: %q and with tiles %q", path, was, is)
		}
	}
}

func policyOf(t *testing.T, url string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	return res.Header.Get("Content-Security-Policy")
}
