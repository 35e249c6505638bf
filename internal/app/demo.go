package app

import (
	"context"
	"fmt"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/announcement"
	"homeroom/internal/feature/attendance"
	"homeroom/internal/feature/elective"
	"homeroom/internal/feature/event"
	"homeroom/internal/feature/exam"
	"homeroom/internal/feature/fee"
	"homeroom/internal/feature/identity"
	"homeroom/internal/feature/leave"
	"homeroom/internal/feature/library"
	"homeroom/internal/feature/message"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/feature/timetable"
	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

const (
	demoSuper    = "super@homeroom.test"
	demoPassword = "homeroom-demo"
)

// DemoAccount is a demo account with its public credentials.
type DemoAccount struct {
	Label    string // such as "Administrator"
	School   string // the school's code; "" for the platform
	Role     actor.Role
	Phone    string // signs in with a code, which /dev/outbox shows
	Email    string // signs in with the password
	Password string
}

// DemoAccounts lists the accounts that are the same in every demo.
func DemoAccounts() []DemoAccount {
	list := []DemoAccount{{Label: "Super-administrator", Role: actor.SuperAdmin, Email: demoSuper, Password: demoPassword}}
	for _, p := range demoPlans() {
		list = append(list,
			DemoAccount{Label: "Administrator", School: p.code, Role: actor.SchoolAdmin, Email: p.admin(), Password: demoPassword},
			DemoAccount{Label: "Class teacher of " + demoHomeName, School: p.code, Role: actor.Teacher, Phone: p.teacher()},
			DemoAccount{Label: "Parent of two, one in " + demoHomeName, School: p.code, Role: actor.Parent, Phone: p.parent()},
			DemoAccount{Label: "Driver of their bus", School: p.code, Role: actor.Driver, Phone: p.driver()})
	}
	return list
}

// demoServices are the services that create the demo data.
type demoServices struct {
	DB            *db.DB
	School        *school.Service
	Identity      *identity.Service
	People        *people.Service
	Academics     *academics.Service
	Electives     *elective.Service
	Timetable     *timetable.Service
	Transport     *transport.Service
	Attendance    *attendance.Service
	Announcements *announcement.Service
	Events        *event.Service
	Messages      *message.Service
	Exams         *exam.Service
	Library       *library.Service
	Leaves        *leave.Service
	Fees          *fee.Service
	Now           clock.Now
}

// seed creates the demo data if the database has no schools, in one transaction.
// A lock keeps nodes that start at the same time from doing it twice.
func (s demoServices) seed(ctx context.Context) error {
	all := s.DB.Across(unscoped.Permit{})
	if err := allowsDemo(ctx, all); err != nil {
		return err
	}
	if empty, err := hasNoSchools(ctx, all); err != nil || !empty {
		return err
	}
	hash, err := s.Identity.Hasher.Hash(ctx, demoPassword)
	if err != nil {
		return fmt.Errorf("hash the demo password: %w", err)
	}
	err = s.DB.InAll(ctx, unscoped.Permit{}, func(ctx context.Context, tx *db.Tx) error {
		if err := tx.Lock(ctx, "demo"); err != nil {
			return err
		}
		if empty, err := hasNoSchools(ctx, tx); err != nil || !empty {
			return err // another node was faster
		}
		if err := allowsDemo(ctx, tx); err != nil {
			return err
		}
		if err := markDemo(ctx, tx); err != nil {
			return err
		}
		ctx = tx.Share(ctx)
		if err := s.addSuper(ctx, hash); err != nil {
			return err
		}
		for _, p := range demoPlans() {
			if err := s.addSchool(ctx, p, hash); err != nil {
				return fmt.Errorf("%s: %w", p.code, err)
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("create the demo data: %w", err)
	}
	return nil
}

func hasNoSchools(ctx context.Context, all db.Q) (bool, error) {
	n, err := db.One[int](ctx, all, `SELECT COUNT(*) FROM schools WHERE NOT is_platform`, nil)
	if err != nil {
		return false, fmt.Errorf("count schools: %w", err)
	}
	return n == 0, nil
}

// addSuper creates the super-administrator, unless one remains from an earlier
// demo whose schools were deleted.
func (s demoServices) addSuper(ctx context.Context, hash string) error {
	return s.DB.InSchool(ctx, school.PlatformID, func(ctx context.Context, tx *db.Tx) error {
		n, err := db.One[int](ctx, tx, `SELECT COUNT(*) FROM users WHERE school_id = :school AND email = :email`, db.Args{"email": demoSuper})
		if err != nil || n > 0 {
			return err
		}
		_, err = s.Identity.CreateAccount(ctx, tx, actor.Actor{}, identity.NewAccount{
			Role: actor.SuperAdmin, Name: "Sam Okafor", Email: demoSuper, PasswordHash: hash})
		return err
	})
}

func (s demoServices) addSchool(ctx context.Context, p demoPlan, hash string) error {
	today := clock.DateIn(s.Now(), p.zone)
	first := p.yearStart(today)
	sch, err := s.School.Create(ctx, actor.Actor{}, school.New{
		Name: p.name, Code: p.code, Phone: p.phones + "00000", Email: "office@" + p.domain, Address: p.address,
		Timezone: p.zone, Currency: p.currency, Locale: p.locale,
		AcademicYear: &school.NewYear{Name: yearName(first), StartDate: first, EndDate: yearEnd(first)},
	})
	if err != nil {
		return err
	}
	if _, err = s.School.Update(ctx, actor.Actor{}, sch.ID, school.Change{Rules: school.Rules{WeekendDays: &[]int{},
		PlaceChange: school.PlaceChange{Lat: web.Opt[float64]{Set: true, V: p.lat}, Lng: web.Opt[float64]{Set: true, V: p.lng}}}}); err != nil {
		return err
	}
	m := &demoMaker{demoServices: s, demoPlan: p, today: today, first: first, opens: opensBefore(s.Now().In(clock.Zone(p.zone))),
		who: actor.Actor{School: sch.ID, Zone: p.zone, Locale: p.locale}, rand: p.random()}
	return s.DB.InSchool(ctx, sch.ID, func(ctx context.Context, tx *db.Tx) error {
		admin, err := s.Identity.CreateAccount(ctx, tx, m.who, identity.NewAccount{
			Role: actor.SchoolAdmin, Name: p.principal, Email: p.admin(), PasswordHash: hash})
		if err != nil {
			return err
		}
		return m.fill(tx.Share(ctx), tx, admin)
	})
}

// fill creates everything in a school, in order of dependency.
func (m *demoMaker) fill(ctx context.Context, tx *db.Tx, admin id.ID) error {
	for _, step := range []func(context.Context, *db.Tx) error{
		m.addHolidays,
		func(ctx context.Context, tx *db.Tx) error { return m.open(ctx, tx, m.site(), m.today) },
		m.addClasses,
		func(ctx context.Context, tx *db.Tx) error { return m.addStaff(ctx, tx, admin) },
		m.assign,
		m.addTimetable,
		m.addBuses,
		m.addFamilies,
		func(ctx context.Context, tx *db.Tx) error { return tx.Analyze(ctx) }, // the rest asks who the people are
		m.addTrips,
		m.addAttendance,
		func(ctx context.Context, tx *db.Tx) error { return m.addNews(ctx, admin) },
		func(ctx context.Context, tx *db.Tx) error { return m.addMessages(ctx, tx, admin) },
		func(ctx context.Context, tx *db.Tx) error { return m.addFees(ctx, tx, admin) },
		func(ctx context.Context, tx *db.Tx) error { return m.addExams(ctx, tx, admin) },
		func(ctx context.Context, tx *db.Tx) error { return m.addLibrary(ctx, tx, admin) },
		m.addElectives,
		m.addSubstitute,
		m.addContactChange,
		m.addLeaves,
		func(ctx context.Context, tx *db.Tx) error { return m.wake(ctx, tx, m.site()) },
		m.startTrip,
	} {
		if err := step(ctx, tx); err != nil {
			return err
		}
	}
	return nil
}
