package app

import (
	"cmp"
	"net/netip"
	"path/filepath"
	"reflect"
	"strconv"
	"time"
)

// Config holds every setting of the service. Each field is a flag, defined by
// its tags, and an environment variable (see EnvName). Call Check before use.
type Config struct {
	Demo    bool `group:"run" help:"Fill an empty database with demo schools and accounts, and show sent messages at /dev/outbox. Listens on 127.0.0.1 unless --addr is set. Refuses a database with real accounts."`
	Workers int  `group:"run" default:"8" placeholder:"N" help:"Number of background jobs that run at the same time."`

	JobLease time.Duration `group:"run" default:"1m" placeholder:"TIME" help:"Time after which the jobs of a node that stopped responding are run again."`

	Store
	Backups
	Retention
	Listen
	Scrape
	Maps
	Cluster
	Rates
	Sending
	FCM
	Browsers
	Twilio
	Webhook
	Webhooks
	SMTP
	Caps
	Files
	Logs
	Traces
}

// Store is the database, the keys and the data directory.
type Store struct {
	Data              string `group:"store" default:"./data" placeholder:"DIR" help:"Data directory: the embedded database, the keys and uploaded files."`
	DatabaseURL       DSN    `group:"store" placeholder:"URL" help:"Database: sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME. Default: homeroom.db in the data directory."`
	DatabaseSignalURL DSN    `group:"store" placeholder:"URL" help:"Direct connection to the same PostgreSQL database, for signals between nodes and for backups, if --database-url goes through a pooler in transaction mode. Default: --database-url."`
	DBMaxConns        int    `name:"db-max-conns" group:"store" default:"0" placeholder:"N" help:"Maximum number of database connections. 0: chosen by the service."`
	Keys              Secret `group:"store" placeholder:"KID:SECRET,..." help:"Keys that sign tokens; the first signs new ones. Default: keys.json in the data directory, created at the first start. Use the environment variable: command lines are visible to other users."`
}

// Backups are made on a schedule, continuously, or by super-administrators in the web app.
type Backups struct {
	BackupDir        string        `group:"store" placeholder:"DIR" help:"Directory of backups, best on another disk. Default: backups in the data directory."`
	BackupKeep       int           `group:"store" default:"7" placeholder:"N" help:"Number of backups to keep, and of days that --backup-continuous can restore; older ones are deleted. 0: keep all."`
	BackupEvery      time.Duration `group:"store" default:"0s" placeholder:"TIME" help:"Make a backup this often, such as 24h, and check that it can be restored. 0s: never."`
	BackupContinuous bool          `group:"store" help:"Copy each change of an SQLite database to S3 or --backup-dir about a second later. For PostgreSQL, see docs/backup.md."`

	BackupS3Endpoint  string `name:"backup-s3-endpoint" group:"store" placeholder:"URL" help:"S3 endpoint for backups, such as https://s3.eu-central-1.amazonaws.com."`
	BackupS3Bucket    string `name:"backup-s3-bucket" group:"store" placeholder:"NAME" help:"S3 bucket for backups of this installation only. Default: backups are only in --backup-dir."`
	BackupS3Region    string `name:"backup-s3-region" group:"store" default:"us-east-1" placeholder:"NAME" help:"S3 region for backups."`
	BackupS3AccessKey string `name:"backup-s3-access-key" group:"store" placeholder:"KEY" help:"S3 access key for backups."`
	BackupS3SecretKey Secret `name:"backup-s3-secret-key" group:"store" placeholder:"TEXT" help:"S3 secret key for backups. Use the environment variable."`
	BackupS3PathStyle bool   `name:"backup-s3-path-style" group:"store" help:"Use path-style S3 URLs for backups, as MinIO and others need."`
}

