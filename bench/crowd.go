package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"sync/atomic"
	"time"

	"homeroom/internal/apptest/crash"
	"homeroom/internal/apptest/process"
)

// idle measures the start on an empty database, which creates the demo, and the
// next start.
func idle(ctx context.Context, l *lab) error {
	fmt.Println("| Engine | Ready, making demo data | Ready, on that data | Memory, idle 3 s | with files (RSS) |")
	fmt.Println("|---|---:|---:|---:|---:|")
	for _, t := range l.targets {
		t, err := l.emptyDatabase(ctx, t, "idle")
		if err != nil {
			return err
		}
		first, err := l.serve(ctx, t)
		if err != nil {
			return err
		}
		first.Kill()
		again, err := l.serve(ctx, t)
		if err != nil {
			return err
		}
		time.Sleep(3 * time.Second)
		own, err := again.Memory("RssAnon") // without pages of the program and of the database file, which the kernel can drop
		rss, rssErr := again.Memory("VmRSS")
		again.Kill()
		if err := errors.Join(err, rssErr); err != nil {
			return err
		}
		fmt.Printf("| %s | %s | %s | %.0f MiB | %.0f MiB |\n", t.engine, short(first.Took), short(again.Took), own, rss)
	}
	return nil
}

// storm measures 200 concurrent logins while others read a list.
func storm(ctx context.Context, l *lab) error {
	const crowd = 200
	fmt.Println("| Engine | Logins | All done after | Peak memory | List meanwhile: calls | p50 | p99 |")
	fmt.Println("|---|---:|---:|---:|---:|---:|---:|")
	for _, t := range l.targets {
		s, err := l.serve(ctx, t)
		if err != nil {
			return err
		}
		took, good, meanwhile, calls, err := rush(ctx, s, crowd)
		peak, memErr := s.Memory("VmHWM")
		s.Kill()
		if err != nil || memErr != nil {
			return fmt.Errorf("%w %w", err, memErr)
		}
		fmt.Printf("| %s | %d of %d | %s | %.0f MiB | %d | %s | %s |\n", t.engine, good, crowd, short(took), peak, calls, short(meanwhile.p50),
			short(meanwhile.p99))
	}
	return nil
}

func rush(ctx context.Context, s *process.Server, crowd int) (took time.Duration, good int64, meanwhile load, calls int, err error) {
	token, err := s.Login(ctx, "admin@greenfield.test", "homeroom-demo")
	if err != nil {
		return 0, 0, load{}, 0, err
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		return 0, 0, load{}, 0, err
	}
	reading, stop := context.WithCancel(ctx)
	defer stop()
	read := make(chan load, 1)
	go func() {
		l, _ := hammer(reading, u.Host, get(listPath, token), 2, time.Minute) // ended by stop
		read <- l
	}()
	var n atomic.Int64
	var wg sync.WaitGroup
	start := time.Now()
	for range crowd {
		wg.Go(func() {
			if _, err := s.Login(ctx, "admin@riverside.test", "homeroom-demo"); err == nil {
				n.Add(1)
			}
		})
	}
	wg.Wait()
	took = time.Since(start)
	stop()
	meanwhile = <-read
	return took, n.Load(), meanwhile, int(meanwhile.perSecond * took.Seconds()), nil
}

// kill runs the crash loop with 200 rounds.
func kill(ctx context.Context, l *lab) error {
	fmt.Println("| Engine | Rounds | Acknowledged writes | Lost | Twice |")
	fmt.Println("|---|---:|---:|---:|---:|")
	for _, t := range l.targets {
		r, err := crash.Loop(ctx, l.bin, 200, "--demo", "--data", l.dir, "--database-url", t.url)
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %d | %d | %d | %d |\n", t.engine, r.Rounds, r.Acknowledged, r.Lost, r.Twice)
	}
	return nil
}
