package people

import (
	"context"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/page"
	"homeroom/internal/platform/web"
)

func (s *Service) guardianRoutes() []web.Route {
	return []web.Route{
		web.Handle("GET /school-admin/guardian/list", s.guardians, web.Read("student"), web.List("name", "createdAt"),
			web.Doc("Guardians with their children.")),
		web.Handle("GET /school-admin/guardian/{id}", s.guardian, web.Read("student"), web.Doc("One guardian, with the children.")),
		web.Handle("PUT /school-admin/guardian/{id}", s.changeGuardian, web.Write("student"),
			web.Doc("Correct a guardian's name, phone, e-mail, address or language.")),
		web.Handle("POST /school-admin/guardian/{id}/merge", s.mergeGuardians, web.Write("student"), web.Says("Merged."),
			web.Doc("Merge another record of the same person into this one. Children, conversations and notifications follow; "+
				"of two links to one child the stricter rights hold. This can't be undone.")),
		web.Handle("GET /school-admin/guardian/change/list", s.contactChanges, web.Read("student"), web.List("createdAt"),
			web.Doc("Changes of contact data that parents have proposed. Default: those waiting for a decision.")),
		web.Handle("POST /school-admin/guardian/change/{id}/accept", s.acceptChange, web.Write("student"), web.Says("Accepted."),
			web.Doc("Apply a proposed change. The parent is told.")),
		web.Handle("POST /school-admin/guardian/change/{id}/reject", s.rejectChange, web.Write("student"), web.Says("Rejected."),
			web.Doc("Reject a proposed change. The parent is told the reason.")),
		web.Handle("GET /parent/contact", s.ownContact, web.Read("student"),
			web.Doc("The caller's own contact data, and the change that waits for the office.")),
		web.Handle("POST /parent/contact/change", s.Propose, web.Write("message"), web.Created(),
			web.Doc("Propose a change of the own contact data. It replaces an earlier one that waits. The office decides.")),
		web.Handle("POST /parent/contact/change/cancel", s.cancelChange, web.Write("message"), web.Says("Cancelled."),
			web.Doc("Take the proposed change back.")),
	}
}

func (s *Service) guardians(ctx context.Context, who actor.Actor, in page.Ask[guardianFilters]) (page.Of[GuardianRecord], error) {
	q := s.DB.School(who.School)
	out, err := listGuardians(ctx, q, in)
	if err != nil || out.Total > 0 {
		return out, err
	}
	return out, MustExist(ctx, q, Ref{"students", in.Filters.StudentID, ErrNoStudent})
}

func (s *Service) guardian(ctx context.Context, who actor.Actor, in idIn) (GuardianRecord, error) {
	return getGuardian(ctx, s.DB.School(who.School), in.ID)
}

type changeGuardianIn struct {
	ID id.ID `path:"id"`
	GuardianChange
}

func (s *Service) changeGuardian(ctx context.Context, who actor.Actor, in changeGuardianIn) (out GuardianRecord, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		out, err = s.ChangeGuardian(ctx, tx, who, in.ID, in.GuardianChange)
		return err
	})
	return out, err
}

type mergeIn struct {
	ID         id.ID `path:"id"`
	GuardianID id.ID `json:"guardianId" required:"true" doc:"The record that goes."`
}

func (s *Service) mergeGuardians(ctx context.Context, who actor.Actor, in mergeIn) (out GuardianRecord, err error) {
	err = s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
		out, err = s.MergeGuardians(ctx, tx, who, in.ID, in.GuardianID)
		return err
	})
	return out, err
}
