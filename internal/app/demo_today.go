package app

import (
	"context"
	"fmt"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/elective"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/feature/timetable"
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

// addSubstitute lets the demo teacher take over a lesson, today or on the next school day.
func (m *demoMaker) addSubstitute(ctx context.Context, tx *db.Tx) error {
	last := m.today.AddDays(30)
	cal, err := school.CalendarOf(ctx, tx, m.today, last)
	if err != nil {
		return err
	}
	days := cal.SchoolDays(m.today, min(last, yearEnd(m.first)))
	if len(days) == 0 {
		return nil
	}
	type lesson struct {
		ClassID, DivisionID id.ID
		PeriodNo            int
	}
	free, err := db.One[lesson](ctx, tx, `
		SELECT class_id, division_id, period_no FROM timetable_periods
		WHERE school_id = :school AND day_of_week = :day AND employee_id <> :teacher AND period_no NOT IN (
			SELECT period_no FROM timetable_periods WHERE school_id = :school AND day_of_week = :day AND employee_id = :teacher)
		ORDER BY period_no, division_id LIMIT 1`,
		db.Args{"day": days[0].Weekday(), "teacher": m.teachers[demoHome]})
	if err != nil {
		return fmt.Errorf("find a lesson to take over: %w", err)
	}
	_, err = m.Timetable.SetOverride(ctx, m.who, timetable.NewOverride{Date: days[0], ClassID: free.ClassID, DivisionID: free.DivisionID,
		PeriodNo: free.PeriodNo, TeacherID: &m.teachers[demoHome], Note: "At a training"})
	if err != nil {
		return fmt.Errorf("add a substitute: %w", err)
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

// startTrip starts a trip of today on the last bus. The demo driver has another one.
func (m *demoMaker) startTrip(ctx context.Context, tx *db.Tx) error {
	type trip struct{ ID, UserID id.ID }
	bus := m.buses[len(m.buses)-1]
	first, err := db.One[trip](ctx, tx, `
		SELECT t.id, e.user_id FROM trips t JOIN employees e ON e.school_id = t.school_id AND e.id = t.driver_id
		WHERE t.school_id = :school AND t.bus_id = :bus AND t.date = :day ORDER BY t.start_time LIMIT 1`,
		db.Args{"bus": bus.ID, "day": m.today})
	if err != nil {
		return fmt.Errorf("find a trip: %w", err)
	}
	who := m.who
	who.User, who.Role = first.UserID, actor.Driver
	if _, err := m.Transport.Start(ctx, who, first.ID); err != nil {
		return fmt.Errorf("start a trip: %w", err)
	}
	return nil
}
