package leave

import (
	"context"
	"fmt"
	"slices"

	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
)

// Balance is an employee's leave balance of one type in one academic year, in days.
type Balance struct {
	Type     Type     `json:"type" enum:"SICK,CASUAL,EMERGENCY"`
	Entitled *float64 `json:"entitled" doc:"Null: no limit."`
	Taken    float64  `json:"taken" doc:"School days of approved leave."`
	Pending  float64  `json:"pending" doc:"School days of pending leave."`
	Left     *float64 `json:"left" doc:"Entitled minus taken and pending. Null: no limit."`
}

// Balances are an employee's leave balances of all types.
type Balances struct {
	EmployeeID     id.ID     `json:"employeeId"`
	EmployeeCode   string    `json:"employeeCode"`
	Name           string    `json:"name"`
	AcademicYearID id.ID     `json:"academicYearId" db:"-"`
	Balances       []Balance `json:"balances" db:"-"`
}

// books has the data for balances of some employees in a date range.
type books struct {
	entitlements []Entitlement
	leaves       []booked
	calendar     school.Calendar
}

// booked is an approved or pending leave of an employee.
type booked struct {
	ID, EmployeeID   id.ID
	Type             Type
	Status           Status
	FromDate, ToDate clock.Date
	Half             *string
}

func readBooks(ctx context.Context, q db.Q, employees []id.ID, from, to clock.Date) (b books, err error) {
	if b.entitlements, err = readEntitlements(ctx, q, employees); err != nil {
		return b, err
	}
	b.leaves, err = db.All[booked](ctx, q, `
		SELECT id, employee_id, type, status, from_date, to_date, half FROM leaves
		WHERE school_id = :school AND employee_id IN (:employees) AND status IN ('PENDING', 'APPROVED')
			AND from_date <= :to AND to_date >= :from`, db.Args{"employees": employees, "from": from, "to": to})
	if err != nil {
		return b, fmt.Errorf("read leaves: %w", err)
	}
	b.calendar, err = school.CalendarOf(ctx, q, from, to)
	return b, err
}

// halves sums an employee's half days of one type and status in a year, without those
// of the leave but.
func (b books) halves(employee id.ID, t Type, s Status, y school.Year, but id.ID) int {
	n := 0
	for _, l := range b.leaves {
		if l.EmployeeID == employee && l.Type == t && l.Status == s && l.ID != but {
			n += span{l.FromDate, l.ToDate, l.Half}.halves(b.calendar, y.StartDate, y.EndDate)
		}
	}
	return n
}

func (b books) balances(employee id.ID, y school.Year) []Balance {
	out := make([]Balance, 0, len(Types))
	for _, t := range Types {
		taken, pending := b.halves(employee, t, Approved, y, ""), b.halves(employee, t, Pending, y, "")
		one := Balance{Type: t, Taken: days(taken), Pending: days(pending)}
		if limit := limitOf(b.entitlements, employee, t); limit != nil {
			one.Entitled, one.Left = new(days(*limit)), new(days(*limit-taken-pending))
		}
		out = append(out, one)
	}
	return out
}

// checkBalance refuses an employee's leave that exceeds the balance of its type in any
// of its academic years. Other leave with the counted statuses is taken off.
func checkBalance(ctx context.Context, q db.Q, l Leave, counted ...Status) error {
	years, err := db.All[school.Year](ctx, q, `
		SELECT id, name, start_date, end_date FROM academic_years
		WHERE school_id = :school AND start_date <= :to AND end_date >= :from ORDER BY start_date`,
		db.Args{"from": l.FromDate, "to": l.ToDate})
	if err != nil {
		return fmt.Errorf("read academic years: %w", err)
	}
	if len(years) == 0 {
		return nil
	}
	b, err := readBooks(ctx, q, []id.ID{*l.EmployeeID}, years[0].StartDate, years[len(years)-1].EndDate)
	if err != nil {
		return err
	}
	limit := limitOf(b.entitlements, *l.EmployeeID, l.Type)
	for _, y := range years {
		if limit == nil {
			break
		}
		left := *limit
		for _, s := range counted {
			left -= b.halves(*l.EmployeeID, l.Type, s, y, l.ID)
		}
		if takes := l.span().halves(b.calendar, y.StartDate, y.EndDate); takes > 0 && takes > left {
			return errBalance.Saying("This takes %v days of %s leave in %s, and %v are left. "+
				"Apply for fewer days or another type, or ask for a higher entitlement.",
				days(takes), l.Type, y.Name, days(max(left, 0)))
		}
	}
	return nil
}

