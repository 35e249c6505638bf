package exam

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
)

// Result is one student's result in one paper.
type Result struct {
	ID          id.ID           `json:"id"`
	ExamID      id.ID           `json:"examId"`
	ExamName    string          `json:"examName"`
	ClassID     id.ID           `json:"classId"`
	DivisionID  *id.ID          `json:"divisionId"`
	SubjectID   id.ID           `json:"subjectId"`
	SubjectName string          `json:"subjectName"`
	StudentID   id.ID           `json:"studentId"`
	AdmissionNo string          `json:"admissionNo"`
	FirstName   opt.Text        `json:"firstName"`
	LastName    opt.Text        `json:"lastName"`
	RollNo      *int            `json:"rollNo"`
	Marks       *Marks          `json:"marks" doc:"Null unless the outcome is SCORED."`
	MaxMarks    Marks           `json:"maxMarks"`
	PassMarks   *Marks          `json:"passMarks"`
	Outcome     Outcome         `json:"outcome" enum:"SCORED,ABSENT,EXEMPT"`
	Percent     *Marks          `json:"percent" db:"-"`
	Grade       opt.Text        `json:"grade" db:"-"`
	Passed      *bool           `json:"passed" db:"-" doc:"Null if the paper has no pass marks, or the student was exempt."`
	Components  db.JSON[[]Part] `json:"components"`
	Remark      opt.Text        `json:"remark"`
	CreatedAt   time.Time       `json:"createdAt"`
	UpdatedAt   time.Time       `json:"updatedAt"`
}

const resultColumns = `r.id, r.exam_id, e.name AS exam_name, r.class_id, r.division_id, p.subject_id, u.name AS subject_name,
	r.student_id, s.admission_no, s.first_name, s.last_name, n.roll_no, r.marks, p.max_marks, p.pass_marks, r.outcome,
	r.components, r.remark, r.created_at, r.updated_at`

const resultFrom = `exam_results r
	JOIN exams e ON e.school_id = r.school_id AND e.id = r.exam_id
	JOIN exam_papers p ON p.school_id = r.school_id AND p.id = r.paper_id
	JOIN subjects u ON u.school_id = p.school_id AND u.id = p.subject_id
	JOIN students s ON s.school_id = r.school_id AND s.id = r.student_id AND s.archived_at IS NULL
	LEFT JOIN enrolments n ON n.school_id = r.school_id AND n.student_id = r.student_id AND n.academic_year_id = e.academic_year_id
	WHERE r.school_id = :school`

type resultFilters struct {
	ExamID     *id.ID  `json:"examId,omitempty"`
	ClassID    *id.ID  `json:"classId,omitempty"`
	DivisionID *id.ID  `json:"divisionId,omitempty"`
	SubjectID  *id.ID  `json:"subjectId,omitempty"`
	StudentID  *id.ID  `json:"studentId,omitempty"`
	Outcome    Outcome `json:"outcome,omitempty" enum:"SCORED,ABSENT,EXEMPT"`
}

func (f resultFilters) refs() []people.Ref {
	return []people.Ref{
		{Table: "exams", ID: f.ExamID, Missing: errNoExam},
		{Table: "classes", ID: f.ClassID, Missing: academics.ErrNoClass},
		{Table: "divisions", ID: f.DivisionID, Missing: academics.ErrNoDivision},
		{Table: "subjects", ID: f.SubjectID, Missing: academics.ErrNoSubject},
		{Table: "students", ID: f.StudentID, Missing: people.ErrNoStudent},
	}
}

func (f resultFilters) where(teacher id.ID) string {
	return resultFrom +
		db.When(f.ExamID != nil, ` AND r.exam_id = :exam`) +
		db.When(f.ClassID != nil, ` AND r.class_id = :class`) +
		db.When(f.DivisionID != nil, ` AND r.division_id = :division`) +
		db.When(f.SubjectID != nil, ` AND p.subject_id = :subject`) +
		db.When(f.StudentID != nil, ` AND r.student_id = :student`) +
		db.When(f.Outcome != "", ` AND r.outcome = :outcome`) +
		db.When(teacher != "", ` AND EXISTS (SELECT 1 FROM `+ofTeacher+` WHERE a.school_id = r.school_id AND a.class_id = r.class_id
			AND (a.division_id IS NULL OR a.division_id = r.division_id))`)
}

func (s *Service) results(ctx context.Context, who actor.Actor, in page.Ask[resultFilters]) (page.Of[Result], error) {
	q, f := s.DB.School(who.School), in.Filters
	var teacher id.ID
	if who.Role == actor.Teacher {
		teacher = who.User
	}
	out, err := db.Page[Result](ctx, q, db.List{
		Columns: resultColumns,
		From:    f.where(teacher),
		Sorts: map[string]string{"createdAt": "r.id", "rollNo": "COALESCE(n.roll_no, 0)", "firstName": "s.first_name", "lastName": "s.last_name",
			"subjectName": "u.name", "marks": "COALESCE(r.marks, -1)", "id": "r.id"},
		Default: "createdAt",
	}, in.Request, db.Args{"exam": opt.Value(f.ExamID), "class": opt.Value(f.ClassID), "division": opt.Value(f.DivisionID),
		"subject": opt.Value(f.SubjectID),
		"student": opt.Value(f.StudentID), "outcome": f.Outcome, "user": teacher})
	if err != nil {
		return out, fmt.Errorf("list results: %w", err)
	}
	if out.Total == 0 {
		return out, people.MustExist(ctx, q, f.refs()...)
	}
	return out, s.gradeAll(ctx, q, who, out.Items)
}

// gradeAll sets percent, grade and passed of results.
func (s *Service) gradeAll(ctx context.Context, q db.Q, who actor.Actor, results []Result) error {
	exams := map[id.ID]Exam{}
	var ids []id.ID
	for _, r := range results {
		ids = append(ids, r.ExamID)
	}
	if len(ids) == 0 {
		return nil
	}
	list, err := listExams(ctx, q, examFilter{ids: ids, today: s.today(who)})
	if err != nil {
		return err
	}
	for _, e := range list {
		exams[e.ID] = e
	}
	for i := range results {
		r := &results[i]
		r.Passed = passed(r.Outcome, r.Marks, r.PassMarks)
		if r.Marks != nil {
			r.Percent = new(percent(*r.Marks, r.MaxMarks))
			r.Grade = grade(exams[r.ExamID].bands(), *r.Percent).Grade
		}
	}
	return nil
}

// passed reports whether a result reaches the pass marks. It is nil without pass
// marks and for exempt students. Absent students have not passed.
func passed(o Outcome, marks, pass *Marks) *bool {
	switch {
	case pass == nil || o == Exempt || o == "":
		return nil
	case o == Absent:
		return new(false)
	}
	return new(*marks >= *pass)
}
