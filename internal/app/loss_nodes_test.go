package app_test

import (
	"slices"
	"testing"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/await"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/dbtest/pgserver"
	"homeroom/internal/platform/freeaddr"
	"homeroom/internal/schema"
)

// lostElsewhere are the rows that also run on two nodes: one for each kind of
// signal between nodes.
var lostElsewhere = []string{"guardian link removed", "canViewData false", "student off the route", "assignment removed",
	"driver off the bus", "role record changed", "resigned: account disabled", "school suspended", "logout"}

// TestLossOfRightsElsewhere revokes rights on one node, and reads and listens on another.
func TestLossOfRightsElsewhere(t *testing.T) {
	t.Parallel()
	near, far := twoNodes(t, func(url string) app.Store { return app.Store{DatabaseURL: app.DSN(url)} })
	t.Run("rows", func(t *testing.T) { // finishes before the nodes stop
		lose(t, near, far, lostElsewhere...)
		t.Run("permissions", func(t *testing.T) {
			t.Parallel()
			withoutPermissions(newLossWorld(t, near, far, 399, true), actor.Driver, ways(near))
		})
	})
}

// TestLossOfRightsBehindPooler does the same behind PgBouncer. In transaction mode
// signals need a connection of their own.
func TestLossOfRightsBehindPooler(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"session", "transaction"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			near, far := twoNodes(t, func(direct string) app.Store {
				p, err := pgserver.Pool(direct, mode, 20)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(p.Stop)
				store := app.Store{DatabaseURL: app.DSN(p.URL(direct))}
				if mode == "transaction" {
					store.DatabaseSignalURL = app.DSN(direct)
				}
				return store
			})
			t.Run("rows", func(t *testing.T) {
				lose(t, near, far, "role record changed", "resigned: account disabled", "school suspended", "logout")
			})
		})
	}
}

// lose runs the named rows on two nodes.
func lose(t *testing.T, near, far *apptest.Service, names ...string) {
	for i, l := range losses {
		if slices.Contains(names, l.name) {
			t.Run(l.name, func(t *testing.T) {
				t.Parallel()
				l.run(newLossWorld(t, near, far, 300+i, !l.route), ways(near))
			})
		}
	}
}

// twoNodes starts two nodes of one installation with the same data directory. through
// returns their way to the database.
func twoNodes(t *testing.T, through func(url string) app.Store) (near, far *apptest.Service) {
	t.Helper()
	store := through(dbtest.URL(t, "postgres", schema.FS))
	files, addresses := t.TempDir(), []string{freeaddr.In(t), freeaddr.In(t)}
	nodes := make([]*apptest.Service, 2)
	for i := range nodes {
		nodes[i] = apptest.Open(t, string(store.DatabaseURL), func(c *app.Config) {
			c.Data, c.DatabaseSignalURL = files, store.DatabaseSignalURL
			c.ClusterListen, c.ClusterSecret, c.ClusterPeers = addresses[i], "a secret of the tests", []string{addresses[1-i]}
		})
		nodes[i].Work(t)
	}
	for _, n := range nodes {
		await.Until(t, "signals to be heard", func() bool { return n.DB.Hears() == nil })
	}
	return nodes[0], nodes[1]
}
