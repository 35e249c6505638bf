package library

import "testing"

func TestParseISBN(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"9780141439518":       "9780141439518",
		"978-0-14-143951-8":   "9780141439518",
		" 978 0 14 143951 8 ": "9780141439518",
		"0141439513":          "9780141439518",
		"0-14-143951-3":       "9780141439518",
		"080442957X":          "9780804429573",
		"080442957x":          "9780804429573",
		"979-10-90636-07-1":   "9791090636071",
		"9780141439517":       "", // wrong check digit
		"0141439514":          "",
		"0804429570":          "",
		"9770141439511":       "", // not a book prefix
		"014143951":           "",
		"97801414395180":      "",
		"X141439513":          "",
		"01414395Y3":          "",
		"978014143951X":       "",
		"":                    "",
		"----------":          "",
		"٠١٤١٤٣٩٥١٣":          "", // not ASCII digits
	} {
		got, ok := parseISBN(in)
		if got != want || ok != (want != "") {
			t.Errorf("%q: %q %v, want %q", in, got, ok, want)
		}
		if back, _ := parseISBN(isbn10(got)); back != got && got != "9791090636071" { // 979 has no ISBN-10
			t.Errorf("%q: ISBN-10 %q of %q", in, isbn10(got), got)
		}
	}
}
