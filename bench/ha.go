package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"homeroom/internal/apptest/process"
)

const (
	haDB  = 15432 // ports, as in deploy/ha/settings
	haWeb = 8140
)

// ha is an installation of deploy/ha on this machine.
type ha struct {
	dir   string
	nodes int
	keep  bool // the data and logs, to see what went wrong
	env   []string
	http  http.Client
}

// startHA starts an installation with demo data.
func startHA(ctx context.Context, nodes int, args ...string) (*ha, error) {
	dir, err := os.MkdirTemp("", "homeroom-ha-")
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(dir, 0o755); err != nil { // PostgreSQL runs as another user
		return nil, err
	}
	if _, err := process.Build(ctx, dir); err != nil {
		return nil, err
	}
	args = append([]string{"--demo", "--rate-auth=0", "--rate-read=0", "--rate-write=0", "--log-level=warn"}, args...)
	h := &ha{dir: dir, nodes: nodes, http: http.Client{Timeout: time.Second},
		env: []string{"HA_NODES=" + strconv.Itoa(nodes), "HA_ARGS=" + strings.Join(args, " ")}}
	if err := h.script(ctx, "up"); err != nil {
		h.stop()
		return nil, err
	}
	return h, nil
}

// stop stops everything and deletes the data, unless they are to be kept.
func (h *ha) stop() {
	if err := h.script(context.Background(), "down"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return
	}
	if !h.keep {
		_ = os.RemoveAll(h.dir) // temporary: an error does not matter
	}
}

// script runs deploy/ha/up or down, from the root of the repository.
func (h *ha) script(ctx context.Context, name string, process ...string) error {
	cmd := exec.CommandContext(ctx, "deploy/ha/"+name, append([]string{h.dir}, process...)...)
	cmd.Env = append(os.Environ(), h.env...)
	log, err := os.Create(filepath.Join(h.dir, "script.log"))
	if err != nil {
		return err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log // a file: what it starts keeps it open
	if err := cmd.Run(); err != nil {
		out, _ := os.ReadFile(log.Name())
		return fmt.Errorf("deploy/ha/%s: %w\n%s", name, err, out)
	}
	return nil
}

func (h *ha) url() string { return fmt.Sprintf("http://127.0.0.1:%d", haWeb) }

func (h *ha) nodeURL(n int) string { return fmt.Sprintf("http://127.0.0.1:%d", haWeb+n) }

// database is the superuser's URL, through HAProxy.
func (h *ha) database() (target, error) {
	raw, err := os.ReadFile(filepath.Join(h.dir, "secrets"))
	if err != nil {
		return target{}, err
	}
	for line := range strings.Lines(string(raw)) {
		if password, ok := strings.CutPrefix(strings.TrimSpace(line), "superuser="); ok {
			return target{"PostgreSQL", fmt.Sprintf("postgres://postgres:%s@127.0.0.1:%d/homeroom", password, haDB)}, nil
		}
	}
	return target{}, errors.New("no password in the file secrets")
}

// answers reports whether a GET is answered with 200.
func (h *ha) answers(ctx context.Context, url string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	res, err := h.http.Do(req)
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode == http.StatusOK
}

func patroni(n int, path string) string {
	return fmt.Sprintf("http://127.0.0.1:%d/%s", haDB+20+n, path)
}

// primary returns the number of the primary, or 0.
func (h *ha) primary(ctx context.Context) int {
	for n := 1; n <= 3; n++ {
		if h.answers(ctx, patroni(n, "primary")) {
			return n
		}
	}
	return 0
}

// ready reports whether every node is ready.
func (h *ha) ready(ctx context.Context) bool {
	for n := 1; n <= h.nodes; n++ {
		if !h.answers(ctx, h.nodeURL(n)+"/readyz") {
			return false
		}
	}
	return true
}

// whole reports whether there are a primary, a synchronous standby and another standby,
// both streaming.
func (h *ha) whole(ctx context.Context) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, patroni(max(h.primary(ctx), 1), "cluster"), nil)
	if err != nil {
		return false
	}
	res, err := h.http.Do(req)
	if err != nil {
		return false
	}
	defer res.Body.Close()
	var cluster struct {
		Members []struct {
			Role, State string
			Lag         json.Number
		}
	}
	if json.NewDecoder(res.Body).Decode(&cluster) != nil {
		return false
	}
	roles := map[string]int{}
	for _, m := range cluster.Members {
		if (m.State == "running" || m.State == "streaming") && (m.Role == "leader" || m.Lag == "0") {
			roles[m.Role]++
		}
	}
	return roles["leader"] == 1 && roles["sync_standby"] == 1 && roles["replica"] == 1
}

// until waits, and returns how long it took.
func until(ctx context.Context, limit time.Duration, what string, done func(context.Context) bool) (time.Duration, error) {
	start := time.Now()
	for !done(ctx) {
		if time.Since(start) > limit || ctx.Err() != nil {
			return time.Since(start), fmt.Errorf("%s: not within %s", what, limit)
		}
		time.Sleep(20 * time.Millisecond)
	}
	return time.Since(start), nil
}

// kill ends a process that up has started, such as node1, with SIGKILL.
func (h *ha) kill(name string) error {
	return h.signal(filepath.Join(h.dir, "run", name), syscall.SIGKILL)
}

// signal sends a signal to the process whose id is the first line of a file.
func (h *ha) signal(file string, s syscall.Signal) error {
	id, err := pid(file)
	if err != nil {
		return err
	}
	return syscall.Kill(id, s)
}

// pid reads the process id in the first line of a file.
func pid(file string) (int, error) {
	raw, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	first, _, _ := strings.Cut(string(raw), "\n")
	return strconv.Atoi(strings.TrimSpace(first))
}
