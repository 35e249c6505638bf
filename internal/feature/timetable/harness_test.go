package timetable_test

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"homeroom/internal/feature/academics"
	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/notification"
	"homeroom/internal/feature/people"
	"homeroom/internal/feature/people/peopletest"
	"homeroom/internal/feature/timetable"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/opt"
	"homeroom/internal/platform/web"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

type m = map[string]any

const (
	monday  = "2026-10-05"
	tuesday = "2026-10-06"
	path    = "/school-admin/timetable"
)

// now is a Thursday in the year 2026-06-01 to 2027-05-31.
var now = time.Date(2026, 10, 1, 6, 0, 0, 0, time.UTC)

// world has in North two divisions of Grade 1 and one of Grade 2, three teachers
// and a driver, and a child in 1 A; South has one of each.
type world struct {
	*peopletest.World
	academics        *academics.Service
	one, two, far    academics.Class
	oneA, oneB, twoA academics.Division
	farA             academics.Division
	maths, art       academics.Subject
	grade2           academics.Subject // only of Grade 2
	farMaths         academics.Subject
	ann, bob, cid    id.ID // teachers
	annToken         string
	bobToken         string
	farAnn, driver   id.ID
	child, stranger  id.ID
	farChild         id.ID
	parent           string
	raw              *web.Server
	logs             *logs
}

// logs collects the server's log.
type logs struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func service(w *peopletest.World) *timetable.Service {
	at := func() time.Time { return now }
	out := &notify.Notifier{DB: w.DB, Now: at, NewID: id.New, Log: slog.New(slog.DiscardHandler)}
	return &timetable.Service{DB: w.DB, Audit: &audit.Service{DB: w.DB, Now: clock.System, NewID: id.New},
		Notify: &notification.Service{DB: w.DB, Out: out, Now: at, NewID: id.New}, Now: at,
		NewID: id.New, Rand: rand.Reader, PublicURL: "https://school.test"}
}

func each(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	routes := func(w *peopletest.World) []web.Route { return service(w).Routes() }
	peopletest.Each(t, routes, func(t *testing.T, p *peopletest.World) {
		w := &world{World: p, academics: &academics.Service{DB: p.DB, Audit: p.Schools.Audit, Now: clock.System, NewID: id.New}, logs: &logs{}}
		w.one, w.oneA = w.class(w.North, "Grade 1", 1)
		w.two, w.twoA = w.class(w.North, "Grade 2", 2)
		w.far, w.farA = w.class(w.South, "Grade 1", 1)
		w.oneB = w.division(w.North, w.one.ID, "B")
		w.maths = w.subject(w.North, "Mathematics", w.one.ID, w.two.ID)
		w.art = w.subject(w.North, "Art", w.one.ID, w.two.ID)
		w.grade2 = w.subject(w.North, "Latin", w.two.ID)
		w.farMaths = w.subject(w.South, "Mathematics", w.far.ID)
		w.ann, w.annToken = w.Employ(w.North, actor.Teacher,
			people.NewEmployee{EmployeeCode: "E1", FirstName: "Ann", LastName: "Lee", Phone: "+15550100001"})
		w.bob, w.bobToken = w.Employ(w.North, actor.Teacher, people.NewEmployee{EmployeeCode: "E2", FirstName: "Bob", Phone: "+15550100002"})
		w.cid, _ = w.Employ(w.North, actor.Teacher, people.NewEmployee{EmployeeCode: "E3", FirstName: "Cid", Phone: "+15550100003"})
		w.driver, _ = w.Employ(w.North, actor.Driver, people.NewEmployee{EmployeeCode: "E4", FirstName: "Dan", Phone: "+15550100004"})
		w.farAnn, _ = w.Employ(w.South, actor.Teacher, people.NewEmployee{EmployeeCode: "E1", FirstName: "Ann", Phone: "+15550100001"})
		w.enrol()
		w.serve(routes(p))
		test(t, w)
	})
}