// Retention is how many days large tables are kept. 0 means as long as the school.
type Retention struct {
	KeepNotifications int `group:"store" default:"180" placeholder:"DAYS" help:"Days to keep notifications in the apps. 0: as long as the school."`
	KeepDeliveries    int `group:"store" default:"90" placeholder:"DAYS" help:"Days to keep finished text messages, e-mails and pushes. 0: as long as the school."`
	KeepWebhooks      int `group:"store" default:"30" placeholder:"DAYS" help:"Days to keep the deliveries of webhooks. 0: as long as the school."`
	KeepTracks        int `group:"store" default:"400" placeholder:"DAYS" help:"Days to keep positions of buses. 0: as long as the school."`
	KeepAudit         int `group:"store" default:"0" placeholder:"DAYS" help:"Days to keep the audit log and the log of who read what, at least 365. 0: as long as the school."`
	KeepAttendance    int `group:"store" default:"0" placeholder:"DAYS" help:"Days to keep attendance, at least 800: this school year and the last one. 0: as long as the school."`
}

// days are whole days as a duration.
func days(n int) time.Duration { return time.Duration(n) * 24 * time.Hour }

// Listen is the HTTP listener: address, TLS, proxies, CORS and timeouts.
type Listen struct {
	Addr            string         `group:"listen" placeholder:"HOST:PORT" help:"Address to listen on. Default: :3001 (all interfaces); with --demo 127.0.0.1:3001."`
	PublicURL       string         `group:"listen" placeholder:"URL" help:"Public URL of the service, for links in e-mails. Default: localhost and the port."`
	TLSCert         string         `name:"tls-cert" group:"listen" placeholder:"FILE" help:"TLS certificate (PEM). Reloaded on SIGHUP."`
	TLSKey          string         `name:"tls-key" group:"listen" placeholder:"FILE" help:"Private key (PEM) of the TLS certificate."`
	TrustedProxies  []netip.Prefix `group:"listen" placeholder:"CIDR" help:"Trusted proxies, as networks: their X-Forwarded-For and X-Forwarded-Proto are used."`
	Origins         []string       `group:"listen" placeholder:"ORIGIN" help:"Allowed CORS origins, such as https://admin.example.org. Demo mode adds localhost."`
	RequestTimeout  time.Duration  `group:"listen" default:"30s" placeholder:"TIME" help:"Request timeout."`
	ShutdownTimeout time.Duration  `group:"listen" default:"10s" placeholder:"TIME" help:"Shutdown grace period for running requests and jobs."`
	DrainDelay      time.Duration  `group:"listen" default:"0s" placeholder:"TIME" help:"Time to keep accepting requests after /readyz fails, so that load balancers notice."`
}

// Scrape is where Prometheus scrapes metrics. Without either setting they are not served.
type Scrape struct {
	MetricsAddr  string `group:"listen" placeholder:"HOST:PORT" help:"Address of a separate listener for /metrics, in a private network. Default: none."`
	MetricsToken Secret `group:"listen" placeholder:"TEXT" help:"Bearer token for /metrics on --addr, at least 16 characters. Default: /metrics is 404 there. Use the environment variable."`
}

// Maps are real maps in place of the schematic ones.
type Maps struct {
	MapTiles       string `group:"listen" placeholder:"URL" help:"Server of map tiles, such as https://tiles.example.org/{z}/{x}/{y}.png. Browsers load tiles from it. Default: schematic maps, which load nothing."`
	MapAttribution string `group:"listen" placeholder:"TEXT" help:"Text on maps that the owner of the tiles asks for, such as © OpenStreetMap contributors."`
}

