package announcement

import (
	"context"

	"homeroom/internal/feature/notification"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
)

type previewIn struct {
	Title       string   `json:"title" maxLength:"200"`
	Body        string   `json:"body" maxLength:"20000" multiline:"true"`
	Audience    Audience `json:"audience" enum:"ALL,PARENTS,TEACHERS,DRIVERS,CLASS,DIVISION" default:"ALL"`
	ClassIDs    []id.ID  `json:"classIds" maxItems:"200" example:"-" doc:"Only allowed with audience CLASS."`
	DivisionIDs []id.ID  `json:"divisionIds" maxItems:"500" example:"-" doc:"Only allowed with audience DIVISION."`
	Urgent      bool     `json:"urgent"`
}

type previewOut struct {
	People   int `json:"people" doc:"Everyone in the audience."`
	Accounts int `json:"accounts" doc:"Those of them with an account, who find it in the app."`
	notification.Reach
	SMSCost *money.Money `json:"smsCost" doc:"Estimated price of the SMS; null if the school has not set smsCost."`
}

// preview counts whom an announcement would reach if it were published now. It writes
// and sends nothing.
func (s *Service) preview(ctx context.Context, who actor.Actor, in previewIn) (out previewOut, err error) {
	a := New{Title: in.Title, Body: in.Body, Audience: in.Audience, ClassIDs: in.ClassIDs, DivisionIDs: in.DivisionIDs,
		Urgent: in.Urgent}.announcement(s.Now())
	a.CreatedBy = who.User
	if err := a.check(); err != nil {
		return out, err
	}
	q := s.DB.School(who.School)
	if _, err := s.targets(ctx, q, who, a); err != nil {
		return out, err
	}
	c, err := recipientsOf(ctx, q, who.School, a)
	if err != nil {
		return out, err
	}
	sch, err := school.Get(ctx, q)
	if err != nil {
		return out, err
	}
	out.Accounts, out.People = len(c.users), len(c.users)
	for _, guardians := range c.others {
		out.People += len(guardians)
	}
	out.Reach, err = s.Notify.Reach(ctx, q, c.notices(a))
	if sch.SMSCost > 0 {
		out.SMSCost = new(sch.SMSCost * money.Money(out.SMSParts))
	}
	return out, err
}
