// Package crash kills the service again and again while it writes, and counts
// what it had acknowledged and then lost: nothing, or something is broken.
package crash

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"homeroom/internal/apptest/process"
)

// Result is what a loop has seen.
type Result struct {
	Rounds, Acknowledged, Lost, Twice int
}

const writers = 8

// Loop starts the binary with args (on a demo database), writes holidays from
// several clients, kills it at a random moment, and looks for what was
// acknowledged after the next start.
func Loop(ctx context.Context, bin string, rounds int, args ...string) (Result, error) {
	r := Result{Rounds: rounds}
	var names []string // acknowledged in the round before
	for round := 0; ; round++ {
		s, err := process.Serve(ctx, bin, args...)
		if err != nil {
			return r, err
		}
		token, err := s.Login(ctx, "admin@greenfield.test", "homeroom-demo")
		if err == nil {
			err = r.check(ctx, s, token, names)
		}
		if err != nil || round == rounds {
			s.Kill()
			return r, err
		}
		names = write(ctx, s, token, round)
		r.Acknowledged += len(names)
	}
}

// write creates holidays until the process is gone, and returns those that it
// acknowledged.
func write(ctx context.Context, s *process.Server, token string, round int) []string {
	var mu sync.Mutex
	var wg sync.WaitGroup
	var acknowledged []string
	for w := range writers {
		wg.Go(func() {
			for i := 0; ; i++ {
				name := fmt.Sprintf("r%d-w%d-%d", round, w, i)
				status, _, err := s.Call(ctx, token, "POST", "/school-admin/holiday/create",
					map[string]any{"data": map[string]any{"name": name, "date": "2030-01-01"}})
				if err != nil || status != http.StatusCreated {
					return
				}
				mu.Lock()
				acknowledged = append(acknowledged, name)
				mu.Unlock()
			}
		})
	}
	time.Sleep(30*time.Millisecond + rand.N(220*time.Millisecond))
	s.Kill()
	wg.Wait()
	return acknowledged
}

func (r *Result) check(ctx context.Context, s *process.Server, token string, names []string) error {
	for _, name := range names {
		status, out, err := s.Call(ctx, token, "GET", "/school-admin/holiday/list?search="+name, nil)
		if err != nil || status != http.StatusOK {
			return fmt.Errorf("look for %s: %d %w", name, status, err)
		}
		data, _ := out["data"].(map[string]any)
		items, _ := data["items"].([]any)
		found := 0
		for _, item := range items {
			if h, _ := item.(map[string]any); h["name"] == name {
				found++
			}
		}
		switch {
		case found == 0:
			r.Lost++
		case found > 1:
			r.Twice++
		}
	}
	return nil
}