// Cluster connects the nodes of one installation, for live messages such as bus
// positions. A single node needs none of it.
type Cluster struct {
	ClusterListen string   `group:"cluster" placeholder:"HOST:PORT" help:"Address for traffic between nodes, in a private network. Several nodes on one PostgreSQL need it, or --nats-url."`
	ClusterPeers  []string `group:"cluster" placeholder:"HOST:PORT" help:"Addresses of some other nodes; the rest are discovered."`
	ClusterSecret Secret   `group:"cluster" placeholder:"TEXT" help:"Shared secret of the nodes, at least 16 random characters. Use the environment variable."`
	NodeName      string   `group:"cluster" placeholder:"NAME" help:"Name of this node in the web app. Default: the host name."`
	NATSURL       Secret   `name:"nats-url" group:"cluster" placeholder:"URL" help:"External NATS server instead of the embedded one, such as nats://USER:PASSWORD@HOST:4222."`
}

// Rates are the rate limits (0: no limit) and limits of sign-in.
type Rates struct {
	RateAuth      int `group:"rates" default:"10" placeholder:"N" help:"Sign-in requests a minute per IP address."`
	RateRead      int `group:"rates" default:"100" placeholder:"N" help:"Reads a minute per user."`
	RateWrite     int `group:"rates" default:"30" placeholder:"N" help:"Writes a minute per user."`
	RatePosition  int `group:"rates" default:"120" placeholder:"N" help:"Uploads of positions a minute per driver, besides other writes."`
	RateSocket    int `group:"rates" default:"10" placeholder:"N" help:"Events a second per socket."`
	RateHandshake int `group:"rates" default:"50" placeholder:"N" help:"New sockets a second per IP address before sign-in; ten times as many at once."`
	RateOTP       int `name:"rate-otp" group:"rates" default:"10" placeholder:"N" help:"Sign-in codes an hour per phone, at least a minute apart (except in demo mode)."`

	SessionDays         int  `group:"rates" default:"90" placeholder:"N" help:"Maximum age of a session in days, however often it is refreshed."`
	RequireSecondFactor bool `group:"rates" help:"Require a second factor for super-administrators. Schools have their own setting."`
}

// Sending names the providers of messages and file storage.
type Sending struct {
	SMSProvider  string `name:"sms-provider" group:"sending" default:"local" placeholder:"NAME" help:"SMS provider: local (only records messages), twilio or webhook."`
	MailProvider string `group:"sending" default:"local" placeholder:"NAME" help:"E-mail provider: local (only records messages) or smtp."`
	PushProvider string `group:"sending" default:"local" placeholder:"NAME" help:"Push provider: local (only records messages) or fcm."`
	FileProvider string `group:"sending" default:"local" placeholder:"NAME" help:"File storage: local (the data directory) or s3."`
}

// FCM configures Firebase Cloud Messaging, the push provider.
type FCM struct {
	FCMCredentials string `name:"fcm-credentials" group:"sending" placeholder:"FILE" help:"Service account key file (JSON) for Firebase Cloud Messaging."`
	FCMURL         string `name:"fcm-url" group:"sending" placeholder:"URL" help:"URL of Firebase Cloud Messaging, for a proxy or a test. Default: Google's."`
}

// Browsers configures Web Push, which needs no provider.
type Browsers struct {
	WebPush         string `name:"web-push" group:"sending" default:"on" placeholder:"on|off" help:"Web Push to browsers: on or off. off deletes the subscriptions of browsers."`
	WebPushContact  string `name:"web-push-contact" group:"sending" placeholder:"ADDRESS" help:"E-mail address or https URL of the operator, told to the push services of browsers. Default: the address of --mail-from, or --public-url."`
	WebPushLoopback bool   `name:"web-push-loopback" group:"sending" help:"Also accept push services on this machine, for tests and development."`
}

// Twilio configures the SMS provider of that name.
type Twilio struct {
	TwilioSID   string `name:"twilio-sid" group:"sending" placeholder:"AC..." help:"Twilio account SID."`
	TwilioToken Secret `name:"twilio-token" group:"sending" placeholder:"TEXT" help:"Twilio auth token. Use the environment variable."`
	TwilioFrom  string `name:"twilio-from" group:"sending" placeholder:"NUMBER" help:"Twilio sender: number, sender name or messaging service (MG...)."`
	TwilioURL   string `name:"twilio-url" group:"sending" placeholder:"URL" help:"URL of Twilio, for a proxy or a test. Default: Twilio's."`
}

