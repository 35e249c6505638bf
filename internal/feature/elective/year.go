package elective

import (
	"context"
	"maps"
	"slices"
	"time"

	"homeroom/internal/feature/academics"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// Copy makes the electives of classes electives of the classes of another year that have
// none, and returns their number. Nobody takes them yet: who is in those classes is not
// known before the promotion.
func (s *Service) Copy(ctx context.Context, tx *db.Tx, c academics.Copying) (int, error) {
	all, err := db.All[place](ctx, tx, `
		SELECT class_id, subject_id FROM electives WHERE school_id = :school AND class_id IN (:classes) ORDER BY class_id, subject_id`,
		db.Args{"classes": slices.Concat(slices.Collect(maps.Keys(c.Classes)), slices.Collect(maps.Values(c.Classes)))})
	if err != nil {
		return 0, fault.Wrap("read electives", err)
	}
	has := map[id.ID]bool{}
	for _, e := range all {
		has[e.ClassID] = true
	}
	type row struct {
		place
		CreatedAt time.Time
	}
	var fresh []row
	for _, e := range all {
		if class := c.Classes[e.ClassID]; class != "" && !has[class] { // "": an elective of the new year itself
			fresh = append(fresh, row{place{class, e.SubjectID}, s.Now()})
		}
	}
	_, err = db.Insert(ctx, tx, `
		INSERT INTO electives (school_id, class_id, subject_id, created_at) VALUES (:school, :class_id, :subject_id, :created_at)`, fresh)
	return len(fresh), fault.Wrap("copy electives", err)
}

// Keep carries the students' electives of one class to another, where it has them as
// electives.
func (s *Service) Keep(ctx context.Context, tx *db.Tx, from, to id.ID, students []id.ID) error {
	_, err := db.Exec(ctx, tx, `
		INSERT INTO elective_students (school_id, class_id, subject_id, student_id)
		SELECT e.school_id, e.class_id, e.subject_id, x.student_id FROM elective_students x
		JOIN electives e ON e.school_id = x.school_id AND e.class_id = :to AND e.subject_id = x.subject_id
		WHERE x.school_id = :school AND x.class_id = :from AND x.student_id IN (:students)
		ON CONFLICT (school_id, class_id, subject_id, student_id) DO NOTHING`, db.Args{"from": from, "to": to, "students": students})
	return fault.Wrap("keep electives", err)
}

// Drop ends the students' electives in an academic year.
func (s *Service) Drop(ctx context.Context, tx *db.Tx, year id.ID, students []id.ID) error {
	_, err := db.Exec(ctx, tx, `
		DELETE FROM elective_students WHERE school_id = :school AND student_id IN (:students)
			AND class_id IN (SELECT id FROM classes WHERE school_id = :school AND academic_year_id = :year)`,
		db.Args{"year": year, "students": students})
	return fault.Wrap("end electives", err)
}
