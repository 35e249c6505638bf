package academics

import (
	"context"
	"fmt"

	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
)

func listClasses(ctx context.Context, q db.Q, in page.Ask[classFilters]) (page.Of[Class], error) {
	f, search := in.Filters, people.Pattern(in.Filters.Search)
	return db.Page[Class](ctx, q, db.List{
		Columns: classColumns,
		From: `classes WHERE school_id = :school` +
			school.InYear("academic_year_id", f.AcademicYearID) +
			db.When(search != "", ` AND search LIKE :search ESCAPE '\'`),
		Sorts:   map[string]string{"displayOrder": "display_order", "name": "name", "createdAt": "id"},
		Default: "displayOrder",
	}, in.Request, db.Args{"year": f.AcademicYearID, "search": search})
}

// divisionColumns include the class teacher, unless resigned or archived.
var divisionColumns = `id, class_id, name, capacity, room, version, created_at, updated_at,
	(SELECT c.name FROM classes c WHERE c.school_id = divisions.school_id AND c.id = divisions.class_id) AS class_name,
	` + people.Seated("(SELECT c.academic_year_id FROM classes c WHERE c.school_id = :school AND c.id = divisions.class_id)",
	"at.class_id = divisions.class_id AND at.division_id = divisions.id") + ` AS students,
	(SELECT t.id FROM ` + classTeacher + `) AS class_teacher_id,
	(SELECT TRIM(t.first_name || ' ' || t.last_name) FROM ` + classTeacher + `) AS class_teacher`

// classTeacher selects the class teacher t of a division.
const classTeacher = `teacher_assignments a JOIN employees t ON t.school_id = a.school_id AND t.id = a.employee_id
	WHERE a.school_id = divisions.school_id AND a.division_id = divisions.id AND a.is_class_teacher
		AND t.archived_at IS NULL AND t.status <> 'RESIGNED'`

func listDivisions(ctx context.Context, q db.Q, in page.Ask[ofClass]) (page.Of[Division], error) {
	return db.Page[Division](ctx, q, db.List{
		Columns: divisionColumns,
		From: `divisions WHERE school_id = :school` + db.When(in.Filters.ClassID != nil, ` AND class_id = :class`) +
			db.When(in.Filters.ClassID == nil, ` AND class_id IN (SELECT id FROM classes WHERE school_id = :school`+
				school.InYear("academic_year_id", nil)+`)`),
		Sorts:   map[string]string{"name": "name", "createdAt": "id"},
		Default: "name",
	}, in.Request, db.Args{"class": in.Filters.ClassID})
}

const subjectColumns = `id, name, code, type, version, created_at, updated_at`

func listSubjects(ctx context.Context, q db.Q, in page.Ask[ofClass]) (page.Of[Subject], error) {
	out, err := db.Page[Subject](ctx, q, db.List{
		Columns: subjectColumns,
		From: `subjects WHERE school_id = :school` + db.When(in.Filters.ClassID != nil,
			` AND id IN (SELECT subject_id FROM class_subjects WHERE school_id = :school AND class_id = :class)`),
		Sorts:   map[string]string{"name": "name", "code": "code", "createdAt": "id"},
		Default: "name",
	}, in.Request, db.Args{"class": in.Filters.ClassID})
	if err != nil || len(out.Items) == 0 {
		return out, err
	}
	return out, addClasses(ctx, q, out.Items)
}

// addClasses sets ClassIDs of subjects.
func addClasses(ctx context.Context, q db.Q, subjects []Subject) error {
	at := map[id.ID]*Subject{}
	ids := make([]id.ID, len(subjects))
	for i := range subjects {
		ids[i], at[subjects[i].ID] = subjects[i].ID, &subjects[i]
		subjects[i].ClassIDs = []id.ID{}
	}
	err := db.Each(ctx, q, `
		SELECT subject_id, class_id FROM class_subjects
		WHERE school_id = :school AND subject_id IN (:ids) ORDER BY class_id`, db.Args{"ids": ids},
		func(l tie) error {
			at[l.SubjectID].ClassIDs = append(at[l.SubjectID].ClassIDs, l.ClassID)
			return nil
		})
	if err != nil {
		return fmt.Errorf("read classes of subjects: %w", err)
	}
	return nil
}

