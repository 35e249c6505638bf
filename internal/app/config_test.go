package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestDefaultsAreGood(t *testing.T) {
	t.Parallel()
	p := Problems{}
	Default().Check(p)
	if len(p) > 0 {
		t.Errorf("problems with the defaults: %v", p)
	}
	if c := Default(); c.addr() != ":3001" || c.RateAuth != 10 || c.ShutdownTimeout != 10*time.Second || c.URL() != "sqlite:data/homeroom.db" {
		t.Errorf("the defaults are not those of the specification: %v", c)
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*Config)
		want   map[string]string // a part of each problem, by flag
	}{
		"all at once": {func(c *Config) {
			c.Data, c.Addr, c.Workers, c.RateAuth, c.RateOTP, c.DBMaxConns = "", "nowhere", 0, -1, -2, -3
			c.LogFormat, c.LogLevel, c.SMSProvider, c.PublicURL = "xml", "loud", "pigeon", "ftp://x"
			c.Origins = []string{"https://fine.example", "https://path.example/x"}
			c.RequestTimeout, c.ShutdownTimeout, c.DrainDelay, c.TLSKey = 0, -1, -1, "key.pem"
		}, map[string]string{
			"data": "name a directory", "addr": "HOST:PORT", "workers": "1 to 1000", "rate-auth": "0 for no limit", "rate-otp": "0 for no limit",
			"db-max-conns": "or 0", "log-format": "text or json", "log-level": "debug", "sms-provider": "local, twilio or webhook",
			"public-url": "https://", "origins": "https://path.example/x", "request-timeout": "30s", "shutdown-timeout": "10s",
			"drain-delay": "0s", "tls-cert": "certificate",
		}},
		"no certificate": {func(c *Config) { c.TLSCert, c.TLSKey = "none.pem", "none.key" }, map[string]string{"tls-cert": "PEM"}},
		"no key":         {func(c *Config) { c.TLSCert = "none.pem" }, map[string]string{"tls-key": "private key"}},
		"port":           {func(c *Config) { c.Addr = ":70000" }, map[string]string{"addr": ":70000"}},
		"no file":        {func(c *Config) { c.DatabaseURL = "sqlite:" }, map[string]string{"database-url": "has no path"}},
		"no host":        {func(c *Config) { c.DatabaseURL = "postgres:///db" }, map[string]string{"database-url": "has no host"}},
		"socket":         {func(c *Config) { c.DatabaseURL = "postgres:///db?host=/run/pg" }, nil},
		"no database": {func(c *Config) { c.DatabaseURL = "postgres://u:hunter22@h" },
			map[string]string{"database-url": "has no database name"}},
		"unreadable":       {func(c *Config) { c.DatabaseURL = "postgres://u:hunter22%zz@h/db" }, map[string]string{"database-url": "%25"}},
		"another database": {func(c *Config) { c.DatabaseURL = "mysql://u:hunter22@h/db" }, map[string]string{"database-url": "sqlite:PATH"}},
		"keywords":         {func(c *Config) { c.DatabaseURL = "host=h password=hunter22" }, map[string]string{"database-url": "sqlite:PATH"}},
		"nodes": {func(c *Config) {
			c.ClusterListen, c.ClusterSecret, c.ClusterPeers = ":4222", "hunter22hunter22", []string{"b:4222"}
		}, nil},
		"nodes, no secret": {func(c *Config) { c.ClusterListen, c.ClusterSecret = ":4222", "hunter22" },
			map[string]string{"cluster-secret": "16 random"}},
		"peers alone": {func(c *Config) { c.ClusterPeers = []string{"b:4222"} },
			map[string]string{"cluster-listen": "HOST:PORT"}},
		"a peer's address": {func(c *Config) {
			c.ClusterListen, c.ClusterSecret, c.ClusterPeers = ":4222", "hunter22hunter22", []string{"b"}
		}, map[string]string{"cluster-listen": `"b"`}},
		"continuous backup":    {func(c *Config) { c.BackupContinuous, c.BackupDir = true, "/mnt/backups" }, nil},
		"lost with the server": {func(c *Config) { c.BackupContinuous = true }, map[string]string{"backup-continuous": "--backup-s3-bucket"}},
		"continuous backup of PostgreSQL": {func(c *Config) {
			c.BackupContinuous, c.BackupDir, c.DatabaseURL = true, "/mnt/backups", "postgres://u:hunter22@h/db"
		}, map[string]string{"backup-continuous": "pgBackRest"}},
		"wrong backups": {func(c *Config) {
			c.BackupKeep, c.BackupEvery, c.BackupS3Bucket, c.BackupS3Endpoint = -1, time.Minute, "b", "nowhere"
		},
			map[string]string{"backup-keep": "0 to keep all", "backup-every": "24h", "backup-s3-access-key": "create one",
				"backup-s3-secret-key": "belongs to", "backup-s3-endpoint": "URL"}},
		"metrics": {func(c *Config) { c.MetricsAddr, c.MetricsToken = "127.0.0.1:9464", "hunter22hunter22" }, nil},
		"wrong metrics": {func(c *Config) { c.MetricsAddr, c.MetricsToken = "9464", "hunter22" },
			map[string]string{"metrics-addr": "HOST:PORT", "metrics-token": "16"}},
		"traces": {func(c *Config) {
			c.TracesURL, c.TracesShare, c.TracesHeaders = "https://otlp.example.org/v1/traces", 1, "api-key=hunter22"
		}, nil},
		"a collector in the network": {func(c *Config) { c.TracesURL = "http://collector:4318/v1/traces" }, nil},
		"wrong traces": {func(c *Config) {
			c.TracesURL, c.TracesShare, c.TracesHeaders, c.TracesFromProxies = "http://127.0.0.1:4318", 1.5, "hunter22", true
		}, map[string]string{"traces-url": "/v1/traces", "traces-share": "0 to 1", "traces-headers": "NAME=VALUE",
			"traces-from-proxies": "--trusted-proxies"}},
		"no share of traces": {func(c *Config) { c.TracesShare = math.NaN() }, map[string]string{"traces-share": "0 to 1"}},
		"a key for traces in the URL": {func(c *Config) { c.TracesURL = "https://u:hunter22@h/v1/traces" },
			map[string]string{"traces-url": "--traces-headers"}},
		"a key for traces in clear text": {func(c *Config) {
			c.TracesURL, c.TracesHeaders = "http://collector:4318/v1/traces", "api-key=hunter22"
		}, map[string]string{"traces-url": "https"}},
		"another bus": {func(c *Config) { c.NATSURL = "nats://u:hunter22@h:4222" }, nil},
		"no bus":      {func(c *Config) { c.NATSURL = "redis://u:hunter22@h" }, map[string]string{"nats-url": "nats://"}},
		"two buses": {func(c *Config) { c.NATSURL, c.ClusterListen = "nats://h:4222", ":4222" },
			map[string]string{"cluster-listen": "can't be combined with --nats-url"}},
		"short key":         {func(c *Config) { c.Keys = "k:aHVudGVyMjI=" }, map[string]string{"keys": "at least 32"}},
		"key without a kid": {func(c *Config) { c.Keys = "hunter22" }, map[string]string{"keys": "kid:secret"}},
		"signals of SQLite": {func(c *Config) { c.DatabaseSignalURL = "postgres://u:hunter22@h/db" },
			map[string]string{"database-signal-url": "only for PostgreSQL"}},
		"signals without a database": {func(c *Config) { c.DatabaseURL, c.DatabaseSignalURL = "postgres://h/db", "postgres://u:hunter22@h" },
			map[string]string{"database-signal-url": "has no database name"}},
		"signals":           {func(c *Config) { c.DatabaseURL, c.DatabaseSignalURL = "postgres://h/db", "postgres://u:hunter22@h/db" }, nil},
		"a good PostgreSQL": {func(c *Config) { c.DatabaseURL = "postgresql://u:hunter22@h:5432/db?sslmode=disable" }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, p := Default(), Problems{}
			tt.change(&c)
			c.Check(p)
			if got, want := slices.Sorted(maps.Keys(p)), slices.Sorted(maps.Keys(tt.want)); !slices.Equal(got, want) {
				t.Errorf("problems with %v, want %v: %v", got, want, p)
			}
			for flag, part := range tt.want {
				if !strings.Contains(p[flag], part) {
					t.Errorf("%s %s: %q is missing", flag, p[flag], part)
				}
			}
			if all := fmt.Sprint(p); strings.Contains(all, "hunter22") {
				t.Errorf("a secret is quoted: %s", all)
			}
		})
	}
}

