package app

import (
	"net/url"
	"regexp"
	"strings"

	webapp "homeroom/web"
)

// origin matches a host without anything that could end a source of a
// Content-Security-Policy.
var origin = regexp.MustCompile(`^([A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\])(:[0-9]+)?$`)

func (m Maps) check(p Problems) {
	if m.MapTiles == "" {
		p.unless(m.MapAttribution == "", "map-attribution", "needs --map-tiles")
		return
	}
	const form = "write it like https://tiles.example.org/{z}/{x}/{y}.png"
	host, path := m.split()
	u, err := url.Parse(host)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || !origin.MatchString(u.Host) || u.User != nil {
		p.Add("map-tiles", "is not a web address: %s", form)
		return
	}
	for _, name := range []string{"{z}", "{x}", "{y}"} {
		if strings.Count(path, name) != 1 {
			p.Add("map-tiles", "needs %s once after the host: %s", name, form)
		}
		path = strings.Replace(path, name, "", 1)
	}
	p.unless(!strings.ContainsAny(path, "{}"), "map-tiles", "may have {z}, {x} and {y} only: %s", form)
	p.unless(len(m.MapAttribution) <= 200, "map-attribution", "is longer than 200 bytes")
}

// split splits the URL after the host.
func (m Maps) split() (host, path string) {
	scheme, rest, _ := strings.Cut(m.MapTiles, "://")
	name, path, _ := strings.Cut(rest, "/")
	return scheme + "://" + name, "/" + path
}

// server returns the server of map tiles, or nil.
func (m Maps) server() *webapp.Map {
	if m.MapTiles == "" {
		return nil
	}
	host, _ := m.split()
	return &webapp.Map{Tiles: m.MapTiles, Attribution: m.MapAttribution, Origin: host}
}
