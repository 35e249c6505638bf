package school

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// Year is an academic year. Years of one school never overlap, and at most one is
// current.
type Year struct {
	ID        id.ID      `json:"id"`
	Name      string     `json:"name" example:"2026/27"`
	StartDate clock.Date `json:"startDate"`
	EndDate   clock.Date `json:"endDate" example:"2027-07-15"`
	IsCurrent bool       `json:"isCurrent"`
	Version   int        `json:"version"`
	CreatedAt time.Time  `json:"createdAt"`
	UpdatedAt time.Time  `json:"updatedAt"`
}

// ErrNoYear is returned for an academic year that the school does not have.
var ErrNoYear = fault.Missing("academic year")

// ErrNoCurrentYear is returned if a current academic year is needed and there is none.
var ErrNoCurrentYear = fault.New(fault.Conflict, "", "The school has no current academic year. Create one, or activate one, first.")

var (
	errYearName    = fault.Duplicate("Another academic year has this name. Choose a different name.")
	errYearOverlap = fault.New(fault.Conflict, "", "These days belong to another academic year.")
	errYearCurrent = fault.New(fault.Conflict, "", "This is the current academic year. Activate another one first.")
	errYearInUse   = fault.New(fault.Conflict, "", "This academic year is in use. Delete its classes and other records first.")
)

// NewYear is the input for creating an academic year.
type NewYear struct {
	Name      string     `json:"name" required:"true" maxLength:"100" example:"2026/27"`
	StartDate clock.Date `json:"startDate" required:"true"`
	EndDate   clock.Date `json:"endDate" required:"true" example:"2027-07-15"`
	IsCurrent *bool      `json:"isCurrent" doc:"Default: true if the school has no current year."`
}

// Check validates the dates.
func (in *NewYear) Check() error { return in.check("") }

func (in *NewYear) check(path string) error { return checkYear(path, in.StartDate, in.EndDate) }

func checkYear(path string, start, end clock.Date) error {
	if end <= start {
		return fault.OnField(path+"endDate", "must be after startDate")
	}
	return nil
}

// YearChange is a change of an academic year; nil fields stay.
type YearChange struct {
	Name      *string     `json:"name" maxLength:"100" pattern:"\\S" patternHint:"must not be blank"`
	StartDate *clock.Date `json:"startDate"`
	EndDate   *clock.Date `json:"endDate" example:"2027-07-15"`
	IsCurrent *bool       `json:"isCurrent" doc:"True makes it the current year. To end that, make another year current."`
	Version   *int        `json:"version" doc:"The version you read. 409 if the record has changed since."`
}

// CreateYear adds an academic year to the caller's school.
func (s *Service) CreateYear(ctx context.Context, who actor.Actor, in NewYear) (y Year, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		y, err = s.addYear(ctx, tx, who, in)
		return err
	})
	return y, err
}

func (s *Service) addYear(ctx context.Context, tx *db.Tx, who actor.Actor, in NewYear) (Year, error) {
	now := s.Now()
	y := Year{ID: s.NewID(), Name: strings.TrimSpace(in.Name), StartDate: in.StartDate, EndDate: in.EndDate,
		Version: 1, CreatedAt: now, UpdatedAt: now}
	if err := lockYears(ctx, tx); err != nil {
		return y, err
	}
	_, err := CurrentYear(ctx, tx)
	switch {
	case errors.Is(err, ErrNoCurrentYear):
		y.IsCurrent = in.IsCurrent == nil || *in.IsCurrent
	case err != nil:
		return y, err
	default:
		y.IsCurrent = in.IsCurrent != nil && *in.IsCurrent
	}
	if err := s.checkOverlap(ctx, tx, who, y); err != nil {
		return y, err
	}
	if err := putYear(ctx, tx, y); err != nil {
		return y, yearFault("create academic year", err)
	}
	if y.IsCurrent {
		if err := s.activated(ctx, tx, who, y); err != nil {
			return y, err
		}
	}
	return y, s.Audit.Record(ctx, tx, who, "academic-year.create", "academic-year", y.ID, nil, y)
}

// UpdateYear changes an academic year.
func (s *Service) UpdateYear(ctx context.Context, who actor.Actor, year id.ID, c YearChange) (Year, error) {
	return s.changeYear(ctx, who, year, "academic-year.update", c)
}

// ActivateYear makes a year the current one instead of the previous one.
func (s *Service) ActivateYear(ctx context.Context, who actor.Actor, year id.ID) (Year, error) {
	return s.changeYear(ctx, who, year, "academic-year.activate", YearChange{IsCurrent: new(true)})
}

