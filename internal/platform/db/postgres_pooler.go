package db

import (
	"context"
	"strconv"
)

// isPooled reports whether a pooler is between us and the server: it tells its clients
// numbers of its own for the server's processes.
func (c *pgConn) isPooled(ctx context.Context) (bool, error) {
	backend, err := c.queryText(ctx, "SELECT pg_backend_pid()")
	return backend != strconv.FormatUint(uint64(c.PID()), 10), err
}

// keepsStatements reports whether the pooler keeps track of prepared statements, so that
// each exists on whichever connection it is run. Such a pooler gives them names of its
// own: the server does not know ours. Other poolers pass the name on, and the next
// statement may run on a connection that has none or another client's by that name.
func (c *pgConn) keepsStatements(ctx context.Context) bool {
	const name = "homeroom_probe"
	_, err := c.Prepare(ctx, name, "SELECT 1 FROM pg_prepared_statements WHERE name = '"+name+"'", nil)
	if err != nil {
		return false // another connection has left it here
	}
	found := c.ExecPrepared(ctx, name, nil, nil, nil).Read()
	return found.Err == nil && len(found.Rows) == 0 && c.Deallocate(ctx, name) == nil
}
