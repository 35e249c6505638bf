package identity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/token"
)

// The second factor of administrators is a TOTP code of an authenticator app, or a
// recovery code. Once an account has one, the first factor only returns a token for
// POST /auth/second-factor.

const (
	secondKey     = "second-factor" // purpose of the keys that seal secrets and tokens
	pendingLife   = 5 * time.Minute
	recoveryCodes = 10
)

// Methods that complete a sign-in.
const (
	byTOTP     = "totp"
	byRecovery = "recovery"
	bySetup    = "setup" // a second factor is required and not set up yet
)

var (
	errSecond      = fault.New(fault.Unauthenticated, "", "This code is not right. Check the clock of your phone, or use a recovery code.")
	errPending     = fault.New(fault.Unauthenticated, "", "This step took too long or was done already. Sign in again.")
	errSecondThere = fault.New(fault.Conflict, "", "This account has a second factor already. Remove it first.")
	errNoSecond    = fault.New(fault.Conflict, "", "This account has no second factor. Set one up first.")
	errSecondLost  = fault.New(fault.Conflict, "", "Codes of this app can't be checked any more: the service has lost its key. "+
		"Use a recovery code, or have the second factor removed.")
	errNotForRole   = fault.New(fault.Forbidden, "", "Only administrators' accounts have a second factor.")
	errSecondNeeded = fault.New(fault.Conflict, "", "A second factor is required here. It can't be removed.")

	wrongSeconds = rule{name: "second", limit: 5, window: day, backoff: true,
		fault: fault.New(fault.TooMany, "", "Too many wrong codes. Wait a little, then try again.")}
)

// pending is a sign-in whose first factor was right.
type pending struct {
	User      id.ID     `json:"user"`
	School    id.ID     `json:"school"`
	Way       way       `json:"way"`
	Phone     string    `json:"phone,omitempty"`
	ProvenAt  time.Time `json:"provenAt"`
	Ends      time.Time `json:"ends,omitzero"` // see proof
	Print     string    `json:"print"`         // fingerprint of the account
	ExpiresAt time.Time `json:"expiresAt"`
}

// print is a fingerprint that changes with the account's role, login, PIN or password.
func (s *Service) print(a account) string {
	return s.Keys.MAC(secondKey, string(a.RoleID), opt.Value(a.Phone), opt.Value(a.Email), a.PasswordHash, a.PINHash)
}

// secondStep returns the step after the first factor; nil if there is none.
// tx is in the account's school.
func (s *Service) secondStep(ctx context.Context, tx *db.Tx, a *attempt, p proof) (*secondOut, error) {
	if !byEmail(a.at.Role) || a.second {
		return nil, nil
	}
	f, err := getSecond(ctx, tx, a.at.ID)
	if err != nil {
		return nil, err
	}
	methods := []string{byTOTP, byRecovery}
	if f.ConfirmedAt == nil {
		required, err := s.requiresSecond(ctx, tx, a.at.Role)
		if err != nil || !required {
			return nil, err
		}
		methods = []string{bySetup}
	}
	plain, err := json.Marshal(pending{a.at.ID, a.at.SchoolID, a.way, p.phone, p.at, p.ends, s.print(a.at), s.Now().Add(pendingLife)})
	if err != nil {
		return nil, fmt.Errorf("write a step: %w", err)
	}
	sealed, err := s.Keys.Seal(secondKey, plain)
	if err != nil {
		return nil, fmt.Errorf("seal a step: %w", err)
	}
	return &secondOut{Token: sealed, Methods: methods}, nil
}

// OpenSecond and SealSecond decrypt and encrypt the secret of a second factor, for a school
// that moves to an installation with other keys.
func (s *Service) OpenSecond(sealed string) (string, error) {
	plain, err := s.Keys.Open(secondKey, sealed)
	return string(plain), err
}

// SealSecond is the reverse of OpenSecond.
func (s *Service) SealSecond(plain string) (string, error) {
	return s.Keys.Seal(secondKey, []byte(plain))
}

// requiresSecond reports whether tx's school requires a second factor for the role.
func (s *Service) requiresSecond(ctx context.Context, q db.Q, role actor.Role) (bool, error) {
	if role == actor.SuperAdmin {
		return s.RequireSecondFactor, nil
	}
	at, err := school.Get(ctx, q)
	if err != nil {
		return false, fmt.Errorf("read school: %w", err)
	}
	return byEmail(role) && at.RequireSecondFactor, nil
}

// open decrypts the token of a first factor and reads its account, and fails if that
// has changed since.
func (s *Service) open(ctx context.Context, raw string) (p pending, a account, err error) {
	plain, err := s.Keys.Open(secondKey, raw)
	if err != nil {
		return p, a, errPending.Because(err)
	}
	if err := json.Unmarshal(plain, &p); err != nil || s.Now().After(p.ExpiresAt) {
		return p, a, errPending
	}
	a, err = getAccount(ctx, s.DB.School(p.School), p.User)
	switch {
	case err != nil:
		return p, a, db.Found("read account", err, errPending)
	case s.print(a) != p.Print:
		return p, a, errPending
	}
	return p, a, nil
}

