package app

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"os"
	"slices"
	"strconv"

	"homeroom/internal/feature/notification"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/notify/fcm"
	"homeroom/internal/platform/notify/smtp"
	"homeroom/internal/platform/notify/twilio"
	"homeroom/internal/platform/notify/webhook"
	"homeroom/internal/platform/notify/wire"
)

// senders creates the configured providers without connecting to them, and adds
// invalid settings to p.
func (c Config) senders(now clock.Now, p Problems) map[notify.Channel]notify.Provider {
	out := map[notify.Channel]notify.Provider{}
	put := func(channel notify.Channel, made notify.Provider, ok bool) {
		if ok {
			out[channel] = made
		}
	}
	switch c.SMSProvider {
	case "local":
	case "twilio":
		made, ok := c.Twilio.provider(now, p)
		put(notify.SMS, made, ok)
	case "webhook":
		made, ok := c.Webhook.provider(now, p)
		put(notify.SMS, made, ok)
	default:
		p.Add("sms-provider", "is %q: use local, twilio or webhook", c.SMSProvider)
	}
	switch c.MailProvider {
	case "local":
	case "smtp":
		made, ok := c.SMTP.provider(now, p)
		put(notify.Email, made, ok)
	default:
		p.Add("mail-provider", "is %q: use local or smtp", c.MailProvider)
	}
	switch c.PushProvider {
	case "local":
	case "fcm":
		made, ok := c.FCM.provider(now, p)
		put(notify.Push, made, ok)
	default:
		p.Add("push-provider", "is %q: use local or fcm", c.PushProvider)
	}
	return out
}

// warnLocal warns of channels that only record what they should send. Without SMS nobody
// can sign in by code.
func (c Config) warnLocal(log *slog.Logger) {
	if c.Demo {
		return
	}
	if c.SMSProvider == "local" {
		log.Warn("no SMS is sent: sign-in codes and alerts are only recorded here and reach nobody; set --sms-provider to twilio or webhook")
	}
	if c.MailProvider == "local" {
		log.Warn("no e-mail is sent: invitations and alerts are only recorded here and reach nobody; set --mail-provider to smtp")
	}
	if c.PushProvider == "local" {
		log.Warn("no push is sent to apps: notifications are only recorded here; set --push-provider to fcm")
	}
}

func (c Caps) check(p Problems) {
	for flag, n := range map[string]int{"sms-per-day": c.SMSPerDay, "email-per-day": c.EmailPerDay} {
		p.unless(n >= 0, flag, "is %d: use a whole number, or 0 for no limit", n)
	}
}

// channels are the notification channels of the Android apps, by notification
// type. An app without that channel uses its default.
var channels = map[notification.Type]string{
	notification.Announcement: "service_announcements",
	notification.Attendance:   "service_attendance",
	notification.Result:       "service_results",
	notification.Fee:          "service_fees",
	notification.Leave:        "service_leaves",
	notification.Message:      "service_messages",
	notification.Transport:    "service_transport",
	notification.Library:      "service_library",
}

func channelID(kind string) string {
	if name, ok := channels[notification.Type(kind)]; ok {
		return name
	}
	return channels[notification.Announcement]
}

func (f FCM) provider(now clock.Now, p Problems) (*fcm.Provider, bool) {
	if f.FCMCredentials == "" {
		p.Add("fcm-credentials", "is missing: name the key file of a service account, from the Firebase console")
		return nil, false
	}
	file, err := os.ReadFile(f.FCMCredentials)
	if err != nil {
		p.Add("fcm-credentials", "can't be read (%v): name the key file of a service account", err)
		return nil, false
	}
	if f.FCMURL != "" {
		if _, err := wire.Address(f.FCMURL); err != nil {
			p.Add("fcm-url", "can't be used: %v", err)
		}
	}
	made, err := fcm.New(fcm.Options{Credentials: file, URL: f.FCMURL, Now: now, ChannelID: channelID})
	if err != nil {
		p.Add("fcm-credentials", "%v", err)
	}
	return made, err == nil
}

func (t Twilio) provider(now clock.Now, p Problems) (*twilio.Provider, bool) {
	p.unless(twilio.IsSID(t.TwilioSID), "twilio-sid", "is not an Account SID: copy it, AC and 32 digits, from Twilio's console")
	p.unless(t.TwilioToken != "", "twilio-token", "is missing: copy the Auth Token from Twilio's console")
	p.unless(twilio.IsFrom(t.TwilioFrom), "twilio-from",
		"is %q: write a number such as +15550100001, a sender name of up to 11 letters, or a messaging service, MG...", t.TwilioFrom)
	if t.TwilioURL != "" {
		if _, err := wire.Address(t.TwilioURL); err != nil {
			p.Add("twilio-url", "can't be used: %v", err)
		}
	}
	return twilio.New(twilio.Options{URL: t.TwilioURL, SID: t.TwilioSID, Token: string(t.TwilioToken), From: t.TwilioFrom, Now: now}), true
}

