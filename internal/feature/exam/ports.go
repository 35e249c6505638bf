package exam

import (
	"context"
	"fmt"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// HasHistory reports whether a student has results. People then archives the student
// instead of deleting.
func HasHistory(ctx context.Context, q db.Q, student id.ID) (bool, error) {
	has, err := db.One[bool](ctx, q, `
		SELECT EXISTS (SELECT 1 FROM exam_results WHERE school_id = :school AND student_id = :student) AS has`, db.Args{"student": student})
	if err != nil {
		return false, fmt.Errorf("find results: %w", err)
	}
	return has, nil
}

// YearRecords counts the results of students in an academic year.
func YearRecords() people.YearRecords {
	return people.YearRecords{One: "exam result", Many: "exam results",
		Count: func(ctx context.Context, q db.Q, y school.Year, students []id.ID) (int, error) {
			return db.One[int](ctx, q, `
				SELECT count(*) FROM exam_results r JOIN exams e ON e.school_id = r.school_id AND e.id = r.exam_id
				WHERE r.school_id = :school AND r.student_id IN (:students) AND e.academic_year_id = :year`,
				db.Args{"students": students, "year": y.ID})
		},
		Lock: func(ctx context.Context, tx *db.Tx, y school.Year, students []id.ID) error {
			exams, err := db.All[id.ID](ctx, tx, `
				SELECT DISTINCT x.exam_id FROM enrolments n
				JOIN exam_classes x ON x.school_id = n.school_id AND x.class_id = n.class_id
				WHERE n.school_id = :school AND n.academic_year_id = :year AND n.student_id IN (:students) ORDER BY x.exam_id`,
				db.Args{"year": y.ID, "students": students})
			if err != nil {
				return fmt.Errorf("read exams of students: %w", err)
			}
			for _, exam := range exams {
				if err := lock(ctx, tx, exam); err != nil {
					return err
				}
			}
			return nil
		}}
}

// Section is the results section of a student's profile and data export: every
// published exam, the latest first.
func (s *Service) Section() people.Section {
	return people.Section{Name: "results", Module: "result", Read: func(ctx context.Context, q db.Q, student id.ID) (any, error) {
		f := examFilter{student: student, published: true}
		exams, err := db.All[Exam](ctx, q, `SELECT `+examColumns+` FROM `+f.where()+` ORDER BY e.last_day DESC, e.id DESC`, f.args())
		if err != nil {
			return nil, fmt.Errorf("read published exams: %w", err)
		}
		if err := withClasses(ctx, q, exams); err != nil {
			return nil, err
		}
		return achieved(ctx, q, exams, student)
	}}
}

// Erase deletes the remarks about a student. Marks stay: averages and ranks depend
// on them.
func Erase(ctx context.Context, tx *db.Tx, e people.Erased) error {
	_, err := db.Exec(ctx, tx, `UPDATE exam_results SET remark = '' WHERE school_id = :school AND student_id = :student`,
		db.Args{"student": e.Student})
	if err != nil {
		return fmt.Errorf("erase remarks: %w", err)
	}
	return nil
}

// Uses lists the columns that refer to a class, division or subject.
func Uses() []academics.Use {
	return []academics.Use{
		{Column: "class_id", Table: "exam_classes", One: "exam", Many: "exams"},
		{Column: "subject_id", Table: "exam_papers", One: "exam paper", Many: "exam papers"},
		{Column: "division_id", Table: "exam_results", One: "exam result", Many: "exam results", Stays: true},
	}
}
