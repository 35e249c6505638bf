package library_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/library"
	"homeroom/internal/feature/notification"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/people/peopletest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/web"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

type m = map[string]any

const path = "/school-admin/library/"

// world has two students with a parent each and two employees in the school North, and
// one student in South. It is 10:00 on 2026-10-01.
type world struct {
	*peopletest.World
	lib      *library.Service
	mia, noa id.ID
	ann, dan id.ID // a teacher and a driver
	annUser  id.ID
	miaMum   id.ID // an account
	mum      string
	farMia   id.ID
	fines    *ledger
	mu       sync.Mutex
	now      time.Time
}

// ledger is a fake Fines that charges once per loan and records its calls.
type ledger struct {
	mu    sync.Mutex
	fines []library.Fine
	calls int
}

func (l *ledger) Fine(_ context.Context, _ *db.Tx, _ actor.Actor, f library.Fine) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.calls++
	if !slices.ContainsFunc(l.fines, func(known library.Fine) bool { return known.Loan == f.Loan }) {
		l.fines = append(l.fines, f)
	}
	return nil
}

// last is the latest charge.
func (l *ledger) last() library.Fine {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.fines) == 0 {
		return library.Fine{}
	}
	return l.fines[len(l.fines)-1]
}

func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(t, newWorld(t, engine))
		})
	}
}

func newWorld(t testing.TB, engine string) *world {
	t.Helper()
	w := &world{now: time.Date(2026, 10, 1, 10, 0, 0, 0, time.UTC), fines: &ledger{}}
	w.World = peopletest.New(t, engine, func(p *peopletest.World) []web.Route {
		out := &notify.Notifier{DB: p.DB, Now: w.clock, NewID: id.New, Log: slog.New(slog.DiscardHandler)}
		w.lib = &library.Service{DB: p.DB, Audit: &audit.Service{DB: p.DB, Now: clock.System, NewID: id.New},
			Notify: &notification.Service{DB: p.DB, Out: out, Now: w.clock, NewID: id.New}, Now: w.clock, NewID: id.New, Fines: w.fines}
		return w.lib.Routes()
	})
	ids := w.Enrol(w.North, pupil("Mia", "+15550100011"), pupil("Noa", "+15550100012"))
	w.mia, w.noa = ids[0], ids[1]
	w.farMia = w.Enrol(w.South, pupil("Mia", "+15550100011"))[0]
	w.miaMum = w.UserOf(w.North, "guardians", "phone", "+15550100011")
	w.mum = w.North.Token(w.miaMum)
	w.ann, _ = w.Employ(w.North, actor.Teacher, people.NewEmployee{EmployeeCode: "E1", FirstName: "Ann", Phone: "+15550100001"})
	w.dan, _ = w.Employ(w.North, actor.Driver, people.NewEmployee{EmployeeCode: "E2", FirstName: "Dan", Phone: "+15550100002"})
	w.annUser = w.UserOf(w.North, "employees", "id", string(w.ann))
	return w
}

func pupil(name, phone string) people.NewStudent {
	return people.NewStudent{AdmissionNo: "S-" + name, FirstName: name, LastName: "Lee",
		Guardians: []people.NewGuardian{{Name: "Parent of " + name, Relation: "MOTHER", Phone: phone, CanViewData: true}}}
}

// zed is a third student.
func (w *world) zed() id.ID {
	w.Helper()
	return w.Enrol(w.North, pupil("Zed", "+15550100013"))[0]
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// later moves the clock on by days.
func (w *world) later(days int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.AddDate(0, 0, days)
}

// call makes a call as North's administrator.
func (w *world) call(method, at string, data any) peopletest.Answer {
	w.Helper()
	return w.Call(w.North.Admin, method, path+at, data)
}

// add creates a book with copies of these numbers.
func (w *world) add(title string, numbers ...string) m {
	w.Helper()
	return w.call("POST", "book/create", m{"title": title, "copies": copies(numbers...)}).Is(201).Data
}

func copies(numbers ...string) []m {
	list := []m{}
	for _, no := range numbers {
		list = append(list, m{"accessionNo": no})
	}
	return list
}

// rules changes the rules.
func (w *world) rules(change m) {
	w.Helper()
	w.call("PUT", "rules", change).Is(200)
}

// issue lends a copy to a student.
func (w *world) issue(no string, student id.ID) peopletest.Answer {
	w.Helper()
	return w.call("POST", "loan/issue", m{"accessionNo": no, "studentId": student})
}

func (w *world) giveBack(no string) peopletest.Answer {
	w.Helper()
	return w.call("POST", "loan/return", m{"accessionNo": no})
}

func (w *world) reserve(book any, student id.ID) peopletest.Answer {
	w.Helper()
	return w.call("POST", "reservation/create", m{"bookId": book, "studentId": student})
}

// copy finds a copy of a book by its number.
func (w *world) copy(book any, no string) m {
	w.Helper()
	for _, c := range w.call("GET", "book/"+fmt.Sprint(book), nil).Is(200).Data["copies"].([]any) {
		if c := c.(m); c["accessionNo"] == no {
			return c
		}
	}
	w.Fatalf("no copy %s", no)
	return nil
}

func (w *world) statusOf(book any, no string) string {
	w.Helper()
	return fmt.Sprint(w.copy(book, no)["status"])
}

// one reads a string from North's tables.
func (w *world) one(sql string, a db.Args) string {
	w.Helper()
	v, err := db.One[string](w.Context(), w.DB.School(w.North.ID), sql, a)
	if err != nil {
		w.Fatal(err)
	}
	return v
}

// told is the number of library notifications of a user.
func (w *world) told(user id.ID) int {
	w.Helper()
	return w.Count(`notifications WHERE school_id = :school AND user_id = :user AND type = 'LIBRARY'`,
		db.Args{"user": user})
}

// pushed is the number of push notifications to a topic.
func (w *world) pushed(topic string) int {
	w.Helper()
	return w.Count(`deliveries WHERE school_id = :school AND channel = 'push' AND to_addr = :topic`,
		db.Args{"topic": topic})
}

// day runs the hourly job.
func (w *world) day() {
	w.Helper()
	if err := w.lib.Day(w.Context()); err != nil {
		w.Fatal(err)
	}
}

// same makes n concurrent calls and counts the response statuses.
func same(n int, call func(i int) peopletest.Answer) map[int]int {
	answers := make([]peopletest.Answer, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { answers[i] = call(i) })
	}
	wg.Wait()
	out := map[int]int{}
	for _, a := range answers {
		out[a.Status]++
	}
	return out
}