func (w *world) enrol() {
	w.Helper()
	pupil := func(no string, c academics.Class, d academics.Division, phone string) people.NewStudent {
		return people.NewStudent{AdmissionNo: no, FirstName: no, ClassID: &c.ID, DivisionID: &d.ID,
			Guardians: []people.NewGuardian{{Name: "Parent of " + no, Relation: "MOTHER", Phone: phone, CanViewData: true}}}
	}
	ids := w.Enrol(w.North, pupil("Mia", w.one, w.oneA, "+15550100011"), pupil("Noa", w.one, w.oneB, "+15550100012"))
	w.child, w.stranger = ids[0], ids[1]
	w.farChild = w.Enrol(w.South, pupil("Mia", w.far, w.farA, "+15550100011"))[0]
	w.parent = w.North.Token(w.UserOf(w.North, "guardians", "phone", "+15550100011"))
}

// serve starts the server, which replies with files.
func (w *world) serve(routes []web.Route) {
	w.Helper()
	var err error
	w.raw, err = web.New(web.Config{Routes: routes, Gate: peopletest.Gate{DB: w.DB}, DB: w.DB, Now: clock.System, NewID: id.New,
		Log: slog.New(slog.NewTextHandler(w.logs, nil)), Metrics: web.NewMetrics(prometheus.NewRegistry()), Timeout: 20 * time.Second})
	if err != nil {
		w.Fatal(err)
	}
}

// get reads a file.
func (w *world) get(token, path string) *httptest.ResponseRecorder {
	w.Helper()
	r := httptest.NewRequestWithContext(w.Context(), "GET", path, nil)
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	rec := httptest.NewRecorder()
	w.raw.ServeHTTP(rec, r)
	return rec
}

func (w *world) class(s peopletest.School, name string, order int) (c academics.Class, d academics.Division) {
	w.Helper()
	w.In(s, func(ctx context.Context, tx *db.Tx) error {
		made, err := w.academics.AddClasses(ctx, tx, []academics.Class{{Name: name, DisplayOrder: order, AcademicYearID: s.Year}})
		c = made[0]
		return err
	})
	return c, w.division(s, c.ID, "A")
}

func (w *world) division(s peopletest.School, class id.ID, name string) (d academics.Division) {
	w.Helper()
	w.In(s, func(ctx context.Context, tx *db.Tx) error {
		made, err := w.academics.AddDivisions(ctx, tx, []academics.Division{{ClassID: class, Name: name, Room: opt.Text("Home " + name)}})
		d = made[0]
		return err
	})
	return d
}

func (w *world) subject(s peopletest.School, name string, classes ...id.ID) (sub academics.Subject) {
	w.Helper()
	w.In(s, func(ctx context.Context, tx *db.Tx) error {
		made, err := w.academics.AddSubjects(ctx, tx,
			[]academics.Subject{{Name: name, Code: opt.Text(strings.ToUpper(name)), Type: "CORE", ClassIDs: classes}})
		sub = made[0]
		return err
	})
	return sub
}

// lesson is a period of a request.
func (w *world) lesson(day, no int, start, end string, teacher id.ID, room string) m {
	p := m{"dayOfWeek": day, "periodNo": no, "startTime": start, "endTime": end, "subjectId": w.maths.ID}
	if teacher != "" {
		p["teacherId"] = teacher
	}
	if room != "" {
		p["room"] = room
	}
	return p
}

// plan is the body of a PUT of a week.
func plan(d academics.Division, periods ...m) m {
	return m{"classId": d.ClassID, "divisionId": d.ID, "periods": append([]m{}, periods...)}
}

// put replaces a week and requires success.
func (w *world) put(d academics.Division, periods ...m) m {
	w.Helper()
	return w.Call(w.North.Admin, "PUT", path, plan(d, periods...)).Is(200).Data
}

func of(d academics.Division) string {
	return path + "?classId=" + string(d.ClassID) + "&divisionId=" + string(d.ID)
}

// with returns a copy of a body with one other value.
func with(body m, key string, value any) m {
	out := m{}
	for k, v := range body {
		out[k] = v
	}
	out[key] = value
	return out
}
