package app

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"homeroom/internal/feature/identity"
	"homeroom/internal/feature/school"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/id"
)

// TestCloseSchool: a school that is closed for a move is suspended, its jobs wait for the move, and a job that has begun ends first.
func TestCloseSchool(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			a := mustApp(t, engine, nil)
			moved, stays := addSchool(t, a, "MOVES"), addSchool(t, a, "STAYS")
			for _, at := range []id.ID{moved, stays} {
				addJob(t, a, at, "waiting", nil)
			}
			running := addJob(t, a, moved, "running", new(clock.System().Add(time.Hour)))

			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			if err := a.closeSchool(ctx, moved, 0); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("closing while a job runs: %v, want to wait for it", err)
			}
			change(t, a, moved, `UPDATE jobs SET state = 'done' WHERE school_id = :school AND id = :id`, db.Args{"id": running})
			began := time.Now()
			if err := a.closeSchool(t.Context(), moved, 200*time.Millisecond); err != nil {
				t.Error(err)
			}
			if took := time.Since(began); took < 200*time.Millisecond {
				t.Errorf("closed after %s, before requests that had begun could end", took)
			}
			for at, want := range map[id.ID]string{moved: "SUSPENDED held 1", stays: "ACTIVE waiting 1"} {
				got, err := db.One[string](t.Context(), a.DB.School(at), `
					SELECT s.status || ' ' || j.state || ' ' || COUNT(*) FROM schools s JOIN jobs j ON j.school_id = s.id
					WHERE j.school_id = :school AND j.state <> 'done' GROUP BY s.status, j.state`, nil)
				if err != nil || got != want {
					t.Errorf("%q, %v, want %q", got, err, want)
				}
			}
			if err := a.closeSchool(t.Context(), moved, 0); err != nil { // as after an export that was interrupted
				t.Error(err)
			}
		})
	}
}

// TestMoveGrace: what a request wrote that this school's service still let in is in the export, however long the request takes.
func TestMoveGrace(t *testing.T) {
	t.Parallel()
	a := mustApp(t, "sqlite", nil)
	for _, r := range a.Routes {
		if latest := identity.CacheLife + r.Timeout(a.cfg.RequestTimeout); r.Method != "GET" && latest > a.moveGrace() {
			t.Errorf("%s %s may write %s after the school was suspended, and the export begins after %s", r.Method, r.Path, latest, a.moveGrace())
		}
	}
}

// TestKindsThatMove compares the kinds of jobs that move with a school with those there are.
func TestKindsThatMove(t *testing.T) {
	t.Parallel()
	a := mustApp(t, "sqlite", nil)
	all := append([]string{"file.forget-school", "identity.mail-reset", "identity.text-code", "system.backup"}, values["jobs"]["kind"]...)
	var kinds []string
	for _, w := range slices.Concat(a.Queue.Workers, a.Hooks.Workers) {
		kinds = append(kinds, w.Kind)
	}
	slices.Sort(all)
	slices.Sort(kinds)
	if !slices.Equal(kinds, all) {
		t.Errorf("kinds of jobs: %v, want those of values and of the platform: %v", kinds, all)
	}
}

func addSchool(t *testing.T, a *App, code string) id.ID {
	t.Helper()
	made, err := a.services.school.Create(t.Context(), actor.Actor{},
		school.New{Name: code, Code: code, Timezone: "UTC", Currency: "USD", Locale: "en"})
	if err != nil {
		t.Fatal(err)
	}
	return made.ID
}

func addJob(t *testing.T, a *App, at id.ID, state string, until *time.Time) id.ID {
	t.Helper()
	job := id.New()
	change(t, a, at, `
		INSERT INTO jobs (school_id, id, kind, payload, state, run_at, created_at, lease_until)
		VALUES (:school, :id, 'x', '{}', :state, :now, :now, :until)`, db.Args{"id": job, "state": state, "now": clock.System(), "until": until})
	return job
}

func change(t *testing.T, a *App, at id.ID, sql string, args db.Args) {
	t.Helper()
	err := a.DB.InSchool(t.Context(), at, func(ctx context.Context, tx *db.Tx) error {
		_, err := db.Exec(ctx, tx, sql, args)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
