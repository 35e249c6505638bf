package library

import (
	"context"
	"errors"
	"fmt"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/web"
)

// Rules are the library rules of a school.
type Rules struct {
	StudentLoans  int         `json:"studentLoans" doc:"Maximum number of loans of a student."`
	StudentDays   int         `json:"studentDays" doc:"Loan period in days."`
	EmployeeLoans int         `json:"employeeLoans" doc:"Maximum number of loans of an employee."`
	EmployeeDays  int         `json:"employeeDays" doc:"Loan period in days."`
	MaxRenewals   int         `json:"maxRenewals" doc:"Maximum number of renewals of a loan."`
	HoldDays      int         `json:"holdDays" doc:"Number of days that a copy is held for a reservation."`
	FinePerDay    money.Money `json:"finePerDay" doc:"Late fine for each day after the due date, holidays included; 0: none."`
	MaxFine       money.Money `json:"maxFine" doc:"Maximum late fine of a loan; 0: no limit."`
	DefaultPrice  money.Money `json:"defaultPrice" doc:"Replacement price of books without a price."`
	OverdueBlocks bool        `json:"overdueBlocks" doc:"Borrowers with an overdue book can't borrow another."`
	Version       int         `json:"version" doc:"Increases with each change; 0: the defaults."`
	UpdatedAt     *time.Time  `json:"updatedAt"`
}

func defaultRules() Rules {
	return Rules{StudentLoans: 3, StudentDays: 14, EmployeeLoans: 10, EmployeeDays: 30, MaxRenewals: 2, HoldDays: 3, OverdueBlocks: true}
}

// fine is the late fine for a number of days.
func (r Rules) fine(days int) money.Money {
	sum := money.Money(days) * r.FinePerDay
	if r.MaxFine > 0 {
		sum = min(sum, r.MaxFine)
	}
	return min(sum, money.Max)
}

// asOf sets the overdue flag and fine of an open loan.
func (l *Loan) asOf(today clock.Date, r Rules) {
	end := today
	if l.ReturnDate != nil {
		end = *l.ReturnDate
	}
	l.DaysLate = max(0, int(end.Time().Sub(l.DueDate.Time()).Hours()/24))
	if l.Status == out {
		l.Overdue, l.Fine = l.DaysLate > 0, r.fine(l.DaysLate)
	}
}

func getRules(ctx context.Context, q db.Q) (Rules, error) {
	r, err := db.One[Rules](ctx, q, `
		SELECT student_loans, student_days, employee_loans, employee_days, max_renewals, hold_days,
			fine_per_day, max_fine, default_price, overdue_blocks, version, updated_at
		FROM library_rules WHERE school_id = :school`, nil)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return defaultRules(), nil
	case err != nil:
		return r, fmt.Errorf("read library rules: %w", err)
	}
	return r, nil
}

func (s *Service) getRules(ctx context.Context, who actor.Actor, _ web.None) (Rules, error) {
	return getRules(ctx, s.DB.School(who.School))
}

// RulesChange is a partial update of the rules.
type RulesChange struct {
	StudentLoans  *int         `json:"studentLoans" minimum:"0" maximum:"1000"`
	StudentDays   *int         `json:"studentDays" minimum:"1" maximum:"366"`
	EmployeeLoans *int         `json:"employeeLoans" minimum:"0" maximum:"1000"`
	EmployeeDays  *int         `json:"employeeDays" minimum:"1" maximum:"366"`
	MaxRenewals   *int         `json:"maxRenewals" minimum:"0" maximum:"100"`
	HoldDays      *int         `json:"holdDays" minimum:"1" maximum:"60"`
	FinePerDay    *money.Money `json:"finePerDay" doc:"At most two decimals, in the school's currency."`
	MaxFine       *money.Money `json:"maxFine" doc:"0: no limit."`
	DefaultPrice  *money.Money `json:"defaultPrice"`
	OverdueBlocks *bool        `json:"overdueBlocks"`
	Version       *int         `json:"version" doc:"The version you read; 409 if it has changed since."`
}

func (in RulesChange) apply(r Rules) Rules {
	opt.Set(&r.StudentLoans, in.StudentLoans)
	opt.Set(&r.StudentDays, in.StudentDays)
	opt.Set(&r.EmployeeLoans, in.EmployeeLoans)
	opt.Set(&r.EmployeeDays, in.EmployeeDays)
	opt.Set(&r.MaxRenewals, in.MaxRenewals)
	opt.Set(&r.HoldDays, in.HoldDays)
	opt.Set(&r.FinePerDay, in.FinePerDay)
	opt.Set(&r.MaxFine, in.MaxFine)
	opt.Set(&r.DefaultPrice, in.DefaultPrice)
	opt.Set(&r.OverdueBlocks, in.OverdueBlocks)
	return r
}

// UpdateRules changes the rules.
func (s *Service) UpdateRules(ctx context.Context, who actor.Actor, in RulesChange) (after Rules, err error) {
	err = s.atDesk(ctx, who, func(ctx context.Context, d desk) error {
		if err := fault.SameVersion(in.Version, d.rules.Version); err != nil {
			return err
		}
		after = in.apply(d.rules)
		after.Version, after.UpdatedAt = d.rules.Version+1, new(s.Now())
		if err := putRules(ctx, d.tx, after); err != nil {
			return err
		}
		return d.record(ctx, "library-rules.update", "library-rules", who.School, d.rules, after)
	})
	return after, err
}

func putRules(ctx context.Context, tx *db.Tx, r Rules) error {
	_, err := db.Insert(ctx, tx, `
		INSERT INTO library_rules (school_id, student_loans, student_days, employee_loans, employee_days, max_renewals, hold_days,
			fine_per_day, max_fine, default_price, overdue_blocks, version, updated_at)
		VALUES (:school, :student_loans, :student_days, :employee_loans, :employee_days, :max_renewals, :hold_days,
			:fine_per_day, :max_fine, :default_price, :overdue_blocks, :version, :updated_at)
		ON CONFLICT (school_id) DO UPDATE SET student_loans = excluded.student_loans, student_days = excluded.student_days,
			employee_loans = excluded.employee_loans, employee_days = excluded.employee_days, max_renewals = excluded.max_renewals,
			hold_days = excluded.hold_days, fine_per_day = excluded.fine_per_day, max_fine = excluded.max_fine,
			default_price = excluded.default_price, overdue_blocks = excluded.overdue_blocks,
			version = excluded.version, updated_at = excluded.updated_at`, []Rules{r})
	if err != nil {
		return fmt.Errorf("write library rules: %w", err)
	}
	return nil
}
