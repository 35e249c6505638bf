package token

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"homeroom/internal/platform/clock"
)

// childEnv makes the test binary run one function as a child process.
const childEnv = "TOKEN_TEST_CHILD"

func TestMain(m *testing.M) {
	switch job, arg, _ := strings.Cut(os.Getenv(childEnv), " "); job {
	case "":
		os.Exit(m.Run())
	case "load":
		loadOnce(arg)
	case "crowd":
		crowd()
	}
}

// loadOnce prints the keys that this process loaded.
func loadOnce(path string) {
	r, err := LoadFile(path, clock.System, rand.Reader)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Print(fingerprint(r))
}

// crowd prints the peak memory of 200 concurrent logins and what remains, in a process
// that holds 40 MiB itself. After 80 logins the others cancel: memory has peaked by then.
func crowd() {
	heap := make([][]byte, 40<<10)
	for i := range heap {
		heap[i] = make([]byte, 1<<10)
	}
	h, served := &Hasher{Rand: rand.Reader}, atomic.Int64{}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() {
			if _, err := h.Verify(ctx, "1234567890", ""); err == nil && served.Add(1) == 80 {
				cancel()
			}
		})
	}
	wg.Wait()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	runtime.KeepAlive(heap)
	fmt.Print(served.Load(), " ", m.Sys>>20, " ", (m.Sys-m.HeapReleased)>>20)
}

func child(job string) *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), childEnv+"="+job)
	return c
}

func fingerprint(r *Ring) string {
	var s string
	for _, k := range r.set.Load().keys {
		s += k.ID + ":" + Digest(string(k.Secret)) + "\n"
	}
	return s
}

// hand is a manual clock.
type hand struct {
	mu sync.Mutex
	t  time.Time
}

func newHand() *hand { return &hand{t: time.Date(2026, 3, 9, 8, 30, 0, 900e6, time.UTC)} }

func (h *hand) now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.t
}

func (h *hand) add(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.t = h.t.Add(d)
}

func testKey(kid string) Key {
	b := make([]byte, minSecret)
	_, _ = rand.Read(b)
	return Key{ID: kid, Secret: b}
}

func testRing(t testing.TB, kids ...string) *Ring {
	t.Helper()
	var keys []Key
	for _, kid := range kids {
		keys = append(keys, testKey(kid))
	}
	r, err := NewRing(keys...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}
