package app

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/token"
)

// EnvPrefix begins the name of every environment variable of the service.
const EnvPrefix = "HOMEROOM_"

// EnvName is the environment variable of a flag: rate-auth is HOMEROOM_RATE_AUTH.
func EnvName(flag string) string {
	return EnvPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}

// Problems are the invalid settings, by flag. The texts say what to change and
// never quote a secret.
type Problems map[string]string

// Add adds a problem with a setting. The first problem of a setting wins.
func (p Problems) Add(flag, format string, a ...any) {
	if _, known := p[flag]; !known {
		p[flag] = fmt.Sprintf(format, a...)
	}
}

func (p Problems) unless(ok bool, flag, format string, a ...any) {
	if !ok {
		p.Add(flag, format, a...)
	}
}

// Check adds every invalid setting to p.
func (c Config) Check(p Problems) {
	c.Store.Check(p)
	c.Retention.check(p)
	c.Listen.check(p)
	c.Scrape.check(p)
	c.Maps.check(p)
	c.Cluster.check(p)
	FileStorage{c.FileProvider, c.Files}.Check(p)
	c.senders(clock.System, p)
	c.Browsers.check(p)
	c.Caps.check(p)
	c.Logs.Check(p)
	c.Traces.check(p)
	p.unless(!c.TracesFromProxies || len(c.TrustedProxies) > 0, "traces-from-proxies", "needs --trusted-proxies")
	for flag, n := range map[string]int{"rate-auth": c.RateAuth, "rate-read": c.RateRead, "rate-write": c.RateWrite,
		"rate-position": c.RatePosition,
		"rate-otp":      c.RateOTP, "rate-socket": c.RateSocket, "rate-handshake": c.RateHandshake} {
		p.unless(n >= 0, flag, "is %d: use a whole number, or 0 for no limit", n)
	}
	c.Backups.Check(p)
	p.unless(!c.BackupContinuous || c.URL().Engine() == "sqlite", "backup-continuous",
		"is only for SQLite: use pgBackRest for PostgreSQL, as docs/backup.md shows")
	p.unless(c.JobLease >= time.Second, "job-lease", "is %s: use a second or more, such as 1m", c.JobLease)
	p.unless(c.Workers >= 1 && c.Workers <= 1000, "workers", "is %d: use 1 to 1000", c.Workers)
}

// Check adds every invalid setting to p.
func (s Store) Check(p Problems) {
	p.unless(s.Data != "", "data", "is empty: name a directory, such as ./data")
	p.unless(s.DBMaxConns >= 0 && s.DBMaxConns <= 10000, "db-max-conns",
		"is %d: use 1 to 10000, or 0 to let the service choose", s.DBMaxConns)
	if s.Keys != "" {
		if _, err := token.ParseRing(string(s.Keys)); err != nil {
			p.Add("keys", "is invalid: %s", strings.TrimPrefix(err.Error(), "HOMEROOM_KEYS: "))
		}
	}
	// The messages never quote the URL: it may contain a password.
	const form = "write sqlite:PATH or postgres://USER:PASSWORD@HOST:5432/NAME"
	switch s.URL().Engine() {
	case "sqlite":
		p.unless(s.URL().Path() != "", "database-url", "has no path: %s", form)
	case "postgres":
		s.DatabaseURL.check(p, "database-url", form)
	default:
		p.Add("database-url", "is not supported: %s", form)
	}
	switch {
	case s.DatabaseSignalURL == "":
	case s.URL().Engine() != "postgres" || s.DatabaseSignalURL.Engine() != "postgres":
		p.Add("database-signal-url", "is only for PostgreSQL: write postgres://USER:PASSWORD@HOST:5432/NAME, of the database of --database-url")
	default:
		s.DatabaseSignalURL.check(p, "database-signal-url", form)
	}
}

// check adds what is wrong with a PostgreSQL URL.
func (d DSN) check(p Problems, flag, form string) {
	u, err := url.Parse(string(d))
	if err != nil {
		p.Add(flag, "is not a valid URL: escape @ : / %% in a password as %%40 %%3A %%2F %%25")
		return
	}
	p.unless(u.Host != "" || u.Query().Has("host"), flag, "has no host: %s", form)
	p.unless(strings.Trim(u.Path, "/") != "" || u.Query().Has("dbname"), flag, "has no database name: %s", form)
}

