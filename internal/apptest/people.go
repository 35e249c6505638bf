package apptest

import (
	"context"
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"homeroom/internal/app"
	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/access"
	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/identity"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/token"
	"homeroom/internal/schema"
)

// The databases that Start copies: two schools, and beside them the schools of the demo.
var (
	twoSchools = dbtest.Template[*Service]{Migrations: schema.FS, Fill: func(t testing.TB, url string) *Service { return filled(t, url) }}
	withDemo   = dbtest.Template[*Service]{Migrations: schema.FS, Fill: func(t testing.TB, url string) *Service {
		return filled(t, url, func(c *app.Config) { c.Demo = true })
	}}
)

// filled adds the accounts to the database of url and stops the service.
func filled(t testing.TB, url string, opts ...Option) *Service {
	t.Helper()
	s := Open(t, url, opts...)
	if err := s.stop(); err != nil {
		t.Fatal(err)
	}
	return s
}

// useAccounts takes over the accounts and sessions of a template, with new access tokens.
func (s *Service) useAccounts(t testing.TB, from *Service) {
	t.Helper()
	renew := func(a *Account) *Account {
		again := *a
		s.sign(t, &again)
		return &again
	}
	of := func(at School) School {
		return School{ID: at.ID, Admin: renew(at.Admin), Teacher: renew(at.Teacher), Parent: renew(at.Parent), Driver: renew(at.Driver)}
	}
	s.North, s.South, s.Super = of(from.North), of(from.South), renew(from.Super)
}

// addAccounts creates the two schools and their accounts. A second node finds them.
func (s *Service) addAccounts(t testing.TB) {
	t.Helper()
	m := s.maker(t)
	s.North, s.South = m.school("NORTH", "+1555900"), m.school("SOUTH", "+1555901")
	s.Super = m.account(school.PlatformID, actor.SuperAdmin, "", "super@platform.test")
}

// AddSchool creates another school with accounts. phones is the prefix of their phones.
func (s *Service) AddSchool(t testing.TB, code, phones string) School {
	t.Helper()
	return s.maker(t).school(code, phones)
}

func (s *Service) maker(t testing.TB) *maker {
	m := &maker{s: s, t: t, ctx: t.Context()}
	m.audit = &audit.Service{DB: s.DB, Now: s.Now, NewID: s.NewID}
	m.schools = &school.Service{DB: s.DB, Audit: m.audit, Now: s.Now, NewID: s.NewID,
		Access: &access.Service{DB: s.DB, Audit: m.audit, Now: s.Now, NewID: s.NewID}}
	m.identity = identity.New(identity.Options{DB: s.DB, Audit: m.audit, Notify: s.Notify, Keys: s.Keys,
		Now: s.Now, NewID: s.NewID, Rand: rand.Reader})
	return m
}

type maker struct {
	s        *Service
	t        testing.TB
	ctx      context.Context
	audit    *audit.Service
	schools  *school.Service
	identity *identity.Service
}

func (m *maker) school(code, phones string) School {
	m.t.Helper()
	at, err := db.One[id.ID](m.ctx, m.s.DB.Across(unscoped.Permit{}), `SELECT id FROM schools WHERE code = :code`, db.Args{"code": code})
	if errors.Is(err, db.ErrNotFound) {
		var made school.School
		made, err = m.schools.Create(m.ctx, actor.Actor{}, school.New{Name: code + " School", Code: code,
			Timezone: "UTC", Currency: "USD", Locale: "en",
			AcademicYear: &school.NewYear{Name: "This year",
				StartDate: dateOf(m.s.Now().AddDate(0, -6, 0)), EndDate: dateOf(m.s.Now().AddDate(0, 6, 0))}})
		at = made.ID
	}
	if err != nil {
		m.t.Fatal(err)
	}
	return School{ID: at,
		Admin:   m.account(at, actor.SchoolAdmin, "", "admin@"+code+".test"),
		Teacher: m.account(at, actor.Teacher, phones+"0001", ""),
		Parent:  m.account(at, actor.Parent, phones+"0002", ""),
		Driver:  m.account(at, actor.Driver, phones+"0003", "")}
}

// account creates or finds an account, and signs it in.
func (m *maker) account(at id.ID, role actor.Role, phone, email string) *Account {
	m.t.Helper()
	a := &Account{School: at, Role: role, Phone: phone, Email: email}
	err := m.s.DB.InSchool(m.ctx, at, func(ctx context.Context, tx *db.Tx) (err error) {
		a.ID, err = db.One[id.ID](ctx, tx, `SELECT id FROM users WHERE school_id = :school AND role = :role AND name = :name`,
			db.Args{"role": role, "name": "Test " + string(role)})
		if errors.Is(err, db.ErrNotFound) {
			a.ID, err = m.identity.CreateAccount(ctx, tx, actor.Actor{}, identity.NewAccount{
				Role: role, Name: "Test " + string(role), Phone: phone, Email: email})
		}
		return err
	})
	if err != nil {
		m.t.Fatal(err)
	}
	m.s.SignIn(m.t, a)
	return a
}

// SignIn gives the account a new session without calling the sign-in routes.
func (s *Service) SignIn(t testing.TB, a *Account) {
	t.Helper()
	now := s.Now()
	a.session = s.NewID()
	_, err := db.Exec(t.Context(), s.DB.School(a.School), `
		INSERT INTO sessions (school_id, id, user_id, refresh_hash, device, ip, opened_by, phone,
			proven_at, created_at, last_used_at, expires_at, ends_at)
		VALUES (:school, :id, :user, :hash, 'test', '127.0.0.1', 'otp', :phone, :now, :now, :now, :expires, :expires)`,
		db.Args{"id": a.session, "user": a.ID, "phone": orNull(a.Phone), "hash": string(a.session), "now": now,
			"expires": now.Add(7 * 24 * time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	s.sign(t, a)
}

// sign gives the account a new access token of its session.
func (s *Service) sign(t testing.TB, a *Account) {
	t.Helper()
	signer := &token.Signer{Ring: s.Keys, Now: s.Now, Rand: rand.Reader}
	var err error
	if a.Access, err = signer.SignAccess(token.Access{User: a.ID, School: a.School, Session: a.session, Role: a.Role}); err != nil {
		t.Fatal(err)
	}
}

// People returns a service to add students and employees without calling routes.
func (w *World) People() *people.Service {
	return &people.Service{DB: w.DB, Accounts: w.maker(w.TB).identity, Now: w.Now, NewID: w.NewID}
}

// Academics returns a service to add classes and subjects without calling routes.
func (w *World) Academics() *academics.Service {
	return &academics.Service{DB: w.DB, Audit: w.maker(w.TB).audit, Now: w.Now, NewID: w.NewID}
}

// orNull returns nil for an empty phone.
func orNull(phone string) any {
	if phone == "" {
		return nil
	}
	return phone
}

func dateOf(t time.Time) clock.Date { return clock.DateIn(t, "UTC") }
