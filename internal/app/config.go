package app

import (
	"net/netip"
	"path/filepath"
	"reflect"
	"strconv"
	"time"
)

// Config is every setting of the service. The tags are the command line: each
// field is a flag, and the environment variable HOMEROOM_ and its name in
// capitals. Check it before use.
type Config struct {
	Demo    bool `group:"run" help:"Fill an empty database with demo schools and accounts, and show what is sent at /dev/outbox. Listens on this machine only unless --addr is set, and refuses a database with accounts of real people."`
	Workers int  `group:"run" default:"8" placeholder:"N" help:"Background jobs that run at once."`

	JobLease time.Duration `group:"run" default:"1m" placeholder:"TIME" help:"A node that is silent for this long has lost its background jobs to the others."`

	Store
	Listen
	Scrape
	Cluster
	Rates
	Sending
	FCM
	Twilio
	Webhook
	SMTP
	Caps
	Files
	Logs
}

// Store is where data is kept.
type Store struct {
	Data        string `group:"store" default:"./data" placeholder:"DIR" help:"Directory of the embedded database and the keys."`
	DatabaseURL DSN    `group:"store" placeholder:"URL" help:"sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME. Without one: the embedded database, homeroom.db in the data directory."`
	DBMaxConns  int    `name:"db-max-conns" group:"store" default:"0" placeholder:"N" help:"Connections to the database at most; 0 leaves it to the service."`
	Keys        Secret `group:"store" placeholder:"KID:SECRET,..." help:"Keys that sign tokens, the first one new tokens. Without them: the file keys.json in the data directory, made at the first start. Give them by the environment: other users of a machine can read its command lines."`
}

// Listen is how clients reach the service.
type Listen struct {
	Addr            string         `group:"listen" placeholder:"HOST:PORT" help:"Address to listen on. Not set: :3001, every address of the machine; with --demo 127.0.0.1:3001."`
	PublicURL       string         `group:"listen" placeholder:"URL" help:"Address of the service for people, used for links in e-mails. Without one: localhost and the port."`
	TLSCert         string         `name:"tls-cert" group:"listen" placeholder:"FILE" help:"Certificate (PEM) to serve HTTPS with; read again on SIGHUP."`
	TLSKey          string         `name:"tls-key" group:"listen" placeholder:"FILE" help:"Private key (PEM) of the certificate."`
	TrustedProxies  []netip.Prefix `group:"listen" placeholder:"CIDR" help:"Proxies whose X-Forwarded-For is believed."`
	Origins         []string       `group:"listen" placeholder:"ORIGIN" help:"Web sites whose pages may call the service, such as https://admin.example.org. Demo mode adds localhost."`
	RequestTimeout  time.Duration  `group:"listen" default:"30s" placeholder:"TIME" help:"A request that takes longer is given up."`
	ShutdownTimeout time.Duration  `group:"listen" default:"10s" placeholder:"TIME" help:"What running requests and jobs get to end when the service stops."`
	DrainDelay      time.Duration  `group:"listen" default:"0s" placeholder:"TIME" help:"Go on accepting requests for this long after /readyz says no, so that load balancers notice."`
}

// Scrape is how Prometheus reaches the metrics. Without either setting nobody does.
type Scrape struct {
	MetricsAddr  string `group:"listen" placeholder:"HOST:PORT" help:"Serve /metrics, and nothing else, on this address too, in your own network. Not set: no such listener."`
	MetricsToken Secret `group:"listen" placeholder:"TEXT" help:"Serve /metrics to requests with this bearer token, 16 characters or more. Not set: /metrics is 404 on --addr. Give it by the environment."`
}

// Cluster is how the nodes of one installation tell each other where buses are. A
// single node needs none of it.
type Cluster struct {
	ClusterListen string   `group:"cluster" placeholder:"HOST:PORT" help:"Address for the other nodes, in a network of their own. Several nodes on one PostgreSQL need it, or --nats-url."`
	ClusterPeers  []string `group:"cluster" placeholder:"HOST:PORT" help:"Addresses of some other nodes; the rest are learnt from them."`
	ClusterSecret Secret   `group:"cluster" placeholder:"TEXT" help:"What nodes know each other by: the same long random text on each. Give it by the environment."`
	NATSURL       Secret   `name:"nats-url" group:"cluster" placeholder:"URL" help:"A NATS server to use in place of the one that is built in, such as nats://USER:PASSWORD@HOST:4222."`
}

