package exam

import (
	"context"
	"fmt"

	"homeroom/internal/feature/elective"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

// Listed is an exam with what the staff's lists show of it.
type Listed struct {
	Exam
	Classes []examClass `json:"classes" doc:"In the order of classIds."`
	Progress
}

type examClass struct {
	ID   id.ID  `json:"id"`
	Name string `json:"name"`
}

// Progress counts the papers of an exam and the results in them.
type Progress struct {
	Papers   int `json:"papers" doc:"Papers on the schedule."`
	Entered  int `json:"marksEntered" doc:"Results entered, those of absent and exempt students included."`
	Expected int `json:"marksExpected" doc:"One for each paper and student of its class who takes the subject."`
}

// withProgress adds the names of classes and the progress to a page of exams.
func withProgress(ctx context.Context, q db.Q, exams page.Of[Exam]) (page.Of[Listed], error) {
	out := page.Of[Listed]{Items: make([]Listed, len(exams.Items)), Total: exams.Total, Page: exams.Page, Limit: exams.Limit,
		TotalPages: exams.TotalPages}
	if len(exams.Items) == 0 {
		return out, nil
	}
	ids := make([]id.ID, len(exams.Items))
	for i, e := range exams.Items {
		ids[i] = e.ID
	}
	names, err := classNames(ctx, q, ids)
	if err != nil {
		return out, err
	}
	progress, err := progressOf(ctx, q, ids)
	for i, e := range exams.Items {
		out.Items[i] = Listed{Exam: e, Classes: []examClass{}, Progress: progress[e.ID]}
		for _, class := range e.ClassIDs {
			out.Items[i].Classes = append(out.Items[i].Classes, examClass{class, names[class]})
		}
	}
	return out, err
}

// classNames returns the names of the classes of exams.
func classNames(ctx context.Context, q db.Q, exams []id.ID) (map[id.ID]string, error) {
	out := map[id.ID]string{}
	err := db.Each(ctx, q, `
		SELECT c.id, c.name FROM classes c WHERE c.school_id = :school AND c.id IN (
			SELECT x.class_id FROM exam_classes x WHERE x.school_id = :school AND x.exam_id IN (:exams))`,
		db.Args{"exams": exams}, func(c examClass) error {
			out[c.ID] = c.Name
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("read class names of exams: %w", err)
	}
	return out, nil
}

// progressOf counts papers and results. Students who have left count in neither number, as
// in the preview of publishing.
func progressOf(ctx context.Context, q db.Q, exams []id.ID) (map[id.ID]Progress, error) {
	enrolled := `enrolments n JOIN students s ON s.school_id = n.school_id AND s.id = n.student_id AND s.archived_at IS NULL
		WHERE n.school_id = p.school_id AND n.academic_year_id = e.academic_year_id AND n.class_id = p.class_id AND n.outcome <> 'LEFT'
			AND ` + elective.Takes("p.class_id", "p.subject_id", "n.student_id")
	type counted struct {
		ExamID id.ID
		Progress
	}
	out := map[id.ID]Progress{}
	err := db.Each(ctx, q, `
		SELECT p.exam_id, COUNT(*) AS papers,
			CAST(SUM((SELECT COUNT(*) FROM `+enrolled+`)) AS BIGINT) AS expected,
			CAST(SUM((SELECT COUNT(*) FROM exam_results r WHERE r.school_id = p.school_id AND r.paper_id = p.id
				AND r.student_id IN (SELECT n.student_id FROM `+enrolled+`))) AS BIGINT) AS entered
		FROM exam_papers p JOIN exams e ON e.school_id = p.school_id AND e.id = p.exam_id
		WHERE p.school_id = :school AND p.exam_id IN (:exams) GROUP BY p.exam_id`, db.Args{"exams": exams}, func(c counted) error {
		out[c.ExamID] = c.Progress
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("count results of exams: %w", err)
	}
	return out, nil
}
