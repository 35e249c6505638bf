package exam

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"homeroom/internal/feature/elective"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

const examColumns = `e.id, e.name, e.type, e.academic_year_id, COALESCE(e.start_date, e.first_day) AS start_date,
	COALESCE(e.end_date, e.last_day) AS end_date, e.grade_scale_id, e.status, e.published_at, e.opened_at, e.unpublish_reason,
	e.version, e.created_at, e.updated_at, e.first_day, e.last_day, e.start_date AS announced_start, e.end_date AS announced_end,
	e.told_at, e.bands, g.bands AS scale`

// examFrom joins an exam with its grade scale, or the default scale.
const examFrom = withStatus + ` e LEFT JOIN grade_scales g ON g.school_id = e.school_id
		AND (g.id = e.grade_scale_id OR e.grade_scale_id IS NULL AND g.is_default)
	WHERE e.school_id = :school`

// examFilter filters exams; zero fields are ignored.
type examFilter struct {
	ids                  []id.ID
	class, year, teacher id.ID // teacher is a user id
	thisYear             bool  // unless year is set
	student              id.ID // a student of one of the exam's classes, or with results from an earlier class
	status               Status
	search               string
	shown                bool // without drafts
	published            bool
	today                clock.Date
}

func (f examFilter) where() string {
	return examFrom +
		db.When(f.ids != nil, ` AND e.id IN (:ids)`) +
		db.When(f.year != "", ` AND e.academic_year_id = :year`) +
		db.When(f.thisYear && f.year == "", school.InYear("e.academic_year_id", nil)) +
		db.When(f.class != "", ` AND EXISTS (SELECT 1 FROM exam_classes c WHERE c.school_id = e.school_id AND c.exam_id = e.id
			AND c.class_id = :class)`) +
		db.When(f.teacher != "", ` AND EXISTS (SELECT 1 FROM exam_classes c JOIN `+ofTeacher+
			` ON a.school_id = c.school_id AND a.class_id = c.class_id
			WHERE c.school_id = e.school_id AND c.exam_id = e.id)`) +
		db.When(f.student != "", ` AND (EXISTS (SELECT 1 FROM exam_classes c JOIN enrolments n ON n.school_id = c.school_id
			AND n.class_id = c.class_id
			WHERE c.school_id = e.school_id AND c.exam_id = e.id AND n.student_id = :student)
			OR EXISTS (SELECT 1 FROM exam_results r WHERE r.school_id = e.school_id AND r.exam_id = e.id AND r.student_id = :student))`) +
		db.When(f.status != "", ` AND e.status = :status`) +
		db.When(f.search != "", ` AND e.search LIKE :search ESCAPE '\'`) +
		db.When(f.shown, ` AND e.state <> 'DRAFT'`) +
		db.When(f.published, ` AND e.state = 'PUBLISHED'`)
}

func (f examFilter) args() db.Args {
	return db.Args{"ids": f.ids, "year": f.year, "class": f.class, "user": f.teacher, "student": f.student,
		"status": f.status, "search": f.search, "today": f.today}
}

// ofTeacher joins the assignments a of the user :user, while employed.
const ofTeacher = `(teacher_assignments a JOIN employees t ON t.school_id = a.school_id AND t.id = a.employee_id
	AND t.user_id = :user AND t.archived_at IS NULL AND t.status <> 'RESIGNED')`

func pageExams(ctx context.Context, q db.Q, f examFilter, r page.Request) (page.Of[Exam], error) {
	out, err := db.Page[Exam](ctx, q, db.List{
		Columns: examColumns,
		From:    f.where(),
		Sorts: map[string]string{"name": "e.name", "startDate": "COALESCE(e.start_date, e.first_day, '')",
			"createdAt": "e.id", "id": "e.id"},
		Default: "-createdAt",
	}, r, f.args())
	if err != nil {
		return out, fmt.Errorf("list exams: %w", err)
	}
	return out, withClasses(ctx, q, out.Items)
}

func listExams(ctx context.Context, q db.Q, f examFilter) ([]Exam, error) {
	list, err := db.All[Exam](ctx, q, `SELECT `+examColumns+` FROM `+f.where()+` ORDER BY e.id`, f.args())
	if err != nil {
		return nil, fmt.Errorf("read exams: %w", err)
	}
	return list, withClasses(ctx, q, list)
}

func getExam(ctx context.Context, q db.Q, exam id.ID, today clock.Date) (Exam, error) {
	list, err := listExams(ctx, q, examFilter{ids: []id.ID{exam}, today: today})
	switch {
	case err != nil:
		return Exam{}, err
	case len(list) == 0:
		return Exam{}, errNoExam
	}
	return list[0], nil
}

