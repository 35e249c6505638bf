package app

import (
	"io"
	"net"
	"strings"

	"homeroom/internal/feature/identity"
	"homeroom/internal/platform/apidocs"
	"homeroom/internal/platform/console"
)

// greet prints the URLs of the service, or logs them with the JSON log format. setup is
// the secret of the set-up link; "" if there are accounts. It is in the fragment, which
// browsers don't send: no proxy logs it.
func (a *App) greet(addr net.Addr, setup string, stderr io.Writer, getenv func(string) string) {
	base := a.cfg.baseURL(addr.String())
	link := base + identity.SetupPath + "#" + setup
	if a.cfg.LogFormat == "json" {
		a.Log.Info("listening", "addr", addr.String(), "url", base, "database", a.cfg.URL(), "demo", a.cfg.Demo, "version", readBuild().Version)
		if setup != "" {
			a.Log.Warn("this service has no accounts: open the set-up link to create the first", "url", link)
		}
		return
	}
	c := console.New(stderr, getenv)
	c.Printf("\n%s is running.\n\n", c.Bold("Homeroom"))
	c.Printf("  Address        %s\n", c.Bold(base))
	c.Printf("  Documentation  %s\n", base+apidocs.Base)
	c.Printf("  Database       %s\n", a.cfg.URL())
	if setup != "" {
		c.Printf("  Set-up         %s  %s\n", c.Bold(link), c.Dim("creates the first account, once"))
	}
	if a.cfg.Demo {
		c.Printf("  Sent messages  %s  %s\n\n", base+"/dev/outbox", c.Dim("sign-in codes appear here"))
		c.Table(accountRows())
	}
	c.Printf("\n%s\n\n", c.Dim("Ctrl-C stops it."))
}

// accountRows returns the table of demo accounts.
func accountRows() (header []string, rows [][]string) {
	for _, d := range DemoAccounts() {
		with := d.Phone + " and a code"
		if d.Email != "" {
			with = d.Email + " / " + d.Password
		}
		rows = append(rows, []string{d.School, d.Label, with})
	}
	return []string{"School", "Who", "Signs in with"}, rows
}

// baseURL returns the public URL of the service, or one made of the listen address.
func (l Listen) baseURL(addr string) string {
	if l.PublicURL != "" {
		return strings.TrimSuffix(l.PublicURL, "/")
	}
	scheme := "http"
	if l.TLSCert != "" {
		scheme = "https"
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return scheme + "://" + addr
	}
	if ip := net.ParseIP(host); host == "" || (ip != nil && ip.IsUnspecified()) {
		host = "localhost"
	}
	return scheme + "://" + net.JoinHostPort(host, port)
}
