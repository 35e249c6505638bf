// Package blob stores the bytes of files under keys: on disk (Disk) or in S3 (S3). A put
// is atomic and durable, and blobs are immutable.
//
// A key is names joined by slashes, of letters, digits, dots and dashes. This package
// does not check permissions.
package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"time"
)

var (
	// ErrNotFound means that no blob has the key.
	ErrNotFound = errors.New("no such blob")
	// ErrFull means that no space is left.
	ErrFull = errors.New("no space left")
)

// Store keeps blobs.
type Store interface {
	// Put stores a blob. It is durable when Put returns; on an error nothing is
	// stored. Put may read r again to retry.
	Put(ctx context.Context, key string, r *io.SectionReader) error
	// Open opens a blob of a known size for reading and seeking.
	Open(ctx context.Context, key string, size int64) (io.ReadSeekCloser, error)
	// Delete deletes blobs; missing ones are no error.
	Delete(ctx context.Context, keys ...string) error
	// Walk calls f for all blobs, and for leftovers of crashes.
	Walk(ctx context.Context, f func(Blob) error) error
}

// Blob is an entry of Walk.
type Blob struct {
	Key  string
	At   time.Time // when it was written
	Size int64
}

var goodKey = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.-]*(/[A-Za-z0-9][A-Za-z0-9.-]*)*$`)

func checkKey(key string) error {
	if !goodKey.MatchString(key) || len(key) > 512 {
		return fmt.Errorf("blob: invalid key %q", key)
	}
	return nil
}
