package people

import (
	"bytes"
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"
	"sort"

	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

// roster is all students of a school but the archived, as lists need them: in
// memory, in as few pieces as can be. Nothing of it changes once it is made; who
// changes is taken out and added again in a copy.
type roster struct {
	stamp  string // of the students as they were read
	ids    []byte // one after the other
	sorted int    // so many of them are in their order; those who were added later follow
	search column // what is searched
	first  column // first names, and so on
	last   column
	number column
	roll   []int
	now    []uint32           // the kind of each
	years  map[id.ID][]uint32 // the kind of each in a year
	kinds  []studentKind      // that there are
	kindOf map[studentKind]uint32
	orders map[string][]uint32 // the students sorted by a column of StudentSorts
}

// noKind is the kind of a student who was not there in a year, or was taken out.
const noKind = math.MaxUint32

// studentKind is what filters tell students apart by.
type studentKind struct {
	class, division id.ID // "" for none
	status          string
}

// column is a text of each student, one after the other with a zero between.
type column struct {
	text []byte
	ends []uint32
}

func (c *column) add(s string) {
	c.text = append(append(c.text, s...), 0)
	c.ends = append(c.ends, uint32(len(c.text)))
}

func (c *column) at(i uint32) []byte {
	start := uint32(0)
	if i > 0 {
		start = c.ends[i-1]
	}
	return c.text[start:c.ends[i]]
}

// having yields the students who have part in the column.
func (c *column) having(part string) iter.Seq[int] {
	sought := []byte(part)
	return func(yield func(int) bool) {
		for i, at := 0, 0; i < len(c.ends); at, i = int(c.ends[i]), i+1 {
			next := bytes.Index(c.text[at:], sought)
			if next < 0 {
				return
			}
			for int(c.ends[i]) <= at+next {
				i++
			}
			if !yield(i) {
				return
			}
		}
	}
}

// page finds the students who pass the filters, and tells those of a page and
// how many there are.
func (r *roster) page(f studentFilters, by order, p page.Request) (ids []id.ID, total int) {
	pass, total := r.passing(f)
	ids, skip := []id.ID{}, p.Offset()
	if skip >= total {
		return ids, total
	}
	sorted := r.orders[by.column]
	for n := range sorted {
		i := sorted[n]
		if by.desc {
			i = sorted[len(sorted)-1-n]
		}
		if !pass[i] {
			continue
		}
		if skip--; skip < 0 {
			ids = append(ids, id.ID(r.id(i)))
		}
		if len(ids) == p.Limit {
			break
		}
	}
	return ids, total
}

// passing tells which students pass the filters, and how many they are.
func (r *roster) passing(f studentFilters) (pass []bool, total int) {
	kind := r.now
	if f.AcademicYearID != nil {
		kind = r.years[*f.AcademicYearID]
	}
	meant := make([]bool, len(r.kinds))
	for i, k := range r.kinds {
		meant[i] = (f.ClassID == nil || k.class == *f.ClassID) && (f.DivisionID == nil || k.division == *f.DivisionID) && (f.Status == "" || k.status == f.Status)
	}
	pass = make([]bool, len(r.now))
	for i := range r.search.having(f.Search) {
		if k := kind[i]; k != noKind && meant[k] {
			pass[i] = true
			total++
		}
	}
	return pass, total
}

const idLength = 36

func (r *roster) id(i uint32) []byte { return r.ids[i*idLength : (i+1)*idLength] }

// places are those of a student, who may have been taken out of some.
func (r *roster) places(student id.ID) []uint32 {
	var out []uint32
	at, found := sort.Find(r.sorted, func(i int) int { return bytes.Compare([]byte(student), r.id(uint32(i))) })
	if found {
		out = append(out, uint32(at))
	}
	for i := uint32(r.sorted); int(i) < len(r.now); i++ {
		if string(r.id(i)) == string(student) {
			out = append(out, i)
		}
	}
	return out
}

// numberOf is the number of a kind, which gets one if it is new.
func (r *roster) numberOf(k studentKind) uint32 {
	n, ok := r.kindOf[k]
	if !ok {
		n = uint32(len(r.kinds))
		r.kinds, r.kindOf[k] = append(r.kinds, k), n
	}
	return n
}

// add puts a student at the end, in none of the orders and in no year.
func (r *roster) add(s rosterRow) {
	r.ids = append(r.ids, s.ID...)
	r.search.add(s.Search)
	r.first.add(s.FirstName)
	r.last.add(s.LastName)
	r.number.add(s.AdmissionNo)
	r.roll = append(r.roll, s.RollNo)
	r.now = append(r.now, r.numberOf(studentKind{s.Class, s.Division, s.Status}))
	for year := range r.years {
		r.years[year] = append(r.years[year], noKind)
	}
}

// sit says where the student at a place sat in a year.
func (r *roster) sit(at uint32, s sitting) {
	r.years[s.Year][at] = r.numberOf(studentKind{s.Class, s.Division, r.kinds[r.now[at]].status})
}

// remove takes a student out.
func (r *roster) remove(student id.ID) {
	for _, i := range r.places(student) {
		r.now[i] = noKind
		for _, then := range r.years {
			then[i] = noKind
		}
	}
}

// by tells which of two students comes first in an order, their ids aside.
func (r *roster) by(field string) func(a, b uint32) int {
	text := func(c *column) func(a, b uint32) int {
		return func(a, b uint32) int { return bytes.Compare(c.at(a), c.at(b)) }
	}
	switch field {
	case "firstName":
		return text(&r.first)
	case "lastName":
		return text(&r.last)
	case "admissionNo":
		return text(&r.number)
	case "rollNo":
		return func(a, b uint32) int { return cmp.Compare(r.roll[a], r.roll[b]) }
	}
	return func(uint32, uint32) int { return 0 }
}

// sort puts the students who are in no order yet into all of them.
func (r *roster) sort() {
	for field, column := range StudentSorts {
		by := r.by(field)
		compare := func(a, b uint32) int {
			if way := by(a, b); way != 0 {
				return way
			}
			return bytes.Compare(r.id(a), r.id(b))
		}
		old := r.orders[column]
		fresh := make([]uint32, 0, len(r.now)-len(old))
		for i := len(old); i < len(r.now); i++ {
			fresh = append(fresh, uint32(i))
		}
		slices.SortFunc(fresh, compare)
		all := make([]uint32, 0, len(r.now))
		for _, i := range fresh {
			at := sort.Search(len(old), func(n int) bool { return compare(old[n], i) > 0 })
			all = append(append(all, old[:at]...), i)
			old = old[at:]
		}
		r.orders[column] = append(all, old...)
	}
}

// copy is a roster that can be changed while others read this one.
func (r *roster) copy() *roster {
	c := *r
	c.ids, c.roll, c.kinds = slices.Clip(r.ids), slices.Clip(r.roll), slices.Clip(r.kinds)
	for _, t := range []*column{&c.search, &c.first, &c.last, &c.number} {
		t.text, t.ends = slices.Clip(t.text), slices.Clip(t.ends)
	}
	c.now, c.kindOf, c.orders, c.years = slices.Clone(r.now), maps.Clone(r.kindOf), maps.Clone(r.orders), map[id.ID][]uint32{}
	for year, then := range r.years {
		c.years[year] = slices.Clone(then)
	}
	return &c
}
