package people

import (
	"context"
	"maps"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

// StudentSorts are the fields that lists of students can be sorted by. Ids are
// in order of creation.
var StudentSorts = map[string]string{
	"firstName":   "first_name",
	"lastName":    "last_name",
	"admissionNo": "admission_no",
	"rollNo":      "COALESCE(roll_no, 2147483647)",
	"createdAt":   "id",
}

// Listed is a student in the office's list, with the guardians to call.
type Listed struct {
	Summary
	Guardians []Guardian `json:"guardians" db:"-" doc:"The primary one first."`
}

func (s *Service) listStudents(ctx context.Context, school id.ID, in page.Ask[studentFilters]) (page.Of[Listed], error) {
	where, args := in.Filters.where()
	out, err := db.Page[Listed](ctx, s.DB.School(school), db.List{
		Columns: SummaryColumns,
		From:    `students WHERE ` + where,
		Count:   in.Filters.count(),
		Sorts:   in.Filters.sorts(),
		Default: "firstName",
	}, in.Request, args)
	if err != nil {
		return out, fault.Wrap("list students", err)
	}
	if err := showGuardians(ctx, s.DB.School(school), out.Items); err != nil || in.Filters.AcademicYearID == nil {
		return out, err
	}
	return out, showSeats(ctx, s.DB.School(school), out.Items, *in.Filters.AcademicYearID)
}

// showGuardians sets the guardians of students.
func showGuardians(ctx context.Context, q db.Q, students []Listed) error {
	if len(students) == 0 {
		return nil
	}
	type link struct {
		Guardian
		StudentID id.ID
	}
	at, ids := map[id.ID]*Listed{}, make([]id.ID, len(students))
	for i := range students {
		st := &students[i]
		ids[i], at[st.ID], st.Guardians = st.ID, st, []Guardian{}
	}
	err := db.Each(ctx, q, `
		SELECT l.student_id, g.id, g.name, l.relation, g.phone, g.email, l.is_primary, l.can_view_data, l.can_pick_up
		FROM student_guardians l JOIN guardians g ON g.school_id = l.school_id AND g.id = l.guardian_id
		WHERE l.school_id = :school AND l.student_id IN (:ids) ORDER BY l.is_primary DESC, g.id`, db.Args{"ids": ids}, func(l link) error {
		at[l.StudentID].Guardians = append(at[l.StudentID].Guardians, l.Guardian)
		return nil
	})
	return fault.Wrap("read guardians of students", err)
}

// showSeats replaces the students' current seats by those of an academic year.
func showSeats(ctx context.Context, q db.Q, students []Listed, year id.ID) error {
	if len(students) == 0 {
		return nil
	}
	at := map[id.ID]*Listed{}
	ids := make([]id.ID, len(students))
	for i := range students {
		ids[i], at[students[i].ID] = students[i].ID, &students[i]
	}
	err := db.Each(ctx, q, `
		SELECT e.student_id, e.class_id, c.name AS class_name, e.division_id, d.name AS division_name, e.roll_no FROM enrolments e
		JOIN classes c ON c.school_id = e.school_id AND c.id = e.class_id
		LEFT JOIN divisions d ON d.school_id = e.school_id AND d.id = e.division_id
		WHERE e.school_id = :school AND e.academic_year_id = :year AND e.student_id IN (:ids)`, db.Args{"year": year, "ids": ids},
		func(e studentSeat) error {
			st := at[e.StudentID]
			st.ClassID, st.ClassName, st.DivisionID, st.DivisionName, st.RollNo = &e.ClassID, &e.ClassName, e.DivisionID, e.DivisionName, e.RollNo
			return nil
		})
	return fault.Wrap("read seats of a year", err)
}

type studentSeat struct {
	StudentID, ClassID id.ID
	ClassName          string
	DivisionID         *id.ID
	DivisionName       *string
	RollNo             *int
}

// sorts are the sorts of the list; the roll number is that of the year asked for.
func (f studentFilters) sorts() map[string]string {
	if f.AcademicYearID == nil {
		return StudentSorts
	}
	sorts := maps.Clone(StudentSorts)
	sorts["rollNo"] = `COALESCE((SELECT e.roll_no FROM enrolments e WHERE e.school_id = :school AND e.student_id = students.id
		AND e.academic_year_id = :year), 2147483647)`
	return sorts
}

// where is the condition on students that the filters stand for.
func (f studentFilters) where() (string, db.Args) {
	seat := f.seat()
	switch {
	case f.AcademicYearID != nil && seat == "": // nearly the whole school
		seat = ` AND EXISTS (SELECT 1 FROM enrolments e
			WHERE e.school_id = :school AND e.student_id = students.id AND e.academic_year_id = :year)`
	case f.AcademicYearID != nil:
		seat = ` AND id IN (SELECT student_id FROM enrolments WHERE school_id = :school AND academic_year_id = :year` + seat + `)`
	case f.DivisionID != nil && f.ClassID == nil: // the index has the class before the division
		seat += ` AND class_id = (SELECT class_id FROM divisions WHERE school_id = :school AND id = :division)`
	}
	args := db.Args{"class": f.ClassID, "division": f.DivisionID, "year": f.AcademicYearID, "status": f.Status}
	// The search is before the seat: SQLite keeps their order, and looks up enrolments only of what the search finds.
	return `school_id = :school AND archived_at IS NULL` + StudentMatches(args, "students", f.Search) + seat +
		db.When(f.Status != "", ` AND status = :status`), args
}

func (f studentFilters) seat() string {
	return db.When(f.ClassID != nil, ` AND class_id = :class`) + db.When(f.DivisionID != nil, ` AND division_id = :division`)
}

// count counts the students of a year without a look at each: all who are
// enrolled, less the few who are archived or not ACTIVE. For other filters it is "".
func (f studentFilters) count() string {
	if f.AcademicYearID == nil || f.Status != "" && f.Status != active || Pattern(f.Search) != "" {
		return ""
	}
	enrolled := `SELECT count(*) FROM enrolments WHERE school_id = :school AND academic_year_id = :year` + f.seat()
	return `SELECT (` + enrolled + `) - (` + enrolled + ` AND student_id IN (
		SELECT id FROM students WHERE school_id = :school AND archived_at IS NOT NULL` + db.When(f.Status != "", `
		UNION ALL SELECT id FROM students WHERE school_id = :school AND archived_at IS NULL AND status <> :status`) + `))`
}
