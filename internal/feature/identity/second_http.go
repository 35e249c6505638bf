package identity

import (
	"context"
	"fmt"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/token"
	"homeroom/internal/platform/web"
)

func (s *Service) secondRoutes() []web.Route {
	admins := web.Roles(actor.SchoolAdmin, actor.SuperAdmin)
	return []web.Route{
		web.Handle("POST /auth/second-factor", s.completeSignIn, web.SignIn(), inCookie, web.Says("You are signed in."),
			web.Doc("Complete a sign-in that returned secondFactor, with a code of the authenticator app or a recovery code.")),
		web.Handle("POST /auth/second-factor/setup", s.setupSecond, web.SignIn(),
			web.Says("Add this to your authenticator app, then confirm it with a code."),
			web.Doc("Start setting up a second factor, within 10 minutes of signing in, "+
				"or with the token of a sign-in that requires one.")),
		web.Handle("POST /auth/second-factor/confirm", s.confirmOwn, web.SignIn(), web.Bearer(), admins,
			web.Says("The second factor is set up. Keep the recovery codes where you find them without your phone."),
			web.Doc("Confirm a second factor with its first code. Returns the recovery codes, which are shown only once.")),
		web.Handle("POST /auth/second-factor/remove", s.removeOwn, web.SignIn(), web.Bearer(), admins,
			web.Says("The second factor is removed."), web.Doc("Remove your second factor, with one of its codes.")),
		web.Handle("DELETE /super-admin/admin/{id}/second-factor", s.removeSecond, web.Delete("employee"),
			web.Doc("Remove the second factor of an administrator who lost phone and recovery codes, and end all sessions.")),
	}
}

// secondOut is the step after a right first factor.
type secondOut struct {
	Token   string   `json:"token" doc:"For POST /auth/second-factor, within 5 minutes."`
	Methods []string `json:"methods" doc:"totp and recovery; or setup if a second factor is required and not set up yet."`
}

type secondIn struct {
	Token string `json:"token" required:"true" maxLength:"4096" doc:"From secondFactor in the response of the sign-in."`
	Code  string `json:"code" required:"true" maxLength:"40" doc:"Six digits of the authenticator app, or a recovery code." example:"123456"`
	from
}

type setupIn struct {
	Token string `json:"token,omitempty" maxLength:"4096" doc:"From a sign-in that requires a second factor. Not needed with a bearer token."`
}

type setupOut struct {
	Secret string `json:"secret" doc:"To type into the authenticator app."`
	URI    string `json:"uri" doc:"The secret as a URI, for a QR code." example:"otpauth://totp/Homeroom:ada@example.org?issuer=Homeroom&secret=…"`
}

// setupSecond makes a new secret, which is active once a code has confirmed it.
func (s *Service) setupSecond(ctx context.Context, who actor.Actor, in setupIn) (out setupOut, err error) {
	a, err := s.settingUp(ctx, who, in.Token)
	if err != nil {
		return out, err
	}
	if out.Secret, err = token.NewTOTP(s.Rand); err != nil {
		return out, err
	}
	sealed, err := s.Keys.Seal(secondKey, []byte(out.Secret))
	if err != nil {
		return out, fmt.Errorf("seal a second factor: %w", err)
	}
	out.URI = token.TOTPURI("Homeroom", opt.Value(a.Email), out.Secret)
	return out, s.DB.InSchool(ctx, a.SchoolID, func(ctx context.Context, tx *db.Tx) error {
		fresh, err := putSecond(ctx, tx, a.ID, sealed)
		if err == nil && !fresh {
			err = errSecondThere
		}
		return err
	})
}

// settingUp returns the account that sets up a second factor: by the token of a sign-in,
// or by a recent session.
func (s *Service) settingUp(ctx context.Context, who actor.Actor, raw string) (account, error) {
	if raw != "" {
		_, a, err := s.open(ctx, raw)
		return a, err
	}
	switch {
	case who.User == "":
		return account{}, errToken
	case !byEmail(who.Role):
		return account{}, errNotForRole
	}
	a, p, err := s.opened(ctx, who)
	if err == nil && !p.fresh(s.Now()) {
		err = errOldProof.Saying("Sign in again first: you signed in more than 10 minutes ago.")
	}
	return a, err
}

