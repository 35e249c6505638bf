package main

import (
	"bytes"
	"context"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

const (
	listPath    = "/school-admin/student/list"
	rounds      = 5
	perRound    = 3 * time.Second
	connections = 16
)

// list alternates between the bare handler and the service, so that whatever
// else the machine does falls on both.
func list(ctx context.Context, l *lab) error {
	fmt.Println("| Engine | Server | Requests/s | p50 | p99 | of bare |")
	fmt.Println("|---|---|---:|---:|---:|---:|")
	for _, t := range l.targets {
		bare, whole, err := listOn(ctx, l, t)
		if err != nil {
			return err
		}
		fmt.Printf("| %s | bare net/http handler | %.0f | %s | %s | 1.00 |\n", t.engine, bare.perSecond, short(bare.p50), short(bare.p99))
		fmt.Printf("| %s | homeroom | %.0f | %s | %s | %.2f |\n", t.engine, whole.perSecond, short(whole.p50), short(whole.p99), whole.perSecond/bare.perSecond)
	}
	return nil
}

func short(d time.Duration) string { return d.Round(10 * time.Microsecond).String() }

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
	if err := l.settle(ctx, t); err != nil {
		return bare, whole, err
	}
	b, addr, err := startBare(ctx, t)
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

// same makes sure that both do the same work.
func same(ctx context.Context, a, b string, request []byte) error {
	one, err := once(ctx, a, request)
	if err != nil {
		return err
	}
	two, err := once(ctx, b, request)
	if err != nil {
		return err
	}
	if !bytes.Equal(one, two) {
		return fmt.Errorf("the two servers answer differently:\n%s\n%s", one, two)
	}
	return nil
}

func median(l []load) load {
	slices.SortFunc(l, func(a, b load) int { return int(a.perSecond - b.perSecond) })
	return l[len(l)/2]
}

// startBare runs this program again, as the bare server.
func startBare(ctx context.Context, t target) (*exec.Cmd, string, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, "", err
	}
	cmd := exec.CommandContext(ctx, self, "bare", t.engine, t.url)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, "", err
	}
	if err := cmd.Start(); err != nil {
		return nil, "", err
	}
	line := make([]byte, 64) // it prints its address and nothing else
	n, err := out.Read(line)
	return cmd, strings.TrimSpace(string(line[:n])), err
}