func TestSecretsAreNeverPrinted(t *testing.T) {
	t.Parallel()
	for _, url := range []DSN{
		"postgres://ada:hunter22@db:5432/school?sslmode=disable", "postgres://db/school?password=hunter22&user=ada",
		"postgres://ada:hunter22%zz@db/school", "mysql://ada:hunter22@db/school", "hunter22",
	} {
		c := Default()
		c.DatabaseURL, c.DatabaseSignalURL, c.Keys, c.Addr = url, url, "k1:hunter22", "127.0.0.1:80"
		var log bytes.Buffer
		Logs{LogFormat: "json", LogLevel: "debug"}.Logger(&log).Debug("settings", "config", c)
		marshalled, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprintf("%v %+v %#v %s %q %x %s %s", c, c, c, c.DatabaseURL, c.Keys, c.Keys, marshalled, log.String())
		for _, secret := range []string{"hunter22", fmt.Sprintf("%x", "hunter22")} {
			if strings.Contains(text, secret) {
				t.Errorf("%q is printed: %s", secret, text)
			}
		}
		for _, want := range []string{`"Addr":"127.0.0.1:80"`, `"Keys":"xxxxx"`, `"RateAuth":10`, `"Demo":false`} {
			if !strings.Contains(log.String(), want) {
				t.Errorf("the log lacks %s: %s", want, log.String())
			}
		}
	}
	got := DSN("postgres://ada:hunter22@db:5432/school?sslmode=disable").Masked()
	if want := "postgres://ada:xxxxx@db:5432/school?sslmode=disable"; got != want {
		t.Errorf("masked URL: got %s, want %s", got, want)
	}
}

