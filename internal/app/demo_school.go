package app

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/access"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// The size of a demo school.
const (
	demoGrades    = 10
	demoDivisions = 2 // of each grade
	demoSeats     = 15
	demoTeachers  = 24 // three of each subject
	demoDrivers   = 3  // one of them a substitute
	demoStops     = 6  // of each route
	demoDriven    = 1  // index of the bus that the simulator drives; the other is the demo driver's
)

// Divisions of the demo accounts, as indexes of demoMaker.divisions.
const (
	demoHome     = (5 - 1) * demoDivisions // of the demo teacher and of one child of the demo parent
	demoHomeName = "Grade 5 A"
	demoSibling  = (2-1)*demoDivisions + 1 // Grade 2 B, of the parent's other child
)

// demoMaker creates one demo school.
type demoMaker struct {
	demoServices
	demoPlan
	today, first clock.Date
	opens        int // start of the first lesson, in minutes after midnight
	who          actor.Actor
	rand         *rand.Rand

	divisions []academics.Division // A and B of Grade 1, then of Grade 2 …
	subjects  []academics.Subject
	teachers  []id.ID // employees; teacher i teaches subject i modulo the number of subjects
	drivers   []id.ID
	stops     []transport.Stop
	buses     []transport.Bus
	guardian  int // number of guardians so far
}

func (m *demoMaker) site() demoSite { return demoSite{m.demoPlan, m.who} }

func (m *demoMaker) addHolidays(ctx context.Context, _ *db.Tx) error {
	soon := m.today.AddDays(9) // always a holiday ahead
	list := []school.NewHoliday{{Name: "Staff training day", Date: soon}}
	for _, h := range m.holidays {
		date := h.within(m.first)
		list = append(list, school.NewHoliday{Name: h.name, Date: date, EndDate: new(date.AddDays(h.days - 1))})
	}
	for _, h := range list {
		if _, err := m.School.CreateHoliday(ctx, m.who, h); err != nil {
			return fmt.Errorf("add holidays: %w", err)
		}
	}
	return nil
}

func (m *demoMaker) addClasses(ctx context.Context, tx *db.Tx) error {
	year, err := school.CurrentYear(ctx, tx)
	if err != nil {
		return err
	}
	grades := make([]academics.Class, demoGrades)
	for i := range grades {
		grades[i] = academics.Class{Name: fmt.Sprintf("Grade %d", i+1), DisplayOrder: i + 1, AcademicYearID: year.ID}
	}
	if grades, err = m.Academics.AddClasses(ctx, tx, grades); err != nil {
		return err
	}
	var divisions []academics.Division
	for i, g := range grades {
		for _, name := range []string{"A", "B"} {
			divisions = append(divisions, academics.Division{ClassID: g.ID, Name: name, Capacity: new(24),
				Room: opt.Text(fmt.Sprintf("%d%s", 101+i, name))})
		}
	}
	if m.divisions, err = m.Academics.AddDivisions(ctx, tx, divisions); err != nil {
		return err
	}
	m.subjects, err = m.Academics.AddSubjects(ctx, tx, m.syllabus(grades))
	return err
}

func (m *demoMaker) syllabus(grades []academics.Class) []academics.Subject {
	from := func(grade int) (ids []id.ID) {
		for _, g := range grades[grade-1:] {
			ids = append(ids, g.ID)
		}
		return ids
	}
	return []academics.Subject{
		{Name: "Mathematics", Code: "MATH", Type: "CORE", ClassIDs: from(1)},
		{Name: "English", Code: "ENG", Type: "CORE", ClassIDs: from(1)},
		{Name: "Science", Code: "SCI", Type: "CORE", ClassIDs: from(1)},
		{Name: "Social Studies", Code: "SOC", Type: "CORE", ClassIDs: from(2)},
		{Name: m.language, Code: "LANG", Type: "CORE", ClassIDs: from(1)},
		{Name: "Computer Science", Code: "CS", Type: "ELECTIVE", ClassIDs: from(3)},
		{Name: "Art", Code: "ART", Type: "ELECTIVE", ClassIDs: from(1)},
		{Name: "Physical Education", Code: "PE", Type: "CORE", ClassIDs: from(1)},
	}
}

