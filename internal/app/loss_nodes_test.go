package app_test

import (
	"net"
	"slices"
	"testing"

	"homeroom/internal/app"
	"homeroom/internal/apptest"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/schema"
)

// lostElsewhere are the rows that also run on two nodes: one for each kind of
// signal between nodes.
var lostElsewhere = []string{"guardian link removed", "canViewData false", "student off the route", "assignment removed",
	"driver off the bus", "role record changed", "resigned: account disabled", "school suspended", "logout"}

// TestLossOfRightsElsewhere revokes rights on one node, and reads and listens on another.
func TestLossOfRightsElsewhere(t *testing.T) {
	t.Parallel()
	near, far := twoNodes(t)
	t.Run("rows", func(t *testing.T) { // finishes before the nodes stop
		for i, l := range losses {
			if !slices.Contains(lostElsewhere, l.name) {
				continue
			}
			t.Run(l.name, func(t *testing.T) {
				t.Parallel()
				l.run(newLossWorld(t, near, far, 300+i, !l.route), ways(near))
			})
		}
		t.Run("permissions", func(t *testing.T) {
			t.Parallel()
			withoutPermissions(newLossWorld(t, near, far, 399, true), actor.Driver, ways(near))
		})
	})
}

// twoNodes starts two nodes of one installation with the same data directory.
func twoNodes(t *testing.T) (near, far *apptest.Service) {
	t.Helper()
	url, files, addresses := dbtest.URL(t, "postgres", schema.FS), t.TempDir(), []string{freeAddress(t), freeAddress(t)}
	nodes := make([]*apptest.Service, 2)
	for i := range nodes {
		nodes[i] = apptest.Open(t, url, func(c *app.Config) {
			c.Data = files
			c.ClusterListen, c.ClusterSecret, c.ClusterPeers = addresses[i], "a secret of the tests", []string{addresses[1-i]}
		})
		nodes[i].Work(t)
	}
	return nodes[0], nodes[1]
}

// freeAddress returns an address that nothing listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	var c net.ListenConfig
	l, err := c.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}