func (w Webhook) provider(now clock.Now, p Problems) (*webhook.Provider, bool) {
	if w.WebhookURL == "" {
		p.Add("webhook-url", "is missing: write the gateway's URL, such as https://sms.example.org/send?to={{to}}")
		return nil, false
	}
	made, err := webhook.New(webhook.Options{Method: w.WebhookMethod, URL: string(w.WebhookURL), Headers: string(w.WebhookHeaders),
		Body: string(w.WebhookBody), Status: w.WebhookStatus, Success: w.WebhookSuccess, Now: now})
	if wrong, ok := errors.AsType[webhook.Wrong](err); ok {
		flags := map[string]string{"Method": "webhook-method", "URL": "webhook-url", "Headers": "webhook-headers",
			"Body": "webhook-body", "Status": "webhook-status"}
		p.Add(flags[wrong.Field], "%v", wrong)
	}
	return made, err == nil
}

func (s SMTP) provider(now clock.Now, p Problems) (*smtp.Provider, bool) {
	host, port, err := net.SplitHostPort(s.SMTPAddr)
	n, errPort := strconv.Atoi(port)
	if err != nil || errPort != nil || host == "" || n < 1 || n > 65535 {
		p.Add("smtp-addr", "is %q: write the mail server as HOST:PORT, such as smtp.example.org:587", s.SMTPAddr)
		return nil, false
	}
	switch how := smtp.Security(s.SMTPTLS); how {
	case smtp.StartTLS, smtp.TLS:
	case smtp.None:
		p.unless(wire.Loopback(host), "smtp-tls", "is none, which is only for a mail server on this machine: use starttls or tls")
	default:
		p.Add("smtp-tls", "is %q: use starttls, tls or none", s.SMTPTLS)
	}
	p.unless(s.SMTPUser == "" || s.SMTPPassword != "", "smtp-password", "is missing: --smtp-user needs it")
	p.unless(s.SMTPUser != "" || s.SMTPPassword == "", "smtp-user", "is missing: --smtp-password needs it")
	roots := s.roots(p)
	made, err := smtp.New(smtp.Options{Host: host, Port: n, Security: smtp.Security(s.SMTPTLS), User: s.SMTPUser,
		Password: string(s.SMTPPassword), From: s.MailFrom, Roots: roots, Now: now})
	if err != nil {
		p.Add("mail-from", "is %q: write the sender as an address, or as Name <address>", s.MailFrom)
	}
	return made, err == nil
}

// roots returns the CA certificates for the mail server; nil: those of the system.
func (s SMTP) roots(p Problems) *x509.CertPool {
	if s.SMTPCA == "" {
		return nil
	}
	file, err := os.ReadFile(s.SMTPCA)
	pool := x509.NewCertPool()
	if err != nil || !pool.AppendCertsFromPEM(file) {
		p.Add("smtp-ca", "can't be used: name a PEM file with a CA certificate")
	}
	return pool
}

// newNotifier creates the notifier. connectNotifier connects it to the features later, and
// openBrowsers Web Push.
func (a *App) newNotifier() error {
	p := Problems{}
	providers := a.cfg.senders(a.Now, p)
	for _, flag := range slices.Sorted(maps.Keys(p)) {
		return fmt.Errorf("--%s %s", flag, p[flag])
	}
	a.Notify = &notify.Notifier{DB: a.DB, Now: a.Now, NewID: a.NewID, Seal: a.Keys, Log: a.Log, Providers: providers,
		KeepSecrets: a.cfg.Demo, Quota: a.quota,
		Keep: notify.Keep{Deliveries: days(a.cfg.KeepDeliveries), Notifications: days(a.cfg.KeepNotifications)}}
	return nil
}

// connectNotifier sets the callbacks for unregistered devices, for messages that
// may no longer be sent, and for exceeded quotas.
func (a *App) connectNotifier() {
	n := a.services.notification
	a.Notify.Gone, a.Notify.Lapsed, a.Notify.OverQuota = n.DeviceGone, n.Lapsed, n.OverQuota
}

// closeSenders closes the connections of the providers.
func (a *App) closeSenders() error {
	if a.Notify == nil {
		return nil
	}
	var err error
	for _, p := range a.Notify.Providers {
		if c, ok := p.(io.Closer); ok {
			err = errors.Join(err, c.Close())
		}
	}
	return err
}

// quota returns the daily limit of a school: the operator's or its own,
// whichever is lower.
func (a *App) quota(ctx context.Context, at id.ID, c notify.Channel) (notify.Quota, error) {
	sch, err := school.Get(ctx, a.DB.School(at))
	if err != nil {
		return notify.Quota{}, err
	}
	q := notify.Quota{Zone: sch.Timezone}
	switch c {
	case notify.SMS:
		q.Most = lower(a.cfg.SMSPerDay, sch.SMSPerDay)
	case notify.Email:
		q.Most = lower(a.cfg.EmailPerDay, sch.EmailPerDay)
	}
	return q, nil
}

// lower returns the lower of two limits; 0 means no limit.
func lower(a, b int) int {
	if a == 0 || b == 0 {
		return a + b
	}
	return min(a, b)
}
