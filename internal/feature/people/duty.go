package people

import (
	"context"
	"slices"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

var errSuccessor = fault.New(fault.Conflict, "", "This employee can't take over.")

// Duty is something that depends on an employee.
type Duty struct {
	Kind           string      `json:"kind" db:"-" enum:"ASSIGNMENT,LESSON,BUS,TRIP,LOAN,LEAVE"`
	ID             id.ID       `json:"id" doc:"The assignment, the bus (also of trips), the division of lessons, the loan or the leave."`
	Name           string      `json:"name" doc:"What it is, in words." example:"Grade 1 A, Mathematics"`
	Count          int         `json:"count" doc:"Lessons a week of this division and subject, or trips of this bus; else 1."`
	AcademicYearID *id.ID      `json:"academicYearId" doc:"For assignments and lessons."`
	Date           *clock.Date `json:"date" doc:"The first trip, the day a loan is due, or the first day of leave."`
	CanHandOver    bool        `json:"canHandOver" db:"-" doc:"Whether hand-over moves it. Loans and leave stay with the person."`
}

// Duties is one kind of duty, kept by another module.
type Duties struct {
	Kind   string
	Module string // whose permission the caller needs
	List   func(ctx context.Context, q db.Q, employee id.ID, today clock.Date) ([]Duty, error)
	// Move gives all of them to another employee, who has not resigned, and returns
	// their number. Nil: they stay with the person.
	Move func(ctx context.Context, tx *db.Tx, who actor.Actor, from, to Employee) (int, error)
}

func (s *Service) dutyRoutes() []web.Route {
	return []web.Route{
		web.Handle("GET /school-admin/employee/{id}/duties", s.duties, web.Read("employee"),
			web.Doc("What depends on an employee from this academic year on, as far as the caller may read it.")),
		web.Handle("POST /school-admin/employee/{id}/hand-over", s.handOverDuties, web.Write("employee"), web.Says("Handed over."),
			web.Doc("Give an employee's assignments, lessons, buses and scheduled trips to another one: all of them, or none.")),
	}
}

type dutiesOut struct {
	Duties []Duty `json:"duties"`
}

func (s *Service) duties(ctx context.Context, who actor.Actor, in idIn) (dutiesOut, error) {
	q, out := s.DB.School(who.School), dutiesOut{[]Duty{}}
	if _, err := GetEmployee(ctx, q, in.ID); err != nil {
		return out, err
	}
	for _, d := range s.Duties {
		if !who.Can(d.Module, actor.Read) {
			continue
		}
		list, err := d.List(ctx, q, in.ID, clock.DateIn(s.Now(), who.Zone))
		if err != nil {
			return out, fault.Wrap("list duties", err)
		}
		for i := range list {
			list[i].Kind, list[i].CanHandOver = d.Kind, d.Move != nil
		}
		out.Duties = append(out.Duties, list...)
	}
	return out, nil
}

type handOverIn struct {
	ID           id.ID `path:"id"`
	ToEmployeeID id.ID `json:"toEmployeeId" required:"true" doc:"Who takes over: a teacher for classes, a driver for buses."`
}

type handedOver struct {
	Moved []movedDuties `json:"moved"`
}

type movedDuties struct {
	Kind  string `json:"kind" enum:"ASSIGNMENT,LESSON,BUS,TRIP"`
	Count int    `json:"count"`
}

func (s *Service) handOverDuties(ctx context.Context, who actor.Actor, in handOverIn) (out handedOver, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		out, err = s.handOver(ctx, tx, who, in.ID, in.ToEmployeeID)
		return err
	})
	return out, err
}

// handOver gives what can be handed over to another employee. The caller needs write
// permission for every module in which something moves.
func (s *Service) handOver(ctx context.Context, tx *db.Tx, who actor.Actor, employee, successor id.ID) (out handedOver, err error) {
	if err := LockEmployees(ctx, tx, employee, successor); err != nil { // another one may be running
		return out, err
	}
	from, err := GetEmployee(ctx, tx, employee)
	if err != nil {
		return out, err
	}
	to, err := GetEmployee(ctx, tx, successor)
	switch {
	case err != nil:
		return out, err
	case from.ID == to.ID:
		return out, errSuccessor.Saying("%s can't take over from themselves. Choose someone else.", to.Name())
	case to.Status == Resigned:
		return out, errSuccessor.Saying("%s has resigned. Choose someone else.", to.Name())
	}
	out.Moved = []movedDuties{}
	for _, d := range s.Duties {
		if d.Move == nil {
			continue
		}
		move := d.Move
		if !who.Can(d.Module, actor.Write) {
			move = s.mustHaveNone(d)
		}
		n, err := move(ctx, tx, who, from, to)
		if err != nil {
			return out, err
		}
		out.Moved = append(out.Moved, movedDuties{d.Kind, n})
	}
	if !slices.ContainsFunc(out.Moved, func(m movedDuties) bool { return m.Count > 0 }) {
		return out, nil
	}
	if err := ReachChanged(ctx, tx, who.School); err != nil {
		return out, err
	}
	return out, s.Accounts.Audit.Record(ctx, tx, who, "employee.hand-over", "employee", from.ID, nil,
		map[string]any{"toEmployeeId": to.ID, "moved": out.Moved})
}

// mustHaveNone is Move for a caller who may not change the module: it refuses if there
// is something to move.
func (s *Service) mustHaveNone(d Duties) func(context.Context, *db.Tx, actor.Actor, Employee, Employee) (int, error) {
	return func(ctx context.Context, tx *db.Tx, who actor.Actor, from, _ Employee) (int, error) {
		list, err := d.List(ctx, tx, from.ID, clock.DateIn(s.Now(), who.Zone))
		if err == nil && len(list) > 0 {
			err = fault.Denied("You may not change everything that " + from.Name() + " is responsible for. Ask another administrator.")
		}
		return 0, err
	}
}
