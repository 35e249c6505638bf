package audit_test

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"homeroom/internal/feature/audit"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/fault"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
)

var errNoThing = fault.New(fault.NotFound, "THING_NOT_FOUND", "There is no such thing.")

// reads is a Reads on the world's database, for students.
func (w *world) reads(keep int) *audit.Reads {
	return audit.NewReads(audit.ReadsOptions{DB: w.db, Now: func() time.Time { return w.now }, NewID: id.New, Keep: keep,
		Log:   slog.New(slog.DiscardHandler),
		Kinds: map[string]audit.Kind{"student": {Table: "students", Missing: errNoThing}}})
}

// rows counts the rows in the database.
func (w *world) rows() int {
	w.Helper()
	n, err := db.One[int](w.Context(), w.db.Across(unscoped.Permit{}), `SELECT COUNT(*) FROM reads`, nil)
	if err != nil {
		w.Fatal(err)
	}
	return n
}

func (w *world) saw(r *audit.Reads, at, user, record id.ID) {
	w.Helper()
	who := actor.Actor{School: at, User: user, Role: actor.Teacher, RequestID: "req-1", IP: "192.0.2.7"}
	if err := r.Saw(w.Context(), who, "student", record); err != nil {
		w.Error(err)
	}
}

// TestReadsInBatches checks that rows are written after a second, when a batch is full,
// or when Run ends, for all schools.
func TestReadsInBatches(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := w.reads(0)
		for range 300 {
			w.saw(r, one, ada, thing)
			w.saw(r, two, bob, other)
		}
		if n := w.rows(); n != 0 {
			t.Errorf("%d rows were written by requests", n)
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- r.Run(ctx) }()
		w.until(600) // more than a batch, within a second
		w.saw(r, one, ada, thing)
		w.until(601)
		for range 10 {
			w.saw(r, two, ada, thing)
		}
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if n := w.rows(); n != 611 {
			t.Errorf("%d rows when it has ended, want 611", n)
		}
		w.saw(r, one, ada, other) // by the last request
		if err := r.Flush(t.Context()); err != nil || w.rows() != 612 {
			t.Errorf("%d rows after the last, want 612: %v", w.rows(), err)
		}
	})
}

func (w *world) until(rows int) {
	w.Helper()
	if !await.Comes(func() bool { return w.rows() == rows }) {
		w.Fatalf("%d rows, want %d", w.rows(), rows)
	}
}

// TestReadsWhenFull adds more rows than fit in memory, concurrently.
func TestReadsWhenFull(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := w.reads(20)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 25 {
					w.saw(r, one, ada, thing)
				}
			})
		}
		wg.Wait()
		if n := w.rows(); n != 180 {
			t.Errorf("%d rows were written through, want 180", n)
		}
		if err := r.Flush(t.Context()); err != nil || w.rows() != 200 {
			t.Errorf("%d rows, want 200: %v", w.rows(), err)
		}
	})
}

// TestReadsOutliveAnOutage keeps rows during an outage, and refuses reads that it can't
// log.
func TestReadsOutliveAnOutage(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := w.reads(3)
		for range 3 {
			w.saw(r, one, ada, thing)
		}
		gone, cancel := context.WithCancel(t.Context())
		cancel()
		if err := r.Flush(gone); err == nil {
			t.Error("Flush succeeded without a database")
		}
		if err := r.Saw(gone, actor.Actor{School: one, User: ada}, "student", thing); err == nil {
			t.Error("Saw succeeded although the memory was full and the database gone")
		}
		if err := r.Flush(t.Context()); err != nil || w.rows() != 3 {
			t.Errorf("%d rows, want 3: %v", w.rows(), err)
		}
	})
}

// TestReadsOfASchoolThatIsGone checks that rows of a deleted school don't block others.
func TestReadsOfASchoolThatIsGone(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := w.reads(0)
		w.saw(r, one, ada, thing)
		w.saw(r, "0199f3a2-0000-7000-8000-0000000000ff", ada, thing)
		w.saw(r, two, ada, thing)
		if err := r.Flush(t.Context()); err != nil || w.rows() != 2 {
			t.Errorf("%d rows, want 2: %v", w.rows(), err)
		}
	})
}

// TestReadsStay checks that the database refuses to change the read log.
func TestReadsStay(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := w.reads(0)
		w.saw(r, one, ada, thing)
		if err := r.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, sql := range []string{`DELETE FROM reads`, `UPDATE reads SET entity = 'nothing'`} {
			if _, err := db.Exec(t.Context(), w.db.Across(unscoped.Permit{}), sql, nil); err == nil {
				t.Errorf("%s: done", sql)
			}
		}
	})
}

