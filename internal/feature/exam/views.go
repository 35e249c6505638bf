package exam

import (
	"context"
	"slices"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
)

type paperFilters struct {
	ExamID  *id.ID      `json:"examId,omitempty"`
	ClassID *id.ID      `json:"classId,omitempty"`
	From    *clock.Date `json:"from,omitempty"`
	To      *clock.Date `json:"to,omitempty"`
}

func (f paperFilters) refs() []people.Ref {
	return []people.Ref{{Table: "exams", ID: f.ExamID, Missing: errNoExam}, {Table: "classes", ID: f.ClassID, Missing: academics.ErrNoClass}}
}

func (f paperFilters) filter() paperFilter {
	out := paperFilter{exam: opt.Value(f.ExamID), class: opt.Value(f.ClassID)}
	if f.From != nil {
		out.from = *f.From
	}
	if f.To != nil {
		out.to = *f.To
	}
	return out
}

func (s *Service) papers(ctx context.Context, who actor.Actor, in page.Ask[paperFilters]) (page.Of[Paper], error) {
	return listedPapers(ctx, s.DB.School(who.School), in, in.Filters.filter())
}

// listedPapers returns a page of papers. It checks the filters' ids only if the page
// is empty.
func listedPapers(ctx context.Context, q db.Q, in page.Ask[paperFilters], f paperFilter) (page.Of[Paper], error) {
	out, err := pagePapers(ctx, q, f, in.Request)
	if err != nil || out.Total > 0 {
		return out, err
	}
	return out, people.MustExist(ctx, q, in.Filters.refs()...)
}

// taughtExams lists exams of the teacher's assigned classes, without drafts.
func (s *Service) taughtExams(ctx context.Context, who actor.Actor, in page.Ask[examFilters]) (page.Of[Listed], error) {
	f := in.Filters.filter(s.today(who))
	f.teacher, f.shown = who.User, true
	return s.listed(ctx, who, in, f)
}

func (s *Service) taughtPapers(ctx context.Context, who actor.Actor, in page.Ask[paperFilters]) (page.Of[Paper], error) {
	f := in.Filters.filter()
	f.teacher, f.shown = who.User, true
	return listedPapers(ctx, s.DB.School(who.School), in, f)
}

type childExamFilters struct {
	StudentID      id.ID  `json:"studentId" required:"true"`
	AcademicYearID *id.ID `json:"academicYearId,omitempty" doc:"Default: the current academic year."`
	Status         Status `json:"status,omitempty" enum:"SCHEDULED,ONGOING,COMPLETED,PUBLISHED"`
}

func (s *Service) childExams(ctx context.Context, who actor.Actor, in page.Ask[childExamFilters]) (page.Of[Exam], error) {
	q, f := s.DB.School(who.School), in.Filters
	if err := people.MustBeLinked(ctx, q, who.User, f.StudentID); err != nil {
		return page.Of[Exam]{}, err
	}
	if err := people.MustExist(ctx, q, people.Ref{Table: "academic_years", ID: f.AcademicYearID, Missing: school.ErrNoYear}); err != nil {
		return page.Of[Exam]{}, err
	}
	out, err := pageExams(ctx, q, examFilter{student: f.StudentID, year: opt.Value(f.AcademicYearID), thisYear: true, status: f.Status,
		shown: true, today: s.today(who)}, in.Request)
	return forParents(out), err
}

// forParents removes internal fields.
func forParents(exams page.Of[Exam]) page.Of[Exam] {
	for i := range exams.Items {
		exams.Items[i].UnpublishReason, exams.Items[i].OpenedAt = "", nil
	}
	return exams
}

type childPaperFilters struct {
	StudentID id.ID       `json:"studentId" required:"true"`
	ExamID    *id.ID      `json:"examId,omitempty"`
	From      *clock.Date `json:"from,omitempty"`
	To        *clock.Date `json:"to,omitempty"`
}

