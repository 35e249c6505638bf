package main

import (
	"context"
	"fmt"
	"net/url"
)

// list alternates between the bare handler and the service, so that other load on
// the machine affects both.
func list(ctx context.Context, l *lab) error {
	fmt.Println("| Engine | Server | Requests/s | p50 | p99 | of bare |")
	fmt.Println("|---|---|---:|---:|---:|---:|")
	for _, t := range l.targets {
		bare, whole, err := listOn(ctx, l, t)
		if err != nil {
			return err
		}
		fmt.Printf("| %s | bare net/http handler | %.0f | %s | %s | 1.00 |\n", t.engine, bare.perSecond, short(bare.p50), short(bare.p99))
		fmt.Printf("| %s | homeroom | %.0f | %s | %s | %.2f |\n", t.engine, whole.perSecond, short(whole.p50), short(whole.p99),
			whole.perSecond/bare.perSecond)
	}
	return nil
}

func listOn(ctx context.Context, l *lab, t target) (bare, whole load, err error) {
	s, err := l.serve(ctx, t)
	if err != nil {
		return bare, whole, err
	}
	defer s.Kill()
	token, err := s.Login(ctx, "admin@greenfield.test", "homeroom-demo")
	if err != nil {
		return bare, whole, err
	}
	if err := l.analyze(ctx, t); err != nil {
		return bare, whole, err
	}
	b, addr, err := startChild(ctx, "bare", t)
	if err != nil {
		return bare, whole, err
	}
	defer func() { _ = b.Process.Kill(); _ = b.Wait() }()
	u, err := url.Parse(s.URL)
	if err != nil {
		return bare, whole, err
	}
	request := get(listPath, token)
	if err := same(ctx, addr, u.Host, request); err != nil {
		return bare, whole, err
	}
	var bares, wholes []load
	for range rounds {
		one, err := hammer(ctx, addr, request, connections, perRound)
		if err != nil {
			return bare, whole, fmt.Errorf("bare: %w", err)
		}
		bares = append(bares, one)
		if one, err = hammer(ctx, u.Host, request, connections, perRound); err != nil {
			return bare, whole, fmt.Errorf("homeroom: %w", err)
		}
		wholes = append(wholes, one)
	}
	return median(bares), median(wholes), nil
}
