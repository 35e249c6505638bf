// Package blob keeps the bytes of files, under keys: on a disk (Disk) or with a
// service that speaks S3 (S3). What is put is there whole and for good, or not at
// all; what a key holds never changes.
//
// A key is a few names joined by slashes, each of letters, digits, dots and
// dashes. Who may read what is not known here.
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
	// ErrNotFound says that there is nothing under a key.
	ErrNotFound = errors.New("no such blob")
	// ErrFull says that there is no room left.
	ErrFull = errors.New("no room is left")
)

// Store keeps blobs.
type Store interface {
	// Put keeps what r has. It is durable when Put returns, and on an error
	// nothing is kept. It is read more than once where a try fails.
	Put(ctx context.Context, key string, r *io.SectionReader) error
	// Open reads a blob of a known size, from any place in it.
	Open(ctx context.Context, key string, size int64) (io.ReadSeekCloser, error)
	// Delete removes blobs; one that is not there is no error.
	Delete(ctx context.Context, keys ...string) error
	// Walk calls f with all there is, and with what a crash has left.
	Walk(ctx context.Context, f func(Blob) error) error
}

// Blob is what Walk finds.
type Blob struct {
	Key string
	At  time.Time // when it was written
}

var goodKey = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9.-]*(/[A-Za-z0-9][A-Za-z0-9.-]*)*$`)

func checkKey(key string) error {
	if !goodKey.MatchString(key) || len(key) > 512 {
		return fmt.Errorf("blob: %q is no key", key)
	}
	return nil
}