// Rates are calls a minute and messages an hour; 0 switches a limit off.
type Rates struct {
	RateAuth      int `group:"rates" default:"10" placeholder:"N" help:"Sign-in calls a minute from one IP address."`
	RateRead      int `group:"rates" default:"100" placeholder:"N" help:"Reads a minute by one user."`
	RateWrite     int `group:"rates" default:"30" placeholder:"N" help:"Writes a minute by one user."`
	RateSocket    int `group:"rates" default:"10" placeholder:"N" help:"Events a second on one socket."`
	RateHandshake int `group:"rates" default:"50" placeholder:"N" help:"New sockets a second from one IP address, and ten times as many at once. Those of signed-in users don't count."`
	RateOTP       int `name:"rate-otp" group:"rates" default:"10" placeholder:"N" help:"Sign-in codes an hour to one phone, a minute apart except in demo mode."`

	SessionDays         int  `group:"rates" default:"90" placeholder:"N" help:"Days after which a sign-in ends, however often it is refreshed."`
	RequireSecondFactor bool `group:"rates" help:"Super-administrators sign in with a second factor, and set one up if they have none. Schools have a setting of their own."`
}

// Sending is who carries messages and keeps files.
type Sending struct {
	SMSProvider  string `name:"sms-provider" group:"sending" default:"local" placeholder:"NAME" help:"Who sends text messages: local, which only records them, twilio or webhook."`
	MailProvider string `group:"sending" default:"local" placeholder:"NAME" help:"Who sends e-mail: local, which only records it, or smtp."`
	PushProvider string `group:"sending" default:"local" placeholder:"NAME" help:"Who sends push notifications: local, which only records them, or fcm."`
	FileProvider string `group:"sending" default:"local" placeholder:"NAME" help:"Who keeps uploaded files: local, the data directory, or s3."`
}

// FCM is Firebase Cloud Messaging, which pushes to phones.
type FCM struct {
	FCMCredentials string `name:"fcm-credentials" group:"sending" placeholder:"FILE" help:"Key file (JSON) of a service account that may send with Firebase Cloud Messaging."`
	FCMURL         string `name:"fcm-url" group:"sending" placeholder:"URL" help:"Where Firebase Cloud Messaging is reached, if not at Google itself: a proxy, or a test."`
}

// Twilio sends text messages.
type Twilio struct {
	TwilioSID   string `name:"twilio-sid" group:"sending" placeholder:"AC..." help:"Account SID at Twilio."`
	TwilioToken Secret `name:"twilio-token" group:"sending" placeholder:"TEXT" help:"Auth token at Twilio. Give it by the environment."`
	TwilioFrom  string `name:"twilio-from" group:"sending" placeholder:"NUMBER" help:"Number, sender name or messaging service (MG...) that texts come from."`
	TwilioURL   string `name:"twilio-url" group:"sending" placeholder:"URL" help:"Where Twilio is reached, if not at its own address."`
}

// Webhook is any gateway that takes text messages by HTTP. The templates may
// hold keys.
type Webhook struct {
	WebhookURL     Secret `name:"webhook-url" group:"sending" placeholder:"URL" help:"Address of a gateway for text messages. Like headers and body it may have {{to}}, {{body}} and {{id}} in it, which are escaped for where they stand."`
	WebhookMethod  string `name:"webhook-method" group:"sending" default:"POST" placeholder:"METHOD" help:"How the gateway is called: GET, POST or PUT."`
	WebhookHeaders Secret `name:"webhook-headers" group:"sending" placeholder:"LINES" help:"Headers of the call, Name: value, with a line break or \\n between them."`
	WebhookBody    Secret `name:"webhook-body" group:"sending" placeholder:"TEXT" help:"Body of the call: JSON, or what the header Content-Type says."`
	WebhookStatus  string `name:"webhook-status" group:"sending" placeholder:"CODES" help:"Statuses that mean that the message was taken, such as 200,202. Without them: any from 200 to 299."`
	WebhookSuccess string `name:"webhook-success" group:"sending" placeholder:"TEXT" help:"What the answer holds if the message was taken, for gateways whose status always says yes."`
}

