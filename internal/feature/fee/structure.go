package fee

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"homeroom/internal/feature/fee/ledger"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

// Structure has the fees of a class in its academic year.
type Structure struct {
	ID             id.ID     `json:"id"`
	ClassID        id.ID     `json:"classId"`
	ClassName      string    `json:"className"`
	AcademicYearID id.ID     `json:"academicYearId"`
	Terms          int       `json:"termsPerYear"`
	Items          []Item    `json:"items" db:"-"`
	LateFine       *LateFine `json:"lateFine" db:"-"`
	Version        int       `json:"version"`
	CreatedAt      time.Time `json:"createdAt"`
	UpdatedAt      time.Time `json:"updatedAt"`

	FinePerDay *money.Money `json:"-"`
	FineFlat   *money.Money `json:"-"`
	GraceDays  int          `json:"-"`
}

// LateFine is the rule for charges that are not paid in time.
type LateFine struct {
	PerDay    *money.Money `json:"perDay" doc:"For each day after the grace period."`
	Flat      *money.Money `json:"flat" doc:"Charged once, after the grace period."`
	GraceDays int          `json:"graceDays" doc:"Grace period: days after the due date without a fine."`
}

// Item is one fee of a structure, charged once or per period.
type Item struct {
	ID          id.ID       `json:"id"`
	HeadID      id.ID       `json:"feeHeadId"`
	Head        string      `json:"feeHead"`
	Amount      money.Money `json:"amount"`
	Frequency   string      `json:"frequency" enum:"ONCE,MONTHLY,QUARTERLY,TERM,YEARLY"`
	DueDay      *int        `json:"dueDay"`
	DueDate     *clock.Date `json:"dueDate"`
	IsOptional  bool        `json:"isOptional"`
	Category    opt.Text    `json:"category"`
	StartDate   *clock.Date `json:"startDate"`
	EndDate     *clock.Date `json:"endDate"`
	StructureID id.ID       `json:"-"`
	Position    int         `json:"-"`
}

// NewStructure is the input of CreateStructure.
type NewStructure struct {
	ClassID        id.ID        `json:"classId" required:"true"`
	AcademicYearID *id.ID       `json:"academicYearId" doc:"If given, it must be the class's own academic year."`
	Items          []NewItem    `json:"items" required:"true" minItems:"1" maxItems:"100"`
	LateFine       *NewLateFine `json:"lateFine"`
	TermsPerYear   int          `json:"termsPerYear" minimum:"1" maximum:"4" default:"3" doc:"The number of terms a year, for TERM items."`
}

// Check validates the fields together.
func (in *NewStructure) Check() error { return checkParts(in.items(), in.LateFine) }

func (in *NewStructure) items() []itemChangeIn {
	out := make([]itemChangeIn, len(in.Items))
	for i, n := range in.Items {
		out[i].NewItem = n
	}
	return out
}

// CreateStructure sets the fees of a class. Named heads that don't exist are created.
func (s *Service) CreateStructure(ctx context.Context, who actor.Actor, in NewStructure) (out Structure, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := ledger.Lock(ctx, tx); err != nil { // so that no head is deleted meanwhile
			return err
		}
		years, err := people.ClassYears(ctx, tx, []id.ID{in.ClassID})
		if err != nil {
			return err
		}
		if in.AcademicYearID != nil && *in.AcademicYearID != years[in.ClassID] {
			if _, err := school.GetYear(ctx, tx, *in.AcademicYearID); err != nil {
				return err
			}
			return fault.OnField("classId", "is a class of another academic year")
		}
		now := s.Now()
		st := Structure{ID: s.NewID(), ClassID: in.ClassID, AcademicYearID: years[in.ClassID], Terms: in.TermsPerYear, Version: 1, CreatedAt: now,
			UpdatedAt: now}
		st.setFine(in.LateFine)
		if err := putStructure(ctx, tx, st); err != nil {
			return err
		}
		if err := s.replaceItems(ctx, tx, st, nil, in.items()); err != nil {
			return err
		}
		if out, err = getStructure(ctx, tx, "s.id", st.ID); err != nil {
			return err
		}
		return s.record(ctx, tx, who, "fee-structure.create", "fee-structure", st.ID, nil, out)
	})
	return out, err
}

func (s *Structure) setFine(in *NewLateFine) {
	s.FinePerDay, s.FineFlat, s.GraceDays = nil, nil, 0
	if in != nil {
		s.FinePerDay, s.FineFlat, s.GraceDays = (*money.Money)(in.PerDay), (*money.Money)(in.Flat), in.GraceDays
	}
}

type structureChangeIn struct {
	ID           id.ID                 `path:"id"`
	Items        *[]itemChangeIn       `json:"items" minItems:"1" maxItems:"100" doc:"All items. For one that has been charged, only the due day, the start date and the end date can change."`
	LateFine     web.Opt[*NewLateFine] `json:"lateFine" doc:"Null for none."`
	TermsPerYear *int                  `json:"termsPerYear" minimum:"1" maximum:"4"`
	Version      *int                  `json:"version" doc:"The version you read; 409 if it has changed since."`
}

// Check validates the fields together.
func (in *structureChangeIn) Check() error {
	var items []itemChangeIn
	if in.Items != nil {
		items = *in.Items
	}
	return checkParts(items, in.LateFine.V)
}

