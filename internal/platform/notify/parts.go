package notify

import (
	"strings"
	"unicode/utf16"
)

// basic is the alphabet of SMS (GSM 03.38). Characters of extended take two places.
const (
	basic = "\n\r @£$¥èéùìòÇØøÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ!\"#¤%&'()*+,-./0123456789:;<=>?¡" +
		"ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà"
	extended = "^{}\\[]~|€\f"
)

// Parts returns the number of SMS that a text takes: 160 characters of the SMS
// alphabet, or 70 if it has others; less in each of several.
func Parts(text string) int {
	places := 0
	for _, r := range text {
		switch {
		case strings.ContainsRune(basic, r):
			places++
		case strings.ContainsRune(extended, r):
			places += 2
		default:
			return parts(len(utf16.Encode([]rune(text))), 70, 67)
		}
	}
	return parts(places, 160, 153)
}

// parts divides a text: single places in one SMS, several in each of more than one.
func parts(places, single, several int) int {
	if places <= single {
		return 1
	}
	return (places + several - 1) / several
}
