// Package smtp sends e-mail through a mail server, encrypted by STARTTLS or TLS.
package smtp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	netmail "net/mail"
	"strings"
	"time"
	"unicode"

	"github.com/wneessen/go-mail"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/notify"
)

// Security is how the connection is encrypted.
type Security string

// The ways. None is for a mail server on the same machine.
const (
	StartTLS Security = "starttls"
	TLS      Security = "tls"
	None     Security = "none"
)

const timeout = 10 * time.Second

// Options make a Provider.
type Options struct {
	Host     string
	Port     int
	Security Security
	User     string // empty: the server asks for none
	Password string
	From     string         // address, or Name <address>
	Roots    *x509.CertPool // who vouches for the server; nil: whom the machine trusts
	Now      clock.Now
}

// Provider sends e-mail. Close it.
type Provider struct {
	from   netmail.Address
	domain string
	now    clock.Now
	client *mail.Client
	pool   *pool
}

// New makes a Provider. It asks nobody anything yet.
func New(o Options) (*Provider, error) {
	from, err := netmail.ParseAddress(o.From)
	if err != nil {
		return nil, errors.New("the sender must be an address, or Name <address>")
	}
	opts := []mail.Option{
		mail.WithPort(o.Port), mail.WithTimeout(timeout),
		mail.WithTLSConfig(&tls.Config{ServerName: o.Host, RootCAs: o.Roots, MinVersion: tls.VersionTLS12}),
	}
	switch o.Security {
	case TLS:
		opts = append(opts, mail.WithSSL())
	case None:
		opts = append(opts, mail.WithTLSPolicy(mail.NoTLS))
	default:
		opts = append(opts, mail.WithTLSPolicy(mail.TLSMandatory))
	}
	if o.User != "" {
		how := mail.SMTPAuthAutoDiscover
		if o.Security == None { // nobody listens on this machine
			how = mail.SMTPAuthPlainNoEnc
		}
		opts = append(opts, mail.WithSMTPAuth(how), mail.WithUsername(o.User), mail.WithPassword(o.Password))
	}
	client, err := mail.NewClient(o.Host, opts...)
	if err != nil {
		return nil, err
	}
	_, domain, _ := strings.Cut(from.Address, "@")
	return &Provider{from: *from, domain: domain, now: o.Now, client: client, pool: newPool(client)}, nil
}

// Name implements notify.Provider.
func (*Provider) Name() string { return "smtp" }

// Close hangs up.
func (p *Provider) Close() error { return p.pool.close() }

// Send implements notify.Provider. Its answer is the server's.
func (p *Provider) Send(ctx context.Context, m notify.Message) (string, error) {
	msg, err := p.message(m)
	if err != nil {
		return "", jobs.Permanent(err)
	}
	err = p.pool.send(ctx, msg)
	switch {
	case err == nil || msg.IsDelivered(): // and something after it failed
		return strings.TrimSpace("accepted " + oneLine(msg.ServerResponse())), nil
	default:
		return "", verdict(err)
	}
}

// verdict is what a failure means for the next try: a server that says 5xx of a
// message or its recipient will not change its mind.
func verdict(err error) error {
	failed, ok := errors.AsType[*mail.SendError](err)
	if !ok { // nobody there, a certificate, a wrong password: for all messages alike
		return fmt.Errorf("the mail server can't be used: %s; look at --smtp-addr, --smtp-tls and --smtp-user", oneLine(err.Error()))
	}
	said := errors.New("the mail server refused: " + oneLine(failed.Error()))
	if code := failed.ErrorCode(); code >= 500 && code < 600 {
		return jobs.Permanent(said)
	}
	return said
}

// message is m as it travels. Its Message-ID is made of the delivery's id, the
// same at every try.
func (p *Provider) message(m notify.Message) (*mail.Msg, error) {
	to, err := netmail.ParseAddress(m.To)
	if err != nil || to.Address != m.To {
		return nil, errors.New("this is not an e-mail address")
	}
	msg := mail.NewMsg(mail.WithNoDefaultUserAgent())
	msg.FromMailAddress(&p.from)
	msg.ToMailAddress(&netmail.Address{Address: to.Address})
	msg.Subject(oneLine(m.Subject))
	msg.SetMessageIDWithValue(m.ID.String() + "@" + p.domain)
	msg.SetDateWithValue(p.now())
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	if m.Lang != "" {
		msg.SetGenHeader("Content-Language", oneLine(m.Lang))
	}
	msg.SetBodyString(mail.TypeTextPlain, m.Body)
	if m.HTML != "" {
		msg.AddAlternativeString(mail.TypeTextHTML, m.HTML)
	}
	return msg, nil
}

// oneLine keeps a text from ending a header.
func oneLine(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s))
}
