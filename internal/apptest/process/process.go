// Package process builds the homeroom binary and runs it, for tests and benchmarks
// that need a separate process to measure or to kill.
package process

import (
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
	"strconv"
	"strings"
	"time"

	"homeroom/internal/platform/freeaddr"
)

// Build compiles the command into dir and returns its path.
func Build(ctx context.Context, dir string) (string, error) {
	bin := filepath.Join(dir, "homeroom")
	out, err := exec.CommandContext(ctx, "go", "build", "-o", bin, "homeroom/cmd/homeroom").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return bin, nil
}

// Server is a running homeroom.
type Server struct {
	URL   string
	Took  time.Duration // from start to ready
	cmd   *exec.Cmd
	out   *os.File // its stdout and stderr
	ended chan error
}

// Serve starts the binary on a free port with args and waits until it is ready.
// Rate limits are off unless args set them.
func Serve(ctx context.Context, bin string, args ...string) (*Server, error) {
	addr, err := freeaddr.Local()
	if err != nil {
		return nil, err
	}
	s := &Server{URL: "http://" + addr, ended: make(chan error, 1)}
	args = append([]string{"serve", "--addr", addr, "--rate-auth=0", "--rate-read=0", "--rate-write=0", "--rate-position=0",
		"--rate-otp=0"}, args...)
	if s.out, err = os.CreateTemp("", "homeroom-log-"); err != nil {
		return nil, err
	}
	defer s.out.Close()
	s.cmd = exec.CommandContext(ctx, bin, args...)
	s.cmd.Stdout, s.cmd.Stderr = s.out, s.out
	start := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { s.ended <- s.cmd.Wait() }()
	if err := s.untilReady(ctx); err != nil {
		printed, _ := os.ReadFile(s.out.Name())
		s.Kill()
		return nil, fmt.Errorf("%w\n%s", err, printed)
	}
	s.Took = time.Since(start)
	return s, nil
}

func (s *Server) untilReady(ctx context.Context) error {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		select {
		case err := <-s.ended:
			s.ended <- err
			return fmt.Errorf("homeroom ended: %w", err)
		default:
		}
		if status, _, err := s.Call(ctx, "", "GET", "/readyz", nil); err == nil && status == http.StatusOK {
			return nil
		}
	}
	return errors.New("homeroom was not ready in a minute")
}

// Call sends body as JSON and decodes the response into a map.
func (s *Server) Call(ctx context.Context, token, method, path string, body any) (int, map[string]any, error) {
	var sent io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return 0, nil, err
		}
		sent = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(ctx, method, s.URL+path, sent)
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
	var out map[string]any
	err = json.NewDecoder(res.Body).Decode(&out)
	if errors.Is(err, io.EOF) { // 204
		err = nil
	}
	return res.StatusCode, out, err
}

// Login signs an administrator in and returns the access token.
func (s *Server) Login(ctx context.Context, email, password string) (string, error) {
	status, out, err := s.Call(ctx, "", "POST", "/auth/login", map[string]string{"email": email, "password": password})
	token, ok := out["accessToken"].(string)
	if err != nil || !ok {
		return "", fmt.Errorf("login: %d %v %w", status, out, err)
	}
	return token, nil
}

// PID is the process's id.
func (s *Server) PID() int { return s.cmd.Process.Pid }

// Kill ends the process with SIGKILL.
func (s *Server) Kill() {
	_ = s.cmd.Process.Kill() // fails if it has ended by itself
	<-s.ended
	_ = os.Remove(s.out.Name())
}

// Memory reads a field of /proc/PID/status, such as VmRSS or VmHWM (the peak), in MiB.
func (s *Server) Memory(line string) (float64, error) {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(s.cmd.Process.Pid) + "/status")
	if err != nil {
		return 0, err
	}
	for l := range strings.Lines(string(raw)) {
		if rest, ok := strings.CutPrefix(l, line+":"); ok {
			kib, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 64)
			return kib / 1024, err
		}
	}
	return 0, fmt.Errorf("no %s in the status", line)
}