func TestScrub(t *testing.T) {
	t.Parallel()
	url := DSN("postgres://ada:hunter22@db/school")
	cause := errors.New("cannot reach " + string(url))
	err := url.scrub(fmt.Errorf("open: %w; dsn user=ada password=hunter22", cause))
	if strings.Contains(err.Error(), "hunter22") || !strings.Contains(err.Error(), "postgres://ada:xxxxx@db/school") {
		t.Errorf("not masked: %v", err)
	}
	if !errors.Is(err, cause) {
		t.Error("the cause is lost")
	}
	if plain := errors.New("no secrets here"); url.scrub(plain) != plain {
		t.Error("an error without secrets was changed")
	}
}

func TestLogMasksByName(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"text", "json"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			var out bytes.Buffer
			log := Logs{LogFormat: format, LogLevel: "info"}.Logger(&out)
			log.With("sessionToken", "hunter22").Info("hello", "password", "hunter22", "newPassword", "hunter22", "pin", 4711, "OTP", "hunter22",
				"set-pin", "hunter22", "accessToken", "hunter22", "Authorization", "Bearer hunter22", "client_secret", "hunter22",
				"Set-Cookie", "hunter22",
				slog.Group("user", "otpCode", "hunter22", "name", "Ada"), "spinning", "fast", "shipping", "slow")
			log.Debug("not this one")
			for _, bad := range []string{"hunter22", "4711", "not this one"} {
				if strings.Contains(out.String(), bad) {
					t.Errorf("%q is logged: %s", bad, out.String())
				}
			}
			for _, good := range []string{"hello", "Ada", "fast", "slow"} {
				if !strings.Contains(out.String(), good) {
					t.Errorf("%q is not logged: %s", good, out.String())
				}
			}
		})
	}
}

func TestBaseURL(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		listen Listen
		addr   string
		want   string
	}{
		{Listen{}, "[::]:3001", "http://localhost:3001"},
		{Listen{}, "0.0.0.0:80", "http://localhost:80"},
		{Listen{}, "192.168.1.7:80", "http://192.168.1.7:80"},
		{Listen{TLSCert: "c"}, "[::1]:443", "https://[::1]:443"},
		{Listen{PublicURL: "https://school.example/"}, ":1", "https://school.example"},
	} {
		if got := tt.listen.baseURL(tt.addr); got != tt.want {
			t.Errorf("%+v at %s is %s, want %s", tt.listen, tt.addr, got, tt.want)
		}
	}
}

func TestTrustedProxiesAreShown(t *testing.T) {
	t.Parallel()
	c := Default()
	c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	if got := c.LogValue().String(); !strings.Contains(got, "10.0.0.0/8") {
		t.Errorf("the settings lack the proxies: %s", got)
	}
}

func TestWhereToListen(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		demo bool
		addr string
		want string
	}{
		{false, "", ":3001"}, {true, "", "127.0.0.1:3001"}, {true, ":3001", ":3001"}, {false, "10.0.0.5:80", "10.0.0.5:80"},
	} {
		c := Default()
		c.Demo, c.Addr = tt.demo, tt.addr
		if got := c.addr(); got != tt.want {
			t.Errorf("demo %v at %q listens on %s, want %s", tt.demo, tt.addr, got, tt.want)
		}
	}
}
