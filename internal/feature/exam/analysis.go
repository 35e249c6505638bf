package exam

import (
	"cmp"
	"context"
	"math"
	"slices"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

type analysisIn struct {
	ID         id.ID  `path:"id"`
	ClassID    *id.ID `json:"classId" doc:"Only this class."`
	DivisionID *id.ID `json:"divisionId" doc:"Only this division."`
}

// Analysis has the statistics of an exam.
type Analysis struct {
	Exam     Exam           `json:"exam"`
	Students int            `json:"students" doc:"Number of students with results."`
	Average  *Marks         `json:"average" doc:"Average total percent of students with marks."`
	PassRate *Marks         `json:"passRate" doc:"Percent of students who passed every subject that has pass marks."`
	Grades   []GradeCount   `json:"grades" doc:"Number of students by total grade, the highest grade first."`
	Toppers  []Topper       `json:"toppers" doc:"The first three ranks of each class."`
	Subjects []SubjectStats `json:"subjects" doc:"By class and date."`
}

// GradeCount is the number of students with a grade.
type GradeCount struct {
	Grade    opt.Text `json:"grade"`
	Students int      `json:"students"`
}

// Topper is one of the first three of a class, in total or in a subject.
type Topper struct {
	StudentID id.ID    `json:"studentId"`
	FirstName opt.Text `json:"firstName"`
	LastName  opt.Text `json:"lastName"`
	ClassID   id.ID    `json:"classId"`
	Rank      int      `json:"rank"`
	Marks     Marks    `json:"marks"`
	Percent   Marks    `json:"percent"`
}

// SubjectStats has the statistics of one paper. Only SCORED results count.
type SubjectStats struct {
	ClassID     id.ID    `json:"classId"`
	ClassName   string   `json:"className"`
	SubjectID   id.ID    `json:"subjectId"`
	SubjectName string   `json:"subjectName"`
	MaxMarks    Marks    `json:"maxMarks"`
	PassMarks   *Marks   `json:"passMarks"`
	Scored      int      `json:"scored"`
	Absent      int      `json:"absent"`
	Exempt      int      `json:"exempt"`
	Average     *Marks   `json:"average"`
	Median      *Marks   `json:"median"`
	Deviation   *Marks   `json:"deviation" doc:"Standard deviation of the marks."`
	Highest     *Marks   `json:"highest"`
	Lowest      *Marks   `json:"lowest"`
	PassRate    *Marks   `json:"passRate" doc:"Percent of SCORED results that passed; null without pass marks."`
	Toppers     []Topper `json:"toppers" doc:"The first three ranks."`
}

// maxTopperRank is the lowest rank that counts as a topper.
const maxTopperRank = 3

func (s *Service) analysis(ctx context.Context, who actor.Actor, in analysisIn) (Analysis, error) {
	q := s.DB.School(who.School)
	out := Analysis{Toppers: []Topper{}, Grades: []GradeCount{}, Subjects: []SubjectStats{}}
	var err error
	if out.Exam, err = getExam(ctx, q, in.ID, s.today(who)); err != nil {
		return out, err
	}
	err = people.MustExist(ctx, q, people.Ref{Table: "classes", ID: in.ClassID, Missing: academics.ErrNoClass},
		people.Ref{Table: "divisions", ID: in.DivisionID, Missing: academics.ErrNoDivision})
	if err != nil {
		return out, err
	}
	class := opt.Value(in.ClassID)
	papers, err := listPapers(ctx, q, paperFilter{exam: in.ID})
	if err != nil {
		return out, err
	}
	marks, err := listMarks(ctx, q, []id.ID{in.ID}, class, "")
	if err != nil {
		return out, err
	}
	if in.DivisionID != nil {
		marks = slices.DeleteFunc(marks, func(m mark) bool { return opt.Value(m.DivisionID) != *in.DivisionID })
	}
	names, err := namesOf(ctx, q, out.Exam, class)
	if err != nil {
		return out, err
	}
	out.addTotals(ofClass(computeStandings(out.Exam.bands(), papers, marks, nil), class), names)
	for _, p := range papers {
		if class == "" || p.ClassID == class {
			out.Subjects = append(out.Subjects, statsOf(p, marks, names))
		}
	}
	return out, nil
}

// addTotals sets the statistics of the whole exam.
func (a *Analysis) addTotals(all []standing, names map[id.ID]named) {
	a.Students = len(all)
	var sum Marks
	ranked, could, did := 0, 0, 0
	grades := map[string]int{}
	for _, st := range all {
		if st.total.Passed != nil {
			could++
			if *st.total.Passed {
				did++
			}
		}
		if st.total.RankInClass == nil {
			continue
		}
		ranked++
		sum += *st.total.Percent
		grades[string(st.total.Grade.Grade)]++
		if *st.total.RankInClass <= maxTopperRank {
			a.Toppers = append(a.Toppers, topper(st.student, st.class, *st.total.RankInClass, st.total.Marks, *st.total.Percent, names))
		}
	}
	if ranked > 0 {
		a.Average = new(mean(sum, ranked))
	}
	if could > 0 {
		a.PassRate = new(percent(Marks(did), Marks(could)))
	}
	for _, b := range a.Exam.bands() {
		a.Grades = append(a.Grades, GradeCount{opt.Text(b.Grade), grades[b.Grade]})
	}
	slices.SortStableFunc(a.Toppers, func(x, y Topper) int { return cmp.Or(cmp.Compare(x.ClassID, y.ClassID), x.Rank-y.Rank) })
}

func topper(student, class id.ID, rank int, marks, percent Marks, names map[id.ID]named) Topper {
	return Topper{StudentID: student, FirstName: opt.Text(names[student].FirstName), LastName: opt.Text(names[student].LastName),
		ClassID: class, Rank: rank, Marks: marks, Percent: percent}
}

// statsOf computes the statistics of one paper.
func statsOf(p Paper, marks []mark, names map[id.ID]named) SubjectStats {
	out := SubjectStats{ClassID: p.ClassID, ClassName: p.ClassName, SubjectID: p.SubjectID, SubjectName: p.SubjectName,
		MaxMarks: p.MaxMarks, PassMarks: p.PassMarks, Toppers: []Topper{}}
	var scored []mark
	for _, m := range marks {
		switch {
		case m.PaperID != p.ID:
		case m.Outcome == Absent:
			out.Absent++
		case m.Outcome == Exempt:
			out.Exempt++
		default:
			scored = append(scored, m)
		}
	}
	out.Scored = len(scored)
	if out.Scored == 0 {
		return out
	}
	slices.SortStableFunc(scored, func(a, b mark) int { return cmp.Compare(*b.Marks, *a.Marks) })
	rank := 0
	for i, m := range scored {
		if i == 0 || *m.Marks != *scored[i-1].Marks {
			rank = i + 1
		}
		if rank > maxTopperRank {
			break
		}
		out.Toppers = append(out.Toppers, topper(m.StudentID, p.ClassID, rank, *m.Marks, percent(*m.Marks, p.MaxMarks), names))
	}
	out.spread(scored)
	return out
}

// spread sets average, median, deviation and pass rate. scored is sorted, the highest first.
func (out *SubjectStats) spread(scored []mark) {
	n := len(scored)
	var sum Marks
	did := 0
	for _, m := range scored {
		sum += *m.Marks
		if out.PassMarks != nil && *m.Marks >= *out.PassMarks {
			did++
		}
	}
	out.Average, out.Highest, out.Lowest = new(mean(sum, n)), scored[0].Marks, scored[n-1].Marks
	out.Median = new(mean(*scored[(n-1)/2].Marks+*scored[n/2].Marks, 2))
	var squares float64
	for _, m := range scored {
		d := float64(*m.Marks) - float64(sum)/float64(n)
		squares += d * d
	}
	out.Deviation = new(Marks(math.Round(math.Sqrt(squares / float64(n)))))
	if out.PassMarks != nil {
		out.PassRate = new(percent(Marks(did), Marks(n)))
	}
}
