// Package pgserver runs a temporary PostgreSQL server for tests, without a TCP port
// and without fsync. A supervising shell stops the server and deletes its files
// when our process ends, even if it is killed.
package pgserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Server is a running server.
type Server struct {
	dir    string
	orders io.WriteCloser // stdin of the shell; closing it stops everything
	shell  *exec.Cmd
}

// watch is the script of the shell: $1 is the bin folder of PostgreSQL, $2 our
// folder, $3 the settings. It also runs initdb, so that an interrupted start is
// cleaned up too.
const watch = `
run() { "$1/postgres" -D "$2/data" -k "$2" >>"$2/log" 2>&1 & pid=$!; }
{
	"$1/initdb" -D "$2/data" -U postgres -A trust -E UTF8 --locale=C --lc-ctype=C.UTF-8 -N >>"$2/log" 2>&1 </dev/null &&
	printf '%s' "$3" >>"$2/data/postgresql.conf" &&
	run "$@"
} || touch "$2/failed"
while read -r order; do
	case $order in
	stop) kill -INT $pid; wait $pid ;;
	start) run "$@" ;;
	esac
done
test -z "$pid" || { kill -QUIT $pid; wait $pid; }
rm -rf "$2"`

const settings = `
listen_addresses = ''
max_connections = 300
fsync = off
synchronous_commit = off
full_page_writes = off
wal_level = minimal
max_wal_senders = 0
autovacuum = off
`

// Start creates a new server and waits until it accepts connections. Further lines of its
// settings may follow.
func Start(more ...string) (*Server, error) {
	bin, err := programs()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "homeroom-pg-")
	if err != nil {
		return nil, err
	}
	s := &Server{dir: dir}
	if err := s.start(bin, more...); err != nil {
		log, _ := os.ReadFile(filepath.Join(dir, "log"))
		s.Stop()
		return nil, errors.Join(fmt.Errorf("start PostgreSQL: %w\n%s", err, log), os.RemoveAll(dir))
	}
	return s, nil
}

func (s *Server) start(bin string, more ...string) error {
	who, err := unprivileged(s.dir)
	if err != nil {
		return err
	}
	s.shell = exec.Command("sh", "-c", watch, "sh", bin, s.dir, settings+strings.Join(more, "\n"))
	s.shell.SysProcAttr, s.shell.Dir = who, s.dir
	if s.orders, err = s.shell.StdinPipe(); err != nil {
		return err
	}
	if err := s.shell.Start(); err != nil {
		return err
	}
	return s.ready()
}

// URL returns the URL of the superuser.
func (s *Server) URL() string { return s.URLOf("postgres", "postgres") }

// URLOf returns the URL of a user and database. No password is needed.
func (s *Server) URLOf(user, database string) string {
	return "postgres://" + user + "@/" + database + "?host=" + url.QueryEscape(s.dir)
}

// Stop stops the server and deletes its data.
func (s *Server) Stop() {
	if s.orders != nil {
		_ = s.orders.Close()
		_ = s.shell.Wait() // the exit status is that of the stopped server
	}
}

// Down stops the server and keeps its data; Up starts it again.
func (s *Server) Down() error {
	if _, err := io.WriteString(s.orders, "stop\n"); err != nil {
		return err
	}
	return within(10*time.Second, func() error {
		if _, err := os.Stat(filepath.Join(s.dir, "data", "postmaster.pid")); err == nil {
			return errors.New("the server does not stop")
		}
		return nil
	})
}

// Up starts the server after Down.
func (s *Server) Up() error {
	if _, err := io.WriteString(s.orders, "start\n"); err != nil {
		return err
	}
	return s.ready()
}

func (s *Server) ready() error {
	return within(time.Minute, func() error {
		if _, err := os.Stat(filepath.Join(s.dir, "failed")); err == nil {
			return errFailed
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		c, err := pgconn.Connect(ctx, s.URL())
		if err != nil {
			return err
		}
		return c.Close(ctx)
	})
}

var errFailed = errors.New("initdb failed")

func within(limit time.Duration, try func() error) error {
	for end := time.Now().Add(limit); ; time.Sleep(10 * time.Millisecond) {
		if err := try(); err == nil || errors.Is(err, errFailed) || time.Now().After(end) {
			return err
		}
	}
}

// programs finds the folder of initdb and postgres: from PATH, pg_config, or
// Debian's default.
func programs() (string, error) {
	var dirs []string
	if p, err := exec.LookPath("initdb"); err == nil {
		if p, err = filepath.EvalSymlinks(p); err == nil {
			dirs = append(dirs, filepath.Dir(p))
		}
	}
	if out, err := exec.Command("pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(out)))
	}
	debian, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	slices.Reverse(debian)
	for _, d := range append(dirs, debian...) {
		if _, err := os.Stat(filepath.Join(d, "postgres")); err == nil {
			return d, nil
		}
	}
	return "", errors.New("no PostgreSQL server found: install it (apt-get install postgresql), " +
		"or set HOMEROOM_TEST_POSTGRES to the URL of a running one")
}

// unprivileged switches to another user if we are root, as which PostgreSQL does
// not run, and makes that user the owner of dir. The own process group keeps Ctrl-C
// from killing the shell before it has cleaned up.
func unprivileged(dir string) (*syscall.SysProcAttr, error) {
	attr := &syscall.SysProcAttr{Setpgid: true}
	if os.Geteuid() != 0 {
		return attr, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
		gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
		if err := errors.Join(err1, err2); err != nil {
			return nil, err
		}
		attr.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
		return attr, os.Chown(dir, int(uid), int(gid))
	}
	return nil, errors.New("PostgreSQL can't run as root, and there is no user postgres or nobody")
}
