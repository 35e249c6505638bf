package fee

import (
	"fmt"
	"strings"

	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
)

// NewItem is what an item of a structure is made of.
type NewItem struct {
	FeeHeadID  *id.ID         `json:"feeHeadId" doc:"What it is for; or its name."`
	Name       string         `json:"name" maxLength:"100" doc:"The name of a fee head, which is made if there is none." example:"Tuition"`
	Amount     money.Positive `json:"amount" required:"true" minimum:"0.01" maximum:"9999999999.99" example:"1500"`
	Frequency  string         `json:"frequency" enum:"ONCE,MONTHLY,QUARTERLY,TERM,YEARLY" default:"ONCE"`
	DueDay     *int           `json:"dueDay" minimum:"1" maximum:"31" doc:"The day of the first month of each period on which it falls due; the last day of a shorter month. Left out: 10."`
	DueDate    *clock.Date    `json:"dueDate" doc:"In place of dueDay, for ONCE and YEARLY."`
	IsOptional bool           `json:"isOptional" doc:"Only students who chose it are charged."`
	Category   string         `json:"category" maxLength:"50" doc:"Only students of this fee category are charged. Left out: all."`
	StartDate  *clock.Date    `json:"startDate" doc:"Periods that begin before this day are not charged."`
	EndDate    *clock.Date    `json:"endDate" doc:"Periods that begin after this day are not charged."`
}

func (in *NewItem) check(at string) (bad []fault.Field) {
	say := func(field, what string) { bad = append(bad, fault.Field{Field: at + field, Message: what}) }
	if in.FeeHeadID == nil && strings.TrimSpace(in.Name) == "" {
		say("feeHeadId", "or name is required")
	}
	if in.DueDate != nil && in.Frequency != "ONCE" && in.Frequency != "YEARLY" {
		say("dueDate", "is for ONCE and YEARLY: give a dueDay")
	}
	if in.DueDate != nil && in.DueDay != nil {
		say("dueDate", "must not stand beside dueDay")
	}
	if in.StartDate != nil && in.EndDate != nil && *in.EndDate < *in.StartDate {
		say("endDate", "must not be before startDate")
	}
	return bad
}

// NewLateFine is the rule for what is not paid in time.
type NewLateFine struct {
	PerDay    *money.Positive `json:"perDay" minimum:"0.01" maximum:"9999999999.99" doc:"For each day after the days of grace."`
	Flat      *money.Positive `json:"flat" minimum:"0.01" maximum:"9999999999.99" doc:"Once, in place of perDay."`
	GraceDays int             `json:"graceDays" minimum:"0" maximum:"366"`
}

func (in *NewLateFine) check() (bad []fault.Field) {
	if (in.PerDay == nil) == (in.Flat == nil) {
		bad = append(bad, fault.Field{Field: "lateFine.perDay", Message: "or flat is required, and not both"})
	}
	return bad
}

// itemChangeIn is an item that is new, or there already.
type itemChangeIn struct {
	ID *id.ID `json:"id" doc:"Of an item that is there already. Items that are left out are removed."`
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
				bad = append(bad, fault.Field{Field: at + "id", Message: "is there already"})
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