func TestReadsList(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.seed()
		r := w.reads(0)
		for _, e := range []struct {
			at, user, record id.ID
			day, hour        int
		}{
			{one, ada, thing, 10, 0},  // 0
			{one, bob, thing, 10, 23}, // 1: already the 11th in Berlin
			{one, ada, other, 11, 12}, // 2
			{two, ada, thing, 11, 12}, // another school
			{one, bob, thing, 12, 0},  // 3
		} {
			w.now = time.Date(2026, 11, e.day, e.hour, 0, 0, 0, time.UTC)
			w.saw(r, e.at, e.user, e.record)
		}
		w.now = time.Date(2026, 11, 12, 12, 0, 0, 0, time.UTC)
		serve := w.server
		defer func() { w.server = serve }()
		w.serve(r)
		const reads = "/school-admin/audit/reads"
		admin := "SCHOOL_ADMIN " + string(one)
		of, by := "?recordId="+string(thing), "?userId="+string(ada)
		for path, want := range map[string]string{
			reads:                                 "12T00 11T12 10T23 10T00",
			reads + "?sort=at":                    "10T00 10T23 11T12 12T00",
			reads + "?limit=1&page=2":             "11T12",
			reads + of:                            "12T00 10T23 10T00",
			reads + of + "&entity=student":        "12T00 10T23 10T00",
			reads + of + "&userId=" + string(bob): "12T00 10T23",
			reads + by:                            "11T12 10T00",
			reads + "?entity=role":                "",
			reads + of + "&from=2026-11-11":       "12T00 10T23", // days are the school's: Berlin's
			reads + of + "&to=2026-11-10":         "10T00",
			reads + of + "&from=2026-11-11T00:00:00Z&to=2026-11-12T00:00:00Z": "12T00",
		} {
			a := w.get(admin, path)
			if a.Status != 200 {
				t.Errorf("%s: %s", path, a.Text)
				continue
			}
			var got []string
			for _, item := range a.Data["items"].([]any) {
				got = append(got, strings.TrimPrefix(item.(m)["at"].(string), "2026-11-")[:5])
			}
			if s := strings.Join(got, " "); s != want {
				t.Errorf("%s: %q, want %q", path, s, want)
			}
		}
		a := w.get(admin, reads+of+"&limit=1")
		got := a.Data["items"].([]any)[0].(m)
		if d := cmp.Diff(m{"id": got["id"], "at": "2026-11-12T00:00:00.000Z", "userId": string(bob), "userName": "Bob", "role": "TEACHER",
			"entity":   "student",
			"recordId": string(thing), "requestId": "req-1", "ip": "192.0.2.7"}, got); d != "" {
			t.Errorf("diff: got %v", d)
		}
		for path, want := range map[string]string{
			reads + "?recordId=" + string(one):                "404 THING_NOT_FOUND",
			reads + "?entity=student&recordId=" + string(one): "404 THING_NOT_FOUND",
			reads + "?entity=role&recordId=" + string(one):    "404 Not Found",
			reads + "?userId=" + string(one):                  "404 Not Found",
			reads + of + "&from=2026-11-13":                   "200 ", // seen at another time
			reads + "?from=yesterday":                         "422 Unprocessable Entity",
			reads + "?recordId=x":                             "422 Unprocessable Entity",
		} {
			a := w.get(admin, path)
			if got := fmt.Sprintf("%d %s", a.Status, a.Error); got != want {
				t.Errorf("%s: %s, want %s: %s", path, got, want, a.Text)
			}
		}
		w.now = w.now.Add(60 * 24 * time.Hour) // without filters, a list covers 30 days
		if a := w.get(admin, reads); a.Data["total"] != 0.0 {
			t.Errorf("response: got %v", a.Text)
		}
		if a := w.get(admin, reads+"?to=2027-12-31"); a.Data["total"] != 4.0 {
			t.Errorf("response: got %v", a.Text)
		}
	})
}

// TestReadsByIndex checks SQLite's query plans, without statistics, for the readers of a
// record and the records of a reader.
func TestReadsByIndex(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		if w.db.Engine() != "sqlite" {
			return // PostgreSQL's plans depend on the data: see BenchmarkReads
		}
		type step struct {
			ID, Parent, Notused int
			Detail              string
		}
		for column, index := range map[string]string{"record_id": "sqlite_autoindex_reads_1", "user_id": "reads_user"} {
			plan, err := db.All[step](t.Context(), w.db.School(one), `EXPLAIN QUERY PLAN SELECT id, at, ip FROM reads
				WHERE school_id = :school AND `+column+` = :id AND at >= :since AND at < :before ORDER BY at DESC, id DESC LIMIT 20`,
				db.Args{"id": thing, "since": w.now, "before": w.now})
			if err != nil || len(plan) != 1 || !strings.Contains(plan[0].Detail, "USING INDEX "+index+" ") {
				t.Errorf("%s: %v %v", column, plan, err)
			}
		}
	})
}

