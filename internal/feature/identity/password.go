package identity

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
)

// minPassword is the length of a password in characters.
const minPassword = 10

// login signs an administrator in. For an e-mail that nobody has it does the
// same work. As with PINs, the hash comes before the count.
func (s *Service) login(ctx context.Context, who actor.Actor, in loginIn) (out signedIn, err error) {
	a, err := getByEmail(ctx, s.across(), in.Email)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return out, fmt.Errorf("read account: %w", err)
	}
	err = s.tryPassword(ctx, in.Email, in.Password, a.PasswordHash, errLogin, func(ctx context.Context) error {
		out, err = s.start(ctx, who, a, in.Device, byPassword)
		return err
	})
	if err != nil {
		return signedIn{}, err
	}
	out.Accounts, err = s.siblings(ctx, a)
	return out, err
}

// tryPassword runs then, in a transaction, if the password is right and the
// e-mail's wrong ones were not too many.
func (s *Service) tryPassword(ctx context.Context, email, password, hash string, no *fault.Fault, then func(context.Context) error) error {
	now := s.Now()
	if err := wrongPasswords.peek(ctx, s.across(), email, now); err != nil {
		return err
	}
	right, err := s.Hasher.Verify(ctx, password, hash)
	if err != nil {
		return err
	}
	return s.settle(ctx, func(ctx context.Context, tx *db.Tx) (refused, err error) {
		wrong, err := wrongPasswords.of(ctx, tx, email, now)
		if err != nil {
			return nil, fmt.Errorf("read wrong passwords: %w", err)
		}
		if refused := wrong.closed(); refused != nil {
			return refused, nil
		}
		if !right {
			return no, wrong.add(ctx, tx)
		}
		return nil, then(ctx)
	})
}

// changePassword sets the caller's password, and ends the caller's other sign-ins.
func (s *Service) changePassword(ctx context.Context, who actor.Actor, in changePasswordIn) error {
	a, err := own(ctx, s.DB.School(who.School), who.User)
	if err != nil {
		return err
	}
	hash, err := s.Hasher.Hash(ctx, in.NewPassword)
	if err != nil {
		return err
	}
	return s.tryPassword(ctx, deref(a.Email), in.CurrentPassword, a.PasswordHash, errPassword, func(ctx context.Context) error {
		return s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
			return s.setPassword(ctx, tx, who, who.User, hash, who.Session)
		})
	})
}

// SetPassword sets a user's password and ends all of the user's sign-ins.
func (s *Service) SetPassword(ctx context.Context, who actor.Actor, school, user id.ID, password string) error {
	if err := checkPassword("password", password); err != nil {
		return err
	}
	hash, err := s.Hasher.Hash(ctx, password)
	if err != nil {
		return err
	}
	return s.DB.InSchool(ctx, school, func(ctx context.Context, tx *db.Tx) error {
		return s.setPassword(ctx, tx, who, user, hash, "")
	})
}

// setPassword writes the hash; the sessions of the old password end, but one.
func (s *Service) setPassword(ctx context.Context, tx *db.Tx, who actor.Actor, user id.ID, hash string, but id.ID) error {
	now := s.Now()
	found, err := putPassword(ctx, tx, user, hash, now)
	switch {
	case err != nil:
		return fmt.Errorf("write password: %w", err)
	case !found:
		return ErrNoUser
	}
	if err := deleteResets(ctx, tx, user); err != nil {
		return fmt.Errorf("delete links: %w", err)
	}
	if err := revokeAll(ctx, tx, user, but, now); err != nil {
		return fmt.Errorf("end sessions: %w", err)
	}
	if err := s.Audit.Record(ctx, tx, who, "user.password", "user", user, nil, nil); err != nil {
		return err
	}
	return announce(ctx, tx, user)
}

func checkPassword(field, password string) error {
	if n := len([]rune(password)); n < minPassword || strings.TrimSpace(password) == "" {
		return fault.OnField(field, "must have at least %d characters", minPassword)
	}
	return nil
}
