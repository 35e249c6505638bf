package identity

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"strings"

	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

// SetupPath is the path of the web app's page to which the set-up link leads.
const SetupPath = "/app/setup"

const setupPurpose = "setup" // of the link's secret

var (
	errSetupToken = fault.New(fault.Unauthenticated, "",
		"This set-up link is not right. Use the one that the service printed when it was last started.")
	errSetUp = fault.New(fault.Conflict, "", "This service is set up already. Sign in.")
)

// Schools creates the first school.
type Schools interface {
	Create(ctx context.Context, who actor.Actor, in school.New) (school.School, error)
}

// OpenSetup returns the secret of a link with which the first super-administrator can
// be created; "" if there is one. It follows from the keys, so that the link of one node
// works on all: they share the keys, and a balancer may send it to any of them.
func (s *Service) OpenSetup(ctx context.Context) (string, error) {
	if done, err := hasSuper(ctx, s.across()); err != nil || done {
		return "", err
	}
	s.setup.Store(true)
	return s.Keys.MAC(setupPurpose), nil
}

// hasSuper reports whether there is or was a super-administrator.
func hasSuper(ctx context.Context, q db.Q) (bool, error) {
	has, err := db.One[bool](ctx, q, `SELECT EXISTS (SELECT 1 FROM users WHERE school_id = :platform AND role = 'SUPER_ADMIN') AS has`,
		db.Args{"platform": school.PlatformID})
	return has, fault.Wrap("look for a super-administrator", err)
}

// lockSetup lets only one transaction at a time create the first account.
func lockSetup(ctx context.Context, tx *db.Tx) error {
	return tx.School(school.PlatformID).Lock(ctx, "setup")
}

func (s *Service) setupRoutes() []web.Route {
	return []web.Route{
		// By address, but not within the few calls of signing in: every visit may ask.
		web.Handle("GET /auth/setup", s.needsSetup, web.SignIn(), perUser,
			web.Doc("Whether the service still has no account and waits to be set up.")),
		web.Handle("POST /auth/setup", s.setUp, web.SignIn(), web.Says("You are signed in."),
			web.Doc("Create the first super-administrator and, if named, the first school, with the link that the service prints. Works once.")),
	}
}

type setupState struct {
	Needed bool `json:"needed"`
}

// needsSetup asks the database only while set-up is open.
func (s *Service) needsSetup(ctx context.Context, _ actor.Actor, _ web.None) (out setupState, err error) {
	if !s.setup.Load() {
		return out, nil
	}
	done, err := hasSuper(ctx, s.across())
	if done {
		s.setup.Store(false)
	}
	return setupState{Needed: !done}, err
}

type firstIn struct {
	Token    string `json:"token" required:"true" maxLength:"200" doc:"From the link that the service prints."`
	Name     string `json:"name" required:"true" maxLength:"200"`
	Email    string `json:"email" required:"true" format:"email" doc:"The super-administrator signs in with it."`
	Password string `json:"password" required:"true" format:"password" minLength:"10"`

	SchoolName string `json:"schoolName" maxLength:"200" doc:"The first school. Without it, create one later."`
	SchoolCode string `json:"schoolCode" pattern:"^([A-Za-z0-9-]{2,32})?$" patternHint:"must be 2 to 32 letters, digits and dashes" doc:"Default: made of the name."`
	Timezone   string `json:"timezone" format:"timezone" default:"UTC"`
	Currency   string `json:"currency" format:"currency" default:"USD"`
	Locale     string `json:"locale" pattern:"^([a-z]{2,3}(-[A-Za-z0-9]{2,8})*)?$" patternHint:"must be a language, such as en or pt-BR" default:"en"`

	AcademicYear *school.NewYear `json:"academicYear" doc:"The first academic year. Can be added later."`

	OfficeName     string `json:"officeName" maxLength:"200" doc:"The school's first administrator. Default: the same name."`
	OfficeEmail    string `json:"officeEmail" format:"email" example:"front-desk@greenfield.test" doc:"Must be another one: an e-mail signs in to one account. Without it, create an administrator later."`
	OfficePassword string `json:"officePassword" format:"password" doc:"Without it, the administrator is sent a link to set one."`
	from
}

