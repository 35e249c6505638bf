package academics

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/web"
)

func (s *Service) subjectRoutes() []web.Route {
	return []web.Route{
		web.Handle("POST /school-admin/subject/create", s.createSubject, web.Write("subject"), web.Created(), web.Doc("Create a subject.")),
		web.Handle("GET /school-admin/subject/list", s.subjects, web.Read("subject"),
			web.List("name", "code", "createdAt"), web.Doc("List subjects with their classes.")),
		web.Handle("GET /school-admin/subject/{id}", s.subject, web.Read("subject"), web.Doc("Get a subject.")),
		web.Handle("PUT /school-admin/subject/{id}", s.updateSubject, web.Write("subject"), web.Doc("Change a subject or its classes.")),
		web.Handle("DELETE /school-admin/subject/{id}", s.deleteSubject, web.Delete("subject"), web.Doc("Delete an unused subject.")),
	}
}

type createSubjectIn struct {
	Name     string  `json:"name" required:"true" maxLength:"100" example:"Mathematics"`
	Code     string  `json:"code" maxLength:"30" example:"MATH"`
	Type     string  `json:"type" enum:"CORE,ELECTIVE" default:"CORE"`
	ClassIDs []id.ID `json:"classIds" maxItems:"1000" doc:"The classes that have this subject."`
}

func (s *Service) createSubject(ctx context.Context, who actor.Actor, in createSubjectIn) (out Subject, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		classes, err := knownClasses(ctx, tx, in.ClassIDs)
		if err != nil {
			return err
		}
		made, err := s.AddSubjects(ctx, tx, []Subject{{Name: strings.TrimSpace(in.Name), Code: opt.Text(strings.TrimSpace(in.Code)),
			Type: in.Type, ClassIDs: classes}})
		if err != nil {
			return err
		}
		out = made[0]
		return s.record(ctx, tx, who, "subject.create", "subject", out.ID, nil, out)
	})
	return out, err
}

// knownClasses returns the classes sorted and without duplicates, or ErrNoClass.
func knownClasses(ctx context.Context, q db.Q, classes []id.ID) ([]id.ID, error) {
	classes = append([]id.ID{}, classes...) // [] rather than null
	slices.Sort(classes)
	classes = slices.Compact(classes)
	_, err := people.ClassYears(ctx, q, classes)
	return classes, err
}

func (s *Service) subject(ctx context.Context, who actor.Actor, in idIn) (Subject, error) {
	return getSubject(ctx, s.DB.School(who.School), in.ID)
}

type updateSubjectIn struct {
	ID       id.ID    `path:"id"`
	Name     *string  `json:"name" maxLength:"100" pattern:"\\S" patternHint:"must not be blank"`
	Code     *string  `json:"code" maxLength:"30"`
	Type     *string  `json:"type" enum:"CORE,ELECTIVE"`
	ClassIDs *[]id.ID `json:"classIds" maxItems:"1000" doc:"All classes that have this subject, of every academic year. Classes left out lose it."`
	Version  *int     `json:"version" doc:"The version you read; 409 if it has changed since."`
}

func (s *Service) updateSubject(ctx context.Context, who actor.Actor, in updateSubjectIn) (after Subject, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		before, err := getSubject(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := fault.SameVersion(in.Version, before.Version); err != nil {
			return err
		}
		after = in.apply(before)
		if in.ClassIDs != nil {
			if after.ClassIDs, err = knownClasses(ctx, tx, *in.ClassIDs); err != nil {
				return err
			}
			if err := s.putClasses(ctx, tx, before, after); err != nil {
				return err
			}
		}
		if after, err = s.saveSubject(ctx, tx, after); err != nil {
			return err
		}
		return s.record(ctx, tx, who, "subject.update", "subject", in.ID, before, after)
	})
	return after, err
}

func (in updateSubjectIn) apply(sub Subject) Subject {
	if in.Name != nil {
		sub.Name = strings.TrimSpace(*in.Name)
	}
	if in.Code != nil {
		sub.Code = opt.Text(strings.TrimSpace(*in.Code))
	}
	if in.Type != nil {
		sub.Type = *in.Type
	}
	return sub
}

// putClasses replaces the classes of a subject.
func (s *Service) putClasses(ctx context.Context, tx *db.Tx, before, after Subject) error {
	var gone []id.ID
	for _, c := range before.ClassIDs {
		if !slices.Contains(after.ClassIDs, c) {
			gone = append(gone, c)
		}
	}
	if len(gone) > 0 {
		if err := untie(ctx, tx, after, gone); err != nil {
			return err
		}
	}
	ties := make([]tie, len(after.ClassIDs))
	for i, c := range after.ClassIDs {
		ties[i] = tie{c, after.ID}
	}
	_, err := db.Insert(ctx, tx, insertTie, ties)
	return writeFault("add subject to classes", err, ErrNoClass)
}

// untie removes the subject from classes, unless a teacher is assigned to it there.
func untie(ctx context.Context, tx *db.Tx, sub Subject, classes []id.ID) error {
	// Deleted first, because checkParts locks the subjects that it assigns.
	_, err := db.Exec(ctx, tx, `DELETE FROM class_subjects WHERE school_id = :school AND subject_id = :subject AND class_id IN (:classes)`,
		db.Args{"subject": sub.ID, "classes": classes})
	if err != nil {
		return writeFault("remove subject from classes", err, errInUse)
	}
	n, err := db.One[int](ctx, tx, `
		SELECT COUNT(DISTINCT employee_id) FROM teacher_assignments
		WHERE school_id = :school AND subject_id = :subject AND class_id IN (:classes)`, db.Args{"subject": sub.ID, "classes": classes})
	switch {
	case err != nil:
		return fmt.Errorf("count teachers of subject: %w", err)
	case n > 0:
		return errInUse.Saying("%s is taught by %s in a class that you left out. Remove those assignments first.", sub.Name,
			people.Plural(n, "teacher", "teachers"))
	}
	return nil
}

func (s *Service) saveSubject(ctx context.Context, tx *db.Tx, sub Subject) (Subject, error) {
	sub.UpdatedAt = s.Now()
	err := db.Update(ctx, tx, `
		UPDATE subjects SET name = :name, code = :code, type = :type, version = version + 1, updated_at = :now
		WHERE school_id = :school AND id = :id AND version = :version`,
		db.Args{"id": sub.ID, "name": sub.Name, "code": sub.Code, "type": sub.Type, "now": sub.UpdatedAt, "version": sub.Version})
	sub.Version++
	return sub, writeFault("update subject", err, ErrNoSubject)
}

func (s *Service) deleteSubject(ctx context.Context, who actor.Actor, in idIn) (web.None, error) {
	return web.None{}, s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		sub, err := getSubject(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		return s.remove(ctx, tx, who, removal{"subject", "subjects", sub.ID, sub.Name, sub})
	})
}

func getSubject(ctx context.Context, q db.Q, subject id.ID) (Subject, error) {
	sub, err := db.One[Subject](ctx, q, `SELECT `+subjectColumns+` FROM subjects WHERE school_id = :school AND id = :id`,
		db.Args{"id": subject})
	if err != nil {
		return sub, db.Found("read subject", err, ErrNoSubject)
	}
	one := []Subject{sub}
	err = addClasses(ctx, q, one)
	return one[0], err
}
