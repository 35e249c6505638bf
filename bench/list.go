package main

import (
	"context"
	"fmt"
	"net/url"
)

// list measures a list of 20 students of the demo school.
func list(ctx context.Context, l *lab) error {
	fmt.Println("| Engine | Requests/s | p50 | p99 |")
	fmt.Println("|---|---:|---:|---:|")
	for _, t := range l.targets {
		one, err := listOn(ctx, l, t)
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %.0f | %s | %s |\n", t.engine, one.perSecond, short(one.p50), short(one.p99))
	}
	return nil
}

func listOn(ctx context.Context, l *lab, t target, args ...string) (load, error) {
	s, err := l.serve(ctx, t, args...)
	if err != nil {
		return load{}, err
	}
	defer s.Kill()
	token, err := s.Login(ctx, "admin@greenfield.test", "homeroom-demo")
	if err != nil {
		return load{}, err
	}
	if err := l.analyze(ctx, t); err != nil {
		return load{}, err
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return load{}, err
	}
	request := get(listPath, token)
	return inRounds(ctx, u.Host, func() []byte { return request })
}
