package elective

import (
	"context"
	"maps"
	"slices"
	"time"

	"homeroom/internal/feature/academics"
	"homeroom/internal/platform/actor"
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

// Follow ends the students' choices in classes that they are no longer enrolled in. Those
// who have left the school keep them, in case they come back.
func (s *Service) Follow(ctx context.Context, tx *db.Tx, who actor.Actor, students []id.ID) error {
	type choice struct {
		place
		StudentID id.ID
	}
	gone, err := db.All[choice](ctx, tx, `
		SELECT x.class_id, x.subject_id, x.student_id FROM elective_students x
		JOIN students s ON s.school_id = x.school_id AND s.id = x.student_id
		WHERE x.school_id = :school AND x.student_id IN (:students) AND NOT EXISTS (
			SELECT 1 FROM enrolments n WHERE n.school_id = x.school_id AND n.student_id = x.student_id AND n.class_id = x.class_id
				AND (n.outcome <> 'LEFT' OR s.status <> 'ACTIVE'))
		ORDER BY x.class_id, x.subject_id, x.student_id`, db.Args{"students": students})
	if err != nil {
		return fault.Wrap("read electives of other classes", err)
	}
	for len(gone) > 0 {
		at, from := gone[0].place, []id.ID{}
		for ; len(gone) > 0 && gone[0].place == at; gone = gone[1:] {
			from = append(from, gone[0].StudentID)
		}
		if err := s.leave(ctx, tx, who, at, from); err != nil {
			return err
		}
	}
	return nil
}

// leave takes students out of an elective.
func (s *Service) leave(ctx context.Context, tx *db.Tx, who actor.Actor, at place, students []id.ID) error {
	before, err := takers(ctx, tx, at)
	if err != nil {
		return err
	}
	_, err = db.Exec(ctx, tx, `DELETE FROM elective_students WHERE school_id = :school AND class_id = :class AND subject_id = :subject
		AND student_id IN (:students)`, db.Args{"class": at.ClassID, "subject": at.SubjectID, "students": students})
	if err != nil {
		return fault.Wrap("end electives", err)
	}
	after := slices.DeleteFunc(slices.Clone(before), func(student id.ID) bool { return slices.Contains(students, student) })
	return s.Audit.Record(ctx, tx, who, "elective.update", "class", at.ClassID, trace{at.SubjectID, before}, trace{at.SubjectID, after})
}
