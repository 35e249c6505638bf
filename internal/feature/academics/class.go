package academics

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

func (s *Service) classRoutes() []web.Route {
	return []web.Route{
		web.Handle("POST /school-admin/class/create", s.createClass, web.Write("class"), web.Created(),
			web.Doc("Create a class in an academic year.")),
		web.Handle("GET /school-admin/class/list", s.classes, web.ReadAny("class", "announcement", "event"),
			web.List("displayOrder", "name", "createdAt"), web.Doc("List classes. Without the permission for classes, their names.")),
		web.Handle("POST /school-admin/class/reorder", s.reorderClasses, web.Write("class"), web.Says("Saved."),
			web.Doc("Set the order of an academic year's classes. Students are promoted from one class to the next.")),
		web.Handle("POST /school-admin/class/copy", s.copyClasses, web.Write("class"), web.Says("Copied."),
			web.Doc("Copy classes with divisions and subjects to another academic year, and more on request. Existing records are kept.")),
		web.Handle("GET /school-admin/class/{id}", s.class, web.Read("class"), web.Doc("Get a class.")),
		web.Handle("PUT /school-admin/class/{id}", s.updateClass, web.Write("class"), web.Doc("Change a class.")),
		web.Handle("DELETE /school-admin/class/{id}", s.deleteClass, web.Delete("class"), web.Doc("Delete an unused class.")),
	}
}

type createClassIn struct {
	Name           string `json:"name" required:"true" maxLength:"100" example:"Grade 5"`
	DisplayOrder   *int   `json:"displayOrder" minimum:"0" maximum:"1000000" doc:"Default: after the last class of the year."`
	AcademicYearID *id.ID `json:"academicYearId" doc:"Default: the current academic year."`
}

func (s *Service) createClass(ctx context.Context, who actor.Actor, in createClassIn) (out Class, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		year, err := yearOrCurrent(ctx, tx, in.AcademicYearID)
		if err != nil {
			return err
		}
		c := Class{Name: strings.TrimSpace(in.Name), AcademicYearID: year.ID}
		if in.DisplayOrder != nil {
			c.DisplayOrder = *in.DisplayOrder
		} else if c.DisplayOrder, err = nextOrder(ctx, tx, year.ID); err != nil {
			return err
		}
		made, err := s.AddClasses(ctx, tx, []Class{c})
		if err != nil {
			return err
		}
		out = made[0]
		return s.record(ctx, tx, who, "class.create", "class", out.ID, nil, out)
	})
	return out, err
}

func yearOrCurrent(ctx context.Context, q db.Q, year *id.ID) (school.Year, error) {
	if year == nil {
		return school.CurrentYear(ctx, q)
	}
	return school.GetYear(ctx, q, *year)
}

func (s *Service) class(ctx context.Context, who actor.Actor, in idIn) (Class, error) {
	return getClass(ctx, s.DB.School(who.School), in.ID)
}

type updateClassIn struct {
	ID           id.ID   `path:"id"`
	Name         *string `json:"name" maxLength:"100" pattern:"\\S" patternHint:"must not be blank"`
	DisplayOrder *int    `json:"displayOrder" minimum:"0" maximum:"1000000"`
	Version      *int    `json:"version" doc:"The version you read; 409 if it has changed since."`
}

func (s *Service) updateClass(ctx context.Context, who actor.Actor, in updateClassIn) (after Class, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		before, err := getClass(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := fault.SameVersion(in.Version, before.Version); err != nil {
			return err
		}
		after = before
		if in.Name != nil {
			after.Name = strings.TrimSpace(*in.Name)
		}
		if in.DisplayOrder != nil {
			after.DisplayOrder = *in.DisplayOrder
		}
		if after, err = s.saveClass(ctx, tx, after); err != nil {
			return err
		}
		return s.record(ctx, tx, who, "class.update", "class", in.ID, before, after)
	})
	return after, err
}

// saveClass writes the next version of c.
func (s *Service) saveClass(ctx context.Context, tx *db.Tx, c Class) (Class, error) {
	c.UpdatedAt = s.Now()
	err := db.Update(ctx, tx, `
		UPDATE classes SET name = :name, display_order = :order, search = :search, version = version + 1, updated_at = :now
		WHERE school_id = :school AND id = :id AND version = :version`,
		db.Args{"id": c.ID, "name": c.Name, "order": c.DisplayOrder, "search": people.SearchText(c.Name), "now": c.UpdatedAt,
			"version": c.Version})
	c.Version++
	return c, writeFault("update class", err, ErrNoClass)
}

