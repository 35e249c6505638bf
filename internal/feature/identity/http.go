package identity

import (
	"context"
	"slices"
	"strings"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/token"
	"homeroom/internal/platform/web"
)

// Routes are the routes of this feature.
func (s *Service) Routes() []web.Route {
	return slices.Concat(s.phoneRoutes(), s.authRoutes(), s.setupRoutes(), s.secondRoutes(), s.adminRoutes(), s.trailRoutes())
}

// perUser rate-limits a request with a token by user, not by IP.
func perUser(r *web.Route) { r.Class = web.ClassRead }

// phoneRoutes are the routes to sign in with a phone: for all roles, and for each app.
func (s *Service) phoneRoutes() []web.Route {
	return []web.Route{
		s.sendOTPRoute("POST /auth/send-otp", ""),
		s.sendOTPRoute("POST /parent/user-auth/send-otp", actor.Parent),
		s.sendOTPRoute("POST /teacher/user-auth/send-otp", actor.Teacher),
		s.sendOTPRoute("POST /driver/user-auth/send-otp", actor.Driver),
		s.verifyOTPRoute("POST /auth/verify-otp", ""),
		s.verifyOTPRoute("POST /parent/user-auth/verify-otp", actor.Parent),
		s.verifyOTPRoute("POST /teacher/user-auth/verify-otp", actor.Teacher),
		s.verifyOTPRoute("POST /driver/user-auth/verify-otp", actor.Driver),
		s.setPINRoute("POST /auth/set-pin", actor.Roles...),
		s.setPINRoute("POST /parent/user-auth/set-pin", actor.Parent),
		s.setPINRoute("POST /teacher/user-auth/set-pin", actor.Teacher),
		s.setPINRoute("POST /driver/user-auth/set-pin", actor.Driver),
		s.verifyPINRoute("POST /auth/verify-pin", ""),
		s.verifyPINRoute("POST /parent/user-auth/verify-pin", actor.Parent),
		s.verifyPINRoute("POST /teacher/user-auth/verify-pin", actor.Teacher),
		s.verifyPINRoute("POST /driver/user-auth/verify-pin", actor.Driver),
	}
}

func (s *Service) sendOTPRoute(pattern string, path actor.Role) web.Route {
	return web.Handle(pattern, func(ctx context.Context, who actor.Actor, in sendOTPIn) (web.None, error) {
		return web.None{}, s.sendOTP(ctx, who, in, path)
	}, web.SignIn(), web.Says("If this phone has an account, a code is on its way."), web.Doc("Send a sign-in code to a phone."))
}

func (s *Service) verifyOTPRoute(pattern string, path actor.Role) web.Route {
	return web.Handle(pattern, func(ctx context.Context, who actor.Actor, in verifyOTPIn) (signedIn, error) {
		return s.verifyOTP(ctx, who, in, path)
	}, web.SignIn(), inCookie, web.Says("You are signed in."), web.Doc("Sign in with a phone and its code."))
}

func (s *Service) setPINRoute(pattern string, roles ...actor.Role) web.Route {
	return web.Handle(pattern, func(ctx context.Context, who actor.Actor, in setPINIn) (web.None, error) {
		return web.None{}, s.setPIN(ctx, who, in)
	}, web.SignIn(), web.Bearer(), web.Roles(roles...), web.Says("The PIN is set."), web.Doc("Set or change your PIN."))
}

func (s *Service) verifyPINRoute(pattern string, path actor.Role) web.Route {
	return web.Handle(pattern, func(ctx context.Context, who actor.Actor, in verifyPINIn) (signedIn, error) {
		return s.verifyPIN(ctx, who, in, path)
	}, web.SignIn(), inCookie, web.Says("You are signed in."), web.Doc("Sign in with a phone and its PIN."))
}

