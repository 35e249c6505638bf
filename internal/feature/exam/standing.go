package exam

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// Line is one subject of a student in an exam.
type Line struct {
	SubjectID   id.ID      `json:"subjectId"`
	SubjectName string     `json:"subjectName"`
	Marks       *Marks     `json:"marks" doc:"Null unless the outcome is SCORED."`
	MaxMarks    Marks      `json:"maxMarks"`
	PassMarks   *Marks     `json:"passMarks"`
	Outcome     Outcome    `json:"outcome" enum:"SCORED,ABSENT,EXEMPT,PENDING" doc:"PENDING: no result yet."`
	Percent     *Marks     `json:"percent"`
	Passed      *bool      `json:"passed" doc:"Null without pass marks, for exempt students, or without a result."`
	Components  []LinePart `json:"components"`
	Remark      opt.Text   `json:"remark"`
	Grade
}

// LinePart is a component with its marks.
type LinePart struct {
	Name     string `json:"name"`
	Marks    *Marks `json:"marks"`
	MaxMarks Marks  `json:"maxMarks"`
}

const pending Outcome = "PENDING"

// Total is the sum of a student's subjects. An absent subject counts in the maximum,
// an exempt or pending one does not.
type Total struct {
	Marks    Marks  `json:"marks"`
	MaxMarks Marks  `json:"maxMarks"`
	Percent  *Marks `json:"percent" doc:"Null without results that count."`
	Passed   *bool  `json:"passed" doc:"Whether every subject with pass marks was passed; null without results."`
	Grade
	RankInDivision *int `json:"rankInDivision" doc:"By percent; equal percents share a rank, and the next one is skipped. Null without any marks."`
	DivisionSize   int  `json:"divisionSize" doc:"Number of ranked students."`
	RankInClass    *int `json:"rankInClass"`
	ClassSize      int  `json:"classSize"`
}

// standing is one student's lines, total and ranks in an exam.
type standing struct {
	student  id.ID
	class    id.ID
	division id.ID
	lines    []Line
	total    Total
}

// mark is a result, the input of computeStandings.
type mark struct {
	ExamID     id.ID
	PaperID    id.ID
	StudentID  id.ID
	ClassID    id.ID
	DivisionID *id.ID
	Marks      *Marks
	Outcome    Outcome
	Components db.JSON[[]Part]
	Remark     string
}

// listMarks lists the results of exams: of one class, of a student's classes, or of
// all classes.
func listMarks(ctx context.Context, q db.Q, exams []id.ID, class, student id.ID) ([]mark, error) {
	list, err := db.All[mark](ctx, q, `
		SELECT r.exam_id, r.paper_id, r.student_id, r.class_id, r.division_id, r.marks, r.outcome, r.components, r.remark
		FROM exam_results r JOIN students s ON s.school_id = r.school_id AND s.id = r.student_id AND s.archived_at IS NULL
		WHERE r.school_id = :school AND r.exam_id IN (:exams)`+db.When(class != "", ` AND r.class_id = :class`)+
		db.When(student != "", ` AND r.class_id IN (SELECT n.class_id FROM enrolments n WHERE n.school_id = :school
			AND n.student_id = :student)`)+`
		ORDER BY r.student_id, r.updated_at, r.id`, db.Args{"exams": exams, "class": class, "student": student})
	if err != nil {
		return nil, fmt.Errorf("read results: %w", err)
	}
	return list, nil
}

// readStandings reads the standings of one class or of all classes.
func readStandings(ctx context.Context, q db.Q, e Exam, class id.ID) ([]standing, error) {
	papers, err := listPapers(ctx, q, paperFilter{exam: e.ID, class: class})
	if err != nil {
		return nil, err
	}
	marks, err := listMarks(ctx, q, []id.ID{e.ID}, class, "")
	if err != nil {
		return nil, err
	}
	return computeStandings(e.bands(), papers, marks), nil
}

// computeStandings computes every student's lines, total and ranks in one exam.
func computeStandings(bands []Band, papers []Paper, marks []mark) []standing {
	at := map[id.ID]int{}
	var all []standing
	results := map[[2]id.ID]mark{}
	for _, m := range marks {
		i, ok := at[m.StudentID]
		if !ok {
			i, at[m.StudentID] = len(all), len(all)
			all = append(all, standing{student: m.StudentID})
		}
		all[i].class, all[i].division = m.ClassID, opt.Value(m.DivisionID)
		results[[2]id.ID{m.StudentID, m.PaperID}] = m
	}
	for i := range all {
		st := &all[i]
		for _, p := range papers {
			if p.ClassID == st.class {
				st.lines = append(st.lines, lineOf(bands, p, results[[2]id.ID{st.student, p.ID}]))
			}
		}
		st.total = sum(bands, st.lines)
	}
	rank(all, func(s standing) id.ID { return s.class }, func(t *Total) (**int, *int) { return &t.RankInClass, &t.ClassSize })
	rank(all, func(s standing) id.ID { return s.class + s.division },
		func(t *Total) (**int, *int) { return &t.RankInDivision, &t.DivisionSize })
	return all
}

// lineOf is a paper with its result; the zero mark means no result.
func lineOf(bands []Band, p Paper, m mark) Line {
	l := Line{SubjectID: p.SubjectID, SubjectName: p.SubjectName, Marks: m.Marks, MaxMarks: p.MaxMarks, PassMarks: p.PassMarks,
		Outcome: cmp.Or(m.Outcome, pending), Passed: passed(m.Outcome, m.Marks, p.PassMarks), Components: []LinePart{},
		Remark: opt.Text(m.Remark)}
	if m.Marks != nil {
		l.Percent = new(percent(*m.Marks, p.MaxMarks))
		l.Grade = grade(bands, *l.Percent)
	}
	for _, c := range p.Components.V {
		part := LinePart{Name: c.Name, MaxMarks: c.MaxMarks}
		for _, got := range m.Components.V {
			if got.Name == c.Name {
				part.Marks = &got.Marks
			}
		}
		l.Components = append(l.Components, part)
	}
	return l
}

func sum(bands []Band, lines []Line) (t Total) {
	for _, l := range lines {
		if l.Outcome != Scored && l.Outcome != Absent {
			continue
		}
		t.MaxMarks += l.MaxMarks
		if l.Marks != nil {
			t.Marks += *l.Marks
		}
		if l.Passed != nil {
			t.Passed = new((t.Passed == nil || *t.Passed) && *l.Passed)
		}
	}
	if t.MaxMarks > 0 {
		t.Percent = new(percent(t.Marks, t.MaxMarks))
		t.Grade = grade(bands, *t.Percent)
	}
	return t
}

// ranked reports whether the student has marks in at least one subject.
func (s standing) ranked() bool {
	return slices.ContainsFunc(s.lines, func(l Line) bool { return l.Outcome == Scored })
}

// rank assigns ranks by percent within each group, with ties as 1, 2, 2, 4.
func rank(all []standing, group func(standing) id.ID, place func(*Total) (**int, *int)) {
	groups := map[id.ID][]*standing{}
	for i := range all {
		if all[i].ranked() {
			groups[group(all[i])] = append(groups[group(all[i])], &all[i])
		}
	}
	for _, g := range groups {
		slices.SortStableFunc(g, func(a, b *standing) int { return cmp.Compare(*b.total.Percent, *a.total.Percent) })
		at := 0
		for i, s := range g {
			if i == 0 || *s.total.Percent != *g[i-1].total.Percent {
				at = i + 1
			}
			its, size := place(&s.total)
			*its, *size = new(at), len(g)
		}
	}
}
