package attendance

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"homeroom/internal/feature/academics"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// reach is the part of a class that a caller may see or mark.
type reach struct {
	class     id.ID
	divisions []id.ID // nil for the whole class
}

func (r reach) has(division id.ID) bool {
	return r.divisions == nil || slices.Contains(r.divisions, division)
}

// where is the SQL condition of the reach; alias is the table. A single division is
// compared with =, so that SQLite reads only its part of the index.
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

// reachOf returns the requested reach if the caller may have it: teachers their
// assigned divisions, office staff everything. on is the day of the substitutions that
// count as assignments; see substitutions.
func reachOf(ctx context.Context, q db.Q, who actor.Actor, on clock.Date, class id.ID, division *id.ID) (reach, error) {
	if who.Role == actor.Teacher {
		return taughtReach(ctx, q, academics.Caller{User: who.User, Day: on}, class, division)
	}
	type parts struct{ Class, Division bool }
	has, err := db.One[parts](ctx, q, `
		SELECT EXISTS (SELECT 1 FROM classes WHERE school_id = :school AND id = :class) AS class,
			EXISTS (SELECT 1 FROM divisions WHERE school_id = :school AND class_id = :class AND id = :division) AS division`,
		db.Args{"class": class, "division": division})
	switch {
	case err != nil:
		return reach{}, fmt.Errorf("read class and division: %w", err)
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

// substitutions returns the day of the substitutions that count for attendance of a
// date range: today for today, "" for others, because a substitute has no other days.
func (s *Service) substitutions(zone string, from, to clock.Date) clock.Date {
	if today := s.today(zone); from == today && to == today {
		return today
	}
	return ""
}

// taughtReach is the reach of a teacher. Without a division it is the whole class if
// assigned, else the divisions assigned this year.
func taughtReach(ctx context.Context, q db.Q, teacher academics.Caller, class id.ID, division *id.ID) (reach, error) {
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
