package pgserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
)

// Pooler is a PgBouncer in front of a server. Like the server it has no TCP port, and
// stops with our process.
type Pooler struct {
	dir    string
	orders io.WriteCloser
	shell  *exec.Cmd
}

// watchPooler is the script of the shell: $1 is PgBouncer, $2 our folder.
const watchPooler = `
"$1" -q "$2/conf" >>"$2/log" 2>&1 </dev/null & pid=$!
read -r order
kill -KILL $pid; wait $pid
rm -rf "$2"`

// Pool starts a PgBouncer in front of the server of a URL, which has a socket. The mode is
// session or transaction; at most conns connections to the server are open per user and
// database. Further lines of its settings may follow.
func Pool(server, mode string, conns int, more ...string) (*Pooler, error) {
	program, err := poolerProgram()
	if err != nil {
		return nil, err
	}
	to, err := pgconn.ParseConfig(server)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "homeroom-pool-")
	if err != nil {
		return nil, err
	}
	p := &Pooler{dir: dir}
	conf := fmt.Sprintf("[databases]\n* = host=%s port=%d\n[pgbouncer]\n"+
		"unix_socket_dir = %s\nlisten_port = 5432\nauth_type = trust\nauth_file = %[3]s/users\nlogfile = %[3]s/log\n"+
		"pool_mode = %s\ndefault_pool_size = %d\nmax_client_conn = 1000\n%s\n", to.Host, to.Port, dir, mode, conns, strings.Join(more, "\n"))
	users := fmt.Sprintf("%q %q\n%q %q\n", to.User, to.Password, "postgres", "")
	err = errors.Join(os.WriteFile(filepath.Join(dir, "conf"), []byte(conf), 0o644), // read by another user
		os.WriteFile(filepath.Join(dir, "users"), []byte(users), 0o644))
	if err == nil {
		err = p.start(program, to)
	}
	if err != nil {
		log, _ := os.ReadFile(filepath.Join(dir, "log"))
		p.Stop()
		return nil, errors.Join(fmt.Errorf("start PgBouncer: %w\n%s", err, log), os.RemoveAll(dir))
	}
	return p, nil
}

func (p *Pooler) start(program string, to *pgconn.Config) error {
	who, err := unprivileged(p.dir)
	if err != nil {
		return err
	}
	p.shell = exec.Command("sh", "-c", watchPooler, "sh", program, p.dir)
	p.shell.SysProcAttr, p.shell.Dir = who, p.dir
	if p.orders, err = p.shell.StdinPipe(); err != nil {
		return err
	}
	if err := p.shell.Start(); err != nil {
		return err
	}
	return within(time.Minute, func() error {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		c, err := pgconn.Connect(ctx, p.URL("postgres://"+to.User+"@/"+to.Database))
		if err != nil {
			return err
		}
		return c.Close(ctx)
	})
}

// URL returns the URL that leads to the same database through the pooler.
func (p *Pooler) URL(direct string) string {
	u, err := url.Parse(direct)
	if err != nil {
		return direct
	}
	q := u.Query()
	q.Set("host", p.dir)
	q.Del("port")
	u.Host, u.RawQuery = "", q.Encode()
	return u.String()
}

// Stop stops the pooler.
func (p *Pooler) Stop() {
	if p.shell != nil && p.shell.Process != nil {
		_ = p.orders.Close()
		_ = p.shell.Wait() // the exit status is that of the stopped pooler
	}
}

// poolerProgram finds PgBouncer in PATH or where Debian has it.
func poolerProgram() (string, error) {
	for _, name := range []string{"pgbouncer", "/usr/sbin/pgbouncer"} {
		if p, err := exec.LookPath(name); err == nil {
			return p, nil
		}
	}
	return "", errors.New("PgBouncer is not installed: apt-get install pgbouncer")
}

// KeepsStatements reports whether the PgBouncer that is installed supports prepared
// statements in transaction mode: version 1.21 or later.
func KeepsStatements() bool {
	program, err := poolerProgram()
	if err != nil {
		return false
	}
	out, err := exec.Command(program, "--version").Output()
	var major, minor int
	_, scan := fmt.Sscanf(string(out), "PgBouncer %d.%d", &major, &minor)
	return err == nil && scan == nil && (major > 1 || minor >= 21)
}
