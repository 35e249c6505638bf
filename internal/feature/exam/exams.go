package exam

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
)

// New is the input of Create.
type New struct {
	Name           string      `json:"name" required:"true" maxLength:"100" example:"Term 1"`
	Type           string      `json:"type" enum:"UNIT_TEST,TERM,FINAL,OTHER" default:"OTHER"`
	AcademicYearID *id.ID      `json:"academicYearId" doc:"Default: the year of the classes, or the current year."`
	ClassIDs       *[]id.ID    `json:"classIds" maxItems:"200" doc:"The classes that sit the exam, all of one academic year. Default: every class of the year."`
	StartDate      *clock.Date `json:"startDate" doc:"Default: the date of the first paper."`
	EndDate        *clock.Date `json:"endDate"`
	GradeScaleID   *id.ID      `json:"gradeScaleId" doc:"Default: the school's default scale."`
}

// Check validates the fields together.
func (in *New) Check() error { return checkDates(in.StartDate, in.EndDate) }

func checkDates(start, end *clock.Date) error {
	if start != nil && end != nil && *end < *start {
		return fault.OnField("endDate", "must not be before startDate")
	}
	return nil
}

// Create adds an exam, as a draft.
func (s *Service) Create(ctx context.Context, who actor.Actor, in New) (out Exam, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		year, classes, err := yearAndClasses(ctx, tx, in)
		if err != nil {
			return err
		}
		if err := within(year, in.StartDate, in.EndDate); err != nil {
			return err
		}
		if err := people.MustExist(ctx, tx, people.Ref{Table: "grade_scales", ID: in.GradeScaleID, Missing: errNoScale}); err != nil {
			return err
		}
		exam, name := s.NewID(), strings.TrimSpace(in.Name)
		_, err = db.Exec(ctx, tx, `
			INSERT INTO exams (school_id, id, academic_year_id, name, search, type, state, start_date, end_date, grade_scale_id, created_at,
				updated_at)
			VALUES (:school, :id, :year, :name, :search, :type, 'DRAFT', :start, :end, :scale, :now, :now)`,
			db.Args{"id": exam, "year": year.ID, "name": name, "search": people.SearchText(name), "type": in.Type,
				"start": in.StartDate, "end": in.EndDate, "scale": in.GradeScaleID, "now": s.Now()})
		if err != nil {
			return fmt.Errorf("create exam: %w", err)
		}
		if err := addClasses(ctx, tx, exam, year.ID, classes); err != nil {
			return err
		}
		if out, err = getExam(ctx, tx, exam, s.today(who)); err != nil {
			return err
		}
		return s.record(ctx, tx, who, "exam.create", exam, nil, out)
	})
	return out, err
}

// yearAndClasses resolves the academic year and the classes of a new exam.
func yearAndClasses(ctx context.Context, q db.Q, in New) (year school.Year, classes []id.ID, err error) {
	var years map[id.ID]id.ID
	if in.ClassIDs != nil && len(*in.ClassIDs) > 0 {
		classes = *in.ClassIDs
		if years, err = people.ClassYears(ctx, q, classes); err != nil {
			return year, nil, err
		}
	}
	switch {
	case in.AcademicYearID != nil:
		year, err = school.GetYear(ctx, q, *in.AcademicYearID)
	case len(classes) > 0:
		year, err = school.GetYear(ctx, q, years[classes[0]])
	default:
		year, err = school.CurrentYear(ctx, q)
	}
	if err != nil {
		return year, nil, err
	}
	if in.ClassIDs == nil {
		classes, err = db.All[id.ID](ctx, q, `SELECT id FROM classes WHERE school_id = :school AND academic_year_id = :year`,
			db.Args{"year": year.ID})
		if err != nil {
			return year, nil, fmt.Errorf("list classes: %w", err)
		}
		return year, classes, nil
	}
	return year, classes, ofYear(classes, years, year.ID)
}

// ofYear refuses classes of another year than the exam's.
func ofYear(classes []id.ID, years map[id.ID]id.ID, year id.ID) error {
	for i, c := range classes {
		switch {
		case years[c] != year:
			return fault.OnField(fmt.Sprintf("classIds[%d]", i), "belongs to another academic year than the exam")
		case slices.Contains(classes[:i], c):
			return fault.OnField(fmt.Sprintf("classIds[%d]", i), "is a duplicate")
		}
	}
	return nil
}

// within refuses dates outside the academic year.
func within(year school.Year, start, end *clock.Date) error {
	for field, d := range map[string]*clock.Date{"startDate": start, "endDate": end} {
		if d != nil && (*d < year.StartDate || *d > year.EndDate) {
			return fault.OnField(field, "must be in the academic year, %s to %s", year.StartDate, year.EndDate)
		}
	}
	return nil
}

func addClasses(ctx context.Context, tx *db.Tx, exam, year id.ID, classes []id.ID) error {
	type row struct{ ExamID, AcademicYearID, ClassID id.ID }
	rows := make([]row, len(classes))
	for i, c := range classes {
		rows[i] = row{exam, year, c}
	}
	_, err := db.Insert(ctx, tx, `
		INSERT INTO exam_classes (school_id, exam_id, academic_year_id, class_id) VALUES (:school, :exam_id, :academic_year_id, :class_id)
		ON CONFLICT (school_id, exam_id, class_id) DO NOTHING`, rows)
	if err != nil {
		return fmt.Errorf("write classes of exam: %w", err)
	}
	return nil
}

func (s *Service) exam(ctx context.Context, who actor.Actor, in idIn) (Exam, error) {
	return getExam(ctx, s.DB.School(who.School), in.ID, s.today(who))
}

type examFilters struct {
	ClassID        *id.ID `json:"classId,omitempty"`
	AcademicYearID *id.ID `json:"academicYearId,omitempty" doc:"Default: the year of classId, else the current academic year."`
	Status         Status `json:"status,omitempty" enum:"DRAFT,SCHEDULED,ONGOING,COMPLETED,PUBLISHED"`
	Search         string `json:"search,omitempty" doc:"Any part of the name."`
}

func (f examFilters) refs() []people.Ref {
	return []people.Ref{{Table: "classes", ID: f.ClassID, Missing: academics.ErrNoClass},
		{Table: "academic_years", ID: f.AcademicYearID, Missing: school.ErrNoYear}}
}

func (f examFilters) filter(today clock.Date) examFilter {
	return examFilter{class: opt.Value(f.ClassID), year: opt.Value(f.AcademicYearID), thisYear: f.ClassID == nil, status: f.Status,
		search: people.Pattern(f.Search), today: today}
}

func (s *Service) exams(ctx context.Context, who actor.Actor, in page.Ask[examFilters]) (page.Of[Listed], error) {
	return s.listed(ctx, who, in, in.Filters.filter(s.today(who)))
}

// listed returns a page of exams. It checks the filters' ids only if the page is empty.
func (s *Service) listed(ctx context.Context, who actor.Actor, in page.Ask[examFilters], f examFilter) (page.Of[Listed], error) {
	q := s.DB.School(who.School)
	exams, err := pageExams(ctx, q, f, in.Request)
	if err != nil {
		return page.Of[Listed]{}, err
	}
	out, err := withProgress(ctx, q, exams)
	if err != nil || out.Total > 0 {
		return out, err
	}
	return out, people.MustExist(ctx, q, in.Filters.refs()...)
}
