package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

const peerConnections = 32

// spell is what a server did under load for a while.
type spell struct {
	perSecond float64
	cpu       float64 // seconds per 1,000 requests
	p99       time.Duration
}

// drive sends requests of a scenario on 32 connections and checks every answer. At a
// rate of 0 each connection sends as soon as it has its answer. Otherwise requests
// are due at fixed times, and a late one has waited since then.
func (p *peer) drive(ctx context.Context, s scenario, rate float64, long time.Duration) (spell, error) {
	before, err := p.cpu()
	if err != nil {
		return spell{}, err
	}
	start := time.Now()
	times, failed := make([][]time.Duration, peerConnections), make([]error, peerConnections)
	var wg sync.WaitGroup
	for i := range peerConnections {
		wg.Go(func() {
			due := func(int) time.Time { return time.Now() }
			if rate > 0 {
				due = func(k int) time.Time {
					return start.Add(time.Duration(float64(k*peerConnections+i) / rate * float64(time.Second)))
				}
			}
			times[i], failed[i] = p.connection(ctx, s, due, start.Add(long))
		})
	}
	wg.Wait()
	took := time.Since(start).Seconds()
	after, err := p.cpu()
	all := slices.Concat(times...)
	if err := cmp.Or(append(failed, err)...); err != nil || len(all) == 0 {
		return spell{}, fmt.Errorf("%s, %s, %d calls: %w", p.name, s.name, len(all), err)
	}
	slices.Sort(all)
	n := float64(len(all))
	return spell{n / took, (after - before) / n * 1000, all[len(all)*99/100]}, nil
}

func (p *peer) connection(ctx context.Context, s scenario, due func(k int) time.Time, end time.Time) (times []time.Duration, err error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", p.addr)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	r := bufio.NewReaderSize(c, 64<<10)
	for k := 0; ctx.Err() == nil; k++ {
		a := s.ask(p)
		at := due(k)
		if at.After(end) {
			return times, nil
		}
		time.Sleep(time.Until(at))
		if _, err := c.Write(a.request); err != nil {
			return nil, err
		}
		body, err := answer(r)
		if err == nil {
			err = a.check(body)
		}
		if err != nil {
			return nil, err
		}
		times = append(times, time.Since(at))
	}
	return nil, ctx.Err()
}

// processCPU returns the CPU seconds of a process, user and system, and of its children
// that have ended; and the id of its parent.
func processCPU(pid int) (seconds float64, parent int, err error) {
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0, err
	}
	f := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:])) // from the third field on
	for _, ticks := range f[11:15] {
		n, err := strconv.ParseFloat(ticks, 64)
		if err != nil {
			return 0, 0, err
		}
		seconds += n / 100 // Linux counts in hundredths
	}
	parent, err = strconv.Atoi(f[1])
	return seconds, parent, err
}

// familyCPU is processCPU with the children that still run.
func familyCPU(pid int) (float64, error) {
	total, _, err := processCPU(pid)
	if err != nil {
		return 0, err
	}
	all, err := filepath.Glob("/proc/[0-9]*")
	for _, path := range all {
		child, _ := strconv.Atoi(filepath.Base(path))
		if seconds, parent, err := processCPU(child); err == nil && parent == pid { // an error: it has ended
			total += seconds
		}
	}
	return total, err
}

// cpuOf returns the CPU seconds of a server and, on PostgreSQL, of the whole database cluster.
func cpuOf(ctx context.Context, t target, server int) (func() (float64, error), error) {
	if t.engine == "SQLite" {
		return func() (float64, error) { return familyCPU(server) }, nil
	}
	c, err := pgx.Connect(ctx, t.url)
	if err != nil {
		return nil, err
	}
	_, postmaster, err := processCPU(int(c.PgConn().PID()))
	if err := errors.Join(err, c.Close(ctx)); err != nil {
		return nil, err
	}
	return func() (float64, error) {
		own, err := familyCPU(server)
		if err != nil {
			return 0, err
		}
		database, err := familyCPU(postmaster)
		return own + database, err
	}, nil
}
