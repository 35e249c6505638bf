package app

import (
	"context"
	crand "crypto/rand"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/access"
	"homeroom/internal/feature/announcement"
	"homeroom/internal/feature/attendance"
	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/elective"
	"homeroom/internal/feature/event"
	"homeroom/internal/feature/exam"
	"homeroom/internal/feature/fee"
	"homeroom/internal/feature/identity"
	"homeroom/internal/feature/leave"
	"homeroom/internal/feature/library"
	"homeroom/internal/feature/message"
	"homeroom/internal/feature/notification"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/school"
	"homeroom/internal/feature/timetable"
	"homeroom/internal/feature/transport"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/token"
	"homeroom/internal/schema"
)

// newDemo returns the services that create a demo in a new database.
func newDemo(t testing.TB, d *db.DB, now clock.Now) demoServices {
	t.Helper()
	log := &audit.Service{DB: d, Now: now, NewID: id.New}
	roles := &access.Service{DB: d, Audit: log, Now: now, NewID: id.New}
	s := demoServices{
		DB:     d,
		School: &school.Service{DB: d, Audit: log, Access: roles, Now: now, NewID: id.New},
		Identity: identity.New(identity.Options{DB: d, Audit: log, Hasher: &token.Hasher{Rand: crand.Reader, Cheap: true},
			Now: now, NewID: id.New, Rand: crand.Reader}),
		Academics: &academics.Service{DB: d, Audit: log, Now: now, NewID: id.New},
		Electives: &elective.Service{DB: d, Audit: log, Now: now},
		Timetable: &timetable.Service{DB: d, Audit: log, Now: now, NewID: id.New, Rand: crand.Reader},
		Transport: &transport.Service{DB: d, Now: now, NewID: id.New},
		Now:       now,
	}
	told := &notification.Service{DB: d, Out: &notify.Notifier{DB: d, Now: now, NewID: id.New}, Now: now, NewID: id.New}
	s.Transport.Audit, s.Transport.Notify, s.Timetable.Notify = log, told, told
	s.Attendance = &attendance.Service{DB: d, Audit: log, Notify: told, Now: now, NewID: id.New}
	s.Announcements = &announcement.Service{DB: d, Audit: log, Notify: told, Now: now, NewID: id.New}
	s.Events = &event.Service{DB: d, Audit: log, Now: now, NewID: id.New}
	s.Messages = &message.Service{DB: d, Audit: log, Notify: told, Now: now, NewID: id.New}
	s.Exams = &exam.Service{DB: d, Audit: log, Notify: told, Now: now, NewID: id.New}
	s.Fees = &fee.Service{DB: d, Audit: log, Notify: told, Now: now, NewID: id.New}
	s.Library = &library.Service{DB: d, Audit: log, Notify: told, Now: now, NewID: id.New}
	s.Leaves = &leave.Service{DB: d, Audit: log, Notify: told, Now: now, NewID: id.New, Marks: leaveMarks{s.Attendance}}
	s.People = &people.Service{DB: d, Accounts: s.Identity, Now: now, NewID: id.New}
	if err := s.School.Platform(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

func eachDemo(t *testing.T, test func(t *testing.T, s demoServices)) {
	t.Helper()
	t.Parallel()
	dbtest.Each(t, schema.FS, func(t *testing.T, d *db.DB) { test(t, newDemo(t, d, clock.System)) })
}

// one reads a single value, or ends the test.
func one[T any](t *testing.T, q db.Q, sql string, a db.Args) T {
	t.Helper()
	v, err := db.One[T](t.Context(), q, sql, a)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (s demoServices) schoolOf(t *testing.T, code string) id.ID {
	t.Helper()
	return one[id.ID](t, s.DB.Across(unscoped.Permit{}), `SELECT id FROM schools WHERE code = :code`, db.Args{"code": code})
}

// TestDemo creates one demo and checks all of it. Last it deletes a school, which
// has rows in every table.
func TestDemo(t *testing.T) {
	eachDemo(t, func(t *testing.T, s demoServices) {
		for range 2 { // the second time must change nothing
			if err := s.seed(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		for _, p := range demoPlans() {
			at := s.schoolOf(t, p.code)
			q := s.DB.School(at)
			checkNumbers(t, q)
			checkFamilies(t, q)
			checkToday(t, q)
			checkStory(t, s, at, p)
			checkExams(t, s, at, p)
			checkLibrary(t, s, at, p)
			checkFees(t, s, at, p)
			year, err := school.CurrentYear(t.Context(), q)
			if today := clock.DateIn(s.Now(), p.zone); err != nil || today < year.StartDate || today > year.EndDate {
				t.Errorf("%s: today is not in the current year %v %v", p.code, year, err)
			}
		}
		checkAccounts(t, s)
		checkDeletion(t, s)
	})
}

func checkNumbers(t *testing.T, q db.Q) {
	t.Helper()
	for table, want := range map[string]int{
		"students WHERE class_id IS NOT NULL AND division_id IS NOT NULL": 300,
		"enrolments WHERE roll_no BETWEEN 1 AND 15":                       300,
		"classes": 10, "divisions": 20, "subjects": 8, "academic_years WHERE is_current": 1,
		"employees": 31, "users WHERE role = 'TEACHER'": 24, "users WHERE role = 'DRIVER'": 3, "users WHERE role = 'SCHOOL_ADMIN'": 1,
		"teacher_assignments": 154, "teacher_assignments WHERE is_class_teacher": 20, "buses": 2, "routes": 2, "route_stops": 12,
	} {
		if got := one[int](t, q, `SELECT COUNT(*) FROM `+where(table)+` school_id = :school`, nil); got != want {
			t.Errorf("%d %s, want %d", got, table, want)
		}
	}
	for table, least := range map[string]int{"student_stops": 30, "timetable_periods": 800, "holidays": 5, // one may have been today
		"trips": 20, "attendance": 1350,
		"announcements": 2, "events": 3, "guardians WHERE user_id IS NOT NULL": 250} {
		if got := one[int](t, q, `SELECT COUNT(*) FROM `+where(table)+` school_id = :school`, nil); got < least {
			t.Errorf("%d %s, want at least %d", got, table, least)
		}
	}
}

// where turns "table" or "table WHERE x" into a prefix for another condition.
func where(table string) string {
	if strings.Contains(table, " WHERE ") {
		return table + " AND"
	}
	return table + " WHERE"
}

// checkFamilies checks that every child has one or two guardians, one of them
// primary, that some guardians have several children, and that no bus is too full.
func checkFamilies(t *testing.T, q db.Q) {
	t.Helper()
	for what, sql := range map[string]string{
		"children with no or too many guardians": `SELECT COUNT(*) FROM students s WHERE s.school_id = :school AND
			(SELECT COUNT(*) FROM student_guardians l WHERE l.school_id = :school AND l.student_id = s.id) NOT IN (1, 2)`,
		"children without a primary guardian": `SELECT COUNT(*) FROM students s WHERE s.school_id = :school AND
			(SELECT COUNT(*) FROM student_guardians l WHERE l.school_id = :school AND l.student_id = s.id AND l.is_primary) <> 1`,
		"assignments to a subject that the class does not have": `SELECT COUNT(*) FROM teacher_assignments a WHERE a.school_id = :school AND
			NOT EXISTS (SELECT 1 FROM class_subjects c WHERE c.school_id = :school AND c.class_id = a.class_id AND c.subject_id = a.subject_id)`,
		"buses that are too full": `SELECT COUNT(*) FROM buses b WHERE b.school_id = :school AND b.capacity <
			(SELECT COUNT(*) FROM student_stops r JOIN route_stops p ON p.school_id = r.school_id AND p.id = r.stop_id
			 WHERE r.school_id = :school AND p.route_id = b.route_id)`,
	} {
		if n := one[int](t, q, sql, nil); n != 0 {
			t.Errorf("%d %s", n, what)
		}
	}
	if n := one[int](t, q, `SELECT COUNT(*) FROM (SELECT guardian_id FROM student_guardians WHERE school_id = :school
		GROUP BY guardian_id HAVING COUNT(*) > 1) AS shared`, nil); n < 30 {
		t.Errorf("%d guardians of siblings, want at least 30", n)
	}
}

// checkStory checks that the demo accounts are related as their labels say.
func checkStory(t *testing.T, s demoServices, at id.ID, p demoPlan) {
	t.Helper()
	ctx, q := t.Context(), s.DB.School(at)
	find := func(role actor.Role, phone string) id.ID {
		user, err := s.Identity.FindByPhone(ctx, q, role, phone)
		if err != nil {
			t.Fatalf("%s %s: %v", role, phone, err)
		}
		return user
	}
	children, err := people.ChildrenOf(ctx, q, find(actor.Parent, p.parent()))
	if err != nil || len(children) != 2 {
		t.Fatalf("children of the demo parent: %v %v", children, err)
	}
	bus, err := transport.BusOf(ctx, q, find(actor.Driver, p.driver()))
	if err != nil {
		t.Fatal(err)
	}
	taught, rides := 0, 0
	for _, c := range children {
		st, err := people.GetRecord(ctx, q, c)
		if err != nil {
			t.Fatal(err)
		}
		lead, err := academics.ClassTeacher(ctx, q, *st.ClassID, *st.DivisionID)
		if err == nil && lead.UserID == find(actor.Teacher, p.teacher()) {
			taught++
			name := one[string](t, q, `SELECT c.name || ' ' || d.name FROM divisions d
				JOIN classes c ON c.school_id = d.school_id AND c.id = d.class_id
				WHERE d.school_id = :school AND d.id = :id`, db.Args{"id": *st.DivisionID})
			if name != demoHomeName {
				t.Errorf("the demo teacher is class teacher of %s, but the label says %s", name, demoHomeName)
			}
		}
		rides += one[int](t, q, `SELECT COUNT(*) FROM student_stops r JOIN route_stops p ON p.school_id = r.school_id AND p.id = r.stop_id
			WHERE r.school_id = :school AND r.student_id = :child AND p.route_id = :route`, db.Args{"child": c, "route": *bus.RouteID})
	}
	if taught != 1 || rides == 0 {
		t.Errorf("%s: the demo teacher is class teacher of %d, and %d ride with the demo driver", p.code, taught, rides)
	}
}

func checkAccounts(t *testing.T, s demoServices) {
	t.Helper()
	accounts := DemoAccounts()
	if len(accounts) != 9 {
		t.Errorf("%d accounts, want 9", len(accounts))
	}
	for _, a := range accounts {
		at := school.PlatformID
		if a.School != "" {
			at = s.schoolOf(t, a.School)
		}
		if a.Password == "" {
			if _, err := s.Identity.FindByPhone(t.Context(), s.DB.School(at), a.Role, a.Phone); err != nil {
				t.Errorf("%v: %v", a, err)
			}
			continue
		}
		hash := one[string](t, s.DB.School(at), `SELECT password_hash FROM users WHERE school_id = :school AND role = :role AND email = :email`,
			db.Args{"role": a.Role, "email": a.Email})
		if ok, err := s.Identity.Hasher.Verify(t.Context(), a.Password, hash); err != nil || !ok {
			t.Errorf("%v: wrong password: %v", a, err)
		}
	}
}

func checkDeletion(t *testing.T, s demoServices) {
	t.Helper()
	at := s.schoolOf(t, "RIVERSIDE")
	if _, err := s.School.Suspend(t.Context(), actor.Actor{}, at); err != nil {
		t.Fatal(err)
	}
	if err := s.School.Delete(t.Context(), actor.Actor{}, at, "RIVERSIDE"); err != nil {
		t.Fatal(err)
	}
	all := s.DB.Across(unscoped.Permit{})
	for _, table := range []string{"students", "enrolments", "guardians", "student_guardians", "employees", "users", "classes", "divisions",
		"subjects", "class_subjects", "teacher_assignments", "buses", "routes", "route_stops", "student_stops", "exam_results", "library_loans",
		"fee_charges", "fee_receipts", "ledger_entries"} {
		gone := one[int](t, all, `SELECT COUNT(*) FROM `+table+` WHERE school_id = :at`, db.Args{"at": at})
		if left := one[int](t, all, `SELECT COUNT(*) FROM `+table, nil); gone != 0 || left == 0 {
			t.Errorf("%s: %d rows of the deleted school, %d of all", table, gone, left)
		}
	}
}

func TestDemoIsWholeOrNotThere(t *testing.T) {
	eachDemo(t, func(t *testing.T, s demoServices) {
		ctx, crash := context.WithCancel(t.Context())
		n := 0
		s.Transport.NewID = func() id.ID { // at the first bus, when most of a school exists
			if n++; n > 2*(1+demoStops) {
				crash()
			}
			return id.New()
		}
		if err := s.seed(ctx); !errors.Is(err, context.Canceled) {
			t.Fatalf("a crash in the middle: %v", err)
		}
		if a, b, c := s.count(t, "schools"), s.count(t, "employees"), s.count(t, "users"); a != 1 || b != 0 || c != 0 {
			t.Errorf("after the crash: %d schools with the platform's, %d employees, %d users, want 1, 0, 0", a, b, c)
		}
	})
}

func (s demoServices) count(t *testing.T, table string) int {
	t.Helper()
	return one[int](t, s.DB.Across(unscoped.Permit{}), `SELECT COUNT(*) FROM `+table, nil)
}

// TestDemoOfTwoNodes starts two nodes at once. SQLite has only one node.
func TestDemoOfTwoNodes(t *testing.T) {
	t.Parallel()
	url := dbtest.URL(t, "postgres", schema.FS)
	first := newDemo(t, dbtest.Dial(t, url, schema.FS), clock.System)
	second := newDemo(t, dbtest.Dial(t, url, schema.FS), clock.System)
	var wg sync.WaitGroup
	for _, s := range []demoServices{first, second} {
		wg.Go(func() {
			if err := s.seed(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if a, b := first.count(t, "schools"), first.count(t, "students"); a != 3 || b != 600 {
		t.Errorf("%d schools with the platform's, %d students, want 3 and 600", a, b)
	}
}

func TestDemoLeavesOthersAlone(t *testing.T) {
	eachDemo(t, func(t *testing.T, s demoServices) {
		if _, err := s.School.Create(t.Context(), actor.Actor{}, school.New{Name: "Own", Code: "OWN"}); err != nil {
			t.Fatal(err)
		}
		if err := s.seed(t.Context()); !errors.Is(err, errReal) {
			t.Errorf("seed of a database with a school: got %v, want errReal", err)
		}
		if n := s.count(t, "users"); n != 0 {
			t.Errorf("%d demo accounts in a database that is not empty", n)
		}
	})
}

func TestDemoOnAnyDay(t *testing.T) {
	t.Parallel()
	for _, p := range demoPlans() {
		for day := clock.Date("2026-01-01"); day < "2028-03-02"; day = day.AddDays(1) {
			first := p.yearStart(day)
			last := yearEnd(first)
			if day < first || day > last {
				t.Fatalf("%s: %s is not in %s to %s", p.code, day, first, last)
			}
			for _, h := range p.holidays {
				if date := h.within(first); date < first || date > last {
					t.Fatalf("%s: %s %s is not in %s to %s", p.code, h.name, date, first, last)
				}
			}
		}
	}
}

// TestDemoIsTheSameEveryTime creates a family twice.
func TestDemoIsTheSameEveryTime(t *testing.T) {
	t.Parallel()
	p := demoPlans()[0]
	family := func() string {
		m := &demoMaker{demoPlan: p, rand: p.random(), first: "2026-08-01", divisions: make([]academics.Division, demoGrades*demoDivisions)}
		raw, err := json.Marshal(m.family([]int{0, 100, 200}, -1))
		if err != nil {
			t.Fatal(err)
		}
		return string(raw)
	}
	if a, b := family(), family(); a != b || !strings.Contains(a, "Guardians") {
		t.Errorf("the two families differ:\n%s\n%s", a, b)
	}
}

// BenchmarkDemo creates a demo, which must take less than 5 s on either engine.
func BenchmarkDemo(b *testing.B) {
	for _, engine := range dbtest.Engines {
		b.Run(engine, func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				s := newDemo(b, dbtest.Open(b, engine, schema.FS), clock.System)
				b.StartTimer()
				start := time.Now()
				if err := s.seed(b.Context()); err != nil {
					b.Fatal(err)
				}
				if took := time.Since(start); took > 5*time.Second {
					b.Errorf("creating the demo took %s, want at most 5s", took)
				}
			}
		})
	}
}
