package timetable

import (
	"context"
	"encoding/json"
	"fmt"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// imports are the imports of timetables. Undoing one restores the weeks that it replaced.
func (s *Service) imports() people.Imports {
	return people.Imports{DB: s.DB, Audit: s.Audit, Now: s.Now, NewID: s.NewID, Entity: "timetable",
		Tables: map[string]people.Table{"timetable": {Name: "timetables", Key: "division_id", Version: "version"}},
		Holds: []people.Hold{{Of: "timetable", Table: "timetable_overrides", Column: "division_id", One: "timetable override",
			Many: "timetable overrides", Where: `EXISTS (SELECT 1 FROM timetables t WHERE t.school_id = timetable_overrides.school_id
				AND t.division_id = timetable_overrides.division_id AND timetable_overrides.updated_at >= t.updated_at)`}},
		Lock: lock, Remove: s.restoreWeeks}
}

// isGone is a lesson that can't be restored.
var isGone = people.Hold{One: "earlier lesson whose subject or teacher is gone", Many: "earlier lessons whose subject or teacher is gone"}

// rowsOf are the periods of a week as they are stored.
func rowsOf(w Week) []periodRow {
	rows := make([]periodRow, len(w.Periods))
	for i, p := range w.Periods {
		rows[i] = periodRow{ID: p.ID, AcademicYearID: w.AcademicYearID, ClassID: w.ClassID, DivisionID: w.DivisionID,
			NewPeriod: NewPeriod{DayOfWeek: p.DayOfWeek, PeriodNo: p.PeriodNo, StartTime: p.StartTime, EndTime: p.EndTime,
				SubjectID: p.SubjectID, TeacherID: p.TeacherID, Room: string(p.Room)}}
	}
	return rows
}

// restoreWeeks puts the earlier weeks back. It is refused if a subject or teacher is gone,
// or a lesson would clash with one that another division has by now.
func (s *Service) restoreWeeks(ctx context.Context, tx *db.Tx, u *people.Undoing) error {
	var order []home
	var year id.ID
	err := u.Each("timetable", func(p people.Part) error {
		var rows []periodRow
		if err := json.Unmarshal(p.Replaced.V, &rows); err != nil {
			return fmt.Errorf("read the week before an import: %w", err)
		}
		now, err := weekOf(ctx, tx, p.Records.V[0])
		if err != nil {
			return err
		}
		if err := refuseGone(ctx, tx, u, now.ClassID, rows); err != nil {
			return err
		}
		year, order = now.AcademicYearID, append(order, home{now.ClassID, now.DivisionID})
		return s.write(ctx, tx, u.Who, now, rows)
	})
	if err != nil {
		return err
	}
	return s.checkWeek(ctx, tx, u.Who, year, among(order), func(Period) string { return "" })
}

// weekOf finds the timetable of a division, without its periods.
func weekOf(ctx context.Context, q db.Q, division id.ID) (Week, error) {
	w, err := db.One[Week](ctx, q, `SELECT class_id, division_id, academic_year_id, version, updated_at FROM timetables
		WHERE school_id = :school AND division_id = :division`, db.Args{"division": division})
	if err != nil {
		return w, fmt.Errorf("read timetable: %w", err)
	}
	return w, nil
}

// refuseGone counts the lessons whose subject the class no longer has, or whose teacher
// can't teach any more.
func refuseGone(ctx context.Context, q db.Q, u *people.Undoing, class id.ID, rows []periodRow) error {
	in := make([]part, len(rows))
	for i := range rows {
		in[i] = part{subject: &rows[i].SubjectID, teacher: rows[i].TeacherID}
	}
	subjects, err := subjectsOf(ctx, q, class, in)
	if err != nil {
		return err
	}
	teachers, err := teachersOf(ctx, q, in)
	if err != nil {
		return err
	}
	gone := 0
	for _, p := range in {
		if !subjects[*p.subject] || p.teacher != nil && !teachers[*p.teacher] {
			gone++
		}
	}
	return u.Refuse(isGone, gone)
}
