package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"homeroom/internal/platform/await"
	"homeroom/internal/platform/db/dbtest"
	"homeroom/internal/schema"
)

// program is the binary under test.
var program string

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "homeroom-cmd-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "homeroom")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%s%v\n", out, err)
		return 1
	}
	return m.Run()
}

const password = "correct-horse-battery"

// installation is a data directory and a database to run commands on.
type installation struct {
	dir string
	url string
}

// each runs f for a new installation on each engine.
func each(t *testing.T, f func(t *testing.T, h installation)) {
	t.Helper()
	for _, engine := range dbtest.Engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			f(t, newInstallation(t, engine, true))
		})
	}
}

func newInstallation(t *testing.T, engine string, migrated bool) installation {
	t.Helper()
	if migrated {
		return installation{dir: t.TempDir(), url: dbtest.URL(t, engine, schema.FS)}
	}
	if engine == "sqlite" {
		dir := t.TempDir()
		return installation{dir: dir, url: "sqlite:" + filepath.Join(dir, "homeroom.db")}
	}
	return installation{dir: t.TempDir(), url: dbtest.URL(t, engine, nil)}
}

func (h installation) command(t *testing.T, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir = h.dir
	cmd.Env = append(os.Environ(), "HOMEROOM_DATA="+h.dir, "HOMEROOM_DATABASE_URL="+h.url, passwordEnv+"="+password)
	return cmd
}

// run runs a command to its end.
func (h installation) run(t *testing.T, args ...string) (out, errs string, code int) {
	t.Helper()
	return finish(t, h.command(t, args...))
}

func finish(t *testing.T, cmd *exec.Cmd) (out, errs string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	cmd.Stdout, cmd.Stderr = &o, &e
	if err := cmd.Run(); err != nil && !errors.As(err, new(*exec.ExitError)) {
		t.Fatal(err)
	}
	if strings.Contains(e.String(), "goroutine ") {
		t.Errorf("%v panicked:\n%s", cmd.Args, e.String())
	}
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

// must runs a command that has to succeed.
func (h installation) must(t *testing.T, args ...string) string {
	t.Helper()
	out, errs, code := h.run(t, args...)
	if code != 0 {
		t.Fatalf("homeroom %s: exit %d\n%s%s", strings.Join(args, " "), code, out, errs)
	}
	return out
}

// server is a running service.
type server struct {
	cmd  *exec.Cmd
	url  string
	done chan struct{} // closed when it has ended
	mu   sync.Mutex
	said bytes.Buffer
}

// serve starts the service and waits until it listens.
func (h installation) serve(t *testing.T, args ...string) *server {
	t.Helper()
	args = append([]string{"serve", "--addr=127.0.0.1:0", "--log-format=json", "--rate-auth=0", "--rate-write=0", "--rate-read=0"}, args...)
	s := &server{cmd: h.command(t, args...), done: make(chan struct{})}
	pipe, err := s.cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	listening := make(chan string, 1)
	go s.listen(pipe, listening)
	t.Cleanup(func() {
		_ = s.cmd.Process.Kill() // fails if it has ended already
		<-s.done
		if t.Failed() {
			t.Logf("log of the server:\n%s", s.log())
		}
	})
	select {
	case s.url = <-listening:
	case <-s.done:
		t.Fatal("the server ended at once")
	case <-time.After(await.Limit):
		t.Fatal("the server does not listen")
	}
	return s
}

// listen collects the server's log and finds its URL in it.
func (s *server) listen(pipe io.Reader, listening chan<- string) {
	lines := bufio.NewScanner(pipe)
	for lines.Scan() {
		s.mu.Lock()
		s.said.WriteString(lines.Text() + "\n")
		s.mu.Unlock()
		var line struct{ Msg, URL string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Msg == "listening" {
			listening <- line.URL
		}
	}
	_ = s.cmd.Wait() // the exit code is in ProcessState
	close(s.done)
}

func (s *server) log() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.said.String()
}

func (s *server) signal(t *testing.T, sig os.Signal) {
	t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
}

// wantExit waits for the end of the process.
func (s *server) wantExit(t *testing.T, code int) {
	t.Helper()
	select {
	case <-s.done:
		if got := s.cmd.ProcessState.ExitCode(); got != code {
			t.Errorf("exit %d, want %d", got, code)
		}
	case <-time.After(await.Limit):
		t.Fatal("the server still runs")
	}
}

func (s *server) stop(t *testing.T) {
	t.Helper()
	s.signal(t, syscall.SIGTERM)
	s.wantExit(t, 0)
}

// call sends JSON and returns the status and the reply.
func (s *server) call(ctx context.Context, token, method, path, body string) (int, map[string]any, error) {
	req, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	var reply map[string]any
	err = json.NewDecoder(res.Body).Decode(&reply)
	return res.StatusCode, reply, err
}

// login signs the super-administrator in and returns the access token.
func (s *server) login(t *testing.T) string {
	t.Helper()
	status, reply, err := s.call(t.Context(), "", "POST", "/auth/login", `{"email":"ada@example.org","password":"`+password+`"}`)
	if err != nil || status != 200 {
		t.Fatalf("login: %d %v %v", status, reply, err)
	}
	return reply["accessToken"].(string)
}

// createAdmin creates the account that login uses.
func (h installation) createAdmin(t *testing.T) {
	t.Helper()
	h.must(t, "admin", "create", "--email=ada@example.org", "--name=Ada")
}
