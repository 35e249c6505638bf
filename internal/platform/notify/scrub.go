package notify

import (
	"slices"
	"strings"
	"unicode"
)

// reworded replaces the text of an error.
type reworded struct {
	error
	text string
}

func (r reworded) Error() string { return r.text }
func (r reworded) Unwrap() error { return r.error }

// scrubbed removes secrets from the text of err, since providers may echo the message.
func scrubbed(err error, m Message) error {
	if !m.Secret {
		return err
	}
	return reworded{err, scrub(err.Error(), m)}
}

// scrub masks the content of a secret message in the text: the whole, and every word
// with a digit, which may be a code or a link.
func scrub(text string, m Message) string {
	if !m.Secret {
		return text
	}
	secrets := []string{m.Body, m.HTML}
	for _, v := range m.Data {
		secrets = append(secrets, v)
	}
	for _, s := range slices.Clone(secrets) {
		for _, word := range strings.FieldsFunc(s, func(r rune) bool {
			return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
		}) {
			if len(word) >= 4 && strings.ContainsFunc(word, unicode.IsDigit) {
				secrets = append(secrets, word)
			}
		}
	}
	slices.SortFunc(secrets, func(a, b string) int { return len(b) - len(a) })
	for _, s := range secrets {
		if s != "" {
			text = strings.ReplaceAll(text, s, "•••")
		}
	}
	return text
}

// clip shortens a provider's text for the database, and removes invalid characters.
func clip(s string) string {
	const most = 1000
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strings.ReplaceAll(strings.ToValidUTF8(s, "�"), "\x00", "�")
}
