// Package system is the operation of the service, for super-administrators: its nodes,
// its load, its database and its backups.
//
// Each node writes a heartbeat and, once a minute, what it has done (node.go, load.go), so
// that every node can show all of them. A backup is a job (backup.go); download.go gives
// its file away.
package system

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"homeroom/internal/feature/audit"
	"homeroom/internal/platform/actor"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/db/unscoped"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/jobs"
	"homeroom/internal/platform/web"
)

// Options connect a Service.
type Options struct {
	DB    *db.DB
	Audit *audit.Service
	Now   clock.Now
	NewID id.Source
	Log   *slog.Logger
	Queue func() *jobs.Queue // a func, because the queue is created after the features
	Keys  Signer

	Name   string // of this node
	Build  Build
	Load   func() Load
	Counts func() web.Counts // of this node since its start

	// Reader returns the account of a session, or an error if it has ended.
	Reader func(ctx context.Context, school, user, session id.ID) (actor.Actor, error)
	// Write writes a backup to a file, atomically, and returns its size.
	Write func(ctx context.Context, file string) (int64, error)
	// Verify restores a backup for a test, or returns ErrUnchecked.
	Verify func(ctx context.Context, file string) error
	// Copy copies a backup that was checked to another place, if there is one, and deletes old
	// ones there. It may be called again for the same file.
	Copy  func(ctx context.Context, file string) error
	Every time.Duration // between backups on schedule; 0: none

	Dir  string // of the backups
	Keep int    // how many backups to keep; 0: all
}

// Signer signs URLs.
type Signer interface {
	MAC(purpose string, parts ...string) string
	CheckMAC(purpose, mac string, parts ...string) bool
}

// Build is the running program.
type Build struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
	Go      string `json:"go"`
}

// Service is the operation of the service.
type Service struct {
	Options
	node    id.ID // this process
	started time.Time
	minute  minute // being counted; only the loop of Run uses it

	mu        sync.Mutex
	described description
}

// description is the cached answer of db.Info, which may read the whole database.
type description struct {
	at   time.Time
	info db.Info
}

// New returns the service of this process.
func New(o Options) *Service {
	return &Service{Options: o, node: o.NewID(), started: o.Now()}
}

func (s *Service) across() db.Q { return s.DB.Across(unscoped.Permit{}) }

// Routes are the endpoints of this feature.
func (s *Service) Routes() []web.Route {
	return []web.Route{
		web.Handle("GET /super-admin/system/status", s.status, web.Read("report"),
			web.Doc("Version, nodes, database and the newest backup.")),
		web.Handle("GET /super-admin/system/metrics", s.metrics, web.Read("report"),
			web.Doc("Load of all nodes over the last hours, in steps.")),
		web.Handle("GET /super-admin/backup/list", s.list, web.Read("setting"), web.List("createdAt"),
			web.Doc("Backups, newest first.")),
		web.Handle("POST /super-admin/backup/create", s.create, web.Write("setting"), web.Created(), web.Says("The backup is being made."),
			web.Doc("Makes a backup of the database, the keys and the uploaded files on disk. 409 while another one is being made.")),
		web.Handle("POST /super-admin/backup/{id}/link", s.link, web.Write("setting"),
			web.Doc("A URL of the backup's file for browsers, valid for one minute and while the caller is signed in.")),
		web.Handle("GET /super-admin/backup/{id}/file", s.file, web.Signed(s.signed), web.Roles(actor.SuperAdmin), web.Read("setting"),
			web.GivesFile("application/gzip"), web.Within(transferTime),
			web.Doc("Download a backup, with a token or by the URL of link. Supports Range.")),
	}
}

// Workers run the jobs of this feature.
func (s *Service) Workers() []jobs.Worker {
	w := jobs.Work(s.make)
	w.Attempts, w.Timeout, w.Dead = backupAttempts, backupTime, s.failed
	return []jobs.Worker{w}
}

// Periodics are the clean-ups of this feature, and its backups on schedule.
func (s *Service) Periodics() []jobs.Periodic {
	all := []jobs.Periodic{{Name: "system.sweep", Every: time.Hour, Run: s.sweep}}
	if s.Every > 0 {
		all = append(all, jobs.Periodic{Name: "system.backup", Every: s.Every, Run: s.scheduled})
	}
	return all
}

type statusOut struct {
	Build
	Nodes    []Node   `json:"nodes" doc:"By name. Those that were not seen for a day are left out."`
	Database database `json:"database"`
	Backup   *Backup  `json:"lastBackup" doc:"The newest one that succeeded."`
}

type database struct {
	Engine         string     `json:"engine" enum:"sqlite,postgres"`
	Version        string     `json:"version" example:"17.2"`
	Size           int64      `json:"size" doc:"Bytes."`
	Connections    int        `json:"connections" doc:"SQLite: of this node. PostgreSQL: of all clients."`
	MaxConnections int        `json:"maxConnections"`
	AnalyzedAt     *time.Time `json:"analyzedAt" doc:"When the planner's statistics were last updated; null if unknown."`
	VacuumedAt     *time.Time `json:"vacuumedAt" doc:"PostgreSQL only."`
	Tables         []table    `json:"tables" doc:"The largest, with their indexes."`
}

type table struct {
	Name string `json:"name"`
	Size int64  `json:"size" doc:"Bytes."`
}

func (s *Service) status(ctx context.Context, _ actor.Actor, _ web.None) (out statusOut, err error) {
	out.Build = s.Build
	if out.Nodes, err = s.nodes(ctx); err != nil {
		return out, fmt.Errorf("list nodes: %w", err)
	}
	if out.Database, err = s.database(ctx); err != nil {
		return out, err
	}
	out.Backup, err = s.newest(ctx)
	return out, err
}

// describedFor is how long the description of the database is cached.
const describedFor = 5 * time.Minute

func (s *Service) database(ctx context.Context) (database, error) {
	s.mu.Lock() // held during the query: one answer serves all who wait
	defer s.mu.Unlock()
	if now := s.Now(); s.described.at.IsZero() || now.Sub(s.described.at) >= describedFor {
		info, err := s.DB.Info(ctx)
		if err != nil {
			return database{}, err
		}
		if info.AnalyzedAt == nil {
			if info.AnalyzedAt, err = s.optimized(ctx); err != nil {
				return database{}, err
			}
		}
		s.described = description{now, info}
	}
	i := s.described.info
	out := database{Engine: i.Engine, Version: i.Version, Size: i.Size, Connections: i.Connections, MaxConnections: i.MaxConnections,
		AnalyzedAt: i.AnalyzedAt, VacuumedAt: i.VacuumedAt, Tables: []table{}}
	for _, t := range i.Tables {
		out.Tables = append(out.Tables, table(t))
	}
	return out, nil
}

// optimized returns when SQLite's statistics were last updated, which is a periodic job.
func (s *Service) optimized(ctx context.Context) (*time.Time, error) {
	found, err := db.All[time.Time](ctx, s.across(),
		`SELECT last_run FROM job_periods WHERE name = 'db.optimize' AND last_run IS NOT NULL AND failures = 0`, nil)
	if err != nil || len(found) == 0 || s.DB.Engine() != "sqlite" {
		return nil, err
	}
	return &found[0], nil
}
