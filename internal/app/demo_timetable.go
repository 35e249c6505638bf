package app

import (
	"context"
	"fmt"
	"slices"
	"time"

	"homeroom/internal/feature/timetable"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
)

const (
	demoPeriods = 6              // a day
	demoLessons = 7              // of one subject a week, at most
	demoDay     = 5*50 + 30 + 45 // minutes from the first lesson to the end of the last
)

// addTimetable fills the week of every division, without two lessons of a teacher
// at the same time.
func (m *demoMaker) addTimetable(ctx context.Context, _ *db.Tx) error {
	busy := map[[3]int]bool{} // teacher, day, period
	for n, d := range m.divisions {
		week := timetable.NewWeek{ClassID: d.ClassID, DivisionID: d.ID}
		given := make([]int, len(m.subjects))
		for hour := range 7 * demoPeriods {
			day, period := hour/demoPeriods+1, hour%demoPeriods+1
			for i := range m.subjects {
				s := (hour + n + i) % len(m.subjects)
				slot := [3]int{m.teacherOf(n, s), day, period}
				if given[s] == demoLessons || busy[slot] || !slices.Contains(m.subjects[s].ClassIDs, d.ClassID) {
					continue
				}
				busy[slot], given[s] = true, given[s]+1
				week.Periods = append(week.Periods, timetable.NewPeriod{DayOfWeek: day, PeriodNo: period,
					StartTime: m.bell(period, 0), EndTime: m.bell(period, 45), SubjectID: m.subjects[s].ID, TeacherID: &m.teachers[slot[0]],
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

// bell returns the time some minutes into a period. The fourth is after a break.
func (m *demoMaker) bell(period, minutes int) clock.TimeOfDay {
	at := m.opens + (period-1)*50 + minutes
	if period > 3 {
		at += 30
	}
	return timeOfDay(at)
}

// opensBefore returns the start of the first lesson in minutes after midnight: the
// second lesson is on at that time. Near midnight it is the nearest day that fits.
func opensBefore(local time.Time) int {
	at := local.Hour()*60 + local.Minute() - 75
	return max(0, min(at, 24*60-5-demoDay)) / 5 * 5
}

// timeOfDay returns the time some minutes after midnight, within the day.
func timeOfDay(minutes int) clock.TimeOfDay {
	minutes = max(0, min(minutes, 24*60-1))
	return clock.TimeOfDay(fmt.Sprintf("%02d:%02d", minutes/60, minutes%60))
}