// completeSignIn opens a session if the code of the second factor is right. During
// setup the code also confirms the factor.
func (s *Service) completeSignIn(ctx context.Context, who actor.Actor, in secondIn) (out signedIn, err error) {
	p, a, err := s.open(ctx, in.Token)
	if err != nil {
		return out, err
	}
	at := attempt{way: p.Way, name: "second " + string(a.ID), who: who, from: in.from, at: a, second: true}
	err = s.try(ctx, &at, func(ctx context.Context, tx *db.Tx) (refused, err error) {
		if err := s.recognise(ctx, tx, &at); err != nil {
			return nil, err
		}
		codes, refused, err := s.checkSecond(ctx, tx, at, in.Code, true)
		if refused != nil || err != nil {
			return refused, err
		}
		out, refused, err = s.start(ctx, tx, &at, proof{p.Phone, p.ProvenAt, p.Ends}, errPending)
		out.RecoveryCodes = codes
		return refused, err
	})
	return out, err
}

// checkSecond checks a code and counts a wrong one. With confirm, a right code confirms
// a new factor and returns its recovery codes.
func (s *Service) checkSecond(ctx context.Context, tx *db.Tx, at attempt, code string, confirm bool) (codes []string, refused, err error) {
	limits := append(at.anywhere(), wrongSeconds.by(at.name, at.place))
	wrong, err := s.lock(ctx, tx, limits...)
	if err != nil {
		return nil, nil, fmt.Errorf("read wrong codes: %w", err)
	}
	if refused := wrong.closed(); refused != nil {
		return nil, refused, nil
	}
	right, codes, err := s.useCode(ctx, tx.School(at.at.SchoolID), at.at.ID, code, confirm)
	switch {
	case errors.Is(err, token.ErrSealed):
		return nil, errSecondLost, nil
	case err != nil:
		return nil, nil, err
	case !right:
		if err := wrong.add(ctx, tx); err != nil {
			return nil, nil, fmt.Errorf("count wrong codes: %w", err)
		}
		return nil, errSecond, s.alertLockout(ctx, tx, at, wrong)
	}
	return codes, nil, s.forget(ctx, tx, limits[len(limits)-1])
}

// useCode consumes a code of the user's second factor; false if it is wrong.
func (s *Service) useCode(ctx context.Context, tx *db.Tx, user id.ID, code string, confirm bool) (bool, []string, error) {
	f, err := getSecond(ctx, tx, user)
	if err != nil || f.Secret == "" || f.ConfirmedAt == nil && !confirm {
		return false, nil, err
	}
	code = strings.ToLower(strings.NewReplacer(" ", "", "-", "").Replace(code))
	if i := slices.Index(f.Recovery.V, token.Digest(code)); i >= 0 && f.ConfirmedAt != nil {
		used, err := putRecovery(ctx, tx, user, f.Recovery.V, slices.Delete(slices.Clone(f.Recovery.V), i, i+1))
		return used, nil, err
	}
	secret, err := s.Keys.Open(secondKey, f.Secret)
	switch {
	case err != nil && f.ConfirmedAt == nil:
		return false, nil, errNoSecond.Because(err)
	case err != nil:
		return false, nil, fmt.Errorf("open a second factor: %w", err)
	}
	step := token.CheckTOTP(string(secret), code, s.Now())
	if step == 0 {
		return false, nil, nil
	}
	first, err := putStep(ctx, tx, user, f.Secret, step)
	if err != nil || !first || f.ConfirmedAt != nil {
		return first, nil, err
	}
	codes, err := s.confirmSecond(ctx, tx, user)
	return err == nil, codes, err
}

// confirmSecond activates a second factor and returns its recovery codes.
func (s *Service) confirmSecond(ctx context.Context, tx *db.Tx, user id.ID) ([]string, error) {
	codes, hashes, err := s.newRecoveryCodes()
	if err != nil {
		return nil, err
	}
	if err := confirm(ctx, tx, user, hashes, s.Now()); err != nil {
		return nil, fmt.Errorf("confirm second factor: %w", err)
	}
	return codes, s.Audit.Record(ctx, tx, actor.Actor{User: user}, "user.second-factor", "user", user, nil,
		map[string]any{"secondFactor": true})
}

// newRecoveryCodes makes codes of 80 bits, in groups of four letters and digits.
func (s *Service) newRecoveryCodes() (codes, hashes []string, err error) {
	for range recoveryCodes {
		secret, err := token.NewTOTP(s.Rand)
		if err != nil {
			return nil, nil, err
		}
		code := strings.ToLower(secret[:16])
		codes = append(codes, code[:4]+"-"+code[4:8]+"-"+code[8:12]+"-"+code[12:])
		hashes = append(hashes, token.Digest(code))
	}
	return codes, hashes, nil
}
