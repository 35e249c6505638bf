package app

import (
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"reflect"
	"regexp"
	"strings"
)

// masked stands where a secret was.
const masked = "xxxxx"

// Secret is a setting that is never printed, logged or marshalled.
type Secret string

// Format keeps the secret out of every verb of package fmt.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.mask()) }

// LogValue keeps it out of the log.
func (s Secret) LogValue() slog.Value { return slog.StringValue(s.mask()) }

// MarshalText keeps it out of JSON and the like.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.mask()), nil }

func (s Secret) mask() string {
	if s == "" {
		return ""
	}
	return masked
}

// DSN is the address of a database, printed without its password.
type DSN string

// Format keeps the password out of every verb of package fmt.
func (d DSN) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, d.Masked()) }

// LogValue keeps it out of the log.
func (d DSN) LogValue() slog.Value { return slog.StringValue(d.Masked()) }

// MarshalText keeps it out of JSON and the like.
func (d DSN) MarshalText() ([]byte, error) { return []byte(d.Masked()), nil }

// Engine is "sqlite", "postgres" or, for what is neither, "".
func (d DSN) Engine() string {
	switch scheme, _, _ := strings.Cut(string(d), ":"); scheme {
	case "sqlite":
		return "sqlite"
	case "postgres", "postgresql":
		return "postgres"
	}
	return ""
}

// Path is the file of an embedded database.
func (d DSN) Path() string {
	return strings.TrimPrefix(strings.TrimPrefix(string(d), "sqlite:"), "//")
}

// Masked is the address as it may be shown.
func (d DSN) Masked() string {
	switch d.Engine() {
	case "":
		return given(string(d)) // who knows what it is
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

func given(s string) string { return Secret(s).mask() }

// scrub is err with the address masked: drivers like to quote.
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

// reworded is an error with another text, and otherwise the same.
type reworded struct {
	error
	text string
}

func (r reworded) Error() string { return r.text }
func (r reworded) Unwrap() error { return r.error }

// LogValue is the configuration without its secrets.
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

// word splits a name at its humps and joints: accessToken, set-pin, OTP_hash.
var word = regexp.MustCompile(`[A-Z]+(?:[^A-Za-z]|$)|[A-Z]?[a-z0-9]+|[A-Z]+`)

// maskSecrets is the last net under the log: nobody logs a secret on purpose,
// and an attribute with the name of one loses its value.
func maskSecrets(_ []string, a slog.Attr) slog.Attr {
	for _, w := range word.FindAllString(a.Key, -1) {
		switch strings.ToLower(strings.Trim(w, "-_. ")) {
		case "password", "pin", "otp", "token", "tokens", "authorization", "secret", "cookie":
			if a.Value.Kind() != slog.KindBool {
				return slog.String(a.Key, masked)
			}
		}
	}
	return a
}
