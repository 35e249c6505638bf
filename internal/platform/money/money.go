// Package money has exact amounts: integers of minor units internally, JSON numbers with
// at most two decimals externally (1500, 1500.50). JSON literals are parsed as text,
// without floats.
//
// Money is an amount, Positive an amount above 0, Percent a share of an amount. They are
// types of input fields: web binds and validates them.
package money

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
)

// Money is an exact amount in minor units.
type Money int64

// Max is the largest amount of a field: 9,999,999,999.99. Nine million of them still add
// up without overflow.
const Max Money = 1_000_000_000_000 - 1

// Validation messages, which follow the field's name.
var (
	errForm     = errors.New("must be an amount with at most two decimals, such as 1500 or 1500.50")
	errNegative = errors.New("must not be negative")
	errZero     = errors.New("must be more than 0")
	errRange    = errors.New("must be at most " + Max.String())
	errPercent  = errors.New("must be a percentage from 0.01 to 100, with at most two decimals")
)

// Parse parses an amount: digits, and at most two after a point. It accepts no sign,
// exponent or separators.
func Parse(s string) (Money, error) {
	if strings.HasPrefix(s, "-") {
		if _, err := Parse(s[1:]); err != nil {
			return 0, err
		}
		return 0, errNegative
	}
	whole, decimals, point := strings.Cut(s, ".")
	if !digits(whole) || point && !digits(decimals) || len(decimals) > 2 {
		return 0, errForm
	}
	n, err := strconv.ParseInt(whole+(decimals + "00")[:2], 10, 64)
	if err != nil || Money(n) > Max {
		return 0, errRange
	}
	return Money(n), nil
}

func digits(s string) bool {
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return false
		}
	}
	return s != ""
}

// String formats 150050 as 1500.50 and 150000 as 1500.
func (m Money) String() string { return string(m.append(nil)) }

// append is String without an allocation if b has room.
func (m Money) append(b []byte) []byte {
	n := uint64(m)
	if m < 0 {
		b, n = append(b, '-'), -n
	}
	b = strconv.AppendUint(b, n/100, 10)
	if cents := n % 100; cents != 0 {
		b = append(b, '.', byte('0'+cents/10), byte('0'+cents%10))
	}
	return b
}

// In formats 150050 as "USD 1,500.50".
func (m Money) In(currency string) string {
	text := m.String()
	sign := ""
	if m < 0 {
		sign, text = "-", text[1:]
	}
	whole, decimals, _ := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return strings.TrimSpace(currency + " " + sign + whole + "." + (decimals + "00")[:2])
}

// MarshalJSON implements json.Marshaler.
func (m Money) MarshalJSON() ([]byte, error) { return m.append(make([]byte, 0, 16)), nil }

// UnmarshalJSON reads what MarshalJSON writes, for amounts in stored JSON.
func (m *Money) UnmarshalJSON(raw []byte) (err error) {
	literal, negative := strings.CutPrefix(string(raw), "-")
	if *m, err = Parse(literal); negative {
		*m = -*m
	}
	return err
}

// SchemaOf documents Money as a number.
func (Money) SchemaOf() reflect.Type { return reflect.TypeFor[float64]() }

// ParseNumber implements web's number parsing: 0 or more.
func (m *Money) ParseNumber(literal string) (err error) {
	*m, err = Parse(literal)
	return err
}

// Positive is an amount above 0.
type Positive Money

// SchemaOf documents Positive as a number.
func (Positive) SchemaOf() reflect.Type { return reflect.TypeFor[float64]() }

// ParseNumber implements web's number parsing: more than 0.
func (p *Positive) ParseNumber(literal string) error {
	m, err := Parse(literal)
	switch {
	case err != nil:
		return err
	case m == 0:
		return errZero
	}
	*p = Positive(m)
	return nil
}

// MarshalJSON implements json.Marshaler.
func (p Positive) MarshalJSON() ([]byte, error) { return Money(p).MarshalJSON() }

// Percent is a percentage in hundredths: 12.5 % is 1250.
type Percent int64

const whole Percent = 100_00

// SchemaOf documents Percent as a number.
func (Percent) SchemaOf() reflect.Type { return reflect.TypeFor[float64]() }

// ParseNumber implements web's number parsing: 0.01 to 100.
func (p *Percent) ParseNumber(literal string) error {
	m, err := Parse(literal)
	if err != nil || m == 0 || Percent(m) > whole {
		return errPercent
	}
	*p = Percent(m)
	return nil
}

// MarshalJSON implements json.Marshaler.
func (p Percent) MarshalJSON() ([]byte, error) { return Money(p).MarshalJSON() }

// Of returns that share of an amount of 0 to Max, rounded half up to a minor unit.
func (p Percent) Of(m Money) Money { return (m*Money(p) + Money(whole)/2) / Money(whole) }
