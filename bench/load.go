package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"slices"
	"strconv"
	"sync"
	"time"
)

const (
	rounds      = 5
	perRound    = 3 * time.Second
	connections = 16
)

func short(d time.Duration) string { return d.Round(10 * time.Microsecond).String() }

// load is the throughput and latency that the clients measured.
type load struct {
	perSecond float64
	p50, p99  time.Duration
}

// hammer sends one request repeatedly on a number of connections. The clients are
// minimal, to leave the CPU to the server.
func hammer(ctx context.Context, addr string, request []byte, connections int, long time.Duration) (load, error) {
	ctx, cancel := context.WithTimeout(ctx, long)
	defer cancel()
	times := make([][]time.Duration, connections)
	failed := make([]error, connections)
	var wg sync.WaitGroup
	start := time.Now()
	for i := range connections {
		wg.Go(func() { times[i], failed[i] = client(ctx, addr, request) })
	}
	wg.Wait()
	took := time.Since(start)
	if err := errors.Join(failed...); err != nil {
		return load{}, err
	}
	all := slices.Concat(times...)
	if len(all) == 0 {
		return load{}, errors.New("no response")
	}
	slices.Sort(all)
	return load{perSecond: float64(len(all)) / took.Seconds(), p50: all[len(all)/2], p99: all[len(all)*99/100]}, nil
}

func client(ctx context.Context, addr string, request []byte) ([]time.Duration, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	r := bufio.NewReaderSize(c, 64<<10)
	var times []time.Duration
	for ctx.Err() == nil {
		start := time.Now()
		if _, err := c.Write(request); err != nil {
			return nil, err
		}
		if _, err := answer(r); err != nil {
			return nil, err
		}
		times = append(times, time.Since(start))
	}
	return times, nil
}

// answer reads one response with status 200 or 201 and returns its body.
func answer(r *bufio.Reader) ([]byte, error) {
	status, err := r.ReadSlice('\n')
	if err != nil {
		return nil, err
	}
	good := bytes.Contains(status, []byte(" 200 ")) || bytes.Contains(status, []byte(" 201 "))
	line := string(status)
	header, err := textproto.NewReader(r).ReadMIMEHeader()
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		return nil, fmt.Errorf("no Content-Length: %w", err)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r, body); err != nil {
		return nil, err
	}
	if !good {
		return nil, fmt.Errorf("%s %s", line, body)
	}
	return body, nil
}

// once sends the request once and returns the response body.
func once(ctx context.Context, addr string, request []byte) ([]byte, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	if _, err := c.Write(request); err != nil {
		return nil, err
	}
	return answer(bufio.NewReader(c))
}

// get returns the bytes of a GET request with a token.
func get(path, token string) []byte {
	return []byte("GET " + path + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token + "\r\n\r\n")
}

func median(l []load) load {
	slices.SortFunc(l, func(a, b load) int { return int(a.perSecond - b.perSecond) })
	return l[len(l)/2]
}
