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
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

// maxHoliday is the maximum length of a holiday in days.
const maxHoliday = 366

// Holiday is one or more consecutive days without school.
type Holiday struct {
	ID        id.ID      `json:"id"`
	Date      clock.Date `json:"date" doc:"The first day."`
	EndDate   clock.Date `json:"endDate" doc:"The last day; the same as date for a single day."`
	Name      string     `json:"name"`
	Version   int        `json:"version"`
	CreatedAt time.Time  `json:"createdAt"`
	UpdatedAt time.Time  `json:"updatedAt"`
}

var (
	errNoHoliday   = fault.Missing("holiday")
	errHolidayName = fault.Duplicate("There is already a holiday with this name on this day.")
)

// NewHoliday is the input for creating a holiday.
type NewHoliday struct {
	Date    clock.Date  `json:"date" required:"true"`
	EndDate *clock.Date `json:"endDate" doc:"The last day. Omit it for a single day."`
	Name    string      `json:"name" required:"true" maxLength:"200" example:"Winter break"`
}

// Check validates the dates.
func (in *NewHoliday) Check() error { return in.holiday().check() }

func (in NewHoliday) holiday() Holiday {
	h := Holiday{Date: in.Date, EndDate: in.Date, Name: strings.TrimSpace(in.Name)}
	opt.Set(&h.EndDate, in.EndDate)
	return h
}

func (h Holiday) check() error {
	switch {
	case h.EndDate < h.Date:
		return fault.OnField("endDate", "must not be before date")
	case h.EndDate > h.Date.AddDays(maxHoliday-1):
		return fault.OnField("endDate", "must be at most %d days after date", maxHoliday-1)
	}
	return nil
}

// HolidayChange is a change of a holiday; omitted fields stay. A single day that is
// moved stays a single day.
type HolidayChange struct {
	Date    *clock.Date         `json:"date"`
	EndDate web.Opt[clock.Date] `json:"endDate" doc:"Null makes it a single day."`
	Name    *string             `json:"name" maxLength:"200" pattern:"\\S" patternHint:"must not be blank"`
	Version *int                `json:"version" doc:"The version you read. 409 if the record has changed since."`
}

func (c HolidayChange) apply(h Holiday) (Holiday, error) {
	if err := fault.SameVersion(c.Version, h.Version); err != nil {
		return h, err
	}
	single := h.Date == h.EndDate
	opt.Set(&h.Name, c.Name)
	opt.Set(&h.Date, c.Date)
	switch {
	case c.EndDate.Null, single && !c.EndDate.Set:
		h.EndDate = h.Date
	case c.EndDate.Set:
		h.EndDate = c.EndDate.V
	}
	h.Name = strings.TrimSpace(h.Name)
	return h, h.check()
}

// CreateHoliday adds a holiday to the caller's school.
func (s *Service) CreateHoliday(ctx context.Context, who actor.Actor, in NewHoliday) (Holiday, error) {
	h := in.holiday()
	h.ID, h.Version, h.CreatedAt = s.NewID(), 1, s.Now()
	h.UpdatedAt = h.CreatedAt
	err := s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := putHoliday(ctx, tx, h); err != nil {
			return holidayFault("create holiday", err)
		}
		return s.Audit.Record(ctx, tx, who, "holiday.create", "holiday", h.ID, nil, h)
	})
	return h, err
}

// UpdateHoliday changes a holiday.
func (s *Service) UpdateHoliday(ctx context.Context, who actor.Actor, holiday id.ID, c HolidayChange) (after Holiday, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		before, err := getHoliday(ctx, tx, holiday)
		if err != nil {
			return err
		}
		if after, err = c.apply(before); err != nil {
			return err
		}
		after.UpdatedAt = s.Now()
		if err := updateHoliday(ctx, tx, after); err != nil {
			return holidayFault("update holiday", err)
		}
		after.Version++
		if err := s.opened(ctx, tx, who, before); err != nil {
			return err
		}
		return s.Audit.Record(ctx, tx, who, "holiday.update", "holiday", holiday, before, after)
	})
	return after, err
}

