package token

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"homeroom/internal/platform/fault"
)

func TestHashAndVerify(t *testing.T) {
	t.Parallel()
	h, ctx := &Hasher{Rand: rand.Reader}, t.Context()
	one, err := h.Hash(ctx, "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	two, err := h.Hash(ctx, "correct horse")
	if err != nil || one == two || !strings.HasPrefix(one, "$argon2id$v=19$m=19456,t=2,p=1$") || len(one) != 97 {
		t.Fatalf("two hashes of one secret: %q, %q, %v", one, two, err)
	}
	// Both made by OpenSSL.
	const ours = "$argon2id$v=19$m=19456,t=2,p=1$c2l4dGVlbiBieXRlcyBvaw$9iBLzuApLFRzr3bOvFkEWfh9ZzjT0WZNwad70kzTAV0"
	const other = "$argon2id$v=19$m=4096,t=3,p=2$c2l4dGVlbiBieXRlcyBvaw$51bAY9veaptgZSpLigVN49Yfk0Yyy+3M"
	for _, c := range []struct {
		secret, stored string
		want           bool
	}{
		{"correct horse", one, true},
		{"correct horse", two, true},
		{"correct horse ", one, false},
		{"", one, false},
		{"Correct horse", one, false},
		{"password", ours, true},
		{"passwore", ours, false},
		{"password", other, true},
		{"passwore", other, false},
		{"correct horse", "", false},
		{"", "", false},
	} {
		if got, err := h.Verify(ctx, c.secret, c.stored); err != nil || got != c.want {
			t.Errorf("Verify(%q, %q) = %v, %v", c.secret, c.stored, got, err)
		}
	}
	if s, err := (&Hasher{Rand: iotest.ErrReader(io.ErrClosedPipe)}).Hash(ctx, "x"); !errors.Is(err, io.ErrClosedPipe) || s != "" {
		t.Errorf("without randomness: %q, %v", s, err)
	}
}

// counted replaces hashing by a counter.
func counted(h *Hasher, work func(p params)) *Hasher {
	h.Rand = rand.Reader
	h.derive = func(_ string, _ []byte, p params, size uint32) []byte {
		work(p)
		return make([]byte, size)
	}
	return h
}

func TestVerifyRefusesDamage(t *testing.T) {
	t.Parallel()
	const salt, key = "AAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
	ran := 0
	h := counted(&Hasher{}, func(params) { ran++ })
	ok, err := h.Verify(t.Context(), "x", "$argon2id$v=19$m=19456,t=2,p=1$"+salt+"$"+key)
	if !ok || err != nil || ran != 1 {
		t.Fatalf("verify an intact hash: %v, %v", ok, err)
	}
	for _, stored := range []string{
		"x", "$", "$$$$$", "$argon2id$v=19$m=19456,t=2,p=1$" + salt,
		"$argon2i$v=19$m=19456,t=2,p=1$" + salt + "$" + key,
		"$argon2id$v=16$m=19456,t=2,p=1$" + salt + "$" + key,
		"$argon2id$v=19$m=19456,t=2$" + salt + "$" + key,
		"$argon2id$v=19$m=19456,t=2,p=1,x=1$" + salt + "$" + key,
		"$argon2id$v=19$m=019456,t=2,p=1$" + salt + "$" + key,
		"$argon2id$v=19$m=-1,t=2,p=1$" + salt + "$" + key,
		"$argon2id$v=19$m=4294967295,t=2,p=1$" + salt + "$" + key,
		"$argon2id$v=19$m=99999999999999999999,t=2,p=1$" + salt + "$" + key,
		"$argon2id$v=19$m=19456,t=0,p=1$" + salt + "$" + key,
		"$argon2id$v=19$m=19456,t=4294967295,p=1$" + salt + "$" + key,
		"$argon2id$v=19$m=19456,t=2,p=0$" + salt + "$" + key,
		"$argon2id$v=19$m=19456,t=2,p=255$" + salt + "$" + key,
		"$argon2id$v=19$m=19456,t=2,p=1$" + salt + "=$" + key,
		"$argon2id$v=19$m=19456,t=2,p=1$AAAA$" + key,
		"$argon2id$v=19$m=19456,t=2,p=1$" + salt + "$",
		"$argon2id$v=19$m=19456,t=2,p=1$" + salt + "$" + key[:42] + "B",
		"$argon2id$v=19$m=19456,t=2,p=1$" + salt + "$" + strings.Repeat("A", 400),
		"$argon2id$v=19$m=19456,t=2,p=1$" + salt + "$" + key + "$",
		"$2b$12$abcdefghijklmnopqrstuuabcdefghijklmnopqrstuuabcdefghijklmnopqr",
	} {
		ok, err := h.Verify(t.Context(), "x", stored)
		if ok || err == nil || strings.Contains(err.Error(), key) {
			t.Errorf("verify damaged hash %q: %v, %v", stored, ok, err)
		}
	}
	if ran != 1 {
		t.Errorf("%d damaged hashes were computed", ran-1)
	}
}

func TestUnknownAccountCostsTheSame(t *testing.T) {
	t.Parallel()
	var work []params
	h := counted(&Hasher{}, func(p params) { work = append(work, p) })
	stored, err := h.Hash(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := h.Verify(t.Context(), "x", stored); !ok || err != nil {
		t.Fatalf("verify: %v, %v", ok, err)
	}
	// The counter answers zeros, which is what the dummy holds: still no.
	if ok, err := h.Verify(t.Context(), "x", ""); ok || err != nil {
		t.Errorf("verify an empty hash: %v, %v", ok, err)
	}
	if len(work) != 3 || work[1] != current || work[2] != current {
		t.Errorf("costs of hashes: %v", work)
	}
}

func TestHasherBoundsItsWork(t *testing.T) {
	t.Parallel()
	for _, slots := range []int{0, 1, 3} {
		t.Run(fmt.Sprint(slots), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				want := int64(slots)
				if slots == 0 {
					want = 2
				}
				var now, most, done atomic.Int64
				gate := make(chan struct{})
				h := counted(&Hasher{Slots: slots}, func(params) {
					most.Store(max(most.Load(), now.Add(1)))
					<-gate
					now.Add(-1)
				})
				for range 200 {
					go func() {
						if _, err := h.Verify(t.Context(), "x", ""); err != nil {
							t.Error(err)
						}
						done.Add(1)
					}()
				}
				for i := range int64(200) {
					synctest.Wait()
					if got := now.Load(); got != min(want, 200-i) || done.Load() != i {
						t.Fatalf("%d at work and %d done, want %d and %d", got, done.Load(), min(want, 200-i), i)
					}
					gate <- struct{}{}
				}
				synctest.Wait()
				if most.Load() != want || done.Load() != 200 || h.callers.Load() != 0 || len(h.slots) != 0 {
					t.Errorf("at most %d at once, %d done, %d left", most.Load(), done.Load(), h.callers.Load())
				}
			})
		})
	}
}

func TestHasherServesInOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		h := counted(&Hasher{Slots: 1}, func(params) { <-gate })
		var mu sync.Mutex
		var order []int
		for i := range 20 {
			go func() {
				_, err := h.Verify(t.Context(), "x", "")
				mu.Lock()
				defer mu.Unlock()
				order = append(order, i)
				if err != nil {
					t.Error(err)
				}
			}()
			synctest.Wait() // i waits before i+1 comes
		}
		for i := range 20 {
			gate <- struct{}{}
			synctest.Wait()
			if len(order) != i+1 || order[i] != i {
				t.Fatalf("order of callers: %v", order)
			}
		}
	})
}

func TestHasherTurnsAwayACrowd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		h := counted(&Hasher{Queue: 10}, func(params) { <-gate })
		var good, busy atomic.Int64
		for range 50 {
			go func() {
				_, err := h.Hash(t.Context(), "x")
				switch f := fault.From(err); {
				case err == nil:
					good.Add(1)
				case errors.Is(err, ErrBusy) && f.Kind == fault.Unavailable && f.RetryAfter >= time.Second:
					busy.Add(1)
				default:
					t.Error(err)
				}
			}()
		}
		synctest.Wait()
		if busy.Load() != 38 || good.Load() != 0 {
			t.Errorf("refused callers: got %d, want 50-2-10", busy.Load())
		}
		close(gate)
		synctest.Wait()
		if _, err := h.Hash(t.Context(), "x"); err != nil || good.Load() != 12 {
			t.Errorf("%d callers served, then %v", good.Load(), err)
		}
	})
}

func TestHasherObeysContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		gate, ran := make(chan struct{}), atomic.Int64{}
		h := counted(&Hasher{Slots: 1}, func(params) { ran.Add(1); <-gate })
		go func() { _, _ = h.Hash(t.Context(), "holds the slot") }()
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		ok, err := h.Verify(ctx, "x", "")
		if ok || !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("cancelled verify: %v, %v after %v", ok, err, time.Since(start))
		}
		close(gate)
		synctest.Wait()
		for range 50 { // a slot is free, but nobody waits for the answer
			if _, err := h.Hash(ctx, "x"); !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
		}
		if _, err := h.Hash(t.Context(), "x"); err != nil || ran.Load() != 2 || h.callers.Load() != 0 {
			t.Errorf("cancelled hash: %v; %d ran, %d callers left", err, ran.Load(), h.callers.Load())
		}
	})
}

// The logins run in a child process, so that nothing else uses memory.
func TestMemoryOfACrowd(t *testing.T) {
	t.Parallel()
	out, err := child("crowd").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var served, peak, after int
	if _, err := fmt.Sscan(string(out), &served, &peak, &after); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Logf("%d logins, peak %d MiB, then %d MiB", served, peak, after)
	if served < 80 || peak >= 256 || after >= 96 {
		t.Errorf("got %d logins, peak %d MiB, then %d MiB; want 80, under 256 and under 96", served, peak, after)
	}
}

func BenchmarkHash(b *testing.B) {
	h := &Hasher{Rand: rand.Reader}
	for b.Loop() {
		if _, err := h.Hash(b.Context(), "correct horse"); err != nil {
			b.Fatal(err)
		}
	}
}
