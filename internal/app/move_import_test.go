package app

import (
	"context"
	"path/filepath"
	"sync"
	"testing"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/unscoped"
)

// TestImportStoppedAtItsEnd stops the command as soon as the import is complete, which must not look like a failure: the
// file can't be imported again.
func TestImportStoppedAtItsEnd(t *testing.T) {
	t.Parallel()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			quiet := archiveAt(t)
			m := Move{School: "MOVES", File: filepath.Join(t.TempDir(), "school.zip"), Log: quiet.Log, Console: quiet.Console}
			m.Storage.Provider = "local"
			source, target := newStore(t, "sqlite", true), newStore(t, engine, true)
			source.addSchool(t, m.School)
			must(ExportSchool(t.Context(), source, m))(t)
			watched := dbtest.Dial(t, string(target.DatabaseURL), nil)
			ctx, stop := context.WithCancel(t.Context())
			running, ended := context.WithCancel(t.Context())
			var watcher sync.WaitGroup
			watcher.Go(func() {
				defer stop()
				for complete := 0; complete == 0 && running.Err() == nil; {
					complete, _ = db.One[int](running, watched.Across(unscoped.Permit{}), `
						SELECT COUNT(*) FROM schools WHERE code = 'MOVES' AND NOT EXISTS (SELECT 1 FROM school_imports)`, nil)
				}
			})
			_, err := ImportSchool(ctx, target, m)
			ended()
			watcher.Wait()
			if err != nil {
				t.Error(err)
			}
		})
	}
}
