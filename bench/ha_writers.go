package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"homeroom/internal/feature/fee/feetest"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/money"
)

const (
	writesPerSecond = 200             // unless -writes says otherwise
	writePatience   = 2 * time.Minute // a call is repeated for this long
	signInEvery     = 5 * time.Minute // a token is for 15 minutes
)

// writers send writes at a constant rate, however slow the answers are: one payment to nine
// events of the calendar. Each has an Idempotency-Key and is repeated until it succeeds.
type writers struct {
	*bursar
	client atomic.Pointer[feetest.Client]
	calls  sync.WaitGroup
	stop   context.CancelFunc
	prefix string
	n      atomic.Int64

	mu        sync.Mutex
	refusals  map[string]int         // failed calls, by status and message
	saved     map[string]money.Money // by key; 0: an event
	first     time.Time              // of the first success since Mark
	repeated  int                    // calls that failed at first
	again     int                    // calls that failed twice or more
	abandoned []string               // calls that never succeeded, with the last error
}

// startWriters starts them, with so many writes a second. Their keys begin with prefix.
func startWriters(ctx context.Context, b *bursar, prefix string, rate int) *writers {
	ctx, stop := context.WithCancel(ctx)
	w := &writers{bursar: b, prefix: prefix, stop: stop, saved: map[string]money.Money{}, refusals: map[string]int{}}
	client := b.client()
	client.HTTP.Timeout = 40 * time.Second
	w.client.Store(&client)
	w.calls.Go(func() { w.keepSignedIn(ctx) })
	w.calls.Go(func() {
		tick := time.NewTicker(time.Second / time.Duration(rate))
		defer tick.Stop()
		for ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case <-tick.C:
				w.calls.Go(func() { w.write(context.WithoutCancel(ctx)) })
			}
		}
	})
	return w
}

// keepSignedIn signs in again before the token expires. While the service is away it tries every second.
func (w *writers) keepSignedIn(ctx context.Context) {
	for wait := signInEvery; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		token, err := w.Login(ctx, "admin@greenfield.test", "homeroom-demo")
		if err != nil {
			wait = time.Second
			continue
		}
		client := *w.client.Load()
		client.Token = token
		w.client.Store(&client)
		wait = signInEvery
	}
}

// end stops new writes and waits for those that are under way.
func (w *writers) end() { w.stop(); w.calls.Wait() }

// mark forgets the first success.
func (w *writers) mark() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.first = time.Time{}
}

func (w *writers) firstSuccess() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.first
}

// write makes one call and repeats it with its key. It waits as Retry-After says.
func (w *writers) write(ctx context.Context) {
	n := w.n.Add(1)
	key := fmt.Sprint(w.prefix, n)
	path, amount := "/school-admin/event/create", money.Money(0)
	body := feetest.Object{"title": key, "eventDate": time.Now().AddDate(0, 0, 1).Format(time.DateOnly)}
	if n%10 == 0 {
		path, amount = feePath+"collection/record", money.Money(1+rand.N(100_000))
		body = feetest.Object{"studentId": w.students[rand.N(len(w.students))], "amount": json.Number(amount.String()), "method": "CASH",
			"reference": key}
	}
	start, failures := time.Now(), 0
	for {
		began := time.Now()
		status, out, err := w.client.Load().Call(ctx, "POST", path, body, "Idempotency-Key", key)
		if err == nil && status == http.StatusCreated {
			w.succeeded(key, amount, began, failures)
			return
		}
		failures++
		w.mu.Lock()
		w.refusals[fmt.Sprint(status, " ", out["message"])]++ // 0 <nil>: no answer
		w.mu.Unlock()
		if time.Since(start) > writePatience || err == nil && status/100 == 4 && status != http.StatusConflict {
			w.mu.Lock()
			w.abandoned = append(w.abandoned, fmt.Sprint(key, ": ", status, " ", out, " ", err))
			w.mu.Unlock()
			return
		}
		time.Sleep(time.Second)
	}
}

func (w *writers) succeeded(key string, amount money.Money, began time.Time, failures int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.saved[key] = amount
	if failures > 0 {
		w.repeated++
	}
	if failures > 1 {
		w.again++
	}
	if w.first.IsZero() || began.Before(w.first) {
		w.first = began
	}
}

// sayRefusals prints beside the table why attempts failed, also those whose repetition succeeded.
func (w *writers) sayRefusals() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for why, times := range w.refusals {
		fmt.Fprintf(os.Stderr, "%d attempts failed: %s\n", times, why)
	}
}

// check compares what was acknowledged with the database: lost, doubled, and never sent.
func (w *writers) check(ctx context.Context, t target) (lost, twice int, err error) {
	d, err := db.Open(ctx, db.Options{URL: t.url, MaxConns: 2})
	if err != nil {
		return 0, 0, err
	}
	type row struct {
		Key    string
		Amount money.Money
	}
	found, own := map[row]int{}, db.Args{"own": w.prefix + "%"}
	add := func(r row) error { found[r]++; return nil }
	err = errors.Join(
		db.Each(ctx, d.School(w.school), `SELECT reference AS key, amount FROM fee_receipts WHERE school_id = :school AND reference LIKE :own`,
			own, add),
		db.Each(ctx, d.School(w.school), `SELECT title AS key, 0 AS amount FROM events WHERE school_id = :school AND title LIKE :own`,
			own, add))
	w.mu.Lock()
	defer w.mu.Unlock()
	for key, amount := range w.saved {
		if found[row{key, amount}] == 0 {
			lost++
		}
	}
	for _, n := range found {
		twice += n - 1
	}
	return lost, twice, errors.Join(err, d.Close())
}