func (s *Service) changeYear(ctx context.Context, who actor.Actor, year id.ID, action string, c YearChange) (after Year, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := lockYears(ctx, tx); err != nil {
			return err
		}
		before, err := GetYear(ctx, tx, year)
		if err != nil {
			return err
		}
		if after, err = c.apply(before); err != nil {
			return err
		}
		if err := s.checkOverlap(ctx, tx, who, after); err != nil {
			return err
		}
		after.Version, after.UpdatedAt = before.Version+1, s.Now()
		if err := updateYear(ctx, tx, after); err != nil {
			return yearFault("update academic year", err)
		}
		if s.Ended != nil && after.EndDate != before.EndDate {
			if err := s.Ended(ctx, tx, before, after); err != nil {
				return err
			}
		}
		if after.IsCurrent && !before.IsCurrent {
			if err := s.activated(ctx, tx, who, after); err != nil {
				return err
			}
		}
		return s.Audit.Record(ctx, tx, who, action, "academic-year", year, before, after)
	})
	return after, err
}

// activated tells other modules of a new current year.
func (s *Service) activated(ctx context.Context, tx *db.Tx, who actor.Actor, y Year) error {
	for _, follow := range s.Activated {
		if err := follow(ctx, tx, who, y); err != nil {
			return err
		}
	}
	return nil
}

// apply returns the changed year.
func (c YearChange) apply(y Year) (Year, error) {
	if err := fault.SameVersion(c.Version, y.Version); err != nil {
		return y, err
	}
	if c.IsCurrent != nil && !*c.IsCurrent && y.IsCurrent {
		return y, errYearCurrent
	}
	opt.Set(&y.Name, c.Name)
	opt.Set(&y.StartDate, c.StartDate)
	opt.Set(&y.EndDate, c.EndDate)
	opt.Set(&y.IsCurrent, c.IsCurrent)
	y.Name = strings.TrimSpace(y.Name)
	return y, checkYear("", y.StartDate, y.EndDate)
}

// checkOverlap refuses a year that overlaps another. If y is current, it retires the
// previous current year. The caller holds the lock of the years.
func (s *Service) checkOverlap(ctx context.Context, tx *db.Tx, who actor.Actor, y Year) error {
	other, err := overlapping(ctx, tx, y)
	switch {
	case err == nil:
		return errYearOverlap.Saying("Some of these days belong to the academic year %s, %s to %s. Choose days outside it.",
			other.Name, other.StartDate, other.EndDate)
	case !errors.Is(err, db.ErrNotFound):
		return fmt.Errorf("find overlapping years: %w", err)
	}
	if !y.IsCurrent {
		return nil
	}
	return s.retire(ctx, tx, who, y.ID)
}

// retire makes the current year, unless it is except, no longer current.
func (s *Service) retire(ctx context.Context, tx *db.Tx, who actor.Actor, except id.ID) error {
	before, err := CurrentYear(ctx, tx)
	switch {
	case errors.Is(err, ErrNoCurrentYear), err == nil && before.ID == except:
		return nil
	case err != nil:
		return err
	}
	after := before
	after.IsCurrent, after.Version, after.UpdatedAt = false, before.Version+1, s.Now()
	if err := updateYear(ctx, tx, after); err != nil {
		return fmt.Errorf("retire the current year: %w", err)
	}
	return s.Audit.Record(ctx, tx, who, "academic-year.retire", "academic-year", before.ID, before, after)
}

// DeleteYear removes an academic year that is neither current nor in use.
func (s *Service) DeleteYear(ctx context.Context, who actor.Actor, year id.ID) error {
	return s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := lockYears(ctx, tx); err != nil {
			return err
		}
		before, err := GetYear(ctx, tx, year)
		switch {
		case err != nil:
			return err
		case before.IsCurrent:
			return errYearCurrent
		}
		if err := deleteYear(ctx, tx, year); err != nil {
			return yearFault("delete academic year", err)
		}
		return s.Audit.Record(ctx, tx, who, "academic-year.delete", "academic-year", year, before, nil)
	})
}

// yearFault maps database errors to faults.
func yearFault(doing string, err error) error {
	switch {
	case errors.Is(err, db.ErrNotFound):
		return ErrNoYear.Because(err)
	case db.IsDuplicate(err, "academic_years_name"):
		return errYearName.Because(err)
	case db.IsReference(err):
		return errYearInUse.Because(err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}
