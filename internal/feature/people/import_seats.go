package people

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// seating is the classes and divisions of one academic year by name, with the free
// places.
type seating struct {
	year    string // its name; "" if the school has no current year
	yearID  id.ID
	current bool // the current year
	classes named[seatedClass]
}

type seatedClass struct {
	id        id.ID
	divisions named[seatedDivision]
}

type seatedDivision struct {
	id   id.ID
	left int // free places; -1 = unlimited
}

// named looks values up by exact name, else ignoring case and accents if that is
// unambiguous.
type named[T any] struct {
	exact, folded map[string]*T
	names         []string // in order
}

func (n *named[T]) add(name string, v *T) {
	if n.exact == nil {
		n.exact, n.folded = map[string]*T{}, map[string]*T{}
	}
	n.exact[name] = v
	other, two := n.folded[Fold(name)]
	switch {
	case two && other == v: // two spellings of one value
		return
	case two:
		v = nil
	}
	n.folded[Fold(name)], n.names = v, append(n.names, name)
}

func (n *named[T]) find(name string) *T {
	if v := n.exact[name]; v != nil {
		return v
	}
	return n.folded[Fold(name)]
}

// newSeating reads the wanted year, by default the current one.
func newSeating(ctx context.Context, q db.Q, wanted *id.ID) (*seating, error) {
	s := &seating{}
	year, err := school.Year{}, error(nil)
	if wanted != nil {
		year, err = school.GetYear(ctx, q, *wanted)
	} else if year, err = school.CurrentYear(ctx, q); errors.Is(err, school.ErrNoCurrentYear) {
		return s, nil // a file without classes needs none
	}
	if err != nil {
		return nil, err
	}
	s.year, s.yearID, s.current = year.Name, year.ID, year.IsCurrent
	type seat struct {
		ClassID    id.ID
		Class      string
		DivisionID *id.ID
		Division   string
		Capacity   *int
		Students   int
	}
	err = db.Each(ctx, q, `
		SELECT c.id AS class_id, c.name AS class, d.id AS division_id, COALESCE(d.name, '') AS division, d.capacity,
			`+seatedIn+` AS students
		FROM classes c LEFT JOIN divisions d ON d.school_id = c.school_id AND d.class_id = c.id
		WHERE c.school_id = :school AND c.academic_year_id = :year
		ORDER BY c.display_order, c.name, d.name`, db.Args{"year": year.ID}, func(x seat) error {
		c := s.classes.exact[x.Class]
		if c == nil {
			c = &seatedClass{id: x.ClassID}
			s.classes.add(x.Class, c)
		}
		if x.DivisionID == nil {
			return nil
		}
		d := &seatedDivision{id: *x.DivisionID, left: -1}
		if x.Capacity != nil {
			d.left = max(0, *x.Capacity-x.Students)
		}
		c.divisions.add(x.Division, d)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read classes: %w", err)
	}
	return s, nil
}

// find resolves the names of the line's class and division to ids.
func (s *seating) find(p *studentPass, l *studentLine) {
	if l.class == "" {
		return
	}
	if s.year == "" {
		p.wrong(l, stClass, "needs a current academic year: create one, or make one current, first")
		return
	}
	c := s.classes.find(l.class)
	if c == nil {
		p.wrong(l, stClass, "is not a class of %s: %s", s.year, choices(s.classes.names, "create it first"))
		return
	}
	l.ClassID = &c.id
	if l.division == "" {
		return
	}
	if l.place = c.divisions.find(l.division); l.place == nil {
		p.wrong(l, stDivision, "is not a division of %s: %s", l.class, choices(c.divisions.names, "create it first"))
		return
	}
	l.DivisionID = &l.place.id
}

// choices lists the first few names.
func choices(names []string, otherwise string) string {
	const few = 8
	switch {
	case len(names) == 0:
		return "there is none, " + otherwise
	case len(names) > few:
		return "there are " + strings.Join(names[:few], ", ") + " and others"
	}
	return "there are " + strings.Join(names, ", ")
}

// takePlace takes a place in the line's division, and fails if it is full.
func (p *studentPass) takePlace(l *studentLine) {
	switch d := l.place; {
	case d == nil, d.left < 0:
	case d.left == 0:
		p.wrong(l, stDivision, "is full: choose another division, or raise the capacity of this one")
	default:
		d.left--
	}
}
