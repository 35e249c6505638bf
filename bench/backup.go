package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"homeroom/internal/apptest/process"
	"homeroom/internal/feature/fee/feetest"
	"homeroom/internal/platform/db"
)

// mostLost is how much of the last acknowledged writes the loss of a machine may cost.
const mostLost = 10 * time.Second

// backup loses a machine again and again: the service is killed under load and its data
// directory deleted at once. Each time it is restored from the continuous backup.
func backup(ctx context.Context, l *lab) error {
	flags := flag.NewFlagSet("backup", flag.ContinueOnError)
	rounds := flags.Int("rounds", 200, "how often the machine is lost")
	if err := flags.Parse(l.args); err != nil {
		return err
	}
	if *rounds < 1 {
		return errors.New("-rounds must be at least 1")
	}
	m := &machine{lab: l, safe: filepath.Join(l.dir, "safe"), bursar: &bursar{}}
	if err := m.start(ctx); err != nil {
		return err
	}
	defer func() { m.Kill() }()
	rooms, err := furnish(ctx, m.Server, m.token, 1, 1, 40, 40)
	if err != nil {
		return err
	}
	m.students = rooms[0].Students
	if m.school, err = m.ownSchool(ctx); err != nil {
		return err
	}
	for round := range *rounds {
		if err := m.round(ctx, round); err != nil {
			return fmt.Errorf("round %d: %w", round, err)
		}
	}
	slices.Sort(m.losses)
	worst := m.losses[len(m.losses)-1]
	fmt.Println("| Machines lost | Acknowledged writes | Lost writes | Loss, median | 95 % | Longest | Restored and ready | Ledger |")
	fmt.Println("|---:|---:|---:|---:|---:|---:|---:|---|")
	fmt.Printf("| %d | %d | %d | %s | %s | %s | %s on average | balanced after every restore |\n", *rounds, m.acknowledged, m.lost,
		short(m.losses[len(m.losses)/2]), short(m.losses[len(m.losses)*95/100]), short(worst), short(m.restoring/time.Duration(*rounds)))
	if worst > mostLost {
		return fmt.Errorf("a loss of %s, more than %s", worst, mostLost)
	}
	return nil
}

// machine is a service with a data directory that is lost, and a backup that is not.
type machine struct {
	*bursar
	lab  *lab
	safe string // of the backup
	data string

	mu           sync.Mutex
	acked        map[string]time.Time // writes of this round
	acknowledged int
	lost         int
	losses       []time.Duration // of each round, the age of the oldest write that was lost
	restoring    time.Duration
}

// start serves the data directory, and waits until the continuous backup has its first snapshot.
func (m *machine) start(ctx context.Context) (err error) {
	if m.data == "" {
		m.data = filepath.Join(m.lab.dir, "machine-0")
	}
	m.Server, err = process.Serve(ctx, m.lab.bin, "--demo", "--data", m.data, "--backup-continuous", "--backup-dir", m.safe)
	if err != nil {
		return err
	}
	if m.token, err = m.Login(ctx, "admin@greenfield.test", "homeroom-demo"); err != nil {
		return err
	}
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if _, state, err := m.Call(ctx, "", "GET", "/readyz", nil); err == nil && state["backups"] == "ok" {
			return nil
		}
	}
	return errors.New("the continuous backup has no snapshot after two minutes")
}

// round writes, loses the machine, restores it and counts what is missing.
func (m *machine) round(ctx context.Context, round int) error {
	lostAt := m.write(ctx, round)
	began := time.Now()
	m.data = filepath.Join(m.lab.dir, fmt.Sprint("machine-", round+1))
	out, err := exec.CommandContext(ctx, m.lab.bin, "restore", "--data", m.data, "--backup-dir", m.safe).CombinedOutput()
	if err != nil {
		return fmt.Errorf("restore: %w\n%s", err, out)
	}
	if strings.Contains(string(out), "damaged") {
		return fmt.Errorf("restore: %s", out)
	}
	if err := m.start(ctx); err != nil {
		return err
	}
	m.restoring += time.Since(began)
	t := target{"SQLite", "sqlite:" + filepath.Join(m.data, "homeroom.db")}
	return errors.Join(m.proof(ctx, t), m.compare(ctx, t, round, lostAt))
}

// write pays and creates events from several clients until the machine is lost.
func (m *machine) write(ctx context.Context, round int) (lostAt time.Time) {
	m.acked = map[string]time.Time{}
	client := m.client()
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := 0; ; i++ {
				key := fmt.Sprintf("r%d-w%d-%d", round, w, i)
				path, body := feePath+"collection/record", feetest.Object{"studentId": m.students[rand.N(len(m.students))],
					"amount": json.Number(fmt.Sprint(1 + rand.N(1000))), "method": "CASH", "reference": key}
				if w%2 == 0 {
					path, body = "/school-admin/holiday/create", feetest.Object{"name": key, "date": "2030-01-01"}
				}
				status, _, err := client.Call(ctx, "POST", path, body)
				if err != nil || status != http.StatusCreated {
					return
				}
				m.mu.Lock()
				m.acked[key] = time.Now()
				m.mu.Unlock()
			}
		})
	}
	time.Sleep(500*time.Millisecond + rand.N(2*mostLost)) // longer than what may be lost
	m.Kill()
	lostAt = time.Now()
	if err := os.RemoveAll(m.data); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
	wg.Wait()
	m.acknowledged += len(m.acked)
	return lostAt
}

// compare counts the acknowledged writes that are missing, and how old the oldest was.
func (m *machine) compare(ctx context.Context, t target, round int, lostAt time.Time) error {
	d, err := db.Open(ctx, db.Options{URL: t.url, MaxConns: 2})
	if err != nil {
		return err
	}
	found := map[string]bool{}
	for _, sql := range []string{
		`SELECT reference FROM fee_receipts WHERE school_id = :school AND reference LIKE :round`,
		`SELECT name FROM holidays WHERE school_id = :school AND name LIKE :round`,
	} {
		err = errors.Join(err, db.Each(ctx, d.School(m.school), sql, db.Args{"round": fmt.Sprintf("r%d-%%", round)},
			func(key string) error { found[key] = true; return nil }))
	}
	missing, worst := 0, time.Duration(0)
	for key, at := range m.acked {
		if !found[key] {
			missing, worst = missing+1, max(worst, lostAt.Sub(at))
		}
	}
	m.lost, m.losses = m.lost+missing, append(m.losses, worst)
	fmt.Fprintf(os.Stderr, "round %d: %d of %d acknowledged writes lost, the oldest %s before the end\n", round, missing, len(m.acked),
		short(worst))
	return errors.Join(err, d.Close())
}
