package app

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/url"
	"strings"
	"time"

	"homeroom/internal/platform/blob"
)

// expiresSoon is when a certificate should have been renewed.
const expiresSoon = 14 * 24 * time.Hour

// tls looks at the certificate, the public URL and the proxies.
func (d *doctor) tls() {
	public, err := url.Parse(d.cfg.PublicURL)
	switch {
	case d.cfg.Demo:
		return
	case d.cfg.PublicURL == "" || err != nil:
		d.add("address", Advice, "links in e-mails lead to %s: set --public-url", d.cfg.baseURL(d.cfg.Addr))
	case public.Scheme == "http":
		d.add("address", Wrong, "%s is not encrypted: passwords and children's data can be read on the way. Use https", d.cfg.PublicURL)
	case d.cfg.TLSCert == "" && len(d.cfg.TrustedProxies) == 0:
		d.add("address", Wrong, "a proxy seems to serve %s, but --trusted-proxies is empty: all clients share its address and rate limit. "+
			"List the proxy's address", d.cfg.PublicURL)
	default:
		d.add("address", Fine, "%s", d.cfg.PublicURL)
	}
	if d.cfg.TLSCert != "" {
		d.certificate(public)
	}
}

func (d *doctor) certificate(public *url.URL) {
	pair, err := tls.LoadX509KeyPair(d.cfg.TLSCert, d.cfg.TLSKey)
	if err != nil {
		d.add("tls", Wrong, "%v", err)
		return
	}
	cert, err := x509.ParseCertificate(pair.Certificate[0])
	if err != nil {
		d.add("tls", Wrong, "%s: %v", d.cfg.TLSCert, err)
		return
	}
	now, until := d.now(), cert.NotAfter.UTC().Format(time.DateOnly)
	switch {
	case now.After(cert.NotAfter):
		d.add("tls", Wrong, "the certificate expired on %s: renew it, then send SIGHUP", until)
	case now.Before(cert.NotBefore):
		d.add("tls", Wrong, "the certificate is not valid before %s: check the clock", cert.NotBefore.UTC().Format(time.DateOnly))
	case public != nil && public.Hostname() != "" && cert.VerifyHostname(public.Hostname()) != nil:
		d.add("tls", Wrong, "the certificate is not for %s: renew it with that name", public.Hostname())
	case now.Add(expiresSoon).After(cert.NotAfter):
		d.add("tls", Advice, "the certificate expires on %s: renew it, then send SIGHUP", until)
	default:
		d.add("tls", Fine, "valid until %s", until)
	}
}

// providers checks that the servers of the providers can be reached. It sends nothing.
func (d *doctor) providers(ctx context.Context) {
	c := d.cfg
	if !c.Demo {
		d.channel(ctx, "sms", c.SMSProvider, map[string]string{
			"local":   "codes and alerts are only recorded, so nobody can sign in by code: set --sms-provider to twilio or webhook",
			"twilio":  cmp.Or(c.TwilioURL, "https://api.twilio.com"),
			"webhook": string(c.WebhookURL)})
		d.channel(ctx, "e-mail", c.MailProvider, map[string]string{
			"local": "invitations and alerts are only recorded: set --mail-provider to smtp",
			"smtp":  "smtp://" + c.SMTPAddr})
		d.channel(ctx, "push", c.PushProvider, map[string]string{
			"local": "apps get no push (browsers do): set --push-provider to fcm",
			"fcm":   cmp.Or(c.FCMURL, "https://fcm.googleapis.com")})
	}
	if c.FileProvider != "s3" {
		return
	}
	s3, err := blob.OpenS3(c.s3())
	if err == nil {
		err = s3.Ready(ctx)
	}
	if err != nil {
		d.add("files", Wrong, "S3 can't be used: %v. Check --s3-endpoint, --s3-bucket and its keys", err)
		return
	}
	d.add("files", Fine, "s3 answers")
}

// reachable limits how long a provider may take to accept a connection.
const reachable = 5 * time.Second

// channel connects to the address of the provider. A local one has advice in its place.
func (d *doctor) channel(ctx context.Context, area, provider string, at map[string]string) {
	if provider == "local" {
		d.add(area, Advice, "%s", at[provider])
		return
	}
	host := hostPort(at[provider])
	ctx, cancel := context.WithTimeout(ctx, reachable)
	defer cancel()
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", host)
	if err != nil {
		d.add(area, Wrong, "%s can't be reached at %s: %v. Check the address, the firewall and DNS", provider, host, err)
		return
	}
	_ = conn.Close()
	d.add(area, Fine, "%s can be reached at %s", provider, host)
}

// hostPort returns the host and port of a URL, and nothing else of it: the rest may have keys.
func hostPort(raw string) string {
	scheme, rest, _ := strings.Cut(raw, "://")
	host, _, _ := strings.Cut(rest, "/")
	host, _, _ = strings.Cut(host, "?")
	host = host[strings.LastIndex(host, "@")+1:]
	if _, _, err := net.SplitHostPort(host); err == nil {
		return host
	}
	port := "443"
	if scheme == "http" {
		port = "80"
	}
	return net.JoinHostPort(strings.Trim(host, "[]"), port)
}
