package academics

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

type copyIn struct {
	FromAcademicYearID *id.ID `json:"fromAcademicYearId" doc:"Default: the current academic year."`
	ToAcademicYearID   id.ID  `json:"toAcademicYearId" required:"true"`
}

type copyOut struct {
	Classes   int `json:"classes" doc:"Number of classes created. Existing classes with the same name are not counted."`
	Divisions int `json:"divisions"`
	Subjects  int `json:"subjects" doc:"Number of subjects added to classes."`
}

func (s *Service) copyClasses(ctx context.Context, who actor.Actor, in copyIn) (out copyOut, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		from, err := yearOrCurrent(ctx, tx, in.FromAcademicYearID)
		if err != nil {
			return err
		}
		to, err := school.GetYear(ctx, tx, in.ToAcademicYearID)
		switch {
		case err != nil:
			return err
		case from.ID == to.ID:
			return fault.OnField("toAcademicYearId", "must be another academic year than the one to copy from")
		}
		if err := tx.Lock(ctx, "copy-classes"); err != nil {
			return fmt.Errorf("lock classes: %w", err)
		}
		if out, err = s.copyYear(ctx, tx, from.ID, to.ID); err != nil || out == (copyOut{}) {
			return err
		}
		return s.record(ctx, tx, who, "class.copy", "academic-year", to.ID, nil, out)
	})
	return out, err
}

// copyYear creates the classes, divisions and subjects of one year that the other
// lacks, by name.
func (s *Service) copyYear(ctx context.Context, tx *db.Tx, from, to id.ID) (out copyOut, err error) {
	old, err := classesOf(ctx, tx, from)
	if err != nil {
		return out, err
	}
	there, err := classesOf(ctx, tx, to)
	if err != nil {
		return out, err
	}
	twins, fresh := map[string]id.ID{}, []Class{}
	for _, c := range there {
		twins[c.Name] = c.ID
	}
	for _, c := range old {
		if twins[c.Name] == "" {
			fresh = append(fresh, Class{Name: c.Name, DisplayOrder: c.DisplayOrder, AcademicYearID: to})
		}
	}
	if fresh, err = s.AddClasses(ctx, tx, fresh); err != nil {
		return out, err
	}
	for _, c := range fresh {
		twins[c.Name] = c.ID
	}
	out.Classes = len(fresh)
	moved := map[id.ID]id.ID{}
	for _, c := range old {
		moved[c.ID] = twins[c.Name]
	}
	if out.Divisions, err = s.copyDivisions(ctx, tx, moved); err != nil {
		return out, err
	}
	out.Subjects, err = copySubjects(ctx, tx, moved)
	return out, err
}

// copyDivisions copies missing divisions. moved maps old classes to new ones.
func (s *Service) copyDivisions(ctx context.Context, tx *db.Tx, moved map[id.ID]id.ID) (int, error) {
	there, err := divisionsOf(ctx, tx, slices.Collect(maps.Values(moved)))
	if err != nil {
		return 0, err
	}
	divisions, err := divisionsOf(ctx, tx, slices.Collect(maps.Keys(moved)))
	if err != nil {
		return 0, err
	}
	var fresh []Division
	for _, d := range divisions {
		twin := Division{ClassID: moved[d.ClassID], Name: d.Name, Capacity: d.Capacity, Room: d.Room}
		if !slices.ContainsFunc(there, func(t Division) bool { return t.ClassID == twin.ClassID && t.Name == twin.Name }) {
			fresh = append(fresh, twin)
		}
	}
	_, err = s.AddDivisions(ctx, tx, fresh)
	return len(fresh), err
}

// divisionsOf lists the divisions of classes, without class teachers.
func divisionsOf(ctx context.Context, q db.Q, classes []id.ID) ([]Division, error) {
	if len(classes) == 0 {
		return []Division{}, nil
	}
	list, err := db.All[Division](ctx, q, `
		SELECT id, class_id, name, capacity, room FROM divisions
		WHERE school_id = :school AND class_id IN (:classes) ORDER BY id`, db.Args{"classes": classes})
	if err != nil {
		return nil, fmt.Errorf("read divisions of classes: %w", err)
	}
	return list, nil
}

func copySubjects(ctx context.Context, tx *db.Tx, moved map[id.ID]id.ID) (int, error) {
	if len(moved) == 0 {
		return 0, nil
	}
	ties, err := db.All[tie](ctx, tx, `SELECT class_id, subject_id FROM class_subjects WHERE school_id = :school AND class_id IN (:classes)`,
		db.Args{"classes": slices.Collect(maps.Keys(moved))})
	if err != nil {
		return 0, fmt.Errorf("read subjects of classes: %w", err)
	}
	for i := range ties {
		ties[i].ClassID = moved[ties[i].ClassID]
	}
	n, err := db.Insert(ctx, tx, insertTie, ties)
	return int(n), writeFault("copy subjects", err, ErrNoClass)
}
