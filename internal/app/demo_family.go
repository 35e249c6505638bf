package app

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"homeroom/internal/feature/people"
	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// demoChild is a student with a seat and a bus stop.
type demoChild struct {
	people.NewStudent
	seat int // index of all seats of the school, division by division
	stop int // index of demoMaker.stops; -1: none
}

// addFamilies fills every seat with students, family by family. The first family
// is the demo parent's, with one child in the demo teacher's division.
func (m *demoMaker) addFamilies(ctx context.Context, tx *db.Tx) error {
	children := m.family([]int{demoHome * demoSeats, demoSibling * demoSeats}, 2)
	children[0].Guardians[0].Phone = m.parent()
	children[1].Guardians[0].Phone = m.parent()
	children[1].stop += demoDriven * demoStops // the parent sees a bus that moves

	seats := slices.DeleteFunc(m.rand.Perm(len(m.divisions)*demoSeats), func(seat int) bool {
		return seat == children[0].seat || seat == children[1].seat
	})
	for len(seats) > 0 {
		size := min(1+[]int{0, 0, 0, 0, 0, 0, 1, 1, 1, 2}[m.rand.IntN(10)], len(seats))
		stop := -1
		if m.rand.IntN(5) == 0 {
			stop = m.rand.IntN(len(m.stops))
		}
		children = append(children, m.family(seats[:size], stop)...)
		seats = seats[size:]
	}
	m.numberStudents(children)
	born := children[len(children)/2].DateOfBirth // has a birthday today
	*born = dateOf(born.Time().Year(), m.today.Time().Month(), m.today.Time().Day())
	students := make([]people.NewStudent, len(children))
	for i, c := range children {
		students[i] = c.NewStudent
	}
	ids, err := m.People.AddStudents(ctx, tx, m.who, students)
	if err != nil {
		return err
	}
	return m.Transport.AddRiders(ctx, tx, m.riders(children, ids))
}

// family returns siblings for the seats, with one or two guardians.
func (m *demoMaker) family(seats []int, stop int) []demoChild {
	last := pick(m.rand, demoLastNames)
	home := fmt.Sprintf("%d %s", 1+m.rand.IntN(180), pick(m.rand, demoStreets))
	guardians := m.guardians(last)
	children := make([]demoChild, len(seats))
	for i, seat := range seats {
		division := m.divisions[seat/demoSeats]
		grade := seat/demoSeats/demoDivisions + 1
		gender, first := m.randomName()
		for slices.ContainsFunc(children[:i], func(c demoChild) bool { return c.FirstName == first }) {
			gender, first = m.randomName() // siblings have different names
		}
		born := dateOf(m.first.Time().Year()-5-grade, m.first.Time().Month(), 1).AddDays(-m.rand.IntN(365))
		joined := m.joined(grade)
		children[i] = demoChild{seat: seat, stop: stop, NewStudent: people.NewStudent{
			FirstName: first, LastName: last, Gender: gender, DateOfBirth: &born, BloodGroup: pick(m.rand, demoBloodGroups),
			ClassID: &division.ClassID, DivisionID: &division.ID, AdmissionDate: &joined, Address: home,
			Guardians: slices.Clone(guardians)}}
		if m.rand.IntN(15) == 0 {
			children[i].MedicalNotes = pick(m.rand, demoMedicalNotes)
			children[i].RideNotes = demoRideNotes[children[i].MedicalNotes]
		}
	}
	return children
}

// joined returns a random admission date: the first day of this or an earlier academic year.
func (m *demoMaker) joined(grade int) clock.Date {
	t := m.first.Time()
	return dateOf(t.Year()-m.rand.IntN(grade), t.Month(), t.Day())
}

func (m *demoMaker) guardians(last string) []people.NewGuardian {
	one := func(relation string, names []string, primary bool) people.NewGuardian {
		m.guardian++
		return people.NewGuardian{Name: pick(m.rand, names) + " " + last, Relation: relation,
			Phone: fmt.Sprintf("%s1%04d", m.phones, m.guardian), IsPrimary: primary, CanViewData: true, CanPickUp: true}
	}
	switch n := m.rand.IntN(20); {
	case n < 11:
		return []people.NewGuardian{one("MOTHER", demoGirls, true), one("FATHER", demoBoys, false)}
	case n < 16:
		return []people.NewGuardian{one("MOTHER", demoGirls, true)}
	case n < 19:
		return []people.NewGuardian{one("FATHER", demoBoys, true)}
	default:
		return []people.NewGuardian{one("GUARDIAN", demoGirls, true)}
	}
}

// numberStudents assigns admission numbers by division, and roll numbers by name.
func (m *demoMaker) numberStudents(children []demoChild) {
	slices.SortFunc(children, func(a, b demoChild) int {
		return cmp.Or(cmp.Compare(a.seat/demoSeats, b.seat/demoSeats),
			strings.Compare(a.FirstName, b.FirstName), strings.Compare(a.LastName, b.LastName))
	})
	for i := range children {
		children[i].AdmissionNo = fmt.Sprintf("%s-%04d", m.prefix, i+1)
		children[i].RollNo = new(i%demoSeats + 1)
	}
}

func (m *demoMaker) riders(children []demoChild, ids []id.ID) []transport.Rider {
	var list []transport.Rider
	for i, c := range children {
		if c.stop >= 0 {
			list = append(list, transport.Rider{StudentID: ids[i], StopID: m.stops[c.stop].ID, Pickup: true, Dropoff: true})
		}
	}
	return list
}

func (m *demoMaker) randomName() (gender, first string) {
	if m.rand.IntN(2) == 0 {
		return "FEMALE", pick(m.rand, demoGirls)
	}
	return "MALE", pick(m.rand, demoBoys)
}

func pick(r *rand.Rand, list []string) string { return list[r.IntN(len(list))] }

func splitName(name string) (first, last string) {
	first, last, _ = strings.Cut(name, " ")
	return first, last
}
