package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"homeroom/internal/apptest/process"
	"homeroom/internal/platform/browsertest"
)

const (
	webRounds = 5     // of each load; the median is reported
	webRows   = 1_000 // of the list that is scrolled
)

// webApp measures the web app of the demo in Chromium, whose CPU is slowed down four times.
func webApp(ctx context.Context, l *lab) error {
	s, err := l.serve(ctx, l.targets[0])
	if err != nil {
		return err
	}
	defer s.Kill()
	browser, stop, err := browsertest.Start(ctx)
	if err != nil {
		return err
	}
	defer stop()
	fmt.Println("| Load, 4 × slower CPU | Network | Cache | Interactive after | kB received | Target |")
	fmt.Println("|---|---|---|---:|---:|---:|")
	for _, n := range networks {
		if err := webLoads(browser, s.URL, n); err != nil {
			return fmt.Errorf("%s: %w", n.name, err)
		}
	}
	if err := webScroll(ctx, browser, s); err != nil {
		return err
	}
	return webSizes(ctx, s.URL)
}

// webLoad is a page being opened.
type webLoad struct {
	name string
	warm bool
	took time.Duration
	kB   float64
}

// webLoads prints the medians of each load over a network.
func webLoads(browser context.Context, site string, n netLimits) error {
	var rounds [][]webLoad
	for range webRounds {
		loads, err := visit(browser, site, n)
		if err != nil {
			return err
		}
		rounds = append(rounds, loads)
	}
	for i, load := range rounds[0] {
		var took []time.Duration
		var received []float64
		for _, r := range rounds {
			took = append(took, r[i].took)
			received = append(received, r[i].kB)
		}
		slices.Sort(took)
		slices.Sort(received)
		cache, wanted := "cold", n.target
		if load.warm {
			cache = "warm"
		}
		fmt.Printf("| %s | %s | %s | %s | %.0f | < %s |\n", load.name, n.name, cache, took[webRounds/2].Round(time.Millisecond),
			received[webRounds/2], wanted)
	}
	return nil
}

// visit opens the app as a newcomer, signs in, goes on, and comes back.
func visit(browser context.Context, site string, n netLimits) ([]webLoad, error) {
	t, err := newTab(browser, n, webSlow)
	if err != nil {
		return nil, err
	}
	defer t.close()
	signIn := ready{heading: "Sign in"}
	today := ready{heading: "", text: "Needs you"}
	students := ready{heading: "Students", rows: 50}
	return t.times(
		webStep{"sign-in page", false, t.open(site+"/", signIn)},
		webStep{"Today, after the click on “Sign in”", false, t.click("admin@greenfield.test", today)},
		webStep{"Students, from Today", false, t.click("Students", students)},
		webStep{"Today, opened with a session", true, t.open(site+"/app/today", today)},
		webStep{"Students, from Today", true, t.click("Students", students)},
	)
}

// webScroll scrolls through a list of 1,000 students, on this computer and on a slow one.
func webScroll(ctx, browser context.Context, s *process.Server) error {
	if err := fillSchool(ctx, s); err != nil {
		return err
	}
	fmt.Println("\n| Scrolling the list of students | Rows | Frames | Longest frame | Target |")
	fmt.Println("|---|---:|---:|---:|---:|")
	for _, slower := range []float64{1, webSlow} {
		longest, frames, err := scrollStudents(browser, s.URL, slower)
		if err != nil {
			return err
		}
		cpu := "this computer's CPU"
		if slower > 1 {
			cpu = fmt.Sprintf("a CPU %.0f × slower", slower)
		}
		fmt.Printf("| %s | %d | %d | %s | < 50ms |\n", cpu, webRows, frames, longest.Round(100*time.Microsecond))
	}
	return nil
}

func scrollStudents(browser context.Context, site string, slower float64) (longest time.Duration, frames int, err error) {
	t, err := newTab(browser, networks[0], slower)
	if err != nil {
		return 0, 0, err
	}
	defer t.close()
	_, err = t.times(
		webStep{"", false, t.open(site+"/", ready{heading: "Sign in"})},
		webStep{"", false, t.click("admin@greenfield.test", ready{text: "Needs you"})},
		webStep{"", false, t.follow("/app/students?all=1", ready{heading: "Students", rows: webRows})},
	)
	if err != nil {
		return 0, 0, err
	}
	return t.scroll()
}

// fillSchool imports students until the demo school has at least 1,000.
func fillSchool(ctx context.Context, s *process.Server) error {
	token, err := s.Login(ctx, "admin@greenfield.test", "homeroom-demo")
	if err != nil {
		return err
	}
	if err := makeClasses(ctx, s, token); err != nil {
		return err
	}
	_, out, err := s.Call(ctx, token, "GET", listPath+"?limit=1", nil)
	data, ok := out["data"].(map[string]any)
	if err != nil || !ok {
		return fmt.Errorf("list students: %v %w", out, err)
	}
	has, _ := data["total"].(float64)
	made, err := sendFile(ctx, s, token, importPath, studentFile(webRows-int(has)))
	if err == nil && made[0] != webRows-int(has) {
		err = errors.New("not all students were imported")
	}
	return err
}
