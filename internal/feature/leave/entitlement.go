package leave

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"homeroom/internal/feature/people"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// Entitlement is the number of half days of a type a year, for one employee or, without
// one, for all employees without their own.
type Entitlement struct {
	ID         id.ID
	EmployeeID id.ID
	Type       Type
	HalfDays   int
	CreatedAt  time.Time
}

func readEntitlements(ctx context.Context, q db.Q, employees []id.ID) ([]Entitlement, error) {
	list, err := db.All[Entitlement](ctx, q, `
		SELECT id, employee_id, type, half_days, created_at FROM leave_entitlements
		WHERE school_id = :school AND (employee_id IS NULL OR employee_id IN (:employees))`, db.Args{"employees": employees})
	if err != nil {
		return nil, fmt.Errorf("read entitlements: %w", err)
	}
	return list, nil
}

// Allowance is the entitlement of one type in the API.
type Allowance struct {
	Type  Type     `json:"type" enum:"SICK,CASUAL,EMERGENCY"`
	Days  *float64 `json:"days" doc:"Days a year; null: no limit."`
	IsOwn bool     `json:"isOwn" doc:"True: the employee's own entitlement, not the school's."`
}

type allowances struct {
	EmployeeID   *id.ID      `json:"employeeId"`
	Entitlements []Allowance `json:"entitlements"`
}

type allowancesIn struct {
	EmployeeID *id.ID `json:"employeeId" doc:"Default: the school's entitlements for all employees."`
}

// entitlements lists the entitlements of the school or of one employee.
func (s *Service) entitlements(ctx context.Context, who actor.Actor, in allowancesIn) (allowances, error) {
	return readAllowances(ctx, s.DB.School(who.School), in.EmployeeID)
}

type allowanceIn struct {
	Type Type     `json:"type" required:"true" enum:"SICK,CASUAL,EMERGENCY"`
	Days *float64 `json:"days" minimum:"0" maximum:"366" doc:"Days a year, in steps of 0.5. Null: no limit; for an employee, the school's entitlement."`
}

type setAllowancesIn struct {
	EmployeeID   *id.ID        `json:"employeeId" doc:"Default: the school's entitlements for all employees."`
	Entitlements []allowanceIn `json:"entitlements" required:"true" minItems:"1" maxItems:"3" doc:"Types left out don't change."`
}

// Check validates the fields together.
func (in *setAllowancesIn) Check() error {
	seen := []Type{}
	for i, a := range in.Entitlements {
		switch {
		case slices.Contains(seen, a.Type):
			return fault.OnField(fmt.Sprintf("entitlements[%d].type", i), "is a duplicate")
		case a.Days != nil && *a.Days*2 != math.Trunc(*a.Days*2):
			return fault.OnField(fmt.Sprintf("entitlements[%d].days", i), "must be a multiple of 0.5, such as 1 or 1.5")
		}
		seen = append(seen, a.Type)
	}
	return nil
}

// setEntitlements changes the entitlements of the given types.
func (s *Service) setEntitlements(ctx context.Context, who actor.Actor, in setAllowancesIn) (after allowances, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.Lock(ctx, "leave-entitlements"); err != nil {
			return fmt.Errorf("lock entitlements: %w", err)
		}
		before, err := readAllowances(ctx, tx, in.EmployeeID)
		if err != nil {
			return err
		}
		if err := s.putAllowances(ctx, tx, in); err != nil {
			return err
		}
		if after, err = readAllowances(ctx, tx, in.EmployeeID); err != nil {
			return err
		}
		return s.Audit.Record(ctx, tx, who, "leave-entitlement.update", "leave-entitlement", opt.Value(in.EmployeeID), before, after)
	})
	return after, err
}

func (s *Service) putAllowances(ctx context.Context, tx *db.Tx, in setAllowancesIn) error {
	var rows []Entitlement
	types := make([]Type, len(in.Entitlements))
	for i, a := range in.Entitlements {
		types[i] = a.Type
		if a.Days != nil {
			rows = append(rows, Entitlement{ID: s.NewID(), EmployeeID: opt.Value(in.EmployeeID), Type: a.Type,
				HalfDays: int(*a.Days * 2), CreatedAt: s.Now()})
		}
	}
	whose := db.When(in.EmployeeID == nil, `employee_id IS NULL`) + db.When(in.EmployeeID != nil, `employee_id = :employee`)
	_, err := db.Exec(ctx, tx, `DELETE FROM leave_entitlements WHERE school_id = :school AND `+whose+` AND type IN (:types)`,
		db.Args{"employee": in.EmployeeID, "types": types})
	if err != nil {
		return fmt.Errorf("remove entitlements: %w", err)
	}
	_, err = db.Insert(ctx, tx, `
		INSERT INTO leave_entitlements (school_id, id, employee_id, type, half_days, created_at)
		VALUES (:school, :id, :employee_id, :type, :half_days, :created_at)`, rows)
	if err != nil {
		return fmt.Errorf("write entitlements: %w", err)
	}
	return nil
}

func readAllowances(ctx context.Context, q db.Q, employee *id.ID) (allowances, error) {
	out := allowances{EmployeeID: employee, Entitlements: []Allowance{}}
	whose := []id.ID{}
	if employee != nil {
		whose = append(whose, *employee)
		if _, err := people.GetEmployee(ctx, q, *employee); err != nil {
			return out, err
		}
	}
	list, err := readEntitlements(ctx, q, whose)
	if err != nil {
		return out, err
	}
	for _, t := range Types {
		a := Allowance{Type: t, IsOwn: slices.ContainsFunc(list, func(e Entitlement) bool { return e.Type == t && e.EmployeeID != "" })}
		if limit := limitOf(list, opt.Value(employee), t); limit != nil {
			a.Days = new(days(*limit))
		}
		out.Entitlements = append(out.Entitlements, a)
	}
	return out, nil
}
