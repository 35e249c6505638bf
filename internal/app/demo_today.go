package app

import (
	"context"
	"fmt"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/elective"
	"homeroom/internal/feature/leave"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/feature/timetable"
	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

// addElectives lets half of each class take Art and the other half Computer Science,
// where a class has both.
func (m *demoMaker) addElectives(ctx context.Context, tx *db.Tx) error {
	var art, computers academics.Subject
	for _, s := range m.subjects {
		switch s.Code {
		case "ART":
			art = s
		case "CS":
			computers = s
		}
	}
	for _, class := range computers.ClassIDs {
		students, err := db.All[id.ID](ctx, tx, `SELECT id FROM students WHERE school_id = :school AND class_id = :class ORDER BY id`,
			db.Args{"class": class})
		if err != nil {
			return fmt.Errorf("list students: %w", err)
		}
		half := len(students) / 2
		for subject, taken := range map[id.ID][]id.ID{art.ID: students[:half], computers.ID: students[half:]} {
			if _, err := m.Electives.Put(ctx, m.who, elective.Choice{ClassID: class, SubjectID: subject, StudentIDs: taken}); err != nil {
				return fmt.Errorf("add electives: %w", err)
			}
		}
	}
	return nil
}

// addSubstitute lets the demo teacher take over a lesson, on the first school day with a
// free period.
func (m *demoMaker) addSubstitute(ctx context.Context, tx *db.Tx) error {
	last := m.today.AddDays(30)
	cal, err := school.CalendarOf(ctx, tx, m.today, last)
	if err != nil {
		return err
	}
	type lesson struct {
		ClassID, DivisionID id.ID
		PeriodNo            int
	}
	for _, day := range cal.SchoolDays(m.today, min(last, yearEnd(m.first))) {
		free, err := db.All[lesson](ctx, tx, `
			SELECT class_id, division_id, period_no FROM timetable_periods
			WHERE school_id = :school AND day_of_week = :day AND employee_id <> :teacher AND period_no NOT IN (
				SELECT period_no FROM timetable_periods WHERE school_id = :school AND day_of_week = :day AND employee_id = :teacher)
			ORDER BY period_no, division_id LIMIT 1`, db.Args{"day": day.Weekday(), "teacher": m.teachers[demoHome]})
		if err != nil {
			return fmt.Errorf("find a lesson to take over: %w", err)
		}
		for _, f := range free {
			_, err = m.Timetable.SetOverride(ctx, m.who, timetable.NewOverride{Date: day, ClassID: f.ClassID, DivisionID: f.DivisionID,
				PeriodNo: f.PeriodNo, TeacherID: &m.teachers[demoHome], Note: "At a training"})
			if err != nil {
				return fmt.Errorf("add a substitute: %w", err)
			}
			return nil
		}
	}
	return nil
}

// addContactChange lets the demo parent propose a new address.
func (m *demoMaker) addContactChange(ctx context.Context, tx *db.Tx) error {
	parent, err := m.Identity.FindByPhone(ctx, tx, actor.Parent, m.parent())
	if err != nil {
		return err
	}
	who := m.who
	who.User, who.Role = parent, actor.Parent
	change := people.Proposal{ContactData: people.ContactData{Address: web.Opt[string]{Set: true, V: "8 Orchard Lane"}}}
	if _, err := m.People.Propose(ctx, who, change); err != nil {
		return fmt.Errorf("propose a change of contact data: %w", err)
	}
	return nil
}

// addLeaves lets the demo parent and a teacher apply for leave.
func (m *demoMaker) addLeaves(ctx context.Context, tx *db.Tx) error {
	parent, err := m.Identity.FindByPhone(ctx, tx, actor.Parent, m.parent())
	if err != nil {
		return err
	}
	home, err := m.readHome(ctx, tx)
	if err != nil {
		return err
	}
	teacher, err := db.One[id.ID](ctx, tx, `SELECT user_id FROM employees WHERE school_id = :school AND id = :id`,
		db.Args{"id": m.teachers[demoHome+1]})
	if err != nil {
		return fmt.Errorf("read a teacher's account: %w", err)
	}
	who, soon := m.who, m.today.AddDays(3)
	who.User, who.Role = parent, actor.Parent
	child := leave.NewOfStudent{StudentID: home.child, New: leave.New{Type: "CASUAL", FromDate: soon, ToDate: new(soon.AddDays(1)),
		Reason: "The grandmother turns eighty."}}
	if _, err = m.Leaves.ApplyFor(ctx, who, child); err != nil {
		return fmt.Errorf("apply for leave of a student: %w", err)
	}
	who.User, who.Role = teacher, actor.Teacher
	if _, err = m.Leaves.Apply(ctx, who, leave.New{Type: "CASUAL", FromDate: soon, Reason: "Moving house."}); err != nil {
		return fmt.Errorf("apply for leave of a teacher: %w", err)
	}
	return nil
}

// startTrip starts a trip of the simulated bus, whose driver reports a traffic jam.
func (m *demoMaker) startTrip(ctx context.Context, _ *db.Tx) error {
	trip, err := m.depart(ctx, m.who, m.buses[demoDriven].ID, transport.Pickup)
	if err != nil {
		return fmt.Errorf("start a trip: %w", err)
	}
	_, err = m.Transport.Report(ctx, driverOf(m.who, trip), transport.NewIncident{Type: "traffic_jam", Severity: "LOW",
		Description: "Road works at the bridge: about five minutes late."})
	if err != nil {
		return fmt.Errorf("report an incident: %w", err)
	}
	return nil
}
