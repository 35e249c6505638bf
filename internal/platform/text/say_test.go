package text_test

import (
	"strings"
	"testing"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/text"
)

func small(t testing.TB) *text.Catalogue {
	t.Helper()
	c, err := text.Parse(map[string][]byte{
		"en":    []byte("a: {hi: 'Hi {name}!', only: English only}\nn: {one: '{count} egg', other: '{count} eggs'}\nopen: 'a { b'"),
		"pt":    []byte("a: {hi: 'Olá {name}!'}\nn: {one: '{count} ovo', other: '{count} ovos'}"),
		"pt-BR": []byte("a: {hi: 'Oi {name}!'}"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSay(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		locale string
		text   text.Text
		want   string
	}{
		{"en", text.T("a.hi", "name", "Mia"), "Hi Mia!"},
		{"en-GB", text.T("a.hi", "name", "Mia"), "Hi Mia!"},
		{"pt", text.T("a.hi", "name", "Mia"), "Olá Mia!"},
		{"pt-BR", text.T("a.hi", "name", "Mia"), "Oi Mia!"},
		{"pt-PT-x", text.T("a.hi", "name", "Mia"), "Olá Mia!"},
		{"fr", text.T("a.hi", "name", "Mia"), "Hi Mia!"},
		{"", text.T("a.hi", "name", "Mia"), "Hi Mia!"},
		{"pt", text.T("a.only"), "English only"},
		{"en", text.T("n", "count", 1), "1 egg"},
		{"en", text.T("n", "count", 0), "0 eggs"},
		{"pt", text.T("n", "count", 2), "2 ovos"},
		{"pt", text.T("a.hi", "name", text.T("n", "count", 1)), "Olá 1 ovo!"},
		{"pt", text.Plain("{name} & co"), "{name} & co"},
		{"pt", text.T("a.hi", "name", "{name}"), "Olá {name}!"},
		{"en", text.T("a.hi"), "Hi {name}!"},
		{"en", text.T("open"), "a { b"},
		{"en", text.T("no.such"), "no.such"},
		{"pt", text.Text{}, ""},
	} {
		if got := small(t).Say(tt.locale, tt.text); got != tt.want {
			t.Errorf("say in %s %v: %q, want %q", tt.locale, tt.text, got, tt.want)
		}
	}
}

func TestWritten(t *testing.T) {
	t.Parallel()
	day, sum := clock.Date("2026-03-09"), text.Amount{Money: 123456789, Currency: "EUR"}
	for lang, want := range map[string]string{
		"en": "on 9 March 2026 EUR 1,234,567.89", "es": "para el 9 de marzo de 2026 1.234.567,89 EUR",
		"es-MX": "para el 9 de marzo de 2026 1.234.567,89 EUR",
	} {
		c := text.Standard()
		got := c.Say(lang, text.T("leave.when.day", "from", day)) + " " + strings.TrimSuffix(strings.TrimPrefix(
			c.Say(lang, text.T("fee.reminder.owes", "words", "", "student", "", "admissionNo", "", "due", sum)), "  (): "), ".")
		if got != want {
			t.Errorf("date and amount in %s: %q, want %q", lang, got, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for name, files := range map[string]map[string]string{
		"no English":       {"es": "a: b"},
		"not YAML":         {"en": "a: [", "es": "a: b"},
		"a list":           {"en": "a: [b]"},
		"one without many": {"en": "a: {one: b}"},
		"a third form":     {"en": "a: {one: b, other: c, two: d}"},
	} {
		raw := map[string][]byte{}
		for lang, words := range files {
			raw[lang] = []byte(words)
		}
		if _, err := text.Parse(raw); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

func BenchmarkSay(b *testing.B) {
	c := text.Standard()
	for b.Loop() {
		c.Say("es-MX", text.T("exam.results.body", "student", "Mia Ray", "exam", "Term 1"))
	}
}
