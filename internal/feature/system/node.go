package system

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
)

const (
	beat     = 10 * time.Second
	aliveFor = 3 * beat       // a node that was not seen for longer is gone
	keepNode = 24 * time.Hour // a node that was not seen for longer is forgotten
	lastBeat = 2 * time.Second
)

// Load is the use of a node's resources.
type Load struct {
	Sockets  int
	Conns    int // database connections in use
	MaxConns int
}

// NodeState says whether a node runs.
type NodeState string

// The states. A node that is gone has not said goodbye: it crashed, or it can't reach the
// database.
const (
	Alive   NodeState = "ALIVE"
	Stopped NodeState = "STOPPED"
	Gone    NodeState = "GONE"
)

// Node is a process of the service.
type Node struct {
	ID         id.ID      `json:"id"`
	Name       string     `json:"name"`
	Self       bool       `json:"self" db:"-" doc:"It has answered this request."`
	State      NodeState  `json:"state" db:"-" enum:"ALIVE,STOPPED,GONE" doc:"GONE: not seen for 30 seconds, without having been stopped."`
	Version    string     `json:"version"`
	StartedAt  time.Time  `json:"startedAt"`
	SeenAt     time.Time  `json:"seenAt"`
	StoppedAt  *time.Time `json:"-"`
	Sockets    int        `json:"sockets"`
	Memory     int64      `json:"memory" doc:"Bytes of the Go runtime."`
	Goroutines int        `json:"goroutines"`
	Conns      int        `json:"connections" doc:"Database connections in use."`
	MaxConns   int        `json:"maxConnections"`
}

// Run writes this node's heartbeat and load until ctx ends, and then that it has stopped.
// Every hour it deletes its old backups.
func (s *Service) Run(ctx context.Context) error {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	failing, pruned := false, time.Now()
	for ctx.Err() == nil {
		err := s.Beat(ctx)
		if err == nil && time.Since(pruned) >= pruneEvery {
			err, pruned = s.prune(ctx), time.Now()
		}
		if err != nil && !failing && ctx.Err() == nil { // only the first of a series
			s.Log.WarnContext(ctx, "can't write the heartbeat or delete old backups, will retry", "error", err)
		}
		failing = err != nil
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastBeat)
	defer cancel()
	if _, err := db.Exec(end, s.across(), `UPDATE nodes SET seen_at = :now, stopped_at = :now, sockets = 0, conns = 0 WHERE id = :id`,
		db.Args{"id": s.node, "now": s.Now()}); err != nil {
		s.Log.WarnContext(ctx, "can't write that the node has stopped", "error", err) // others notice in half a minute
	}
	return nil
}

// Beat writes the heartbeat and, in the first beat of a minute, the load of the one before.
func (s *Service) Beat(ctx context.Context) error {
	now, load := s.Now(), s.Load()
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	err := s.DB.InAll(ctx, unscoped.Permit{}, func(ctx context.Context, tx *db.Tx) error {
		// An earlier process of this node is no longer news.
		if _, err := db.Exec(ctx, tx, `DELETE FROM nodes WHERE name = :name AND id <> :id AND (stopped_at IS NOT NULL OR seen_at < :alive)`,
			db.Args{"name": s.Name, "id": s.node, "alive": now.Add(-aliveFor)}); err != nil {
			return err
		}
		_, err := db.Exec(ctx, tx, `
			INSERT INTO nodes (id, name, version, started_at, seen_at, sockets, memory, goroutines, conns, max_conns)
			VALUES (:id, :name, :version, :started, :now, :sockets, :memory, :goroutines, :conns, :max)
			ON CONFLICT (id) DO UPDATE SET seen_at = :now, stopped_at = NULL, sockets = :sockets, memory = :memory,
				goroutines = :goroutines, conns = :conns, max_conns = :max`,
			db.Args{"id": s.node, "name": s.Name, "version": s.Build.Version, "started": s.started, "now": now, "sockets": load.Sockets,
				"memory": int64(memory.Sys - memory.HeapReleased), "goroutines": runtime.NumGoroutine(), "conns": load.Conns, "max": load.MaxConns})
		return err
	})
	if err != nil {
		return fmt.Errorf("write the heartbeat: %w", err)
	}
	return s.countMinute(ctx, now, load)
}

// nodes lists the nodes by name.
func (s *Service) nodes(ctx context.Context) ([]Node, error) {
	now := s.Now()
	list, err := db.All[Node](ctx, s.across(), `
		SELECT id, name, version, started_at, seen_at, stopped_at, sockets, memory, goroutines, conns, max_conns
		FROM nodes WHERE seen_at >= :since ORDER BY name, started_at, id`, db.Args{"since": now.Add(-keepNode)})
	if list == nil {
		list = []Node{}
	}
	for i := range list {
		n := &list[i]
		n.Self = n.ID == s.node
		switch {
		case n.StoppedAt != nil:
			n.State = Stopped
		case now.Sub(n.SeenAt) > aliveFor:
			n.State = Gone
		default:
			n.State = Alive
		}
	}
	return list, err
}

// sweep forgets old load and nodes that are long gone.
func (s *Service) sweep(ctx context.Context) error {
	now := s.Now()
	if _, err := db.Exec(ctx, s.across(), `DELETE FROM node_minutes WHERE at < :old`, db.Args{"old": now.Add(-keepLoad)}); err != nil {
		return fmt.Errorf("delete old load: %w", err)
	}
	if _, err := db.Exec(ctx, s.across(), `DELETE FROM nodes WHERE seen_at < :old`, db.Args{"old": now.Add(-keepNode)}); err != nil {
		return fmt.Errorf("delete old nodes: %w", err)
	}
	return nil
}
