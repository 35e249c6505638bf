// Command cluster runs another command with a temporary PostgreSQL server, which
// all test packages of that run share:
//
//	go run ./internal/platform/db/dbtest/cluster -- go test ./...
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"

	"homeroom/internal/platform/db/dbtest/pgserver"
)

func main() {
	args := os.Args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		fmt.Fprintln(os.Stderr, "usage: cluster -- command [arguments]")
		os.Exit(2)
	}
	code, err := run(args)
	if err != nil {
		fmt.Fprintln(os.Stderr, "cluster:", err)
	}
	os.Exit(code)
}

func run(args []string) (int, error) {
	cmd := exec.Command(args[0], args[1:]...)
	if cmd.Err != nil { // no such command
		return 1, cmd.Err
	}
	s, err := pgserver.Start()
	if err != nil {
		return 1, err
	}
	defer s.Stop()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "HOMEROOM_TEST_POSTGRES="+s.URL())
	err = cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), nil
	}
	if err != nil {
		return 1, err
	}
	return 0, nil
}
