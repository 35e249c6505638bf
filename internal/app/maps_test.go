package app

import (
	"strings"
	"testing"
)

func TestMapTiles(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"":                                      "",
		"https://tiles.example/{z}/{x}/{y}.png": "",
		"https://tiles.example:8443/a/{z}/{y}/{x}?key=a%20b&r=@2x": "",
		"http://127.0.0.1:8080/{z}/{x}/{y}.png":                    "",
		"http://[::1]:8080/{z}/{x}/{y}.png":                        "",
		"tiles.example/{z}/{x}/{y}.png":                            "web address",
		"https://tiles.example/{z}/{x}.png":                        "{y} once",
		"https://tiles.example/{z}/{x}/{y}/{y}.png":                "{y} once",
		"https://{z}.example/{x}/{y}.png":                          "web address",
		"https://{s}.tiles.example/{z}/{x}/{y}.png":                "web address",
		"https://tiles.example/{s}/{z}/{x}/{y}.png":                "{z}, {x} and {y} only",
		"https://u:p@tiles.example/{z}/{x}/{y}.png":                "web address",
		"ftp://tiles.example/{z}/{x}/{y}.png":                      "web address",
		"javascript://tiles.example/{z}/{x}/{y}.png":               "web address",
		"https://tiles.example;script-src */{z}/{x}/{y}.png":       "web address",
		"https://tiles.example 'unsafe-inline'/{z}/{x}/{y}.png":    "web address",
		"https:///{z}/{x}/{y}.png":                                 "web address",
	} {
		p := Problems{}
		Maps{MapTiles: url}.check(p)
		if got := p["map-tiles"]; want == "" && len(p) > 0 || !strings.Contains(got, want) {
			t.Errorf("%s: %v, want %q", url, p, want)
		}
	}
	p := Problems{}
	Maps{MapAttribution: "© Somebody"}.check(p)
	if p["map-attribution"] == "" {
		t.Error("an attribution without tiles is accepted")
	}
	if got := (Maps{MapTiles: "https://tiles.example:8443/a/{z}/{x}/{y}.png"}).server(); got.Origin != "https://tiles.example:8443" {
		t.Errorf("origin %q", got.Origin)
	}
}
