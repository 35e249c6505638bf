package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
)

// dayToken reads the service's metrics.
const dayToken = "benchmark of a morning"

// dayMeter is what the service and its database have used.
type dayMeter struct {
	service, database float64 // CPU seconds
	memory            float64 // MiB of the service
	disk              int64   // bytes of the database
}

// dayResult is what one morning measured.
type dayResult struct {
	speed         float64
	took          time.Duration
	peak          float64 // answers a second in the busiest ten seconds
	routes        []*dayRoute
	buses         sample
	before, after dayMeter
	failed        int
	wrong         int64
}

// measure reads the meter.
func (w *dayWorld) measure(ctx context.Context) (m dayMeter, err error) {
	if m.service, err = familyCPU(w.server.PID()); err != nil {
		return m, err
	}
	cpu, err := cpuOf(ctx, w.t, w.server.PID())
	if err != nil {
		return m, err
	}
	all, err := cpu()
	if err != nil {
		return m, err
	}
	m.database = all - m.service
	if m.memory, err = w.server.Memory("VmRSS"); err != nil {
		return m, err
	}
	if w.t.engine == "PostgreSQL" {
		m.disk, err = count(ctx, w.t, `SELECT pg_database_size(current_database())`)
		return m, err
	}
	info, err := os.Stat(strings.TrimPrefix(w.t.url, "sqlite:"))
	if err != nil {
		return m, err
	}
	m.disk = info.Size()
	return m, nil
}

// report prints every minute what the service uses: only the disk may grow.
func (m *morningRun) report() {
	before, err := m.measure(m.ctx)
	for minute := 1; err == nil && time.Duration(minute)*time.Minute < m.long; minute++ {
		m.sleep(time.Duration(float64(time.Minute) * m.speed))
		var now dayMeter
		if now, err = m.measure(m.ctx); err == nil {
			fmt.Fprintf(os.Stderr, "minute %d: memory %.0f MiB, %s, CPU %.2f, disk %+.1f MiB\n", minute, now.memory, m.inUse(m.ctx),
				(now.service+now.database-before.service-before.database)/60, float64(now.disk-before.disk)/(1<<20))
			before = now
		}
	}
}

var useNumbers = regexp.MustCompile(`(?m)^(?:go_goroutines|process_open_fds) ([0-9]+)$`)

// inUse counts the goroutines of the service, and its open files and connections.
func (w *dayWorld) inUse(ctx context.Context) string {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, w.server.URL+"/metrics", nil)
	if err != nil {
		return err.Error()
	}
	req.Header.Set("Authorization", "Bearer "+dayToken)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err.Error()
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	found := useNumbers.FindAllSubmatch(raw, -1) // sorted by name
	if err != nil || len(found) != 2 {
		return fmt.Sprintf("no metrics: %d %v", res.StatusCode, err)
	}
	return fmt.Sprintf("%s goroutines, %s files and connections", found[0][1], found[1][1])
}

// answers are the answers of some routes.
type answers struct {
	n             int
	p50, p99, max time.Duration
}

func summary(times []time.Duration) answers {
	if len(times) == 0 {
		return answers{}
	}
	return answers{len(times), times[len(times)/2], times[len(times)*99/100], times[len(times)-1]}
}

func (r dayResult) all() answers {
	var times []time.Duration
	for _, route := range r.routes {
		times = append(times, route.times...)
	}
	slices.Sort(times)
	return summary(times)
}

// printRoutes prints the table of what people asked for.
func (r dayResult) printRoutes() {
	slices.SortFunc(r.routes, func(a, b *dayRoute) int { return cmp.Compare(a.name, b.name) })
	fmt.Println("| Request | Times | p50 | p99 | Longest |\n|---|---:|---:|---:|---:|")
	for _, route := range r.routes {
		a := summary(route.times)
		fmt.Printf("| %s | %d | %s | %s | %s |\n", route.name, a.n, short(a.p50), short(a.p99), short(a.max))
	}
	a := r.all()
	fmt.Printf("| All | %d | %s | %s | %s |\n\n", a.n, short(a.p50), short(a.p99), short(a.max))
}

// printCurve prints a line for each speed.
func printCurve(all []dayResult) {
	fmt.Println("| Speed | Requests | Per second, busiest 10 s | Reads | Failed | Wrong marks or alerts | p50 | p99 | " +
		"Positions | Delivered | Lost, twice, wrong room | p99 of positions | CPU: service | database | Memory | Database grew |")
	fmt.Println("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|---:|---:|---:|---:|---:|")
	for _, r := range all {
		fmt.Println(r.row())
	}
}

func (r dayResult) row() string {
	a, reads := r.all(), 0
	for _, route := range r.routes {
		if !route.write {
			reads += len(route.times)
		}
	}
	seconds := r.took.Seconds()
	return fmt.Sprintf("| %g | %d | %.0f | %.0f %% | %d | %d | %s | %s | %d | %d | %s | %s | %.2f | %.2f | %.0f MiB | %.1f MiB |", r.speed,
		a.n, r.peak, 100*float64(reads)/float64(max(a.n, 1)), r.failed, r.wrong, short(a.p50), short(a.p99),
		r.buses.sent, r.buses.got, r.buses.faults, short(r.buses.p99),
		(r.after.service-r.before.service)/seconds, (r.after.database-r.before.database)/seconds, r.after.memory,
		float64(r.after.disk-r.before.disk)/(1<<20))
}
