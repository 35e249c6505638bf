// Package identity manages accounts, sign-in and sessions.
//
// An account is a user of one school in one role. Parents, teachers and drivers
// sign in with a phone and a code (otp.go) or a PIN (pin.go), administrators
// with an e-mail and a password (password.go, reset.go). Each way opens a session: a
// chain of refresh tokens of which only the newest is valid (session.go). On every
// later request Authenticate (gate.go) turns the access token into an Actor, from the
// cache unless something has changed (cache.go).
//
// Other features create and change accounts through account.go and change.go. The
// routes are in http.go and admin.go. setup.go creates the first account.
package identity

import (
	"cmp"
	"context"
	"io"
	"strings"
	"sync/atomic"
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

// Options configure a Service.
type Options struct {
	DB     *db.DB
	Audit  *audit.Service
	Notify *notify.Notifier
	Keys   *token.Ring
	Hasher *token.Hasher
	Now    clock.Now
	NewID  id.Source
	Rand   io.Reader

	OTPPerHour          int           // codes per phone and hour; 0 = unlimited
	OTPPause            time.Duration // minimum time between two codes to one phone; 0 = none
	SessionLife         time.Duration // maximum age of a session, however often refreshed; 0 = 90 days
	RequireSecondFactor bool          // for super-administrators; schools have a setting
	PublicURL           string        // base URL of links in e-mails
	Schools             Schools       // for set-up
}

// Service manages accounts and sessions. It implements web's Gate.
type Service struct {
	Options
	tokens     *token.Signer
	principals cache[principal]    // by user and session
	grants     cache[actor.Grants] // by school and role
	setup      atomic.Bool         // whether the set-up link works
}

// New makes a Service that subscribes to changes on every node.
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

// Faults of signing in. None reveals whether an account exists.
var (
	errToken      = fault.New(fault.Unauthenticated, "", "You are signed out. Sign in again.")
	errNoSchool   = fault.New(fault.NotFound, fault.SchoolNotFound, "Your school is no longer on this service.")
	errSuspended  = fault.Denied("Your school is suspended. Ask its administration.")
	errOTPInvalid = fault.New(fault.Malformed, fault.OTPInvalid, "This code is not right. Check it, or ask for a new one.")
	// errNoOTP means that no code is pending. It isn't counted as a wrong try.
	errNoOTP      = fault.New(fault.Malformed, fault.OTPInvalid, errOTPInvalid.Message)
	errOTPExpired = fault.New(fault.Malformed, fault.OTPExpired, "This code is older than 5 minutes. Ask for a new one.")
	errPIN        = fault.New(fault.Unauthenticated, "", "Phone or PIN is not right.")
	errLogin      = fault.New(fault.Unauthenticated, "", "E-mail or password is not right.")
	errPassword   = fault.New(fault.Unauthenticated, "", "The current password is not right.")
	errRefresh    = fault.New(fault.Unauthenticated, "", "This refresh token does not work any more. Sign in again.")
	// errRaced means that the token was exchanged seconds ago, for example by another tab.
	errRaced     = fault.New(fault.Unauthenticated, "", errRefresh.Message)
	errNoRefresh = fault.OnField("refreshToken", "is required")
	errStale     = fault.New(fault.Unauthenticated, fault.RefreshTokenExpired, "You were away for more than 7 days. Sign in again.")
	errNoAccount = fault.New(fault.NotFound, "", "You have no such account.")
	errNoSession = fault.New(fault.NotFound, "", "You have no such sign-in.")
	errLink      = fault.New(fault.Malformed, "", "This link was used already or is too old. Ask for a new one.")
)

// The faults of managing accounts.
var (
	ErrNoUser    = fault.Missing("account")
	errPhone     = fault.Duplicate("Another account of this role in this school has this phone.")
	errEmail     = fault.Duplicate("Another administrator has this e-mail.")
	errNeedEmail = fault.OnField("email", "is required: administrators sign in with it")
	errNeedPhone = fault.OnField("phone", "is required: this role signs in with it")
	errRoleType  = fault.OnField("roleId", "must be a role of the same type as the account")
)

// Lifetimes of codes and links.
const (
	otpLife    = 5 * time.Minute
	resetLife  = time.Hour
	inviteLife = 7 * 24 * time.Hour
)

// across permits queries over all schools: by phone, e-mail or token.
func (s *Service) across() db.Q { return s.DB.Across(unscoped.Permit{}) }

// commitRefused runs fn in a transaction over all schools. It commits even if fn
// refuses: a wrong try must count.
func (s *Service) commitRefused(ctx context.Context, fn func(ctx context.Context, tx *db.Tx) (refused, err error)) error {
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
