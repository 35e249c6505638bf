package academics

import (
	"context"
	"slices"

	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

// Routes returns the routes of this feature.
func (s *Service) Routes() []web.Route {
	return slices.Concat(s.classRoutes(), s.divisionRoutes(), s.subjectRoutes(), s.assignmentRoutes(), s.teacherRoutes())
}

func (s *Service) teacherRoutes() []web.Route {
	return []web.Route{
		web.Handle("GET /teacher/class/list", s.taught, web.Read("class"), web.List("displayOrder", "name"),
			web.Doc("List the caller's assigned classes and divisions in the current academic year, and those of today's substitutions.")),
		web.Handle("GET /teacher/class/students", s.pupils, web.Read("student"),
			web.List("firstName", "lastName", "admissionNo", "rollNo", "createdAt"),
			web.Doc("List the students of a class in the divisions that the caller is assigned to or substitutes in today.")),
		web.Handle("GET /teacher/student/{id}", s.pupil, web.Read("student"), web.Shows("student", "id"),
			web.Doc("Get a student of a division that the caller is assigned to or substitutes in today.")),
		web.Handle("GET /teacher/subject/list", s.taughtSubjects, web.Read("subject"), web.List("name", "code"),
			web.Doc("List the caller's assigned subjects in the current academic year, with their classes.")),
	}
}

func (s *Service) caller(who actor.Actor) Caller {
	return Caller{who.User, clock.DateIn(s.Now(), who.Zone)}
}

type classFilters struct {
	AcademicYearID *id.ID `json:"academicYearId,omitempty" doc:"Default: the current academic year."`
	Search         string `json:"search,omitempty" doc:"Any part of the name."`
}

func (s *Service) classes(ctx context.Context, who actor.Actor, in page.Ask[classFilters]) (page.Of[Class], error) {
	q := s.DB.School(who.School)
	out, err := listClasses(ctx, q, in)
	if !who.Can("class", actor.Read) {
		for i, c := range out.Items {
			out.Items[i] = c.named()
		}
	}
	if err != nil || out.Total > 0 { // check the filters' ids only if the list is empty
		return out, err
	}
	return out, people.MustExist(ctx, q, people.Ref{Table: "academic_years", ID: in.Filters.AcademicYearID, Missing: school.ErrNoYear})
}

type ofClass struct {
	ClassID *id.ID `json:"classId,omitempty"`
}

func (f ofClass) ref() people.Ref {
	return people.Ref{Table: "classes", ID: f.ClassID, Missing: ErrNoClass}
}

func (s *Service) divisions(ctx context.Context, who actor.Actor, in page.Ask[ofClass]) (page.Of[Division], error) {
	q := s.DB.School(who.School)
	out, err := listDivisions(ctx, q, in)
	if !who.Can("division", actor.Read) {
		for i, d := range out.Items {
			out.Items[i] = d.named()
		}
	}
	if err != nil || out.Total > 0 {
		return out, err
	}
	return out, people.MustExist(ctx, q, in.Filters.ref())
}

func (s *Service) subjects(ctx context.Context, who actor.Actor, in page.Ask[ofClass]) (page.Of[Subject], error) {
	q := s.DB.School(who.School)
	out, err := listSubjects(ctx, q, in)
	if err != nil || out.Total > 0 {
		return out, err
	}
	return out, people.MustExist(ctx, q, in.Filters.ref())
}

type taughtDivision struct {
	ID             id.ID    `json:"id"`
	Name           string   `json:"name"`
	Room           opt.Text `json:"room"`
	IsClassTeacher bool     `json:"isClassTeacher"`
}

type taughtClass struct {
	ID             id.ID            `json:"id"`
	Name           string           `json:"name"`
	DisplayOrder   int              `json:"displayOrder"`
	AcademicYearID id.ID            `json:"academicYearId"`
	Divisions      []taughtDivision `json:"divisions" db:"-"`
}

func (s *Service) taught(ctx context.Context, who actor.Actor, in page.Ask[struct{}]) (page.Of[taughtClass], error) {
	return listTaught(ctx, s.DB.School(who.School), s.caller(who), in.Request)
}

type pupilFilters struct {
	ClassID    id.ID  `json:"classId" required:"true"`
	DivisionID *id.ID `json:"divisionId,omitempty" doc:"Default: every division that the caller is assigned to."`
	Search     string `json:"search,omitempty" doc:"Words in any order, each any part of the name, admission number or phone."`
}

func (s *Service) pupils(ctx context.Context, who actor.Actor, in page.Ask[pupilFilters]) (page.Of[people.Summary], error) {
	q := s.DB.School(who.School)
	var err error
	if f := in.Filters; f.DivisionID != nil {
		err = TeachesDivision(ctx, q, s.caller(who), f.ClassID, *f.DivisionID)
	} else {
		err = TeachesClass(ctx, q, s.caller(who), f.ClassID)
	}
	if err != nil {
		return page.Of[people.Summary]{}, err
	}
	out, err := listPupils(ctx, q, s.caller(who), in)
	for i := range out.Items {
		s.showPhoto(who, &out.Items[i])
	}
	return out, err
}

func (s *Service) showPhoto(who actor.Actor, st *people.Summary) {
	if s.Photos != nil {
		s.Photos(who, st)
	}
}

type idIn struct {
	ID id.ID `path:"id"`
}

func (s *Service) pupil(ctx context.Context, who actor.Actor, in idIn) (people.Record, error) {
	q := s.DB.School(who.School)
	st, err := people.GetRecord(ctx, q, in.ID)
	if err != nil {
		return people.Record{}, err
	}
	s.showPhoto(who, &st.Summary)
	if err := TeachesStudent(ctx, q, s.caller(who), st.Summary); err != nil {
		return people.Record{}, err
	}
	if st.MedicalNotes != "" { // for the class teacher alone
		is, err := isClassTeacher(ctx, q, who.User, st.Summary)
		if err != nil || !is {
			st.MedicalNotes = ""
		}
		return st, err
	}
	return st, nil
}

// taughtSubject is a subject with the classes where the caller teaches it.
type taughtSubject struct {
	ID      id.ID         `json:"id"`
	Name    string        `json:"name"`
	Code    opt.Text      `json:"code"`
	Type    string        `json:"type" enum:"CORE,ELECTIVE"`
	Classes []taughtPlace `json:"classes" db:"-"`
}

type taughtPlace struct {
	SubjectID    id.ID    `json:"-"`
	DisplayOrder int      `json:"-"`
	ClassID      id.ID    `json:"classId"`
	ClassName    string   `json:"className"`
	DivisionID   *id.ID   `json:"divisionId" doc:"Null for every division of the class."`
	DivisionName opt.Text `json:"divisionName"`
}

func (s *Service) taughtSubjects(ctx context.Context, who actor.Actor, in page.Ask[ofClass]) (page.Of[taughtSubject], error) {
	q := s.DB.School(who.School)
	if class := in.Filters.ClassID; class != nil {
		if err := TeachesClass(ctx, q, s.caller(who), *class); err != nil {
			return page.Of[taughtSubject]{}, err
		}
	}
	return listTaughtSubjects(ctx, q, s.caller(who), in)
}