// listTaught lists the teacher's classes of the current year, each with the assigned
// divisions.
func listTaught(ctx context.Context, q db.Q, who Caller, r page.Request) (page.Of[taughtClass], error) {
	out, err := db.Page[taughtClass](ctx, q, db.List{
		Columns: `id, name, display_order, academic_year_id`,
		From: `classes WHERE school_id = :school
			AND academic_year_id IN (SELECT id FROM academic_years WHERE school_id = :school AND is_current)
			AND id IN (SELECT a.class_id FROM ` + ofTeacher + ` WHERE a.school_id = :school)`,
		Sorts:   map[string]string{"displayOrder": "display_order", "name": "name"},
		Default: "displayOrder",
	}, r, who.args(db.Args{}))
	if err != nil {
		return out, err
	}
	divisions, err := AssignedDivisions(ctx, q, who)
	if err != nil {
		return out, err
	}
	for i := range out.Items {
		c := &out.Items[i]
		c.Divisions = []taughtDivision{}
		for _, d := range divisions {
			if d.ClassID == c.ID && d.DivisionID != "" {
				c.Divisions = append(c.Divisions, taughtDivision{d.DivisionID, d.DivisionName, opt.Text(d.Room), d.IsClassTeacher})
			}
		}
	}
	return out, nil
}

// listPupils lists the students of a class in the teacher's assigned divisions.
func listPupils(ctx context.Context, q db.Q, who Caller, in page.Ask[pupilFilters]) (page.Of[people.Summary], error) {
	f := in.Filters
	args := who.args(db.Args{"class": f.ClassID, "division": f.DivisionID})
	return db.Page[people.Summary](ctx, q, db.List{
		Columns: people.SummaryColumns,
		From: `students WHERE school_id = :school AND archived_at IS NULL AND status = 'ACTIVE' AND class_id = :class` +
			db.When(f.DivisionID != nil, ` AND division_id = :division`) +
			people.Matches(args, "search", f.Search) + `
			AND EXISTS (SELECT 1 FROM ` + ofTeacher + ` WHERE a.school_id = :school AND a.class_id = :class
				AND (a.division_id IS NULL OR a.division_id = students.division_id))`,
		Sorts:   people.StudentSorts,
		Default: "rollNo",
	}, in.Request, args)
}

// taughtTies joins the current assignments of the user :user with class_subjects. An
// assignment without a subject matches all.
const taughtTies = ofTeacher + `
	JOIN academic_years y ON y.school_id = a.school_id AND y.id = a.academic_year_id AND y.is_current
	JOIN class_subjects t ON t.school_id = a.school_id AND t.class_id = a.class_id AND (a.subject_id IS NULL OR a.subject_id = t.subject_id)`

func listTaughtSubjects(ctx context.Context, q db.Q, who Caller, in page.Ask[ofClass]) (page.Of[taughtSubject], error) {
	class := in.Filters.ClassID
	mine := ` WHERE a.school_id = :school` + db.When(class != nil, ` AND a.class_id = :class`)
	out, err := db.Page[taughtSubject](ctx, q, db.List{
		Columns: `id, name, code, type`,
		From:    `subjects WHERE school_id = :school AND id IN (SELECT t.subject_id FROM ` + taughtTies + mine + `)`,
		Sorts:   map[string]string{"name": "name", "code": "code"},
		Default: "name",
	}, in.Request, who.args(db.Args{"class": class}))
	if err != nil {
		return out, err
	}
	at := map[id.ID]*taughtSubject{}
	for i := range out.Items {
		out.Items[i].Classes = []taughtPlace{}
		at[out.Items[i].ID] = &out.Items[i]
	}
	err = db.Each(ctx, q, `
		SELECT DISTINCT t.subject_id, c.id AS class_id, c.name AS class_name, c.display_order, d.id AS division_id, COALESCE(d.name,
			'') AS division_name
		FROM `+taughtTies+`
		JOIN classes c ON c.school_id = a.school_id AND c.id = a.class_id
		LEFT JOIN divisions d ON d.school_id = a.school_id AND d.id = a.division_id`+mine+`
		ORDER BY c.display_order, c.id, division_name`, who.args(db.Args{"class": class}),
		func(p taughtPlace) error {
			if sub := at[p.SubjectID]; sub != nil { // nil: on another page
				sub.Classes = append(sub.Classes, p)
			}
			return nil
		})
	if err != nil {
		return out, fmt.Errorf("read classes of taught subjects: %w", err)
	}
	return out, nil
}
