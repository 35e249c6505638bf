package db

import (
	"context"
	"fmt"
	"time"
)

// Info describes a database to its operator. It has no address and no path.
type Info struct {
	Engine         string // "sqlite" or "postgres"
	Version        string
	Size           int64 // bytes
	Connections    int   // SQLite: of this process; PostgreSQL: of all clients
	MaxConnections int
	AnalyzedAt     *time.Time // the newest ANALYZE or VACUUM of any table; nil: none, or the engine does not know
	VacuumedAt     *time.Time
	Tables         []TableSize `db:"-"` // the largest, with their indexes
}

// TableSize is the size of a table and its indexes.
type TableSize struct {
	Name string
	Size int64
}

// These statements exist once per engine: what an engine knows about itself has no
// common form.
const (
	liteInfo = `
		SELECT sqlite_version() AS version,
			(SELECT c.page_count * s.page_size FROM pragma_page_count() c, pragma_page_size() s) AS size`
	liteTables = `
		SELECT m.tbl_name AS name, SUM(s.pgsize) AS size
		FROM dbstat s JOIN sqlite_schema m ON m.name = s.name
		WHERE s.aggregate = TRUE GROUP BY m.tbl_name ORDER BY size DESC, name LIMIT :most`
	pgInfo = `
		SELECT split_part(current_setting('server_version'), ' ', 1) AS version,
			pg_database_size(current_database()) AS size,
			(SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()) AS connections,
			CAST(current_setting('max_connections') AS int) AS max_connections,
			(SELECT MAX(GREATEST(last_analyze, last_autoanalyze)) FROM pg_stat_user_tables) AS analyzed_at,
			(SELECT MAX(GREATEST(last_vacuum, last_autovacuum)) FROM pg_stat_user_tables) AS vacuumed_at`
	pgTables = `
		SELECT relname AS name, pg_total_relation_size(relid) AS size
		FROM pg_stat_user_tables ORDER BY size DESC, name LIMIT :most`
)

// largest is how many tables Info lists.
const largest = 8

// Info reads what the engine knows about the database. On SQLite it reads every page,
// so callers should not repeat it often.
func (d *DB) Info(ctx context.Context) (Info, error) {
	general, tables := liteInfo, liteTables
	if d.pg() {
		general, tables = pgInfo, pgTables
	}
	out, err := One[Info](ctx, ownerQ{d}, general, nil)
	if err != nil {
		return out, fmt.Errorf("describe the database: %w", err)
	}
	out.Engine = d.Engine()
	if !d.pg() {
		for _, u := range d.Usage() {
			out.Connections, out.MaxConnections = out.Connections+u.InUse+u.Idle, out.MaxConnections+u.Max
		}
	}
	if out.Tables, err = All[TableSize](ctx, ownerQ{d}, tables, Args{"most": largest}); err != nil {
		return out, fmt.Errorf("list the largest tables: %w", err)
	}
	return out, nil
}
