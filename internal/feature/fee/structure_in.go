package fee

import (
	"fmt"
	"strings"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
)

// NewItem is the input for an item of a structure.
type NewItem struct {
	FeeHeadID  *id.ID         `json:"feeHeadId" doc:"The fee head; or give its name."`
	Name       string         `json:"name" maxLength:"100" doc:"The name of a fee head. It is created if it doesn't exist." example:"Tuition"`
	Amount     money.Positive `json:"amount" required:"true" minimum:"0.01" maximum:"9999999999.99" example:"1500"`
	Frequency  string         `json:"frequency" enum:"ONCE,MONTHLY,QUARTERLY,TERM,YEARLY" default:"ONCE"`
	DueDay     *int           `json:"dueDay" minimum:"1" maximum:"31" doc:"Due day in the first month of each period; the last day in shorter months. Default: 10."`
	DueDate    *clock.Date    `json:"dueDate" example:"-" doc:"Instead of dueDay, for ONCE and YEARLY."`
	IsOptional bool           `json:"isOptional" doc:"Only students who take this option are charged."`
	Category   string         `json:"category" maxLength:"50" doc:"Only students of this fee category are charged. Default: all students."`
	StartDate  *clock.Date    `json:"startDate" doc:"Periods that begin before this day are not charged."`
	EndDate    *clock.Date    `json:"endDate" doc:"Periods that begin after this day are not charged."`
}

func (in *NewItem) check(at string) (bad []fault.Field) {
	say := func(field, what string) { bad = append(bad, fault.Field{Field: at + field, Message: what}) }
	if in.FeeHeadID == nil && strings.TrimSpace(in.Name) == "" {
		say("feeHeadId", "or name is required")
	}
	if in.DueDate != nil && in.Frequency != "ONCE" && in.Frequency != "YEARLY" {
		say("dueDate", "is only allowed with ONCE and YEARLY; use dueDay instead")
	}
	if in.DueDate != nil && in.DueDay != nil {
		say("dueDate", "can't be combined with dueDay")
	}
	if in.StartDate != nil && in.EndDate != nil && *in.EndDate < *in.StartDate {
		say("endDate", "must not be before startDate")
	}
	return bad
}

// NewLateFine is the input for a LateFine.
type NewLateFine struct {
	PerDay    *money.Positive `json:"perDay" minimum:"0.01" maximum:"9999999999.99" doc:"For each day after the grace period."`
	Flat      *money.Positive `json:"flat" minimum:"0.01" maximum:"9999999999.99" example:"-" doc:"Charged once, instead of perDay."`
	GraceDays int             `json:"graceDays" minimum:"0" maximum:"366"`
}

func (in *NewLateFine) check() (bad []fault.Field) {
	if (in.PerDay == nil) == (in.Flat == nil) {
		bad = append(bad, fault.Field{Field: "lateFine.perDay", Message: "or flat is required, but not both"})
	}
	return bad
}

// itemChangeIn is a new or an existing item.
type itemChangeIn struct {
	ID *id.ID `json:"id" doc:"The id of an existing item. Items that are left out are deleted."`
	NewItem
}

func checkParts(items []itemChangeIn, fine *NewLateFine) error {
	var bad []fault.Field
	seen := map[id.ID]bool{}
	for i := range items {
		at := fmt.Sprintf("items[%d].", i)
		bad = append(bad, items[i].check(at)...)
		if own := items[i].ID; own != nil {
			if seen[*own] {
				bad = append(bad, fault.Field{Field: at + "id", Message: "is a duplicate"})
			}
			seen[*own] = true
		}
	}
	if fine != nil {
		bad = append(bad, fine.check()...)
	}
	if len(bad) > 0 {
		return fault.Fields(bad...)
	}
	return nil
}
