// Command bench measures the service, and tests it under load and crashes. See
// README.md in this directory.
//
//	go run ./bench lists idle storm kill
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"homeroom/internal/apptest/process"
	"homeroom/internal/platform/db/dbtest/pgserver"
)

// target is a database that a benchmark runs on.
type target struct {
	engine, url string
}

// lab is the environment that benchmarks share.
type lab struct {
	dir     string
	bin     string // the homeroom binary
	targets []target
	pg      *pgserver.Server
	args    []string // of benchmarks with arguments: everything after the name
}

var benchmarks = []struct {
	name string
	what string
	run  func(context.Context, *lab) error
}{
	{"lists", "lists of a school of 20,000 students, in a database of 1,000 schools and 1,000,000 students", lists},
	{"list", "a list of 20 students", list},
	{"peers", "nine scenarios, beside a bare server that was written for their answers", peers},
	{"idle", "start-up, demo data and idle memory", idle},
	{"storm", "200 simultaneous logins: memory, and latency of other requests", storm},
	{"races", "50 clients with one code, and with one refresh token, 100 rounds", races},
	{"privileges", "10,000 random attacks on accounts and roles, and every sign-in racing every change of its account", privileges},
	{"kill", "kill -9 while writing, 200 rounds", kill},
	{"backup", "the machine lost under load, 200 rounds: restored from the continuous backup", backup},
	{"mark", "marking 40 students", marks},
	{"buses", "1,000 buses over Socket.IO, compared with Node's Socket.IO server", buses},
	{"nodes", "1,000 buses and 5,000 parents on a cluster of two nodes on PostgreSQL", nodes},
	{"pooler", "two nodes behind PgBouncer: 1,000 changes of rights on one, obeyed by the other; speed", pooler},
	{"failover", "the primary of three PostgreSQL under Patroni is killed under 200 writes/s", failover},
	{"nodekill", "nodes behind HAProxy are killed and restarted under 200 writes/s", nodeKill},
	{"handshakes", "10,000 sockets opened by one IP address without signing in, while others connect", handshakes},
	{"eta", "arrival times on simulated tracks", etas},
	{"fees", "random movements of money: 10,000 steps by 64 workers, checked after each", fees},
	{"charge", "charging a school of 1,000 students in one call", charging},
	{"pay", "a statement of 60 entries and a payment", payments},
	{"feekill", "kill -9 during collections, 50 rounds", feeKill},
	{"morning", "1,000 divisions of 40 schools marked at once, with every row and alert checked", morning},
	{"month", "a division's monthly report in a database of a tenth of the rows and of all of them", month},
	{"day", "the morning of 100 schools with 100,000 students, at growing speed until it breaks", day},
	{"move", "a school of 20,000 students moved from SQLite to a PostgreSQL that serves 100 others", move},
	{"drain", "10,000 queued pushes sent to a fake FCM, by two nodes on PostgreSQL", drain},
	{"uploads", "50 files of 10 MiB uploaded at once, to disk and to S3: memory", uploads},
	{"year", "20 school years played through the API and compared with a model", year},
	{"web", "the web app in Chromium on a slow computer and a slow network: load times, scrolling, sizes", webApp},
	{"pocket", "a parent's phone on a slow network, and teachers' phones that lose their network or their tab", pocket},
	{"import", "20,000 students with guardians from a CSV file, into a database of 1,000,000", imports},
}

func main() {
	if len(os.Args) == 4 && os.Args[1] == "bare" { // the child of peers
		fmt.Fprintln(os.Stderr, serveBare(os.Args[2], os.Args[3]))
		os.Exit(1)
	}
	if len(os.Args) == 2 && os.Args[1] == "buses-server" { // the child of buses
		fmt.Fprintln(os.Stderr, serveBuses())
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func takesFlags(name string) bool {
	return slices.Contains([]string{"peers", "day", "failover", "nodekill", "backup"}, name)
}

func run(ctx context.Context, names []string) error {
	if len(names) == 0 {
		var b strings.Builder
		for _, m := range benchmarks {
			fmt.Fprintf(&b, "  %-6s %s\n", m.name, m.what)
		}
		return fmt.Errorf("name one or more benchmarks:\n%s", &b)
	}
	var args []string
	if i := slices.IndexFunc(names, takesFlags); i >= 0 {
		names, args = names[:i+1], names[i+1:]
	}
	l := &lab{}
	alone := []string{"buses", "eta", "failover", "nodekill"} // these need no service or start their own
	if len(names) == 1 && slices.Contains(alone, names[0]) {
		l.args = args
	} else {
		made, done, err := newLab(ctx)
		if err != nil {
			return err
		}
		defer done()
		l = made
		l.args = args
	}
	for _, name := range names {
		found := false
		for _, m := range benchmarks {
			if m.name != name {
				continue
			}
			found = true
			fmt.Printf("\n### %s: %s\n\n", m.name, m.what)
			if err := m.run(ctx, l); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		if !found {
			return fmt.Errorf("there is no benchmark %q", name)
		}
	}
	return nil
}

// newLab builds the binary and starts a temporary PostgreSQL.
// pgMemory is a setting of PostgreSQL that docs/operations.md recommends.
const pgMemory = "shared_buffers = 1GB"

func newLab(ctx context.Context) (*lab, func(), error) {
	dir, err := os.MkdirTemp("", "homeroom-bench-")
	if err != nil {
		return nil, nil, err
	}
	l := &lab{dir: dir}
	if l.bin, err = process.Build(ctx, dir); err != nil {
		return nil, nil, err
	}
	if l.pg, err = pgserver.Start(pgMemory); err != nil {
		return nil, nil, err
	}
	l.targets = []target{{"SQLite", "sqlite:" + dir + "/homeroom.db"}, {"PostgreSQL", l.pg.URL()}}
	return l, func() {
		l.pg.Stop()
		_ = os.RemoveAll(dir) // temporary: an error does not matter
	}, nil
}

// serve starts the service with demo data on the target.
func (l *lab) serve(ctx context.Context, t target, args ...string) (*process.Server, error) {
	args = append([]string{"--demo", "--data", l.dir, "--database-url", t.url}, args...)
	return process.Serve(ctx, l.bin, args...)
}

// emptyDatabase creates an empty database of this name on the same engine.
func (l *lab) emptyDatabase(ctx context.Context, t target, name string) (target, error) {
	if t.engine == "SQLite" {
		return target{t.engine, "sqlite:" + l.dir + "/" + name + ".db"}, nil
	}
	c, err := pgx.Connect(ctx, l.pg.URL())
	if err != nil {
		return t, err
	}
	_, err = c.Exec(ctx, "CREATE DATABASE "+name)
	return target{t.engine, l.pg.URLOf("postgres", name)}, errors.Join(err, c.Close(ctx))
}

// analyze collects planner statistics on PostgreSQL, because autovacuum is off in
// the temporary server.
func (l *lab) analyze(ctx context.Context, t target) error {
	if t.engine == "SQLite" {
		return nil
	}
	c, err := pgx.Connect(ctx, t.url)
	if err != nil {
		return err
	}
	_, err = c.Exec(ctx, "VACUUM ANALYZE")
	return errors.Join(err, c.Close(ctx))
}
