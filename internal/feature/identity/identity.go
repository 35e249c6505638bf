// Package identity knows who may sign in and who is signed in.
//
// An account is a user of one school in one role. Parents, teachers and drivers
// sign in with a phone and a code (otp.go) or a PIN (pin.go), administrators
// with an e-mail and a password (password.go, reset.go). Each way ends in a
// session: a chain of refresh tokens of which one lives (session.go). On every
// later call Authenticate (gate.go) turns the access token into an Actor, from
// memory unless something has changed since (cache.go).
//
// Features above make and change accounts through account.go. The routes are in
// http.go and admin.go.
package identity

import (
	"cmp"
	"context"
	"io"
	"strings"
	"time"

	"homeroom/internal/feature/access"
	"homeroom/internal/feature/audit"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/token"
)

// Options are what a Service stands on.
type Options struct {
	DB     *db.DB
	Audit  *audit.Service
	Notify *notify.Notifier
	Keys   *token.Ring
	Hasher *token.Hasher
	Now    clock.Now
	NewID  id.Source
	Rand   io.Reader

	OTPPerHour          int           // codes that one phone gets in an hour; 0 = as many as are asked for
	OTPPause            time.Duration // between two codes to one phone; 0 = none
	SessionLife         time.Duration // after which a session ends, however often it is refreshed; 0 = 90 days
	RequireSecondFactor bool          // of super-administrators; schools have a setting
	PublicURL           string        // where people reach the service, for links in e-mails
}

// Service signs people in and tells who they are. It is web's Gate.
type Service struct {
	Options
	tokens     *token.Signer
	principals cache[principal]    // by user and session
	grants     cache[actor.Grants] // by school and role
}

// New makes a Service that hears of every change on every node.
func New(o Options) *Service {
	o.SessionLife = cmp.Or(o.SessionLife, 90*day)
	o.PublicURL = strings.TrimRight(o.PublicURL, "/")
	s := &Service{Options: o, tokens: &token.Signer{Ring: o.Keys, Now: o.Now, Rand: o.Rand}}
	s.principals.init(o.Now)
	s.grants.init(o.Now)
	o.DB.Listen(access.Topic, s.onAccess)
	o.DB.Listen(Topic, s.onUser)
	return s
}

// The faults of signing in. None tells whether the account exists.
var (
	errToken      = fault.New(fault.Unauthenticated, "", "You are signed out. Sign in again.")
	errNoSchool   = fault.New(fault.NotFound, fault.SchoolNotFound, "Your school is no longer on this service.")
	errSuspended  = fault.Denied("Your school is suspended. Ask its administration.")
	errOTPInvalid = fault.New(fault.Malformed, fault.OTPInvalid, "This code is not right. Check it, or ask for a new one.")
	errNoOTP      = fault.New(fault.Malformed, fault.OTPInvalid, errOTPInvalid.Message) // none is pending: nothing was guessed at, so it does not count
	errOTPExpired = fault.New(fault.Malformed, fault.OTPExpired, "This code is older than 5 minutes. Ask for a new one.")
	errPIN        = fault.New(fault.Unauthenticated, "", "Phone or PIN is not right.")
	errLogin      = fault.New(fault.Unauthenticated, "", "E-mail or password is not right.")
	errPassword   = fault.New(fault.Unauthenticated, "", "The current password is not right.")
	errRefresh    = fault.New(fault.Unauthenticated, "", "This refresh token does not work any more. Sign in again.")
	errStale      = fault.New(fault.Unauthenticated, fault.RefreshTokenExpired, "You were away for more than 7 days. Sign in again.")
	errNoAccount  = fault.New(fault.NotFound, "", "You have no such account.")
	errNoSession  = fault.New(fault.NotFound, "", "You have no such sign-in.")
	errLink       = fault.New(fault.Malformed, "", "This link was used already or is too old. Ask for a new one.")
)

// The faults of managing accounts.
var (
	ErrNoUser    = fault.Missing("account")
	errPhone     = fault.Duplicate("Another account of this role in this school has this phone.")
	errEmail     = fault.Duplicate("Another administrator has this e-mail.")
	errNeedEmail = fault.OnField("email", "is required: administrators sign in with it")
	errNeedPhone = fault.OnField("phone", "is required: it is what this role signs in with")
	errRoleType  = fault.OnField("roleId", "must be a role of the account's own type")
)

// How long what was sent to someone can be used.
const (
	otpLife    = 5 * time.Minute
	resetLife  = time.Hour
	inviteLife = 7 * 24 * time.Hour
)

// across is the right to look in all schools: by phone, e-mail or token.
func (s *Service) across() db.Q { return s.DB.Across(unscoped.Permit{}) }

// settle runs fn in a transaction over all schools. What fn wrote stands even if
// it refuses: a wrong try must count.
func (s *Service) settle(ctx context.Context, fn func(ctx context.Context, tx *db.Tx) (refused, err error)) error {
	var refused error
	err := s.DB.InAll(ctx, unscoped.Permit{}, func(ctx context.Context, tx *db.Tx) (err error) {
		refused, err = fn(ctx, tx)
		return err
	})
	if err != nil {
		return err
	}
	return refused
}

func byEmail(r actor.Role) bool { return r == actor.SchoolAdmin || r == actor.SuperAdmin }
