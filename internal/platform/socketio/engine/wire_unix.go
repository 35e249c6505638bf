//go:build unix

package engine

import (
	"io"
	"net"
	"sync"
	"syscall"
)

// raw reads and writes a plain TCP connection without waiting and without a
// buffer of its own: it takes one from the pool only once there is something to read.
type raw struct {
	fd   int // for writing. It stays ours: the connection is closed only after its session
	conn syscall.RawConn

	onRead  func(fd uintptr) bool // kept: a closure for each call would be garbage
	buffers *sync.Pool
	part    []byte
	buf     *[]byte
	n       int
	err     error
}

// take is false where nc is not a plain connection.
func (r *raw) take(nc net.Conn) bool {
	tcp, ok := nc.(*net.TCPConn)
	if !ok {
		return false
	}
	conn, err := tcp.SyscallConn()
	if err != nil {
		return false
	}
	r.conn, r.onRead = conn, r.tryRead
	return conn.Control(func(fd uintptr) { r.fd = int(fd) }) == nil
}

// read waits for bytes and returns a buffer with part and, after it, those.
func (r *raw) read(buffers *sync.Pool, part []byte) (*[]byte, int, error) {
	r.buffers, r.part = buffers, part
	err := r.conn.Read(r.onRead)
	buf := r.buf
	r.buf, r.part = nil, nil
	if err == nil {
		err = r.err
	}
	if err != nil && buf != nil {
		buffers.Put(buf)
	}
	return buf, r.n, err
}

func (r *raw) tryRead(fd uintptr) bool {
	buf := r.buffers.Get().(*[]byte)
	have := copy(*buf, r.part)
	for {
		n, err := syscall.Read(int(fd), (*buf)[have:])
		if err == syscall.EINTR {
			continue
		}
		if err == syscall.EAGAIN {
			r.buffers.Put(buf)
			return false
		}
		if err == nil && n == 0 {
			err = io.EOF
		}
		r.buf, r.n, r.err = buf, have+max(n, 0), err
		return true
	}
}

// try writes as much of b as goes without waiting. Going past package net saves
// its locks and the memory they are in, which count when thousands are written to
// in turn.
func (r *raw) try(b []byte) (int, error) {
	for {
		n, err := sendNow(r.fd, b)
		if err == syscall.EINTR {
			continue
		}
		if err == syscall.EAGAIN {
			return 0, nil
		}
		return max(n, 0), err
	}
}