// Check validates the fields together.
func (in *firstIn) Check() error {
	switch {
	case strings.TrimSpace(in.Name) == "":
		return fault.OnField("name", "is required")
	case in.SchoolName == "" && (in.SchoolCode != "" || in.OfficeEmail != "" || in.AcademicYear != nil):
		return fault.OnField("schoolName", "is required with schoolCode, officeEmail or academicYear")
	case in.OfficeEmail == "" && (in.OfficePassword != "" || in.OfficeName != ""):
		return fault.OnField("officeEmail", "is required with officeName or officePassword")
	case in.OfficeEmail != "" && in.OfficeEmail == in.Email:
		return fault.OnField("officeEmail", "must be another e-mail than the super-administrator's")
	case in.AcademicYear != nil && in.AcademicYear.EndDate <= in.AcademicYear.StartDate:
		return fault.OnField("academicYear.endDate", "must be after startDate")
	}
	if err := checkPassword("password", in.Password, in.Name, in.Email, in.SchoolName); err != nil {
		return err
	}
	if in.OfficePassword == "" {
		return nil
	}
	return checkPassword("officePassword", in.OfficePassword, in.OfficeName, in.OfficeEmail, in.SchoolName)
}

var notCode = regexp.MustCompile(`[^A-Z0-9]+`)

// code is the school's code, made of its name unless given.
func (in firstIn) code() string {
	made := strings.Trim(notCode.ReplaceAllString(strings.ToUpper(in.SchoolName), "-"), "-")
	if made = strings.TrimRight(made[:min(len(made), 32)], "-"); len(made) < 2 {
		made = "SCHOOL"
	}
	return cmp.Or(in.SchoolCode, made)
}

// firstOut is the reply of a sign-in, with the new school.
type firstOut struct {
	signedIn
	SchoolID *id.ID `json:"schoolId" doc:"The first school; null without a name."`
}

// setUp checks the token before it hashes a password or takes a lock.
func (s *Service) setUp(ctx context.Context, who actor.Actor, in firstIn) (out firstOut, err error) {
	switch {
	case !s.setup.Load():
		return out, errSetUp
	case !s.Keys.CheckMAC(setupPurpose, in.Token):
		return out, errSetupToken
	}
	var hashes [2]string
	for i, password := range []string{in.Password, in.OfficePassword} {
		if password == "" {
			continue
		}
		if hashes[i], err = s.Hasher.Hash(ctx, password); err != nil {
			return out, err
		}
	}
	at := attempt{way: byPassword, name: in.Email, who: who, from: in.from}
	if err := s.recognise(ctx, s.across(), &at); err != nil {
		return out, err
	}
	err = s.try(ctx, &at, func(ctx context.Context, tx *db.Tx) (refused, err error) {
		if at.at, err = s.addFirst(ctx, tx, who, in, hashes[0]); err != nil {
			return nil, err
		}
		if out.SchoolID, err = s.addSchool(ctx, tx, at, in, hashes[1]); err != nil {
			return nil, err
		}
		out.signedIn, refused, err = s.start(ctx, tx, &at, proof{at: s.Now()}, errSetUp)
		return refused, err
	})
	if err == nil {
		s.setup.Store(false)
	}
	return out, err
}

// addFirst creates the super-administrator, if there is none.
func (s *Service) addFirst(ctx context.Context, tx *db.Tx, who actor.Actor, in firstIn, hash string) (account, error) {
	if err := lockSetup(ctx, tx); err != nil {
		return account{}, err
	}
	if done, err := hasSuper(ctx, tx); err != nil || done {
		return account{}, cmp.Or(err, error(errSetUp))
	}
	own, by := tx.School(school.PlatformID), actor.Actor{RequestID: who.RequestID, IP: who.IP}
	made, err := s.CreateAccount(ctx, own, by, NewAccount{Role: actor.SuperAdmin, Name: in.Name, Email: in.Email, PasswordHash: hash})
	if err != nil {
		return account{}, err
	}
	return getAccount(ctx, own, made)
}

// addSchool creates the school and its administrator, if they are named.
func (s *Service) addSchool(ctx context.Context, tx *db.Tx, at attempt, in firstIn, hash string) (*id.ID, error) {
	if in.SchoolName == "" {
		return nil, nil
	}
	by := actor.Actor{User: at.at.ID, School: at.at.SchoolID, Role: at.at.Role, RequestID: at.who.RequestID, IP: at.who.IP}
	made, err := s.Schools.Create(tx.Share(ctx), by, school.New{Name: in.SchoolName, Code: in.code(), Timezone: in.Timezone,
		Currency: in.Currency, Locale: in.Locale, AcademicYear: in.AcademicYear})
	if err != nil {
		return nil, err
	}
	if in.OfficeEmail == "" {
		return &made.ID, nil
	}
	_, err = s.CreateAccount(ctx, tx.School(made.ID), by, NewAccount{Role: actor.SchoolAdmin, Name: cmp.Or(in.OfficeName, in.Name),
		Email: in.OfficeEmail, PasswordHash: hash})
	if err != nil {
		return nil, fmt.Errorf("create the school's administrator: %w", err)
	}
	return &made.ID, nil
}