func (s *Service) updateStructure(ctx context.Context, who actor.Actor, in structureChangeIn) (after Structure, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := ledger.Lock(ctx, tx); err != nil { // so that no item is charged meanwhile
			return err
		}
		before, err := getStructure(ctx, tx, "s.id", in.ID)
		if err != nil {
			return err
		}
		if err := fault.SameVersion(in.Version, before.Version); err != nil {
			return err
		}
		st := before
		if in.LateFine.Set {
			st.setFine(in.LateFine.V)
		}
		if in.TermsPerYear != nil && *in.TermsPerYear != before.Terms {
			st.Terms = *in.TermsPerYear
			if err := mustBeUncharged(ctx, tx, before.Items, func(i Item) bool { return i.Frequency == "TERM" }); err != nil {
				return err
			}
		}
		st.Version, st.UpdatedAt = before.Version+1, s.Now()
		if err := updateStructure(ctx, tx, st, before.Version); err != nil {
			return err
		}
		if in.Items != nil {
			if err := s.replaceItems(ctx, tx, st, before.Items, *in.Items); err != nil {
				return err
			}
		}
		if after, err = getStructure(ctx, tx, "s.id", in.ID); err != nil {
			return err
		}
		return s.record(ctx, tx, who, "fee-structure.update", "fee-structure", in.ID, before, after)
	})
	return after, err
}

// replaceItems replaces the items of a structure. It refuses to change items that
// have been charged.
func (s *Service) replaceItems(ctx context.Context, tx *db.Tx, st Structure, was []Item, in []itemChangeIn) error {
	hs, err := s.readHeads(ctx, tx)
	if err != nil {
		return err
	}
	items := make([]Item, len(in))
	for i, n := range in {
		h, err := hs.find(n.FeeHeadID, n.Name)
		if err != nil {
			return err
		}
		items[i] = Item{ID: s.NewID(), HeadID: h.ID, Head: h.Name, Amount: money.Money(n.Amount), Frequency: n.Frequency, DueDay: n.DueDay,
			DueDate:    n.DueDate,
			IsOptional: n.IsOptional, Category: opt.Text(strings.TrimSpace(n.Category)), StartDate: n.StartDate, EndDate: n.EndDate,
			StructureID: st.ID, Position: i}
		if n.ID == nil {
			continue
		}
		items[i].ID = *n.ID
		if !slices.ContainsFunc(was, func(w Item) bool { return w.ID == *n.ID }) {
			return errNoItem
		}
	}
	frozen := func(old Item) bool {
		return !slices.ContainsFunc(items, func(n Item) bool {
			return n.ID == old.ID && n.HeadID == old.HeadID && n.Amount == old.Amount && n.Frequency == old.Frequency &&
				n.IsOptional == old.IsOptional && n.Category == old.Category
		})
	}
	if err := mustBeUncharged(ctx, tx, was, frozen); err != nil {
		return err
	}
	if err := putHeads(ctx, tx, hs.made...); err != nil {
		return err
	}
	return putItems(ctx, tx, st.ID, items)
}

// mustBeUncharged refuses a change to an item that has been charged.
func mustBeUncharged(ctx context.Context, q db.Q, items []Item, touches func(Item) bool) error {
	var ids []id.ID
	for _, i := range items {
		if touches(i) {
			ids = append(ids, i.ID)
		}
	}
	charged, err := chargedItems(ctx, q, ids)
	if err != nil {
		return err
	}
	for _, i := range items {
		if slices.Contains(charged, i.ID) {
			return errCharged.Saying("%s has already been charged. Give it an end date, and add a new item for the time after.", i.Head)
		}
	}
	return nil
}

func (s *Service) deleteStructure(ctx context.Context, who actor.Actor, in byID) (web.None, error) {
	return web.None{}, s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		if err := ledger.Lock(ctx, tx); err != nil {
			return err
		}
		st, err := getStructure(ctx, tx, "s.id", in.ID)
		if err != nil {
			return err
		}
		if err := mustBeUncharged(ctx, tx, st.Items, func(Item) bool { return true }); err != nil {
			return err
		}
		if _, err := db.Exec(ctx, tx, `DELETE FROM fee_structures WHERE school_id = :school AND id = :id`, db.Args{"id": in.ID}); err != nil {
			return fault.Wrap("delete fee structure", err)
		}
		return s.record(ctx, tx, who, "fee-structure.delete", "fee-structure", in.ID, st, nil)
	})
}

// ofClass gets a structure by the id of its class.
// structure returns the fee structure of a class, or the one that has the id, as PUT and DELETE take it.
func (s *Service) structure(ctx context.Context, who actor.Actor, in byID) (Structure, error) {
	q := s.DB.School(who.School)
	st, err := getStructure(ctx, q, "s.class_id", in.ID)
	if errors.Is(err, errNoStructure) {
		st, err = getStructure(ctx, q, "s.id", in.ID)
	}
	if errors.Is(err, errNoStructure) {
		err = cmp.Or(people.MustExist(ctx, q, people.Ref{Table: "classes", ID: &in.ID, Missing: errNoClass}), err)
	}
	return st, err
}

type structureFilters struct {
	ClassID        *id.ID `json:"classId,omitempty"`
	AcademicYearID *id.ID `json:"academicYearId,omitempty" doc:"Default: the year of classId, else the current academic year."`
}

func (s *Service) listStructures(ctx context.Context, who actor.Actor, in page.Ask[structureFilters]) (page.Of[Structure], error) {
	q, f := s.DB.School(who.School), in.Filters
	out, err := pageStructures(ctx, q, f, in.Request)
	if err != nil || out.Total > 0 {
		return out, err
	}
	return out, people.MustExist(ctx, q, people.Ref{Table: "classes", ID: f.ClassID, Missing: errNoClass},
		people.Ref{Table: "academic_years", ID: f.AcademicYearID, Missing: school.ErrNoYear})
}
