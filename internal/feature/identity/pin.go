package identity

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/opt"
)

var (
	errOldProof = fault.Denied("Sign in with a code again, or send your current PIN as currentPin: you signed in more than 10 minutes ago.")
	errWeakPIN  = fault.OnField("pin", "is too easy to guess: don't repeat one digit or count up or down")
)

// pinLimits are the rate limits of wrong PINs: by phone, so that unknown phones lock
// like known ones, and by account, so that another account with the same phone can't
// reset its count.
func pinLimits(a attempt) []limited {
	user := string(a.at.ID)
	return append(a.anywhere(), wrongPINs.by(a.name, a.place), wrongPINs.by(a.name, a.place, user), wrongPINsInARow.by(a.name, user))
}

// setPIN stores the caller's PIN. It needs a recent sign-in by code or password, or
// the current PIN.
func (s *Service) setPIN(ctx context.Context, who actor.Actor, in setPINIn) error {
	a, p, err := s.opened(ctx, who)
	if err != nil {
		return err
	}
	if err := s.strongEnough(ctx, who, in.PIN); err != nil {
		return err
	}
	if !p.fresh(s.Now()) && in.CurrentPIN == "" {
		return errOldProof
	}
	hash, err := s.Hasher.Hash(ctx, in.PIN)
	if err != nil {
		return err
	}
	at := attempt{way: byPIN, name: opt.Value(a.Phone), who: who, at: a}
	if p.fresh(s.Now()) {
		return s.commitRefused(ctx, func(ctx context.Context, tx *db.Tx) (refused, err error) {
			return s.storePIN(ctx, tx, &at, byCode, hash)
		})
	}
	return s.tryPIN(ctx, &at, in.CurrentPIN, func(ctx context.Context, tx *db.Tx) (refused, err error) {
		return s.storePIN(ctx, tx, &at, byPIN, hash)
	})
}

// storePIN writes a PIN unless the account has changed since, and resets its limits.
func (s *Service) storePIN(ctx context.Context, tx *db.Tx, at *attempt, by way, hash string) (refused, err error) {
	if err := s.forget(ctx, tx, pinLimits(*at)...); err != nil {
		return nil, fmt.Errorf("unlock PIN: %w", err)
	}
	tx = tx.School(at.at.SchoolID)
	at.issued = true
	same, err := s.claimUnchanged(ctx, tx, at.at, by, at.who.Session)
	if err != nil || !same {
		return errToken, err
	}
	return nil, putPIN(ctx, tx, at.at.ID, hash)
}

// strongEnough refuses weak PINs if the school's setting asks for it.
func (s *Service) strongEnough(ctx context.Context, who actor.Actor, pin string) error {
	at, err := school.Get(ctx, s.DB.School(who.School))
	if err != nil {
		return fmt.Errorf("read school: %w", err)
	}
	if !at.StrongPINs {
		return nil
	}
	const up, down = "01234567890", "09876543210"
	if strings.Count(pin, pin[:1]) == len(pin) || strings.Contains(up, pin) || strings.Contains(down, pin) {
		return errWeakPIN
	}
	return nil
}

// verifyPIN signs in with a PIN. An unknown phone, or one without a PIN, takes the same
// time and locks as well.
func (s *Service) verifyPIN(ctx context.Context, who actor.Actor, in verifyPINIn, path actor.Role) (out signedIn, err error) {
	accounts, err := listByPhone(ctx, s.across(), in.Phone)
	if err != nil {
		return out, fmt.Errorf("read accounts: %w", err)
	}
	at := attempt{way: byPIN, name: in.Phone, who: who, from: in.from}
	accounts = inRole(accounts, path)
	if err := s.knownFirst(ctx, s.across(), at, accounts); err != nil {
		return out, err
	}
	at.at = in.pinned(accounts)
	if err := s.recognise(ctx, s.across(), &at); err != nil {
		return out, err
	}
	err = s.tryPIN(ctx, &at, in.PIN, func(ctx context.Context, tx *db.Tx) (refused, err error) {
		out, refused, err = s.start(ctx, tx, &at, proof{}, errPIN)
		return refused, err
	})
	return out, err
}

// tryPIN runs then in a transaction if the PIN is right and the limits allow it. A
// wrong PIN counts; ten in a row remove the PIN.
//
// It hashes the PIN before the transaction, so that no lock waits for a hash. All
// concurrent tries may be hashed, but only as many as the limits allow get an answer.
func (s *Service) tryPIN(ctx context.Context, at *attempt, pin string, then func(context.Context, *db.Tx) (refused, err error)) error {
	refused := s.peek(ctx, s.across(), pinLimits(*at)...)
	right := false
	if refused == nil {
		var err error
		if right, err = s.Hasher.Verify(ctx, pin, at.at.PINHash); err != nil {
			return err
		}
	}
	return s.try(ctx, at, func(ctx context.Context, tx *db.Tx) (_, err error) {
		if refused != nil {
			return refused, nil
		}
		limits := pinLimits(*at)
		wrong, err := s.lock(ctx, tx, limits...)
		if err != nil {
			return nil, fmt.Errorf("read wrong PINs: %w", err)
		}
		if refused := wrong.closed(); refused != nil {
			return refused, nil
		}
		if !right {
			return errPIN, s.countPIN(ctx, tx, *at, wrong)
		}
		if err := s.forget(ctx, tx, limits[len(limits)-3:]...); err != nil { // not those over all networks
			return nil, fmt.Errorf("forget wrong PINs: %w", err)
		}
		return then(ctx, tx)
	})
}

// countPIN counts a wrong PIN. The tenth in a row removes the PIN and notifies its owner.
func (s *Service) countPIN(ctx context.Context, tx *db.Tx, at attempt, wrong tries) error {
	if err := wrong.add(ctx, tx); err != nil {
		return fmt.Errorf("count wrong PINs: %w", err)
	}
	row := wrong[len(wrong)-1]
	if at.at.PINHash == "" || len(row.times) < row.limit {
		return s.alertLockout(ctx, tx, at, wrong)
	}
	if err := putPIN(ctx, tx.School(at.at.SchoolID), at.at.ID, ""); err != nil {
		return fmt.Errorf("take PIN away: %w", err)
	}
	return s.alert(ctx, tx, at.at, at.way, pinGone)
}

// pinned returns the requested account, preferring one with a PIN. Without a match it
// is the zero account, which no PIN fits.
func (w wish) pinned(accounts []account) account {
	with := slices.DeleteFunc(slices.Clone(accounts), func(a account) bool { return a.PINHash == "" })
	if a, ok := w.choose(with); ok {
		return a
	}
	a, _ := w.choose(accounts)
	return a
}
