package web

import (
	"net/http"
	"slices"

	"golang.org/x/text/language"

	"homeroom/internal/platform/text"
)

// longestLanguages bounds the Accept-Language header that is parsed.
const longestLanguages = 256

// languageOf is the language of error messages: the caller's own, else the first one of
// Accept-Language that has translations, else English.
func languageOf(r *http.Request) string {
	texts := text.Standard()
	if t, ok := r.Context().Value(requestInfoKey{}).(*requestInfo); ok && t.who.Language != "" {
		return texts.Language(t.who.Language)
	}
	header := r.Header.Get("Accept-Language")
	if header == "" || len(header) > longestLanguages {
		return text.Default
	}
	wanted, _, err := language.ParseAcceptLanguage(header)
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
