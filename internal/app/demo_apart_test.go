package app

import (
	"context"
	"fmt"
	"log/slog"
	"testing"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
)

// open builds the service on a store and closes it.
func (s Store) open(t *testing.T, demo bool, use func(a *App)) error {
	t.Helper()
	c := Default()
	c.Store, c.Demo = s, demo
	a, err := New(t.Context(), c, Deps{})
	if err != nil {
		return err
	}
	if use != nil {
		use(a)
	}
	return a.Close()
}

// content returns the row counts of some tables.
func (s Store) content(t *testing.T) (out string) {
	t.Helper()
	s.use(t, func(ctx context.Context, q db.Q) error {
		for _, table := range []string{"schools", "users", "roles", "audit_log", "jobs"} {
			n, err := db.One[int](ctx, q, `SELECT COUNT(*) FROM `+table, nil)
			if err != nil {
				return err
			}
			out += fmt.Sprintf("%s %d ", table, n)
		}
		return nil
	})
	return out
}

func eachStore(t *testing.T, test func(t *testing.T, s Store)) {
	t.Helper()
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(t, newStore(t, engine, true))
		})
	}
}

// TestDemoRefusesRealPeople starts --demo on a database with real data. It must
// fail and write nothing.
func TestDemoRefusesRealPeople(t *testing.T) {
	t.Parallel()
	quiet := slog.New(slog.DiscardHandler)
	for name, inhabit := range map[string]func(t *testing.T, s Store){
		"a school": func(t *testing.T, s Store) { s.addSchool(t, "REAL") },
		"a super-administrator": func(t *testing.T, s Store) {
			if err := CreateAdmin(t.Context(), s, quiet, Admin{"ada@example.org", "Ada", "correct-horse-battery"}); err != nil {
				t.Fatal(err)
			}
		},
		"a demo e-mail address": func(t *testing.T, s Store) { // does not mark a demo
			if err := CreateAdmin(t.Context(), s, quiet, Admin{demoSuper, "Ada", "correct-horse-battery"}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			eachStore(t, func(t *testing.T, s Store) {
				inhabit(t, s)
				before := s.content(t)
				wantError(t, s.open(t, true, nil), "remove --demo")
				if after := s.content(t); after != before {
					t.Errorf("rows before: %s, after the refused start: %s", before, after)
				}
				if err := s.open(t, false, func(a *App) {
					if err := a.refuseDemo(t.Context()); err != nil {
						t.Error(err)
					}
					if code, _ := get(a, "/dev/outbox"); code != 404 {
						t.Errorf("without --demo the outbox answers %d", code)
					}
				}); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestDemoRestarts restarts a demo whose visitors changed its data. Without
// --demo the database must be refused.
func TestDemoRestarts(t *testing.T) {
	eachStore(t, func(t *testing.T, s Store) {
		if err := s.open(t, true, nil); err != nil {
			t.Fatal(err)
		}
		s.use(t, func(ctx context.Context, q db.Q) error { // a visitor renames the super-administrator and deletes the schools
			_, err := db.Exec(ctx, q, `UPDATE users SET email = 'visitor@example.org' WHERE email = :email`, db.Args{"email": demoSuper})
			if err == nil {
				_, err = db.Exec(ctx, q, `DELETE FROM schools WHERE NOT is_platform`, nil)
			}
			return err
		})
		s.addSchool(t, "VISITORS")
		if err := s.open(t, true, func(a *App) {
			if code, _ := get(a, "/dev/outbox"); code != 200 {
				t.Errorf("the outbox answers %d", code)
			}
		}); err != nil {
			t.Fatal(err)
		}
		s.wantSchools(t, "PLATFORM", "VISITORS")
		if err := s.open(t, false, func(a *App) { wantError(t, a.refuseDemo(t.Context()), "passwords are public") }); err != nil {
			t.Fatal(err)
		}
		wantError(t, CreateAdmin(t.Context(), s, slog.New(slog.DiscardHandler), Admin{"ada@example.org", "Ada", "correct-horse-battery"}),
			"passwords are public")
	})
}

// TestDemoOnNothing starts --demo on a database without tables.
func TestDemoOnNothing(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := newStore(t, engine, false)
			for range 2 {
				if err := s.open(t, true, nil); err != nil {
					t.Fatal(err)
				}
				s.wantSchools(t, "GREENFIELD", "PLATFORM", "RIVERSIDE")
			}
		})
	}
}