// Webhook configures any SMS gateway with an HTTP API. URL, headers and body are
// secrets because they may contain API keys.
type Webhook struct {
	WebhookURL     Secret `name:"webhook-url" group:"sending" placeholder:"URL" help:"URL of an SMS gateway. URL, headers and body may contain {{to}}, {{body}} and {{id}}, which are escaped for their place."`
	WebhookMethod  string `name:"webhook-method" group:"sending" default:"POST" placeholder:"METHOD" help:"HTTP method of the webhook: GET, POST or PUT."`
	WebhookHeaders Secret `name:"webhook-headers" group:"sending" placeholder:"LINES" help:"Headers of the webhook, Name: value, separated by a line break or \\n."`
	WebhookBody    Secret `name:"webhook-body" group:"sending" placeholder:"TEXT" help:"Body of the webhook: JSON, or as the Content-Type header says."`
	WebhookStatus  string `name:"webhook-status" group:"sending" placeholder:"CODES" help:"Status codes that mean success, such as 200,202. Default: 200 to 299."`
	WebhookSuccess string `name:"webhook-success" group:"sending" placeholder:"TEXT" help:"Text that a successful response contains, for gateways that always answer 200."`
}

// Webhooks are the URLs of other systems that schools register for events.
type Webhooks struct {
	PrivateWebhooks bool `group:"sending" help:"Also send the events of schools to private networks and this machine, and by http. Anyone who may change a school's settings can then reach them."`
}

// SMTP configures the mail server.
type SMTP struct {
	SMTPAddr     string `name:"smtp-addr" group:"sending" placeholder:"HOST:PORT" help:"SMTP server: port 587 with starttls, 465 with tls."`
	SMTPTLS      string `name:"smtp-tls" group:"sending" default:"starttls" placeholder:"HOW" help:"SMTP encryption: starttls, tls, or none if the server is on this machine."`
	SMTPUser     string `name:"smtp-user" group:"sending" placeholder:"NAME" help:"SMTP user name. Default: no authentication."`
	SMTPPassword Secret `name:"smtp-password" group:"sending" placeholder:"TEXT" help:"SMTP password. Use the environment variable."`
	SMTPCA       string `name:"smtp-ca" group:"sending" placeholder:"FILE" help:"CA certificate (PEM) of the SMTP server, if the system does not trust it."`
	MailFrom     string `name:"mail-from" group:"sending" placeholder:"ADDRESS" help:"Sender of e-mails: ADDRESS, or Name <ADDRESS>."`
}

// Caps limit the messages of one school per day (0: no limit). A school may set
// lower limits. Sign-in messages do not count.
type Caps struct {
	SMSPerDay   int `name:"sms-per-day" group:"sending" default:"0" placeholder:"N" help:"Maximum number of SMS a day per school. 0: no limit."`
	EmailPerDay int `name:"email-per-day" group:"sending" default:"0" placeholder:"N" help:"Maximum number of e-mails a day per school. 0: no limit."`
}

// Files are the upload limits and the settings of S3.
type Files struct {
	MaxUpload      int `group:"sending" default:"10" placeholder:"MIB" help:"Maximum size of an uploaded file in MiB."`
	FilesPerSchool int `group:"sending" default:"20480" placeholder:"MIB" help:"Maximum size of all files of a school in MiB. 0: no limit."`

	FilesUnattached int `group:"sending" default:"100" placeholder:"MIB" help:"Maximum size of a user's unattached uploads in MiB; they are deleted after a day. 0: no limit."`

	S3Endpoint  string `name:"s3-endpoint" group:"sending" placeholder:"URL" help:"S3 endpoint, such as https://s3.eu-central-1.amazonaws.com."`
	S3Bucket    string `name:"s3-bucket" group:"sending" placeholder:"NAME" help:"S3 bucket, used by this installation only."`
	S3Region    string `name:"s3-region" group:"sending" default:"us-east-1" placeholder:"NAME" help:"S3 region."`
	S3AccessKey string `name:"s3-access-key" group:"sending" placeholder:"KEY" help:"S3 access key."`
	S3SecretKey Secret `name:"s3-secret-key" group:"sending" placeholder:"TEXT" help:"S3 secret key. Use the environment variable."`
	S3PathStyle bool   `name:"s3-path-style" group:"sending" help:"Use path-style S3 URLs (bucket in the path), as MinIO and others need."`
}

