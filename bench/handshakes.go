package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"homeroom/internal/apptest/process"
	"homeroom/internal/platform/socketio/siotest"
)

// handshakes opens at least 10,000 sockets from one IP address without signing in,
// until a signed-in account has connected 500 times from another address.
func handshakes(ctx context.Context, l *lab) error {
	const strangers, honest = 10_000, 500
	fmt.Println("| Engine | Strangers let in, refused with 429, failed | Took | Meanwhile: people connected | p50 | p99 | Peak memory |")
	fmt.Println("|---|---|---:|---:|---:|---:|---:|")
	for _, t := range l.targets {
		s, err := l.serve(ctx, t)
		if err != nil {
			return err
		}
		row, err := besiege(ctx, s, strangers, honest)
		peak, memErr := s.Memory("VmHWM")
		s.Kill()
		if err := cmp.Or(err, memErr); err != nil {
			return err
		}
		fmt.Printf("| %s | %s | %.0f MiB |\n", t.engine, row, peak)
	}
	return nil
}

func besiege(ctx context.Context, s *process.Server, strangers, honest int) (string, error) {
	token, err := s.Login(ctx, "admin@greenfield.test", "homeroom-demo")
	if err != nil {
		return "", err
	}
	answers := map[int]*atomic.Int64{http.StatusOK: {}, http.StatusTooManyRequests: {}, 0: {}}
	began := time.Now()
	enough := make(chan struct{}) // closed when the honest client is done
	var flooding sync.WaitGroup
	flooding.Go(func() { flood(ctx, s.URL, strangers, enough, answers) })
	times, err := connects(ctx, s.URL, token, honest)
	close(enough)
	flooding.Wait()
	if err != nil {
		return "", err
	}
	all := time.Since(began)
	slices.Sort(times)
	return fmt.Sprintf("%d, %d, %d | %s | %d | %s | %s", answers[http.StatusOK].Load(), answers[http.StatusTooManyRequests].Load(),
		answers[0].Load(),
		short(all), len(times), short(times[len(times)/2]), short(times[len(times)*99/100])), nil
}

// connects connects and disconnects n times, and returns how long each took.
func connects(ctx context.Context, url, token string, n int) ([]time.Duration, error) {
	times := make([]time.Duration, n)
	for i := range times {
		start := time.Now()
		c, err := siotest.Connect(ctx, url+"/socket.io/", map[string]string{"token": token}, nil)
		if err != nil {
			return nil, fmt.Errorf("honest client: %w", err)
		}
		times[i] = time.Since(start)
		c.Close()
	}
	return times, nil
}

// flood requests at least that many sessions from 127.0.0.2 over 100 connections,
// and continues until enough is closed.
func flood(ctx context.Context, url string, least int, enough <-chan struct{}, answers map[int]*atomic.Int64) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	client := &http.Client{Transport: &http.Transport{DialContext: d.DialContext, MaxIdleConnsPerHost: 100}}
	defer client.CloseIdleConnections()
	var asked atomic.Int64
	goesOn := func() bool {
		select {
		case <-enough:
			return asked.Add(1) <= int64(least)
		default:
			asked.Add(1)
			return true
		}
	}
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			for goesOn() {
				count := answers[open(ctx, client, url)]
				if count == nil {
					count = answers[0]
				}
				count.Add(1)
			}
		})
	}
	all.Wait()
}

// open requests a session and returns the status; 0: no response.
func open(ctx context.Context, client *http.Client, url string) int {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/socket.io/?EIO=4&transport=polling", nil)
	if err != nil {
		return 0
	}
	res, err := client.Do(req)
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	_, _ = io.Copy(io.Discard, res.Body) // so that the connection is reused
	return res.StatusCode
}
