package timetable

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"homeroom/internal/feature/academics"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// Copy copies the weeks of divisions to those of another year that have none, and
// returns their number. Lessons of teachers who have left have no teacher. It refuses lessons that
// clash with a week that the other year has.
func (s *Service) Copy(ctx context.Context, tx *db.Tx, c academics.Copying) (int, error) {
	if err := lock(ctx, tx); err != nil {
		return 0, err
	}
	type oldPeriod struct {
		DivisionID, ClassID, SubjectID id.ID
		TeacherID                      *id.ID
		DayOfWeek, PeriodNo            int
		StartTime, EndTime             clock.TimeOfDay
		Room                           string
	}
	divisions := slices.Collect(maps.Keys(c.Divisions))
	taken, err := db.All[id.ID](ctx, tx, `SELECT division_id FROM timetables WHERE school_id = :school AND academic_year_id = :year`,
		db.Args{"year": c.To.ID})
	if err != nil || len(divisions) == 0 {
		return 0, err
	}
	weeks := map[id.ID][]periodRow{}
	err = db.Each(ctx, tx, `
		SELECT p.division_id, p.class_id, p.subject_id, p.day_of_week, p.period_no, p.start_time, p.end_time, p.room,
			CASE WHEN e.archived_at IS NULL AND e.status <> 'RESIGNED' THEN e.id END AS teacher_id
		FROM timetable_periods p LEFT JOIN employees e ON e.school_id = p.school_id AND e.id = p.employee_id
		WHERE p.school_id = :school AND p.division_id IN (:divisions) ORDER BY p.id`, db.Args{"divisions": divisions},
		func(p oldPeriod) error {
			to := c.Divisions[p.DivisionID]
			if slices.Contains(taken, to) {
				return nil
			}
			weeks[to] = append(weeks[to], periodRow{ID: s.NewID(), AcademicYearID: c.To.ID, ClassID: c.Classes[p.ClassID], DivisionID: to,
				NewPeriod: NewPeriod{DayOfWeek: p.DayOfWeek, PeriodNo: p.PeriodNo, StartTime: p.StartTime, EndTime: p.EndTime,
					SubjectID: p.SubjectID, TeacherID: p.TeacherID, Room: p.Room}})
			return nil
		})
	if err != nil {
		return 0, fmt.Errorf("read periods: %w", err)
	}
	for division, rows := range weeks {
		w := Week{ClassID: rows[0].ClassID, DivisionID: division, AcademicYearID: c.To.ID}
		if err := putPeriods(ctx, tx, w, rows, s.Now()); err != nil {
			return 0, err
		}
	}
	copied := func(p Period) bool { return weeks[p.DivisionID] != nil }
	return len(weeks), s.checkWeek(ctx, tx, actor.Actor{}, c.To.ID, copied, func(Period) string { return "" })
}
