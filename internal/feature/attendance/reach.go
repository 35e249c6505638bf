package attendance

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"homeroom/internal/feature/academics"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// reach is what a caller sees, or marks, of a class.
type reach struct {
	class     id.ID
	divisions []id.ID // nil for the whole class
}

func (r reach) has(division id.ID) bool {
	return r.divisions == nil || slices.Contains(r.divisions, division)
}

// where narrows a statement to the reach; alias names the table. A lone division
// is not a list to SQLite, which then reads no other from the index.
func (r reach) where(alias string) string {
	return ` AND ` + alias + `.class_id = :class` +
		db.When(len(r.divisions) == 1, ` AND `+alias+`.division_id = :division`) +
		db.When(len(r.divisions) > 1, ` AND `+alias+`.division_id IN (:divisions)`)
}

// args adds the arguments of where.
func (r reach) args(a db.Args) db.Args {
	a["class"] = r.class
	switch {
	case len(r.divisions) == 1:
		a["division"] = r.divisions[0]
	case len(r.divisions) > 1:
		a["divisions"] = r.divisions
	}
	return a
}

// reachOf is what the caller asks for, of what the caller may: a teacher has the
// divisions of the assignments, staff of the office has all.
func reachOf(ctx context.Context, q db.Q, who actor.Actor, class id.ID, division *id.ID) (reach, error) {
	if who.Role == actor.Teacher {
		return taughtReach(ctx, q, who.User, class, division)
	}
	type parts struct{ Class, Division bool }
	has, err := db.One[parts](ctx, q, `
		SELECT EXISTS (SELECT 1 FROM classes WHERE school_id = :school AND id = :class) AS class,
			EXISTS (SELECT 1 FROM divisions WHERE school_id = :school AND class_id = :class AND id = :division) AS division`,
		db.Args{"class": class, "division": division})
	switch {
	case err != nil:
		return reach{}, fmt.Errorf("look up class and division: %w", err)
	case !has.Class:
		return reach{}, academics.ErrNoClass
	case division != nil && !has.Division:
		return reach{}, academics.ErrNoDivision
	}
	return wanted(class, division), nil
}

func wanted(class id.ID, division *id.ID) reach {
	if division == nil {
		return reach{class: class}
	}
	return reach{class: class, divisions: []id.ID{*division}}
}

// taughtReach is a teacher's. Without a division it is the whole class for who
// has all of it, and else the divisions of it that the teacher has this year.
func taughtReach(ctx context.Context, q db.Q, teacher, class id.ID, division *id.ID) (reach, error) {
	err := academics.TeachesDivision(ctx, q, teacher, class, opt.Value(division))
	if err == nil || division != nil || !errors.Is(err, academics.ErrNotAssigned) {
		return wanted(class, division), err
	}
	taught, listErr := academics.AssignedDivisions(ctx, q, teacher)
	if listErr != nil {
		return reach{}, listErr
	}
	out := reach{class: class}
	for _, t := range taught {
		if t.ClassID == class && t.DivisionID != "" {
			out.divisions = append(out.divisions, t.DivisionID)
		}
	}
	if out.divisions == nil {
		return out, err
	}
	return out, nil
}
