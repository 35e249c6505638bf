package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"homeroom/internal/apptest/process"
	"homeroom/internal/feature/fee/feetest"
	"homeroom/internal/platform/db"
	"homeroom/internal/platform/id"
	"homeroom/internal/platform/money"
)

const (
	feePath     = "/school-admin/fee/"
	feeWorkers  = 64
	feeSteps    = 10_000
	feeStudents = 1_000
)

// bursar is a service with classes of students, and its administrator.
type bursar struct {
	*process.Server
	token    string
	school   id.ID
	classes  []string
	students []string
}

// bursary starts the service on an empty database, with classes of 40 students.
func (l *lab) bursary(ctx context.Context, t target, name string, classes int, args ...string) (*bursar, target, error) {
	t, err := l.emptyDatabase(ctx, t, name)
	if err != nil {
		return nil, t, err
	}
	b := &bursar{}
	if b.Server, err = l.serve(ctx, t, args...); err != nil {
		return nil, t, err
	}
	if b.token, err = b.Login(ctx, "admin@greenfield.test", "homeroom-demo"); err != nil {
		b.Kill()
		return nil, t, err
	}
	rooms, err := furnish(ctx, b.Server, b.token, classes, 1, 40, 40)
	if err != nil {
		b.Kill()
		return nil, t, err
	}
	for _, r := range rooms {
		b.classes, b.students = append(b.classes, r.ClassID), append(b.students, r.Students...)
	}
	b.school, err = b.ownSchool(ctx)
	return b, t, err
}

// ownSchool returns the administrator's school.
func (b *bursar) ownSchool(ctx context.Context) (id.ID, error) {
	_, own, err := b.Call(ctx, b.token, "GET", "/school-admin/setting", nil)
	data, _ := own["data"].(map[string]any)
	return id.ID(fmt.Sprint(data["id"])), err
}

// price creates a fee structure for each class: two monthly items and a yearly one.
func (b *bursar) price(ctx context.Context) error {
	for _, class := range b.classes {
		_, err := create(ctx, b.Server, b.token, feePath+"structure/create", map[string]any{"classId": class, "items": []any{
			map[string]any{"name": "Tuition", "amount": 150.25, "frequency": "MONTHLY", "dueDay": 5},
			map[string]any{"name": "Meals", "amount": 40, "frequency": "MONTHLY"},
			map[string]any{"name": "Books", "amount": 99.99, "frequency": "YEARLY"}}})
		if err != nil {
			return err
		}
	}
	return nil
}

// client returns a client that decodes amounts exactly.
func (b *bursar) client() feetest.Client {
	return feetest.Client{URL: b.URL, Token: b.token, HTTP: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: feeWorkers}}}
}

// proof checks the ledger directly in the database.
func (b *bursar) proof(ctx context.Context, t target) error {
	d, err := db.Open(ctx, db.Options{URL: t.url, MaxConns: 2})
	if err != nil {
		return err
	}
	broken, err := feetest.Check(ctx, d.School(b.school))
	if len(broken) > 0 {
		err = fmt.Errorf("the ledger is inconsistent: %q", broken[:min(len(broken), 10)])
	}
	return errors.Join(err, d.Close())
}

// charging measures charging a school of 1,000 students in one call, and repeating it.
func charging(ctx context.Context, l *lab) error {
	fmt.Println("| Engine | Call | Students | New charges | Took |")
	fmt.Println("|---|---|---:|---:|---:|")
	for _, t := range l.targets {
		b, t, err := l.bursary(ctx, t, "charging", feeStudents/40)
		if err != nil {
			return err
		}
		// First charge the demo's own classes, which have fee structures too.
		_, _, err = b.client().Call(ctx, "POST", feePath+"charge/generate", feetest.Object{})
		if err := errors.Join(err, b.price(ctx), l.analyze(ctx, t)); err != nil {
			b.Kill()
			return err
		}
		for _, step := range []struct {
			name    string
			charges int
		}{{"this month", 3}, {"the same again", 0}} {
			start := time.Now()
			status, out, err := b.client().Call(ctx, "POST", feePath+"charge/generate", feetest.Object{})
			took := time.Since(start)
			if err != nil || status != http.StatusOK || fmt.Sprint(out["charged"]) != fmt.Sprint(feeStudents*step.charges) {
				b.Kill()
				return fmt.Errorf("generate: %d %v %w", status, out, err)
			}
			fmt.Printf("| %s | %s | %d | %v | %s |\n", t.engine, step.name, feeStudents, out["charged"], short(took))
		}
		err = b.proof(ctx, t)
		b.Kill()
		if err != nil {
			return err
		}
	}
	return nil
}

// fees runs 10,000 random movements of money by 64 workers, with checks after each.
func fees(ctx context.Context, l *lab) error {
	fmt.Println("| Engine | Workers | Steps | Refused | Steps/s | Receipts | Ledger and statements |")
	fmt.Println("|---|---:|---:|---:|---:|---:|---|")
	for _, t := range l.targets {
		b, t, err := l.bursary(ctx, t, "fees", 2)
		if err != nil {
			return err
		}
		line, err := b.play(ctx, t)
		b.Kill()
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %d | %d | %s | balanced after every step |\n", t.engine, feeWorkers, feeSteps, line)
	}
	return nil
}

func (b *bursar) play(ctx context.Context, t target) (string, error) {
	if err := b.price(ctx); err != nil {
		return "", err
	}
	now := time.Now()
	g := &feetest.Game{Client: b.client(), Students: b.students, Workers: feeWorkers, Steps: feeSteps, Seed: uint64(now.UnixNano()),
		Months: []string{now.Format("2006-01"), now.AddDate(0, 1, -now.Day()+1).Format("2006-01")}}
	start := time.Now()
	r, err := feetest.Play(ctx, g)
	took := time.Since(start)
	if err != nil {
		return "", fmt.Errorf("seed %d: %w", g.Seed, err)
	}
	if err := b.proof(ctx, t); err != nil {
		return "", fmt.Errorf("seed %d: %w", g.Seed, err)
	}
	_, out, err := b.client().Call(ctx, "GET", feePath+"report/trial-balance", nil)
	if err != nil {
		return "", err
	}
	var cash money.Money
	accounts, _ := out["accounts"].([]any)
	for _, a := range accounts {
		if a, _ := a.(feetest.Object); a["account"] == "CASH" || a["account"] == "BANK" {
			cash += feetest.Amount(a["balance"])
		}
	}
	if cash != r.Cash {
		return "", fmt.Errorf("seed %d: cash and bank have %s, but %s was acknowledged", g.Seed, cash, r.Cash)
	}
	return fmt.Sprintf("%d | %.0f | %d", r.Refused, float64(r.Steps)/took.Seconds(), r.By["pay"]+r.By["family"]), nil
}