type balanceFilters struct {
	EmployeeID     *id.ID `json:"employeeId,omitempty"`
	AcademicYearID *id.ID `json:"academicYearId,omitempty" doc:"Default: the current academic year."`
}

// balances lists the leave balances of employees.
func (s *Service) balances(ctx context.Context, who actor.Actor, in page.Ask[balanceFilters]) (page.Of[Balances], error) {
	q, f := s.DB.School(who.School), in.Filters
	year, err := yearOf(ctx, q, f.AcademicYearID)
	if err != nil {
		return page.Of[Balances]{}, err
	}
	out, err := db.Page[Balances](ctx, q, db.List{
		Columns: `id AS employee_id, employee_code, TRIM(first_name || ' ' || last_name) AS name`,
		From:    `employees WHERE school_id = :school AND archived_at IS NULL` + db.When(f.EmployeeID != nil, ` AND id = :employee`),
		Sorts:   map[string]string{"firstName": "first_name", "employeeCode": "employee_code"},
		Default: "firstName",
	}, in.Request, db.Args{"employee": f.EmployeeID})
	switch {
	case err != nil:
		return out, fmt.Errorf("list employees: %w", err)
	case out.Total == 0 && f.EmployeeID != nil:
		return out, people.ErrNoEmployee
	}
	return out, fillBalances(ctx, q, out.Items, year)
}

type yearIn struct {
	AcademicYearID *id.ID `json:"academicYearId" doc:"Default: the current academic year."`
}

// ownBalance is the caller's leave balance.
func (s *Service) ownBalance(ctx context.Context, who actor.Actor, in yearIn) (Balances, error) {
	q := s.DB.School(who.School)
	year, err := yearOf(ctx, q, in.AcademicYearID)
	if err != nil {
		return Balances{}, err
	}
	own, err := db.One[Balances](ctx, q, `
		SELECT id AS employee_id, employee_code, TRIM(first_name || ' ' || last_name) AS name FROM employees
		WHERE school_id = :school AND user_id = :user AND archived_at IS NULL`, db.Args{"user": who.User})
	if err != nil {
		return own, db.Found("read employee", err, errNoStaff)
	}
	one := []Balances{own}
	err = fillBalances(ctx, q, one, year)
	return one[0], err
}

// fillBalances computes the balances of all employees with a fixed number of queries.
func fillBalances(ctx context.Context, q db.Q, of []Balances, y school.Year) error {
	employees := make([]id.ID, len(of))
	for i, e := range of {
		employees[i] = e.EmployeeID
	}
	b, err := readBooks(ctx, q, employees, y.StartDate, y.EndDate)
	if err != nil {
		return err
	}
	for i, e := range of {
		of[i].AcademicYearID, of[i].Balances = y.ID, b.balances(e.EmployeeID, y)
	}
	return nil
}

// yearOf returns the requested academic year, or the current one.
func yearOf(ctx context.Context, q db.Q, year *id.ID) (school.Year, error) {
	if year == nil {
		return school.CurrentYear(ctx, q)
	}
	return school.GetYear(ctx, q, *year)
}

// limitOf is an employee's limit in half days: the employee's own entitlement, else the
// school's. Nil is no limit.
func limitOf(list []Entitlement, employee id.ID, t Type) *int {
	for _, of := range []id.ID{employee, ""} {
		if i := slices.IndexFunc(list, func(e Entitlement) bool { return e.EmployeeID == of && e.Type == t }); i >= 0 {
			return &list[i].HalfDays
		}
	}
	return nil
}
