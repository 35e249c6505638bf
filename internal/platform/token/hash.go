package token

import (
	"cmp"
	"context"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/argon2"

	"homeroom/internal/platform/fault"
)

// ErrBusy is the answer when as many callers wait for a Hasher as may.
var ErrBusy = fault.New(fault.Unavailable, "", "Too many people are signing in at this moment. Try again in a few seconds.")

// errStored never shows what was stored.
var errStored = errors.New("the stored hash is not one of Argon2id; the user needs a new password or PIN")

const (
	defaultSlots = 2
	defaultQueue = 512
	busyFor      = 10 * time.Second // a full queue takes about that long

	// garbage is how much memory finished hashes may hold before it is collected.
	garbage = 4 * 19 << 10 // KiB
)

// params are the costs of Argon2id. Each stored hash names its own.
type params struct {
	memory  uint32 // KiB
	time    uint32
	threads uint8
}

var (
	current = params{memory: 19 << 10, time: 2, threads: 1}
	least   = params{memory: 8, time: 1, threads: 1}
)

func (p params) String() string { return fmt.Sprintf("m=%d,t=%d,p=%d", p.memory, p.time, p.threads) }

// sane bounds what a damaged row can make us spend.
func (p params) sane() bool {
	return p.threads >= 1 && p.threads <= 4 && p.time >= 1 && p.time <= 16 && p.memory >= 8 && p.memory <= 64<<10
}

// Hasher hashes passwords and PINs with Argon2id. Each hash takes 19 MiB and a
// core for some 40 ms, so few run at once; other callers wait their turn, at
// next to no cost. The zero Slots and Queue stand for the defaults.
type Hasher struct {
	Slots int // hashes at once: 2
	Queue int // callers that may wait: 512
	Rand  io.Reader
	Cheap bool // hash at the least cost: for tests, which sign in thousands of times

	once    sync.Once
	slots   chan struct{}
	limit   int64        // of callers
	callers atomic.Int64 // those that hash or wait

	mu    sync.Mutex
	used  int // KiB that hashes took since memory was last collected
	taken int // the same since it was last given back

	derive func(secret string, salt []byte, p params, size uint32) []byte // Argon2id, unless a test counts
}

// Hash returns the secret's hash, as a PHC string with a salt of its own.
func (h *Hasher) Hash(ctx context.Context, secret string) (string, error) {
	salt := make([]byte, 16)
	if _, err := io.ReadFull(h.Rand, salt); err != nil {
		return "", fmt.Errorf("hash a secret: %w", err)
	}
	p := h.cost()
	key, err := h.compute(ctx, secret, salt, p, 32)
	if err != nil {
		return "", err
	}
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$%s$%s$%s", argon2.Version, p, b64.EncodeToString(salt), b64.EncodeToString(key)), nil
}

func (h *Hasher) cost() params {
	if h.Cheap {
		return least
	}
	return current
}

// Verify reports whether the secret is the one that was stored. With nothing
// stored it works as long and says no, so that its time tells nobody which
// accounts there are.
func (h *Hasher) Verify(ctx context.Context, secret, stored string) (bool, error) {
	p, salt, want := h.cost(), make([]byte, 16), make([]byte, 32)
	if stored != "" {
		var err error
		if p, salt, want, err = parsePHC(stored); err != nil {
			return false, err
		}
	}
	got, err := h.compute(ctx, secret, salt, p, uint32(len(want)))
	if err != nil {
		return false, err
	}
	return subtle.ConstantTimeCompare(got, want) == 1 && stored != "", nil
}

func parsePHC(stored string) (p params, salt, key []byte, err error) {
	part := strings.Split(stored, "$")
	if len(part) != 6 || part[0] != "" || part[1] != "argon2id" || part[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return p, nil, nil, errStored
	}
	if _, err := fmt.Sscanf(part[3], "m=%d,t=%d,p=%d", &p.memory, &p.time, &p.threads); err != nil || p.String() != part[3] || !p.sane() {
		return p, nil, nil, errStored
	}
	b64 := base64.RawStdEncoding.Strict()
	salt, errSalt := b64.DecodeString(part[4])
	key, errKey := b64.DecodeString(part[5])
	if errSalt != nil || errKey != nil || len(salt) < 8 || len(key) < 16 || len(key) > 64 {
		return p, nil, nil, errStored
	}
	return p, salt, key, nil
}

func (h *Hasher) compute(ctx context.Context, secret string, salt []byte, p params, size uint32) ([]byte, error) {
	if err := h.enter(ctx); err != nil {
		return nil, err
	}
	defer func() { <-h.slots; h.leave() }()
	h.collect(p.memory)
	return h.derive(secret, salt, p, size), nil
}

// enter waits for a slot. Waiting callers are served in the order they came.
func (h *Hasher) enter(ctx context.Context) error {
	h.once.Do(h.start)
	if h.callers.Add(1) > h.limit {
		h.callers.Add(-1)
		return ErrBusy.After(busyFor)
	}
	select {
	case h.slots <- struct{}{}:
		if ctx.Err() == nil {
			return nil
		}
		<-h.slots
	case <-ctx.Done():
	}
	h.leave()
	return fmt.Errorf("wait to hash a secret: %w", ctx.Err())
}

func (h *Hasher) start() {
	slots, queue := cmp.Or(h.Slots, defaultSlots), cmp.Or(h.Queue, defaultQueue)
	h.slots, h.limit = make(chan struct{}, slots), int64(slots+queue)
	if h.derive == nil {
		h.derive = func(secret string, salt []byte, p params, size uint32) []byte {
			return argon2.IDKey([]byte(secret), salt, p.time, p.memory, p.threads, size)
		}
	}
}

// leave lets the last of a crowd give its memory back to the system, which would
// otherwise stay ours for minutes.
func (h *Hasher) leave() {
	if h.callers.Add(-1) > 0 {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.taken >= garbage {
		debug.FreeOSMemory()
		h.used, h.taken = 0, 0
	}
}

// collect bounds the memory of finished hashes, which argon2 cannot use again
// and the collector by itself lets grow with the rest of the heap. Nobody begins
// a hash while it works.
func (h *Hasher) collect(memory uint32) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.used >= garbage {
		runtime.GC()
		h.used = 0
	}
	h.used += int(memory)
	h.taken += int(memory)
}
