package fake

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"math/big"
	"net"
	"net/mail"
	"net/textproto"
	"strings"
	"sync"
	"time"
)

// The credentials of the mail server.
const (
	SMTPUser     = "school"
	SMTPPassword = "smtp-pass"
)

// Mail is a received mail.
type Mail struct {
	From, To  string // of the envelope
	Raw       string
	Encrypted bool
	User      string // authenticated user
}

// Message parses the mail.
func (m Mail) Message() (*mail.Message, error) { return mail.ReadMessage(strings.NewReader(m.Raw)) }

// SMTP is a mail server with STARTTLS or implicit TLS, and AUTH.
type SMTP struct {
	Addr  string
	CA    []byte // CA certificate as PEM (self-signed)
	Roots *x509.CertPool

	ln       net.Listener
	tls      *tls.Config
	implicit bool
	plain    bool // no STARTTLS
	handlers sync.WaitGroup

	mu    sync.Mutex
	mails []Mail
	codes map[string][]string // scripted replies by command
	conns map[net.Conn]bool
	count int
}

// NewSMTP starts a server. Close it. implicit uses TLS from the start, plain never.
func NewSMTP(implicit, plain bool) (*SMTP, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore:   time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return nil, err
	}
	s := &SMTP{implicit: implicit, plain: plain, codes: map[string][]string{}, conns: map[net.Conn]bool{}, Roots: x509.NewCertPool()}
	s.CA = pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	s.Roots.AppendCertsFromPEM(s.CA)
	s.tls = &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS12}
	if s.ln, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		return nil, err
	}
	s.Addr = s.ln.Addr().String()
	s.handlers.Go(s.accept)
	return s, nil
}

func (s *SMTP) accept() {
	for {
		c, err := s.ln.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.conns[c] = true
		s.count++
		s.mu.Unlock()
		s.handlers.Go(func() {
			s.serve(c)
			s.mu.Lock()
			delete(s.conns, c)
			s.mu.Unlock()
		})
	}
}

// Close stops it.
func (s *SMTP) Close() {
	_ = s.ln.Close() // it is stopped anyway
	s.HangUp()
	s.handlers.Wait()
}

// HangUp closes every connection.
func (s *SMTP) HangUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		_ = c.Close() // as above
	}
}

// Next sets the replies to the next uses of a command: MAIL, RCPT, DATA, AUTH or "."
// (the end of a mail).
func (s *SMTP) Next(command string, replies ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.codes[command] = append(s.codes[command], replies...)
}

// Mails returns the received mails.
func (s *SMTP) Mails() []Mail {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Mail(nil), s.mails...)
}

// Connections returns the number of accepted connections.
func (s *SMTP) Connections() int { s.mu.Lock(); defer s.mu.Unlock(); return s.count }

// told returns the scripted reply to a command, or the usual one.
func (s *SMTP) told(command, usual string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if next := s.codes[command]; len(next) > 0 {
		s.codes[command] = next[1:]
		return next[0]
	}
	return usual
}

// session is one connection.
type session struct {
	*SMTP
	conn net.Conn
	text *textproto.Conn
	mail Mail
}

func (s *SMTP) serve(c net.Conn) {
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(time.Minute)) // longer than any test
	v := &session{SMTP: s, conn: c}
	if s.implicit {
		v.encrypt()
	} else {
		v.text = textproto.NewConn(c)
	}
	v.say("220 localhost ESMTP")
	for {
		line, err := v.text.ReadLine()
		if err != nil {
			return
		}
		if !v.command(line) {
			return
		}
	}
}

func (v *session) encrypt() {
	v.conn = tls.Server(v.conn, v.tls)
	v.text = textproto.NewConn(v.conn)
	v.mail = Mail{Encrypted: true}
}

func (v *session) say(lines ...string) {
	_ = v.text.PrintfLine("%s", strings.Join(lines, "\r\n")) // an error shows at the next read
}

// command handles one line. It returns false to end the session.
func (v *session) command(line string) bool {
	verb, rest, _ := strings.Cut(line, " ")
	switch strings.ToUpper(verb) {
	case "EHLO":
		v.hello()
	case "STARTTLS":
		v.say("220 go ahead")
		v.encrypt()
	case "AUTH":
		v.auth(rest)
	case "MAIL":
		v.mail.From = envelope(rest)
		if v.mail.User == "" {
			v.say("530 5.7.0 authentication required")
		} else {
			v.say(v.told("MAIL", "250 2.1.0 ok"))
		}
	case "RCPT":
		v.mail.To = envelope(rest)
		v.say(v.told("RCPT", "250 2.1.5 ok"))
	case "DATA":
		v.data()
	case "RSET", "NOOP":
		v.say("250 2.0.0 ok")
	case "QUIT":
		v.say("221 2.0.0 bye")
		return false
	default:
		v.say("502 5.5.2 what?")
	}
	return true
}

func (v *session) hello() {
	lines := []string{"250-localhost", "250-ENHANCEDSTATUSCODES", "250-8BITMIME"}
	if !v.mail.Encrypted && !v.plain {
		lines = append(lines, "250-STARTTLS")
	}
	if v.mail.Encrypted || v.plain {
		lines = append(lines, "250-AUTH PLAIN LOGIN")
	}
	v.say(append(lines, "250 SIZE 10485760")...)
}

func (v *session) auth(rest string) {
	mechanism, first, _ := strings.Cut(rest, " ")
	if mechanism != "PLAIN" {
		v.say("504 5.5.4 only PLAIN is done here")
		return
	}
	raw, err := base64.StdEncoding.DecodeString(first)
	if err != nil || string(raw) != "\x00"+SMTPUser+"\x00"+SMTPPassword {
		v.say("535 5.7.8 authentication failed")
		return
	}
	v.mail.User = SMTPUser
	v.say(v.told("AUTH", "235 2.7.0 welcome"))
}

func (v *session) data() {
	if answer := v.told("DATA", ""); answer != "" {
		v.say(answer)
		return
	}
	v.say("354 go on")
	raw, err := v.text.ReadDotBytes()
	if err != nil {
		return
	}
	answer := v.told(".", "250 2.0.0 queued as 42")
	if strings.HasPrefix(answer, "2") {
		m := v.mail
		m.Raw = string(raw)
		v.mu.Lock()
		v.mails = append(v.mails, m)
		v.mu.Unlock()
	}
	v.say(answer)
}

// envelope returns the address between < and >.
func envelope(s string) string {
	_, s, _ = strings.Cut(s, "<")
	s, _, _ = strings.Cut(s, ">")
	return s
}
