package smtp_test

import (
	"encoding/base64"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/notify/fake"
	"homeroom/internal/platform/notify/smtp"
)

func options(t *testing.T, s *fake.SMTP, how smtp.Security) smtp.Options {
	t.Helper()
	host, port, err := net.SplitHostPort(s.Addr)
	n, errPort := strconv.Atoi(port)
	if err != nil || errPort != nil {
		t.Fatalf("address of the fake server: %s", s.Addr)
	}
	return smtp.Options{Host: host, Port: n, Security: how, User: fake.SMTPUser, Password: fake.SMTPPassword, Roots: s.Roots,
		From: "Grünfeld <office@greenfield.test>", Now: func() time.Time { return time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC) }}
}

func server(t *testing.T, implicit, plain bool) *fake.SMTP {
	t.Helper()
	s, err := fake.NewSMTP(implicit, plain)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func provider(t *testing.T, o smtp.Options) *smtp.Provider {
	t.Helper()
	p, err := smtp.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func message() notify.Message {
	return notify.Message{ID: id.New(), Channel: notify.Email, To: "ann@b.test", Subject: "Grüße",
		Body: "Hello\n.\nwörld", HTML: "<p>Hëllo</p>", Lang: "de",
		Data: map[string]string{"type": "never"}}
}

func TestMail(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		how             smtp.Security
		implicit, plain bool
	}{"STARTTLS": {smtp.StartTLS, false, false}, "TLS": {smtp.TLS, true, false}, "none": {smtp.None, false, true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := server(t, tt.implicit, tt.plain)
			p, m := provider(t, options(t, s, tt.how)), message()
			answer, err := p.Send(t.Context(), m)
			if err != nil || !strings.Contains(answer, "queued as 42") {
				t.Fatalf("Send: answer %q, %v", answer, err)
			}
			got := s.Mails()[0]
			if got.From != "office@greenfield.test" || got.To != "ann@b.test" || got.Encrypted == tt.plain || got.User != fake.SMTPUser {
				t.Errorf("mail: got %+v", got)
			}
			checkMail(t, got, m)
		})
	}
}

// checkMail parses the mail as a mail client does.
func checkMail(t *testing.T, got fake.Mail, m notify.Message) {
	t.Helper()
	msg, err := got.Message()
	if err != nil {
		t.Fatal(err)
	}
	words := new(mime.WordDecoder)
	for name, want := range map[string]string{
		"Message-ID": "<" + m.ID.String() + "@greenfield.test>", "To": "<ann@b.test>",
		"Subject": "Grüße", "Date": "Sun, 01 Mar 2026 08:00:00 +0000",
		"Content-Language": "de", "Auto-Submitted": "auto-generated", "From": "Grünfeld <office@greenfield.test>",
		"Bcc": "", "Cc": "", "X-Mailer": "", "User-Agent": "", "X-Evil": "",
	} {
		if is, err := words.DecodeHeader(msg.Header.Get(name)); err != nil || strings.ReplaceAll(is, `"`, "") != want {
			t.Errorf("%s is %q, want %q", name, is, want)
		}
	}
	if strings.Contains(got.Raw, "never") {
		t.Errorf("the mail contains data: %s", got.Raw)
	}
	kind, params, err := mime.ParseMediaType(msg.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		t.Fatalf("content type: got %s, %v", kind, err)
	}
	parts := multipart.NewReader(msg.Body, params["boundary"])
	for _, want := range []struct{ kind, text string }{{"text/plain", m.Body}, {"text/html", m.HTML}} {
		part, err := parts.NextRawPart()
		if err != nil {
			t.Fatal(err)
		}
		var r io.Reader = quotedprintable.NewReader(part)
		if part.Header.Get("Content-Transfer-Encoding") == "base64" {
			r = base64.NewDecoder(base64.StdEncoding, part)
		}
		text, err := io.ReadAll(r)
		is := strings.ReplaceAll(string(text), "\r\n", "\n")
		if err != nil || strings.TrimRight(is, "\n") != want.text || !strings.HasPrefix(part.Header.Get("Content-Type"), want.kind) {
			t.Errorf("%s is %q, want %v (%v)", part.Header.Get("Content-Type"), is, want, err)
		}
	}
}