// seed creates the readers and the students of the first school.
func (w *world) seed() {
	w.Helper()
	for user, name := range map[id.ID]string{ada: "Ada", bob: "Bob"} {
		role := id.New()
		w.exec(`INSERT INTO roles (school_id, id, name, type, is_system, search, created_at, updated_at)
			VALUES (:school, :role, :name, 'TEACHER', FALSE, :name, :now, :now)`,
			db.Args{"role": role, "name": name})
		w.exec(`INSERT INTO users (school_id, id, role_id, role, name, status, search, created_at, updated_at)
			VALUES (:school, :id, :role, 'TEACHER', :name, 'ACTIVE', '', :now, :now)`,
			db.Args{"id": user, "role": role, "name": name})
	}
	for i, s := range []id.ID{thing, other} {
		w.exec(`INSERT INTO students (school_id, id, admission_no, first_name, status, search, created_at, updated_at)
			VALUES (:school, :id, :no, '', 'ACTIVE', '', :now, :now)`,
			db.Args{"id": s, "no": fmt.Sprint(i)})
	}
}

func (w *world) exec(sql string, a db.Args) {
	w.Helper()
	if strings.Contains(sql, ":now") {
		a["now"] = w.now
	}
	if _, err := db.Exec(w.Context(), w.db.School(one), sql, a); err != nil {
		w.Fatal(err)
	}
}

// serve serves the list of reads for get, in the time zone of Berlin.
func (w *world) serve(r *audit.Reads) {
	w.Helper()
	var err error
	w.server, err = web.New(web.Config{Routes: r.Routes(), Gate: berlin{}, DB: w.db, Now: clock.System, NewID: id.New,
		Log: slog.New(slog.DiscardHandler), Metrics: web.NewMetrics(prometheus.NewRegistry()), Timeout: 20 * time.Second})
	if err != nil {
		w.Fatal(err)
	}
}

type berlin struct{ gate }

func (b berlin) Authenticate(ctx context.Context, token string) (actor.Actor, error) {
	who, err := b.gate.Authenticate(ctx, token)
	who.Zone = "Europe/Berlin"
	return who, err
}

// TestSawThroughWeb reads a record over HTTP and finds it in the read log; a refused
// request is not logged.
func TestSawThroughWeb(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := w.reads(0)
		type in struct {
			ID id.ID `path:"id"`
		}
		type out struct {
			ID id.ID `json:"id"`
		}
		show := web.Handle("GET /school-admin/thing/{id}", func(_ context.Context, _ actor.Actor, in in) (out, error) {
			if in.ID == other {
				return out{}, errNoThing
			}
			return out(in), nil
		}, web.Read("report"), web.Shows("student", "id"), web.Doc("One."))
		s, err := web.New(web.Config{Routes: []web.Route{show}, Gate: gate{}, DB: w.db, Now: clock.System, NewID: id.New, Saw: r.Saw,
			Log: slog.New(slog.DiscardHandler), Metrics: web.NewMetrics(prometheus.NewRegistry()), Timeout: 20 * time.Second})
		if err != nil {
			t.Fatal(err)
		}
		for _, record := range []id.ID{thing, other} {
			req := httptest.NewRequestWithContext(t.Context(), "GET", "/school-admin/thing/"+string(record), nil)
			req.Header.Set("Authorization", "Bearer SCHOOL_ADMIN "+string(one))
			req.Header.Set("X-Request-Id", "request-1234")
			s.ServeHTTP(httptest.NewRecorder(), req)
		}
		if err := r.Flush(t.Context()); err != nil {
			t.Fatal(err)
		}
		type row struct {
			UserID, RecordID id.ID
			RequestID, IP    string
		}
		got, err := db.All[row](t.Context(), w.db.School(one), `SELECT user_id, record_id, request_id, ip FROM reads WHERE school_id = :school`,
			nil)
		if d := cmp.Diff([]row{{ada, thing, "request-1234", "192.0.2.1"}}, got); d != "" || err != nil {
			t.Errorf("diff: got %v, %v", d, err)
		}
	})
}