func (s *Service) authRoutes() []web.Route {
	return []web.Route{
		web.Handle("POST /auth/login", s.login, web.SignIn(), inCookie, web.Says("You are signed in."),
			web.Doc("Sign in with e-mail and password.")),
		web.Handle("POST /auth/refresh", s.doRefresh, web.SignIn(), web.Says("Here are new tokens."),
			web.Recalls(refreshCookie, func(in *refreshIn) *string { return &in.RefreshToken }),
			web.Keeps(refreshCookie, func(out *tokens) *string { return &out.RefreshToken }),
			web.CountsBy(func(in *refreshIn) string { return s.sessionOf(in.RefreshToken) }),
			web.ReadsKey(func(in *refreshIn) *string { return &in.key }),
			web.Doc("Exchange a refresh token for a new pair. The old one no longer works. If no answer arrives, send the call again with "+
				"the same Idempotency-Key: the same refresh token is given again, until it is used.")),
		web.Handle("POST /auth/logout", s.doLogout, web.SignIn(), web.Says("You are signed out."),
			web.Recalls(refreshCookie, func(in *logoutIn) *string { return &in.RefreshToken }),
			web.CountsBy(func(in *logoutIn) string { return s.sessionOf(in.RefreshToken) }),
			web.Doc("Sign out: end the session of the bearer token, or of the refresh token in the body.")),
		web.Handle("POST /auth/switch", s.switchTo, web.SignIn(), web.Bearer(), inCookie, web.Says("You are signed in."),
			web.Doc("Sign in to another account of the phone whose code opened this session.")),
		web.Handle("POST /auth/forgot-password", s.doForgot, web.SignIn(),
			web.Says("If this e-mail has an account, a link is on its way."), web.Doc("Send a link to set a new password.")),
		web.Handle("POST /auth/reset-password", s.doReset, web.SignIn(),
			web.Says("The password is set. Sign in with it."), web.Doc("Set a password with a link from an e-mail.")),
		web.Handle("POST /auth/change-password", s.doChange, web.SignIn(), web.Bearer(), web.Roles(actor.SchoolAdmin, actor.SuperAdmin),
			web.Says("The password is changed. Your other sign-ins have ended."), web.Doc("Change your password.")),
		web.Handle("GET /auth/me", s.me, web.SignIn(), web.Bearer(), perUser,
			web.Doc("The signed-in user with the permissions of the role.")),
		web.Handle("GET /auth/sessions", s.sessions, web.SignIn(), web.Bearer(), perUser, web.List("lastUsedAt", "createdAt"),
			web.Doc("Your sessions.")),
		web.Handle("DELETE /auth/sessions", s.doEndOthers, web.SignIn(), web.Bearer(),
			web.Doc("End all your sessions except this one, and remove the PIN.")),
		web.Handle("DELETE /school-admin/user/{id}/sessions", s.endOf, web.Delete("employee"),
			web.Doc("End all sessions of a user of this school and remove the PIN, for example after a phone was lost.")),
		web.Handle("DELETE /auth/sessions/{id}", s.doEnd, web.SignIn(), web.Bearer(),
			web.Doc("End one of your sessions.")),
	}
}

// refreshCookie has the refresh token of the web app.
var refreshCookie = &web.Cookie{Name: "homeroom_refresh", Path: "/auth", Life: token.RefreshLife, Absent: errToken, Stays: errRaced}

// inCookie keeps the refresh token of a sign-in in refreshCookie.
func inCookie(r *web.Route) {
	web.Keeps(refreshCookie, func(out *signedIn) *string { return &out.RefreshToken })(r)
}

// tokens are an access token and a refresh token.
type tokens struct {
	AccessToken  string `json:"accessToken,omitempty"`
	RefreshToken string `json:"refreshToken,omitempty" doc:"Left out if the header X-Homeroom-Web is sent: it is in the cookie homeroom_refresh."`
}

// signedIn is the response to every way of signing in: tokens and a user, or the
// second factor's step.
type signedIn struct {
	tokens
	User          *shownUser     `json:"user,omitempty"`
	Accounts      []shownAccount `json:"accounts,omitempty" doc:"After a code or a switch, the other accounts of the phone. Sign in to one with /auth/switch."`
	SecondFactor  *secondOut     `json:"secondFactor,omitempty" doc:"Instead of tokens if a second factor is needed: complete the sign-in with POST /auth/second-factor."`
	RecoveryCodes []string       `json:"recoveryCodes,omitempty" doc:"Shown once, after a second factor was set up while signing in."`
}

// Message is the response's message.
func (out signedIn) Message() string {
	switch {
	case out.SecondFactor == nil:
		return "You are signed in."
	case slices.Contains(out.SecondFactor.Methods, bySetup):
		return "One step is left: set up a code from an authenticator app, which administrators need here."
	}
	return "One step is left: give the code of your authenticator app."
}

// shownUser is who is signed in. Administrators have a name and an e-mail.
type shownUser struct {
	ID       id.ID      `json:"id"`
	Phone    *string    `json:"phone"`
	Role     actor.Role `json:"role" enum:"PARENT,TEACHER,DRIVER,SCHOOL_ADMIN,SUPER_ADMIN"`
	SchoolID id.ID      `json:"schoolId"`
	Name     string     `json:"name,omitempty"`
	Email    *string    `json:"email,omitempty"`
}

func (a account) shown() *shownUser {
	u := &shownUser{ID: a.ID, Phone: a.Phone, Role: a.Role, SchoolID: a.SchoolID}
	if byEmail(a.Role) {
		u.Name, u.Email = a.Name, a.Email
	}
	return u
}

// shownAccount is one more account of the same phone.
type shownAccount struct {
	ID         id.ID      `json:"id"`
	Role       actor.Role `json:"role" enum:"PARENT,TEACHER,DRIVER,SCHOOL_ADMIN,SUPER_ADMIN"`
	SchoolID   id.ID      `json:"schoolId"`
	SchoolName string     `json:"schoolName"`
}

