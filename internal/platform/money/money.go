// Package money keeps amounts exact: whole minor units inside, a JSON number of
// at most two decimals outside (1500, 1500.50). What is sent is read from its
// literal text, digit by digit, so that no float is ever in the way.
//
// Money is what records hold, Positive what someone pays or charges, Percent a
// share of an amount. Each is a type of an input's field: web binds it and says
// what is wrong with it.
package money

import (
	"errors"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Money is an exact amount in minor units.
type Money int64

// Max is the largest amount that one field takes: 9,999,999,999.99. Nine million
// of them still add up without overflow.
const Max Money = 1_000_000_000_000 - 1

// What is wrong with an amount, in words that follow the field's name.
var (
	errForm     = errors.New("must be an amount with at most two decimals, as 1500 or 1500.50")
	errNegative = errors.New("must not be negative")
	errZero     = errors.New("must be more than 0")
	errRange    = errors.New("must be at most " + Max.String())
	errPercent  = errors.New("must be a percentage from 0.01 to 100, with at most two decimals")
)

// Parse reads an amount as people and JSON write it: digits, and at most two
// after a point. It takes no sign, no exponent and no separators.
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

// String writes 150050 as 1500.50 and 150000 as 1500.
func (m Money) String() string {
	sign, n := "", uint64(m)
	if m < 0 {
		sign, n = "-", -n
	}
	text := sign + strconv.FormatUint(n/100, 10)
	if rest := n % 100; rest != 0 {
		text += fmt.Sprintf(".%02d", rest)
	}
	return text
}

// In writes 150050 as "USD 1,500.50", for people to read.
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
func (m Money) MarshalJSON() ([]byte, error) { return []byte(m.String()), nil }

// SchemaOf tells the documentation that Money is a number.
func (Money) SchemaOf() reflect.Type { return reflect.TypeFor[float64]() }

// ParseNumber implements web's reading of a number: 0 or more.
func (m *Money) ParseNumber(literal string) (err error) {
	*m, err = Parse(literal)
	return err
}

// Positive is an amount that is not 0.
type Positive Money

// SchemaOf tells the documentation that Positive is a number.
func (Positive) SchemaOf() reflect.Type { return reflect.TypeFor[float64]() }

// ParseNumber implements web's reading of a number: more than 0.
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

// Percent is a share, in hundredths of a percent: 12.5 % is 1250.
type Percent int64

const whole Percent = 100_00

// SchemaOf tells the documentation that Percent is a number.
func (Percent) SchemaOf() reflect.Type { return reflect.TypeFor[float64]() }

// ParseNumber implements web's reading of a number: 0.01 to 100.
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

// Of is that share of an amount of 0 to Max, rounded to the nearest minor unit,
// a half upwards.
func (p Percent) Of(m Money) Money { return (m*Money(p) + Money(whole)/2) / Money(whole) }
