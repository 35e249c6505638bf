package pgserver

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMain lets a test start this program as a child process that runs a server.
func TestMain(m *testing.M) {
	if os.Getenv("HOMEROOM_TEST_CHILD") == "" {
		os.Exit(m.Run())
	}
	s, err := Start()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(s.dir)
	time.Sleep(time.Hour)
}

func gone(s *Server) error {
	return within(time.Minute, func() error {
		if _, err := os.Stat(s.dir); !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%s is still there", s.dir)
		}
		return nil
	})
}

// A server does not outlive the process that started it, even one that is killed.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "HOMEROOM_TEST_CHILD=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Scan()
	s := &Server{dir: lines.Text()}
	if err := s.ready(); err != nil {
		t.Error(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if err := gone(s); err != nil {
		t.Error(err)
	}
}

// The output of initdb is kept for the error message, and the files are deleted.
func TestFailure(t *testing.T) {
	t.Parallel()
	bin, dir := t.TempDir(), t.TempDir()
	if err := errors.Join(os.Chmod(filepath.Dir(bin), 0o755), os.Chmod(filepath.Dir(dir), 0o755),
		os.WriteFile(filepath.Join(bin, "initdb"), []byte("#!/bin/sh\necho the disk is full\nexit 1\n"), 0o755)); err != nil {
		t.Fatal(err)
	}
	s := &Server{dir: filepath.Join(dir, "pg")}
	if err := os.Mkdir(s.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	err := s.start(bin)
	log, _ := os.ReadFile(filepath.Join(s.dir, "log"))
	if !errors.Is(err, errFailed) || !strings.Contains(string(log), "disk is full") {
		t.Errorf("%v: %s", err, log)
	}
	s.Stop()
}

func TestDownAndUp(t *testing.T) {
	t.Parallel()
	s, err := Start()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.Down(), s.Up()); err != nil {
		t.Error(err)
	}
	s.Stop()
	if err := gone(s); err != nil {
		t.Error(err)
	}
}
