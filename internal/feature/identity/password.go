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
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/password"
)

// minPassword is the length of a password in characters.
const minPassword = 10

// login signs an administrator in. An unknown e-mail takes the same time.
func (s *Service) login(ctx context.Context, who actor.Actor, in loginIn) (out signedIn, err error) {
	a, err := getByEmail(ctx, s.across(), in.Email)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return out, fmt.Errorf("read account: %w", err)
	}
	at := attempt{way: byPassword, name: in.Email, who: who, from: in.from, at: a}
	err = s.tryPassword(ctx, &at, in.Password, errLogin, func(ctx context.Context, tx *db.Tx) (refused, err error) {
		out, refused, err = s.start(ctx, tx, &at, proof{at: s.Now()}, errLogin)
		return refused, err
	})
	return out, err
}

// tryPassword runs then in a transaction if the password is right and the limits
// allow it. As with PINs, it hashes before it takes locks.
func (s *Service) tryPassword(ctx context.Context, at *attempt, password string, no error,
	then func(context.Context, *db.Tx) (refused, err error)) error {
	if err := s.recognise(ctx, s.across(), at); err != nil {
		return err
	}
	limits := append(at.anywhere(), wrongPasswords.by(at.name, at.place))
	refused := s.peek(ctx, s.across(), limits...)
	right := false
	if refused == nil {
		var err error
		if right, err = s.Hasher.Verify(ctx, password, at.at.PasswordHash); err != nil {
			return err
		}
	}
	return s.try(ctx, at, func(ctx context.Context, tx *db.Tx) (_, err error) {
		if refused != nil {
			return refused, nil
		}
		wrong, err := s.lock(ctx, tx, limits...)
		if err != nil {
			return nil, fmt.Errorf("read wrong passwords: %w", err)
		}
		if refused := wrong.closed(); refused != nil {
			return refused, nil
		}
		if !right {
			if err := wrong.add(ctx, tx); err != nil {
				return nil, fmt.Errorf("count wrong passwords: %w", err)
			}
			return no, s.alertLockout(ctx, tx, *at, wrong)
		}
		if err := s.forget(ctx, tx, limits[len(limits)-1]); err != nil {
			return nil, fmt.Errorf("forget wrong passwords: %w", err)
		}
		return then(ctx, tx)
	})
}

// changePassword sets the caller's password and ends the caller's other sessions.
func (s *Service) changePassword(ctx context.Context, who actor.Actor, in changePasswordIn) error {
	a, err := own(ctx, s.DB.School(who.School), who.User)
	if err != nil {
		return err
	}
	if err := checkPassword("newPassword", in.NewPassword, a.Name, a.SchoolName, opt.Value(a.Email), opt.Value(a.Phone)); err != nil {
		return err
	}
	hash, err := s.Hasher.Hash(ctx, in.NewPassword)
	if err != nil {
		return err
	}
	at := attempt{way: byPassword, name: opt.Value(a.Email), who: who, at: a}
	return s.tryPassword(ctx, &at, in.CurrentPassword, errPassword, func(ctx context.Context, tx *db.Tx) (refused, err error) {
		at.issued = true
		tx = tx.School(who.School)
		same, err := s.claimUnchanged(ctx, tx, a, byPassword, who.Session)
		if err != nil || !same {
			return errPassword, err
		}
		return nil, s.setPassword(ctx, tx, who, who.User, hash, who.Session)
	})
}

// setPassword writes the hash, ends all sessions but one and notifies the owner.
func (s *Service) setPassword(ctx context.Context, tx *db.Tx, who actor.Actor, user id.ID, hash string, but id.ID) error {
	before, err := getAccount(ctx, tx, user)
	if err != nil {
		return db.Found("read account", err, ErrNoUser)
	}
	switch found, err := putPassword(ctx, tx, user, hash, s.Now()); {
	case err != nil:
		return fmt.Errorf("write password: %w", err)
	case !found:
		return ErrNoUser
	}
	if err := deleteResets(ctx, tx, user); err != nil {
		return fmt.Errorf("delete links: %w", err)
	}
	if err := s.endAll(ctx, tx, user, but); err != nil {
		return err
	}
	if before.PasswordHash != "" {
		if err := s.alert(ctx, tx, before, byPassword, newPassword); err != nil {
			return err
		}
	}
	return s.Audit.Record(ctx, tx, who, "user.password", "user", user, nil, nil)
}

// checkPassword refuses a password that is too short or easy to guess, such as one of
// known: the names of the person and school, e-mail and phone.
func checkPassword(field, new string, known ...string) error {
	if n := len([]rune(new)); n < minPassword || strings.TrimSpace(new) == "" {
		return fault.OnField(field, "must have at least %d characters", minPassword)
	}
	if err := password.Check(new, known...); err != nil {
		return fault.OnField(field, "%v", err)
	}
	return nil
}
