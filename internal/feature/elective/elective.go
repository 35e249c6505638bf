// Package elective manages subjects of a class that only some of its students take.
// Exams, timetables and attendance ask it who takes what; see Takes.
package elective

import (
	"context"

	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

var (
	errNoElective = fault.Missing("elective")
	errNoSubject  = fault.New(fault.NotFound, "", "This class doesn't have this subject. Add the subject to the class first.")
)

// Service holds the rules about electives.
type Service struct {
	DB    *db.DB
	Audit *audit.Service
	Now   clock.Now
}

// Elective is a subject that some students of a class take.
type Elective struct {
	ClassID     id.ID  `json:"classId"`
	ClassName   string `json:"className"`
	SubjectID   id.ID  `json:"subjectId"`
	SubjectName string `json:"subjectName"`
	Students    int    `json:"students" doc:"Number of students who take it."`
}

// Whole is an elective with its students.
type Whole struct {
	Elective
	Taken []Student `json:"takenBy" doc:"By name."`
}

// Student is a student who takes an elective.
type Student struct {
	StudentID    id.ID    `json:"studentId"`
	Name         string   `json:"name"`
	RollNo       *int     `json:"rollNo"`
	DivisionName opt.Text `json:"divisionName"`
}

// Routes returns the routes of this feature.
func (s *Service) Routes() []web.Route {
	return []web.Route{
		web.Handle("GET /school-admin/elective/list", s.list, web.Read("subject"), web.List("className", "subjectName"),
			web.Doc("List the electives of the current academic year.")),
		web.Handle("GET /school-admin/elective/{classId}/{subjectId}", s.get, web.Read("subject"),
			web.Doc("Get an elective with its students.")),
		web.Handle("PUT /school-admin/elective/{classId}/{subjectId}", s.Put, web.Write("subject"),
			web.Doc("Make a subject of a class an elective, and set who takes it. Others have no lessons and no marks in it.")),
		web.Handle("DELETE /school-admin/elective/{classId}/{subjectId}", s.delete, web.Delete("subject"),
			web.Doc("Make the subject one that the whole class takes again.")),
	}
}

type filters struct {
	ClassID        *id.ID `json:"classId,omitempty"`
	SubjectID      *id.ID `json:"subjectId,omitempty"`
	StudentID      *id.ID `json:"studentId,omitempty" doc:"Electives that this student takes."`
	AcademicYearID *id.ID `json:"academicYearId,omitempty" doc:"Default: the current one."`
}

func (s *Service) list(ctx context.Context, who actor.Actor, in page.Ask[filters]) (page.Of[Elective], error) {
	q, f := s.DB.School(who.School), in.Filters
	out, err := pageElectives(ctx, q, f, in.Request)
	if err != nil || out.Total > 0 {
		return out, err
	}
	if f.StudentID != nil { // check the ids of filters only if the list is empty
		if _, err := people.GetRecord(ctx, q, *f.StudentID); err != nil {
			return out, err
		}
	}
	return out, people.MustExist(ctx, q,
		people.Ref{Table: "classes", ID: f.ClassID, Missing: fault.Missing("class")},
		people.Ref{Table: "subjects", ID: f.SubjectID, Missing: fault.Missing("subject")},
		people.Ref{Table: "academic_years", ID: f.AcademicYearID, Missing: fault.Missing("academic year")})
}

type place struct {
	ClassID   id.ID `path:"classId"`
	SubjectID id.ID `path:"subjectId"`
}

func (s *Service) get(ctx context.Context, who actor.Actor, in place) (Whole, error) {
	return getWhole(ctx, s.DB.School(who.School), in)
}

// Choice says who takes a subject of a class.
type Choice struct {
	ClassID    id.ID   `path:"classId"`
	SubjectID  id.ID   `path:"subjectId"`
	StudentIDs []id.ID `json:"studentIds" required:"true" maxItems:"2000" doc:"Everyone who takes it. Students left out no longer do; their marks are kept."`
}

func (in Choice) place() place { return place{in.ClassID, in.SubjectID} }

// Put makes a subject of a class an elective and replaces who takes it.
func (s *Service) Put(ctx context.Context, who actor.Actor, in Choice) (out Whole, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := lock(ctx, tx); err != nil {
			return err
		}
		if err := mustBeTaught(ctx, tx, in.place()); err != nil {
			return err
		}
		if err := mustBeInClass(ctx, tx, in); err != nil {
			return err
		}
		before, err := takers(ctx, tx, in.place())
		if err != nil {
			return err
		}
		if err := s.write(ctx, tx, in); err != nil {
			return err
		}
		if out, err = getWhole(ctx, tx, in.place()); err != nil {
			return err
		}
		return s.Audit.Record(ctx, tx, who, "elective.update", "class", in.ClassID,
			trace{in.SubjectID, before}, trace{in.SubjectID, in.StudentIDs})
	})
	return out, err
}

// trace is an elective in the audit log, without names.
type trace struct {
	SubjectID  id.ID   `json:"subjectId"`
	StudentIDs []id.ID `json:"studentIds"`
}

func (s *Service) delete(ctx context.Context, who actor.Actor, in place) (web.None, error) {
	return web.None{}, s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := lock(ctx, tx); err != nil {
			return err
		}
		before, err := takers(ctx, tx, in)
		if err != nil {
			return err
		}
		if err := remove(ctx, tx, in); err != nil {
			return err
		}
		return s.Audit.Record(ctx, tx, who, "elective.delete", "class", in.ClassID, trace{in.SubjectID, before}, nil)
	})
}

// Section is the electives of a student's profile and data export.
func (s *Service) Section() people.Section {
	return people.Section{Name: "electives", Module: "subject", Read: func(ctx context.Context, q db.Q, student id.ID) (any, error) {
		return db.All[Elective](ctx, q, `SELECT `+columns+` FROM `+from+`
			AND EXISTS (SELECT 1 FROM elective_students x WHERE x.school_id = e.school_id AND x.class_id = e.class_id
				AND x.subject_id = e.subject_id AND x.student_id = :student)
			ORDER BY c.name, u.name, e.subject_id`, db.Args{"student": student})
	}}
}
