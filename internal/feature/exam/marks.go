package exam

import (
	"errors"
	"fmt"
	"reflect"
	"slices"

	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/opt"
)

// Marks is a fixed-point number with two decimals, in hundredths. Percents and grade
// points use it too.
type Marks int64

const (
	one     Marks = 100
	hundred       = 100 * one
	maxMark       = 100_000 * one
)

var errMarks = errors.New("must be a number of 0 or more with at most two decimals, such as 42 or 42.5")

// parseMarks parses marks from JSON or CSV.
func parseMarks(s string) (Marks, error) {
	m, err := money.Parse(s) // also in hundredths
	if err != nil || Marks(m) > maxMark {
		return 0, errMarks
	}
	return Marks(m), nil
}

// ParseNumber parses a JSON number for package web.
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

// places is the number of decimals of m.
func (m Marks) places() int {
	switch {
	case m%one == 0:
		return 0
	case m%10 == 0:
		return 1
	}
	return 2
}

// fixed formats m with this many decimals, at least m.places().
func (m Marks) fixed(places int) string {
	text := fmt.Sprintf("%d.%02d", m/one, m%one)
	if places == 0 {
		return text[:len(text)-3]
	}
	return text[:len(text)-2+places]
}

// percent is m as a percentage of most, in hundredths of a percent, rounded half up.
func percent(m, most Marks) Marks {
	if most == 0 {
		return 0
	}
	return (2*m*hundred + most) / (2 * most)
}

// mean is sum / n, rounded half up.
func mean(sum Marks, n int) Marks {
	if n == 0 {
		return 0
	}
	return (2*sum + Marks(n)) / (2 * Marks(n))
}

// Band is one grade of a scale. The highest band whose minPercent is reached applies.
type Band struct {
	Grade      string `json:"grade" required:"true" maxLength:"20" example:"A"`
	MinPercent Marks  `json:"minPercent" required:"true" minimum:"0" maximum:"100" example:"80"`
	Points     *Marks `json:"points" minimum:"0" maximum:"100000"`
}

// Grade is a grade with its points.
type Grade struct {
	Grade  opt.Text `json:"grade" doc:"Null without a grade scale, or below its lowest grade."`
	Points *Marks   `json:"points"`
}

// grade returns the grade of a percent. bands are sorted, the highest first.
func grade(bands []Band, percent Marks) Grade {
	for _, b := range bands {
		if percent >= b.MinPercent {
			return Grade{opt.Text(b.Grade), b.Points}
		}
	}
	return Grade{}
}

// checkBands refuses duplicate bands, and sorts them, the highest first.
func checkBands(bands []Band) error {
	var bad []fault.Field
	for i, b := range bands {
		at := fmt.Sprintf("bands[%d].", i)
		if b.MinPercent > hundred {
			bad = append(bad, fault.Field{Field: at + "minPercent", Message: "must be at most 100"})
		}
		for j, o := range bands[:i] {
			if o.MinPercent == b.MinPercent {
				bad = append(bad, fault.Field{Field: at + "minPercent", Message: fmt.Sprintf("is the same as in bands[%d]", j)})
			}
			if o.Grade == b.Grade {
				bad = append(bad, fault.Field{Field: at + "grade", Message: fmt.Sprintf("is the same as in bands[%d]", j)})
			}
		}
	}
	if bad != nil {
		return fault.Fields(bad...)
	}
	slices.SortFunc(bands, func(a, b Band) int { return int(b.MinPercent - a.MinPercent) })
	return nil
}
