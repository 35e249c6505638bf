package wal

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"homeroom/internal/platform/blob"
)

// A chain is a sequence of logs without a gap. Its number grows each time that the log does
// not continue its copy. These are the keys of a copy:
//
//	snapshot/CHAIN/LOG-FRAMES-TIME.gz  the database after these frames of a log
//	wal/CHAIN/LOG/START-FRAMES-BEFORE-TIME-SALT-SUM.gz  frames of a log, from START on; the log before it had BEFORE
//	files/KEY, gone/KEY  uploaded files, and which of them were deleted since
//	keys/TIME.json       the keys file, by the time of its change: an old state is sealed with old keys
//
// Numbers, not times, are the order: clocks can be set back.
const (
	snapshotKey = "snapshot/%06d/%08d-%010d-%013d.gz"
	segmentKey  = "wal/%06d/%08d/%010d-%010d-%010d-%013d-%016x-%016x.gz"
	filesPrefix = "files/"
	gonePrefix  = "gone/"
	keysKey     = "keys/%013d.json"
)

// place is a log in a chain.
type place struct{ chain, log int }

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.chain, q.chain), cmp.Compare(p.log, q.log))
}

type snapshot struct {
	place
	frames int64
	at     time.Time
	key    string
	size   int64
}

type segment struct {
	place
	start, frames int64
	before        int64 // frames of the log before this one; 0: the chain begins with it
	at            time.Time
	salt, sum     uint64
	key           string
	size          int64
}

func (s snapshot) name() string {
	return fmt.Sprintf(snapshotKey, s.chain, s.log, s.frames, s.at.UnixMilli())
}

func (s segment) name() string {
	return fmt.Sprintf(segmentKey, s.chain, s.log, s.start, s.frames, s.before, s.at.UnixMilli(), s.salt, s.sum)
}

// keysFile is the keys file from a time on.
type keysFile struct {
	at   time.Time
	key  string
	size int64
}

// content is what a store has, in order.
type content struct {
	snapshots []snapshot
	segments  []segment // of the same start, the longest first
	files     map[string]int64
	gone      map[string]time.Time
	keys      []keysFile
}

func list(ctx context.Context, from blob.Store) (content, error) {
	c := content{files: map[string]int64{}, gone: map[string]time.Time{}}
	err := from.Walk(ctx, func(b blob.Blob) error {
		var ms int64
		switch {
		case strings.HasPrefix(b.Key, filesPrefix):
			c.files[b.Key[len(filesPrefix):]] = b.Size
		case strings.HasPrefix(b.Key, gonePrefix):
			c.gone[b.Key[len(gonePrefix):]] = b.At
		case strings.HasPrefix(b.Key, "keys/"):
			if _, err := fmt.Sscanf(b.Key, keysKey, &ms); err == nil {
				c.keys = append(c.keys, keysFile{at: time.UnixMilli(ms).UTC(), key: b.Key, size: b.Size})
			}
		case strings.HasPrefix(b.Key, "snapshot/"):
			s := snapshot{key: b.Key, size: b.Size}
			if _, err := fmt.Sscanf(b.Key, snapshotKey, &s.chain, &s.log, &s.frames, &ms); err == nil {
				s.at = time.UnixMilli(ms).UTC()
				c.snapshots = append(c.snapshots, s)
			}
		case strings.HasPrefix(b.Key, "wal/"):
			s := segment{key: b.Key, size: b.Size}
			_, err := fmt.Sscanf(b.Key, segmentKey, &s.chain, &s.log, &s.start, &s.frames, &s.before, &ms, &s.salt, &s.sum)
			if err == nil {
				s.at = time.UnixMilli(ms).UTC()
				c.segments = append(c.segments, s)
			}
		}
		return nil // anything else, such as a draft, is not ours
	})
	slices.SortFunc(c.snapshots, func(a, b snapshot) int {
		return cmp.Or(a.compare(b.place), cmp.Compare(a.frames, b.frames))
	})
	slices.SortFunc(c.segments, func(a, b segment) int {
		return cmp.Or(a.compare(b.place), cmp.Compare(a.start, b.start), cmp.Compare(b.frames, a.frames))
	})
	slices.SortFunc(c.keys, func(a, b keysFile) int { return a.at.Compare(b.at) })
	if err != nil {
		return c, fmt.Errorf("list the copies: %w", err)
	}
	return c, nil
}

// keysAt returns the index of the keys file of a moment; zero: the last. -1 if there is none.
func (c content) keysAt(at time.Time) int {
	i := len(c.keys) - 1
	for i > 0 && !at.IsZero() && c.keys[i].at.After(at) {
		i--
	}
	return i
}

// read returns the content of a blob.
func read(ctx context.Context, from blob.Store, key string, size int64) ([]byte, error) {
	r, err := from.Open(ctx, key, size)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}
