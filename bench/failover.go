package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"homeroom/internal/apptest/process"
	"homeroom/internal/platform/id"
)

const wellWithin = 5 * time.Second

// failover kills the primary of deploy/ha under load, again and again.
func failover(ctx context.Context, l *lab) error {
	flags := flag.NewFlagSet("failover", flag.ContinueOnError)
	rounds := flags.Int("rounds", 50, "how often the primary is killed")
	machines := flags.Int("machine", 10, "in every Nth round its Patroni is killed, too, as if the machine died")
	rate := flags.Int("writes", writesPerSecond, "writes a second")
	if err := flags.Parse(l.args); err != nil {
		return err
	}
	h, err := startHA(ctx, 2)
	if err != nil {
		return err
	}
	defer h.stop()
	b, err := h.bursar(ctx)
	if err != nil {
		return err
	}
	w := startWriters(ctx, b, "w", *rate)
	f := &failures{ha: h, writers: w}
	for round := 1; round <= *rounds && err == nil; round++ {
		if err = f.round(ctx, round%*machines == 0); err != nil {
			h.keep = true
			err = fmt.Errorf("round %d: %w", round, err)
		}
	}
	w.end()
	return errors.Join(err, f.report(ctx))
}

// bursar signs in and adds 40 students who pay.
func (h *ha) bursar(ctx context.Context) (*bursar, error) {
	b := &bursar{Server: &process.Server{URL: h.url()}}
	var err error
	if b.token, err = b.Login(ctx, "admin@greenfield.test", "homeroom-demo"); err != nil {
		return nil, err
	}
	rooms, err := furnish(ctx, b.Server, b.token, 1, 1, 40, 40)
	if err != nil {
		return nil, err
	}
	b.students = rooms[0].Students
	_, own, err := b.Call(ctx, b.token, "GET", "/school-admin/setting", nil)
	data, _ := own["data"].(map[string]any)
	b.school = id.ID(fmt.Sprint(data["id"]))
	return b, err
}

// failures are the kills and their times.
type failures struct {
	*ha
	*writers
	elected, well, wrote []time.Duration // from the kill; from the new primary, twice
	stayed               int             // rounds in which the killed server was started again as primary
}

// round kills the primary, and the Patroni beside it if the whole machine dies.
func (f *failures) round(ctx context.Context, machine bool) error {
	if _, err := until(ctx, 3*time.Minute, "three servers that replicate", f.whole); err != nil {
		return err
	}
	if _, err := until(ctx, time.Minute, "nodes that are ready", f.ready); err != nil {
		return err
	}
	time.Sleep(2 * time.Second) // of undisturbed load
	old := f.primary(ctx)
	name := fmt.Sprint("pg", old)
	start := time.Now()
	next, err := f.killServer(ctx, old, name, machine)
	if err != nil {
		return err
	}
	elected := time.Now()
	if next == old {
		f.stayed++
	}
	f.mark()
	if _, err := until(ctx, time.Minute, "nodes that are well", f.ready); err != nil {
		return err
	}
	f.elected, f.well = append(f.elected, elected.Sub(start)), append(f.well, time.Since(elected))
	if _, err := until(ctx, time.Minute, "a write", func(context.Context) bool { return !f.firstSuccess().IsZero() }); err != nil {
		return err
	}
	f.wrote = append(f.wrote, time.Since(elected))
	f.keep = f.keep || f.wrote[len(f.wrote)-1] > wellWithin
	fmt.Fprintf(os.Stderr, "kill %d: primary after %s, nodes ready %s later\n", len(f.well), short(elected.Sub(start)),
		short(f.well[len(f.well)-1]))
	if machine {
		return f.script(ctx, "up", name)
	}
	return nil
}

// killServer kills the primary, waits for the next one and returns its number. That may be the killed
// server itself, which Patroni starts again if no standby can take over.
func (f *failures) killServer(ctx context.Context, old int, name string, machine bool) (next int, err error) {
	if machine {
		if err := f.kill(name); err != nil {
			return 0, err
		}
	}
	file := filepath.Join(f.dir, name, "postmaster.pid")
	killed, err := pid(file)
	if err != nil {
		return 0, err
	}
	if err := syscall.Kill(killed, syscall.SIGKILL); err != nil {
		return 0, err
	}
	_, err = until(ctx, time.Minute, "a new primary", func(ctx context.Context) bool {
		if next = f.primary(ctx); next != old {
			return next != 0
		}
		now, err := pid(file) // Patroni may not have noticed yet
		return err == nil && now != killed
	})
	return next, err
}

func (f *failures) report(ctx context.Context) error {
	t, err := f.database()
	if err != nil {
		return err
	}
	lost, twice, err := f.check(ctx, t)
	books := "balanced"
	if wrong := f.proof(ctx, t); wrong != nil {
		books, err = "NOT balanced", errors.Join(err, wrong)
	}
	late := 0
	for _, d := range f.well {
		if d > wellWithin {
			late++
		}
	}
	fmt.Println("| Kills | Acknowledged writes | Lost | Twice | Books | Repeated with their key | Never answered |")
	fmt.Println("|---:|---:|---:|---:|---|---:|---:|")
	fmt.Printf("| %d | %d | %d | %d | %s | %d | %d |\n\n", len(f.elected), len(f.saved), lost, twice, books, f.repeated, len(f.abandoned))
	fmt.Println("| Time | p50 | Longest | Over 5 s |\n|---|---:|---:|---:|")
	fmt.Printf("| from the kill to a new primary | %s | |\n", spread(f.elected))
	fmt.Printf("| from the new primary until every node is ready | %s | %d |\n", spread(f.well), late)
	fmt.Printf("| from the new primary to a write that succeeds | %s | |\n", spread(f.wrote))
	fmt.Printf("\nIn %d rounds the killed server was started again and stayed primary.\n", f.stayed)
	f.sayRefusals()
	if f.keep {
		fmt.Fprintln(os.Stderr, "The logs of all servers are kept in", f.dir)
	}
	for _, a := range f.abandoned[:min(len(f.abandoned), 5)] {
		fmt.Println("never answered:", a)
	}
	return err
}

// spread is the median and the longest of some times.
func spread(d []time.Duration) string {
	if len(d) == 0 {
		return " | "
	}
	d = slices.Sorted(slices.Values(d))
	return short(d[len(d)/2].Round(10*time.Millisecond)) + " | " + short(d[len(d)-1].Round(10*time.Millisecond))
}
