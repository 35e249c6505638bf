// Package academics manages classes, divisions, subjects and teacher assignments.
//
// A class belongs to one academic year. An assignment gives a teacher a class or one
// division, for one subject or for all. One assignment of a division may be the
// class teacher's. Every feature checks teachers' rights with assignments.go, which
// treats the substitute of a lesson as assigned on that day.
package academics

import (
	"context"
	"fmt"
	"time"

	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// Errors that other features return too.
var (
	ErrNoClass    = fault.Missing("class")
	ErrNoDivision = fault.Missing("division")
	ErrNoSubject  = fault.Missing("subject")
)

var (
	errClassName    = fault.Duplicate("Another class of this academic year has this name. Choose another one.")
	errDivisionName = fault.Duplicate("Another division of this class has this name. Choose another one.")
	errSubjectCode  = fault.Duplicate("Another subject has this code. Choose another one.")
	errClassTeacher = fault.Duplicate("There is already a class teacher. Remove that assignment first.")
	errNoPart       = fault.Missing("employee, division or subject")
)

// Service holds the rules about classes.
type Service struct {
	DB    *db.DB
	Audit *audit.Service
	Now   clock.Now
	NewID id.Source
	Uses  []Use // of other features

	CopyTimetable, CopyFees, CopyElectives Copier // of other features; may be nil

	// Photos sets the photo URLs of students; may be nil.
	Photos func(who actor.Actor, all ...*people.Summary)
}

// record audits a write in its transaction.
func (s *Service) record(ctx context.Context, tx *db.Tx, who actor.Actor, action, entity string, at id.ID, before, after any) error {
	return s.Audit.Record(ctx, tx, who, action, entity, at, before, after)
}

// Class is a class of one academic year, with divisions.
type Class struct {
	ID             id.ID     `json:"id"`
	Name           string    `json:"name" example:"Grade 5"`
	DisplayOrder   int       `json:"displayOrder"`
	AcademicYearID id.ID     `json:"academicYearId"`
	Students       int       `json:"students" doc:"ACTIVE students of the class; 0 without the permission for classes."`
	Version        int       `json:"version"`
	CreatedAt      time.Time `json:"createdAt"`
	UpdatedAt      time.Time `json:"updatedAt"`
}

// Division is a section of a class.
type Division struct {
	ID             id.ID     `json:"id"`
	ClassID        id.ID     `json:"classId"`
	ClassName      string    `json:"className"`
	Name           string    `json:"name" example:"A"`
	Capacity       *int      `json:"capacity"`
	Students       int       `json:"students" doc:"ACTIVE students of the division; 0 without the permission for divisions."`
	ClassTeacherID *id.ID    `json:"classTeacherId" doc:"Employee id of the class teacher."`
	ClassTeacher   *string   `json:"classTeacherName"`
	Room           opt.Text  `json:"room"`
	Version        int       `json:"version"`
	CreatedAt      time.Time `json:"createdAt"`
	UpdatedAt      time.Time `json:"updatedAt"`
}

// Subject is a school subject.
type Subject struct {
	ID        id.ID     `json:"id"`
	Name      string    `json:"name" example:"Mathematics"`
	Code      opt.Text  `json:"code" example:"MATH"`
	Type      string    `json:"type" enum:"CORE,ELECTIVE"`
	ClassIDs  []id.ID   `json:"classIds" db:"-"`
	Version   int       `json:"version"`
	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// AddClasses creates classes and sets their ids, versions and times.
func (s *Service) AddClasses(ctx context.Context, tx *db.Tx, in []Class) ([]Class, error) {
	type row struct {
		Class
		Search string
	}
	rows := make([]row, len(in))
	for i := range in {
		in[i].ID, in[i].Version, in[i].CreatedAt, in[i].UpdatedAt = s.fresh()
		rows[i] = row{in[i], people.SearchText(in[i].Name)}
	}
	_, err := db.Insert(ctx, tx, `
		INSERT INTO classes (school_id, id, academic_year_id, name, display_order, search, version, created_at, updated_at)
		VALUES (:school, :id, :academic_year_id, :name, :display_order, :search, :version, :created_at, :updated_at)`, rows)
	return in, writeFault("add classes", err, school.ErrNoYear)
}

// AddDivisions creates divisions and sets their ids, versions and times.
func (s *Service) AddDivisions(ctx context.Context, tx *db.Tx, in []Division) ([]Division, error) {
	for i := range in {
		in[i].ID, in[i].Version, in[i].CreatedAt, in[i].UpdatedAt = s.fresh()
	}
	_, err := db.Insert(ctx, tx, `
		INSERT INTO divisions (school_id, id, class_id, name, capacity, room, version, created_at, updated_at)
		VALUES (:school, :id, :class_id, :name, :capacity, :room, :version, :created_at, :updated_at)`, in)
	return in, writeFault("add divisions", err, ErrNoClass)
}

// AddSubjects creates subjects with their classes and sets ids, versions and times.
func (s *Service) AddSubjects(ctx context.Context, tx *db.Tx, in []Subject) ([]Subject, error) {
	var ties []tie
	for i := range in {
		in[i].ID, in[i].Version, in[i].CreatedAt, in[i].UpdatedAt = s.fresh()
		for _, class := range in[i].ClassIDs {
			ties = append(ties, tie{class, in[i].ID})
		}
	}
	_, err := db.Insert(ctx, tx, `
		INSERT INTO subjects (school_id, id, name, code, type, version, created_at, updated_at)
		VALUES (:school, :id, :name, :code, :type, :version, :created_at, :updated_at)`, in)
	if err != nil {
		return in, writeFault("add subjects", err, ErrNoClass)
	}
	_, err = db.Insert(ctx, tx, insertTie, ties)
	return in, writeFault("add subjects to classes", err, ErrNoClass)
}

// tie is a row of class_subjects: a subject taught in a class.
type tie struct{ ClassID, SubjectID id.ID }

const insertTie = `
	INSERT INTO class_subjects (school_id, class_id, subject_id) VALUES (:school, :class_id, :subject_id)
	ON CONFLICT (school_id, class_id, subject_id) DO NOTHING`

func (s *Service) fresh() (at id.ID, version int, created, updated time.Time) {
	now := s.Now()
	return s.NewID(), 1, now, now
}

// writeFault maps a constraint violation to an error for the client. A foreign key
// violation is missing.
func writeFault(doing string, err error, missing *fault.Fault) error {
	switch {
	case err == nil:
		return nil
	case db.IsReference(err):
		return missing.Because(err)
	case db.IsDuplicate(err, "classes_name"):
		return errClassName.Because(err)
	case db.IsDuplicate(err, "divisions_name"):
		return errDivisionName.Because(err)
	case db.IsDuplicate(err, "subjects_code"):
		return errSubjectCode.Because(err)
	case db.IsDuplicate(err, "teacher_assignments_class_teacher"), db.IsDuplicate(err, "teacher_assignments_whole_class_teacher"):
		return errClassTeacher.Because(err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}
