package exam

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/money"
)

// Marks is an exact number of at most two decimals, kept in hundredths. It is
// also how percents and grade points are kept.
type Marks int64

const (
	one      Marks = 100
	hundred        = 100 * one
	mostMark       = 100_000 * one
)

var errMarks = errors.New("must be a number of 0 or more, with at most two decimals, as 42 or 42.5")

// parseMarks reads marks as people and JSON write them.
func parseMarks(s string) (Marks, error) {
	m, err := money.Parse(s) // which is as exact
	if err != nil || Marks(m) > mostMark {
		return 0, errMarks
	}
	return Marks(m), nil
}

// ParseNumber implements web's reading of a number.
func (m *Marks) ParseNumber(literal string) (err error) {
	*m, err = parseMarks(literal)
	return err
}

// UnmarshalJSON implements json.Unmarshaler.
func (m *Marks) UnmarshalJSON(raw []byte) error { return m.ParseNumber(string(raw)) }

// MarshalJSON implements json.Marshaler.
func (m Marks) MarshalJSON() ([]byte, error) { return []byte(m.String()), nil }

// SchemaOf tells the documentation that Marks is a number.
func (Marks) SchemaOf() reflect.Type { return reflect.TypeFor[float64]() }

// String writes 4250 as 42.5 and 4200 as 42.
func (m Marks) String() string { return m.fixed(m.places()) }

// places is how many decimals it takes to write m.
func (m Marks) places() int {
	switch {
	case m%one == 0:
		return 0
	case m%10 == 0:
		return 1
	}
	return 2
}

// fixed writes m with so many decimals, which must be enough.
func (m Marks) fixed(places int) string {
	text := fmt.Sprintf("%d.%02d", m/one, m%one)
	if places == 0 {
		return text[:len(text)-3]
	}
	return text[:len(text)-2+places]
}

// percent is what share of most m is, in hundredths of a percent, rounded half up.
func percent(m, most Marks) Marks {
	if most == 0 {
		return 0
	}
	return (2*m*hundred + most) / (2 * most)
}

// mean is a sum shared by n, rounded half up.
func mean(sum Marks, n int) Marks {
	if n == 0 {
		return 0
	}
	return (2*sum + Marks(n)) / (2 * Marks(n))
}

// Band is a grade of a scale: of those whose minPercent is reached, the highest counts.
type Band struct {
	Grade      string `json:"grade" required:"true" maxLength:"20" example:"A"`
	MinPercent Marks  `json:"minPercent" required:"true" example:"80"`
	Points     *Marks `json:"points"`
}

// Grade is a band that was reached.
type Grade struct {
	Grade  string `json:"grade" doc:"Empty where no grade scale says one."`
	Points *Marks `json:"points"`
}

// grade finds the band of a percent; bands have the highest first.
func grade(bands []Band, percent Marks) Grade {
	for _, b := range bands {
		if percent >= b.MinPercent {
			return Grade{b.Grade, b.Points}
		}
	}
	return Grade{}
}

// checkBands refuses bands that no percent could be told apart by, and puts the
// highest first.
func checkBands(bands []Band) error {
	var bad []fault.Field
	for i, b := range bands {
		at := fmt.Sprintf("bands[%d].", i)
		if b.MinPercent > hundred {
			bad = append(bad, fault.Field{Field: at + "minPercent", Message: "must be at most 100"})
		}
		for j, o := range bands[:i] {
			if o.MinPercent == b.MinPercent {
				bad = append(bad, fault.Field{Field: at + "minPercent", Message: fmt.Sprintf("is also that of bands[%d]", j)})
			}
			if o.Grade == b.Grade {
				bad = append(bad, fault.Field{Field: at + "grade", Message: fmt.Sprintf("is also that of bands[%d]", j)})
			}
		}
	}
	if bad != nil {
		return fault.Fields(bad...)
	}
	slices.SortFunc(bands, func(a, b Band) int { return int(b.MinPercent - a.MinPercent) })
	return nil
}
