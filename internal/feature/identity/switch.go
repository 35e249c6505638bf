package identity

import (
	"context"
	"fmt"
	"slices"
	"time"

	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
)

var (
	errNoCode  = fault.Denied("Sign in with a code sent to your phone first, to prove that the other account is yours.")
	errOldCode = fault.Denied("This account needs a new code. Have one sent to your phone and enter it.")
)

// switchTo signs the caller in to another account of the phone whose code opened the
// session. Administrators' accounts need a recent code.
func (s *Service) switchTo(ctx context.Context, who actor.Actor, in switchIn) (out signedIn, err error) {
	mine, p, err := s.opened(ctx, who)
	if err != nil {
		return out, err
	}
	if mine.Phone == nil || p.phone == "" || *mine.Phone != p.phone {
		return out, errNoCode
	}
	at := attempt{way: bySwitch, name: p.phone, who: who, from: in.from}
	err = s.try(ctx, &at, func(ctx context.Context, tx *db.Tx) (refused, err error) {
		accounts, err := listByPhone(ctx, tx, p.phone)
		if err != nil {
			return nil, fmt.Errorf("read accounts: %w", err)
		}
		accounts = inRole(accounts, "")
		i := slices.IndexFunc(accounts, func(a account) bool { return a.ID == in.AccountID })
		if i < 0 {
			at.at = mine
			return errNoAccount, nil
		}
		at.at = accounts[i]
		if err := s.recognise(ctx, tx, &at, accounts...); err != nil {
			return nil, err
		}
		if in.OTP != "" {
			if refused, err := s.checkCode(ctx, tx, &at, in.OTP); refused != nil || err != nil {
				return refused, err
			}
			p.at, p.ends = s.Now(), time.Time{}
		}
		if byEmail(at.at.Role) && !p.fresh(s.Now()) {
			return errOldCode, nil
		}
		out, refused, err = s.start(ctx, tx, &at, p, errNoAccount)
		out.list(accounts, at.at)
		return refused, err
	})
	return out, err
}

// opened returns the caller's account and how the session was opened.
func (s *Service) opened(ctx context.Context, who actor.Actor) (account, proof, error) {
	q := s.DB.School(who.School)
	a, err := own(ctx, q, who.User)
	if err != nil {
		return a, proof{}, err
	}
	p, err := getProof(ctx, q, who.Session)
	return a, p, db.Found("read session", err, errToken) // ended and swept
}
