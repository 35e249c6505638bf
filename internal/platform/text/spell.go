package text

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"homeroom/internal/platform/money"
)

// Spell writes an amount in words, as on a cheque: "One thousand five hundred and 50/100
// USD". It is "" for a negative amount or a language whose numbers we can't spell.
func (c *Catalogue) Spell(locale string, a Amount) string {
	number, ok := map[string]func(uint64) string{"en": english, "es": spanish}[c.Language(locale)]
	if !ok || a.Money < 0 {
		return ""
	}
	words := number(uint64(a.Money / 100))
	first, size := utf8.DecodeRuneInString(words)
	return c.Say(locale, T("print.spelt", "number", string(unicode.ToUpper(first))+words[size:],
		"hundredths", fmt.Sprintf("%02d", a.Money%money.Money(100)), "currency", a.Currency))
}

var (
	englishSmall = strings.Fields(`zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
		seventeen eighteen nineteen`)
	englishTens  = strings.Fields(`- - twenty thirty forty fifty sixty seventy eighty ninety`)
	spanishSmall = strings.Fields(`cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis
		diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco veintiséis veintisiete veintiocho
		veintinueve`)
	spanishTens     = strings.Fields(`- - - treinta cuarenta cincuenta sesenta setenta ochenta noventa`)
	spanishHundreds = strings.Fields(`- ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos
		novecientos`)
)

// english spells a number on the short scale.
func english(n uint64) string {
	for _, scale := range []struct {
		of   uint64
		name string
	}{{1e12, "trillion"}, {1e9, "billion"}, {1e6, "million"}, {1e3, "thousand"}, {100, "hundred"}} {
		if n >= scale.of {
			return rest(english(n/scale.of)+" "+scale.name, n%scale.of, " ", english)
		}
	}
	if n < 20 {
		return englishSmall[n]
	}
	return rest(englishTens[n/10], n%10, "-", english)
}

// spanish spells a number on the long scale: 1e9 is "mil millones".
func spanish(n uint64) string {
	switch {
	case n < 30:
		return spanishSmall[n]
	case n < 100:
		return rest(spanishTens[n/10], n%10, " y ", spanish)
	case n == 100:
		return "cien"
	case n < 1000:
		return rest(spanishHundreds[n/100], n%100, " ", spanish)
	case n < 2000:
		return rest("mil", n%1000, " ", spanish)
	case n < 1e6:
		return rest(short(spanish(n/1000))+" mil", n%1000, " ", spanish)
	case n < 2e6:
		return rest("un millón", n%1e6, " ", spanish)
	case n < 1e12:
		return rest(short(spanish(n/1e6))+" millones", n%1e6, " ", spanish)
	case n < 2e12:
		return rest("un billón", n%1e12, " ", spanish)
	}
	return rest(short(spanish(n/1e12))+" billones", n%1e12, " ", spanish)
}

// rest appends what is left of a number, if it is not 0.
func rest(words string, n uint64, between string, spell func(uint64) string) string {
	if n == 0 {
		return words
	}
	return words + between + spell(n)
}

// short is the form of a Spanish number before mil or millones: veintiún, treinta y un.
func short(words string) string {
	if s, ok := strings.CutSuffix(words, "veintiuno"); ok {
		return s + "veintiún"
	}
	if s, ok := strings.CutSuffix(words, "uno"); ok {
		return s + "un"
	}
	return words
}
