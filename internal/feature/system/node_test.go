package system_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"time"

	"homeroom/internal/apptest"
	"homeroom/internal/feature/audit"
	"homeroom/internal/feature/system"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/web"
)

func TestMain(m *testing.M) { dbtest.Main(m) }

func worlds(t *testing.T, test func(t *testing.T, w *apptest.World), opts ...apptest.Option) {
	t.Helper()
	apptest.Worlds(t, func(w *apptest.World) *apptest.World { return w }, test, opts...)
}

// node is another node on the world's database.
type node struct {
	*system.Service
	counts web.Counts
	load   system.Load
}

func newNode(w *apptest.World, name string) *node {
	n := &node{counts: web.Counts{Buckets: make([]int64, len(web.Buckets)+1)}, load: system.Load{Sockets: 2, Conns: 1, MaxConns: 4}}
	n.Service = system.New(system.Options{DB: w.DB, Audit: &audit.Service{DB: w.DB, Now: w.Now, NewID: w.NewID}, Now: w.Now, NewID: w.NewID,
		Log: slog.New(slog.DiscardHandler), Queue: func() *jobs.Queue { return w.Queue }, Name: name, Build: system.Build{Version: "v9"},
		Load: func() system.Load { return n.load },
		Counts: func() web.Counts {
			return web.Counts{Failed: n.counts.Failed, Buckets: append([]int64(nil), n.counts.Buckets...)}
		}})
	return n
}

func (n *node) beats(t *testing.T) {
	t.Helper()
	if err := n.Beat(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// states returns "name state" of each node.
func states(w *apptest.World) (out []string) {
	for _, n := range w.As(w.Super, "GET", "/super-admin/system/status", nil).OK().Objects("nodes") {
		out = append(out, n.Text("name")+" "+n.Text("state"))
	}
	return out
}

func TestNodes(t *testing.T) {
	worlds(t, func(t *testing.T, w *apptest.World) {
		apptest.Eq(t, "nodes before the first beat", states(w), []string{})
		a, b := newNode(w, "a"), newNode(w, "b")
		a.beats(t)
		b.beats(t)
		first := w.As(w.Super, "GET", "/super-admin/system/status", nil).OK().Objects("nodes")[0]
		load := fmt.Sprintf("%v %v %v %v %v", first["version"], first["sockets"], first["connections"], first["maxConnections"], first["self"])
		apptest.Eq(t, "version and load", load, "v9 2 1 4 false")
		if first["memory"].(float64) <= 0 || first["goroutines"].(float64) <= 0 {
			t.Errorf("memory and goroutines: %v", first)
		}
		w.Clock.Add(31 * time.Second)
		a.beats(t)
		apptest.Eq(t, "a node that is silent", states(w), []string{"a ALIVE", "b GONE"})

		ctx, stop := context.WithCancel(t.Context())
		stop()
		if err := b.Run(ctx); err != nil {
			t.Fatal(err)
		}
		apptest.Eq(t, "a node that was stopped", states(w), []string{"a ALIVE", "b STOPPED"})
		newNode(w, "b").beats(t)
		apptest.Eq(t, "a node that was started again", states(w), []string{"a ALIVE", "b ALIVE"})
		newNode(w, "b").beats(t)
		apptest.Eq(t, "two nodes of one name", states(w), []string{"a ALIVE", "b ALIVE", "b ALIVE"})
		w.Clock.Add(25 * time.Hour)
		w.SignIn(t, w.Super)
		apptest.Eq(t, "a day later", states(w), []string{})
		if err := w.Queue.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		apptest.Eq(t, "rows of nodes", count(w, "nodes"), 0)
	})
}

func count(w *apptest.World, table string) int {
	w.Helper()
	n, err := db.One[int](w.Context(), w.DB.Across(unscoped.Permit{}), `SELECT COUNT(*) FROM `+table, nil)
	if err != nil {
		w.Fatal(err)
	}
	return n
}

// TestStatus checks the description of version and database, and that it names no address,
// path or secret.
func TestStatus(t *testing.T) {
	worlds(t, func(t *testing.T, w *apptest.World) {
		r := w.As(w.Super, "GET", "/super-admin/system/status", nil)
		out := r.OK()
		d := out.Object("database")
		apptest.Eq(t, "engine", d.Text("engine"), w.DB.Engine())
		tables := d.Objects("tables")
		if d.Text("version") == "" || d["size"].(float64) < 8192 || d["maxConnections"].(float64) < 1 || len(tables) != 8 ||
			tables[0]["size"].(float64) < tables[7]["size"].(float64) || out.Text("go") == "" || out["lastBackup"] != nil {
			t.Errorf("the status: %s", r.Body)
		}
		r.HasNot(w.Data, "postgres://", "sqlite:", "password", "homeroom_test")
	})
}

func TestMetrics(t *testing.T) {
	worlds(t, func(t *testing.T, w *apptest.World) {
		points := func() []apptest.Object {
			return w.As(w.Super, "GET", "/super-admin/system/metrics?hours=1", nil).OK().Objects("points")
		}
		if list := points(); len(list) != 60 || list[0]["p50"] != nil || list[59]["requestsPerSecond"] != nil {
			t.Errorf("without load: %v", list)
		}
		w.Clock.Add(time.Minute - time.Duration(w.Now().Second())*time.Second) // begins a minute
		a, b := newNode(w, "a"), newNode(w, "b")
		a.beats(t)
		b.beats(t)
		a.counts.Buckets[2], a.counts.Buckets[9] = 90, 2 // 90 up to 5 ms, 2 up to 1 s
		b.counts.Buckets[2], b.counts.Buckets[9] = 26, 2
		a.counts.Failed, b.load.Sockets = 6, 5
		w.Clock.Add(30 * time.Second)
		a.beats(t) // the minute is not over
		apptest.Eq(t, "minutes before the end of one", count(w, "node_minutes"), 0)
		w.Clock.Add(31 * time.Second)
		a.beats(t)
		b.beats(t)
		b.beats(t)
		apptest.Eq(t, "minutes", count(w, "node_minutes"), 2)
		p := points()[58]
		load := fmt.Sprintf("%.1f %.3f %.2f %.0f %v", p["requestsPerSecond"], p["errorShare"], p["p50"], p["p99"], p["sockets"])
		apptest.Eq(t, "the point", load, "2.0 0.050 3.79 850 7")

		w.As(w.Super, "GET", "/super-admin/system/metrics?hours=169", nil).Fields(422, "hours")
		w.Clock.Add(8 * 24 * time.Hour)
		if err := w.Queue.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
		apptest.Eq(t, "minutes after a week", count(w, "node_minutes"), 0)
	})
}
