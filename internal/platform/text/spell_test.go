package text_test

import (
	"testing"

	"homeroom/internal/platform/money"
	"homeroom/internal/platform/text"
)

func TestSpell(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		amount      money.Money
		en, spanish string
	}{
		{0, "Zero and 00/100 USD", "Cero con 00/100 USD"},
		{105, "One and 05/100 USD", "Uno con 05/100 USD"},
		{2100, "Twenty-one and 00/100 USD", "Veintiuno con 00/100 USD"},
		{10000, "One hundred and 00/100 USD", "Cien con 00/100 USD"},
		{10199, "One hundred one and 99/100 USD", "Ciento uno con 99/100 USD"},
		{150050, "One thousand five hundred and 50/100 USD", "Mil quinientos con 50/100 USD"},
		{2_100_000, "Twenty-one thousand and 00/100 USD", "Veintiún mil con 00/100 USD"},
		{3_163_100, "Thirty-one thousand six hundred thirty-one and 00/100 USD", "Treinta y un mil seiscientos treinta y uno con 00/100 USD"},
		{100_000_000, "One million and 00/100 USD", "Un millón con 00/100 USD"},
		{2_100_000_001, "Twenty-one million and 01/100 USD", "Veintiún millones con 01/100 USD"},
		{money.Max, "Nine billion nine hundred ninety-nine million nine hundred ninety-nine thousand nine hundred ninety-nine and 99/100 USD",
			"Nueve mil novecientos noventa y nueve millones novecientos noventa y nueve mil novecientos noventa y nueve con 99/100 USD"},
		{-1, "", ""},
	} {
		a := text.Amount{Money: tt.amount, Currency: "USD"}
		if got := text.Standard().Spell("en", a); got != tt.en {
			t.Errorf("%d in English: %q, want %q", tt.amount, got, tt.en)
		}
		if got := text.Standard().Spell("es-MX", a); got != tt.spanish {
			t.Errorf("%d in Spanish: %q, want %q", tt.amount, got, tt.spanish)
		}
	}
}
