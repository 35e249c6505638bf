// Command homeroom is the school management service with its administration
// commands: homeroom help lists them.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // time zones for machines without them
)

func main() {
	// The first signal starts a graceful shutdown. stop then restores the default
	// handling, so that a second signal ends the process.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], std{in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.LookupEnv, environ: os.Environ}))
}
