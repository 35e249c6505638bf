package db

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// The roles that statements run as. Neither owns tables, can log in or bypasses
// row-level security. Policies let the first see the school that the transaction
// has set, the second all schools.
const (
	roleApp      = "homeroom_app"
	rolePlatform = "homeroom_platform"
)

// migrationLock is the key of the advisory lock held while migrating.
const migrationLock = 0x686f6d65726f6f6d // "homeroom"

// prepare creates the missing roles and grants them to the current user. Roles
// belong to the whole server, so another database's migration may be creating
// them right now: each statement commits by itself and tolerates that.
func (e *postgres) prepare(ctx context.Context) error {
	r, err := e.pool.acquire(ctx)
	if err != nil {
		return err
	}
	defer e.release(r)
	c := r.Value()
	for _, role := range []string{roleApp, rolePlatform} {
		state, err := c.queryText(ctx, `SELECT CASE WHEN rolsuper OR rolbypassrls THEN 'strong'
			WHEN pg_has_role(current_user, oid, 'MEMBER') THEN 'ready' ELSE 'foreign' END
			FROM pg_roles WHERE rolname = '`+role+`'`)
		if err == nil && state == "" {
			if err = c.createIfMissing(ctx, "CREATE ROLE "+role+" NOLOGIN NOSUPERUSER NOBYPASSRLS"); err == nil {
				state = "foreign"
			}
		}
		if err == nil && state == "foreign" {
			err = c.createIfMissing(ctx, "GRANT "+role+" TO CURRENT_USER")
		}
		switch {
		case state == "strong":
			return fmt.Errorf("the role %s bypasses row-level security; an administrator should run: "+
				"ALTER ROLE %[1]s NOSUPERUSER NOBYPASSRLS", role)
		case err != nil:
			return e.explainRoles(ctx, c, err)
		}
	}
	err = c.createIfMissing(ctx, "GRANT USAGE ON SCHEMA "+e.schema(ctx, c)+" TO "+roleApp+", "+rolePlatform)
	return e.explain(ctx, c, err)
}

func (e *postgres) schema(ctx context.Context, c *pgConn) string {
	if s, err := c.queryText(ctx, "SELECT quote_ident(current_schema())"); err == nil && s != "" {
		return s
	}
	return "public"
}

func (e *postgres) explainRoles(ctx context.Context, c *pgConn, err error) error {
	if cause, ok := errors.AsType[*pgconn.PgError](err); ok && cause.Code == "42501" {
		return fmt.Errorf(`the database user %q may not create roles; an administrator should run, once:
	CREATE ROLE %s NOLOGIN; CREATE ROLE %s NOLOGIN;
	GRANT %[2]s, %[3]s TO "%[1]s";
(%[4]w)`, e.config.User, roleApp, rolePlatform, err)
	}
	return e.explain(ctx, c, err)
}

// createIfMissing runs a CREATE or GRANT that another process may run at the same time.
func (c *pgConn) createIfMissing(ctx context.Context, sql string) error {
	for attempt := 1; ; attempt++ {
		err := c.script(ctx, sql)
		cause, ok := errors.AsType[*pgconn.PgError](err)
		switch {
		case !ok:
			return err
		case cause.Code == "42710", cause.Code == "23505": // exists already
			return nil
		case strings.Contains(cause.Message, "concurrently") && attempt < 10:
			pause(ctx, attempt)
		default:
			return err
		}
	}
}

// queryText returns the single value of a query as text, "" if there is no row.
func (c *pgConn) queryText(ctx context.Context, sql string) (string, error) {
	results, err := c.Exec(ctx, sql).ReadAll()
	if err != nil || len(results) == 0 || len(results[0].Rows) == 0 {
		return "", err
	}
	return string(results[0].Rows[0][0]), nil
}
