package db

import (
	"context"
	"fmt"
	"time"
)

// Checkup is what an operator should know about the engine and its settings.
type Checkup struct {
	Engine, Version string
	Major           int
	Size            int64
	Connections     int // PostgreSQL: of all clients
	MaxConnections  int
	SharedBuffers   int64      // PostgreSQL: bytes of the database that it keeps in memory
	Now             *time.Time `db:"now"` // PostgreSQL: the server's clock
	BypassesRLS     bool       `db:"bypasses_rls"`
	Unsafe          []string   `db:"-"` // settings that can lose commits
	Damaged         []string   `db:"-"` // SQLite: what its check found

	Fsync, FullPageWrites, SynchronousCommit string
}

const (
	liteExamine = `
		SELECT sqlite_version() AS version, 3 AS major,
			(SELECT c.page_count * s.page_size FROM pragma_page_count() c, pragma_page_size() s) AS size`
	pgExamine = `
		SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
			CAST(current_setting('server_version_num') AS int) / 10000 AS major,
			pg_database_size(current_database()) AS size, clock_timestamp() AS now,
			(SELECT COUNT(*) FROM pg_stat_activity) AS connections,
			CAST(current_setting('max_connections') AS int) AS max_connections,
			pg_size_bytes(current_setting('shared_buffers')) AS shared_buffers,
			current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
			current_setting('synchronous_commit') AS synchronous_commit,
			(SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = session_user) AS bypasses_rls`
)

// Examine reads the settings of the engine. On SQLite it reads and checks the whole file.
func (d *DB) Examine(ctx context.Context) (Checkup, error) {
	ask := liteExamine
	if d.pg() {
		ask = pgExamine
	}
	out, err := One[Checkup](ctx, ownerQ{d}, ask, nil)
	if err != nil {
		return out, err
	}
	out.Engine = d.Engine()
	for _, s := range []struct{ name, value string }{{"fsync", out.Fsync}, {"full_page_writes", out.FullPageWrites},
		{"synchronous_commit", out.SynchronousCommit}} {
		if s.value == "off" {
			out.Unsafe = append(out.Unsafe, s.name+" is off")
		}
	}
	if d.pg() {
		return out, nil
	}
	found, err := All[string](ctx, ownerQ{d}, `SELECT quick_check FROM pragma_quick_check LIMIT 5`, nil)
	if err != nil {
		return out, fmt.Errorf("check the file: %w", err)
	}
	for _, f := range found {
		if f != "ok" {
			out.Damaged = append(out.Damaged, f)
		}
	}
	return out, nil
}
