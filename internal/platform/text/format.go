package text

import (
	"fmt"
	"strconv"
	"strings"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/money"
)

// Amount is money in a currency, as an argument of a Text.
type Amount struct {
	Money    money.Money
	Currency string
}

// write formats an argument for a language.
func (c *Catalogue) write(lang string, v any) string {
	switch v := v.(type) {
	case string:
		return v
	case int:
		return strconv.Itoa(v)
	case Text:
		return c.Say(lang, v)
	case clock.Date:
		return c.date(lang, v)
	case Amount:
		return c.amount(lang, v)
	}
	return fmt.Sprint(v)
}

func (c *Catalogue) date(lang string, d clock.Date) string {
	if _, err := clock.ParseDate(string(d)); err != nil {
		return string(d)
	}
	t := d.Time()
	return c.Say(lang, T("format.date", "day", t.Day(), "year", t.Year(), "month", T("format.month."+strconv.Itoa(int(t.Month())))))
}

func (c *Catalogue) amount(lang string, a Amount) string {
	number := strings.NewReplacer(
		",", c.Say(lang, T("format.thousands")),
		".", c.Say(lang, T("format.decimal"))).Replace(a.Money.In(""))
	return strings.TrimSpace(c.Say(lang, T("format.amount", "number", number, "currency", a.Currency)))
}
