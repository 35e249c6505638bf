package academics

import (
	"context"
	"fmt"
	"strings"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/web"
)

var errCapacity = fault.New(fault.Conflict, "", "The division has more students than this capacity.")

func (s *Service) divisionRoutes() []web.Route {
	return []web.Route{
		web.Handle("POST /school-admin/division/create", s.createDivision, web.Write("division"), web.Created(),
			web.Doc("Create a division in a class.")),
		web.Handle("GET /school-admin/division/list", s.divisions, web.ReadAny("division", "announcement"),
			web.List("name", "createdAt"),
			web.Doc("List divisions with their class teachers. Without the permission for divisions, their names.")),
		web.Handle("GET /school-admin/division/{id}", s.division, web.Read("division"), web.Doc("Get a division.")),
		web.Handle("PUT /school-admin/division/{id}", s.updateDivision, web.Write("division"),
			web.Doc("Change a division or its class teacher.")),
		web.Handle("DELETE /school-admin/division/{id}", s.deleteDivision, web.Delete("division"), web.Doc("Delete an unused division.")),
	}
}

type createDivisionIn struct {
	ClassID        id.ID  `json:"classId" required:"true"`
	Name           string `json:"name" required:"true" maxLength:"50" example:"A"`
	Capacity       *int   `json:"capacity" minimum:"1" maximum:"10000" doc:"Maximum number of students. Default: no limit."`
	ClassTeacherID *id.ID `json:"classTeacherId" doc:"Employee id of the class teacher, who is assigned to the division."`
	Room           string `json:"room" maxLength:"50"`
}

func (s *Service) createDivision(ctx context.Context, who actor.Actor, in createDivisionIn) (out Division, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if _, err := getClass(ctx, tx, in.ClassID); err != nil {
			return err
		}
		made, err := s.AddDivisions(ctx, tx, []Division{{ClassID: in.ClassID, Name: strings.TrimSpace(in.Name), Capacity: in.Capacity,
			Room: opt.Text(in.Room)}})
		if err != nil {
			return err
		}
		out = made[0]
		if in.ClassTeacherID != nil {
			if err := s.setClassTeacher(ctx, tx, out, in.ClassTeacherID); err != nil {
				return err
			}
			out.ClassTeacherID = in.ClassTeacherID
		}
		if err := s.record(ctx, tx, who, "division.create", "division", out.ID, nil, out); err != nil {
			return err
		}
		out, err = getDivision(ctx, tx, out.ID) // with the names of its class and teacher
		return err
	})
	return out, err
}

func (s *Service) division(ctx context.Context, who actor.Actor, in idIn) (Division, error) {
	return getDivision(ctx, s.DB.School(who.School), in.ID)
}

type updateDivisionIn struct {
	ID             id.ID          `path:"id"`
	Name           *string        `json:"name" maxLength:"50" pattern:"\\S" patternHint:"must not be blank"`
	Capacity       web.Opt[int]   `json:"capacity" minimum:"1" maximum:"10000" doc:"Null: no limit. Must not be less than the current number of students."`
	ClassTeacherID web.Opt[id.ID] `json:"classTeacherId" doc:"Replaces the class teacher; null removes it. The former one loses an assignment that has no subject."`
	Room           *string        `json:"room" maxLength:"50"`
	Version        *int           `json:"version" doc:"The version you read; 409 if it has changed since."`
}

func (s *Service) updateDivision(ctx context.Context, who actor.Actor, in updateDivisionIn) (after Division, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		before, err := getDivision(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		if err := fault.SameVersion(in.Version, before.Version); err != nil {
			return err
		}
		after = in.apply(before)
		if in.Capacity.Set {
			if err := checkCapacity(ctx, tx, after); err != nil {
				return err
			}
		}
		if in.ClassTeacherID.Set {
			if err := s.setClassTeacher(ctx, tx, after, after.ClassTeacherID); err != nil {
				return err
			}
		}
		if after, err = s.saveDivision(ctx, tx, after); err != nil {
			return err
		}
		return s.record(ctx, tx, who, "division.update", "division", in.ID, before, after)
	})
	return after, err
}

func (in updateDivisionIn) apply(d Division) Division {
	if in.Name != nil {
		d.Name = strings.TrimSpace(*in.Name)
	}
	if in.Room != nil {
		d.Room = opt.Text(*in.Room)
	}
	d.Capacity = in.Capacity.Or(d.Capacity)
	d.ClassTeacherID = in.ClassTeacherID.Or(d.ClassTeacherID)
	return d
}

func (s *Service) saveDivision(ctx context.Context, tx *db.Tx, d Division) (Division, error) {
	d.UpdatedAt = s.Now()
	err := db.Update(ctx, tx, `
		UPDATE divisions SET name = :name, capacity = :capacity, room = :room, version = version + 1, updated_at = :now
		WHERE school_id = :school AND id = :id AND version = :version`,
		db.Args{"id": d.ID, "name": d.Name, "capacity": d.Capacity, "room": d.Room, "now": d.UpdatedAt, "version": d.Version})
	d.Version++
	return d, writeFault("update division", err, ErrNoDivision)
}

// checkCapacity refuses a capacity that the division's students exceed.
func checkCapacity(ctx context.Context, tx *db.Tx, d Division) error {
	if d.Capacity == nil {
		return nil
	}
	if err := tx.Lock(ctx, "students"); err != nil { // so that nobody joins the division meanwhile
		return fmt.Errorf("lock students: %w", err)
	}
	n, err := db.One[int](ctx, tx, `
		SELECT COUNT(*) FROM students
		WHERE school_id = :school AND division_id = :id AND archived_at IS NULL AND status = 'ACTIVE'`, db.Args{"id": d.ID})
	switch {
	case err != nil:
		return fmt.Errorf("count students of division: %w", err)
	case n > *d.Capacity:
		return errCapacity.Saying("Division %s has %s. Choose a capacity of at least %d, or move students first.", d.Name,
			people.Plural(n, "student", "students"), n)
	}
	return nil
}

func (s *Service) deleteDivision(ctx context.Context, who actor.Actor, in idIn) (web.None, error) {
	return web.None{}, s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		d, err := getDivision(ctx, tx, in.ID)
		if err != nil {
			return err
		}
		c, err := getClass(ctx, tx, d.ClassID)
		if err != nil {
			return err
		}
		return s.remove(ctx, tx, who, removal{"division", "divisions", d.ID, c.Name + " " + d.Name, d})
	})
}

// named returns the division with no more than those read who may only choose it.
func (d Division) named() Division {
	d.Students, d.Capacity, d.ClassTeacherID, d.ClassTeacher, d.Room = 0, nil, nil, nil, ""
	return d
}

func getDivision(ctx context.Context, q db.Q, division id.ID) (Division, error) {
	d, err := db.One[Division](ctx, q, `SELECT `+divisionColumns+` FROM divisions WHERE school_id = :school AND id = :id`,
		db.Args{"id": division})
	return d, db.Found("read division", err, ErrNoDivision)
}
