package exam

import (
	"context"
	"fmt"
	"strings"

	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

type examChange struct {
	ID           id.ID               `path:"id"`
	Name         *string             `json:"name" maxLength:"100" pattern:"\\S" patternHint:"must not be blank"`
	Type         *string             `json:"type" enum:"UNIT_TEST,TERM,FINAL,OTHER"`
	ClassIDs     *[]id.ID            `json:"classIds" maxItems:"200" doc:"The classes that sit the exam. A class with scheduled papers can't be removed."`
	StartDate    web.Opt[clock.Date] `json:"startDate" doc:"Null: the date of the first paper."`
	EndDate      web.Opt[clock.Date] `json:"endDate" doc:"Null: the date of the last paper."`
	GradeScaleID web.Opt[id.ID]      `json:"gradeScaleId" doc:"Null: the school's default."`
	Version      *int                `json:"version" doc:"The version you read; 409 if it has changed since."`
}

func (s *Service) updateExam(ctx context.Context, who actor.Actor, in examChange) (after Exam, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		before, err := s.lockExam(ctx, tx, who, in.ID, toUpdate)
		if err != nil {
			return err
		}
		if err := fault.SameVersion(in.Version, before.Version); err != nil {
			return err
		}
		if err := in.fits(ctx, tx, before); err != nil {
			return err
		}
		if err := s.putExam(ctx, tx, in.apply(before)); err != nil {
			return err
		}
		if in.ClassIDs != nil {
			if err := replaceClasses(ctx, tx, before, *in.ClassIDs); err != nil {
				return err
			}
		}
		if after, err = getExam(ctx, tx, in.ID, s.today(who)); err != nil {
			return err
		}
		return s.record(ctx, tx, who, "exam.update", in.ID, before, after)
	})
	return after, err
}

// lock serializes changes to an exam and its results.
func lock(ctx context.Context, tx *db.Tx, exam id.ID) error {
	if err := tx.Lock(ctx, "exam/"+exam.String()); err != nil {
		return fmt.Errorf("lock exam: %w", err)
	}
	return nil
}

// lockExam locks and reads an exam, and checks that its status allows the action.
func (s *Service) lockExam(ctx context.Context, tx *db.Tx, who actor.Actor, exam id.ID, a action) (Exam, error) {
	if err := lock(ctx, tx, exam); err != nil {
		return Exam{}, err
	}
	e, err := getExam(ctx, tx, exam, s.today(who))
	if err != nil {
		return e, err
	}
	return e, e.allows(a)
}

// fits validates a change against the academic year, the papers and the classes.
func (in examChange) fits(ctx context.Context, q db.Q, e Exam) error {
	year, err := school.GetYear(ctx, q, e.AcademicYearID)
	if err != nil {
		return err
	}
	changed := in.apply(e)
	if err := checkDates(changed.AnnouncedStart, changed.AnnouncedEnd); err != nil {
		return err
	}
	if err := within(year, changed.AnnouncedStart, changed.AnnouncedEnd); err != nil {
		return err
	}
	if err := around(changed); err != nil {
		return err
	}
	if in.ClassIDs != nil {
		years, err := people.ClassYears(ctx, q, *in.ClassIDs)
		if err != nil {
			return err
		}
		if err := ofYear(*in.ClassIDs, years, e.AcademicYearID); err != nil {
			return err
		}
	}
	return people.MustExist(ctx, q, people.Ref{Table: "grade_scales", ID: changed.GradeScaleID, Missing: errNoScale})
}

// around refuses dates that exclude a scheduled paper.
func around(e Exam) error {
	switch {
	case e.AnnouncedStart != nil && e.FirstDay != nil && *e.FirstDay < *e.AnnouncedStart:
		return fault.OnField("startDate", "must not be after the first paper, on %s", *e.FirstDay)
	case e.AnnouncedEnd != nil && e.LastDay != nil && *e.LastDay > *e.AnnouncedEnd:
		return fault.OnField("endDate", "must not be before the last paper, on %s", *e.LastDay)
	}
	return nil
}

func (in examChange) apply(e Exam) Exam {
	if in.Name != nil {
		e.Name = strings.TrimSpace(*in.Name)
	}
	if in.Type != nil {
		e.Type = *in.Type
	}
	e.AnnouncedStart, e.AnnouncedEnd = in.StartDate.Or(e.AnnouncedStart), in.EndDate.Or(e.AnnouncedEnd)
	e.GradeScaleID = in.GradeScaleID.Or(e.GradeScaleID)
	return e
}

func (s *Service) putExam(ctx context.Context, tx *db.Tx, e Exam) error {
	_, err := db.Exec(ctx, tx, `
		UPDATE exams SET name = :name, search = :search, type = :type, start_date = :start, end_date = :end, grade_scale_id = :scale,
			version = version + 1, updated_at = :now WHERE school_id = :school AND id = :id`,
		db.Args{"id": e.ID, "name": e.Name, "search": people.SearchText(e.Name), "type": e.Type,
			"start": e.AnnouncedStart, "end": e.AnnouncedEnd, "scale": e.GradeScaleID, "now": s.Now()})
	if err != nil {
		return fmt.Errorf("update exam: %w", err)
	}
	return nil
}

// replaceClasses replaces the classes of an exam.
func replaceClasses(ctx context.Context, tx *db.Tx, e Exam, classes []id.ID) error {
	_, err := db.Exec(ctx, tx, `DELETE FROM exam_classes WHERE school_id = :school AND exam_id = :exam AND class_id NOT IN (:classes)`,
		db.Args{"exam": e.ID, "classes": append([]id.ID{}, classes...)})
	switch {
	case db.IsReference(err):
		return errClash.Saying("A class that you remove has papers on the schedule. Remove them from the schedule first.").Because(err)
	case err != nil:
		return fmt.Errorf("remove classes of exam: %w", err)
	}
	return addClasses(ctx, tx, e.ID, e.AcademicYearID, classes)
}

func (s *Service) deleteExam(ctx context.Context, who actor.Actor, in idIn) (web.None, error) {
	return web.None{}, s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		before, err := s.lockExam(ctx, tx, who, in.ID, toDelete)
		if err != nil {
			return err
		}
		_, err = db.Exec(ctx, tx, `DELETE FROM exams WHERE school_id = :school AND id = :id`, db.Args{"id": in.ID})
		switch {
		case db.IsReference(err):
			return errResults.Saying("The exam has results and can't be deleted.").Because(err)
		case err != nil:
			return fmt.Errorf("delete exam: %w", err)
		}
		return s.record(ctx, tx, who, "exam.delete", in.ID, before, nil)
	})
}
