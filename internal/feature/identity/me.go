package identity

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/web"
)

// meOut is the signed-in user with what an app needs to build its menus.
type meOut struct {
	User        meUser         `json:"user"`
	School      meSchool       `json:"school"`
	Permissions []permission   `json:"permissions" doc:"The permissions of the role, by module."`
	Accounts    []shownAccount `json:"accounts,omitempty" doc:"The other accounts of the phone that opened this session. Switch to one with /auth/switch."`
	SessionID   id.ID          `json:"sessionId"`
}

type meUser struct {
	ID       id.ID      `json:"id"`
	Name     string     `json:"name"`
	Phone    *string    `json:"phone"`
	Email    *string    `json:"email"`
	Role     actor.Role `json:"role" enum:"PARENT,TEACHER,DRIVER,SCHOOL_ADMIN,SUPER_ADMIN"`
	RoleID   id.ID      `json:"roleId"`
	SchoolID id.ID      `json:"schoolId"`
	HasPIN   bool       `json:"hasPin" doc:"Whether a PIN is set, so that /auth/verify-pin works."`

	HasSecondFactor bool `json:"hasSecondFactor"`
}

type meSchool struct {
	ID             id.ID  `json:"id"`
	Name           string `json:"name"`
	Timezone       string `json:"timezone"`
	EvaluationMode bool   `json:"evaluationMode"`
}

type permission struct {
	Module    string `json:"module"`
	CanRead   bool   `json:"canRead"`
	CanWrite  bool   `json:"canWrite"`
	CanDelete bool   `json:"canDelete"`
}

func (s *Service) me(ctx context.Context, who actor.Actor, _ web.None) (out meOut, err error) {
	a, p, err := s.opened(ctx, who)
	if err != nil {
		return out, err
	}
	out = meOut{
		User: meUser{ID: a.ID, Name: a.Name, Phone: a.Phone, Email: a.Email, Role: a.Role, RoleID: who.RoleID,
			SchoolID: a.SchoolID, HasPIN: a.PINHash != ""},
		School:    meSchool{ID: a.SchoolID, Name: a.SchoolName, Timezone: who.Zone, EvaluationMode: who.Evaluation},
		SessionID: who.Session, Permissions: []permission{},
	}
	second, err := getSecond(ctx, s.DB.School(who.School), who.User)
	if err != nil {
		return out, err
	}
	out.User.HasSecondFactor = second.ConfirmedAt != nil
	for _, module := range slices.Sorted(maps.Keys(who.Grants)) {
		out.Permissions = append(out.Permissions, permission{module,
			who.Can(module, actor.Read), who.Can(module, actor.Write), who.Can(module, actor.Delete)})
	}
	out.Accounts, err = s.siblings(ctx, a, p)
	return out, err
}

// siblings are the other accounts of the phone whose code opened the session.
func (s *Service) siblings(ctx context.Context, a account, p proof) ([]shownAccount, error) {
	if p.phone == "" || opt.Value(a.Phone) != p.phone {
		return nil, nil
	}
	accounts, err := listByPhone(ctx, s.across(), p.phone)
	if err != nil {
		return nil, fmt.Errorf("read accounts: %w", err)
	}
	return others(inRole(accounts, ""), a), nil
}
