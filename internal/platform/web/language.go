package web

import (
	"net/http"
	"slices"

	"golang.org/x/text/language"

	"homeroom/internal/platform/text"
)

// longestLanguages bounds the Accept-Language header that is parsed.
const longestLanguages = 256

// Language is the language of a response: that of the caller's account, else one of the
// Accept-Language header, else English.
func Language(r *http.Request) string {
	own := ""
	if t, ok := r.Context().Value(requestInfoKey{}).(*requestInfo); ok {
		own = t.who.Language
	}
	return chooseLanguage(own, r.Header.Get("Accept-Language"))
}

// chooseLanguage returns the account's own language, else the first one of an
// Accept-Language header that has translations, else English.
func chooseLanguage(own, accept string) string {
	texts := text.Standard()
	if own != "" {
		return texts.Language(own)
	}
	if accept == "" || len(accept) > longestLanguages {
		return text.Default
	}
	wanted, _, err := language.ParseAcceptLanguage(accept)
	if err != nil {
		return text.Default
	}
	for _, tag := range wanted {
		base, _ := tag.Base()
		if lang := texts.Language(tag.String()); lang != text.Default || base.String() == text.Default {
			return lang
		}
	}
	return text.Default
}

// Translated is a reply with messages in it, such as the problems of an import.
type Translated interface {
	// Translated returns a copy in which say has translated the messages.
	Translated(say func(message string) string) any
}

// translateReply returns the output of a handler and its message in a language.
func translateReply(lang string, out any, message string) (any, string) {
	if lang == text.Default {
		return out, message
	}
	say := func(message string) string { return text.Standard().Error(lang, message) }
	if t, ok := out.(Translated); ok {
		out = t.Translated(say)
	}
	return out, say(message)
}

// translate returns the body in a language. Error codes and field names stay.
func (b ErrorBody) translate(lang string) ErrorBody {
	if lang == text.Default {
		return b
	}
	texts := text.Standard()
	b.Message = texts.Error(lang, b.Message)
	b.Details = slices.Clone(b.Details) // those of a declared fault are shared
	for i := range b.Details {
		b.Details[i].Message = texts.Error(lang, b.Details[i].Message)
	}
	return b
}
