package app

import (
	"log/slog"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/freeaddr"
)

// TestDoctor examines set-ups with one fault each. A finding of the fault must be there, and none
// that is wrong without it.
func TestDoctor(t *testing.T) {
	t.Parallel()
	gateway, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { gateway.Close() })
	closed := freeaddr.In(t)
	for name, tt := range map[string]struct {
		change func(t *testing.T, c *Config)
		area   string
		Severity
		text string
	}{
		"a good set-up":    {func(*testing.T, *Config) {}, "database", Fine, "sqlite 3."},
		"clock of it":      {func(*testing.T, *Config) {}, "clock", Fine, "T"},
		"provider of it":   {func(*testing.T, *Config) {}, "sms", Fine, gateway.Addr().String()},
		"backups of it":    {func(*testing.T, *Config) {}, "backups", Fine, "the newest"},
		"nothing yet":      {func(t *testing.T, c *Config) { c.Data = t.TempDir() }, "database", Fine, "the first start creates"},
		"open keys":        {mode(keysFile, 0o644), "keys", Wrong, "chmod 600"},
		"open database":    {mode(databaseFile, 0o640), "database", Wrong, "chmod 600"},
		"clock set back":   {touch(databaseFile, time.Hour), "clock", Wrong, "in the future"},
		"no backup":        {func(t *testing.T, c *Config) { c.BackupDir = t.TempDir() }, "backups", Advice, "there is none"},
		"an old backup":    {touch("backups/homeroom-1.tar.gz", -80*time.Hour), "backups", Advice, "3 days old"},
		"plain http":       {func(_ *testing.T, c *Config) { c.PublicURL = "http://school.test" }, "address", Wrong, "not encrypted"},
		"no public URL":    {func(_ *testing.T, c *Config) { c.PublicURL = "" }, "address", Advice, "http://localhost:3001"},
		"unlisted proxy":   {func(_ *testing.T, c *Config) { c.TrustedProxies = nil }, "address", Wrong, "--trusted-proxies"},
		"no certificate":   {func(_ *testing.T, c *Config) { c.TLSCert, c.TLSKey = "none.pem", "none.key" }, "tls", Wrong, "none.pem"},
		"no SMS":           {func(_ *testing.T, c *Config) { c.SMSProvider = "local" }, "sms", Advice, "--sms-provider"},
		"no mail":          {func(_ *testing.T, c *Config) { c.MailProvider = "local" }, "e-mail", Advice, "--mail-provider"},
		"unreachable SMTP": {func(_ *testing.T, c *Config) { c.SMTPAddr = closed }, "e-mail", Wrong, "can't be reached"},
		"S3 is down": {func(_ *testing.T, c *Config) {
			c.FileProvider, c.S3Endpoint, c.S3Bucket, c.S3AccessKey, c.S3SecretKey = "s3", "http://"+closed, "b", "k", "hunter22"
		}, "files", Wrong, "S3 can't be used"},
		"no copy yet": {func(t *testing.T, c *Config) { c.BackupContinuous, c.BackupDir = true, t.TempDir() },
			"backups", Wrong, "no continuous backup"},
		"damaged database": {damage, "database", Wrong, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := goodSetUp(t, gateway.Addr().String())
			tt.change(t, &c)
			found, wrong := false, 0
			all := Examine(t.Context(), c, slog.New(slog.DiscardHandler))
			for _, f := range all {
				found = found || f.Area == tt.area && f.Severity == tt.Severity && strings.Contains(f.Text, tt.text)
				if f.Severity == Wrong && f.Area != "disk" { // the machine of the test may be full
					wrong++
				}
				if strings.Contains(f.Text, "hunter22") {
					t.Errorf("a secret is shown: %s", f.Text)
				}
			}
			if !found || (wrong > 0) != (tt.Severity == Wrong) {
				t.Errorf("want %s %s %q, and wrong ones only with it; got\n%+v", tt.area, tt.Severity, tt.text, all)
			}
		})
	}
}

// TestDoctorOfPostgres wants one finding for each bad setting, and "ok" for good ones.
func TestDoctorOfPostgres(t *testing.T) {
	t.Parallel()
	good := db.Checkup{Engine: "postgres", Version: "15.4", Major: 15, Size: 500 << 20, SharedBuffers: 128 << 20, MaxConnections: 100}
	for text, tt := range map[string]struct {
		change func(*db.Checkup)
		Severity
	}{
		"postgres 15.4, 500.0 MiB":             {func(*db.Checkup) {}, Fine},
		"fsync is off: a crash":                {func(c *db.Checkup) { c.Unsafe = []string{"fsync is off"} }, Wrong},
		"PostgreSQL 14.1 is too old":           {func(c *db.Checkup) { c.Version, c.Major = "14.1", 14 }, Wrong},
		"a superuser or has BYPASSRLS":         {func(c *db.Checkup) { c.BypassesRLS = true }, Advice},
		"2 of 100 connections are left":        {func(c *db.Checkup) { c.Connections = 98 }, Advice},
		"128.0 MiB is small for a database of": {func(c *db.Checkup) { c.Size = 600 << 20 }, Advice},
	} {
		c, d := good, &doctor{now: clock.System}
		tt.change(&c)
		d.engine(c)
		if len(d.found) != 1 || d.found[0].Severity != tt.Severity || !strings.Contains(d.found[0].Text, text) {
			t.Errorf("want %s: %q, got %+v", tt.Severity, text, d.found)
		}
	}
}

// goodSetUp has a database, keys, a backup of today and providers that accept connections.
func goodSetUp(t *testing.T, gateway string) Config {
	t.Helper()
	c := Default()
	c.Data = t.TempDir()
	c.PublicURL, c.TrustedProxies = "https://school.test", []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	c.SMSProvider, c.WebhookURL = "webhook", Secret("http://user:hunter22@"+gateway+"/send?key=hunter22&to={{to}}&text={{body}}")
	c.MailProvider, c.SMTPAddr, c.SMTPTLS, c.MailFrom = "smtp", gateway, "none", "a@school.test"
	a, err := New(t.Context(), c, Deps{})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(c.backupDir(), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(c.backupDir(), "homeroom-1.tar.gz"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return c
}

func mode(file string, m os.FileMode) func(*testing.T, *Config) {
	return func(t *testing.T, c *Config) {
		if err := os.Chmod(c.file(file), m); err != nil {
			t.Fatal(err)
		}
	}
}

func touch(file string, from time.Duration) func(*testing.T, *Config) {
	return func(t *testing.T, c *Config) {
		at := clock.System().Add(from)
		if err := os.Chtimes(c.file(file), at, at); err != nil {
			t.Fatal(err)
		}
	}
}

// damage overwrites pages in the middle of the database.
func damage(t *testing.T, c *Config) {
	f, err := os.OpenFile(c.file(databaseFile), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte(strings.Repeat("x", 64<<10)), 400<<10); err != nil {
		t.Fatal(err)
	}
}

func TestHostPort(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"https://api.twilio.com": "api.twilio.com:443", "http://u:p@h:81/x?k=1": "h:81", "http://[::1]/a": "[::1]:80",
		"https://h?to={{to}}": "h:443", "smtp://mail.test:587": "mail.test:587",
	} {
		if got := hostPort(url); got != want {
			t.Errorf("%s: got %s, want %s", url, got, want)
		}
	}
}
