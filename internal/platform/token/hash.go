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

// ErrBusy is returned when the queue of a Hasher is full.
var ErrBusy = fault.New(fault.Unavailable, "", "Too many people are signing in at this moment. Try again in a few seconds.")

// errStored does not contain the stored value, which is secret.
var errStored = errors.New("the stored hash is not an Argon2id hash; the user needs a new password or PIN")

const (
	defaultSlots = 2
	defaultQueue = 512
	busyFor      = 10 * time.Second // about the time to empty a full queue

	// garbage is how much memory finished hashes may hold before a garbage collection.
	garbage = 4 * 19 << 10 // KiB
)

// params are the costs of Argon2id. Each stored hash has its own.
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

// sane limits the cost that a damaged row can cause.
func (p params) sane() bool {
	return p.threads >= 1 && p.threads <= 4 && p.time >= 1 && p.time <= 16 && p.memory >= 8 && p.memory <= 64<<10
}

// Hasher hashes passwords and PINs with Argon2id. Each hash takes 19 MiB and a core for
// about 40 ms, so few run at once and other callers wait in a queue. Zero Slots and
// Queue mean the defaults.
type Hasher struct {
	Slots int // concurrent hashes; default 2
	Queue int // most waiting callers; default 512
	Rand  io.Reader
	Cheap bool // minimal cost, for tests

	once    sync.Once
	slots   chan struct{}
	limit   int64        // most callers
	callers atomic.Int64 // running or waiting

	mu    sync.Mutex
	used  int // KiB allocated since the last garbage collection
	taken int // KiB allocated since memory was last returned to the system

	derive func(secret string, salt []byte, p params, size uint32) []byte // Argon2id; replaced by tests
}

// Hash returns the secret's hash as a PHC string with its own salt.
func (h *Hasher) Hash(ctx context.Context, secret string) (string, error) {
	salt := make([]byte, 16)
	if _, err := io.ReadFull(h.Rand, salt); err != nil {
		return "", fmt.Errorf("hash: %w", err)
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

// Verify reports whether the secret matches the stored hash. With an empty hash it takes
// as long and returns false, so that timing does not reveal which accounts exist.
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

// enter waits for a slot, first come, first served.
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
	return fmt.Errorf("wait to hash: %w", ctx.Err())
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

// leave returns memory to the system after the last hash of a burst. Otherwise it would
// stay with the process for minutes.
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

// collect limits the memory of finished hashes: argon2 does not reuse it, and the
// garbage collector lets it grow with the heap. No hash starts meanwhile.
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
