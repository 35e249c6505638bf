package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"sync"

	"homeroom/internal/apptest/process"
)

var sixDigits = regexp.MustCompile(`\b\d{6}\b`)

// races uses one sign-in code, and one refresh token, from 50 clients at the same time.
func races(ctx context.Context, l *lab) error {
	const clients, rounds = 50, 100
	fmt.Println("| Engine | Race | Rounds | Rounds with one winner | The winner's token works |")
	fmt.Println("|---|---|---:|---:|---:|")
	for _, t := range l.targets {
		s, err := l.serve(ctx, t)
		if err != nil {
			return err
		}
		for _, race := range []struct {
			name string
			run  func(context.Context, *process.Server, int) ([]string, error)
		}{{"verify-otp", raceOTP}, {"refresh", raceRefresh}} {
			single, alive := 0, 0
			for range rounds {
				tokens, err := race.run(ctx, s, clients)
				if err != nil {
					s.Kill()
					return err
				}
				if len(tokens) != 1 {
					continue
				}
				single++
				if status, _, err := s.Call(ctx, tokens[0], "GET", "/auth/me", nil); err == nil && status == http.StatusOK {
					alive++
				}
			}
			fmt.Printf("| %s | %s | %d | %d | %d |\n", t.engine, race.name, rounds, single, alive)
		}
		s.Kill()
	}
	return nil
}

func raceOTP(ctx context.Context, s *process.Server, clients int) ([]string, error) {
	otp, err := askCode(ctx, s, teacherPhone)
	if err != nil {
		return nil, err
	}
	return winners(ctx, s, clients, "/teacher/user-auth/verify-otp", map[string]string{"phone": teacherPhone, "otp": otp}), nil
}

func raceRefresh(ctx context.Context, s *process.Server, clients int) ([]string, error) {
	otp, err := askCode(ctx, s, teacherPhone)
	if err != nil {
		return nil, err
	}
	status, out, err := s.Call(ctx, "", "POST", "/teacher/user-auth/verify-otp", map[string]string{"phone": teacherPhone, "otp": otp})
	refresh, ok := out["refreshToken"].(string)
	if err != nil || !ok {
		return nil, fmt.Errorf("verify-otp: %d %v %w", status, out, err)
	}
	return winners(ctx, s, clients, "/auth/refresh", map[string]string{"refreshToken": refresh}), nil
}

const teacherPhone = "+15550100001"

// askCode requests a sign-in code and reads it from the demo's outbox.
func askCode(ctx context.Context, s *process.Server, phone string) (string, error) {
	status, out, err := s.Call(ctx, "", "POST", "/teacher/user-auth/send-otp", map[string]string{"phone": phone})
	if err != nil || status != http.StatusOK {
		return "", fmt.Errorf("send-otp: %d %v %w", status, out, err)
	}
	_, out, err = s.Call(ctx, "", "GET", "/dev/outbox?channel=sms&to="+url.QueryEscape(phone), nil)
	if err != nil {
		return "", err
	}
	data, _ := out["data"].(map[string]any)
	items, _ := data["items"].([]any)
	if len(items) == 0 {
		return "", fmt.Errorf("no code in the outbox")
	}
	newest, _ := items[0].(map[string]any)
	body, _ := newest["body"].(string)
	return sixDigits.FindString(body), nil
}

// winners sends the same call from many clients at once and returns the issued
// access tokens.
func winners(ctx context.Context, s *process.Server, clients int, path string, body any) []string {
	var mu sync.Mutex
	var wg sync.WaitGroup
	var tokens []string
	for range clients {
		wg.Go(func() {
			_, out, err := s.Call(ctx, "", "POST", path, body)
			if token, ok := out["accessToken"].(string); err == nil && ok {
				mu.Lock()
				tokens = append(tokens, token)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return tokens
}
