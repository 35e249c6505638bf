// Package smtp sends e-mail through a mail server, with STARTTLS or implicit TLS.
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

// Security is the encryption of the connection.
type Security string

// The values of Security. None is for a mail server on the same machine.
const (
	StartTLS Security = "starttls"
	TLS      Security = "tls"
	None     Security = "none"
)

const timeout = 10 * time.Second

// Options configure a Provider.
type Options struct {
	Host     string
	Port     int
	Security Security
	User     string // empty: no authentication
	Password string
	From     string         // address, or Name <address>
	Roots    *x509.CertPool // CA certificates; nil: those of the system
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

// New makes a Provider. It does not connect yet.
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
		if o.Security == None { // local connections need no encryption
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

// Close closes the connections.
func (p *Provider) Close() error { return p.pool.close() }

// Send implements notify.Provider. Its answer is the server's.
func (p *Provider) Send(ctx context.Context, m notify.Message) (string, error) {
	msg, err := p.message(m)
	if err != nil {
		return "", jobs.Permanent(err)
	}
	err = p.pool.send(ctx, msg)
	switch {
	case err == nil || msg.IsDelivered(): // only a later command failed
		return strings.TrimSpace("accepted " + oneLine(msg.ServerResponse())), nil
	default:
		return "", verdict(err)
	}
}

// verdict decides whether to retry: a 5xx reply to the message or its recipient is
// permanent.
func verdict(err error) error {
	failed, ok := errors.AsType[*mail.SendError](err)
	if !ok { // connection, certificate or authentication: not about this message
		return fmt.Errorf("the mail server can't be used: %s; check --smtp-addr, --smtp-tls and --smtp-user", oneLine(err.Error()))
	}
	said := errors.New("the mail server rejected the mail: " + oneLine(failed.Error()))
	if code := failed.ErrorCode(); code >= 500 && code < 600 {
		return jobs.Permanent(said)
	}
	return said
}

// message builds the mail. Its Message-ID is the delivery's id, the same for every
// attempt.
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

// oneLine prevents header injection.
func oneLine(s string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s))
}
