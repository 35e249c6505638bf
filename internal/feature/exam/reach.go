package exam

import (
	"context"
	"fmt"
	"slices"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// reach is the divisions of a class that a user may mark in a subject.
type reach struct {
	all       bool
	divisions []id.ID
}

func (r reach) has(division *id.ID) bool {
	return r.all || division != nil && slices.Contains(r.divisions, *division)
}

// markerOf returns what the caller may mark: an administrator everything, a teacher
// the assigned divisions. Being class teacher is not enough, unless the school's setting
// classTeacherMarks says so. Without an assignment it is ErrNotSubject.
func markerOf(ctx context.Context, q db.Q, who actor.Actor, class, subject id.ID) (reach, error) {
	if who.Role != actor.Teacher {
		return reach{all: true}, nil
	}
	if err := academics.TeachesClass(ctx, q, academics.Caller{User: who.User}, class); err != nil {
		return reach{}, err
	}
	sch, err := school.Get(ctx, q)
	if err != nil {
		return reach{}, err
	}
	divisions, err := db.All[*id.ID](ctx, q, `
		SELECT a.division_id FROM `+ofTeacher+`
		WHERE a.school_id = :school AND a.class_id = :class
			AND (a.subject_id = :subject OR a.subject_id IS NULL`+db.When(!sch.ClassTeacherMarks, ` AND NOT a.is_class_teacher`)+`)`,
		db.Args{"user": who.User, "class": class, "subject": subject})
	if err != nil {
		return reach{}, fmt.Errorf("read assignments: %w", err)
	}
	if len(divisions) == 0 {
		return reach{}, academics.ErrNotSubject
	}
	var r reach
	for _, d := range divisions {
		if d == nil {
			return reach{all: true}, nil
		}
		r.divisions = append(r.divisions, *d)
	}
	return r, nil
}
