// Command homeroom is the school management service, and the tools to look
// after it: homeroom help lists them.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // time zones, where the machine has none
)

func main() {
	// The first signal ends the work in good order; with its end the signals
	// get their usual meaning back, so that a second one ends the process.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	os.Exit(run(ctx, os.Args[1:], std{in: os.Stdin, out: os.Stdout, err: os.Stderr, env: os.LookupEnv}))
}