func (s *Service) deleteClass(ctx context.Context, who actor.Actor, in idIn) (web.None, error) {
	return web.None{}, s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		c, err := getClass(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		return s.remove(ctx, tx, who, removal{"class", "classes", c.ID, c.Name, c})
	})
}

type reorderIn struct {
	ClassIDs []id.ID `json:"classIds" required:"true" minItems:"1" maxItems:"1000" doc:"Classes of one academic year, the lowest first. Classes left out come last, in their current order."`
}

// Check validates the fields together.
func (in *reorderIn) Check() error {
	for i, c := range in.ClassIDs {
		if slices.Contains(in.ClassIDs[:i], c) {
			return fault.OnField(fmt.Sprintf("classIds[%d]", i), "is a duplicate")
		}
	}
	return nil
}

type reorderOut struct {
	Classes []Class `json:"classes"`
}

func (s *Service) reorderClasses(ctx context.Context, who actor.Actor, in reorderIn) (out reorderOut, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		years, err := people.ClassYears(ctx, tx, in.ClassIDs)
		if err != nil {
			return err
		}
		year := years[in.ClassIDs[0]]
		for i, c := range in.ClassIDs {
			if years[c] != year {
				return fault.OnField(fmt.Sprintf("classIds[%d]", i), "belongs to another academic year than the first class")
			}
		}
		before, err := classesOf(ctx, tx, year)
		if err != nil {
			return err
		}
		if out.Classes, err = s.putOrder(ctx, tx, before, in.ClassIDs); err != nil {
			return err
		}
		return s.record(ctx, tx, who, "class.reorder", "academic-year", year, orderOf(before), orderOf(out.Classes))
	})
	return out, err
}

// putOrder numbers the classes from 1, starting with those in first.
func (s *Service) putOrder(ctx context.Context, tx *db.Tx, classes []Class, first []id.ID) ([]Class, error) {
	rank := func(c Class) int {
		if i := slices.Index(first, c.ID); i >= 0 {
			return i
		}
		return len(first)
	}
	out := slices.Clone(classes)
	slices.SortStableFunc(out, func(a, b Class) int { return rank(a) - rank(b) })
	for i, c := range out {
		if c.DisplayOrder == i+1 {
			continue
		}
		c.DisplayOrder = i + 1
		var err error
		if out[i], err = s.saveClass(ctx, tx, c); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// orderOf is the order for the audit log.
func orderOf(classes []Class) map[string][]string {
	names := make([]string, len(classes))
	for i, c := range classes {
		names[i] = c.Name
	}
	return map[string][]string{"classes": names}
}

func nextOrder(ctx context.Context, q db.Q, year id.ID) (int, error) {
	n, err := db.One[int](ctx, q, `SELECT COALESCE(MAX(display_order), 0) + 1 FROM classes WHERE school_id = :school
		AND academic_year_id = :year`,
		db.Args{"year": year})
	if err != nil {
		return 0, fmt.Errorf("read last class: %w", err)
	}
	return n, nil
}

var classColumns = `id, name, display_order, academic_year_id, version, created_at, updated_at,
	` + people.Seated("classes.academic_year_id", "at.class_id = classes.id") + ` AS students`

// named returns the class with no more than those read who may only choose it.
func (c Class) named() Class {
	c.Students = 0
	return c
}

func getClass(ctx context.Context, q db.Q, class id.ID) (Class, error) {
	c, err := db.One[Class](ctx, q, `SELECT `+classColumns+` FROM classes WHERE school_id = :school AND id = :id`, db.Args{"id": class})
	return c, db.Found("read class", err, ErrNoClass)
}

func classesOf(ctx context.Context, q db.Q, year id.ID) ([]Class, error) {
	list, err := db.All[Class](ctx, q, `
		SELECT `+classColumns+` FROM classes WHERE school_id = :school AND academic_year_id = :year
		ORDER BY display_order, id`, db.Args{"year": year})
	if err != nil {
		return nil, fmt.Errorf("read classes of a year: %w", err)
	}
	return list, nil
}
