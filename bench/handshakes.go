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

// handshakes has one address open 10,000 sockets without signing in, while
// signed-in people connect from another.
func handshakes(ctx context.Context, l *lab) error {
	const strangers = 10_000
	fmt.Println("| Engine | Strangers let in, refused with 429, failed | Took | Meanwhile: people connected | p50 | p99 | Peak memory |")
	fmt.Println("|---|---|---:|---:|---:|---:|---:|")
	for _, t := range l.targets {
		s, err := l.serve(ctx, t)
		if err != nil {
			return err
		}
		row, err := besiege(ctx, s, strangers)
		peak, memErr := s.Memory("VmHWM")
		s.Kill()
		if err := cmp.Or(err, memErr); err != nil {
			return err
		}
		fmt.Printf("| %s | %s | %.0f MiB |\n", t.engine, row, peak)
	}
	return nil
}

func besiege(ctx context.Context, s *process.Server, strangers int) (string, error) {
	token, err := s.Login(ctx, "admin@greenfield.test", "homeroom-demo")
	if err != nil {
		return "", err
	}
	answers := map[int]*atomic.Int64{http.StatusOK: {}, http.StatusTooManyRequests: {}, 0: {}}
	began := time.Now()
	over := make(chan struct{})
	go func() {
		defer close(over)
		flood(ctx, s.URL, strangers, answers)
	}()
	var times []time.Duration
	for going := true; going; {
		start := time.Now()
		c, err := siotest.Connect(ctx, s.URL+"/socket.io/", map[string]string{"token": token}, nil)
		if err != nil {
			return "", fmt.Errorf("an honest client: %w", err)
		}
		times = append(times, time.Since(start))
		c.Close()
		select {
		case <-over:
			going = false
		default:
		}
	}
	all := time.Since(began)
	slices.Sort(times)
	return fmt.Sprintf("%d, %d, %d | %s | %d | %s | %s", answers[http.StatusOK].Load(), answers[http.StatusTooManyRequests].Load(), answers[0].Load(),
		short(all), len(times), short(times[len(times)/2]), short(times[len(times)*99/100])), nil
}

// flood asks for so many sessions from 127.0.0.2, over 100 connections.
func flood(ctx context.Context, url string, n int, answers map[int]*atomic.Int64) {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}
	client := &http.Client{Transport: &http.Transport{DialContext: d.DialContext, MaxIdleConnsPerHost: 100}}
	defer client.CloseIdleConnections()
	var left atomic.Int64
	left.Store(int64(n))
	var all sync.WaitGroup
	for range 100 {
		all.Go(func() {
			for left.Add(-1) >= 0 {
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

// open asks for a session and returns the status; 0: there was no answer.
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
	_, _ = io.Copy(io.Discard, res.Body) // only so that the connection is used again
	return res.StatusCode
}