// DeleteHoliday removes a holiday.
func (s *Service) DeleteHoliday(ctx context.Context, who actor.Actor, holiday id.ID) error {
	return s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		before, err := getHoliday(ctx, tx, holiday)
		if err != nil {
			return err
		}
		if err := deleteHoliday(ctx, tx, holiday); err != nil {
			return holidayFault("delete holiday", err)
		}
		if err := s.opened(ctx, tx, who, before); err != nil {
			return err
		}
		return s.Audit.Record(ctx, tx, who, "holiday.delete", "holiday", holiday, before, nil)
	})
}

// opened tells another module of the days of a holiday that was changed or deleted.
func (s *Service) opened(ctx context.Context, tx *db.Tx, who actor.Actor, was Holiday) error {
	if s.Opened == nil {
		return nil
	}
	return s.Opened(ctx, tx, who, was.Date, was.EndDate)
}

// holidayFault maps database errors to faults.
func holidayFault(doing string, err error) error {
	switch {
	case errors.Is(err, db.ErrNotFound):
		return errNoHoliday.Because(err)
	case db.IsDuplicate(err, "holidays_day"):
		return errHolidayName.Because(err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}

const holidayColumns = `id, date, end_date, name, version, created_at, updated_at`

// Holidays returns the holidays of q's school that overlap the days from from to to, by date.
func Holidays(ctx context.Context, q db.Q, from, to clock.Date) ([]Holiday, error) {
	var list []Holiday
	err := db.Read(ctx, q, askHolidays(&list, from, to))
	return list, fault.Wrap("read holidays", err)
}

func askHolidays(list *[]Holiday, from, to clock.Date) db.Ask {
	return db.Into(list, `SELECT `+holidayColumns+` FROM holidays
		WHERE school_id = :school AND date <= :to AND end_date >= :from ORDER BY date, id`, db.Args{"from": from, "to": to})
}

func getHoliday(ctx context.Context, q db.Q, holiday id.ID) (Holiday, error) {
	h, err := db.One[Holiday](ctx, q, `SELECT `+holidayColumns+` FROM holidays WHERE school_id = :school AND id = :id`, db.Args{"id": holiday})
	if err != nil {
		return h, holidayFault("read holiday", err)
	}
	return h, nil
}

func listHolidays(ctx context.Context, q db.Q, from, to clock.Date, search string, r page.Request) (page.Of[Holiday], error) {
	search = db.Contains(fold(search))
	return db.Page[Holiday](ctx, q, db.List{
		Columns: holidayColumns,
		From: `holidays WHERE school_id = :school` +
			db.When(from != "", ` AND end_date >= :from`) +
			db.When(to != "", ` AND date <= :to`) +
			db.When(search != "", ` AND search LIKE :search ESCAPE '\'`),
		Sorts:   map[string]string{"date": "date", "endDate": "end_date", "name": "search", "createdAt": "created_at"},
		Default: "date",
	}, r, db.Args{"from": from, "to": to, "search": search})
}

func holidayArgs(h Holiday) db.Args {
	return db.Args{"id": h.ID, "date": h.Date, "end": h.EndDate, "name": h.Name, "search": fold(h.Name),
		"version": h.Version, "updated": h.UpdatedAt}
}

func putHoliday(ctx context.Context, tx *db.Tx, h Holiday) error {
	a := holidayArgs(h)
	a["created"] = h.CreatedAt
	_, err := db.Exec(ctx, tx, `
		INSERT INTO holidays (school_id, id, date, end_date, name, search, version, created_at, updated_at)
		VALUES (:school, :id, :date, :end, :name, :search, :version, :created, :updated)`, a)
	return err
}

// updateHoliday writes the next version of h.
func updateHoliday(ctx context.Context, tx *db.Tx, h Holiday) error {
	return db.Update(ctx, tx, `
		UPDATE holidays SET date = :date, end_date = :end, name = :name, search = :search, version = version + 1, updated_at = :updated
		WHERE school_id = :school AND id = :id AND version = :version`, holidayArgs(h))
}

func deleteHoliday(ctx context.Context, tx *db.Tx, holiday id.ID) error {
	n, err := db.Exec(ctx, tx, `DELETE FROM holidays WHERE school_id = :school AND id = :id`, db.Args{"id": holiday})
	if err == nil && n == 0 { // another call was first
		return db.ErrNotFound
	}
	return err
}