// TestInjection tries header and command injection in every field.
func TestInjection(t *testing.T) {
	t.Parallel()
	s := server(t, false, false)
	p := provider(t, options(t, s, smtp.StartTLS))
	m := message()
	m.Subject, m.Lang = "Hi\r\nX-Evil: 1\r\nBcc: x@y.test\r\n\r\nbody", "en\r\nX-Evil: 1"
	if _, err := p.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	msg, err := s.Mails()[0].Message()
	if err != nil || msg.Header.Get("X-Evil") != "" || msg.Header.Get("Bcc") != "" {
		t.Errorf("injected headers: got %v, %v", msg.Header, err)
	}
	for _, to := range []string{"ann@b.test\r\nBcc: x@y.test", "Ann <ann@b.test>", "ann@b.test, x@y.test",
		"ann@b.test>\r\nRCPT TO:<x@y.test", "ann", ""} {
		m.To = to
		if _, err := p.Send(t.Context(), m); !jobs.IsPermanent(err) {
			t.Errorf("%q: got %v, want a permanent error", to, err)
		}
	}
	if n := len(s.Mails()); n != 1 {
		t.Errorf("%d mails were taken, want 1", n)
	}
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		command, reply string
		permanent      bool
	}{
		"no such mailbox": {"RCPT", "550 5.1.1 no such user", true},
		"greylisted":      {"RCPT", "451 4.7.1 come back later", false},
		"sender refused":  {"MAIL", "553 5.7.1 not you", true},
		"full":            {".", "452 4.2.2 mailbox full", false},
		"spam":            {".", "554 5.7.1 we think this is spam", true},
		"data":            {"DATA", "421 4.3.2 closing", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := server(t, false, false)
			p := provider(t, options(t, s, smtp.StartTLS))
			s.Next(tt.command, tt.reply)
			m := message()
			_, err := p.Send(t.Context(), m)
			if err == nil || jobs.IsPermanent(err) != tt.permanent || !strings.Contains(err.Error(), tt.reply[:3]) {
				t.Fatalf("reply %s: got %v, permanent %v, want permanent %v", tt.reply, err, jobs.IsPermanent(err), tt.permanent)
			}
			if _, err := p.Send(t.Context(), m); err != nil || len(s.Mails()) != 1 {
				t.Errorf("afterwards: %v, %d mails", err, len(s.Mails()))
			}
		})
	}
}

func TestUnusableServer(t *testing.T) {
	t.Parallel()
	s, bare := server(t, false, false), server(t, false, true)
	for name, o := range map[string]smtp.Options{
		"wrong password":   func() smtp.Options { o := options(t, s, smtp.StartTLS); o.Password = "hunter22"; return o }(),
		"unknown root":     func() smtp.Options { o := options(t, s, smtp.StartTLS); o.Roots = nil; return o }(),
		"no STARTTLS":      options(t, bare, smtp.StartTLS),
		"not TLS at first": options(t, s, smtp.TLS),
		"nobody":           func() smtp.Options { o := options(t, s, smtp.StartTLS); o.Port = 1; return o }(),
	} {
		_, err := provider(t, o).Send(t.Context(), message())
		if err == nil || jobs.IsPermanent(err) || strings.Contains(err.Error(), "hunter22") || strings.Contains(err.Error(), fake.SMTPPassword) {
			t.Errorf("%s: got %v, want an error to retry, without the password", name, err)
		}
	}
	if n := len(s.Mails()) + len(bare.Mails()); n != 0 {
		t.Errorf("%d mails were sent, want 0", n)
	}
}

func TestConnectionsAreReused(t *testing.T) {
	t.Parallel()
	s := server(t, false, false)
	p := provider(t, options(t, s, smtp.StartTLS))
	var wg sync.WaitGroup
	for range 40 {
		wg.Go(func() {
			if _, err := p.Send(t.Context(), message()); err != nil {
				t.Errorf("Send: %v", err)
			}
		})
	}
	wg.Wait()
	if n := s.Connections(); n > 4 || len(s.Mails()) != 40 {
		t.Errorf("%d mails over %d connections, want 40 over 4 at most", len(s.Mails()), n)
	}
	s.HangUp() // as after the server's idle timeout
	if _, err := p.Send(t.Context(), message()); err != nil || len(s.Mails()) != 41 {
		t.Errorf("after the server hung up: %v, %d mails", err, len(s.Mails()))
	}
}
