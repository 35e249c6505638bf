package audit_test

import (
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"homeroom/internal/feature/audit"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/web"
	"homeroom/internal/schema"
)

const (
	benchRows     = 1_000_000
	benchStudents = 2000
)

// BenchmarkReads writes a million rows, of 2000 students over a year (fill), and lists
// who saw one student in one month (ask).
func BenchmarkReads(b *testing.B) {
	for _, engine := range dbtest.Engines {
		b.Run(engine, func(b *testing.B) {
			d := dbtest.Open(b, engine, schema.FS)
			start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
			_, err := db.Exec(b.Context(), d.Across(unscoped.Permit{}),
				`INSERT INTO schools (id, name, code, timezone, currency, locale, status, created_at, updated_at)
				VALUES (:id, 'n', 'c', 'UTC', 'USD', 'en', 'ACTIVE', :now, :now)`, db.Args{"id": one, "now": start})
			if err != nil {
				b.Fatal(err)
			}
			at := start
			r := audit.NewReads(audit.ReadsOptions{DB: d, Now: func() time.Time { return at }, NewID: id.New, Keep: benchRows})
			fill(b, r, func(i int) { at = start.Add(time.Duration(i) * (365 * 24 * time.Hour / benchRows)) })
			srv, err := web.New(web.Config{Routes: r.Routes(), Gate: gate{}, DB: d, Now: clock.System, NewID: id.New,
				Log: slog.New(slog.DiscardHandler), Metrics: web.NewMetrics(prometheus.NewRegistry()), Timeout: 20 * time.Second})
			if err != nil {
				b.Fatal(err)
			}
			b.Run("ask", func(b *testing.B) {
				for i := 0; b.Loop(); i++ {
					ask(b, srv, student(i%benchStudents))
				}
			})
		})
	}
}

func student(i int) id.ID { return id.ID(fmt.Sprintf("0199f3a2-0000-7000-8000-%012d", i)) }

func fill(b *testing.B, r *audit.Reads, tick func(i int)) {
	began := time.Now()
	for i := range benchRows {
		tick(i)
		if err := r.Saw(b.Context(), actor.Actor{School: one, User: ada, Role: actor.Teacher, RequestID: string(thing), IP: "192.0.2.1"},
			"student", student(i%benchStudents)); err != nil {
			b.Fatal(err)
		}
	}
	seen := time.Since(began)
	began = time.Now()
	if err := r.Flush(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.Logf("seeing took %d ns a row; writing %.0f rows/s", seen.Nanoseconds()/benchRows, benchRows/time.Since(began).Seconds())
}

// ask lists who saw a student in June.
func ask(b *testing.B, srv *web.Server, student id.ID) {
	r := httptest.NewRequestWithContext(b.Context(), "GET", "/school-admin/audit/reads?from=2026-06-01&to=2026-06-30&recordId="+
		string(student), nil)
	r.Header.Set("Authorization", "Bearer SCHOOL_ADMIN "+string(one))
	rec := httptest.NewRecorder()
	srv.ServeHTTP(rec, r)
	if rec.Code != 200 || !strings.Contains(rec.Body.String(), string(student)) {
		b.Fatalf("response: got %v", rec.Body)
	}
}
