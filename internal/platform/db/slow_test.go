package db_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
)

func TestLogSlow(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			var log strings.Builder
			d, err := db.Open(t.Context(), db.Options{URL: dbtest.URL(t, engine, schema), Log: slog.New(slog.NewTextHandler(&log, nil))})
			must(t, err)
			defer d.Close()
			school := newSchool(t, d)
			ask := func(after time.Duration) string {
				log.Reset()
				d.LogSlow(after)
				_, err := db.All[string](t.Context(), d.School(school),
					`SELECT name FROM pupils WHERE school_id = :school AND name = :name`, db.Args{"name": "Ada Secret"})
				must(t, err)
				return log.String()
			}
			for _, after := range []time.Duration{0, time.Hour} {
				if got := ask(after); strings.Contains(got, "slow query") {
					t.Errorf("logged after %s: %s", after, got)
				}
			}
			got := ask(time.Nanosecond)
			if strings.Count(got, "slow query") != 1 || !strings.Contains(got, "SELECT name FROM pupils") || !strings.Contains(got, "took=") {
				t.Errorf("log: %s", got)
			}
			if strings.Contains(got, "Secret") || strings.Contains(got, string(school)) {
				t.Errorf("arguments are in the log: %s", got)
			}
		})
	}
}

func TestExamine(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, schema, func(t *testing.T, d *db.DB) {
		got, err := d.Examine(t.Context())
		must(t, err)
		if got.Engine != d.Engine() || got.Version == "" || got.Size == 0 || len(got.Damaged) > 0 {
			t.Errorf("got %+v", got)
		}
		if (got.Now != nil) != (d.Engine() == "postgres") || (got.MaxConnections > 0) != (d.Engine() == "postgres") ||
			(got.SharedBuffers >= 1<<20) != (d.Engine() == "postgres") {
			t.Errorf("what only PostgreSQL knows: %+v", got)
		}
	})
}
