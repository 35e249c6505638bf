//go:build unix

package engine

import (
	"net"
	"syscall"
)

// tryWriter writes to a TCP connection without waiting.
type tryWriter struct {
	conn  syscall.RawConn // nil: every write waits
	write func(fd uintptr) bool
	b     []byte
	n     int
	err   error
}

func (t *tryWriter) init(nc net.Conn) {
	tcp, ok := nc.(*net.TCPConn)
	if !ok { // TLS
		return
	}
	if conn, err := tcp.SyscallConn(); err == nil {
		t.conn, t.write = conn, t.writeTo // kept: a closure for each call would be garbage
	}
}

// try writes as much of b as goes without waiting. One goroutine at a time calls it.
func (t *tryWriter) try(b []byte) (int, error) {
	if t.conn == nil {
		return 0, nil
	}
	t.b = b
	err := t.conn.Write(t.write)
	t.b = nil
	if err != nil {
		return 0, err
	}
	return t.n, t.err
}

func (t *tryWriter) writeTo(fd uintptr) bool {
	for {
		t.n, t.err = syscall.Write(int(fd), t.b)
		switch t.err {
		case nil:
			return true
		case syscall.EINTR:
			continue
		case syscall.EAGAIN:
			t.err = nil
		}
		t.n = 0
		return true // never wait
	}
}