// withClasses sets the classes of exams, by display order.
func withClasses(ctx context.Context, q db.Q, exams []Exam) error {
	type tie struct{ ExamID, ClassID id.ID }
	at := map[id.ID]*Exam{}
	ids := make([]id.ID, len(exams))
	for i := range exams {
		exams[i].ClassIDs, ids[i] = []id.ID{}, exams[i].ID
		at[ids[i]] = &exams[i]
	}
	if len(exams) == 0 {
		return nil
	}
	err := db.Each(ctx, q, `
		SELECT x.exam_id, x.class_id FROM exam_classes x JOIN classes c ON c.school_id = x.school_id AND c.id = x.class_id
		WHERE x.school_id = :school AND x.exam_id IN (:exams) ORDER BY c.display_order, c.id`, db.Args{"exams": ids}, func(t tie) error {
		at[t.ExamID].ClassIDs = append(at[t.ExamID].ClassIDs, t.ClassID)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read classes of exams: %w", err)
	}
	return nil
}

const paperColumns = `p.id, p.exam_id, e.name AS exam_name, p.class_id, c.name AS class_name, p.subject_id, s.name AS subject_name,
	p.date, p.start_time, p.end_time, p.max_marks, p.pass_marks, p.room, p.components, p.created_at, p.updated_at`

const paperFrom = `exam_papers p
	JOIN exams e ON e.school_id = p.school_id AND e.id = p.exam_id
	JOIN classes c ON c.school_id = p.school_id AND c.id = p.class_id
	JOIN subjects s ON s.school_id = p.school_id AND s.id = p.subject_id
	WHERE p.school_id = :school`

// paperFilter filters papers; zero fields are ignored.
type paperFilter struct {
	exam, class, subject, student, teacher id.ID
	markedOf                               id.ID   // a student with results in the exam and class
	marked                                 []id.ID // these papers, too
	exams                                  []id.ID
	dates                                  []clock.Date
	from, to                               clock.Date
	shown                                  bool // without papers of drafts
}

func (f paperFilter) where() string {
	return paperFrom +
		db.When(f.exam != "", ` AND p.exam_id = :exam`) +
		db.When(f.exams != nil, ` AND p.exam_id IN (:exams)`) +
		db.When(f.class != "", ` AND p.class_id = :class`) +
		db.When(f.subject != "", ` AND p.subject_id = :subject`) +
		db.When(f.dates != nil, ` AND p.date IN (:dates)`) +
		db.When(f.from != "", ` AND p.date >= :from`) +
		db.When(f.to != "", ` AND p.date <= :to`) +
		db.When(f.shown, ` AND e.state <> 'DRAFT'`) +
		db.When(f.student != "", ` AND EXISTS (SELECT 1 FROM enrolments n WHERE n.school_id = p.school_id AND n.class_id = p.class_id
			AND n.student_id = :student) AND `+elective.Takes("p.class_id", "p.subject_id", ":student")) +
		db.When(f.markedOf != "", ` AND ((p.exam_id, p.class_id) IN (`+markedIn+`) OR p.id IN (:marked))`) +
		db.When(f.teacher != "", ` AND EXISTS (SELECT 1 FROM `+ofTeacher+` WHERE a.school_id = p.school_id AND a.class_id = p.class_id)`)
}

func (f paperFilter) args() db.Args {
	return db.Args{"exam": f.exam, "exams": f.exams, "class": f.class, "subject": f.subject, "dates": f.dates,
		"from": f.from, "to": f.to, "student": cmp.Or(f.student, f.markedOf), "marked": f.marked, "user": f.teacher}
}

// listPapers lists papers by class, date, time and subject name.
func listPapers(ctx context.Context, q db.Q, f paperFilter) ([]Paper, error) {
	list, err := db.All[Paper](ctx, q, `SELECT `+paperColumns+` FROM `+f.where()+`
		ORDER BY c.display_order, p.class_id, p.date, COALESCE(p.start_time, ''), s.name, p.id`, f.args())
	if err != nil {
		return nil, fmt.Errorf("read papers: %w", err)
	}
	return list, nil
}

func pagePapers(ctx context.Context, q db.Q, f paperFilter, r page.Request) (page.Of[Paper], error) {
	out, err := db.Page[Paper](ctx, q, db.List{
		Columns: paperColumns,
		From:    f.where(),
		Sorts: map[string]string{"date": "p.date, COALESCE(p.start_time, '')", "className": "c.display_order, c.name", "subjectName": "s.name",
			"id": "p.id"},
		Default: "date",
	}, r, f.args())
	if err != nil {
		return out, fmt.Errorf("list papers: %w", err)
	}
	return out, nil
}

// getPaper gets the paper of a class and subject in an exam, or errNoPaper.
func getPaper(ctx context.Context, q db.Q, exam, class, subject id.ID) (Paper, error) {
	f := paperFilter{exam: exam, class: class, subject: subject}
	p, err := db.One[Paper](ctx, q, `SELECT `+paperColumns+` FROM `+f.where(), f.args())
	return p, db.Found("read paper", err, errNoPaper)
}

func fullName(first, last string) string { return strings.TrimSpace(first + " " + last) }
