package identity

import (
	"context"
	"fmt"
	"slices"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
)

// pinsOf is what wrong PINs are counted by: the phone, so that one which nobody
// has locks like any other, and the account, so that whoever has another account
// with the same phone can't end its count.
func pinsOf(phone string, user id.ID) []string { return []string{phone, phone + " " + string(user)} }

// setPIN stores the caller's PIN, and unlocks it.
func (s *Service) setPIN(ctx context.Context, who actor.Actor, pin string) error {
	a, err := own(ctx, s.DB.School(who.School), who.User)
	if err != nil {
		return err
	}
	hash, err := s.Hasher.Hash(ctx, pin)
	if err != nil {
		return err
	}
	return s.settle(ctx, func(ctx context.Context, tx *db.Tx) (refused, err error) {
		if err := wrongPINs.forget(ctx, tx, pinsOf(deref(a.Phone), a.ID)...); err != nil {
			return nil, fmt.Errorf("unlock PIN: %w", err)
		}
		return nil, s.DB.InSchool(ctx, who.School, func(ctx context.Context, tx *db.Tx) error {
			return putPIN(ctx, tx, who.User, hash)
		})
	})
}

// verifyPIN signs in with a PIN. For a phone that nobody has, or that has no PIN,
// it does the same work, and locks as well.
//
// The PIN is hashed before the wrong ones are counted, so that no transaction
// waits for a hash. Of many tries at once all may be hashed, but only as many
// as the rule allows learn whether they were right.
func (s *Service) verifyPIN(ctx context.Context, who actor.Actor, in verifyPINIn, path actor.Role) (out signedIn, err error) {
	accounts, err := listByPhone(ctx, s.across(), in.Phone)
	if err != nil {
		return out, fmt.Errorf("read accounts: %w", err)
	}
	accounts = fitting(accounts, path)
	a := in.pinned(accounts)
	if err := wrongPINs.peek(ctx, s.across(), in.Phone, s.Now()); err != nil {
		return out, err
	}
	right, err := s.Hasher.Verify(ctx, in.PIN, a.PINHash)
	if err != nil {
		return out, err
	}
	err = s.settle(ctx, func(ctx context.Context, tx *db.Tx) (refused, err error) {
		if refused, err = s.countPIN(ctx, tx, pinsOf(in.Phone, a.ID), right); refused != nil || err != nil {
			return refused, err
		}
		out, err = s.start(ctx, who, a, in.Device, byPIN)
		out.Accounts = others(accounts, a)
		return nil, err
	})
	return out, err
}

// countPIN counts a try, and refuses one that is wrong or too many.
func (s *Service) countPIN(ctx context.Context, tx *db.Tx, what []string, right bool) (refused, err error) {
	wrong, refused, err := wrongPINs.ofAll(ctx, tx, what, s.Now())
	switch {
	case err != nil:
		return nil, fmt.Errorf("read wrong PINs: %w", err)
	case refused != nil:
		return refused, nil
	case right:
		return nil, wrongPINs.forget(ctx, tx, what...)
	}
	for _, w := range wrong {
		if err := w.add(ctx, tx); err != nil {
			return nil, fmt.Errorf("count wrong PINs: %w", err)
		}
	}
	return errPIN, nil
}

// pinned returns the wished-for account, one with a PIN before one without. It
// is the zero account, whose PIN nobody knows, if there is none.
func (w wish) pinned(accounts []account) account {
	with := slices.DeleteFunc(slices.Clone(accounts), func(a account) bool { return a.PINHash == "" })
	if a, ok := w.among(with); ok {
		return a
	}
	a, _ := w.among(accounts)
	return a
}
