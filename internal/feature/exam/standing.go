package exam

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"homeroom/internal/feature/elective"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
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

// listMarks lists the results of exams: of the students who have one in a class, or in a class in which a
// student has results; or all. A student's latest result comes last, whatever was corrected since.
func listMarks(ctx context.Context, q db.Q, exams []id.ID, class, student id.ID) ([]mark, error) {
	list, err := db.All[mark](ctx, q, `
		SELECT r.exam_id, r.paper_id, r.student_id, r.class_id, r.division_id, r.marks, r.outcome, r.components, r.remark
		FROM exam_results r JOIN students s ON s.school_id = r.school_id AND s.id = r.student_id AND s.archived_at IS NULL
		WHERE r.school_id = :school AND r.exam_id IN (:exams)`+db.When(class != "" || student != "", ` AND (r.exam_id, r.student_id) IN (
			SELECT c.exam_id, c.student_id FROM exam_results c WHERE c.school_id = :school AND c.exam_id IN (:exams)`+
		db.When(class != "", ` AND c.class_id = :class`)+db.When(student != "", ` AND (c.exam_id, c.class_id) IN (`+markedIn+`)`)+`)`)+`
		ORDER BY r.student_id, r.created_at, r.id`, db.Args{"exams": exams, "class": class, "student": student})
	if err != nil {
		return nil, fmt.Errorf("read results: %w", err)
	}
	return list, nil
}

// markedIn selects the exams and classes in which the student :student has results.
const markedIn = `SELECT o.exam_id, o.class_id FROM exam_results o WHERE o.school_id = :school AND o.student_id = :student`

// taking is a student and a paper.
type taking struct{ StudentID, PaperID id.ID }

// listNotTaken returns the papers of exams in electives that a student, or with "" each student
// with results, does not take.
func listNotTaken(ctx context.Context, q db.Q, exams []id.ID, student id.ID) (map[taking]bool, error) {
	out := map[taking]bool{}
	err := db.Each(ctx, q, `
		SELECT w.student_id, p.id AS paper_id FROM exam_papers p JOIN `+
		db.When(student == "", `(SELECT DISTINCT exam_id, class_id, student_id FROM exam_results
			WHERE school_id = :school AND exam_id IN (:exams)) w ON w.exam_id = p.exam_id AND w.class_id = p.class_id`)+
		db.When(student != "", `(SELECT id AS student_id FROM students WHERE school_id = :school AND id = :student) w ON TRUE`)+`
		WHERE p.school_id = :school AND p.exam_id IN (:exams) AND NOT `+elective.Takes("p.class_id", "p.subject_id", "w.student_id"),
		db.Args{"exams": exams, "student": student}, func(t taking) error {
			out[t] = true
			return nil
		})
	return out, fault.Wrap("read electives of an exam", err)
}

// readStandings reads the standings of one class or of all classes.
func readStandings(ctx context.Context, q db.Q, e Exam, class id.ID) ([]standing, error) {
	papers, err := listPapers(ctx, q, paperFilter{exam: e.ID})
	if err != nil {
		return nil, err
	}
	marks, err := listMarks(ctx, q, []id.ID{e.ID}, class, "")
	if err != nil {
		return nil, err
	}
	notTaken, err := listNotTaken(ctx, q, []id.ID{e.ID}, "")
	return ofClass(computeStandings(e.bands(), papers, marks, notTaken), class), err
}

// ofClass removes the standings of other classes: their students have a result in the class, too.
func ofClass(all []standing, class id.ID) []standing {
	return slices.DeleteFunc(all, func(st standing) bool { return class != "" && st.class != class })
}

// computeStandings computes every student's lines, total and ranks in one exam. A student's class is that of the
// latest result. A paper that the student does not take has a line only if there is a result.
func computeStandings(bands []Band, papers []Paper, marks []mark, notTaken map[taking]bool) []standing {
	at := map[id.ID]int{}
	var all []standing
	for _, m := range marks {
		i, ok := at[m.StudentID]
		if !ok {
			i, at[m.StudentID] = len(all), len(all)
			all = append(all, standing{student: m.StudentID})
		}
		all[i].class, all[i].division = m.ClassID, opt.Value(m.DivisionID)
	}
	counts := counting(papers, marks, func(student id.ID) id.ID { return all[at[student]].class })
	for i := range all {
		st := &all[i]
		for _, p := range papers {
			m := counts[studied{st.student, p.SubjectID}]
			if m.PaperID == p.ID || m.PaperID == "" && p.ClassID == st.class && !notTaken[taking{st.student, p.ID}] {
				st.lines = append(st.lines, lineOf(bands, p, m))
			}
		}
		st.total = sum(bands, st.lines)
	}
	rank(all, func(s standing) id.ID { return s.class }, func(t *Total) (**int, *int) { return &t.RankInClass, &t.ClassSize })
	rank(all, func(s standing) id.ID { return s.class + s.division },
		func(t *Total) (**int, *int) { return &t.RankInDivision, &t.DivisionSize })
	return all
}

// studied is a student and a subject.
type studied struct{ student, subject id.ID }

// counting are the results that count: those in the student's class and, in other subjects, those from the classes
// in which the student was before.
func counting(papers []Paper, marks []mark, classOf func(student id.ID) id.ID) map[studied]mark {
	subjects := map[id.ID]id.ID{}
	for _, p := range papers {
		subjects[p.ID] = p.SubjectID
	}
	out := map[studied]mark{}
	for _, m := range marks {
		of := studied{m.StudentID, subjects[m.PaperID]}
		if out[of].ClassID != classOf(m.StudentID) {
			out[of] = m
		}
	}
	return out
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
