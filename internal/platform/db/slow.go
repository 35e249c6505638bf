package db

import (
	"context"
	"time"
)

// LogSlow logs round trips that take at least that long, with the time that they waited for a
// connection or a lock. The log has the text of the first statement and never its arguments, which
// are personal. Call it before the database is used. 0: none.
func (d *DB) LogSlow(after time.Duration) { d.slow = after }

func (d *DB) logSlow(ctx context.Context, start time.Time, w []*work) {
	took := time.Since(start)
	if took < d.slow || len(w) == 0 {
		return
	}
	d.signals.log.WarnContext(ctx, "slow query", "took", took, "statements", len(w), "sql", oneLine(w[0].st.text))
}
