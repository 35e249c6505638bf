package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

const (
	busWindow = 4 * time.Second // of one measurement
	busRounds = 3               // alternately; the median is reported
)

// sample is one measurement of one server.
type sample struct {
	sent        int   // fixes
	wanted, got int64 // deliveries of the fixes sent in the window
	faults      faults
	p50, p99    time.Duration
	perSecond   float64
	cpu         float64 // CPU seconds of the server per second
	perCPU      float64 // deliveries per CPU second
}

// buses compares our Socket.IO server with Node's: drivers report positions, and
// everyone in the bus's room, including the driver, must get each.
func buses(ctx context.Context, _ *lab) error {
	if err := busJob(ctx); err != nil {
		return err
	}
	fmt.Print("\nRooms of 50 with a driver each; both servers run at the same time and are measured alternately; median of ",
		busRounds, " windows of ", busWindow, ".\n\n")
	fmt.Println("| Subscribers | Server | Deliveries/s | lost, twice, wrong room | p50 | p99 | CPU s/s | Deliveries per CPU second " +
		"| of Node |")
	fmt.Println("|---:|---|---:|---|---:|---:|---:|---:|---:|")
	for _, size := range []struct {
		rooms int
		rates []int // fixes a second over all rooms
	}{{20, []int{200, 500}}, {100, []int{200, 500, 1000}}} {
		if err := besideNode(ctx, size.rooms, size.rates); err != nil {
			return err
		}
	}
	fmt.Print("\nMemory of 5,000 idle connections, each in a room.\n\n")
	fmt.Println("| Server | RSS before | with 5,000 | per connection | per connection, after a collection |")
	fmt.Println("|---|---:|---:|---:|---:|")
	for _, start := range servers {
		if err := idleConnections(ctx, start); err != nil {
			return err
		}
	}
	return nil
}

// busJob measures the expected load: 1,000 buses at one position a second, 5,000 watchers.
func busJob(ctx context.Context) error {
	fmt.Print("1,000 buses at 1 position a second, 5,000 watchers, 10 s; drivers receive their own positions too.\n\n")
	fmt.Println("| Server | Deliveries wanted | got | lost, twice, wrong room | p50 | p99 | CPU s/s |")
	fmt.Println("|---|---:|---:|---|---:|---:|---:|")
	for _, start := range servers {
		s, f, err := fleetOn(ctx, start, 1000, 5)
		if err != nil {
			return err
		}
		m := f.measure(s.cpuSeconds, 1000, 10*time.Second)
		f.close()
		s.stop()
		fmt.Printf("| %s | %d | %d | %s | %s | %s | %.2f |\n", s.name, m.wanted, m.got, m.faults, short(m.p50), short(m.p99), m.cpu)
	}
	return nil
}

func fleetOn(ctx context.Context, start func(context.Context) (*busServer, error), rooms, size int) (*busServer, *fleet, error) {
	s, err := start(ctx)
	if err != nil {
		return nil, nil, err
	}
	f, err := newFleet(ctx, simple(s.url), rooms, size)
	if err != nil {
		s.stop()
		return nil, nil, fmt.Errorf("%s: %w", s.name, err)
	}
	return s, f, nil
}

func besideNode(ctx context.Context, rooms int, rates []int) error {
	const size = 50
	running := make([]*busServer, len(servers))
	fleets := make([]*fleet, len(servers))
	for i, start := range servers {
		s, f, err := fleetOn(ctx, start, rooms, size)
		if err != nil {
			return err
		}
		defer s.stop()
		defer f.close()
		running[i], fleets[i] = s, f
		f.measure(s.cpuSeconds, 200, time.Second) // warm-up
	}
	for _, rate := range rates {
		samples := make([][]sample, len(servers))
		for range busRounds {
			for i := range servers {
				samples[i] = append(samples[i], fleets[i].measure(running[i].cpuSeconds, rate, busWindow))
			}
		}
		node := middle(samples[len(servers)-1])
		for i, s := range running {
			m := middle(samples[i])
			fmt.Printf("| %d | %s | %.0f | %s | %s | %s | %.2f | %.0f | %.2f |\n", rooms*size, s.name, m.perSecond, m.faults,
				short(m.p50), short(m.p99), m.cpu, m.perCPU, m.perCPU/node.perCPU)
		}
	}
	return nil
}

// middle returns the median sample by deliveries per CPU second, with the faults of all.
func middle(samples []sample) sample {
	var all faults
	for _, s := range samples {
		all = all.plus(s.faults)
	}
	slices.SortFunc(samples, func(a, b sample) int { return cmp.Compare(a.perCPU, b.perCPU) })
	m := samples[len(samples)/2]
	m.faults = all
	return m
}

func idleConnections(ctx context.Context, start func(context.Context) (*busServer, error)) error {
	const rooms, size = 100, 49 // 5,000 with the drivers
	s, err := start(ctx)
	if err != nil {
		return err
	}
	defer s.stop()
	time.Sleep(time.Second)
	before := s.memory()
	f, err := newFleet(ctx, simple(s.url), rooms, size)
	if err != nil {
		return err
	}
	defer f.close()
	time.Sleep(5 * time.Second)
	with := s.memory()
	if err := s.collect(ctx); err != nil {
		return err
	}
	after := s.memory()
	each := func(kib float64) float64 { return (kib - before) / float64(rooms*(size+1)) }
	fmt.Printf("| %s | %.0f MiB | %.0f MiB | %.1f KiB | %.1f KiB |\n", s.name, before/1024, with/1024, each(with), each(after))
	return nil
}
