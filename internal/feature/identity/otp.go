package identity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/text"
	"homeroom/internal/platform/token"
)

const (
	otpDigits = 6
	otpTries  = 5     // wrong tries that invalidate a code
	otpKey    = "otp" // purpose of the keys that hash and seal codes
)

// sendOTP makes a new code for the phone, replacing the old one. It does the same work
// for every phone: only the job, after the response, looks for an account.
func (s *Service) sendOTP(ctx context.Context, who actor.Actor, in sendOTPIn, path actor.Role) error {
	code, err := token.Digits(s.Rand, otpDigits)
	if err != nil {
		return err
	}
	sealed, err := s.Keys.Seal(otpKey, []byte(code))
	if err != nil {
		return fmt.Errorf("seal a code: %w", err)
	}
	now := s.Now()
	return s.commitRefused(ctx, func(ctx context.Context, tx *db.Tx) (refused, err error) {
		sent, err := s.codesSent(ctx, tx, attempt{name: in.Phone, who: who, from: in.from})
		if err != nil {
			return nil, fmt.Errorf("read codes sent: %w", err)
		}
		if refused := sent.closed(); refused != nil {
			return refused, nil
		}
		if err := sent.add(ctx, tx); err != nil {
			return nil, fmt.Errorf("count codes sent: %w", err)
		}
		if err := putOTP(ctx, tx, in.Phone, s.Keys.MAC(otpKey, in.Phone, code), now.Add(otpLife)); err != nil {
			return nil, fmt.Errorf("write code: %w", err)
		}
		job := textCode{in.Phone, path, sealed, now.Add(otpLife)}
		return nil, jobs.Enqueue(ctx, tx.School(school.PlatformID), now, job, jobs.Urgent(), jobs.Attempts(4))
	})
}

// codesSent locks the counts of codes sent to the phone. Unknown devices have their own,
// lower limit.
func (s *Service) codesSent(ctx context.Context, tx *db.Tx, a attempt) (tries, error) {
	var accounts []account
	if a.from.RefreshToken != "" {
		var err error
		if accounts, err = listByPhone(ctx, tx, a.name); err != nil {
			return nil, err
		}
	}
	if err := s.recognise(ctx, tx, &a, accounts...); err != nil {
		return nil, err
	}
	rules := []limited{s.pausedOTPs().by(a.name), s.sentOTPs().by(a.name)}
	if !a.known {
		rules = append(rules, s.strangersOTPs().by(a.name))
	}
	return s.lock(ctx, tx, rules...)
}

// text sends the code if the phone has an account.
func (s *Service) text(ctx context.Context, _ id.ID, j textCode) error {
	if s.Now().After(j.ExpiresAt) {
		return nil
	}
	accounts, err := listByPhone(ctx, s.across(), j.Phone)
	if err != nil {
		return fmt.Errorf("read accounts: %w", err)
	}
	accounts = inRole(accounts, j.Role)
	if len(accounts) == 0 {
		return nil
	}
	code, err := s.Keys.Open(otpKey, j.Code)
	if err != nil {
		return jobs.Permanent(fmt.Errorf("open a code: %w", err))
	}
	to, texts := accounts[0], text.Standard()
	return s.DB.InSchool(ctx, to.SchoolID, func(ctx context.Context, tx *db.Tx) error {
		return s.Notify.Send(ctx, tx, to.SchoolID, notify.Message{
			Channel: notify.SMS, To: j.Phone, User: to.ID, Secret: true, Lang: to.Locale,
			Subject: texts.Say(to.Locale, text.T("identity.code.subject")),
			Body:    texts.Say(to.Locale, text.T("identity.code.body", "code", string(code))) + s.boundTo(string(code)),
		})
	})
}

// boundTo ends a text message so that phones fill the code in on this site's pages, and on
// no other (origin-bound one-time codes).
func (s *Service) boundTo(code string) string {
	at, err := url.Parse(s.PublicURL)
	if err != nil || at.Scheme != "https" {
		return ""
	}
	return "\n\n@" + at.Hostname() + " #" + code
}

