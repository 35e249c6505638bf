package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"homeroom/internal/feature/fee/feetest"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/money"
)

const feeKills = 50

// feeKill kills the service during collections. After the next start, acknowledged
// receipts must exist, and repeating unacknowledged requests with their idempotency
// key must create one receipt each.
func feeKill(ctx context.Context, l *lab) error {
	fmt.Println("| Engine | Rounds | Acknowledged receipts | Lost | Unacknowledged, repeated | Twice | Ledger |")
	fmt.Println("|---|---:|---:|---:|---:|---:|---|")
	for _, t := range l.targets {
		b, t, err := l.bursary(ctx, t, "feekill", 1)
		if err != nil {
			return err
		}
		r := &killed{bursar: b, paid: map[string]money.Money{}}
		if err := r.loop(ctx, l, t); err != nil {
			return err
		}
		fmt.Printf("| %s | %d | %d | %d | %d | %d | balanced after every start |\n", t.engine, feeKills, r.acknowledged, r.lost, r.again, r.twice)
	}
	return nil
}

// killed is a service that is killed repeatedly.
type killed struct {
	*bursar
	mu                               sync.Mutex
	paid                             map[string]money.Money // acknowledged in the last round, by key
	open                             []payment              // not acknowledged
	acknowledged, lost, again, twice int
}

// payment is one call with its idempotency key.
type payment struct {
	key, student string
	amount       money.Money
}

func (p payment) body() feetest.Object {
	return feetest.Object{"studentId": p.student, "amount": json.Number(p.amount.String()), "method": "CASH", "reference": p.key}
}

func (k *killed) loop(ctx context.Context, l *lab, t target) error {
	for round := range feeKills {
		k.write(ctx, round)
		var err error
		if k.Server, err = l.serve(ctx, t); err != nil {
			return err
		}
		if k.token, err = k.Login(ctx, "admin@greenfield.test", "homeroom-demo"); err != nil {
			k.Kill()
			return err
		}
		if err := errors.Join(k.proof(ctx, t), k.check(ctx, t, round)); err != nil {
			k.Kill()
			return fmt.Errorf("round %d: %w", round, err)
		}
	}
	k.Kill()
	return nil
}

// write records payments from several clients until the process is killed.
func (k *killed) write(ctx context.Context, round int) {
	k.paid, k.open = map[string]money.Money{}, nil
	client := k.client()
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := 0; ; i++ {
				p := payment{fmt.Sprintf("r%d-w%d-%d", round, w, i), k.students[rand.N(len(k.students))], money.Money(1 + rand.N(100_000))}
				status, _, err := client.Call(ctx, "POST", feePath+"collection/record", p.body(), "Idempotency-Key", p.key)
				k.mu.Lock()
				if err != nil || status != http.StatusCreated {
					k.open = append(k.open, p)
					k.mu.Unlock()
					return
				}
				k.paid[p.key] = p.amount
				k.acknowledged++
				k.mu.Unlock()
			}
		})
	}
	time.Sleep(30*time.Millisecond + rand.N(250*time.Millisecond))
	k.Kill()
	wg.Wait()
}

// check repeats unacknowledged requests and checks that every receipt exists once.
func (k *killed) check(ctx context.Context, t target, round int) error {
	client := k.client()
	for _, p := range k.open {
		status, out, err := client.Call(ctx, "POST", feePath+"collection/record", p.body(), "Idempotency-Key", p.key)
		if err != nil || status != http.StatusCreated {
			return fmt.Errorf("repeat %s: %d %v %w", p.key, status, out, err)
		}
		k.paid[p.key] = p.amount
		k.again++
	}
	type row struct {
		Reference string
		Amount    money.Money
	}
	d, err := db.Open(ctx, db.Options{URL: t.url, MaxConns: 2})
	if err != nil {
		return err
	}
	found := map[row]int{}
	err = db.Each(ctx, d.School(k.school), `SELECT reference, amount FROM fee_receipts WHERE school_id = :school AND reference LIKE :round`,
		db.Args{"round": fmt.Sprintf("r%d-%%", round)}, func(r row) error { found[r]++; return nil })
	for key, amount := range k.paid {
		switch n := found[row{key, amount}]; {
		case n == 0:
			k.lost++
		case n > 1:
			k.twice++
		}
	}
	return errors.Join(err, d.Close())
}
