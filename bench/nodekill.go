package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"homeroom/internal/apptest/process"
	"homeroom/internal/platform/notify/fake"
)

const nodeReads = 100 // the read limit of nodekill, a minute

// nodeKill kills nodes behind HAProxy under load, then restarts them one after another.
func nodeKill(ctx context.Context, l *lab) error {
	flags := flag.NewFlagSet("nodekill", flag.ContinueOnError)
	kills := flags.Int("rounds", 200, "how often a node is killed")
	restarts := flags.Int("restarts", 20, "how often a node is restarted")
	rate := flags.Int("writes", writesPerSecond, "writes a second")
	if err := flags.Parse(l.args); err != nil {
		return err
	}
	f, err := fake.NewFCM()
	if err != nil {
		return err
	}
	defer f.Close()
	account, err := credentials(f)
	if err != nil {
		return err
	}
	defer os.Remove(account)
	h, err := startHA(ctx, 2, "--job-lease=5s", fmt.Sprint("--rate-read=", nodeReads), "--push-provider=fcm", "--fcm-credentials="+account,
		"--fcm-url="+f.URL)
	if err != nil {
		return err
	}
	defer h.stop()
	n := &nodeKills{ha: h, fcm: f, rate: *rate}
	if n.bursar, err = h.bursar(ctx); err != nil {
		return err
	}
	status, out, err := n.client().Call(ctx, "PUT", "/school-admin/setting", map[string]any{"digestMinutes": 0}) // pushes are sent at once
	if err != nil || status != http.StatusOK {
		return fmt.Errorf("setting: %d %v %w", status, out, err)
	}
	if err := n.limits(ctx); err != nil {
		return err
	}
	fmt.Printf("| Under %d writes/s | Times | Acknowledged | Lost | Twice | Failed at first | Failed again after one retry | "+
		"Never answered | Announcements | Pushes | Not sent | Twice |\n", n.rate)
	fmt.Println("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
	if err := n.phase(ctx, "kill -9 of a node", *kills, n.kill); err != nil {
		return err
	}
	return n.phase(ctx, "rolling restart", *restarts, n.restart)
}

// credentials writes the key file of the fake FCM, for the user that nodes run as.
func credentials(f *fake.FCM) (string, error) {
	raw, err := f.Credentials()
	if err != nil {
		return "", err
	}
	file, err := os.CreateTemp("", "homeroom-fcm-")
	if err != nil {
		return "", err
	}
	_, err = file.Write(raw)
	return file.Name(), errors.Join(err, file.Chmod(0o644), file.Close())
}

type nodeKills struct {
	*ha
	*bursar
	fcm    *fake.FCM
	phases int
	rate   int // writes a second
}

// limits reads as fast as eight clients can, on both nodes, and counts what is let through.
func (n *nodeKills) limits(ctx context.Context) error {
	token, err := n.Login(ctx, "super@homeroom.test", "homeroom-demo")
	if err != nil {
		return err
	}
	var passed, refused atomic.Int64
	var readers sync.WaitGroup
	for i := range 8 {
		readers.Go(func() {
			s := &process.Server{URL: n.nodeURL(1 + i%n.nodes)}
			for range 100 {
				status, _, err := s.Call(ctx, token, "GET", "/auth/me", nil)
				switch {
				case err == nil && status == http.StatusOK:
					passed.Add(1)
				case err == nil && status == http.StatusTooManyRequests:
					refused.Add(1)
				}
			}
		})
	}
	readers.Wait()
	fmt.Println("| Reads a minute allowed | Sent to two nodes at once | Answered | Refused |\n|---:|---:|---:|---:|")
	fmt.Printf("| %d | 800 | %d | %d |\n\n", nodeReads, passed.Load(), refused.Load())
	return nil
}

// phase does something to the nodes again and again, under load, and prints a row.
func (n *nodeKills) phase(ctx context.Context, name string, times int, do func(context.Context, int) error) error {
	n.phases++
	var err error
	if n.token, err = n.Login(ctx, "admin@greenfield.test", "homeroom-demo"); err != nil {
		return err
	}
	w := startWriters(ctx, n.bursar, fmt.Sprint("p", n.phases, "-"), n.rate)
	news, stop := context.WithCancel(ctx)
	told := make(chan int)
	go func() { told <- n.announce(news, w) }()
	before, doubledBefore := n.pushes()
	for i := 0; i < times && err == nil; i++ {
		time.Sleep(500*time.Millisecond + rand.N(time.Second))
		if err = do(ctx, 1+i%n.nodes); err != nil {
			err = fmt.Errorf("%s %d: %w", name, i+1, err)
		}
	}
	w.end()
	stop()
	announced := <-told
	t, wrong := n.database()
	if err = errors.Join(err, wrong, untilIdle(ctx, t)); err != nil {
		return err
	}
	lost, twice, err := w.check(ctx, t)
	if err = errors.Join(err, n.proof(ctx, t)); err != nil {
		return err
	}
	unsent, err := n.unsent(ctx, t)
	sent, doubled := n.pushes()
	fmt.Printf("| %s | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d |\n", name, times, len(w.saved), lost, twice, w.repeated, w.again,
		len(w.abandoned), announced, sent-before, unsent, doubled-doubledBefore)
	w.sayRefusals()
	return err
}

// pushes counts the messages that have arrived, and how many of them more than once.
func (n *nodeKills) pushes() (messages, doubled int) {
	for _, times := range n.fcm.Seen() {
		messages++
		doubled += times - 1
	}
	return messages, doubled
}

// unsent waits for pushes that are to be tried again, then counts those that were not sent and prints why.
func (n *nodeKills) unsent(ctx context.Context, t target) (unsent int64, err error) {
	_, err = until(ctx, 5*time.Minute, "the last push", func(ctx context.Context) bool {
		queued, err := count(ctx, t, `SELECT COUNT(*) FROM deliveries WHERE channel = 'push' AND status = 'QUEUED'`)
		return err == nil && queued == 0
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	err = t.each(ctx, `SELECT CAST(COUNT(*) AS TEXT), status || ' ' || COALESCE(provider_answer, '') FROM deliveries
		WHERE channel = 'push' AND status <> 'SENT' GROUP BY 2`, func(times, why string) {
		fmt.Fprintln(os.Stderr, times, "pushes were not sent:", why)
		one, _ := strconv.ParseInt(times, 10, 64) // a count
		unsent += one
	})
	return unsent, err
}

// kill ends a node with SIGKILL and starts it again.
func (n *nodeKills) kill(ctx context.Context, node int) error {
	if err := n.ha.kill(fmt.Sprint("node", node)); err != nil {
		return err
	}
	return n.startAgain(ctx, node)
}

// restart ends a node with SIGTERM and starts it when it has ended.
func (n *nodeKills) restart(ctx context.Context, node int) error {
	file := filepath.Join(n.dir, "run", fmt.Sprint("node", node))
	if err := n.signal(file, syscall.SIGTERM); err != nil {
		return err
	}
	if _, err := until(ctx, time.Minute, "the node's end", func(context.Context) bool { return hasEnded(file) }); err != nil {
		return err
	}
	return n.startAgain(ctx, node)
}

// hasEnded reports whether the process whose id is in a file has ended. It may be a zombie.
func hasEnded(file string) bool {
	ended, _ := pid(file) // written by up
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", ended))
	return err != nil || strings.Contains(string(stat), ") Z ")
}

func (n *nodeKills) startAgain(ctx context.Context, node int) error {
	if err := n.script(ctx, "up", fmt.Sprint("node", node)); err != nil {
		return err
	}
	_, err := until(ctx, time.Minute, "nodes that are ready", n.ready)
	time.Sleep(time.Second) // until HAProxy knows
	return err
}

// announce publishes two announcements a second with the writers' client. Each is pushed. It returns how many.
func (n *nodeKills) announce(ctx context.Context, w *writers) (published int) {
	for i := 0; ctx.Err() == nil; i++ {
		key := fmt.Sprint("news", n.phases, "-", i)
		body := map[string]any{"title": key, "body": "Hello", "audience": "ALL"}
		for try := range 10 {
			status, _, err := w.client.Load().Call(context.WithoutCancel(ctx), "POST", "/school-admin/announcement/create", body,
				"Idempotency-Key", key)
			if err == nil && status == http.StatusCreated {
				published++
				break
			}
			time.Sleep(time.Duration(try) * 200 * time.Millisecond)
		}
		time.Sleep(500 * time.Millisecond)
	}
	return published
}