func (s *Service) childPapers(ctx context.Context, who actor.Actor, in page.Ask[childPaperFilters]) (page.Of[Paper], error) {
	q, f := s.DB.School(who.School), in.Filters
	if err := people.MustBeLinked(ctx, q, who.User, f.StudentID); err != nil {
		return page.Of[Paper]{}, err
	}
	ask := page.Ask[paperFilters]{Request: in.Request, Filters: paperFilters{ExamID: f.ExamID, From: f.From, To: f.To}}
	narrow := ask.Filters.filter()
	narrow.student, narrow.shown = f.StudentID, true
	return listedPapers(ctx, q, ask, narrow)
}

type childResultFilters struct {
	StudentID      id.ID  `json:"studentId" required:"true"`
	ExamID         *id.ID `json:"examId,omitempty"`
	AcademicYearID *id.ID `json:"academicYearId,omitempty" doc:"Default: every year."`
}

// Achieved is a child's result in one published exam.
type Achieved struct {
	Exam     Exam   `json:"exam"`
	Subjects []Line `json:"subjects"`
	Total    Total  `json:"total"`
}

// childResults lists a child's results in published exams, the latest first.
func (s *Service) childResults(ctx context.Context, who actor.Actor, in page.Ask[childResultFilters]) (page.Of[Achieved], error) {
	q, f := s.DB.School(who.School), in.Filters
	if err := people.MustBeLinked(ctx, q, who.User, f.StudentID); err != nil {
		return page.Of[Achieved]{}, err
	}
	err := people.MustExist(ctx, q, people.Ref{Table: "exams", ID: f.ExamID, Missing: errNoExam},
		people.Ref{Table: "academic_years", ID: f.AcademicYearID, Missing: school.ErrNoYear})
	if err != nil {
		return page.Of[Achieved]{}, err
	}
	narrow := examFilter{student: f.StudentID, year: opt.Value(f.AcademicYearID), published: true, today: s.today(who)}
	if f.ExamID != nil {
		narrow.ids = []id.ID{*f.ExamID}
	}
	exams, err := pageExams(ctx, q, narrow, in.Request)
	if err == nil && slices.ContainsFunc(exams.Items, unopened) {
		if err = s.open(ctx, who, exams.Items); err == nil {
			exams, err = pageExams(ctx, q, narrow, in.Request)
		}
	}
	if err != nil {
		return page.Of[Achieved]{}, err
	}
	items, err := achieved(ctx, q, forParents(exams).Items, f.StudentID)
	return page.New(in.Clamp(), items, exams.Total), err
}

// achieved reads a student's results in exams, with a fixed number of queries: in the class and
// the electives at the time, whatever the student has changed since.
func achieved(ctx context.Context, q db.Q, exams []Exam, student id.ID) ([]Achieved, error) {
	if len(exams) == 0 {
		return []Achieved{}, nil
	}
	ids := make([]id.ID, len(exams))
	for i, e := range exams {
		ids[i] = e.ID
	}
	marks, err := listMarks(ctx, q, ids, "", student)
	if err != nil {
		return nil, err
	}
	marked := make([]id.ID, len(marks))
	for i, m := range marks {
		marked[i] = m.PaperID
	}
	papers, err := listPapers(ctx, q, paperFilter{exams: ids, markedOf: student, marked: id.Unique(marked)})
	if err != nil {
		return nil, err
	}
	notTaken, err := listNotTaken(ctx, q, ids, student)
	if err != nil {
		return nil, err
	}
	paperOf, markOf := map[id.ID][]Paper{}, map[id.ID][]mark{}
	for _, p := range papers {
		paperOf[p.ExamID] = append(paperOf[p.ExamID], p)
	}
	for _, m := range marks {
		markOf[m.ExamID] = append(markOf[m.ExamID], m)
	}
	out := make([]Achieved, len(exams))
	for i, e := range exams {
		out[i] = Achieved{Exam: e, Subjects: []Line{}}
		for _, st := range computeStandings(e.bands(), paperOf[e.ID], markOf[e.ID], notTaken) {
			if st.student == student {
				out[i].Subjects, out[i].Total = st.lines, st.total
			}
		}
	}
	return out, nil
}
