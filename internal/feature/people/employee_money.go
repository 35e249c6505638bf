package people

import (
	"math"
	"reflect"
	"strconv"
	"strings"

	"homeroom/internal/platform/fault"
)

// Money is an exact amount in minor units, which JSON shows as a number of at
// most two decimals.
type Money int64

// MarshalJSON writes 150050 as 1500.50.
func (m Money) MarshalJSON() ([]byte, error) {
	text := strconv.FormatInt(int64(m)/100, 10)
	if rest := int64(m) % 100; rest != 0 {
		text += "." + strconv.FormatInt(rest/10, 10) + strconv.FormatInt(rest%10, 10)
	}
	return []byte(text), nil
}

// SchemaOf tells the documentation that Money reads as a number.
func (Money) SchemaOf() reflect.Type { return reflect.TypeFor[float64]() }

// checkMoney refuses a third decimal.
func checkMoney(field string, amount float64) error {
	_, decimals, _ := strings.Cut(strconv.FormatFloat(amount, 'f', -1, 64), ".")
	if len(decimals) > 2 {
		return fault.OnField(field, "must have at most two decimals")
	}
	return nil
}

func moneyOf(amount *float64) *Money {
	if amount == nil {
		return nil
	}
	m := Money(math.Round(*amount * 100))
	return &m
}
