package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"homeroom/internal/apptest/process"
	"homeroom/internal/platform/clock"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/notify"
	"homeroom/internal/platform/notify/fake"
	"homeroom/internal/schema"
)

const drainPushes = 10_000

// drain measures sending 10,000 queued pushes to a fake FCM, which answers at once
// or after 50 ms, and counts pushes by delivery id.
func drain(ctx context.Context, l *lab) error {
	fmt.Println("| Engine | Nodes | FCM answers after | Pushes | First to last | A second | Twins | Not sent |")
	fmt.Println("|---|---:|---:|---:|---:|---:|---:|---:|")
	for _, t := range l.targets {
		nodes := 1
		if t.engine != "SQLite" {
			nodes = 2
		}
		for _, away := range []time.Duration{0, 50 * time.Millisecond} {
			t, err := l.emptyDatabase(ctx, t, fmt.Sprintf("drain%d", away.Milliseconds()))
			if err != nil {
				return err
			}
			if err := drainOn(ctx, l, t, nodes, away); err != nil {
				return err
			}
		}
	}
	return nil
}

func drainOn(ctx context.Context, l *lab, t target, nodes int, away time.Duration) error {
	if err := queuePushes(ctx, l, t); err != nil {
		return err
	}
	f, err := fake.NewFCM()
	if err != nil {
		return err
	}
	defer f.Close()
	seen := &arrivals{all: make(chan struct{})}
	f.Before = func(string) { time.Sleep(away); seen.note() }
	credentials, err := f.Credentials()
	if err != nil {
		return err
	}
	file := filepath.Join(l.dir, "account.json")
	if err := os.WriteFile(file, credentials, 0o600); err != nil {
		return err
	}
	for n := range nodes {
		s, err := process.Serve(ctx, l.bin, "--demo", "--data", filepath.Join(l.dir, fmt.Sprint("node", n)), "--database-url", t.url,
			"--push-provider", "fcm", "--fcm-credentials", file, "--fcm-url", f.URL)
		if err != nil {
			return err
		}
		defer s.Kill()
	}
	select {
	case <-seen.all:
	case <-time.After(2 * time.Minute):
	}
	time.Sleep(time.Second) // for duplicates, and for the last write
	left, err := count(ctx, t, `SELECT COUNT(*) FROM deliveries WHERE subject = 'Drained' AND status <> 'SENT'`)
	if err != nil {
		return err
	}
	twins := 0
	for _, n := range f.Seen() {
		twins += n - 1
	}
	took := seen.took()
	fmt.Printf("| %s | %d | %s | %d | %s | %.0f | %d | %d |\n", t.engine, nodes, away, len(f.Seen()), short(took),
		drainPushes/took.Seconds(), twins, left)
	return nil
}

// arrivals records the time of the first and the last message.
type arrivals struct {
	mu          sync.Mutex
	n           int
	first, last time.Time
	all         chan struct{} // closed when all have arrived
}

func (a *arrivals) note() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n++
	a.last = time.Now()
	switch a.n {
	case 1:
		a.first = a.last
	case drainPushes:
		close(a.all)
	}
}

func (a *arrivals) took() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.last.Sub(a.first)
}

// queuePushes creates a demo database with queued pushes and no running service.
func queuePushes(ctx context.Context, l *lab, t target) error {
	s, err := l.serve(ctx, t)
	if err != nil {
		return err
	}
	err = untilIdle(ctx, t)
	s.Kill()
	if err != nil {
		return err
	}
	d, err := db.Open(ctx, db.Options{URL: t.url, Migrations: schema.FS})
	if err != nil {
		return err
	}
	at, err := schoolOf(ctx, t)
	if err != nil {
		return errors.Join(err, d.Close())
	}
	n := &notify.Notifier{DB: d, Now: clock.System, NewID: id.New}
	all := make([]notify.Message, drainPushes)
	for i := range all {
		record, student := id.New().String(), id.New().String()
		all[i] = notify.Message{Channel: notify.Push, To: "student_" + student + "_attendance", Subject: "Drained", Body: "Mia was absent today.",
			Data: map[string]string{"type": "ATTENDANCE", "id": record, "studentId": student}}
	}
	err = d.InSchool(ctx, at, func(ctx context.Context, tx *db.Tx) error { return n.SendAll(ctx, tx, at, all) })
	return errors.Join(err, d.Close(), l.analyze(ctx, t))
}

// untilIdle waits until no job is due or running.
func untilIdle(ctx context.Context, t target) error {
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		n, err := count(ctx, t, `SELECT COUNT(*) FROM jobs
			WHERE state = 'running' OR state = 'waiting' AND run_at <= '`+time.Now().UTC().Format(time.RFC3339)+`'`)
		if err != nil || n == 0 {
			return err
		}
	}
	return errors.New("the demo's jobs did not end in a minute")
}

func schoolOf(ctx context.Context, t target) (school id.ID, err error) {
	err = t.each(ctx, `SELECT CAST(id AS TEXT), code FROM schools WHERE code = 'GREENFIELD'`, func(found, _ string) { school = id.ID(found) })
	return school, err
}