// list adds the other accounts of the phone to the response of a sign-in.
func (out *signedIn) list(accounts []account, but account) {
	if out.User != nil {
		out.Accounts = others(accounts, but)
	}
}

// others returns the accounts that the caller can switch to.
func others(accounts []account, but account) []shownAccount {
	var out []shownAccount
	for _, a := range accounts {
		if a.ID != but.ID && a.SchoolStatus == string(school.Active) {
			out = append(out, shownAccount{a.ID, a.Role, a.SchoolID, a.SchoolName})
		}
	}
	return out
}

type sendOTPIn struct {
	Phone string `json:"phone" required:"true" format:"phone" example:"+15550100001"`
	from
}

type verifyOTPIn struct {
	Phone string `json:"phone" required:"true" format:"phone" example:"+15550100001"`
	OTP   string `json:"otp" required:"true" pattern:"^[0-9]{6}$" patternHint:"must be 6 digits" example:"123456"`
	wish
	from
}

type setPINIn struct {
	PIN        string `json:"pin" required:"true" pattern:"^[0-9]{4,6}$" patternHint:"must be 4 to 6 digits" example:"2580"`
	CurrentPIN string `json:"currentPin,omitempty" pattern:"^([0-9]{4,6})?$" patternHint:"must be 4 to 6 digits" example:"4821" doc:"Required unless you signed in with a code or password in the last 10 minutes."`
}

type verifyPINIn struct {
	Phone string `json:"phone" required:"true" format:"phone" example:"+15550100001"`
	PIN   string `json:"pin" required:"true" pattern:"^[0-9]{4,6}$" patternHint:"must be 4 to 6 digits" example:"2580"`
	wish
	from
}

type loginIn struct {
	Email    string `json:"email" required:"true" format:"email" example:"admin@greenfield.test"`
	Password string `json:"password" required:"true" format:"password"`
	from
}

type switchIn struct {
	AccountID id.ID  `json:"accountId" required:"true" doc:"One of the accounts listed when signing in."`
	OTP       string `json:"otp,omitempty" pattern:"^([0-9]{6})?$" patternHint:"must be 6 digits" example:"123456" doc:"A new code sent to your phone. Required for an administrator's account unless you signed in with a code in the last 10 minutes."`
	from
}

type refreshIn struct {
	RefreshToken string `json:"refreshToken" maxLength:"2048" doc:"Required unless the cookie homeroom_refresh is sent with the header X-Homeroom-Web."`
	key          string
}

// sessionOf names the session of a valid refresh token, and "" for others.
func (s *Service) sessionOf(refresh string) string {
	t, err := s.tokens.VerifyRefresh(refresh)
	if err != nil {
		return ""
	}
	return "session:" + string(t.Session)
}

func (s *Service) doRefresh(ctx context.Context, who actor.Actor, in refreshIn) (tokens, error) {
	if strings.TrimSpace(in.RefreshToken) == "" {
		return tokens{}, errNoRefresh
	}
	return s.refresh(ctx, who, in)
}

type logoutIn struct {
	RefreshToken string `json:"refreshToken" maxLength:"2048" doc:"For a client whose access token has expired."`
}

func (s *Service) doLogout(ctx context.Context, who actor.Actor, in logoutIn) (web.None, error) {
	return web.None{}, s.logout(ctx, who, in.RefreshToken)
}

type forgotIn struct {
	Email string `json:"email" required:"true" format:"email"`
}

func (s *Service) doForgot(ctx context.Context, _ actor.Actor, in forgotIn) (web.None, error) {
	return web.None{}, s.forgotPassword(ctx, in.Email)
}

type resetPasswordIn struct {
	Token    string `json:"token" required:"true" doc:"From the link."`
	Password string `json:"password" required:"true" format:"password" minLength:"10"`
}

func (s *Service) doReset(ctx context.Context, who actor.Actor, in resetPasswordIn) (web.None, error) {
	return web.None{}, s.resetPassword(ctx, who, in)
}

type changePasswordIn struct {
	CurrentPassword string `json:"currentPassword" required:"true" format:"password"`
	NewPassword     string `json:"newPassword" required:"true" format:"password" minLength:"10"`
}

func (s *Service) doChange(ctx context.Context, who actor.Actor, in changePasswordIn) (web.None, error) {
	return web.None{}, s.changePassword(ctx, who, in)
}

type sessionIn struct {
	ID id.ID `path:"id"`
}

func (s *Service) doEnd(ctx context.Context, who actor.Actor, in sessionIn) (web.None, error) {
	return web.None{}, s.endSession(ctx, who, in.ID)
}

func (s *Service) doEndOthers(ctx context.Context, who actor.Actor, _ web.None) (web.None, error) {
	return web.None{}, s.endOthers(ctx, who)
}
