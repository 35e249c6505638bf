package app

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/notify/fake"
)

// tempFile writes a temporary file and returns its name.
func tempFile(t *testing.T, text []byte) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// complete returns valid settings with every provider configured.
func complete(t *testing.T) Config {
	t.Helper()
	f, err := fake.NewFCM()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	credentials, err := f.Credentials()
	if err != nil {
		t.Fatal(err)
	}
	c := Default()
	c.SMSProvider, c.MailProvider, c.PushProvider = "twilio", "smtp", "fcm"
	c.FCMCredentials, c.FCMURL = tempFile(t, credentials), f.URL
	c.TwilioSID, c.TwilioToken, c.TwilioFrom = fake.TwilioSID, "hunter22", "+15550100009"
	c.WebhookURL, c.WebhookHeaders = "https://sms.example.org/?key=hunter22", "X-Key: hunter22"
	c.WebhookBody = `{"to":"{{to}}","text":"{{body}}"}`
	c.SMTPAddr, c.SMTPUser, c.SMTPPassword, c.MailFrom = "smtp.example.org:587", "me", "hunter22", "Office <office@example.org>"
	return c
}

func TestProvidersOfTheSettings(t *testing.T) {
	t.Parallel()
	for sms, want := range map[string]string{"twilio": "fcm smtp twilio", "webhook": "fcm smtp webhook", "local": "fcm smtp"} {
		c, p := complete(t), Problems{}
		c.SMSProvider = sms
		c.Check(p)
		var names []string
		for _, made := range c.senders(clock.System, p) {
			names = append(names, made.Name())
		}
		slices.Sort(names)
		if len(p) > 0 || strings.Join(names, " ") != want {
			t.Errorf("providers with %s: got %v, %v, want %s", sms, names, p, want)
		}
	}
	if n := len(Default().senders(clock.System, Problems{})); n != 0 {
		t.Errorf("the default settings have %d providers, want 0", n)
	}
}

func TestCheckOfProviders(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*Config)
		want   map[string]string
	}{
		"none set": {func(c *Config) {
			c.FCM, c.Twilio, c.SMTP = FCM{}, Twilio{}, SMTP{SMTPTLS: "starttls"}
		}, map[string]string{"fcm-credentials": "service account", "twilio-sid": "Account SID", "twilio-token": "Auth Token",
			"twilio-from": "+1555", "smtp-addr": "HOST:PORT"}},
		"names": {func(c *Config) { c.SMSProvider, c.MailProvider, c.PushProvider = "sms", "mail", "push" },
			map[string]string{"sms-provider": "twilio", "mail-provider": "smtp", "push-provider": "fcm"}},
		"no file":      {func(c *Config) { c.FCMCredentials = "none.json" }, map[string]string{"fcm-credentials": "can't be read"}},
		"not the file": {func(c *Config) { c.FCMCredentials = "config.go" }, map[string]string{"fcm-credentials": "not JSON"}},
		"clear FCM":    {func(c *Config) { c.FCMURL = "http://fcm.example.org" }, map[string]string{"fcm-url": "https"}},
		"clear Twilio": {func(c *Config) { c.TwilioURL = "http://twilio.example.org" }, map[string]string{"twilio-url": "https"}},
		"no webhook":   {func(c *Config) { c.SMSProvider, c.WebhookURL = "webhook", "" }, map[string]string{"webhook-url": "{{to}}"}},
		"clear webhook": {func(c *Config) { c.SMSProvider, c.WebhookURL = "webhook", "http://sms.example.org/?key=hunter22" },
			map[string]string{"webhook-url": "https"}},
		"bad template": {func(c *Config) { c.SMSProvider, c.WebhookBody = "webhook", `{"to":{{to}},"key":"hunter22"}` },
			map[string]string{"webhook-body": "inside quotes"}},
		"clear mail":  {func(c *Config) { c.SMTPTLS = "none" }, map[string]string{"smtp-tls": "this machine"}},
		"local mail":  {func(c *Config) { c.SMTPTLS, c.SMTPAddr = "none", "127.0.0.1:25" }, nil},
		"how":         {func(c *Config) { c.SMTPTLS = "ssl" }, map[string]string{"smtp-tls": "starttls"}},
		"no password": {func(c *Config) { c.SMTPPassword = "" }, map[string]string{"smtp-password": "missing"}},
		"no user":     {func(c *Config) { c.SMTPUser = "" }, map[string]string{"smtp-user": "missing"}},
		"from":        {func(c *Config) { c.MailFrom = "Office" }, map[string]string{"mail-from": "Name <address>"}},
		"ca":          {func(c *Config) { c.SMTPCA = "config.go" }, map[string]string{"smtp-ca": "PEM"}},
		"caps": {func(c *Config) { c.SMSPerDay, c.EmailPerDay = -1, -1 },
			map[string]string{"sms-per-day": "0 for no limit", "email-per-day": "0 for no limit"}},
		"web push": {func(c *Config) { c.WebPush, c.WebPushContact = "yes", "the office" },
			map[string]string{"web-push": "on or off", "web-push-contact": "e-mail address"}},
		"web push contact": {func(c *Config) { c.WebPushContact = "https://school.example.org/contact" }, nil},
		"lease":            {func(c *Config) { c.JobLease = 0 }, map[string]string{"job-lease": "1m"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, p := complete(t), Problems{}
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
			raw, err := json.Marshal(c)
			if err != nil {
				t.Fatal(err)
			}
			if all := fmt.Sprintf("%v %+v %#v %s %v", p, c, c, raw, slog.AnyValue(c.LogValue())); strings.Contains(all, "hunter22") {
				t.Errorf("a secret is quoted: %s", all)
			}
		})
	}
}

func TestTheLowerLimitWins(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ operator, school, want int }{{0, 0, 0}, {5, 0, 5}, {0, 7, 7}, {5, 7, 5}, {7, 5, 5}} {
		if got := lower(tt.operator, tt.school); got != tt.want {
			t.Errorf("lower limit of %+v: got %d", tt, got)
		}
	}
}

func TestEveryTypeHasAChannel(t *testing.T) {
	t.Parallel()
	for kind, name := range channels {
		if channelID(string(kind)) != name || !strings.HasPrefix(name, "service_") {
			t.Errorf("channel of %s: got %s, want %s with the prefix service_", kind, channelID(string(kind)), name)
		}
	}
	if got := channelID(""); got != "service_announcements" {
		t.Errorf("channel of an unknown type: got %s", got)
	}
}
