package app

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"homeroom/internal/feature/announcement"
	"homeroom/internal/feature/attendance"
	"homeroom/internal/feature/event"
	"homeroom/internal/feature/school"
	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

// Past school days with attendance.
const (
	demoWeek  = 5  // of most divisions
	demoMonth = 25 // of the demo teacher's division: enough to include its exam
)

// addTrips schedules the demo driver's bus for the school days of two weeks.
func (m *demoMaker) addTrips(ctx context.Context, _ *db.Tx) error {
	to := m.today.AddDays(14)
	for typ, start := range map[transport.Type]int{transport.Pickup: m.opens - 90, transport.Dropoff: m.opens + demoDay + 15} {
		trips := transport.NewTrips{BusID: m.buses[0].ID, Type: typ, StartTime: timeOfDay(start), FromDate: &m.today, ToDate: &to}
		if _, err := m.Transport.Schedule(ctx, m.who, trips); err != nil {
			return fmt.Errorf("add trips: %w", err)
		}
	}
	return nil
}

// addAttendance marks the last school days before today.
func (m *demoMaker) addAttendance(ctx context.Context, tx *db.Tx) error {
	days, err := m.lastDays(ctx, tx)
	if err != nil {
		return err
	}
	for n, d := range m.divisions {
		marked := demoWeek
		if n == demoHome {
			marked = demoMonth
		}
		students, err := db.All[id.ID](ctx, tx, `SELECT id FROM students WHERE school_id = :school AND division_id = :division ORDER BY id`,
			db.Args{"division": d.ID})
		if err != nil {
			return fmt.Errorf("list students: %w", err)
		}
		for _, day := range days[:min(len(days), marked)] {
			marks := attendance.NewMarks{ClassID: d.ClassID, DivisionID: &d.ID, Date: day}
			for _, student := range students {
				marks.Records = append(marks.Records, attendance.NewMark{StudentID: student, Status: randomStatus(m.rand)})
			}
			if _, err := m.Attendance.Mark(ctx, m.who, marks); err != nil {
				return fmt.Errorf("add attendance: %w", err)
			}
		}
	}
	return nil
}

func randomStatus(r *rand.Rand) web.Opt[string] {
	status := "PRESENT"
	switch r.IntN(25) {
	case 0:
		status = "ABSENT"
	case 1:
		status = "LATE"
	}
	return web.Opt[string]{Set: true, V: status}
}

// lastDays returns the school days before today, the latest first.
func (m *demoMaker) lastDays(ctx context.Context, tx *db.Tx) ([]clock.Date, error) {
	holidays, err := school.Holidays(ctx, tx, m.first, m.today)
	if err != nil {
		return nil, err
	}
	days := schoolDays(holidays, m.first, m.today.AddDays(-1))
	slices.Reverse(days)
	return days, nil
}

// schoolDays returns the days from one day to another without holidays. There are no weekends.
func schoolDays(holidays []school.Holiday, from, to clock.Date) []clock.Date {
	var days []clock.Date
	for day := from; day <= to; day = day.AddDays(1) {
		if !slices.ContainsFunc(holidays, func(h school.Holiday) bool { return h.Date <= day && day <= h.EndDate }) {
			days = append(days, day)
		}
	}
	return days
}

// addNews adds announcements and events.
func (m *demoMaker) addNews(ctx context.Context, admin id.ID) error {
	who := m.who
	who.User = admin
	home := m.divisions[demoHome]
	for _, a := range []announcement.New{
		{Title: "Welcome to the new app", Body: "Attendance, results, fees and the school bus are all here now.",
			Audience: announcement.All, IsPinned: true},
		{Title: "Excursion of " + demoHomeName, Body: "Please send a packed lunch and a rain jacket.",
			Audience: announcement.Divisions, DivisionIDs: []id.ID{home.ID}},
		{Title: "Excursion: meet at 7:30", Body: "The coach leaves half an hour earlier than announced. Please be at the gate at 7:30.",
			Audience: announcement.Divisions, DivisionIDs: []id.ID{home.ID}, Urgent: true},
	} {
		if _, err := m.Announcements.Create(ctx, who, a); err != nil {
			return fmt.Errorf("add announcements: %w", err)
		}
	}
	for i, title := range []string{"Science fair", "Sports day", "Parents' evening"} {
		start, end := clock.TimeOfDay("10:00"), clock.TimeOfDay("14:00")
		_, err := m.Events.Create(ctx, who, event.New{Title: title, EventDate: m.today.AddDays(5 + 9*i), StartTime: &start, EndTime: &end,
			Venue: "School grounds", TargetAudience: event.All})
		if err != nil {
			return fmt.Errorf("add events: %w", err)
		}
	}
	return nil
}
