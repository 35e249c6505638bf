package main

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"
)

const (
	listPath  = "/school-admin/student/list"
	listCalls = 21 // per list; the median is reported
)

// lists measures lists of the largest school in the database of lists_fill.go.
func lists(ctx context.Context, l *lab) error {
	var all [2][]time.Duration
	for i, t := range l.targets {
		t, err := l.emptyDatabase(ctx, t, "lists")
		if err != nil {
			return err
		}
		if all[i], err = listsOn(ctx, l, t); err != nil {
			return fmt.Errorf("%s: %w", t.engine, err)
		}
	}
	fmt.Println("| List | SQLite | PostgreSQL | Target |")
	fmt.Println("|---|---:|---:|---:|")
	for i, a := range listAsks {
		fmt.Printf("| %s | %s | %s | < %s |\n", a.name, short(all[0][i]), short(all[1][i]), a.wanted)
	}
	return nil
}

// listsOn returns the median time of each of listAsks.
func listsOn(ctx context.Context, l *lab, t target) ([]time.Duration, error) {
	s, err := l.serve(ctx, t) // creates the tables
	if err != nil {
		return nil, err
	}
	s.Kill()
	start := time.Now()
	if err := fillLists(ctx, t, listLargest); err != nil {
		return nil, fmt.Errorf("fill: %w", err)
	}
	fmt.Printf("%s: filled in %s\n", t.engine, time.Since(start).Round(time.Second))
	if s, err = l.serve(ctx, t); err != nil {
		return nil, err
	}
	defer s.Kill()
	token, err := s.Login(ctx, "admin@greenfield.test", "homeroom-demo")
	if err != nil {
		return nil, err
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return nil, err
	}
	class, division, err := t.pair(ctx, `SELECT CAST(class_id AS TEXT), CAST(id AS TEXT) FROM divisions
		WHERE name = 'Lists 7' AND school_id = (`+schoolSQL+`)`)
	if err != nil {
		return nil, err
	}
	_, year, err := t.pair(ctx, yearSQL)
	if err != nil {
		return nil, err
	}
	var out []time.Duration
	for _, a := range listAsks {
		request := get(a.with(class, division, year), token)
		took := make([]time.Duration, listCalls)
		for i := range took {
			start := time.Now()
			if _, err := once(ctx, u.Host, request); err != nil {
				return nil, fmt.Errorf("%s: %w", a.name, err)
			}
			took[i] = time.Since(start)
		}
		slices.Sort(took)
		out = append(out, took[len(took)/2])
	}
	return out, nil
}
