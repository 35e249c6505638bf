// Package crash kills the service repeatedly while it writes, and counts
// acknowledged writes that are lost after the restart. There must be none.
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

// Result counts acknowledged writes, and those that were lost or stored twice.
type Result struct {
	Rounds, Acknowledged, Lost, Twice int
}

const writers = 8

// Loop starts the binary with args (on a demo database), creates holidays from
// several clients, kills it at a random moment, and checks after the next start
// that every acknowledged holiday exists once.
func Loop(ctx context.Context, bin string, rounds int, args ...string) (Result, error) {
	r := Result{Rounds: rounds}
	var names []string // acknowledged in the previous round
	for round := 0; ; round++ {
		s, err := process.Serve(ctx, bin, args...)
		if err != nil {
			return r, err
		}
		token, err := s.Login(ctx, "admin@greenfield.test", "homeroom-demo")
		if err == nil {
			err = r.check(ctx, s, token, day(round-1), names)
		}
		if err != nil || round == rounds {
			s.Kill()
			return r, err
		}
		names = write(ctx, s, token, round)
		r.Acknowledged += len(names)
	}
}

// write creates holidays until the process is killed, and returns the acknowledged ones.
func write(ctx context.Context, s *process.Server, token string, round int) []string {
	var mu sync.Mutex
	var wg sync.WaitGroup
	var acknowledged []string
	for w := range writers {
		wg.Go(func() {
			for i := 0; ; i++ {
				name := fmt.Sprintf("r%d-w%d-%d", round, w, i)
				status, _, err := s.Call(ctx, token, "POST", "/school-admin/holiday/create",
					map[string]any{"data": map[string]any{"name": name, "date": day(round)}})
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

// day is the date of a round's holidays.
func day(round int) string {
	return time.Date(2030, 1, 1+round, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
}

// check reads the holidays of a round page by page and counts lost and duplicate ones.
func (r *Result) check(ctx context.Context, s *process.Server, token, day string, names []string) error {
	found := map[string]int{}
	for page, pages := 1, 1; page <= pages && len(names) > 0; page++ {
		status, out, err := s.Call(ctx, token, "GET",
			fmt.Sprintf("/school-admin/holiday/list?from=%s&to=%s&limit=100&page=%d", day, day, page), nil)
		if err != nil || status != http.StatusOK {
			return fmt.Errorf("list holidays: %d %v %w", status, out, err)
		}
		data, _ := out["data"].(map[string]any)
		total, _ := data["totalPages"].(float64)
		pages = int(total)
		items, _ := data["items"].([]any)
		for _, item := range items {
			h, _ := item.(map[string]any)
			name, _ := h["name"].(string)
			found[name]++
		}
	}
	for _, name := range names {
		switch n := found[name]; {
		case n == 0:
			r.Lost++
		case n > 1:
			r.Twice++
		}
	}
	return nil
}
