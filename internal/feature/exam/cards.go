package exam

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/text"
	"homeroom/internal/platform/web"
)

// maxCards bounds the pages of one file.
const maxCards = 200

var errNoCards = fault.New(fault.NotFound, "", "Nobody of this class has results in this exam yet.")

type cardsIn struct {
	ExamID     id.ID  `json:"examId" required:"true"`
	ClassID    id.ID  `json:"classId" required:"true"`
	DivisionID *id.ID `json:"divisionId" doc:"Default: the whole class."`
}

// cards returns the report cards of a class in one PDF, by division and roll number.
func (s *Service) cards(ctx context.Context, who actor.Actor, in cardsIn) (web.File, error) {
	q := s.DB.School(who.School)
	err := people.MustExist(ctx, q, people.Ref{Table: "classes", ID: &in.ClassID, Missing: academics.ErrNoClass},
		people.Ref{Table: "divisions", ID: in.DivisionID, Missing: academics.ErrNoDivision})
	if err != nil {
		return web.File{}, err
	}
	e, err := getExam(ctx, q, in.ExamID, s.today(who))
	if err != nil {
		return web.File{}, err
	}
	list, err := s.classCards(ctx, q, who, e, in)
	if err != nil {
		return web.File{}, err
	}
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		return s.record(ctx, tx, who, "exam.report-cards", e.ID, nil,
			map[string]any{"classId": in.ClassID, "divisionId": in.DivisionID, "cards": len(list)})
	})
	if err != nil {
		return web.File{}, err
	}
	name := fmt.Sprintf("report-cards-%s-%s.pdf", list[0].Student.ClassName, e.Name)
	return web.File{Name: name, Type: pdfType, Inline: true, Write: func(ctx context.Context, w io.Writer) error {
		return s.print(ctx, w, who.School, text.T("print.card.many", "exam", e.Name), list...)
	}}, nil
}

// classCards reads the cards of the students with results, with a fixed number of queries.
func (s *Service) classCards(ctx context.Context, q db.Q, who actor.Actor, e Exam, in cardsIn) ([]Card, error) {
	all, err := readStandings(ctx, q, e, in.ClassID)
	if err != nil {
		return nil, err
	}
	if in.DivisionID != nil {
		all = slices.DeleteFunc(all, func(st standing) bool { return st.division != *in.DivisionID })
	}
	switch {
	case len(all) == 0:
		return nil, errNoCards
	case len(all) > maxCards:
		return nil, fault.OnField("divisionId", "is required: the class has %d report cards, and one file has at most %d", len(all), maxCards)
	}
	students := make([]id.ID, len(all))
	for i, st := range all {
		students[i] = st.student
	}
	sch, err := school.Get(ctx, q)
	if err != nil {
		return nil, fmt.Errorf("read school: %w", err)
	}
	year, err := school.GetYear(ctx, q, e.AcademicYearID)
	if err != nil {
		return nil, err
	}
	seats, err := seatsOf(ctx, q, students, e.AcademicYearID)
	if err != nil {
		return nil, err
	}
	days, err := s.presence(ctx, q, who, students, e, year)
	if err != nil {
		return nil, err
	}
	out := make([]Card, len(all))
	for i, st := range all {
		out[i] = Card{Student: seats[st.student], Subjects: st.lines, Total: st.total, Attendance: days[st.student], bands: e.bands(),
			Exam: &CardExam{e.ID, e.Name, e.Type, e.Status, year.ID, year.Name, e.StartDate, e.EndDate}}
		out[i].of(sch, who)
	}
	slices.SortFunc(out, func(a, b Card) int { return a.Student.compare(b.Student) })
	return out, nil
}

// compare sorts by division, roll number and name; students without a number come last.
func (a CardStudent) compare(b CardStudent) int {
	roll := func(s CardStudent) int {
		if s.RollNo == nil {
			return 1 << 31
		}
		return *s.RollNo
	}
	return cmp.Or(cmp.Compare(a.DivisionName, b.DivisionName), cmp.Compare(roll(a), roll(b)), cmp.Compare(a.FirstName, b.FirstName),
		cmp.Compare(a.LastName, b.LastName), cmp.Compare(a.ID, b.ID))
}