// SMTP is a mail server.
type SMTP struct {
	SMTPAddr     string `name:"smtp-addr" group:"sending" placeholder:"HOST:PORT" help:"Mail server: port 587 with starttls, 465 with tls."`
	SMTPTLS      string `name:"smtp-tls" group:"sending" default:"starttls" placeholder:"HOW" help:"How the connection is encrypted: starttls, tls, or none if the mail server is on this machine."`
	SMTPUser     string `name:"smtp-user" group:"sending" placeholder:"NAME" help:"Who signs in at the mail server; without one nobody does."`
	SMTPPassword Secret `name:"smtp-password" group:"sending" placeholder:"TEXT" help:"Its password. Give it by the environment."`
	SMTPCA       string `name:"smtp-ca" group:"sending" placeholder:"FILE" help:"Certificate (PEM) of who vouches for the mail server, if this machine does not trust it anyway."`
	MailFrom     string `name:"mail-from" group:"sending" placeholder:"ADDRESS" help:"Sender of e-mails: an address, or Name <address>."`
}

// Caps are what one school may send in one of its days; 0 switches one off. A
// school may set itself a lower one. Sign-in messages do not count.
type Caps struct {
	SMSPerDay   int `name:"sms-per-day" group:"sending" default:"0" placeholder:"N" help:"Text messages that one school may send in a day; 0 for no limit."`
	EmailPerDay int `name:"email-per-day" group:"sending" default:"0" placeholder:"N" help:"E-mails that one school may send in a day; 0 for no limit."`
}

// Files is what may be uploaded, and the S3 service that keeps it, if one does.
type Files struct {
	MaxUpload      int `group:"sending" default:"10" placeholder:"MIB" help:"MiB that an uploaded file may have."`
	FilesPerSchool int `group:"sending" default:"20480" placeholder:"MIB" help:"MiB that all files of one school may have; 0 for no limit."`

	FilesUnattached int `group:"sending" default:"100" placeholder:"MIB" help:"MiB that the uploads of one user may have which are attached to nothing, and removed after a day; 0 for no limit."`

	S3Endpoint  string `name:"s3-endpoint" group:"sending" placeholder:"URL" help:"Address of a service that speaks S3, such as https://s3.eu-central-1.amazonaws.com."`
	S3Bucket    string `name:"s3-bucket" group:"sending" placeholder:"NAME" help:"Bucket for uploaded files, of this installation alone."`
	S3Region    string `name:"s3-region" group:"sending" default:"us-east-1" placeholder:"NAME" help:"Region of the bucket."`
	S3AccessKey string `name:"s3-access-key" group:"sending" placeholder:"KEY" help:"Access key at the S3 service."`
	S3SecretKey Secret `name:"s3-secret-key" group:"sending" placeholder:"TEXT" help:"Its secret. Give it by the environment."`
	S3PathStyle bool   `name:"s3-path-style" group:"sending" help:"Name the bucket in the path and not in the host, as MinIO and others want it."`
}

// Logs is what is written to standard error, and what the processor is busy with.
type Logs struct {
	LogFormat string `group:"logs" default:"text" placeholder:"text|json" help:"Log lines for people or for programs."`
	LogLevel  string `group:"logs" default:"info" placeholder:"LEVEL" help:"debug, info, warn or error."`

	CPUProfile string `name:"cpu-profile" group:"logs" placeholder:"FILE" help:"Write what the processor was busy with, from start to end, for go tool pprof."`
}

// The files of the data directory.
const (
	databaseFile = "homeroom.db"
	keysFile     = "keys.json"
	lockFile     = "homeroom.lock"
	filesDir     = "files" // what was uploaded
)

// URL is the database to open.
func (s Store) URL() DSN {
	if s.DatabaseURL != "" {
		return s.DatabaseURL
	}
	return DSN("sqlite:" + s.file(databaseFile))
}

// KeysFile is where the keys are, if they are not given.
func (s Store) KeysFile() string { return s.file(keysFile) }

func (s Store) file(name string) string { return filepath.Join(s.Data, name) }

// addr is where to listen. The demo, whose passwords everyone knows, is for this
// machine alone unless an address is given.
func (c Config) addr() string {
	switch {
	case c.Addr != "":
		return c.Addr
	case c.Demo:
		return "127.0.0.1:3001"
	}
	return ":3001"
}

// Default is the configuration of someone who sets nothing, from the tags.
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
			*at, _ = strconv.Atoi(text) // no default is 0
		case *time.Duration:
			*at, _ = time.ParseDuration(text)
		default:
			if field.Kind() == reflect.Struct {
				setDefaults(field)
			}
		}
	}
}