// inRole returns the accounts of the role ("" = any): those of active schools before those of
// suspended ones, then by rank, last used first.
func inRole(accounts []account, role actor.Role) []account {
	accounts = slices.DeleteFunc(slices.Clone(accounts), func(a account) bool { return role != "" && a.Role != role })
	slices.SortStableFunc(accounts, func(a, b account) int {
		return cmp.Or(cmp.Compare(a.SchoolStatus, b.SchoolStatus), a.rank()-b.rank(), b.lastUsed().Compare(a.lastUsed()), cmp.Compare(a.ID, b.ID))
	})
	return accounts
}

// rank orders accounts with the same phone by how likely it is the person's: any school can give one
// of its own the phone of somebody else and use it by e-mail and password.
func (a account) rank() int {
	switch {
	case a.ShowsPhone:
		return 0
	case byEmail(a.Role):
		return 2
	}
	return 1
}

// wish selects an account if the phone has several.
type wish struct {
	SchoolID id.ID      `json:"schoolId,omitempty" doc:"Selects the account if the phone has several."`
	Role     actor.Role `json:"role,omitempty" enum:"PARENT,TEACHER,DRIVER,SCHOOL_ADMIN,SUPER_ADMIN" doc:"Selects the account if the phone has several."`
}

// choose returns the first account that matches.
func (w wish) choose(accounts []account) (account, bool) {
	for _, a := range accounts {
		if (w.SchoolID == "" || a.SchoolID == w.SchoolID) && (w.Role == "" || a.Role == w.Role) {
			return a, true
		}
	}
	return account{}, false
}

// verifyOTP signs in with a code.
func (s *Service) verifyOTP(ctx context.Context, who actor.Actor, in verifyOTPIn, path actor.Role) (out signedIn, err error) {
	at := attempt{way: byCode, name: in.Phone, who: who, from: in.from}
	err = s.try(ctx, &at, func(ctx context.Context, tx *db.Tx) (refused, err error) {
		accounts, err := listByPhone(ctx, tx, in.Phone)
		if err != nil {
			return nil, fmt.Errorf("read accounts: %w", err)
		}
		if err := s.recognise(ctx, tx, &at, accounts...); err != nil {
			return nil, err
		}
		accounts = inRole(accounts, path)
		at.at, _ = in.choose(accounts)
		if refused, err := s.checkCode(ctx, tx, &at, in.OTP); refused != nil || err != nil {
			return refused, err
		}
		if err := s.forget(ctx, tx, pinLimits(at)...); err != nil {
			return nil, fmt.Errorf("unlock PIN: %w", err)
		}
		out, refused, err = s.start(ctx, tx, &at, proof{phone: in.Phone, at: s.Now()}, errNoOTP)
		out.list(accounts, at.at)
		return refused, err
	})
	return out, err
}

// checkCode consumes the phone's code if it is right and there is an account to sign
// in, and counts a wrong one. Tries at the same code are serialized.
func (s *Service) checkCode(ctx context.Context, tx *db.Tx, a *attempt, code string) (refused, err error) {
	wrong, err := s.lock(ctx, tx, wrongOTPs.by(a.name, a.place))
	if err != nil {
		return nil, fmt.Errorf("read wrong codes: %w", err)
	}
	if refused := wrong.closed(); refused != nil {
		return refused, nil
	}
	o, err := tryOTP(ctx, tx, a.name, a.known, s.Now())
	switch {
	case errors.Is(err, db.ErrNotFound):
		return errNoOTP, nil
	case err != nil:
		return nil, fmt.Errorf("read code: %w", err)
	case s.Now().After(o.ExpiresAt):
		return errOTPExpired, nil
	}
	if !s.Keys.CheckMAC(otpKey, o.Hash, a.name, code) || a.at.ID == "" {
		return errOTPInvalid, wrong.add(ctx, tx)
	}
	first, err := takeOTP(ctx, tx, a.name, o.Hash)
	if err == nil && !first {
		return errNoOTP, nil
	}
	return nil, err
}
