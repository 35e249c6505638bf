package app

import (
	"context"
	"fmt"
	"slices"

	"homeroom/internal/feature/timetable"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
)

const (
	demoPeriods = 6 // a day
	demoLessons = 5 // of one subject a week, at most
)

// addTimetable fills the week of every division, without two lessons of a teacher
// at the same time.
func (m *demoMaker) addTimetable(ctx context.Context, _ *db.Tx) error {
	busy := map[[3]int]bool{} // teacher, day, period
	for n, d := range m.divisions {
		week := timetable.NewWeek{ClassID: d.ClassID, DivisionID: d.ID}
		given := make([]int, len(m.subjects))
		for hour := range 5 * demoPeriods {
			day, period := hour/demoPeriods+1, hour%demoPeriods+1
			for i := range m.subjects {
				s := (hour + n + i) % len(m.subjects)
				slot := [3]int{m.teacherOf(n, s), day, period}
				if given[s] == demoLessons || busy[slot] || !slices.Contains(m.subjects[s].ClassIDs, d.ClassID) {
					continue
				}
				busy[slot], given[s] = true, given[s]+1
				week.Periods = append(week.Periods, timetable.NewPeriod{DayOfWeek: day, PeriodNo: period,
					StartTime: bell(period, 0), EndTime: bell(period, 45), SubjectID: m.subjects[s].ID, TeacherID: &m.teachers[slot[0]],
					Room: string(d.Room)})
				break
			}
		}
		if _, err := m.Timetable.Replace(ctx, m.who, week); err != nil {
			return fmt.Errorf("add the timetable: %w", err)
		}
	}
	return nil
}

// bell returns the time some minutes into a period. The first starts at 8:30, the
// fourth after a break.
func bell(period, minutes int) clock.TimeOfDay {
	at := 8*60 + 30 + (period-1)*50 + minutes
	if period > 3 {
		at += 30
	}
	return clock.TimeOfDay(fmt.Sprintf("%02d:%02d", at/60, at%60))
}
