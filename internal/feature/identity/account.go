package identity

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"time"

	"homeroom/internal/feature/access"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
)

// Status is whether an account may be used.
type Status string

// The statuses. A deleted account is blank and in no list.
const (
	Active   Status = "ACTIVE"
	Disabled Status = "DISABLED"
	deleted  Status = "DELETED"
)

// User is an account in the management API.
type User struct {
	ID          id.ID      `json:"id"`
	Role        actor.Role `json:"role"`
	RoleID      id.ID      `json:"roleId"`
	Name        string     `json:"name"`
	Phone       *string    `json:"phone"`
	Email       *string    `json:"email"`
	HasPassword bool       `json:"hasPassword" doc:"False until the invitation link is used."`
	Status      Status     `json:"status" enum:"ACTIVE,DISABLED"`
	LastSeenAt  *time.Time `json:"lastSeenAt" doc:"When the user last signed in or refreshed the token."`
	Version     int        `json:"version" doc:"Grows with each change. Send it with a PUT to detect concurrent changes."`
	CreatedAt   time.Time  `json:"createdAt"`
	UpdatedAt   time.Time  `json:"updatedAt"`
}

// search is the content of the search column, lower-cased here because SQLite
// lower-cases ASCII only.
func (u User) search() string {
	return strings.ToLower(strings.TrimSpace(u.Name + " " + opt.Value(u.Phone) + " " + opt.Value(u.Email)))
}

// check refuses an account that could not sign in.
func (u User) check() error {
	switch {
	case byEmail(u.Role) && u.Email == nil:
		return errNeedEmail
	case !byEmail(u.Role) && u.Phone == nil:
		return errNeedPhone
	}
	return nil
}

// NewAccount is the input of CreateAccount. Phone and e-mail must be normalized.
type NewAccount struct {
	Role         actor.Role
	RoleID       id.ID // "" = the school's system role of that type
	Name         string
	Phone        string // login of parents, teachers and drivers
	Email        string // login of administrators
	PasswordHash string // an administrator without one is sent a link to set a password
}

// CreateAccount creates an account in tx's school. 403 for an administrator with more
// permissions than the caller; 409 if the role and phone (see FindByPhone) or the
// administrator's e-mail are taken.
func (s *Service) CreateAccount(ctx context.Context, tx *db.Tx, who actor.Actor, n NewAccount) (id.ID, error) {
	u, err := s.create(ctx, tx, who, n)
	return u.ID, err
}

func (s *Service) create(ctx context.Context, tx *db.Tx, who actor.Actor, n NewAccount) (User, error) {
	now := s.Now()
	u := User{ID: s.NewID(), Role: n.Role, RoleID: n.RoleID, Name: strings.TrimSpace(n.Name), Phone: opt.Ptr(n.Phone), Email: opt.Ptr(n.Email),
		HasPassword: n.PasswordHash != "", Status: Active, Version: 1, CreatedAt: now, UpdatedAt: now}
	if err := u.check(); err != nil {
		return u, err
	}
	if u.RoleID == "" {
		role, err := access.System(ctx, tx, u.Role)
		if err != nil {
			return u, err
		}
		u.RoleID = role.ID
	}
	if u.Role == actor.SchoolAdmin {
		if err := s.MayAppoint(ctx, tx, who, u.RoleID); err != nil {
			return u, err
		}
	}
	if err := putUser(ctx, tx, u, n.PasswordHash); err != nil {
		return u, userFault("create account", err)
	}
	if err := s.Audit.Record(ctx, tx, who, "user.create", "user", u.ID, nil, u); err != nil {
		return u, err
	}
	return u, s.setLogin(ctx, tx, who, User{}, u)
}

// FindByPhone returns the account of q's school that has this role and phone, or
// ErrNoUser.
func (s *Service) FindByPhone(ctx context.Context, q db.Q, role actor.Role, phone string) (id.ID, error) {
	user, err := findByPhone(ctx, q, role, phone)
	if err != nil {
		return "", userFault("find account", err)
	}
	return user, nil
}

// Get returns an account of q's school, or ErrNoUser.
func (s *Service) Get(ctx context.Context, q db.Q, user id.ID) (User, error) {
	u, err := getUser(ctx, q, user)
	if err != nil {
		return u, userFault("read account", err)
	}
	return u, nil
}

// CountByRole counts the accounts of q's school with the role, and the employees who have none
// yet: with a phone or e-mail they get one of the role.
func (s *Service) CountByRole(ctx context.Context, q db.Q, role id.ID) (int, error) {
	return countByRole(ctx, q, role)
}

// Invite creates an administrator of tx's school and sends a link to set a password.
func (s *Service) Invite(ctx context.Context, tx *db.Tx, _ id.ID, name, email, phone string) error {
	_, err := s.create(ctx, tx, actor.Actor{}, NewAccount{Role: actor.SchoolAdmin, Name: name, Email: email, Phone: phone})
	return err
}

// CreateSuperAdmin creates a super-administrator with a password, for the command line.
func (s *Service) CreateSuperAdmin(ctx context.Context, name, email, password string) (made id.ID, err error) {
	email = strings.ToLower(strings.TrimSpace(email))
	if a, err := mail.ParseAddress(email); err != nil || a.Address != email {
		return "", fault.OnField("email", "must be an e-mail address, as name@example.org")
	}
	if strings.TrimSpace(name) == "" {
		return "", fault.OnField("name", "is required")
	}
	if err := checkPassword("password", password, name, email); err != nil {
		return "", err
	}
	hash, err := s.Hasher.Hash(ctx, password)
	if err != nil {
		return "", err
	}
	err = s.DB.InSchool(ctx, school.PlatformID, func(ctx context.Context, tx *db.Tx) error {
		if err := lockSetup(ctx, tx); err != nil {
			return err
		}
		made, err = s.CreateAccount(ctx, tx, actor.Actor{}, NewAccount{Role: actor.SuperAdmin, Name: name, Email: email, PasswordHash: hash})
		return err
	})
	return made, err
}

// userFault turns a constraint violation into a fault.
func userFault(doing string, err error) error {
	switch {
	case errors.Is(err, db.ErrNotFound):
		return ErrNoUser.Because(err)
	case db.IsDuplicate(err, "users_phone"):
		return errPhone.Because(err)
	case db.IsDuplicate(err, "email_logins_email"):
		return errEmail.Because(err)
	case db.IsReference(err):
		return errRoleType.Because(err)
	}
	return fmt.Errorf("%s: %w", doing, err)
}