// Logs configures logging to standard error, and CPU profiling.
type Logs struct {
	LogFormat string `group:"logs" default:"text" placeholder:"text|json" help:"Log format: text or json."`
	LogLevel  string `group:"logs" default:"info" placeholder:"LEVEL" help:"Log level: debug, info, warn or error."`

	LogSlow time.Duration `group:"logs" default:"1s" placeholder:"TIME" help:"Log database queries that take at least this long, without their arguments. 0s: none."`

	CPUProfile string `name:"cpu-profile" group:"logs" placeholder:"FILE" help:"Write a CPU profile to this file, for go tool pprof."`
}

// Traces configures the export of OpenTelemetry traces. Without a URL there are none.
type Traces struct {
	TracesURL         string  `group:"logs" placeholder:"URL" help:"OpenTelemetry collector for traces (OTLP over HTTP, JSON), such as http://127.0.0.1:4318/v1/traces. Default: no traces."`
	TracesShare       float64 `group:"logs" default:"0.01" placeholder:"N" help:"Share of requests and jobs that are traced, from 0 to 1."`
	TracesHeaders     Secret  `group:"logs" placeholder:"NAME=VALUE,..." help:"Headers for the collector, such as an API key. Use the environment variable."`
	TracesFromProxies bool    `group:"logs" help:"Let --trusted-proxies decide what is traced, by their traceparent header. They must remove that header from requests of clients."`
}

// The files of the data directory.
const (
	databaseFile = "homeroom.db"
	keysFile     = "keys.json"
	lockFile     = "homeroom.lock"
	filesDir     = "files" // uploads
	backupsDir   = "backups"
)

// URL returns the database URL, or the default: a file in the data directory.
func (s Store) URL() DSN {
	if s.DatabaseURL != "" {
		return s.DatabaseURL
	}
	return DSN("sqlite:" + s.file(databaseFile))
}

// direct returns the URL of a connection that no other client shares.
func (s Store) direct() DSN { return cmp.Or(s.DatabaseSignalURL, s.URL()) }

// KeysFile is the path of the keys file, used if Keys is empty.
func (s Store) KeysFile() string { return s.file(keysFile) }

func (s Store) file(name string) string { return filepath.Join(s.Data, name) }

// addr returns the address to listen on. Demo passwords are public, so demo mode
// listens on the loopback interface by default.
func (c Config) addr() string {
	switch {
	case c.Addr != "":
		return c.Addr
	case c.Demo:
		return "127.0.0.1:3001"
	}
	return ":3001"
}

// Default returns the default settings, from the tags.
func Default() Config {
	var c Config
	setDefaults(reflect.ValueOf(&c).Elem())
	return c
}

func setDefaults(v reflect.Value) {
	for f, field := range v.Fields() {
		text := f.Tag.Get("default")
		switch at := field.Addr().Interface().(type) {
		case *string:
			*at = text
		case *int:
			*at, _ = strconv.Atoi(text) // without a default: 0
		case *float64:
			*at, _ = strconv.ParseFloat(text, 64)
		case *time.Duration:
			*at, _ = time.ParseDuration(text)
		default:
			if field.Kind() == reflect.Struct {
				setDefaults(field)
			}
		}
	}
}
