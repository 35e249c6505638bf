package people

import (
	"context"
	"slices"

	"homeroom/internal/feature/file"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

// Routes are the routes of this feature.
func (s *Service) Routes() []web.Route {
	return slices.Concat(s.studentRoutes(), s.officeRoutes(), s.guardianRoutes(), s.employeeRoutes(), s.dutyRoutes(), s.csvRoutes())
}

func (s *Service) studentRoutes() []web.Route {
	return []web.Route{
		web.Handle("GET /school-admin/student/list", file.Showing(s.students, s.showList), web.Read("student"),
			web.List("firstName", "lastName", "admissionNo", "rollNo", "createdAt"), web.Doc("Students of this school.")),
		web.Handle("GET /school-admin/student/{id}", file.Showing(s.student, s.showRecord), web.Read("student"),
			web.Doc("One student, with its guardians.")),
		web.Handle("POST /parent/student/list", file.Showing(s.children, s.showChildren), web.Read("student"),
			web.Doc("The children of the caller.")),
		web.Handle("POST /parent/student/get-students", file.Showing(s.children, s.showChildren), web.Read("student"),
			web.Doc("The children of the caller.")),
		web.Handle("GET /parent/student/{id}", file.Showing(s.child, s.showStudent), web.Read("student"), web.Doc("One child of the caller.")),
	}
}

type studentFilters struct {
	ClassID        *id.ID `json:"classId,omitempty"`
	DivisionID     *id.ID `json:"divisionId,omitempty"`
	Status         string `json:"status,omitempty" enum:"ACTIVE,TRANSFERRED,GRADUATED,LEFT"`
	AcademicYearID *id.ID `json:"academicYearId,omitempty" doc:"Students enrolled in that year, filtered by their class and division of that year."`
	Search         string `json:"search,omitempty" doc:"Words in any order, each any part of the name, admission number or phone, or of a guardian's name, phone or e-mail."`
}

func (s *Service) students(ctx context.Context, who actor.Actor, in page.Ask[studentFilters]) (page.Of[Listed], error) {
	out, err := s.listStudents(ctx, who.School, in)
	if err != nil || out.Total > 0 { // results mean that every filter exists
		return out, err
	}
	return out, MustExist(ctx, s.DB.School(who.School),
		Ref{"classes", in.Filters.ClassID, errNoClass},
		Ref{"divisions", in.Filters.DivisionID, errNoDivision},
		Ref{"academic_years", in.Filters.AcademicYearID, errNoYear})
}

type idIn struct {
	ID id.ID `path:"id"`
}

func (s *Service) student(ctx context.Context, who actor.Actor, in idIn) (Record, error) {
	return GetRecord(ctx, s.DB.School(who.School), in.ID)
}

type childrenIn struct {
	AcademicYearID *id.ID `json:"academicYearId" doc:"Children enrolled in that year, with their class of that year. Default: all, with their current class."`
}

type childrenOut struct {
	Students []Child `json:"students"`
	Total    int     `json:"total"`
}

func (s *Service) children(ctx context.Context, who actor.Actor, in childrenIn) (childrenOut, error) {
	q := s.DB.School(who.School)
	children, err := listChildren(ctx, q, who.User, in.AcademicYearID)
	if err != nil {
		return childrenOut{}, err
	}
	out := childrenOut{Students: children, Total: len(children)}
	if out.Total > 0 {
		return out, nil
	}
	return out, MustExist(ctx, q, Ref{"academic_years", in.AcademicYearID, errNoYear})
}

func (s *Service) child(ctx context.Context, who actor.Actor, in idIn) (Student, error) {
	q := s.DB.School(who.School)
	if err := MustBeLinked(ctx, q, who.User, in.ID); err != nil {
		return Student{}, err
	}
	return getStudent(ctx, q, in.ID)
}
