package app

import (
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// masked replaces a secret in output.
const masked = "xxxxx"

// Secret is a setting that is never printed, logged or marshalled.
type Secret string

// Format masks the secret for every verb of package fmt.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.mask()) }

// LogValue masks the secret in logs.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.mask()) }

// MarshalText masks the secret in JSON and other encodings.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.mask()), nil }

func (s Secret) mask() string {
	if s == "" {
		return ""
	}
	return masked
}

// DSN is a database URL that is always printed without its password.
type DSN string

// Format masks the password for every verb of package fmt.
func (d DSN) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, d.Masked()) }

// LogValue masks the password in logs.
func (d DSN) LogValue() slog.Value { return slog.StringValue(d.Masked()) }

// MarshalText masks the password in JSON and other encodings.
func (d DSN) MarshalText() ([]byte, error) { return []byte(d.Masked()), nil }

// Engine is "sqlite", "postgres" or, for any other URL, "".
func (d DSN) Engine() string {
	switch scheme, _, _ := strings.Cut(string(d), ":"); scheme {
	case "sqlite":
		return "sqlite"
	case "postgres", "postgresql":
		return "postgres"
	}
	return ""
}

// Path is the path of an SQLite database.
func (d DSN) Path() string {
	return strings.TrimPrefix(strings.TrimPrefix(string(d), "sqlite:"), "//")
}

// Masked returns the URL with passwords masked.
func (d DSN) Masked() string {
	switch d.Engine() {
	case "":
		return Secret(d).mask() // unknown form: it may contain a password anywhere
	case "sqlite":
		return string(d)
	}
	u, err := url.Parse(string(d))
	if err != nil {
		return "postgres://" + masked
	}
	if _, has := u.User.Password(); has {
		u.User = url.UserPassword(u.User.Username(), masked)
	}
	q := u.Query()
	for name := range q {
		if strings.Contains(name, "password") { // password, sslpassword
			q.Set(name, masked)
		}
	}
	u.RawQuery = q.Encode()
	return u.String()
}

// scrub masks the URLs in the text of err.
func (s Store) scrub(err error) error { return s.DatabaseSignalURL.scrub(s.URL().scrub(err)) }

// scrub masks the URL in the text of err: drivers quote it in their errors.
func (d DSN) scrub(err error) error {
	if err == nil || d == "" {
		return err
	}
	text := strings.ReplaceAll(err.Error(), string(d), d.Masked())
	if u, parse := url.Parse(string(d)); parse == nil {
		if p, has := u.User.Password(); has && p != "" {
			for _, form := range []string{":" + p + "@", "password=" + p} {
				text = strings.ReplaceAll(text, form, strings.ReplaceAll(form, p, masked))
			}
		}
	}
	if text == err.Error() {
		return err
	}
	return reworded{err, text}
}

// reworded wraps an error and replaces its text.
type reworded struct {
	error
	text string
}

func (r reworded) Error() string { return r.text }
func (r reworded) Unwrap() error { return r.error }

// LogValue returns the settings with secrets masked.
func (c Config) LogValue() slog.Value {
	var attrs []slog.Attr
	for _, group := range reflect.ValueOf(c).Fields() {
		if group.Kind() != reflect.Struct {
			continue
		}
		for f, v := range group.Fields() {
			attrs = append(attrs, slog.Any(f.Name, v.Interface()))
		}
	}
	attrs = append(attrs, slog.Bool("Demo", c.Demo), slog.Int("Workers", c.Workers), slog.Duration("JobLease", c.JobLease))
	return slog.GroupValue(attrs...)
}

// word matches the words of a name in any case style: accessToken, set-pin, OTP_hash.
var word = regexp.MustCompile(`[A-Z]+(?:[^A-Za-z]|$)|[A-Z]?[a-z0-9]+|[A-Z]+`)

// maskSecrets masks log attributes whose name suggests a secret, in case one is
// logged by mistake.
func maskSecrets(_ []string, a slog.Attr) slog.Attr {
	secret, ok := secretNames.Load(a.Key)
	if !ok {
		secret = suggestsSecret(a.Key)
		secretNames.Store(a.Key, secret)
	}
	if secret.(bool) && a.Value.Kind() != slog.KindBool {
		return slog.String(a.Key, masked)
	}
	return a
}

var secretNames sync.Map // result of suggestsSecret by name: log attributes have few names

func suggestsSecret(name string) bool {
	return slices.ContainsFunc(word.FindAllString(name, -1), func(w string) bool {
		switch strings.ToLower(strings.Trim(w, "-_. ")) {
		case "password", "pin", "otp", "token", "tokens", "authorization", "secret", "cookie":
			return true
		}
		return false
	})
}