func (m *demoMaker) addStaff(ctx context.Context, tx *db.Tx, admin id.ID) error {
	var roles [3]id.ID
	for i, typ := range []actor.Role{actor.Teacher, actor.Driver, actor.SchoolAdmin} {
		role, err := access.System(ctx, tx, typ)
		if err != nil {
			return err
		}
		roles[i] = role.ID
	}
	var staff []people.NewEmployee
	for i := range demoTeachers {
		staff = append(staff, m.employee(len(staff), roles[0], "Teacher", m.subjects[i%len(m.subjects)].Name))
	}
	for range demoDrivers {
		e := m.employee(len(staff), roles[1], "Bus driver", "Transport")
		e.LicenseNo = fmt.Sprintf("D-%06d", 100000+m.rand.IntN(900000))
		staff = append(staff, e)
	}
	staff[demoHome].Phone, staff[demoTeachers].Phone = m.teacher(), m.driver()
	for _, title := range []string{"Principal", "Office manager", "Accountant", "Librarian"} {
		e := m.employee(len(staff), roles[2], title, "Office")
		e.Phone = "" // only the principal signs in
		staff = append(staff, e)
	}
	head := &staff[demoTeachers+demoDrivers]
	head.FirstName, head.LastName = splitName(m.principal)
	head.Email, head.UserID = m.admin(), &admin

	ids, err := m.People.AddEmployees(ctx, tx, m.who, staff)
	if err != nil {
		return err
	}
	m.teachers, m.drivers = ids[:demoTeachers], ids[demoTeachers:demoTeachers+demoDrivers]
	return nil
}

func (m *demoMaker) employee(number int, role id.ID, title, department string) people.NewEmployee {
	gender, first := m.randomName()
	born := dateOf(m.first.Time().Year()-25-m.rand.IntN(35), 1, 1).AddDays(m.rand.IntN(365))
	joined := m.first.AddDays(-365 * m.rand.IntN(12))
	return people.NewEmployee{
		EmployeeCode: fmt.Sprintf("%s-E%03d", m.prefix, number+1), FirstName: first, LastName: pick(m.rand, demoLastNames),
		Designation: title, Department: department, RoleID: role, Gender: gender, DateOfBirth: &born, JoinDate: &joined,
		Phone: fmt.Sprintf("%s2%04d", m.phones, number+1),
	}
}

// assign assigns a teacher to every subject of every division. The class teacher
// also teaches a subject there.
func (m *demoMaker) assign(ctx context.Context, tx *db.Tx) error {
	var list []academics.Assignment
	for n, d := range m.divisions {
		for s, subject := range m.subjects {
			if slices.Contains(subject.ClassIDs, d.ClassID) {
				list = append(list, academics.Assignment{EmployeeID: m.teachers[m.teacherOf(n, s)], ClassID: d.ClassID,
					DivisionID: &m.divisions[n].ID, SubjectID: &m.subjects[s].ID, IsClassTeacher: n%len(m.subjects) == s})
			}
		}
	}
	return m.Academics.Assign(ctx, tx, list)
}

// teacherOf returns the index of the teacher of a subject in the n-th division:
// its class teacher (teacher n) for n's own subject, else one by grade.
func (m *demoMaker) teacherOf(n, subject int) int {
	if n%len(m.subjects) == subject {
		return n
	}
	return subject + len(m.subjects)*(n/demoDivisions%(demoTeachers/len(m.subjects)))
}

func (m *demoMaker) addBuses(ctx context.Context, tx *db.Tx) error {
	routes := []transport.Route{{Name: "North loop"}, {Name: "South loop"}}
	for i := range routes {
		for j := range demoStops {
			far := float64(demoStops-j) * 0.006
			north := 1 - 2*float64(i)
			stop := transport.Stop{Name: demoStopNames[i*demoStops+j], Lat: m.lat + north*far, Lng: m.lng + north*far/2, GeofenceMeters: 100}
			if i != demoDriven { // the simulator drives at any time
				stop.PickupTime, stop.DropoffTime = new(timeOfDay(m.opens-85+7*j)), new(timeOfDay(m.opens+demoDay+55-7*j))
			}
			routes[i].Stops = append(routes[i].Stops, stop)
		}
	}
	routes, err := m.Transport.AddRoutes(ctx, tx, routes)
	if err != nil {
		return err
	}
	var buses []transport.Bus
	for i, r := range routes {
		insured, fit := m.today.AddDays(120+90*i), m.today.AddDays(200+60*i)
		_, helper := m.randomName()
		buses = append(buses, transport.Bus{RegistrationNo: m.plate(i), Name: opt.Text(fmt.Sprintf("Bus %d", i+1)), Capacity: 48,
			DriverID: &m.drivers[i], RouteID: &routes[i].ID, AttendantName: opt.Text(helper), InsuranceExpiry: &insured, FitnessExpiry: &fit})
		m.stops = append(m.stops, r.Stops...)
	}
	m.buses, err = m.Transport.AddBuses(ctx, tx, buses)
	return err
}