func (l Listen) check(p Problems) {
	p.unless(l.Addr == "" || isAddr(l.Addr), "addr", "is %q: write HOST:PORT, or :PORT for all interfaces", l.Addr)
	if l.PublicURL != "" {
		p.unless(isOrigin(strings.TrimSuffix(l.PublicURL, "/")), "public-url",
			"is %q: write the service's public URL without a path, such as https://school.example.org", l.PublicURL)
	}
	for _, o := range l.Origins {
		p.unless(o == "localhost" || isOrigin(o), "origins", "has %q: write each as https://HOST, without path or trailing slash", o)
	}
	p.unless(l.RequestTimeout > 0, "request-timeout", "is %s: use a positive duration, such as 30s", l.RequestTimeout)
	p.unless(l.ShutdownTimeout > 0, "shutdown-timeout", "is %s: use a positive duration, such as 10s", l.ShutdownTimeout)
	p.unless(l.DrainDelay >= 0, "drain-delay", "is %s: use a duration such as 5s, or 0s", l.DrainDelay)
	l.checkTLS(p)
}

func (r Retention) check(p Problems) {
	for flag, k := range map[string]struct{ days, least int }{
		"keep-notifications": {r.KeepNotifications, 30}, "keep-deliveries": {r.KeepDeliveries, 30}, "keep-tracks": {r.KeepTracks, 30},
		"keep-webhooks": {r.KeepWebhooks, 7},
		"keep-audit":    {r.KeepAudit, 365}, "keep-attendance": {r.KeepAttendance, 800},
	} {
		p.unless(k.days == 0 || k.days >= k.least, flag, "is %d: use %d days or more, or 0 to keep them as long as the school", k.days, k.least)
	}
}

func (s Scrape) check(p Problems) {
	if s.MetricsAddr != "" {
		p.unless(isAddr(s.MetricsAddr), "metrics-addr", "is %q: write HOST:PORT, such as 127.0.0.1:9464", s.MetricsAddr)
	}
	p.unless(s.MetricsToken == "" || len(s.MetricsToken) >= 16, "metrics-token", "is too short: use 16 random characters or more")
}

// isAddr reports whether s is HOST:PORT or :PORT.
func isAddr(s string) bool {
	_, port, err := net.SplitHostPort(s)
	n, errPort := strconv.Atoi(port)
	return err == nil && errPort == nil && n >= 0 && n <= 65535
}

func (l Listen) checkTLS(p Problems) {
	switch {
	case l.TLSCert == "" && l.TLSKey == "":
	case l.TLSCert == "":
		p.Add("tls-cert", "is missing: a private key needs its certificate")
	case l.TLSKey == "":
		p.Add("tls-key", "is missing: a certificate needs its private key")
	default:
		if _, err := tls.LoadX509KeyPair(l.TLSCert, l.TLSKey); err != nil {
			p.Add("tls-cert", "and --tls-key can't be used (%v): name the PEM files of a certificate and its private key", err)
		}
	}
}

func (c Cluster) check(p Problems) {
	if c.NATSURL != "" {
		u, err := url.Parse(string(c.NATSURL))
		p.unless(err == nil && (u.Scheme == "nats" || u.Scheme == "tls") && u.Host != "", "nats-url",
			"is not a valid NATS URL: write nats://USER:PASSWORD@HOST:4222")
		p.unless(c.ClusterListen == "", "cluster-listen", "can't be combined with --nats-url: remove one of them")
		return
	}
	p.unless(c.ClusterListen != "" || len(c.ClusterPeers) == 0, "cluster-listen",
		"is missing: --cluster-peers needs it, as HOST:PORT")
	p.unless(c.ClusterListen == "" || len(c.ClusterSecret) >= 16, "cluster-secret",
		"is missing or too short: set the same 16 random characters or more on each node")
	for _, address := range append([]string{c.ClusterListen}, c.ClusterPeers...) {
		_, port, err := net.SplitHostPort(address)
		n, errPort := strconv.Atoi(port)
		ok := address == "" || err == nil && errPort == nil && n > 0 && n <= 65535
		p.unless(ok, "cluster-listen", "or --cluster-peers has %q: write each as HOST:PORT", address)
	}
}

// isOrigin reports whether s is scheme://host[:port] without a path.
func isOrigin(s string) bool {
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && s == u.Scheme+"://"+u.Host
}

// Check adds every invalid setting to p.
func (l Logs) Check(p Problems) {
	p.unless(l.LogFormat == "text" || l.LogFormat == "json", "log-format", "is %q: use text or json", l.LogFormat)
	p.unless(l.LogSlow >= 0, "log-slow", "is %s: use a duration such as 1s, or 0s", l.LogSlow)
	p.unless(new(slog.Level).UnmarshalText([]byte(l.LogLevel)) == nil, "log-level", "is %q: use debug, info, warn or error", l.LogLevel)
}