type codeIn struct {
	Code string `json:"code" required:"true" maxLength:"40" doc:"Six digits of the authenticator app, or a recovery code." example:"123456"`
}

type recoveryOut struct {
	RecoveryCodes []string `json:"recoveryCodes"`
}

func (s *Service) confirmOwn(ctx context.Context, who actor.Actor, in codeIn) (out recoveryOut, err error) {
	err = s.withCode(ctx, who, in.Code, true, func(_ context.Context, _ *db.Tx, codes []string) error {
		if out.RecoveryCodes = codes; codes == nil {
			return errSecondThere
		}
		return nil
	})
	return out, err
}

func (s *Service) removeOwn(ctx context.Context, who actor.Actor, in codeIn) (web.None, error) {
	return web.None{}, s.withCode(ctx, who, in.Code, false, func(ctx context.Context, tx *db.Tx, _ []string) error {
		required, err := s.requiresSecond(ctx, tx, who.Role)
		switch {
		case err != nil:
			return err
		case required:
			return errSecondNeeded
		}
		return s.dropSecond(ctx, tx, who, who.User)
	})
}

// withCode runs then in the caller's school if the second factor's code is right.
func (s *Service) withCode(ctx context.Context, who actor.Actor, code string, confirm bool,
	then func(context.Context, *db.Tx, []string) error) error {
	a, err := own(ctx, s.DB.School(who.School), who.User)
	if err != nil {
		return err
	}
	switch f, err := getSecond(ctx, s.DB.School(who.School), who.User); {
	case err != nil:
		return err
	case f.Secret == "":
		return errNoSecond
	}
	at := attempt{name: "second " + string(a.ID), who: who, at: a, place: "session " + string(who.Session), known: true}
	return s.commitRefused(ctx, func(ctx context.Context, tx *db.Tx) (refused, err error) {
		codes, refused, err := s.checkSecond(ctx, tx, at, code, confirm)
		if refused != nil || err != nil {
			return refused, err
		}
		return nil, then(ctx, tx.School(who.School), codes)
	})
}

// removeSecond lets a super-administrator remove an administrator's second factor.
func (s *Service) removeSecond(ctx context.Context, who actor.Actor, in adminIn) (web.None, error) {
	a, err := s.getAdmin(ctx, who, in)
	if err != nil {
		return web.None{}, err
	}
	return web.None{}, s.DB.InSchool(ctx, a.SchoolID, func(ctx context.Context, tx *db.Tx) error {
		if err := s.endAll(ctx, tx, a.ID, ""); err != nil {
			return err
		}
		return s.dropSecond(ctx, tx, who, a.ID)
	})
}

func (s *Service) dropSecond(ctx context.Context, tx *db.Tx, who actor.Actor, user id.ID) error {
	if err := deleteSecond(ctx, tx, user); err != nil {
		return fmt.Errorf("remove second factor: %w", err)
	}
	return s.Audit.Record(ctx, tx, who, "user.second-factor", "user", user, map[string]any{"secondFactor": true},
		map[string]any{"secondFactor": false})
}

// RemoveSecondFactor removes a super-administrator's second factor, for the command line.
func (s *Service) RemoveSecondFactor(ctx context.Context, email string) error {
	a, err := getByEmail(ctx, s.across(), email)
	if err != nil {
		return userFault("read account", err)
	}
	if a.Role != actor.SuperAdmin {
		return ErrNoUser
	}
	return s.DB.InSchool(ctx, school.PlatformID, func(ctx context.Context, tx *db.Tx) error {
		return s.dropSecond(ctx, tx, actor.Actor{}, a.ID)
	})
}
